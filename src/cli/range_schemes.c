/* range_schemes.c -- attest range --max-error: the smallest scheme for K and V, head by head.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "cli/range.h"

static int no_memory(void)
{
    attest_error error;

    attest_memory_fail(&error);
    return attest_cli_fail(&error);
}

int attest_cli_range_parse_schemes(range_job *job)
{
    size_t count = 0;
    char *rest = NULL;

    if (job->schemes && !job->within.given)
        return attest_cli_refuse("--schemes needs --max-error R");
    if (!job->schemes)
        return EXIT_HOLDS;
    job->scheme_text = attest_memory_copy(job->schemes);
    job->scheme = attest_memory_alloc(strlen(job->schemes) + 1, sizeof *job->scheme);
    if (!job->scheme_text || !job->scheme)
        return no_memory();
    for (char *name = strtok_r(job->scheme_text, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest)) {
        attest_block_format format;
        attest_error error;

        if (attest_block_parse(&format, name, &error))
            return attest_cli_refuse("--schemes: %s", error.text);
        job->scheme[count++] = name;
    }
    if (count == 0)
        return attest_cli_refuse("--schemes: the list is empty");
    return EXIT_HOLDS;
}

void attest_cli_range_clear_schemes(range_job *job)
{
    free(job->scheme_text);
    free(job->scheme);
    free(job->head);
}

int attest_cli_range_find_schemes(range_job *job)
{
    attest_cli_qkv *x = &job->x;
    size_t heads = x->shape[0] * x->shape[1];
    const char *const *schemes =
        job->scheme ? (const char *const *)job->scheme : attest_judge_schemes;
    attest_judge_scheme *best ATTEST_FREED = attest_memory_alloc(heads, sizeof *best);
    attest_error error;

    if (!best ||
        !attest_memory_grow(&job->head, &job->head_room, job->heads + heads, sizeof *job->head))
        return no_memory();
    /* a bound below the number that is asked for, if they differ */
    if (attest_judge_scheme_find(best, &x->qkv, x->model,
                                 fmpq_get_d(job->within.value) * (1 - 0x1p-52), schemes,
                                 &x->options, &error))
        return attest_cli_qkv_fail(x, &error);
    for (size_t h = 0; h < heads; h++)
        job->head[job->heads++] =
            (range_head){x->layer, h / x->shape[1], h % x->shape[1], best[h]};
    return EXIT_HOLDS;
}

void attest_cli_range_write_schemes(attest_json *json, const range_job *job)
{
    if (!job->within.given)
        return;
    attest_json_write_object(json, "schemes");
    attest_json_write_rational(json, "within", job->within.value);
    attest_json_write_array(json, "heads");
    for (size_t i = 0; i < job->heads; i++) {
        const range_head *head = &job->head[i];

        attest_json_write_object(json, NULL);
        attest_json_write_count(json, "layer", head->layer);
        attest_json_write_count(json, "batch", head->batch);
        attest_json_write_count(json, "head", head->head);
        attest_json_write_string(json, "scheme", head->scheme.name);
        if (head->scheme.name) {
            attest_json_write_double(json, "relative_error", head->scheme.relative);
            attest_json_write_count(json, "pairs_apart", head->scheme.pairs);
        }
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_close(json);
}

void attest_cli_range_print_schemes(const range_job *job)
{
    char *text;

    if (!job->within.given)
        return;
    text = fmpq_get_str(NULL, 10, job->within.value);
    attest_print(
        "\nsmallest scheme for K and V with outputs within %s of the exact ones and all rows "
        "apart:\n",
        text);
    flint_free(text);
    for (size_t i = 0; i < job->heads; i++) {
        const range_head *head = &job->head[i];

        if (job->x.source.layered)
            attest_print("  layer %zu,", head->layer);
        attest_print("  batch %zu, head %-4zu %-24s", head->batch, head->head,
                     head->scheme.name ? head->scheme.name : "none of those tried");
        if (head->scheme.name)
            attest_print(" proved %.3g, %zu pairs of rows apart", head->scheme.relative,
                         head->scheme.pairs);
        attest_print("\n");
    }
}
