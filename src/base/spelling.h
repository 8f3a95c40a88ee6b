/* spelling.h -- suggestions for misspelt names. */
#ifndef ATTEST_BASE_SPELLING_H
#define ATTEST_BASE_SPELLING_H

#include <stddef.h>

#include <attest/error.h>

/* The number of letters to change, delete, insert or swap with their neighbour that turns a
 * into b; a large number if either has more than 127. Cost: the product of the lengths. */
size_t attest_spelling_distance(const char *a, const char *b);

/* Returns whether a, of at least three letters, may be a misspelling of b: the distance is at
 * most a third of the letters of a, half of them in a short name; or a is a part of b. */
int attest_spelling_is_close(const char *a, const char *b);

/* Sets the error "there is no tensor 'x'; there are 'a', 'b', ... (12 in all)", or one with the
 * closest of count names; name i is at(names, i). Returns USAGE, or NOMEM. */
attest_status attest_spelling_refuse(const char *name, const char *(*at)(const void *, size_t),
                                     const void *names, size_t count, attest_error *error);

/* Returns the first of the closest names that `written` may be a misspelling of, or NULL.
 * name(of, i) is the i-th name, and NULL after the last. */
const char *attest_spelling_pick(const char *written,
                                 const char *(*name)(const void *of, size_t i), const void *of);

#endif
