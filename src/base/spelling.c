/* spelling.c -- suggestions for misspelt names. */
#include "base/spelling.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"

enum { LONGEST = 127, FAR = 1 << 20 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t attest_spelling_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[3][LONGEST + 1];

    if (n > LONGEST || m > LONGEST)
        return FAR;
    /* row[i % 3][j] = the distance of the first i letters of a and the first j of b */
    for (size_t i = 0; i <= n; i++) {
        size_t *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                now[j] = i + j;
                continue;
            }
            now[j] =
                least(least(above[j], now[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

int attest_spelling_is_close(const char *a, const char *b)
{
    size_t length = strlen(a);

    if (length >= 3 && strstr(b, a))
        return 1;
    return length > 2 &&
           attest_spelling_distance(a, b) <= (length < 6 ? length / 2 : length / 3);
}

/* The distance of the closest name, or SIZE_MAX if none is close. */
static size_t least_distance(const char *name, const char *(*at)(const void *, size_t),
                             const void *names, size_t count)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < count; i++)
        if (attest_spelling_is_close(name, at(names, i)))
            found = least(found, attest_spelling_distance(name, at(names, i)));
    return found;
}

attest_status attest_spelling_refuse(const char *name, const char *(*at)(const void *, size_t),
                                     const void *names, size_t count, attest_error *error)
{
    size_t nearest = least_distance(name, at, names, count), found = 0;
    size_t most = nearest < SIZE_MAX ? 3 : 8;
    char *list ATTEST_FREED = NULL;
    attest_text text;

    attest_text_init(&text);
    attest_text_printf(&text, "there is no tensor '%.80s'", name);
    for (size_t i = 0; i < count && found < most; i++) {
        if (nearest < SIZE_MAX && attest_spelling_distance(name, at(names, i)) > nearest + 1)
            continue;
        attest_text_printf(&text, "%s'%.60s'",
                           found                ? ", "
                           : nearest < SIZE_MAX ? "; is it "
                                                : "; there are ",
                           at(names, i));
        found++;
    }
    if (count > found && nearest == SIZE_MAX)
        attest_text_printf(&text, ", ... (%zu in all)", count);
    list = attest_text_take(&text);
    if (!list)
        return attest_memory_fail(error);
    return attest_error_set(error, ATTEST_USAGE, "%s%s", list, nearest < SIZE_MAX ? "?" : "");
}

const char *attest_spelling_pick(const char *written,
                                 const char *(*name)(const void *of, size_t i), const void *of)
{
    const char *best = NULL, *other;
    size_t best_distance = FAR;

    for (size_t i = 0; (other = name(of, i)) != NULL; i++) {
        size_t distance = attest_spelling_distance(written, other);

        if (distance < best_distance && attest_spelling_is_close(written, other)) {
            best = other;
            best_distance = distance;
        }
    }
    return best;
}
