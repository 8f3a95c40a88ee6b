/* The arguments of a trial, the draws that they are made from, and the set of inputs that were
 * tried. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

/* ---- The draws of callbacks and properties. */

uint64_t theft_random_bits(struct theft *t, uint8_t bits)
{
    struct theft_source *s = &t->source;
    if (bits == 0)
        return 0;
    if (bits > 64) {
        fprintf(stderr, "theft_random_bits: %u bits requested, at most 64 are possible\n",
                bits);
        abort();
    }
    uint64_t max = UINT64_MAX >> (64 - bits);
    uint64_t v = s->replaying ? theft_source_next(s, max) : theft_prng_bits(&s->prng, bits);
    theft_source_note(s, v, max);
    return v;
}

uint64_t theft_random(struct theft *t)
{
    return theft_random_bits(t, 64);
}

void theft_random_bits_bulk(struct theft *t, uint32_t bits, uint64_t *buf)
{
    for (; bits > 64; bits -= 64)
        *buf++ = theft_random_bits(t, 64);
    if (bits)
        *buf = theft_random_bits(t, (uint8_t)bits);
}

double theft_random_double(struct theft *t)
{
    return (double)theft_random_bits(t, 53) * 0x1p-53; /* both exact */
}

/* Records the result, not the random bits: equal results are equal choices, and shrinking works
 * on results. */
uint64_t theft_random_choice(struct theft *t, uint64_t ceil)
{
    return theft_source_below(&t->source, ceil);
}

/* ---- 64-bit FNV-1a ----------------------------------------------------------------------- */

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

void theft_hash_init(struct theft_hasher *h)
{
    h->accum = FNV_OFFSET;
}

void theft_hash_sink(struct theft_hasher *h, const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        h->accum = (h->accum ^ data[i]) * FNV_PRIME;
}

theft_hash theft_hash_done(struct theft_hasher *h)
{
    theft_hash result = h->accum;
    theft_hash_init(h);
    return result;
}

theft_hash theft_hash_onepass(const uint8_t *data, size_t bytes)
{
    struct theft_hasher h;
    theft_hash_init(&h);
    theft_hash_sink(&h, data, bytes);
    return theft_hash_done(&h);
}

/* ---- Arguments, and the choices that they are made from. */

bool theft_choices_reserve(struct theft_choices *c, size_t capacity)
{
    if (capacity <= c->capacity)
        return true;
    size_t grown = c->capacity < 64 ? 64 : c->capacity + c->capacity / 2;
    if (grown < capacity)
        grown = capacity;
    if (grown > SIZE_MAX / sizeof *c->at)
        return false;
    struct theft_choice *at = realloc(c->at, grown * sizeof *at);
    if (!at)
        return false;
    c->at = at;
    c->capacity = grown;
    return true;
}

bool theft_choices_set(struct theft_choices *to, const struct theft_choice *from, size_t count)
{
    if (!theft_choices_reserve(to, count))
        return false;
    if (count)
        memmove(to->at, from, count * sizeof *from);
    to->count = count;
    return true;
}

void theft_choices_delete(struct theft_choices *c, size_t at, size_t count)
{
    memmove(c->at + at, c->at + at + count, (c->count - at - count) * sizeof *c->at);
    c->count -= count;
}

void theft_choices_clear(struct theft_choices *c)
{
    free(c->at);
    memset(c, 0, sizeof *c);
}

static bool autoshrinks(const struct theft *t, unsigned i)
{
    return t->cfg.type_info[i]->autoshrink_config.enable;
}

void theft_arg_free(struct theft *t, unsigned i, void *arg)
{
    const struct theft_type_info *info = t->cfg.type_info[i];
    if (info->free)
        info->free(arg, info->env);
}

/* Calls alloc with the current source of draws. */
static enum theft_alloc_res arg_alloc(struct theft *t, unsigned i, void **arg)
{
    const struct theft_type_info *info = t->cfg.type_info[i];
    *arg = NULL;
    enum theft_alloc_res res = info->alloc(t, info->env, arg);
    t->source.record = NULL;
    if (t->source.no_memory && res == THEFT_ALLOC_OK) {
        theft_arg_free(t, i, *arg);
        *arg = NULL;
        return THEFT_ALLOC_ERROR;
    }
    return res;
}

