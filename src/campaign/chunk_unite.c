/* chunk_unite.c -- violations that were shrunk to the same instance are one finding. */
#include <stdlib.h>
#include <string.h>

#include "campaign/chunk_result.h"

/* The length of the line at text, with its end. */
static size_t line_length(const char *text)
{
    const char *end = strchr(text, '\n');

    return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* Whether the line tells how the instance was found, not what it is. */
static bool is_origin(const char *line)
{
    line += strspn(line, " ");
    return strncmp(line, "\"seed\":", 7) == 0 || strncmp(line, "\"shrink_steps\":", 15) == 0;
}

/* The files are ours, a member a line: equal but for the lines that tell their origin. */
static bool is_same(const char *one, const char *other)
{
    while (*one && *other) {
        size_t length = line_length(one), there = line_length(other);

        if (is_origin(one) ? !is_origin(other)
                           : length != there || memcmp(one, other, length) != 0)
            return false;
        one += length;
        other += there;
    }
    return *one == *other;
}

/* Puts the flaky ones last. */
static void order(attest_violation *violation, size_t count)
{
    for (size_t v = 1; v < count; v++) {
        attest_violation moved = violation[v];
        size_t place = v;

        for (; !moved.flaky && place > 0 && violation[place - 1].flaky; place--)
            violation[place] = violation[place - 1];
        violation[place] = moved;
    }
}

void attest_chunk_result_unite(attest_chunk_result *result)
{
    size_t kept = 0;

    for (size_t v = 0; v < result->violations; v++) {
        attest_violation *next = &result->violation[v];
        size_t first = 0;

        while (first < kept && (result->violation[first].flaky != next->flaky ||
                                !is_same(result->violation[first].text, next->text)))
            first++;
        if (first == kept) {
            result->violation[kept++] = *next;
            continue;
        }
        result->violation[first].more += next->more + 1;
        free(next->reason);
        free(next->text);
    }
    result->violations = kept;
    order(result->violation, kept);
}
