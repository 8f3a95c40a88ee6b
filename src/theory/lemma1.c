/* lemma1.c -- the bound and the hypotheses of Lemma 1 (proofs-notes/lemma1.md). */
#include <stdint.h>

#include "theory/lemma1.h"

#include "number/depth.h"
#include "theory/family.h"

void attest_lemma1_bound(arb_t value, arb_t log2, size_t n, const arb_t r, long bits)
{
    arb_t log_n, ln2, twice;

    arb_init(log_n);
    arb_init(ln2);
    arb_init(twice);
    arb_log_ui(log_n, n, bits);
    arb_const_log2(ln2, bits);
    arb_mul_2exp_si(twice, r, 1);
    attest_depth_exp(value, twice, bits);
    arb_mul(value, value, log_n, bits);
    arb_mul(value, value, log_n, bits);
    if (n == 1) {
        arb_indeterminate(log2);
    } else {
        arb_log(log_n, log_n, bits);
        arb_mul_2exp_si(log_n, log_n, 1);
        arb_sub(log_n, log_n, twice, ARF_PREC_EXACT);
        arb_div(log2, log_n, ln2, bits);
    }
    arb_clear(log_n);
    arb_clear(ln2);
    arb_clear(twice);
}

bool attest_lemma1_check_gap(const fmpq_t gap, size_t n)
{
    arb_t need, have;
    bool above = false, decided = false;

    if (n == 1)
        return fmpq_cmp_si(gap, 3) > 0;
    arb_init(need);
    arb_init(have);
    for (long bits = 64; !decided; bits *= 2) {
        arb_log_ui(need, n, bits);
        arb_mul_2exp_si(need, need, 1);
        arb_add_ui(need, need, 3, bits);
        arb_set_fmpq(have, gap, bits);
        above = arb_gt(have, need);
        decided = above || arb_lt(have, need);
    }
    arb_clear(need);
    arb_clear(have);
    return above;
}

const char *attest_lemma1_hypothesis_name(attest_lemma1_hypothesis hypothesis)
{
    static const char *const names[] = {"", "equal-length", "no-duplicates", "radius", "gap"};

    return names[hypothesis];
}

/* The first vector that has an entry with |entry| >= r, or SIZE_MAX. */
static size_t find_outside(const attest_family *family, const fmpq_t r)
{
    size_t found = SIZE_MAX;
    fmpz_t limit, entry;

    fmpz_init(limit);
    fmpz_init(entry);
    fmpz_mul(limit, fmpq_numref(r), family->denominator);
    for (size_t i = 0; i < family->count && found == SIZE_MAX; i++) {
        for (size_t s = family->start[i]; s < family->start[i + 1]; s++) {
            fmpz_mul(entry, family->numerator + s, fmpq_denref(r));
            if (fmpz_cmpabs(entry, limit) >= 0 || fmpz_sgn(limit) < 0)
                found = i;
        }
    }
    fmpz_clear(limit);
    fmpz_clear(entry);
    return found;
}

static void check_sorted(attest_lemma1_hypothesis *fails, size_t *where,
                         const attest_sorted_family *sorted, const fmpq_t r)
{
    const attest_family *family = sorted->family;
    size_t n = attest_family_length(family, 0);
    fmpq_t gap;

    *fails = ATTEST_LEMMA1_HOLDS;
    *where = SIZE_MAX;
    for (size_t i = 1; i < family->count; i++) {
        if (attest_family_length(family, i) != n) {
            *fails = ATTEST_LEMMA1_EQUAL_LENGTH;
            *where = i;
            return;
        }
    }
    if (sorted->repeats != SIZE_MAX) {
        *fails = ATTEST_LEMMA1_NO_DUPLICATES;
        *where = sorted->repeats;
        return;
    }
    *where = find_outside(family, r);
    if (*where != SIZE_MAX) {
        *fails = ATTEST_LEMMA1_RADIUS;
        return;
    }
    fmpq_init(gap);
    fmpq_set_fmpz_frac(gap, sorted->gap, family->denominator);
    if (sorted->has_gap && !attest_lemma1_check_gap(gap, n)) {
        *fails = ATTEST_LEMMA1_GAP;
        *where = sorted->close[0];
    }
    fmpq_clear(gap);
}

attest_status attest_lemma1_check(attest_lemma1_hypothesis *fails, size_t *where,
                                  const attest_family *family, const fmpq_t r,
                                  attest_error *error)
{
    attest_sorted_family sorted;
    attest_status status = attest_sorted_family_init(&sorted, family, error);

    if (status == ATTEST_OK)
        check_sorted(fails, where, &sorted, r);
    attest_sorted_family_clear(&sorted);
    return status;
}
