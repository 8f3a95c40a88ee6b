/* Guided search: changes of good inputs that look for better ones. */
#include "internal.h"

/* A step that can be repeated: choice `at` plus `by` (modulo 2^64). */
struct theft_search_step {
    size_t at;
    uint64_t by; /* 0: none */
};

/* A round accepts worse inputs never, or with decreasing probability. */
enum theft_search_mode {
    THEFT_SEARCH_CLIMB,
    THEFT_SEARCH_ANNEAL,
};

struct theft_search {
    struct theft_input current, best, next; /* choices only */
    double current_value, best_value;
    bool has_current, has_best;

    enum theft_search_mode mode;
    size_t round;       /* rounds so far */
    size_t steps;       /* in this round */
    size_t stale;       /* since the last improvement in this round */
    double temperature; /* of an annealing round */
    double spread;      /* mean distance between values seen, a scale for temperatures */
    double last_value;
    size_t seen;

    struct theft_search_step made;  /* by the last proposal */
    struct theft_search_step again; /* by the last improvement, doubled */
};

/* ---- Changes of a choice sequence -------------------------------------------------------- */

#define LONGEST_BLOCK 4

/* Adds `by` to a choice, stopping at the ends of its range. */
static void add_to_choice(struct theft_choice *c, uint64_t by)
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

/* Returns another choice with the same range as `i`, or `i` if none was drawn. */
static size_t alike(struct theft_prng *g, const struct theft_choices *c, size_t i)
{
    for (int tries = 0; tries < 4; tries++) {
        size_t j = (size_t)below(g, c->count);
        if (c->at[j].max == c->at[i].max)
            return j;
    }
    return i;
}

/* A step of plus or minus a power of two; all sizes are equally likely. */
static void add_power(struct theft_prng *g, struct theft_choices *c, size_t i,
                      struct theft_search_step *made)
{
    uint64_t by = UINT64_C(1) << below(g, theft_choice_width(c->at[i].max));
    if (theft_prng_bits(g, 1))
        by = -by;
    add_to_choice(&c->at[i], by);
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

/* Changes the choices of `in` at random, mostly one of them; sets *made to a step that can be
 * repeated. */
static void move(struct theft_prng *g, struct theft_input *in, unsigned arity,
                 struct theft_search_step *made)
{
    unsigned moves = below(g, 4) ? 1 : 2 + (unsigned)below(g, 3);
    made->by = 0;
    for (unsigned k = 0; k < moves; k++)
        move_once(g, in, arity, made);
    if (moves > 1)
        made->by = 0;
}

/* ---- The search -------------------------------------------------------------------------- */

#define PATIENCE 400 /* steps without improvement that end a round, at least */
#define PATIENCE_PER_CHOICE 100
#define COOLING 0.995 /* per step */
#define KICKS 3       /* changes to the best input at the start of a round */

struct theft_search *theft_search_new(void)
{
    return calloc(1, sizeof(struct theft_search));
}

void theft_search_free(struct theft_search *s)
{
    if (!s)
        return;
    theft_choices_clear(&s->current.choices);
    theft_choices_clear(&s->best.choices);
    theft_choices_clear(&s->next.choices);
    free(s);
}

static bool copy(struct theft_input *to, const struct theft_input *from)
{
    memcpy(to->start, from->start, sizeof to->start);
    return theft_choices_set(&to->choices, from->choices.at, from->choices.count);
}

static size_t patience(const struct theft_search *s)
{
    return PATIENCE + PATIENCE_PER_CHOICE * s->current.choices.count;
}

/* Starts the next round. Returns false if it must start at a random input. */
static bool start_round(struct theft_search *s, struct theft_prng *g, unsigned arity)
{
    size_t round = s->round++;
    s->steps = s->stale = 0;
    s->again.by = 0;
    s->mode = round % 2 ? THEFT_SEARCH_ANNEAL : THEFT_SEARCH_CLIMB;
    s->temperature = s->spread;
    s->has_current = false;
    if (!s->has_best || round % 4 >= 2)
        return false;
    if (!copy(&s->current, &s->best))
        return false;
    s->current_value = s->best_value;
    s->has_current = true;
    for (int i = 0; round > 0 && i < KICKS; i++) {
        move(g, &s->current, arity, &s->made);
        s->current_value = -INFINITY; /* unknown: any value is better */
    }
    return true;
}

bool theft_search_propose(struct theft *t, struct theft_slot *slot, enum theft_alloc_res *res)
{
    struct theft_search *s = t->search;
    struct theft_prng g;
    theft_prng_init(&g, slot->seed, THEFT_STREAM_SEARCH);
    bool round_over = s->round == 0 || s->stale > patience(s);
    if ((round_over && !start_round(s, &g, t->arity)) || !s->has_current ||
        !copy(&s->next, &s->current))
        return false;
    if (s->again.by && s->again.at < s->next.choices.count) {
        add_to_choice(&s->next.choices.at[s->again.at], s->again.by);
        s->made = s->again;
    } else {
        move(&g, &s->next, t->arity, &s->made);
    }
    s->again.by = 0;
    slot->step_at = s->made.at;
    slot->step_by = s->made.by;
    *res = theft_input_replay(t, &slot->input, &s->next, slot->seed);
    return true;
}

static void adopt(struct theft_search *s, const struct theft_slot *slot, double value)
{
    if (copy(&s->current, &slot->input)) {
        s->current_value = value;
        s->has_current = true;
    }
}

/* Returns whether the round accepts an input of `value`. */
static bool accepts(struct theft_search *s, double value, theft_seed seed)
{
    if (!s->has_current || value >= s->current_value)
        return true;
    if (s->mode == THEFT_SEARCH_CLIMB || !(s->temperature > 0))
        return false;
    struct theft_prng g;
    theft_prng_init(&g, ~seed, THEFT_STREAM_SEARCH);
    double luck = (double)theft_prng_bits(&g, 53) * 0x1p-53;
    return luck < exp((value - s->current_value) / s->temperature);
}

/* Updates the mean distance between successive values of random trials. */
static void note_spread(struct theft_search *s, double value)
{
    double d = fabs(value - s->last_value);
    if (s->seen++ && d < (double)INFINITY)
        s->spread += (d - s->spread) / (double)s->seen;
    s->last_value = value;
}

void theft_search_observe(struct theft *t, const struct theft_slot *slot)
{
    struct theft_search *s = t->search;
    double value = slot->outcome.target;
    s->steps++;
    s->stale++;
    s->temperature *= COOLING;
    if (!slot->outcome.has_target)
        return;
    if (!s->has_best || value > s->best_value) {
        if (copy(&s->best, &slot->input)) {
            s->best_value = value;
            s->has_best = true;
        }
    }
    if (s->round == 0) {
        note_spread(s, value);
        return;
    }
    bool better = !s->has_current || value > s->current_value;
    if (!accepts(s, value, slot->seed))
        return;
    adopt(s, slot, value);
    if (better) {
        s->stale = 0;
        s->again.at = slot->step_at;
        s->again.by = slot->step_by << 1; /* the same again, twice as far */
        if ((s->again.by >> 63) != (slot->step_by >> 63))
            s->again.by = 0;
    }
}