/* Frees the arguments before `made`, which could not be made. */
static enum theft_alloc_res give_up(struct theft *t, struct theft_input *in, unsigned made,
                                    enum theft_alloc_res res)
{
    for (unsigned i = 0; i < made; i++)
        theft_arg_free(t, i, in->args[i]);
    memset(in->args, 0, sizeof in->args);
    in->choices.count = 0;
    memset(in->start, 0, sizeof in->start);
    return res;
}

enum theft_alloc_res theft_input_generate(struct theft *t, struct theft_input *in,
                                          theft_seed seed)
{
    theft_source_fresh(&t->source, seed, THEFT_STREAM_GENERATE, NULL);
    in->choices.count = 0;
    for (unsigned i = 0; i < t->arity; i++) {
        in->start[i] = in->choices.count;
        t->source.record = autoshrinks(t, i) ? &in->choices : NULL;
        enum theft_alloc_res res = arg_alloc(t, i, &in->args[i]);
        if (res != THEFT_ALLOC_OK)
            return give_up(t, in, i, res);
        in->start[i + 1] = in->choices.count;
    }
    return THEFT_ALLOC_OK;
}

enum theft_alloc_res theft_input_replay_arg(struct theft *t, unsigned i,
                                            const struct theft_choice *from, size_t count,
                                            struct theft_choices *record, void **arg)
{
    theft_source_replay(&t->source, from, count, record);
    enum theft_alloc_res res = arg_alloc(t, i, arg);
    t->source.replaying = false;
    return res;
}

enum theft_alloc_res theft_input_replay(struct theft *t, struct theft_input *in,
                                        const struct theft_input *from, theft_seed seed)
{
    theft_source_fresh(&t->source, seed, THEFT_STREAM_GENERATE, NULL);
    in->choices.count = 0;
    for (unsigned i = 0; i < t->arity; i++) {
        enum theft_alloc_res res;
        in->start[i] = in->choices.count;
        if (autoshrinks(t, i))
            res = theft_input_replay_arg(t, i, from->choices.at + from->start[i],
                                         from->start[i + 1] - from->start[i], &in->choices,
                                         &in->args[i]);
        else
            res = arg_alloc(t, i, &in->args[i]);
        if (res != THEFT_ALLOC_OK)
            return give_up(t, in, i, res);
        in->start[i + 1] = in->choices.count;
    }
    return THEFT_ALLOC_OK;
}

struct theft_fingerprint theft_fingerprint_init(void)
{
    return (struct theft_fingerprint){UINT64_C(0x243f6a8885a308d3),
                                      UINT64_C(0x13198a2e03707344)};
}

static uint64_t rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

void theft_fingerprint_add(struct theft_fingerprint *f, uint64_t word)
{
    f->a = rotate(f->a ^ theft_mix(word), 27) + f->b;
    f->a = f->a * 5 + UINT64_C(0x52dce729);
    f->b = rotate(f->b ^ theft_mix_other(word), 31) + f->a;
    f->b = f->b * 5 + UINT64_C(0x38495ab5);
}

void theft_fingerprint_add_choices(struct theft_fingerprint *f, const struct theft_choice *at,
                                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        theft_fingerprint_add(f, at[i].value);
    theft_fingerprint_add(f, (uint64_t)count);
}

struct theft_fingerprint theft_input_fingerprint(const struct theft *t,
                                                 const struct theft_input *in)
{
    struct theft_fingerprint f = theft_fingerprint_init();
    for (unsigned i = 0; i < t->arity; i++) {
        const struct theft_type_info *info = t->cfg.type_info[i];
        if (info->hash)
            theft_fingerprint_add(&f, info->hash(in->args[i], info->env));
        else if (info->autoshrink_config.enable)
            theft_fingerprint_add_choices(&f, in->choices.at + in->start[i],
                                          in->start[i + 1] - in->start[i]);
    }
    return f;
}

void theft_input_free_args(struct theft *t, struct theft_input *in)
{
    for (unsigned i = 0; i < t->arity; i++)
        theft_arg_free(t, i, in->args[i]);
    memset(in->args, 0, sizeof in->args);
}

