/* Chunks in any order, gathered, are what a tally makes of them in theirs. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/gather.h"
#include "campaign/entry.h"
#include "tests/campaign/toy.h"
#include "tests/tap.h"

enum { MOST_CHUNKS = 40, NAMES = 5 };

static size_t pick(uint64_t *state, size_t choices)
{
    return (size_t)(tap_random(state) % choices);
}

static char *numbered(const char *what, uint64_t number)
{
    char text[64];

    snprintf(text, sizeof text, "%s %llu", what, (unsigned long long)number);
    return attest_memory_copy(text);
}

static void add_violations(attest_chunk_result *result, uint64_t trial, uint64_t *state)
{
    result->failed = pick(state, 3);
    for (uint64_t i = 0; i < result->failed; i++) {
        attest_violation violation = {.trial = trial + i,
                                      .margin = 1,
                                      .reason = numbered("reason", i),
                                      .text = numbered("text", trial + i)};

        if (attest_chunk_result_add_violation(result, &violation) != ATTEST_OK)
            abort();
    }
}

/* At one trial a worker may die over the decision, and then again while it shrinks, each time
 * after fewer steps. */
static void add_deaths(attest_chunk_result *result, uint64_t trial, uint64_t *state)
{
    for (size_t i = pick(state, 3); i-- > 0; trial++) {
        attest_death death = {.kind = ATTEST_DEATH_SIGNAL, .detail = 11, .trial = trial};

        if (pick(state, 2) && attest_chunk_result_add_death(result, &death) != ATTEST_OK)
            abort();
        death.shrinking = true;
        for (death.steps = pick(state, 3); death.steps-- > 0;)
            if (attest_chunk_result_add_death(result, &death) != ATTEST_OK)
                abort();
    }
}

/* The chunk of this number: the same again for the same seed. */
static void draw(attest_entry *entry, uint64_t seed, uint64_t number, bool fails)
{
    uint64_t state = seed + number * 977;
    attest_chunk_result *r = &entry->result;
    size_t first = pick(&state, NAMES);

    attest_entry_init(entry);
    entry->number = number;
    r->passed = pick(&state, 100);
    r->discarded = pick(&state, 10);
    r->searched = pick(&state, 10);
    r->seconds = (double)pick(&state, 10);
    for (size_t l = pick(&state, NAMES); l-- > 0;) {
        char name[] = {(char)('a' + (first + 2 * l) % NAMES), '\0'};

        if (attest_chunk_result_add_label(r, name, 1 + pick(&state, 9)) != ATTEST_OK)
            abort();
    }
    r->has_tightest = pick(&state, 3) > 0;
    if (r->has_tightest) {
        r->tightest = (double)pick(&state, 8) / 8;
        r->tightest_text = numbered("tightest", number);
    }
    r->undecided = pick(&state, 4) == 0;
    if (r->undecided)
        r->open_reason = numbered("open", number);
    if (fails)
        add_violations(r, number * 100, &state);
    add_deaths(r, number * 100, &state);
}

static char *format(const attest_tally *tally)
{
    attest_entry entry = {.number = tally->next + tally->ended, .result = tally->joined};

    return attest_entry_format(&entry);
}

/* The text of what comes of all chunks, in their order. */
static char *join(const attest_plan *plan, uint64_t seed, uint64_t chunks, bool fails)
{
    attest_tally tally;
    char *text;

    attest_tally_init(&tally, plan, 0);
    for (uint64_t c = 0; c < chunks; c++) {
        attest_entry entry;

        draw(&entry, seed, c, fails);
        if (attest_tally_add(&tally, &entry, NULL) != ATTEST_OK)
            abort();
        attest_entry_clear(&entry);
    }
    text = format(&tally);
    attest_tally_clear(&tally);
    return text;
}

/* Adds all chunks but one, in an order of their own, some of them twice. */
static void add_all(attest_gather *gather, uint64_t seed, uint64_t chunks, bool fails,
                    uint64_t without, uint64_t *state)
{
    uint64_t order[2 * MOST_CHUNKS];

    for (uint64_t i = 0; i < 2 * chunks; i++) {
        size_t other = pick(state, (size_t)i + 1);

        order[i] = order[other];
        order[other] = i % chunks;
    }
    for (uint64_t i = 0; i < 2 * chunks; i++) {
        attest_entry entry;

        draw(&entry, seed, order[i], fails);
        if (order[i] != without && attest_gather_add(gather, &entry, NULL) != ATTEST_OK)
            abort();
        attest_entry_clear(&entry);
    }
}

/* The same of what is gathered; *missing = 1 + the chunk that is said to miss, or 0. */
static char *gather(const attest_plan *plan, uint64_t seed, uint64_t chunks, bool fails,
                    uint64_t without, uint64_t *missing, uint64_t *state)
{
    attest_gather all;
    attest_tally tally;
    char *text;

    attest_tally_init(&tally, plan, 0);
    attest_gather_init(&all, &tally, NULL);
    add_all(&all, seed, chunks, fails, without, state);
    if (all.again) {
        attest_gather_restart(&all);
        add_all(&all, seed, chunks, fails, without, state);
    }
    *missing = 0;
    if (attest_gather_end(&all, missing))
        ++*missing;
    text = format(&tally);
    attest_gather_clear(&all);
    attest_tally_clear(&tally);
    return text;
}

TEST(gather)
{
    const attest_property *list[] = {toy_find("holds")};
    uint64_t state = tap_seed(0x6a74e5), missed = 0;
    size_t bad = 0, blamed = 0;

    for (int trial = 0; trial < 300; trial++) {
        attest_plan plan = toy_plan(list, 1);
        uint64_t seed = tap_random(&state), chunks = 0, missing;
        char *expected, *got;

        plan.keep_going = trial % 3 > 0;
        for (plan.trials = 1; chunks < 1 + (uint64_t)trial % MOST_CHUNKS; plan.trials++)
            chunks = attest_plan_chunks(&plan, 0);
        plan.trials--;
        expected = join(&plan, seed, chunks, trial % 2);
        got = gather(&plan, seed, chunks, trial % 2, UINT64_MAX, &missing, &state);
        bad += missing || strcmp(expected, got) != 0;
        free(got);
        if (trial % 3 > 0 || trial % 2 == 0) { /* nothing cuts it */
            missed++;
            free(gather(&plan, seed, chunks, trial % 2, seed % chunks, &missing, &state));
            blamed += missing == 1 + seed % chunks;
        }
        free(expected);
    }
    TAP_OK(bad == 0, "300 campaigns, gathered in any order: %zu are not what they were", bad);
    TAP_OK(blamed == missed, "%zu of %zu chunks that miss are named", blamed, (size_t)missed);
    return 0;
}
