/* replay.c -- a replayed counterexample as JSON and as text. */
#include "report/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>
#include <attest/number.h>

#include "base/memory.h"
#include "base/scope.h"
#include "report/print.h"

static void write_entry(attest_json *json, const attest_view *view, attest_view_kind kind,
                        size_t e)
{
    if (kind == ATTEST_VIEW_EXACT)
        attest_json_write_rational(json, NULL, view->rational + e);
    else if (kind == ATTEST_VIEW_BALL)
        attest_json_write_ball(json, NULL, view->output + e);
    else
        attest_json_write_arf(json, NULL, arb_midref(view->output + e));
}

static void write_view(attest_json *json, const attest_replay *replay, attest_view_kind kind)
{
    const attest_view *view = &replay->view[kind];

    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "name", view->name);
    attest_json_write_array(json, "outputs");
    for (size_t s = 0; s < 2; s++) {
        attest_json_write_array(json, NULL);
        for (size_t c = 0; c < replay->dim; c++)
            write_entry(json, view, kind, s * replay->dim + c);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_bool(json, "equal", view->finite && arb_is_zero(view->separation));
    if (view->finite)
        attest_json_write_ball(json, "separation", view->separation);
    else
        attest_json_write_null(json, "separation");
    attest_json_write_close(json);
}

void attest_report_replay_json(attest_json *json, const char *path,
                               const attest_counterexample *file, const attest_replay *replay)
{
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "file", path);
    attest_json_write_string(json, "property", file->property);
    attest_json_write_string(json, "definition", file->definition);
    attest_json_write_string(json, "verdict", attest_trial_outcome_name(replay->outcome));
    attest_json_write_bool(json, "reproduced", replay->outcome == ATTEST_VIOLATED);
    attest_json_write_string(json, "decided_by", replay->decided_by);
    attest_json_write_string(json, "reason", replay->reason);
    if (!isnan(replay->margin))
        attest_json_write_measure(json, "log2_margin", replay->margin);
    if (replay->has_pair) {
        attest_json_write_array(json, "pair");
        for (size_t s = 0; s < 2; s++) {
            attest_json_write_array(json, NULL);
            attest_json_write_count(json, NULL, replay->pair[s].sequence);
            attest_json_write_count(json, NULL, replay->pair[s].position);
            attest_json_write_close(json);
        }
        attest_json_write_close(json);
    }
    attest_json_write_array(json, "systems");
    for (size_t k = 0; k < ATTEST_VIEWS; k++)
        if (replay->view[k].available)
            write_view(json, replay, (attest_view_kind)k);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

static void print_entry(FILE *stream, const attest_view *view, attest_view_kind kind, size_t e)
{
    const arf_struct *x = arb_midref(view->output + e);
    char *text ATTEST_FREED = NULL;

    if (kind == ATTEST_VIEW_EXACT)
        text = attest_number_format(view->rational + e);
    else if (kind == ATTEST_VIEW_BALL)
        text = attest_ball_format_text(view->output + e);
    else if (arf_is_finite(x))
        text = attest_ball_format_arf(x);
    else
        text = attest_memory_copy("not a number");
    attest_fprint(stream, "%s", attest_or_exit(text));
}

static void print_view(FILE *stream, const attest_replay *replay, attest_view_kind kind)
{
    const attest_view *view = &replay->view[kind];
    char *text;

    attest_fprint(stream, "  %s\n", view->name);
    for (size_t s = 0; s < 2; s++) {
        attest_fprint(stream, "    (");
        for (size_t c = 0; c < replay->dim; c++) {
            attest_fprint(stream, "%s", c ? ", " : "");
            print_entry(stream, view, kind, s * replay->dim + c);
        }
        attest_fprint(stream, ")\n");
    }
    if (!view->finite) {
        attest_fprint(stream, "    not finite\n");
    } else if (arb_is_zero(view->separation)) {
        attest_fprint(stream, "    equal\n");
    } else {
        text = attest_ball_format_text(view->separation);
        attest_fprint(stream, "    apart by %s\n", attest_or_exit(text));
        free(text);
    }
}

void attest_report_replay_text(FILE *stream, const char *path, const attest_replay *replay)
{
    attest_fprint(stream, "%s", path);
    attest_fprint(stream, ": %s (",
                  replay->outcome == ATTEST_VIOLATED ? "the violation is confirmed"
                  : replay->outcome == ATTEST_HELD
                      ? "not violated"
                      : attest_trial_outcome_name(replay->outcome));
    attest_fprint(stream, "%s", replay->reason);
    attest_fprint(stream, ")\n  decided by ");
    attest_fprint(stream, "%s", replay->decided_by);
    attest_fprint(stream, "\n");
    if (replay->has_pair && replay->dim > 0)
        attest_fprint(stream, "  outputs at [%zu,%zu] and [%zu,%zu]:\n",
                      replay->pair[0].sequence, replay->pair[0].position,
                      replay->pair[1].sequence, replay->pair[1].position);
    for (size_t k = 0; k < ATTEST_VIEWS; k++)
        if (replay->view[k].available)
            print_view(stream, replay, (attest_view_kind)k);
}
