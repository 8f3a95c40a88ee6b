/* recheck.h -- the second route by which certificates are verified.
 *
 * It shares no code with certify, attention, geometry and theory: outputs are evaluated
 * position by position from the definition, by products of integer matrices and balls; classes
 * come from sorting positions by their vocabularies; near pairs come from a grid of cells; and
 * comparisons that balls leave open are decided by sorted sums of exponentials (exp_sum.h). It
 * is simpler than certify, on purpose. */
#ifndef ATTEST_RECHECK_RECHECK_H
#define ATTEST_RECHECK_RECHECK_H

#include <attest/certificate.h>
#include <attest/certify.h>
#include <attest/dataset.h>
#include <attest/weights.h>

/* Transposed weight matrices, as integers over one denominator each. */
typedef struct attest_recheck_matrix {
    fmpz_mat_t entry;
    fmpz_t denominator;
} attest_recheck_matrix;

typedef struct attest_recheck_head {
    attest_recheck_matrix wq, wk, wv, wo;
    fmpz_t key_query, value; /* the denominators of W_K^T W_Q and of W_O W_V */
} attest_recheck_head;

/* One sequence under all heads: row j belongs to its position j. */
typedef struct attest_recheck_loaded {
    size_t sequence; /* SIZE_MAX: none */
    fmpz_mat_t token;
    fmpz_t denominator;              /* of token */
    fmpz_mat_t *key, *query, *value; /* by head: tokens under W_K, W_Q and W_O W_V */
} attest_recheck_loaded;

/* A layer and data. */
typedef struct attest_recheck {
    const attest_dataset *dataset;
    const attest_weights *weights;
    size_t dim, positions, heads;
    uint32_t *group; /* by position: equal iff vocabulary and token are */
    arb_ptr *value;  /* by position: dim balls at bits[position], or NULL */
    long *bits;
    attest_recheck_head *head;
    attest_recheck_loaded loaded[2]; /* the two sequences that were used last */
    int older;                       /* the one that is replaced next */
    double *output;                  /* positions * dim: outputs divided by 2^exponent, */
    double *error;                   /* by position: the Euclidean error of these doubles */
    slong exponent;
    size_t max_terms;         /* of a sum of exponentials; init: ATTEST_CERTIFY_MAX_TERMS */
    bool met_terms;           /* these did not suffice for some comparison */
    double work_left;         /* operations on bits; init: no limit */
    bool met_work;            /* these did not suffice for some comparison */
    attest_progress progress; /* init: none */
    size_t jobs; /* processes that evaluate in doubles and find near pairs; init: 0, one */
    size_t double_jobs; /* those that evaluated in doubles; more than one: output is shared
                           memory */
} attest_recheck;

