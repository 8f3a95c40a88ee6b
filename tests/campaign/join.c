/* Chunks that are joined in any order give the same result as in theirs. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/join.h"
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

/* At one trial a worker may die while it decides, and then again while it shrinks, each time
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

/* Draws the record of the chunk with this number, a function of the seed. */
static void draw(attest_campaign_record *record, uint64_t seed, uint64_t number, bool fails)
{
    uint64_t state = seed + number * 977;
    attest_chunk_result *r = &record->result;
    size_t first = pick(&state, NAMES);

    attest_campaign_record_init(record);
    record->number = number;
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

static char *format(const attest_join *join)
{
    attest_campaign_record record = {.number = join->next + join->ended,
                                     .result = join->result};

    return attest_campaign_record_format(&record);
}

/* Returns the text of the result of all chunks, joined in order. */
static char *join_in_order(const attest_plan *plan, uint64_t seed, uint64_t chunks, bool fails)
{
    attest_join join;
    char *text;

    attest_join_init(&join, plan, 0);
    for (uint64_t c = 0; c < chunks; c++) {
        attest_campaign_record record;

        draw(&record, seed, c, fails);
        if (attest_join_add(&join, &record, NULL) != ATTEST_OK)
            abort();
        attest_campaign_record_clear(&record);
    }
    text = format(&join);
    attest_join_clear(&join);
    return text;
}

/* Adds all chunks but one in a random order, some of them twice. */
static void add_all(attest_join *join, uint64_t seed, uint64_t chunks, bool fails,
                    uint64_t without, uint64_t *state)
{
    uint64_t order[2 * MOST_CHUNKS];

    for (uint64_t i = 0; i < 2 * chunks; i++) {
        size_t other = pick(state, (size_t)i + 1);

        order[i] = order[other];
        order[other] = i % chunks;
    }
    for (uint64_t i = 0; i < 2 * chunks; i++) {
        attest_campaign_record record;

        draw(&record, seed, order[i], fails);
        if (order[i] != without && attest_join_add(join, &record, NULL) != ATTEST_OK)
            abort();
        attest_campaign_record_clear(&record);
    }
}

/* The same in any order; *missing = 1 + the chunk that is reported missing, or 0. */
static char *join_in_any_order(const attest_plan *plan, uint64_t seed, uint64_t chunks,
                               bool fails, uint64_t without, uint64_t *missing, uint64_t *state)
{
    attest_join join;
    char *text;

    attest_join_init_any_order(&join, plan, 0, NULL);
    add_all(&join, seed, chunks, fails, without, state);
    if (join.again) {
        attest_join_restart(&join);
        add_all(&join, seed, chunks, fails, without, state);
    }
    *missing = 0;
    if (attest_join_end(&join, missing))
        ++*missing;
    else
        *missing = 0;
    text = format(&join);
    attest_join_clear(&join);
    return text;
}

TEST(join)
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
        expected = join_in_order(&plan, seed, chunks, trial % 2);
        got = join_in_any_order(&plan, seed, chunks, trial % 2, UINT64_MAX, &missing, &state);
        bad += missing || strcmp(expected, got) != 0;
        free(got);
        if (trial % 3 > 0 || trial % 2 == 0) { /* no violation ends it */
            missed++;
            free(join_in_any_order(&plan, seed, chunks, trial % 2, seed % chunks, &missing,
                                   &state));
            blamed += missing == 1 + seed % chunks;
        }
        free(expected);
    }
    TAP_OK(bad == 0, "300 campaigns, joined in any order: %zu differ", bad);
    TAP_OK(blamed == missed, "%zu of %zu missing chunks are named", blamed, (size_t)missed);
    return 0;
}
