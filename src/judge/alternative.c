/* alternative.c -- the table of alternatives, and changed problems. */
#include "judge/alternative.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/problem.h"

/* ---- the table ---- */

#define SETTING ATTEST_JUDGE_ALTERNATIVE_SETTING
#define MODEL ATTEST_JUDGE_ALTERNATIVE_MODEL
#define FAULT ATTEST_JUDGE_ALTERNATIVE_FAULT
#define ARITHMETIC ATTEST_JUDGE_ALTERNATIVE_ARITHMETIC

/* clang-format off */
const attest_judge_alternative attest_judge_alternatives[] = {
    /* settings of the question */
    {"zeros", "zeros", FAULT, false, 1, attest_judge_change_zeros},
    {"layout-exchanged", NULL, SETTING, true, 4, attest_judge_change_layout},
    {"causal-missing", NULL, SETTING, true, 1, attest_judge_change_causal_missing},
    {"causal-extra", NULL, SETTING, true, 2, attest_judge_change_causal_extra},
    {"causal-other-alignment", NULL, SETTING, true, 2, attest_judge_change_alignment},
    {"scale-missing", "missing-scale", SETTING, true, 1, attest_judge_change_scale_missing},
    {"scale-twice", NULL, SETTING, true, 1, attest_judge_change_scale_twice},
    {"scale-1/d", NULL, SETTING, true, 1, attest_judge_change_scale_square},
    {"scale-other", NULL, SETTING, true, 3, attest_judge_change_scale_default},
    {"kv-heads-tiled", NULL, SETTING, true, 1, attest_judge_change_key_heads},
    {"mask-ignored", NULL, SETTING, true, 1, attest_judge_change_mask_missing},
    {"mask-inverted", NULL, SETTING, true, 1, attest_judge_change_mask_inverted},
    {"mask-transposed", NULL, SETTING, false, 2, attest_judge_change_mask_transposed},
    {"mask-off-by-one", "mask-off-by-one", SETTING, true, 2, attest_judge_change_mask_by_one},
    {"window-off-by-one", NULL, SETTING, true, 4, attest_judge_change_window_by_one},
    {"window-ignored", NULL, SETTING, true, 1, attest_judge_change_window_missing},
    {"softcap-after-mask", NULL, SETTING, true, 1, attest_judge_change_softcap_after_mask},
    {"softcap-ignored", NULL, SETTING, true, 1, attest_judge_change_softcap_missing},
    {"sink-ignored", NULL, SETTING, true, 1, attest_judge_change_sink_missing},
    {"sink-extra", NULL, SETTING, false, 1, attest_judge_change_sink_extra},
    {"past-ignored", NULL, SETTING, true, 1, attest_judge_change_past},
    {"lengths-ignored", NULL, SETTING, true, 1, attest_judge_change_lengths},
    {"descale-ignored", NULL, SETTING, true, 4, attest_judge_change_descale_missing},
    {"qk-exchanged", NULL, FAULT, true, 1, attest_judge_change_qk},
    {"exp2-without-log2e", "exp2-without-log2e", FAULT, true, 1, attest_judge_change_exp2},

    /* facts of the model */
    {"output-not-rounded", NULL, MODEL, false, 1, attest_judge_change_output_not_rounded},
    {"tile-direction", NULL, MODEL, true, 1, attest_judge_change_direction},
    {"tile-size", NULL, MODEL, true, 7, attest_judge_change_tile},
    {"sum-of-cast", NULL, MODEL, true, 1, attest_judge_change_sum_of_cast},
    {"sum-of-uncast", NULL, MODEL, true, 1, attest_judge_change_sum_of_uncast},
    {"inputs-not-rounded", NULL, MODEL, false, 1, attest_judge_change_not_quantised},
    {"p-not-cast", NULL, MODEL, false, 1, attest_judge_change_p_not_cast},
    {"divided-elsewhere", NULL, MODEL, false, 1, attest_judge_change_place},
    {"other-order", NULL, MODEL, false, 3, attest_judge_change_order},
    {"more-splits", NULL, MODEL, false, 2, attest_judge_change_splits},
    {"lazy-reference", NULL, MODEL, false, 1, attest_judge_change_lazy},

    /* faults of kernels */
    {"dropped-tile", "dropped-tile", FAULT, false, 21, attest_judge_change_dropped_tile},
    {"key-dropped", NULL, FAULT, false, 2, attest_judge_change_key_dropped},
    {"key-twice", NULL, FAULT, false, 1, attest_judge_change_key_twice},
    {"stale-tile", NULL, FAULT, false, 63, attest_judge_change_stale_tile},
    {"no-rescale", NULL, FAULT, false, 14, attest_judge_change_no_rescale},
    {"swapped-heads", "swapped-heads", FAULT, false, 1, attest_judge_change_swapped_heads},
    {"reversed-heads", NULL, FAULT, false, 1, attest_judge_change_reversed_heads},
    {"kv-head-first", NULL, FAULT, false, 1, attest_judge_change_first_key_head},
    {"kv-head-next", NULL, FAULT, false, 1, attest_judge_change_next_key_head},
    {"batch-ignored", NULL, FAULT, false, 1, attest_judge_change_batch},
    {"row-moved", NULL, FAULT, false, 2, attest_judge_change_rows_moved},
    {"value-moved", NULL, FAULT, false, 1, attest_judge_change_next_value},
    {"scores-ignored", NULL, FAULT, false, 1, attest_judge_change_uniform},

    /* faults of their arithmetic, the smallest first */
    {"truncated-output", "truncated-output", ARITHMETIC, false, 1, attest_judge_change_output_truncated},
    {"tf32-inputs", "tf32-inputs", ARITHMETIC, false, 2, attest_judge_change_tf32},
    {"p-in-binary16", NULL, ARITHMETIC, false, 1, attest_judge_change_p_binary16},
    {"p-in-bfloat16", "p-in-bfloat16", ARITHMETIC, false, 1, attest_judge_change_p_bfloat16},
    {"output-in-16-bits", NULL, ARITHMETIC, false, 2, attest_judge_change_output_bfloat16},
    {"inputs-in-16-bits", NULL, ARITHMETIC, false, 4, attest_judge_change_inputs16},
    {"scores-in-16-bits", NULL, ARITHMETIC, false, 2, attest_judge_change_scores_rounded},
    {"approximate-exp", "approximate-exp", ARITHMETIC, false, 8, attest_judge_change_exp},
    {"sums-in-16-bits", NULL, ARITHMETIC, false, 4, attest_judge_change_accumulators},
    {NULL, NULL, FAULT, false, 0, NULL},
};
/* clang-format on */

