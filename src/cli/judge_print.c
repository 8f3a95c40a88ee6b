/* judge_print.c -- what attest judge tells a person. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>

#include "cli/judge.h"
#include "report/need.h"
#include "report/paint.h"

enum { SHOWN_RANGES = 20, BAR = 40 };

static void print_verdict(const attest_judge_counts *total, const char *kernel)
{
    size_t all = total->within + total->wrong + total->undecided;

    switch (attest_judge_counts_verdict(total)) {
    case ATTEST_JUDGE_WITHIN:
        attest_paint_print(stdout, ATTEST_PAINT_GOOD, "within");
        attest_print(": all %zu elements are what a kernel of %s may return here\n", all,
                     kernel);
        break;
    case ATTEST_JUDGE_WRONG:
        attest_paint_print(stdout, ATTEST_PAINT_BAD, "proved wrong");
        attest_print(": %zu of %zu elements are what no kernel of %s returns\n", total->wrong,
                     all, kernel);
        break;
    case ATTEST_JUDGE_UNDECIDED:
        attest_paint_print(stdout, ATTEST_PAINT_OPEN, "undecided");
        attest_print(": nothing is known of %zu of %zu elements; the others are within\n",
                     total->undecided, all);
        break;
    }
}

/* Elements that are no numbers of the output format, or of any where the model lists several.
 */
static void print_uncast(size_t uncast, const attest_judge_model *model)
{
    if (uncast == 0)
        return;
    attest_print("%zu of them are not numbers of ", uncast);
    for (size_t i = 0, same; i < model->variants; i++) {
        const char *name = model->variant[i].output.name;

        for (same = 0; strcmp(name, model->variant[same].output.name) != 0;)
            same++;
        if (same == i)
            attest_print("%s%s", i ? " or " : "", name);
    }
    attest_print(", the output format of the model: a final cast is missing\n");
}

/* "head 3, rows 64-127 (all 64 columns): 4096 elements" */
static void print_range(const judge_job *job, const attest_judgement *layer,
                        const attest_judge_wrong_rows *range)
{
    size_t columns = layer->summary.shape[3];
    size_t block = (range->last - range->first + 1) * columns;

    attest_print("  ");
    if (job->x.source.layered)
        attest_print("layer %zu, ", layer->number);
    if (layer->summary.shape[0] > 1)
        attest_print("batch %zu, ", range->batch);
    attest_print("head %zu, row%s %zu", range->head, range->first < range->last ? "s" : "",
                 range->first);
    if (range->first < range->last)
        attest_print("-%zu", range->last);
    if (range->wrong == block)
        attest_print(" (all %zu columns)\n", columns);
    else
        attest_print(" (%zu of %zu elements, columns %zu to %zu)\n", range->wrong, block,
                     range->first_column, range->last_column);
}

static void print_ranges(const judge_job *job, const attest_judgement *layer)
{
    size_t shown = 0, all = 0;

    for (size_t i = 0; i < job->layers; i++) {
        all += layer[i].summary.ranges;
        for (size_t k = 0; k < layer[i].summary.ranges && shown < SHOWN_RANGES; k++, shown++)
            print_range(job, &layer[i], &layer[i].summary.range[k]);
    }
    if (all > shown)
        attest_print("  and %zu more\n", all - shown);
}

/* What each stage has of the bound, the largest first named. */
static void print_terms(const attest_judge_terms *terms)
{
    double all = 0;
    int most = 0;

    if (!terms->set)
        return;
    for (int i = 0; i < ATTEST_JUDGE_STAGES; i++) {
        all += terms->part[i];
        most = terms->part[i] > terms->part[most] ? i : most;
    }
    attest_print("  of the bound   most by %s; to first order:\n",
                 attest_judge_stage_name((attest_judge_stage)most));
    for (int i = 0; i < ATTEST_JUDGE_STAGES; i++)
        attest_print("    (%d) %-9s %.3g (%.0f %%)\n", i < 6 ? i + 1 : 6,
                     attest_judge_stage_name((attest_judge_stage)i), terms->part[i],
                     100 * terms->part[i] / all);
}

