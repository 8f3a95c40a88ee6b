/* explain.c -- the alternatives under which a wrong output is within.
 *
 * Each form of a row of the table is judged on a few wrong rows first, then on a sample of all
 * rows, then on the whole output; it ends at the first element that is not within. Pairs of
 * changes follow if no single one explains the output. */
#include "judge/explain.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/judgement.h"

/* Rows of the first stage and the second, wrong ones and others; the cost of the first row of a
 * head, in rows; the least work allowed, in pairs of a query and a key. */
enum { FIRST = 3, WRONG = 12, OTHERS = 8, HEAD_ROWS = 4, TIMES = 4, NARROW = 4 };
static const double least_work = 1 << 23;

typedef struct search {
    const double *output;
    const attest_judge_rows *rows;
    const attest_qkv *qkv;
    const attest_judge_model *model;
    const attest_judge_options *options;
    attest_judge_explanation *to;
    size_t *place; /* of the results: the sample, then all rows */
    size_t first, sampled;
    double keys, work, most; /* pairs of a query and a key */
} search;

/* One changed problem that is judged. */
typedef struct trial {
    search *x;
    const attest_judge_element_rule *rule;
    bool within;
    double width, size; /* of the intervals of all elements so far, and of their exact values */
} trial;

static bool visit(void *context, const size_t *places, size_t count,
                  const attest_judge_bounds *bounds)
{
    trial *t = context;
    size_t columns = t->x->rows->columns;

    for (size_t n = 0; n < count * columns && t->within; n++)
        t->within = attest_judge_element_rule_check(
                        t->rule, t->x->output[places[n / columns] * columns + n % columns],
                        bounds->lo[n], bounds->hi[n]) == ATTEST_JUDGE_WITHIN;
    for (size_t n = 0; n < count * columns; n++)
        if (!isnan(bounds->lo[n])) {
            t->width += bounds->hi[n] - bounds->lo[n];
            t->size += fabs(bounds->exact[n]);
        }
    t->x->work += ((double)count + HEAD_ROWS) * t->x->keys;
    return t->within;
}

/* Judges the changed problem at these places. Status: STOPPED, NOMEM, IO; other failures show
 * that it is no problem, and it is not within. */
static attest_status judge_places(trial *t, const attest_judge_changed *changed,
                                  const size_t *place, size_t count, attest_error *error)
{
    attest_error inner = {0};
    attest_status status;

    if (count == 0)
        return ATTEST_OK;
    status = attest_judge_changed_bound(changed, t->x->rows, place, count, t->x->options, visit,
                                        t, &inner);
    if (status == ATTEST_FORMAT || status == ATTEST_USAGE || status == ATTEST_UNABLE) {
        t->within = false;
        return ATTEST_OK;
    }
    if (status != ATTEST_OK && error)
        *error = inner;
    return status;
}

/* Judges the stages of a changed problem. vague: intervals half as wide as the exact values,
 * which would contain any output, count as not within. *finished: the allowed work sufficed. */
static attest_status judge_changed(bool *within, double *width, bool *finished, search *x,
                                   const attest_judge_changed *changed, bool vague,
                                   attest_error *error)
{
    attest_judge_element_rule rule ATTEST_CLEARED_BY(attest_judge_element_rule_clear);
    trial t = {.x = x, .rule = &rule, .within = true};

    *within = false;
    *finished = true;
    ATTEST_TRY(attest_judge_element_rule_init(&rule, &changed->model, x->options, error));
    x->to->judgements++;
    ATTEST_TRY(judge_places(&t, changed, x->place, x->first, error));
    if (t.within)
        ATTEST_TRY(
            judge_places(&t, changed, x->place + x->first, x->sampled - x->first, error));
    if (!t.within)
        return ATTEST_OK;
    if (x->work + (double)x->rows->count * x->keys > x->most) {
        *finished = false;
        return ATTEST_OK;
    }
    t.width = t.size = 0;
    ATTEST_TRY(judge_places(&t, changed, x->place + x->sampled, x->rows->count, error));
    *within = t.within && (vague || t.width <= t.size / 2);
    *width = t.width;
    return ATTEST_OK;
}