/* ---- The set of inputs that were tried. */

#define FIRST_CAPACITY 1024
#define HUGE_PAGE ((size_t)2 << 20)
#define LINE ((size_t)4) /* slots in a cache line */

/* All zero is the empty slot: the fingerprint 0 is replaced by another one. */
static struct theft_fingerprint slot_value(struct theft_fingerprint f)
{
    if ((f.a | f.b) == 0)
        f.b = 1;
    return f;
}

/* Returns the slot of `f`, or the empty one where it belongs.
 *
 * The high bits are the place: except for collisions the table is in the order of its
 * fingerprints, so that moving to a larger table reads both from front to back instead of
 * missing the cache at every entry. A line is searched without branches: only whether it is
 * full, which is rare, is predicted, so the processor continues with the next trial while it
 * waits for memory. A line is filled from its start, so a hit comes before any empty slot. */
static struct theft_fingerprint *find(struct theft_fingerprint *slots, size_t capacity,
                                      struct theft_fingerprint f)
{
    size_t i = (size_t)(f.a >> (64 - (unsigned)__builtin_ctzll(capacity))) & ~(LINE - 1);
    for (;; i = (i + LINE) & (capacity - 1)) {
        unsigned found = 0;
        for (unsigned k = 0; k < LINE; k++) {
            const struct theft_fingerprint *s = &slots[i + k];
            unsigned hit = ((s->a ^ f.a) | (s->b ^ f.b)) == 0, empty = (s->a | s->b) == 0;
            found |= (hit | empty) << k;
        }
        if (found)
            return &slots[i + (unsigned)__builtin_ctz(found)];
    }
}

static struct theft_fingerprint *slots_alloc(size_t capacity)
{
    size_t bytes = capacity * sizeof(struct theft_fingerprint);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    /* Avoids a TLB miss at every look-up in a large table. Only advice: failure is harmless. */
    if (bytes >= HUGE_PAGE)
        (void)madvise(p, bytes, MADV_HUGEPAGE);
#endif
    return p;
}

static void slots_free(struct theft_fingerprint *slots, size_t capacity)
{
    if (slots)
        munmap(slots, capacity * sizeof *slots);
}

/* Returns four times the slots if more inputs than that are expected, else twice. */
static size_t next_capacity(const struct theft_duplicates *d)
{
    if (!d->capacity)
        return FIRST_CAPACITY;
    return d->expected / 2 > d->capacity ? d->capacity * 4 : d->capacity * 2;
}

static bool grow(struct theft_duplicates *d)
{
    size_t most = (d->limit ? d->limit : THEFT_DUPLICATES_DEFAULT_LIMIT) / sizeof *d->slots;
    size_t capacity = next_capacity(d);
    if (capacity > most)
        capacity = d->capacity * 2;
    if (capacity > most || capacity == 0)
        return false;
    struct theft_fingerprint *slots = slots_alloc(capacity);
    if (!slots)
        return false;
    for (size_t i = 0; i < d->capacity; i++)
        if (d->slots[i].a | d->slots[i].b)
            *find(slots, capacity, d->slots[i]) = d->slots[i];
    slots_free(d->slots, d->capacity);
    d->slots = slots;
    d->capacity = capacity;
    return true;
}

bool theft_duplicates_has(const struct theft_duplicates *d, struct theft_fingerprint f)
{
    if (!d->capacity)
        return false;
    const struct theft_fingerprint *slot = find(d->slots, d->capacity, slot_value(f));
    return (slot->a | slot->b) != 0;
}

bool theft_duplicates_add(struct theft_duplicates *d, struct theft_fingerprint f)
{
    if (!d->full && d->count >= d->capacity - d->capacity / 4)
        d->full = !grow(d);
    if (!d->capacity)
        return false;
    f = slot_value(f);
    struct theft_fingerprint *slot = find(d->slots, d->capacity, f);
    if (slot->a | slot->b)
        return true;
    if (!d->full) {
        *slot = f;
        d->count++;
    }
    return false;
}

void theft_duplicates_clear(struct theft_duplicates *d)
{
    slots_free(d->slots, d->capacity);
    memset(d, 0, sizeof *d);
}
