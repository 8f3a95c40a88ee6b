#include "choices.h"

#include <stdlib.h>
#include <string.h>

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