static size_t get_index(const attest_judge_alternative *row)
{
    return (size_t)(row - attest_judge_alternatives);
}

/* Tries a form, or a pair of them; *within: the whole output is. */
static attest_status try(bool *within, search *x, const attest_judge_alternative *first,
                         size_t first_form, const attest_judge_alternative *second,
                         size_t second_form, attest_error *error)
{
    attest_judge_explanation *to = x->to;
    attest_judge_changed changed;
    attest_status status;
    bool applies, finished;
    double width = 0;

    *within = false;
    ATTEST_TRY(attest_judge_changed_init(&changed, &applies, x->qkv, x->model, first,
                                         first_form, second, second_form, error));
    if (!applies)
        return ATTEST_OK;
    status = judge_changed(within, &width, &finished, x, &changed,
                           first->kind != ATTEST_JUDGE_ALTERNATIVE_ARITHMETIC, error);
    if (status == ATTEST_OK && *within && to->found < ATTEST_JUDGE_MOST_FOUND) {
        attest_judge_found *found = &to->alternative[to->found++];

        found->width = width;
        found->first = first;
        found->second = second;
        snprintf(found->sentence, sizeof found->sentence, "within if %s", changed.sentence);
    }
    if (!finished && second)
        to->pairs_left = true;
    else if (!finished)
        to->left[get_index(first)] = true;
    attest_judge_changed_clear(&changed);
    return status;
}

/* Tries the forms of a row up to the first under which the output is within. */
static attest_status try_row(search *x, const attest_judge_alternative *row,
                             attest_error *error)
{
    bool within = false;

    for (size_t form = 0; form < row->forms && !within; form++) {
        if (x->work > x->most) {
            x->to->left[get_index(row)] = true;
            return ATTEST_OK;
        }
        ATTEST_TRY(try(&within, x, row, form, NULL, 0, error));
    }
    return ATTEST_OK;
}

static attest_status try_pair(search *x, const attest_judge_alternative *first,
                              const attest_judge_alternative *second, attest_error *error)
{
    bool within = false;

    for (size_t i = 0; i < first->forms && !within; i++)
        for (size_t j = 0; j < second->forms && !within; j++) {
            if (x->work > x->most) {
                x->to->pairs_left = true;
                return ATTEST_OK;
            }
            ATTEST_TRY(try(&within, x, first, i, second, j, error));
        }
    return ATTEST_OK;
}

static attest_status try_pairs(search *x, attest_error *error)
{
    const attest_judge_alternative *table = attest_judge_alternatives;

    x->to->pairs = true;
    for (size_t i = 0; table[i].name; i++)
        for (size_t j = i + 1; table[i].paired && table[j].name; j++)
            if (table[j].paired)
                ATTEST_TRY(try_pair(x, &table[i], &table[j], error));
    return ATTEST_OK;
}

/* ---- the sample ---- */

/* Appends up to `most` of the rows with or without wrong elements, evenly spread. */
static void choose(search *x, const bool *wrong_row, bool wrong, size_t most)
{
    size_t all = 0, seen = 0, taken = 0;

    for (size_t r = 0; r < x->rows->count; r++)
        all += wrong_row[r] == wrong;
    for (size_t r = 0; r < x->rows->count && taken < most; r++) {
        if (wrong_row[r] != wrong)
            continue;
        if (all <= most || seen * (most - 1) >= taken * (all - 1)) {
            x->place[x->sampled++] = r;
            taken++;
        }
        seen++;
    }
}

static attest_status set_places(search *x, const bool *is_wrong, size_t worst,
                                attest_error *error)
{
    size_t count = x->rows->count, columns = x->rows->columns;
    bool *wrong_row ATTEST_FREED = attest_memory_alloc(count + 1, sizeof *wrong_row);

    x->place = attest_memory_alloc(count + FIRST + WRONG + OTHERS + 1, sizeof *x->place);
    if (!wrong_row || !x->place)
        return attest_memory_fail(error);
    for (size_t i = 0; i < count * columns; i++)
        wrong_row[i / columns] = wrong_row[i / columns] || is_wrong[i];
    x->place[x->sampled++] = worst;
    choose(x, wrong_row, true, FIRST - 1);
    x->first = x->sampled;
    choose(x, wrong_row, false, OTHERS);
    choose(x, wrong_row, true, WRONG);
    for (size_t r = 0; r < count; r++)
        x->place[x->sampled + r] = r;
    return ATTEST_OK;
}