/* Status: NOMEM. */
attest_status attest_recheck_init(attest_recheck *check, const attest_dataset *dataset,
                                  const attest_weights *weights,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_recheck_clear(attest_recheck *check);

/* The sequence of a position counted through all sequences. */
size_t attest_recheck_sequence(const attest_recheck *check, size_t position);

/* How many tokens of its sequence a position sees. */
size_t attest_recheck_seen(const attest_recheck *check, size_t position);

/* Loads the sequence of the position; *at = the position in it. Valid until two others are
 * loaded. */
const attest_recheck_loaded *attest_recheck_load(attest_recheck *check, size_t position,
                                                 size_t *at);

/* numerator = the score of key j for query k in head h, over denominator. */
void attest_recheck_score(fmpz_t numerator, const attest_recheck *check,
                          const attest_recheck_loaded *loaded, size_t h, size_t j, size_t k);
void attest_recheck_score_denominator(fmpz_t denominator, const attest_recheck *check,
                                      const attest_recheck_loaded *loaded, size_t h);
void attest_recheck_value_denominator(fmpz_t denominator, const attest_recheck *check,
                                      const attest_recheck_loaded *loaded, size_t h);

/* out = the exact output at a position. Domain: hardmax. */
void attest_recheck_exact(fmpq *out, attest_recheck *check, size_t position);

/* out = the output at a position in balls of about this precision. */
void attest_recheck_enclose(arb_ptr out, attest_recheck *check, size_t position, long bits);

/* Returns the balls of attest_recheck_enclose, which are stored until more bits are needed. */
arb_srcptr attest_recheck_ball(attest_recheck *check, size_t position, long bits);

/* Charges the work of the output at a position, exact or in balls of this precision. Returns
 * false and sets met_work if the remaining work does not suffice. */
bool attest_recheck_afford(attest_recheck *check, size_t position, long bits);

/* Compares |F_a - F_b|, or |F_a| for b = a, with x >= 0: -1, 0, 1, or 2 if a limit on bits,
 * terms or work is met. Exact for hardmax; softmax is compared in balls and, if these
 * overlap, by attest_recheck_order. */
int attest_recheck_compare(attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                           long max_bits);

/* Like attest_recheck_compare, for a dyadic x >= 0 with an exponent of any size; numbers with
 * large exponents are never expanded. */
int attest_recheck_compare_end(attest_recheck *check, size_t a, size_t b, const arf_t x,
                               long max_bits);

/* Like attest_recheck_compare, by leading exponents: decides at any magnitude, equality
 * included. Domain: softmax. */
int attest_recheck_order(attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                         long max_bits);

/* Encloses the square of |F_a - F_b|, or of |F_a| for b = a, with a relative accuracy of
 * about bits at any magnitude; exactly 0 if it is 0. False if a limit is met. Domain:
 * softmax. */
bool attest_recheck_square(arb_t square, attest_recheck *check, size_t a, size_t b, long bits,
                           long max_bits);

/* Evaluates all outputs in doubles with bounds, which the functions below need. Status:
 * UNABLE (the remaining work does not suffice), NOMEM, IO (a worker died). */
attest_status attest_recheck_make_doubles(attest_recheck *check,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* Part of clear. */
void attest_recheck_clear_doubles(attest_recheck *check);

/* x / 2^exponent as a double that is not smaller (or, for a negative sign, not larger). */
double attest_recheck_scale(const attest_recheck *check, const arf_t x, int sign);

/* False if the doubles prove |F_a| < x 2^exponent; x is rounded down. */
bool attest_recheck_may_reach(const attest_recheck *check, size_t a, double x);

/* Calls visit for every required pair whose distance may be at most reach (>= 0), until it
 * returns false, in an order that does not depend on the number of processes. Status: NOMEM,
 * IO.
 */
attest_status attest_recheck_visit_near(attest_recheck *check, const arf_t reach,
                                        bool (*visit)(void *state, size_t a, size_t b),
                                        void *state, attest_error *error) ATTEST_WARN_UNUSED;

/* Opens dataset and weights under their paths or in the directory (which may be NULL),
 * compares their sizes and hashes with the certificate, parses these same bytes, and matches
 * data and weights (pairing.h). *holds = false, with an error's text, if they are not the
 * certified files. Status: FORMAT (also for files that are not regular, and for dimensions that
 * do not match), IO, UNABLE, NOMEM, USAGE. */
attest_status attest_check_read(attest_dataset *dataset, attest_weights *weights, bool *holds,
                                const attest_certificate *certificate, const char *directory,
                                attest_budget *budget, attest_error *error) ATTEST_WARN_UNUSED;

/* Pairs of near points by products of small integers. Points are rounded to integers of at most
 * 14 bits, so that all products and sums are exact in 32 bits, and a pair is excluded only if
 * its integer distance exceeds a limit that covers the rounding (proofs-notes/certify.md, "The
 * product"). */
enum { ATTEST_RECHECK_ROWS = 8, ATTEST_RECHECK_COLUMNS = 16 };

typedef struct attest_recheck_product attest_recheck_product;

/* Adds to sum the products of the pairs of entries from .. to - 1, for ROWS rows and a
 * block, and sets near from sum and the norms of the stage. */
typedef void attest_recheck_find(uint32_t near[ATTEST_RECHECK_ROWS],
                                 const attest_recheck_product *product, size_t row,
                                 size_t block, size_t from, size_t to, int stage,
                                 int32_t sum[ATTEST_RECHECK_ROWS][ATTEST_RECHECK_COLUMNS]);

struct attest_recheck_product {
    size_t count;     /* of points, padded to a multiple of COLUMNS by points at 0 */
    size_t pairs;     /* of entries: (dim + 1) / 2 */
    size_t first;     /* pairs of the first stage */
    double scale;     /* the factor of the entries */
    double rounding;  /* the Euclidean norm of one point's rounding, in units of the scale */
    int16_t *row;     /* count * pairs * 2 */
    int16_t *column;  /* by block of COLUMNS points: pairs * COLUMNS * 2 */
    int32_t *norm[2]; /* count: of the first stage, of all */
    int32_t limit;    /* the largest integer distance squared that is near */
    attest_recheck_find *find; /* init: the fastest implementation */
};

/* The implementations that this machine can run, the fastest first; NULL after the last. All
 * find the same pairs. */
attest_recheck_find *attest_recheck_product_way(size_t i);

/* Rounds points x[order[i] * stride], |entries| <= 1. False if memory is exhausted, with
 * nothing to clear. */
bool attest_recheck_product_init(attest_recheck_product *product, const double *x,
                                 const uint32_t *order, size_t count, size_t dim);
void attest_recheck_product_clear(attest_recheck_product *product);

/* Points at a distance of up to reach become near, even if the reach is off by a rounding.
 * False if all points are near. */
bool attest_recheck_product_set_limit(attest_recheck_product *product, double reach);

/* near[r] = a bit for each of the COLUMNS points of the block that is near point row + r,
 * r < ROWS. Rows beyond count have no bits. */
void attest_recheck_product_find(uint32_t near[ATTEST_RECHECK_ROWS],
                                 const attest_recheck_product *product, size_t row,
                                 size_t block);

#endif
