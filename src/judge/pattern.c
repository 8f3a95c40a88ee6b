/* pattern.c -- the set of wrong elements in words. */
#include "judge/pattern.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

enum { BATCH = 0, HEAD, ROW, COLUMN, AXES };

enum { LISTED = 8 }; /* the most indices that are listed one by one */

/* An axis: which of its indices were judged, how many elements of each, and how many of them
 * are wrong; and those that belong to the pattern. */
typedef struct axis {
    size_t size;
    size_t *judged, *wrong;
    bool *in;
} axis;

typedef struct pattern_search {
    const bool *is_wrong;
    const attest_judge_rows *rows;
    axis axis[AXES];
    size_t wrong, elements;
    bool vague; /* an axis has no description but a count */
} pattern_search;

static void pattern_search_clear(pattern_search *x)
{
    for (int a = 0; a < AXES; a++) {
        free(x->axis[a].judged);
        free(x->axis[a].wrong);
        free(x->axis[a].in);
    }
}

static attest_status count(pattern_search *x, attest_error *error)
{
    const attest_judge_rows *rows = x->rows;
    const size_t size[AXES] = {rows->batch, rows->heads, rows->queries, rows->columns};

    for (int a = 0; a < AXES; a++) {
        axis *this = &x->axis[a];

        this->size = size[a];
        this->judged = attest_memory_alloc(size[a] + 1, sizeof *this->judged);
        this->wrong = attest_memory_alloc(size[a] + 1, sizeof *this->wrong);
        this->in = attest_memory_alloc(size[a] + 1, sizeof *this->in);
        if (!this->judged || !this->wrong || !this->in)
            return attest_memory_fail(error);
    }
    x->elements = rows->count * rows->columns;
    for (size_t i = 0; i < x->elements; i++) {
        size_t at[4];

        attest_judge_rows_get_place(at, rows, i);
        x->wrong += x->is_wrong[i];
        for (int a = 0; a < AXES; a++) {
            x->axis[a].judged[at[a]]++;
            x->axis[a].wrong[at[a]] += x->is_wrong[i];
        }
    }
    return ATTEST_OK;
}

/* Chooses the indices whose share of wrong elements is above 0, or at least half of the largest
 * share. */
static void choose(axis *this, bool half)
{
    double most = 0;

    for (size_t i = 0; i < this->size; i++)
        if (this->judged[i] && (double)this->wrong[i] > most * (double)this->judged[i])
            most = (double)this->wrong[i] / (double)this->judged[i];
    for (size_t i = 0; i < this->size; i++)
        this->in[i] = this->wrong[i] > 0 &&
                      (!half || (double)this->wrong[i] >= most / 2 * (double)this->judged[i]);
}

/* What the product of the chosen indices and the wrong elements have in common. */
typedef struct overlap {
    size_t named, both;           /* elements */
    size_t rows, wrong_rows, all; /* rows named, of them with wrong elements, rows with such */
} overlap;

static overlap compare(const pattern_search *x)
{
    size_t columns = x->rows->columns;
    overlap o = {0};

    for (size_t r = 0; r < x->rows->count; r++) {
        size_t at[4];
        bool named, wrong = false;

        attest_judge_rows_get_place(at, x->rows, r * columns);
        named = x->axis[BATCH].in[at[0]] && x->axis[HEAD].in[at[1]] && x->axis[ROW].in[at[2]];
        for (size_t c = 0; c < columns; c++) {
            bool here = named && x->axis[COLUMN].in[c];

            wrong = wrong || x->is_wrong[r * columns + c];
            o.named += here;
            o.both += here && x->is_wrong[r * columns + c];
        }
        o.rows += named;
        o.wrong_rows += named && wrong;
        o.all += wrong;
    }
    return o;
}

/* ---- words ---- */

static void add(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(char *text, size_t room, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, room - used, format, arguments);
    va_end(arguments);
}