static void print_worst(const judge_job *job, const attest_judgement *layer)
{
    const attest_judge_worst *worst;
    char place[ATTEST_CLI_PLACE_SIZE];
    arb_t exact;
    char *text;

    if (!layer)
        return;
    worst = &layer->summary.worst;
    arb_init(exact);
    arb_set_d(exact, worst->exact);
    mag_set_d(arb_radref(exact), worst->error);
    text = attest_ball_format_text(exact);
    attest_cli_qkv_format_place(place, &job->x, layer->number, layer->summary.shape,
                                worst->place);
    attest_print("worst element    %s\n", place);
    attest_print("  output         %.17g%s\n", worst->output,
                 worst->uncast ? ", not a number of the output format" : "");
    attest_print("  exact          %s\n", attest_need_text(text));
    attest_print("  may be         %.9g to %.9g\n", worst->lo, worst->hi);
    attest_print("  error/bound    %.4g (bound %.4g)\n", worst->ratio, worst->bound);
    print_terms(&layer->terms);
    free(text);
    arb_clear(exact);
}

/* A line for each power of two, its bar as long as the share of the elements. */
static void print_histogram(const judge_job *job, const attest_judgement *layer)
{
    size_t bin[ATTEST_JUDGE_BINS] = {0}, most = 0;

    for (size_t k = 0; k < ATTEST_JUDGE_BINS; k++) {
        for (size_t i = 0; i < job->layers; i++)
            bin[k] += layer[i].summary.bin[k];
        most = bin[k] > most ? bin[k] : most;
    }
    if (most == 0)
        return;
    attest_print("error/bound\n");
    for (size_t k = 0; k < ATTEST_JUDGE_BINS; k++) {
        int exponent = (int)k + ATTEST_JUDGE_LEAST, bar;

        if (bin[k] == 0)
            continue;
        bar = (int)((double)BAR * (double)bin[k] / (double)most + 0.999);
        if (k + 1 < ATTEST_JUDGE_BINS)
            attest_print("  below 2^%-4d %10zu  %.*s\n", exponent, bin[k], bar,
                         "########################################");
        else
            attest_print("  above 2^%-4d %10zu  %.*s\n", exponent - 1, bin[k], bar,
                         "########################################");
    }
}

static void print_hints(const judge_job *job, const attest_judgement *layer)
{
    for (size_t i = 0; i < job->layers; i++) {
        if (layer[i].by_schedule && layer[i].summary.all.wrong)
            attest_print(
                "each element is within for some schedule of the model, but no one schedule "
                "returns them all;\nschedule %zu leaves the fewest out\n",
                layer[i].schedule);
        for (int f = 0; f < ATTEST_JUDGE_FAULTS; f++)
            if (layer[i].fault[f]) {
                if (job->x.source.layered)
                    attest_print("layer %zu: ", layer[i].number);
                attest_print("a kernel with this fault returns such an output: %s\n",
                             attest_judge_fault_name((attest_judge_fault)f));
            }
        if (layer[i].summary.all.undecided && layer[i].unbounded)
            attest_print("undecided because: %s\n", layer[i].unbounded);
    }
}

static void print_findings(const judge_job *job, const attest_judgement *layer)
{
    attest_judge_counts total = attest_judgement_total(layer, job->layers);

    print_verdict(&total, job->x.model->name);
    print_uncast(total.uncast, job->x.model);
    print_ranges(job, layer);
    print_hints(job, layer);
    print_worst(job, attest_judgement_worst(layer, job->layers));
    print_histogram(job, layer);
}

static void print_difference(const judge_job *job)
{
    for (size_t i = 0; i < job->layers; i++) {
        const attest_judge_difference *d = &job->difference[i];
        char place[ATTEST_CLI_PLACE_SIZE];

        if (job->x.source.layered)
            attest_print("layer %zu: ", job->layer[i].number);
        if (d->differ == 0) {
            attest_print("the outputs are the same\n");
            continue;
        }
        attest_print(
            "the outputs differ in %zu elements, in %zu by more than two kernels of the "
            "model can%s\n",
            d->differ, d->beyond, d->beyond ? ": one of them is wrong" : "");
        if (!d->has_at)
            continue;
        attest_cli_qkv_format_place(place, &job->x, job->layer[i].number,
                                    job->layer[i].summary.shape, d->at);
        attest_print(
            "  the most, %.4g of what is allowed, at %s: %.9g and %.9g, %.4g apart, %.4g "
            "allowed\n",
            d->ratio, place, d->y, d->z, d->y > d->z ? d->y - d->z : d->z - d->y, d->allowed);
    }
}

void attest_cli_judge_print(judge_job *job)
{
    print_findings(job, job->layer);
    attest_cli_qkv_print_quantise(&job->x);
    if (!job->against)
        return;
    attest_print("\nthe other output, ");
    attest_print("%s", job->against);
    attest_print("\n");
    print_findings(job, job->other);
    attest_print("\n");
    print_difference(job);
}
