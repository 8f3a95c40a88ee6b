/* gen_number.c -- generators of sizes and rationals. */
#include "campaign/gen.h"

size_t attest_gen_size(struct theft *t, size_t low, size_t high)
{
    return low + (size_t)theft_random_choice(t, high - low + 1);
}

bool attest_gen_rarely(struct theft *t, unsigned odds)
{
    return theft_random_choice(t, odds) == odds - 1;
}

long attest_gen_integer(struct theft *t, unsigned limit)
{
    long x = (long)theft_random_choice(t, (uint64_t)limit + 1);

    return theft_random_bits(t, 1) ? -x : x;
}

/* An integer of up to `bits` bits, any number of leading zeros alike. */
static void gen_long(fmpz_t x, struct theft *t, unsigned bits)
{
    unsigned length = (unsigned)theft_random_choice(t, bits + 1);

    fmpz_zero(x);
    for (unsigned done = 0; done < length;) {
        unsigned step = length - done < 32 ? length - done : 32;
        fmpz_mul_2exp(x, x, step);
        fmpz_add_ui(x, x, (ulong)theft_random_bits(t, (uint8_t)step));
        done += step;
    }
}

enum { PLAIN, FRACTION, LONG };

/* Which kind of rational: integers half of the time, long ones rarely. */
static unsigned gen_kind(struct theft *t)
{
    unsigned draw = (unsigned)theft_random_choice(t, 16);

    return draw < 8 ? PLAIN : draw < 15 ? FRACTION : LONG;
}

/* The absolute value, at least `least` (0 or 1) where it is an integer. */
static void gen_magnitude(fmpq_t x, struct theft *t, unsigned limit, unsigned least)
{
    unsigned kind = gen_kind(t);

    if (kind == LONG) {
        gen_long(fmpq_numref(x), t, 128);
        gen_long(fmpq_denref(x), t, 128);
        fmpz_add_ui(fmpq_numref(x), fmpq_numref(x), least);
        fmpz_add_ui(fmpq_denref(x), fmpq_denref(x), 1);
        fmpq_canonicalise(x);
        return;
    }
    ulong p = least + (ulong)theft_random_choice(t, limit - least + 1);
    ulong q = kind == FRACTION ? 1 + (ulong)theft_random_choice(t, limit) : 1;
    fmpq_set_si(x, (slong)p, q);
}

static void gen_sign(fmpq_t x, struct theft *t)
{
    if (theft_random_bits(t, 1))
        fmpq_neg(x, x);
}

void attest_gen_rational(fmpq_t x, struct theft *t, unsigned limit)
{
    gen_magnitude(x, t, limit, 0);
    gen_sign(x, t);
}

void attest_gen_nonzero(fmpq_t x, struct theft *t, unsigned limit)
{
    gen_magnitude(x, t, limit, 1);
    gen_sign(x, t);
}

void attest_gen_positive(fmpq_t x, struct theft *t, unsigned limit)
{
    gen_magnitude(x, t, limit, 1);
}

void attest_gen_scale(fmpq_t x, struct theft *t, unsigned decades)
{
    fmpq_one(x);
    if (decades == 0 || !attest_gen_rarely(t, 8))
        return;
    ulong power = (ulong)theft_random_choice(t, decades + 1);
    fmpz_ui_pow_ui(fmpq_numref(x), 10, power);
    if (theft_random_bits(t, 1))
        fmpq_inv(x, x);
}