static const char *ordinal(size_t n)
{
    if (n % 100 >= 11 && n % 100 <= 13)
        return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

/* The step k >= 2 for which the chosen indices are those = first (mod k); 0: there is none. */
static size_t find_step(const axis *this, size_t first, size_t second)
{
    size_t step = second - first;

    if (step < 2 || first >= step)
        return 0;
    for (size_t i = 0; i < this->size; i++)
        if (this->judged[i] && this->in[i] != (i % step == first))
            return 0;
    return step;
}

/* Adds "the rows 64 to 127", "every 4th head from 1 on" and so on. */
static void describe(char *text, size_t room, pattern_search *x, int a, const char *one,
                     const char *many)
{
    const axis *this = &x->axis[a];
    size_t first = this->size, second = this->size, last = 0, chosen = 0, all = 0, least = 0;
    size_t most = 0, between = 0, step;

    for (size_t i = 0; i < this->size; i++) {
        if (!this->judged[i])
            continue;
        least = all == 0 ? i : least;
        most = i;
        all++;
        if (!this->in[i])
            continue;
        second = chosen == 1 ? i : second;
        first = chosen == 0 ? i : first;
        last = i;
        chosen++;
    }
    for (size_t i = first; i <= last && i < this->size; i++)
        between += this->judged[i] > 0;
    if (chosen == all) {
        if (all > 1)
            add(text, room, "all %s", many);
        else
            add(text, room, "%s %zu", one, first);
    } else if (chosen == 1) {
        add(text, room, "%s %zu", one, first);
    } else if (between == chosen && last == most) {
        add(text, room, "the %s from %zu on", many, first);
    } else if (between == chosen && first == least && least == 0) {
        add(text, room, "the %s up to %zu", many, last);
    } else if (between == chosen) {
        add(text, room, "the %s %zu to %zu", many, first, last);
    } else if ((step = find_step(this, first, second)) != 0) {
        add(text, room, "every %zu%s %s from %zu on", step, ordinal(step), one, first);
    } else if (chosen <= LISTED) {
        add(text, room, "the %s", many);
        for (size_t i = 0, n = 0; i < this->size; i++)
            if (this->judged[i] && this->in[i]) {
                n++;
                add(text, room, "%s %zu", n == 1 ? "" : n == chosen ? " and" : ",", i);
            }
    } else {
        add(text, room, "%zu of %zu %s", chosen, all, many);
        x->vague = true;
    }
}

/* "all rows of every 4th head from 1 on, the columns from 32 on" */
static void describe_all(char *text, size_t room, pattern_search *x, bool columns)
{
    describe(text, room, x, ROW, "row", "rows");
    add(text, room, " of ");
    describe(text, room, x, HEAD, "head", "heads");
    if (x->axis[BATCH].size > 1) {
        add(text, room, " of ");
        describe(text, room, x, BATCH, "batch entry", "batch entries");
    }
    if (columns && x->axis[COLUMN].size > 1) {
        add(text, room, ", ");
        describe(text, room, x, COLUMN, "column", "columns");
    }
}

static bool is_most(size_t part, size_t whole)
{
    return (double)part >= 0.9 * (double)whole;
}

static void set_sentence(attest_judge_pattern *pattern, pattern_search *x, const overlap *o)
{
    char *text = pattern->sentence;
    size_t room = sizeof pattern->sentence;

    *text = '\0';
    if (pattern->match == ATTEST_JUDGE_MATCH_EXACT) {
        add(text, room, "wrong are exactly ");
        describe_all(text, room, x, true);
    } else if (pattern->match == ATTEST_JUDGE_MATCH_ROWS) {
        add(text, room, "the rows with wrong elements are exactly ");
        describe_all(text, room, x, false);
        add(text, room, "; %.3g %% of their elements are wrong",
            100 * (double)x->wrong / ((double)o->rows * (double)x->rows->columns));
    } else if (pattern->match == ATTEST_JUDGE_MATCH_MOSTLY) {
        add(text, room, "wrong are mostly ");
        describe_all(text, room, x, true);
        add(text, room, ": %zu of those %zu elements, and %zu others", o->both, o->named,
            x->wrong - o->both);
    }
    if (pattern->match != ATTEST_JUDGE_MATCH_NONE && !x->vague)
        return;
    pattern->match = ATTEST_JUDGE_MATCH_NONE;
    *text = '\0';
    add(text, room, "no simple pattern: %zu of %zu elements, in %zu of %zu rows", x->wrong,
        x->elements, o->all, x->rows->count);
}

/* Adds the value of an output that is constant. */
static void describe_constant(attest_judge_pattern *pattern, const double *output, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (output[i] != output[0])
            return;
    if (count > 1)
        add(pattern->sentence, sizeof pattern->sentence,
            "; every element of the output is %.9g", output[0]);
}

attest_status attest_judge_pattern_find(attest_judge_pattern *pattern, const double *output,
                                        const bool *is_wrong, const attest_judge_rows *rows,
                                        attest_error *error)
{
    pattern_search x ATTEST_CLEARED_BY(pattern_search_clear) = {.is_wrong = is_wrong,
                                                                .rows = rows};
    overlap o;

    pattern->match = ATTEST_JUDGE_MATCH_NONE;
    ATTEST_TRY(count(&x, error));
    for (int half = 0; half < 2 && pattern->match == ATTEST_JUDGE_MATCH_NONE; half++) {
        for (int a = 0; a < AXES; a++)
            choose(&x.axis[a], half == 1);
        o = compare(&x);
        if (o.both == x.wrong && o.named == x.wrong)
            pattern->match = ATTEST_JUDGE_MATCH_EXACT;
        else if (half == 0 && o.wrong_rows == o.all && o.rows == o.all)
            pattern->match = ATTEST_JUDGE_MATCH_ROWS;
        else if (is_most(o.both, x.wrong) && is_most(o.both, o.named))
            pattern->match = ATTEST_JUDGE_MATCH_MOSTLY;
        x.vague = false;
        set_sentence(pattern, &x, &o);
    }
    describe_constant(pattern, output, x.elements);
    return ATTEST_OK;
}

const char *attest_judge_match_name(attest_judge_match match)
{
    static const char *const name[] = {"none", "mostly", "rows", "exact"};

    return name[match];
}
