/* chunk_result.c -- what the trials of a chunk, or of several, gave. */
#include "campaign/chunk_result.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

void attest_chunk_result_init(attest_chunk_result *result)
{
    memset(result, 0, sizeof *result);
}

void attest_chunk_result_clear(attest_chunk_result *result)
{
    for (size_t l = 0; l < result->labels; l++)
        free(result->label[l].name);
    free(result->label);
    for (size_t v = 0; v < result->violations; v++) {
        free(result->violation[v].reason);
        free(result->violation[v].text);
    }
    free(result->violation);
    free(result->tightest_text);
    free(result->open_reason);
    free(result->death);
    free(result->observations);
    attest_chunk_result_init(result);
}

attest_status attest_chunk_result_add_label(attest_chunk_result *result, const char *name,
                                            uint64_t count)
{
    attest_label_count *all;
    char *copy;

    for (size_t l = 0; l < result->labels; l++) {
        if (strcmp(result->label[l].name, name) == 0) {
            result->label[l].count += count;
            return ATTEST_OK;
        }
    }
    all = attest_memory_resize(result->label, result->labels + 1, sizeof *all);
    if (!all)
        return ATTEST_NOMEM;
    result->label = all;
    copy = attest_memory_copy(name);
    if (!copy)
        return ATTEST_NOMEM;
    all[result->labels++] = (attest_label_count){copy, count};
    return ATTEST_OK;
}

attest_status attest_chunk_result_add_violation(attest_chunk_result *result,
                                                const attest_violation *violation)
{
    attest_violation *all = NULL;

    if (violation->text && violation->reason)
        all = attest_memory_resize(result->violation, result->violations + 1, sizeof *all);
    if (!all) {
        free(violation->text);
        free(violation->reason);
        return ATTEST_NOMEM;
    }
    result->violation = all;
    all[result->violations++] = *violation;
    return ATTEST_OK;
}

attest_status attest_chunk_result_add_death(attest_chunk_result *result,
                                            const attest_death *death)
{
    attest_death *all = attest_memory_resize(result->death, result->deaths + 1, sizeof *all);

    if (!all)
        return ATTEST_NOMEM;
    result->death = all;
    all[result->deaths++] = *death;
    return ATTEST_OK;
}

/* Takes the text over, unless there is one. */
static void take(char **text, char **next)
{
    if (*text)
        return;
    *text = *next;
    *next = NULL;
}

static void join_tightest(attest_chunk_result *result, attest_chunk_result *next)
{
    if (!next->has_tightest || (result->has_tightest && next->tightest >= result->tightest))
        return;
    free(result->tightest_text);
    result->has_tightest = true;
    result->tightest = next->tightest;
    result->tightest_text = next->tightest_text;
    next->tightest_text = NULL;
}

static attest_status join_lists(attest_chunk_result *result, attest_chunk_result *next)
{
    for (size_t l = 0; l < next->labels; l++)
        ATTEST_TRY(
            attest_chunk_result_add_label(result, next->label[l].name, next->label[l].count));
    for (size_t d = 0; d < next->deaths; d++)
        ATTEST_TRY(attest_chunk_result_add_death(result, &next->death[d]));
    for (size_t v = 0; v < next->violations; v++) {
        attest_violation violation = next->violation[v];

        next->violation[v].text = next->violation[v].reason = NULL;
        ATTEST_TRY(attest_chunk_result_add_violation(result, &violation));
    }
    return ATTEST_OK;
}

attest_status attest_chunk_result_join(attest_chunk_result *result, attest_chunk_result *next)
{
    attest_status status;

    result->passed += next->passed;
    result->failed += next->failed;
    result->discarded += next->discarded;
    result->undecided += next->undecided;
    result->searched += next->searched;
    result->seconds += next->seconds;
    join_tightest(result, next);
    take(&result->open_reason, &next->open_reason);
    status = join_lists(result, next);
    attest_chunk_result_clear(next);
    return status;
}
