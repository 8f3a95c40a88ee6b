/* Passes that delete runs of choices. */
#include "shrink.h"

#define LONGEST_BLOCK 8 /* choices of one element, as far as every size is tried */

/* A run of choices that belong to one argument: deletes [at, at + count). */
static bool try_delete(struct theft_shrink *s, size_t at, size_t count)
{
    if (!theft_shrink_propose(s))
        return false;
    theft_shrink_cut(s, at, count);
    return theft_shrink_try(s);
}

/* The end of the choices of the argument that `at` belongs to. */
static size_t end_of_arg(const struct theft_shrink *s, size_t at)
{
    return s->slot->input.start[theft_shrink_arg_of(s, at) + 1];
}

/* In long sequences, the first choices often say how long they are: halve them before anything
 * else, for every later attempt costs time in proportion to the length. */
void theft_pass_truncate(struct theft_shrink *s)
{
    for (size_t i = 0; i < 32 && theft_shrink_length(s) > 64; i++) {
        uint64_t v = theft_shrink_get(s, i).value;
        if (v == 0 || theft_shrink_try_value(s, i, 0))
            continue;
        while (v > 1 && theft_shrink_try_value(s, i, v / 2) && i < theft_shrink_length(s))
            v = theft_shrink_get(s, i).value;
    }
}

struct block {
    size_t at, size;
    uint64_t deleted; /* blocks so far */
};

/* Deletes blocks backwards from where one was deleted, until k are gone in all. */
static bool delete_more(struct theft_shrink *s, uint64_t k, void *data)
{
    struct block *b = data;
    size_t more = (size_t)(k - b->deleted) * b->size;
    if (more > b->at || b->at > theft_shrink_length(s) ||
        theft_shrink_arg_of(s, b->at - more) != theft_shrink_arg_of(s, b->at - 1))
        return false;
    if (!try_delete(s, b->at - more, more))
        return false;
    b->deleted = k;
    b->at -= more;
    return true;
}

/* Tries to delete every block of `size` choices, from the end, in steps of `step`. */
static void delete_blocks(struct theft_shrink *s, size_t size, size_t step)
{
    size_t n = theft_shrink_length(s);
    for (size_t at = n > size ? n - size : 0; n >= size && !theft_shrink_over(s);) {
        if (at + size <= theft_shrink_length(s) && end_of_arg(s, at) >= at + size &&
            try_delete(s, at, size)) {
            struct block b = {.at = at, .size = size};
            theft_shrink_extend(s, at / size, delete_more, &b);
            at = b.at;
        }
        if (at == 0)
            break;
        at = at > step ? at - step : 0;
    }
}

void theft_pass_delete(struct theft_shrink *s)
{
    for (size_t size = theft_shrink_length(s) / 2; size > LONGEST_BLOCK; size /= 2)
        delete_blocks(s, size, size);
    for (size_t size = LONGEST_BLOCK; size > 0; size--)
        delete_blocks(s, size, 1);
}