static void search_clear(search *x)
{
    free(x->place);
}

static int compare_widths(const void *left, const void *right)
{
    const attest_judge_found *a = left, *b = right;

    return (a->width > b->width) - (a->width < b->width);
}

/* An alternative with much wider intervals than another one explains little: keeps those whose
 * intervals are at most NARROW times as wide as the narrowest ones. */
static void keep_narrow(attest_judge_explanation *to)
{
    double least = (double)INFINITY;
    size_t kept = 0;

    for (size_t i = 0; i < to->found; i++)
        least = to->alternative[i].width < least ? to->alternative[i].width : least;
    for (size_t i = 0; i < to->found; i++)
        if (!(to->alternative[i].width > NARROW * least))
            to->alternative[kept++] = to->alternative[i];
    to->found = kept;
}

static attest_status explain(search *x, attest_error *error)
{
    const attest_judge_alternative *row = attest_judge_alternatives;

    for (; row->name && row->kind != ATTEST_JUDGE_ALTERNATIVE_ARITHMETIC; row++)
        ATTEST_TRY(try_row(x, row, error));
    if (x->to->found == 0) {
        for (; row->name; row++)
            ATTEST_TRY(try_row(x, row, error));
        qsort(x->to->alternative, x->to->found, sizeof *x->to->alternative, compare_widths);
    }
    keep_narrow(x->to);
    return x->to->found > 0 ? ATTEST_OK : try_pairs(x, error);
}

attest_status
attest_judge_explanation_init(attest_judge_explanation *explanation, const double *output,
                              const bool *is_wrong, size_t worst, const attest_judge_rows *rows,
                              const attest_qkv *qkv, const attest_judge_model *model,
                              const attest_judge_options *options, attest_error *error)
{
    search x ATTEST_CLEARED_BY(search_clear) = {.output = output,
                                                .rows = rows,
                                                .qkv = qkv,
                                                .model = model,
                                                .options = options,
                                                .to = explanation};
    size_t alternatives = 0;

    while (attest_judge_alternatives[alternatives].name)
        alternatives++;
    memset(explanation, 0, sizeof *explanation);
    explanation->tried = true;
    explanation->alternative =
        attest_memory_alloc(ATTEST_JUDGE_MOST_FOUND, sizeof *explanation->alternative);
    explanation->left = attest_memory_alloc(alternatives, sizeof *explanation->left);
    x.keys = (double)qkv->k.shape[2] *
             (qkv->block_table ? (double)qkv->blocks : 1); /* at most, of an entry */
    x.keys += qkv->past_k.data ? (double)qkv->past_k.shape[2] : 0;
    x.most = TIMES * (double)rows->count * x.keys;
    x.most = x.most > least_work ? x.most : least_work;
    ATTEST_TRY_OR(explanation->alternative && explanation->left
                      ? set_places(&x, is_wrong, worst, error)
                      : attest_memory_fail(error),
                  attest_judge_explanation_clear(explanation));
    ATTEST_TRY_OR(explain(&x, error), attest_judge_explanation_clear(explanation));
    return ATTEST_OK;
}

void attest_judge_explanation_clear(attest_judge_explanation *explanation)
{
    free(explanation->alternative);
    free(explanation->left);
    explanation->alternative = NULL;
    explanation->left = NULL;
    explanation->found = 0;
}

void attest_judge_found_format(char name[ATTEST_JUDGE_NAME_SIZE],
                               const attest_judge_found *found)
{
    snprintf(name, ATTEST_JUDGE_NAME_SIZE, "%s%s%s", found->first->name,
             found->second ? "+" : "", found->second ? found->second->name : "");
}
