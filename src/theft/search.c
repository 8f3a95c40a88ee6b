/* Guided search: maximises what the property reports through theft_target.
 *
 * It goes in rounds. A round starts at the best input so far (the first one), then in turn at a
 * fresh random input or at the best one after a few random changes, and proposes small changes
 * to the choices of its current input. Climbing rounds accept what is not worse; annealing
 * rounds also accept what is worse by d with probability exp(-d / temperature), while the
 * temperature falls. A round ends when it has not improved for long enough. All of it is a
 * function of the run's seed. */
#include "search.h"

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

/* Sets up the next round. Returns false when it is to start at a random input. */
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
        theft_search_move(g, &s->current, arity, &s->made);
        s->current_value = -INFINITY; /* unknown: whatever comes is better */
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
        theft_search_add(&s->next.choices.at[s->again.at], s->again.by);
        s->made = s->again;
    } else {
        theft_search_move(&g, &s->next, t->arity, &s->made);
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

/* Whether a round takes an input of `value` for its current one. */
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

/* A running mean of the distances between successive values of random trials. */
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
