/* The least universal pairs of Theorem 1, found by exhaustive search over small whole numbers.
 *
 * Tokens are t u on a line. A head's score of t for the query t' is c t t': only the sign of c
 * matters, and outputs are linear in the winners' average, so two positions agree for all
 * weights iff their averages agree for c = 1, -1 and 0. This program computes the averages from
 * the definition of hardmax for each of them, enumerates all sequences up to a length, and
 * searches for two positions with equal token and equal averages whose vocabularies differ. The
 * results are the table of proofs-notes/theorem1.md; that smaller lengths have no pair in any
 * dimension is proved there. Of the pairs of the least length, one of small numbers is printed.
 */
#include <string.h>

#include "tests/tap.h"

enum { MOST = 5, LOW = -3, HIGH = 6 };

typedef struct variant {
    bool leftmost, causal, zero, unequal, one_sequence, repeats;
    size_t least; /* the least length, from the note */
    const char *name;
} variant;

/* A position of a sequence: the token, the winners' averages for c = -1, 0, 1 as fractions
 * sum/count, and the set of tokens seen as bits. */
typedef struct context {
    int token;
    int sum[3], count[3];
    unsigned seen;
    int sequence[MOST];
    size_t length, position;
} context;

static context *all;
static size_t contexts, room;

static void add_context(const variant *v, const int *t, size_t length, size_t k)
{
    size_t keys = v->causal ? k + 1 : length;
    context *x;

    if (contexts == room) {
        room = room ? 2 * room : 1024;
        all = realloc(all, room * sizeof *all);
    }
    x = &all[contexts++];
    memset(x, 0, sizeof *x);
    x->token = t[k];
    x->length = length;
    x->position = k;
    memcpy(x->sequence, t, length * sizeof *t);
    for (size_t j = 0; j < keys; j++)
        x->seen |= 1u << (t[j] - LOW);
    for (int c = -1; c <= 1; c++) {
        int best = c * t[0] * t[k];

        for (size_t j = 1; j < keys; j++)
            best = c * t[j] * t[k] > best ? c * t[j] * t[k] : best;
        for (size_t j = 0; j < keys; j++) {
            if (c * t[j] * t[k] != best || (v->leftmost && x->count[c + 1] > 0))
                continue;
            x->sum[c + 1] += t[j];
            x->count[c + 1]++;
        }
    }
    /* Averages times 60 = lcm(1..5) are integers: one denominator for all. */
    for (int c = 0; c < 3; c++) {
        x->sum[c] *= 60 / x->count[c];
        x->count[c] = 1;
    }
}

static void add_sequences(const variant *v, size_t length)
{
    int t[MOST];

    for (size_t i = 0; i < length; i++)
        t[i] = LOW;
    for (;;) {
        bool usable = true;
        size_t i = 0;

        for (size_t a = 0; a < length; a++) {
            usable = usable && (v->zero || t[a] != 0);
            for (size_t b = 0; b < a; b++)
                usable = usable && (v->repeats || t[a] != t[b]);
        }
        for (size_t k = 0; k < length && usable; k++)
            add_context(v, t, length, k);
        while (i < length && t[i] == HIGH)
            t[i++] = LOW;
        if (i == length)
            return;
        t[i]++;
    }
}

static int compare_contexts(const void *left, const void *right)
{
    const context *a = left, *b = right;
    int order = (a->token > b->token) - (a->token < b->token);

    for (int c = 0; c < 3 && order == 0; c++)
        order = (a->sum[c] > b->sum[c]) - (a->sum[c] < b->sum[c]);
    return order;
}

static void print_context(const context *x)
{
    printf("(");
    for (size_t i = 0; i < x->length; i++)
        printf("%s%d", i ? ", " : "", x->sequence[i]);
    printf(") at %zu", x->position);
}

/* Less for contexts of small numbers, which are preferred; a negative number weighs 20 and 20
 * times its size. */
