/* judge_lse.c -- attest judge --lse: is the log-sum-exp of a kernel right? */
#include "cli/judge_lse.h"

#include <math.h>
#include <stdlib.h>

#include <attest/ball.h>

#include "base/memory.h"
#include "judge/judgement.h"
#include "model/qkv_lse.h"
#include "report/print.h"

const char *const attest_cli_lse_bases[] = {"e", "2", NULL};
const char *const attest_cli_lse_empties[] = {"neg-inf", "pos-inf", "zero", "nan", "any", NULL};

void attest_cli_lse_init(attest_cli_lse *lse)
{
    lse->base = lse->empty = -1;
}

int attest_cli_lse_check(const attest_cli_lse *lse)
{
    if (!lse->text && (lse->base >= 0 || lse->empty >= 0))
        return attest_cli_refuse("%s needs a log-sum-exp: --lse FILE:NAME",
                                 lse->base >= 0 ? "--lse-base" : "--empty-lse");
    return EXIT_HOLDS;
}

attest_judge_lse_options attest_cli_lse_options(const attest_cli_lse *lse)
{
    return (attest_judge_lse_options){
        .base = lse->base < 0 ? NULL : attest_cli_lse_bases[lse->base],
        .empty = lse->empty < 0 ? NULL : attest_cli_lse_empties[lse->empty]};
}

int attest_cli_lse_open(attest_cli_lse *lse, attest_cli_qkv *x)
{
    attest_error error;

    if (!lse->text)
        return EXIT_HOLDS;
    lse->layer = attest_memory_alloc(x->source.layers, sizeof *lse->layer);
    if (!lse->layer) {
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    if (attest_qkv_lse_open(&lse->input, lse->text, &x->source, &x->common->budget, &error))
        return attest_cli_fail_input(&error);
    return EXIT_HOLDS;
}

void attest_cli_lse_close(attest_cli_lse *lse)
{
    free(lse->layer);
    attest_qkv_output_close(&lse->input);
}

int attest_cli_lse_judge(attest_cli_lse *lse, attest_cli_qkv *x, size_t place)
{
    const attest_judge_lse_options how = attest_cli_lse_options(lse);
    size_t rows = x->shape[0] * x->shape[1] * x->shape[2];
    double *value = attest_memory_alloc(rows, sizeof *value);
    attest_error error;
    int code = EXIT_HOLDS;

    if (!value) {
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    lse->layer[place].number = x->layer;
    if (attest_qkv_lse_read(value, &lse->input, &x->source, place, x->shape, &error))
        code = attest_cli_fail_input(&error);
    else if (attest_lse_judgement_set(&lse->layer[place], value, &x->qkv, x->model, &how,
                                      &x->options, &error))
        code = attest_cli_qkv_fail(x, &error);
    lse->layers = place + 1;
    free(value);
    return code;
}

int attest_cli_lse_code(const attest_cli_lse *lse)
{
    static const int code[] = {[ATTEST_JUDGE_WITHIN] = EXIT_HOLDS,
                               [ATTEST_JUDGE_WRONG] = EXIT_FAILS,
                               [ATTEST_JUDGE_UNDECIDED] = EXIT_UNDECIDED};

    return lse->text ? code[attest_lse_judgement_total(lse->layer, lse->layers)] : EXIT_HOLDS;
}

static void print_verdict(const attest_cli_lse *lse, const char *kernel)
{
    size_t wrong = 0, undecided = 0, rows = 0;

    for (size_t i = 0; i < lse->layers; i++) {
        wrong += lse->layer[i].wrong;
        undecided += lse->layer[i].undecided;
        rows += lse->layer[i].within;
    }
    rows += wrong + undecided;
    attest_print("log-sum-exp ");
    switch (attest_lse_judgement_total(lse->layer, lse->layers)) {
    case ATTEST_JUDGE_WITHIN:
        attest_paint_print(stdout, ATTEST_PAINT_GOOD, "within");
        attest_print(": all %zu rows are within what a kernel of %s can return\n", rows,
                     kernel);
        break;
    case ATTEST_JUDGE_WRONG:
        attest_paint_print(stdout, ATTEST_PAINT_BAD, "proved wrong");
        attest_print(": %zu of %zu rows are outside what any kernel of %s can return\n", wrong,
                     rows, kernel);
        break;
    case ATTEST_JUDGE_UNDECIDED:
        attest_paint_print(stdout, ATTEST_PAINT_OPEN, "undecided");
        attest_print(": %zu of %zu rows are undecided; the others are within\n", undecided,
                     rows);
        break;
    }
}

static void print_hints(const attest_cli_lse *lse)
{
    size_t empty = 0;

    for (size_t i = 0; i < lse->layers; i++)
        empty += lse->layer[i].wrong_empty;
    if (empty > 0)
        attest_print("%zu of them see no key: is --empty-lse right?\n", empty);
    if (attest_lse_judgement_other_base(lse->layer, lse->layers))
        attest_print("within in the other base: is --lse-base %s right?\n",
                     attest_lse_judgement_base_name(lse->layer->base, false));
    for (size_t i = 0; i < lse->layers; i++)
        if (lse->layer[i].undecided && lse->layer[i].unbounded)
            attest_print("undecided because: %s\n", lse->layer[i].unbounded);
}

static void print_exact(const attest_lse_worst *worst)
{
    arb_t exact;
    char *text;

    if (!isfinite(worst->exact)) {
        attest_print("  exact          %g, an empty sum\n", worst->exact);
        return;
    }
    arb_init(exact);
    arb_set_d(exact, worst->exact);
    mag_set_d(arb_radref(exact), worst->error);
    text = attest_ball_format_text(exact);
    attest_print("  exact          %s\n", attest_or_exit(text));
    free(text);
    arb_clear(exact);
}

void attest_cli_lse_print(const attest_cli_lse *lse, const attest_cli_qkv *x)
{
    const attest_lse_judgement *layer = attest_lse_judgement_worst(lse->layer, lse->layers);
    const attest_lse_worst *worst;
    size_t at[3];

    if (!lse->text)
        return;
    attest_print("\n");
    print_verdict(lse, x->model->name);
    print_hints(lse);
    if (!layer)
        return;
    worst = &layer->worst;
    attest_lse_judgement_get_place(at, layer, worst->place);
    attest_print("worst row        ");
    if (x->source.layered)
        attest_print("layer %zu, ", layer->number);
    if (layer->shape[0] > 1)
        attest_print("batch %zu, ", at[0]);
    attest_print("head %zu, row %zu\n", at[1], at[2]);
    attest_print("  returned       %.17g%s\n", worst->output,
                 worst->uncast ? ", not a number of the format of the log-sum-exp" : "");
    print_exact(worst);
    attest_print("  may be         %.9g to %.9g\n", worst->lo, worst->hi);
    if (!worst->empty)
        attest_print("  error/bound    %.4g (bound %.4g)\n", worst->ratio, worst->bound);
}

void attest_cli_lse_write(attest_json *json, const attest_cli_lse *lse)
{
    if (lse->text)
        attest_lse_judgement_write(json, "lse", lse->layer, lse->layers);
}
