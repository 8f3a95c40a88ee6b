/* Scores that are generated within a range are within it, and often fill half of it; there are
 * one to six of them, numbers, and 0 is one. */
#include "campaign/gen.h"
#include "campaign/property.h"
#include "tests/props/quiet.h"
#include "tests/tap.h"

enum { RANGE = 40 };

typedef struct widths {
    size_t within, beyond, wide, full;
    size_t vectors, single, most, more, zeros;
} widths;

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    static const attest_gen_sequences kind = {
        .count_min = 1, .count_max = 3, .length_min = 1, .length_max = 12, .repeats = true};

    (void)setting;
    return attest_gen_scores(&instance->dataset, t, &kind, RANGE);
}

static void check(const attest_instance *instance, void *env)
{
    const attest_tokens *tokens = &instance->dataset.tokens;
    widths *w = env;
    fmpq_t low, high, x;

    w->vectors += tokens->dim != 1;
    w->single += tokens->count == 1 && instance->dataset.total >= 8;
    w->most += tokens->count == 6;
    w->more += tokens->count > 6;

    fmpq_init(low), fmpq_init(high), fmpq_init(x);
    for (size_t t = 0; t < tokens->count; t++) {
        attest_tokens_get_entry(x, tokens, t, 0);
        w->zeros += fmpq_is_zero(x);
        if (t == 0 || fmpq_cmp(x, low) < 0)
            fmpq_set(low, x);
        if (t == 0 || fmpq_cmp(x, high) > 0)
            fmpq_set(high, x);
    }
    fmpq_sub(high, high, low);
    w->within += fmpq_cmp_ui(high, RANGE) <= 0;
    w->beyond += fmpq_cmp_ui(high, RANGE) > 0;
    w->wide += fmpq_cmp_ui(high, RANGE / 2) > 0;
    w->full += fmpq_equal_ui(high, RANGE);
    fmpq_clear(low), fmpq_clear(high), fmpq_clear(x);
}

TEST(gen_scores)
{
    const attest_property property = {.name = "scores", .gen = gen};
    const attest_setting setting = {0};
    widths w = {0};
    bool ran = quiet_run(&property, &setting, check, &w, tap_seed(0x5c0e5), 6000);

    TAP_OK(ran && w.within > 0 && w.beyond == 0, "%zu within the range, %zu beyond it",
           w.within, w.beyond);
    TAP_OK(w.wide > 200, "%zu fill half of it", w.wide);
    TAP_OK(w.full > 0, "%zu fill it", w.full);
    TAP_OK(w.vectors == 0 && w.zeros > 200, "numbers, %zu of them 0", w.zeros);
    TAP_OK(w.single > 300 && w.most > 60 && w.more == 0,
           "one number in %zu longer ones, six in %zu", w.single, w.most);
    flint_cleanup();
    return 0;
}