static int weight(const context *x)
{
    int sum = 0;

    for (size_t i = 0; i < x->length; i++)
        sum += x->sequence[i] < 0 ? 20 - 20 * x->sequence[i] : x->sequence[i];
    return sum;
}

/* Sets pair and *best to the pair of least weight, below *best, with different vocabularies
 * among the contexts from .. to - 1, whose tokens and averages are equal; false if there is
 * none. */
static bool find_pair(const variant *v, const context *from, const context *to, int *best,
                      const context *pair[2])
{
    bool any = false;

    for (const context *a = from; a < to; a++) {
        for (const context *b = a + 1; b < to; b++) {
            bool same = a->length == b->length &&
                        memcmp(a->sequence, b->sequence, sizeof a->sequence) == 0;

            if (a->seen == b->seen || same != v->one_sequence || weight(a) + weight(b) >= *best)
                continue;
            *best = weight(a) + weight(b);
            pair[0] = a;
            pair[1] = b;
            any = true;
        }
    }
    return any;
}

static bool search(const variant *v, size_t n, const context *pair[2])
{
    int best = 1 << 20;
    bool found = false;

    contexts = 0;
    for (size_t length = v->unequal ? 1 : n; length <= n; length++)
        add_sequences(v, length);
    qsort(all, contexts, sizeof *all, compare_contexts);
    for (size_t from = 0, to; from < contexts; from = to) {
        for (to = from + 1; to < contexts && compare_contexts(&all[from], &all[to]) == 0;)
            to++;
        found = find_pair(v, all + from, all + to, &best, pair) || found;
    }
    return found;
}

static void check_variant(const variant *v)
{
    const context *pair[2];
    size_t least = 0;

    for (size_t n = 1; n <= v->least && least == 0; n++)
        least = search(v, n, pair) ? n : 0;
    TAP_OK(least == v->least, "%s: least length %zu", v->name, v->least);
    if (least) {
        printf("# ");
        print_context(pair[0]);
        printf(" and ");
        print_context(pair[1]);
        printf("\n");
    }
}

TEST(theorem1_variants)
{
    static const variant variants[] = {
        {.repeats = true, .least = 4, .name = "uniform"},
        {.least = 4, .name = "uniform, no repetition"},
        {.repeats = true, .unequal = true, .least = 3, .name = "uniform, unequal lengths"},
        {.zero = true, .repeats = true, .least = 3, .name = "uniform, zero token"},
        {.leftmost = true, .repeats = true, .least = 3, .name = "leftmost"},
        {.leftmost = true,
         .repeats = true,
         .unequal = true,
         .least = 3,
         .name = "leftmost, unequal lengths"},
        {.leftmost = true,
         .zero = true,
         .repeats = true,
         .least = 2,
         .name = "leftmost, zero token"},
        {.causal = true, .repeats = true, .least = 3, .name = "uniform, causal"},
        {.causal = true, .least = 3, .name = "uniform, causal, no repetition"},
        {.causal = true,
         .zero = true,
         .repeats = true,
         .least = 3,
         .name = "uniform, causal, zero token"},
        {.causal = true,
         .leftmost = true,
         .repeats = true,
         .least = 3,
         .name = "leftmost, causal"},
        {.causal = true,
         .leftmost = true,
         .zero = true,
         .repeats = true,
         .least = 3,
         .name = "leftmost, causal, zero token"},
        {.causal = true,
         .repeats = true,
         .one_sequence = true,
         .least = 5,
         .name = "uniform, causal, one sequence"},
        {.causal = true,
         .zero = true,
         .repeats = true,
         .one_sequence = true,
         .least = 4,
         .name = "uniform, causal, one sequence, zero token"},
        {.causal = true,
         .leftmost = true,
         .repeats = true,
         .one_sequence = true,
         .least = 4,
         .name = "leftmost, causal, one sequence"},
        {.causal = true,
         .leftmost = true,
         .zero = true,
         .repeats = true,
         .one_sequence = true,
         .least = 3,
         .name = "leftmost, causal, one sequence, zero token"},
    };

    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        check_variant(&variants[i]);
    free(all);
    return 0;
}
