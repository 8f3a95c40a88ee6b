/* The built-in types. Every number is one choice in the order of simplicity (plus one for a
 * sign), however its fresh value was come by: special values shrink like any other. */
#ifndef THEFT_BUILTIN_H
#define THEFT_BUILTIN_H

#include "internal.h"

#define THEFT_SPECIAL_ONE_IN 8 /* draws that are special values */

static inline bool theft_draw_special(struct theft_prng *g)
{
    return theft_prng_below(g, THEFT_SPECIAL_ONE_IN) == THEFT_SPECIAL_ONE_IN - 1;
}

/* x in [0, max]. */
uint64_t theft_builtin_unsigned(struct theft *t, uint64_t max);
/* x in [-limit, limit), 1 <= limit <= 2^63; 0 for limit 0. */
int64_t theft_builtin_signed(struct theft *t, uint64_t limit);
/* |x| <= limit; limit NaN: any double, infinities and NaN among them. `single`: a float. */
double theft_builtin_floating(struct theft *t, double limit, bool single);

extern const struct theft_type_info theft_builtin_bool, theft_builtin_uint,
    theft_builtin_uint8_t, theft_builtin_uint16_t, theft_builtin_uint32_t,
    theft_builtin_uint64_t, theft_builtin_size_t, theft_builtin_int, theft_builtin_int8_t,
    theft_builtin_int16_t, theft_builtin_int32_t, theft_builtin_int64_t, theft_builtin_float,
    theft_builtin_double, theft_builtin_char_array, theft_builtin_uint8_t_array;

#endif
