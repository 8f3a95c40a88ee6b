#include "search.h"

#define LONGEST_BLOCK 4

void theft_search_add(struct theft_choice *c, uint64_t by)
{
    if (by >> 63) { /* a negative step */
        uint64_t down = -by;
        c->value = c->value > down ? c->value - down : 0;
    } else {
        c->value = by < c->max - c->value ? c->value + by : c->max;
    }
}

static uint64_t below(struct theft_prng *g, uint64_t n)
{
    return theft_prng_below(g, n);
}

static uint64_t any_value(struct theft_prng *g, uint64_t max)
{
    return max == UINT64_MAX ? theft_prng_bits(g, 64) : below(g, max + 1);
}

/* Another choice with the same range as `i`, or `i` itself when none was drawn. */
static size_t alike(struct theft_prng *g, const struct theft_choices *c, size_t i)
{
    for (int tries = 0; tries < 4; tries++) {
        size_t j = (size_t)below(g, c->count);
        if (c->at[j].max == c->at[i].max)
            return j;
    }
    return i;
}

/* A step of plus or minus a power of two; all sizes are alike. */
static void add_power(struct theft_prng *g, struct theft_choices *c, size_t i,
                      struct theft_search_step *made)
{
    uint64_t by = UINT64_C(1) << below(g, theft_choice_width(c->at[i].max));
    if (theft_prng_bits(g, 1))
        by = -by;
    theft_search_add(&c->at[i], by);
    made->at = i;
    made->by = by;
}

static void move_weight(struct theft_prng *g, struct theft_choices *c, size_t i)
{
    size_t j = alike(g, c, i);
    uint64_t by = UINT64_C(1) << below(g, theft_choice_width(c->at[i].max));
    if (i == j || c->at[i].value < by || c->at[j].max - c->at[j].value < by)
        return;
    c->at[i].value -= by;
    c->at[j].value += by;
}

static void exchange(struct theft_prng *g, struct theft_choices *c, size_t i)
{
    size_t j = alike(g, c, i);
    uint64_t v = c->at[i].value;
    c->at[i].value = c->at[j].value;
    c->at[j].value = v;
}

/* Deletes a block, or doubles it, within an argument. */
static void resize(struct theft_prng *g, struct theft_input *in, unsigned arity, size_t i)
{
    size_t size = 1 + (size_t)below(g, LONGEST_BLOCK);
    unsigned arg = 0;
    while (arg + 1 < arity && i >= in->start[arg + 1])
        arg++;
    if (i + size > in->start[arg + 1])
        return;
    if (theft_prng_bits(g, 1)) {
        theft_choices_delete(&in->choices, i, size);
        for (unsigned k = arg + 1; k <= arity; k++)
            in->start[k] -= size;
        return;
    }
    if (!theft_choices_reserve(&in->choices, in->choices.count + size))
        return;
    memmove(in->choices.at + i + size, in->choices.at + i,
            (in->choices.count - i) * sizeof *in->choices.at);
    in->choices.count += size;
    for (unsigned k = arg + 1; k <= arity; k++)
        in->start[k] += size;
}

static void move_once(struct theft_prng *g, struct theft_input *in, unsigned arity,
                      struct theft_search_step *made)
{
    struct theft_choices *c = &in->choices;
    if (c->count == 0)
        return;
    size_t i = (size_t)below(g, c->count);
    switch (below(g, 16)) {
    case 0:
        resize(g, in, arity, i);
        break;
    case 1:
        exchange(g, c, i);
        break;
    case 2:
        c->at[i].value = c->at[alike(g, c, i)].value;
        break;
    case 3:
        move_weight(g, c, i);
        break;
    case 4:
        c->at[i].value = theft_prng_bits(g, 1) ? c->at[i].max : 0;
        break;
    case 5:
    case 6:
    case 7:
    case 8:
        c->at[i].value = any_value(g, c->at[i].max);
        break;
    case 9:
    case 10:
        c->at[i].value ^= UINT64_C(1) << below(g, theft_choice_width(c->at[i].max));
        if (c->at[i].value > c->at[i].max)
            c->at[i].value = c->at[i].max;
        break;
    default:
        add_power(g, c, i, made);
    }
}

/* One change mostly, now and then several. */
void theft_search_move(struct theft_prng *g, struct theft_input *in, unsigned arity,
                       struct theft_search_step *made)
{
    unsigned moves = below(g, 4) ? 1 : 2 + (unsigned)below(g, 3);
    made->by = 0;
    for (unsigned k = 0; k < moves; k++)
        move_once(g, in, arity, made);
    if (moves > 1)
        made->by = 0;
}
