/* nearest.h -- the name that was probably meant. */
#ifndef ATTEST_BASE_NEAREST_H
#define ATTEST_BASE_NEAREST_H

#include <stddef.h>

#include <attest/error.h>

/* How many letters must be changed, left out, put in or exchanged with their neighbour to make
 * b of a; a large number where either has more than 127. Cost: the product of their lengths. */
size_t attest_nearest_distance(const char *a, const char *b);

/* Whether b may be what somebody meant who wrote a, of three letters at least: at most one
 * letter in three is off, in a short name one in two; or a is a part of b. */
int attest_nearest_is_like(const char *a, const char *b);

/* "there is no tensor 'x'; there are 'a', 'b', ... (12 in all)", or those nearest to it, of
 * count names: name i is at(names, i). Returns USAGE, or NOMEM. */
attest_status attest_nearest_refuse(const char *name, const char *(*at)(const void *, size_t),
                                    const void *names, size_t count, attest_error *error);

/* The name that is probably meant by what was written: the nearest, and of several the first,
 * of those that are like it; NULL where none is. name gives the i-th, and NULL at their end. */
const char *attest_nearest_pick(const char *written,
                                const char *(*name)(const void *of, size_t i), const void *of);

#endif
