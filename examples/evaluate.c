/* evaluate.c -- one attention layer on one sequence, in balls and in doubles.
 *
 *     cc evaluate.c $(pkg-config --cflags --libs attest) -o evaluate && ./evaluate
 *
 * The layer is softmax attention with one head, d = 2, all four matrices the identity; the
 * sequence has the tokens (1, 0), (0, 1) and (1/3, -1/2). Each output is an enclosure: the
 * exact real number lies in it. */
#include <stdio.h>
#include <stdlib.h>

#include <attest/attest.h>

enum { DIM = 2, LENGTH = 3, BITS = 128 };

static void set_identity(attest_matrix *matrix)
{
    attest_matrix_resize(matrix, DIM, DIM); /* zeros over the denominator 1 */
    for (size_t i = 0; i < DIM; i++)
        fmpz_one(matrix->entry + i * DIM + i);
}

/* Token k is entry[k*dim ...] / denominator. */
static void set_tokens(attest_sequence *sequence)
{
    static const int sixths[LENGTH * DIM] = {6, 0, 0, 6, 2, -3};

    attest_sequence_resize(sequence, LENGTH, DIM);
    fmpz_set_si(sequence->denominator, 6);
    for (size_t i = 0; i < LENGTH * DIM; i++)
        fmpz_set_si(sequence->entry + i, sixths[i]);
}

static int show(arb_srcptr ball, const double *rounded)
{
    for (size_t i = 0; i < LENGTH * DIM; i++) {
        char *text = attest_ball_format_text(ball + i);

        if (!text)
            return 1;
        printf("token %zu, entry %zu: %s, in doubles %.17g\n", i / DIM, i % DIM, text,
               rounded[i]);
        free(text);
    }
    return 0;
}

int main(void)
{
    attest_weights weights;
    attest_sequence sequence;
    attest_error error;
    attest_status status;
    double rounded[LENGTH * DIM];
    arb_ptr ball = _arb_vec_init(LENGTH * DIM);

    attest_sequence_init(&sequence);
    set_tokens(&sequence);
    attest_weights_init(&weights); /* softmax, no mask, the token itself is added (skip) */
    status = attest_weights_resize(&weights, 1);
    if (status == ATTEST_OK) {
        weights.dim = DIM;
        set_identity(&weights.head[0].wq);
        set_identity(&weights.head[0].wk);
        set_identity(&weights.head[0].wv);
        set_identity(&weights.head[0].wo);
        status = attest_attention_ball(ball, &weights, &sequence, BITS, &error);
        if (status == ATTEST_OK)
            status = attest_attention_double(rounded, &weights, &sequence, &error);
        if (status != ATTEST_OK)
            fprintf(stderr, "evaluate: %s\n", error.text);
    }
    if (status == ATTEST_OK && show(ball, rounded))
        status = ATTEST_NOMEM;
    attest_weights_clear(&weights);
    attest_sequence_clear(&sequence);
    _arb_vec_clear(ball, LENGTH * DIM);
    flint_cleanup_master(); /* frees FLINT's caches, for leak checkers */
    return status != ATTEST_OK;
}
