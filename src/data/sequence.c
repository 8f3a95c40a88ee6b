/* sequence.c -- one sequence of tokens as integers over a common denominator. */
#include <attest/sequence.h>

#include <string.h>

void attest_sequence_init(attest_sequence *sequence)
{
    memset(sequence, 0, sizeof *sequence);
    fmpz_init_set_ui(sequence->denominator, 1);
}

static void clear_entries(attest_sequence *sequence)
{
    if (sequence->entry)
        _fmpz_vec_clear(sequence->entry, (slong)(sequence->length * sequence->dim));
    sequence->entry = NULL;
}

void attest_sequence_clear(attest_sequence *sequence)
{
    clear_entries(sequence);
    fmpz_clear(sequence->denominator);
    memset(sequence, 0, sizeof *sequence);
}

void attest_sequence_resize(attest_sequence *sequence, size_t length, size_t dim)
{
    clear_entries(sequence);
    sequence->length = length;
    sequence->dim = dim;
    sequence->entry = _fmpz_vec_init((slong)(length * dim));
    fmpz_one(sequence->denominator);
}