const char *attest_judge_alternative_get_fault(const attest_judge_alternative **alternative,
                                               size_t *form, size_t i)
{
    static const struct {
        const char *name;
        size_t form;
    } fault[] = {{"zeros", 0},
                 {"dropped-tile", 0},
                 {"mask-off-by-one", 0},
                 {"swapped-heads", 0},
                 {"missing-scale", 0},
                 {"exp2-without-log2e", 0},
                 {"truncated-output", 0},
                 {"tf32-inputs", 0},
                 {"p-in-bfloat16", 0},
                 {"approximate-exp", 5}};

    if (i >= sizeof fault / sizeof *fault)
        return NULL;
    for (const attest_judge_alternative *row = attest_judge_alternatives; row->name; row++)
        if (alternative && row->fault && strcmp(row->fault, fault[i].name) == 0)
            *alternative = row;
    if (form)
        *form = fault[i].form;
    return fault[i].name;
}

const char *attest_judge_alternative_kind_name(attest_judge_alternative_kind kind)
{
    static const char *const name[] = {"setting", "model", "fault", "arithmetic"};

    return name[kind];
}

/* ---- changed problems ---- */

void attest_judge_changed_describe(attest_judge_changed *changed, const char *format, ...)
{
    size_t used = strlen(changed->sentence), room = sizeof changed->sentence;
    va_list arguments;

    if (used > 0 && used + 7 < room) {
        strcpy(changed->sentence + used, "; and ");
        used += 6;
    }
    va_start(arguments, format);
    vsnprintf(changed->sentence + used, room - used, format, arguments);
    va_end(arguments);
}

bool attest_judge_changed_add(attest_judge_changed *changed, attest_judge_edit_kind kind,
                              size_t a, size_t b)
{
    if (changed->edits == ATTEST_JUDGE_MOST_EDITS)
        return false;
    changed->edit[changed->edits++] = (attest_judge_edit){.kind = kind, .a = a, .b = b};
    return true;
}

size_t attest_judge_changed_get_tile(const attest_judge_changed *changed, size_t i)
{
    static const size_t size[] = {64, 128, 32, 16, 256, 512};
    size_t own = attest_judge_model_get_tile(&changed->model);

    if (own > 0 && i == 0)
        return own;
    i -= own > 0;
    if (i >= sizeof size / sizeof *size)
        return 0;
    return size[i] == own ? 0 : size[i];
}

static attest_status copy_model(attest_judge_model *to, const attest_judge_model *model,
                                attest_error *error)
{
    *to = *model; /* names and schedules stay those of the given model */
    to->variant = attest_memory_alloc(model->variants, sizeof *to->variant);
    if (!to->variant)
        return attest_memory_fail(error);
    memcpy(to->variant, model->variant, model->variants * sizeof *to->variant);
    return ATTEST_OK;
}

/* Whether the changed problem is one; sets its rows. */
static bool is_problem(attest_judge_changed *x)
{
    const attest_judge_options all = {.jobs = 1};
    attest_error error;

    if (!attest_judge_qkv_is_unequal(&x->qkv)) {
        attest_judge_problem problem;

        if (attest_judge_problem_init(&problem, &x->qkv, &error) != ATTEST_OK)
            return false;
        attest_judge_problem_clear(&problem);
    }
    return attest_judge_rows_init(&x->rows, &x->qkv, &all, &error) == ATTEST_OK;
}

attest_status attest_judge_changed_init(attest_judge_changed *changed, bool *applies,
                                        const attest_qkv *qkv, const attest_judge_model *model,
                                        const attest_judge_alternative *first,
                                        size_t first_form,
                                        const attest_judge_alternative *second,
                                        size_t second_form, attest_error *error)
{
    attest_judge_changed *x = changed;

    memset(x, 0, sizeof *x);
    *applies = false;
    x->qkv = *qkv;
    ATTEST_TRY(copy_model(&x->model, model, error));
    *applies = first->change(x, first_form) && (!second || second->change(x, second_form)) &&
               is_problem(x);
    if (*applies && !x->no_memory)
        return ATTEST_OK;
    attest_judge_changed_clear(x);
    return x->no_memory ? attest_memory_fail(error) : ATTEST_OK;
}

void attest_judge_changed_clear(attest_judge_changed *changed)
{
    attest_judge_rows_clear(&changed->rows);
    free(changed->model.variant);
    changed->model.variant = NULL; /* may be cleared again */
    for (size_t i = 0; i < changed->texts; i++)
        free(changed->text[i]);
    changed->texts = 0;
}
