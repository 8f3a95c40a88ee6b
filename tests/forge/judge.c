/* judge.c -- whether a certificate is true. */
#include "tests/forge/claim.h"

/* The number of a place through all sequences; false when there is none. */
static bool locate(size_t *position, const attest_dataset *dataset, attest_place place)
{
    if (place.sequence >= dataset->count ||
        place.position >= attest_dataset_length(dataset, place.sequence))
        return false;
    *position = dataset->start[place.sequence] + place.position;
    return true;
}

static void get_ends(fmpq_t low, fmpq_t high, const forge_ball *ball)
{
    fmpq_t radius;

    fmpq_init(radius);
    arf_get_fmpq(low, ball->mid);
    arf_get_fmpq(radius, ball->rad);
    fmpq_add(high, low, radius);
    fmpq_sub(low, low, radius);
    fmpq_clear(radius);
}

/* Returns whether the remark beside the ball is wrong; a log2 is only written of a positive
 * one. */
static bool remark_is_wrong(const forge_ball *ball)
{
    return ball->remark == FORGE_REMARK_LOG2 || ball->remark == FORGE_REMARK_TEXT;
}

/* How the least separation of all required pairs compares with x; 1 if there is none. */
static int compare_least(const ref_truth *truth, const fmpq_t x)
{
    size_t n = truth->positions;
    int least = 1;

    for (size_t a = 0; a < n && least >= 0; a++)
        for (size_t b = a + 1; b < n && least >= 0; b++)
            if (truth->required[a * n + b]) {
                int order = ref_square_compare(ref_truth_separation(truth, a, b), x);
                least = order < least ? order : least;
            }
    return least;
}

/* How the largest norm compares with x. */
static int compare_largest(const ref_truth *truth, const fmpq_t x)
{
    int largest = -1;

    for (size_t p = 0; p < truth->positions && largest <= 0; p++) {
        int order = ref_square_compare(&truth->norm[p], x);
        largest = order > largest ? order : largest;
    }
    return largest;
}

static bool inside(const ref_square *square, const fmpq_t low, const fmpq_t high)
{
    return ref_square_compare(square, low) >= 0 && ref_square_compare(square, high) <= 0;
}

/* The enclosure of the least separation, and the pair in it. */
static bool separation_is_true(const forge_claim *claim, const attest_dataset *dataset,
                               const ref_truth *truth)
{
    size_t a = 0, b = 0;
    fmpq_t low, high;
    bool is;

    if (!claim->has_pair)
        return truth->required_pairs == 0;
    if (!locate(&a, dataset, claim->pair[0]) || !locate(&b, dataset, claim->pair[1]) ||
        !truth->required[a * truth->positions + b])
        return false;
    fmpq_init(low), fmpq_init(high);
    get_ends(low, high, &claim->separation);
    is = inside(ref_truth_separation(truth, a, b), low, high) && compare_least(truth, low) >= 0;
    fmpq_clear(low), fmpq_clear(high);
    return is;
}

/* The enclosure of the largest norm, and the place in it, which a certificate must name. */
static bool norm_is_true(const forge_claim *claim, const attest_dataset *dataset,
                         const ref_truth *truth)
{
    size_t at = 0;
    fmpq_t low, high;
    bool is;

    if (!claim->has_largest || !locate(&at, dataset, claim->largest))
        return false;
    fmpq_init(low), fmpq_init(high);
    get_ends(low, high, &claim->norm);
    is = compare_largest(truth, high) <= 0 && compare_largest(truth, low) >= 0 &&
         inside(&truth->norm[at], low, high);
    fmpq_clear(low), fmpq_clear(high);
    return is;
}

/* Returns whether the pair or the place that is named violates its bound. */
static bool names_a_violation(const forge_claim *claim, const attest_dataset *dataset,
                              const ref_truth *truth)
{
    size_t a = 0, b = 0;

    if (claim->has_pair && locate(&a, dataset, claim->pair[0]) &&
        locate(&b, dataset, claim->pair[1]) &&
        ref_square_compare(ref_truth_separation(truth, a, b), claim->delta) <= 0)
        return true;
    return claim->has_r && claim->has_largest && locate(&a, dataset, claim->largest) &&
           ref_square_compare(&truth->norm[a], claim->r) >= 0;
}

forge_judgement forge_claim_judge(const forge_claim *claim, const attest_dataset *dataset,
                                  const ref_truth *truth)
{
    bool holds;

    if (claim->wrong_hash || remark_is_wrong(&claim->norm) ||
        (claim->has_pair && remark_is_wrong(&claim->separation)) ||
        !separation_is_true(claim, dataset, truth) || !norm_is_true(claim, dataset, truth))
        return FORGE_FALSE;
    if (claim->verdict == ATTEST_UNDECIDED)
        return FORGE_OPEN;
    holds = compare_least(truth, claim->delta) > 0 &&
            (!claim->has_r || compare_largest(truth, claim->r) < 0);
    if (holds != (claim->verdict == ATTEST_PROVED))
        return FORGE_FALSE;
    if (claim->verdict == ATTEST_REFUTED && !names_a_violation(claim, dataset, truth))
        return FORGE_EITHER;
    if (claim->required_pairs >= 0 && (size_t)claim->required_pairs != truth->required_pairs)
        return FORGE_EITHER;
    return FORGE_TRUE;
}
