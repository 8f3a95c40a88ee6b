/* campaign_open.c -- the journal of a campaign: a new one, or one that is gone on with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/scope.h"
#include "campaign/campaign.h"

/* What a reader of the journal needs. */
typedef struct opening {
    const char *plan;
    attest_campaign *campaign;
} opening;

/* The line at text[0..size) without indentation and comma: a member of the plan. */
static void trim(const char **line, size_t *length, const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);

    *line = text;
    *length = end ? (size_t)(end - text) : size;
    while (*length > 0 && **line == ' ') {
        ++*line;
        --*length;
    }
    if (*length > 0 && (*line)[*length - 1] == ',')
        --*length;
}

/* Plans are text with a member a line: the first that differs says what is different. */
static attest_status refuse(const char *theirs, size_t size, const char *ours,
                            attest_error *error)
{
    const char *their_line, *our_line;
    size_t their_length, our_length, same = 0, line = 0, rest = strlen(ours);

    while (same < size && same < rest && theirs[same] == ours[same]) {
        if (theirs[same] == '\n')
            line = same + 1;
        same++;
    }
    if (line >= size || line >= rest || !memchr(theirs + line, '"', size - line) ||
        strchr(ours + line, '"') == NULL)
        return attest_error_set(error, ATTEST_USAGE,
                                "the journal is that of a campaign of other properties");
    trim(&their_line, &their_length, theirs + line, size - line);
    trim(&our_line, &our_length, ours + line, rest - line);
    return attest_error_set(error, ATTEST_USAGE,
                            "the journal is that of another campaign: it has %.*s, not %.*s",
                            (int)(their_length < 100 ? their_length : 100), their_line,
                            (int)(our_length < 100 ? our_length : 100), our_line);
}

static attest_status check_plan(void *env, const char *text, size_t size, attest_budget *budget,
                                attest_error *error)
{
    const opening *open = env;

    (void)budget;
    if (size == strlen(open->plan) && memcmp(text, open->plan, size) == 0)
        return ATTEST_OK;
    return refuse(text, size, open->plan, error);
}

static attest_status add_entry(void *env, attest_entry *entry, const attest_frame *frame,
                               attest_error *error)
{
    const opening *open = env;

    (void)frame;
    if (entry->property >= open->campaign->plan->properties)
        return attest_error_set(error, ATTEST_FORMAT, "there is no property %zu",
                                entry->property);
    return attest_tally_add(&open->campaign->tally[entry->property], entry, error);
}

attest_status attest_campaign_open(attest_campaign *campaign, attest_journal *journal,
                                   const char *folder, bool resume, attest_budget *budget,
                                   attest_error *error)
{
    char *path ATTEST_FREED = attest_folder_join(folder, ATTEST_JOURNAL_NAME);
    char *plan ATTEST_FREED = attest_plan_format(campaign->plan, true);
    opening open = {plan, campaign};
    attest_journal_reader reader = {
        .plan = check_plan, .entry = add_entry, .env = &open, .budget = budget};

    if (!path || !plan)
        return attest_memory_fail(error);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        ATTEST_TRY(attest_journal_create(journal, path, plan, error));
    else if (!resume)
        return attest_error_set(error, ATTEST_USAGE,
                                "%s: holds a campaign already (--resume goes on with it)",
                                folder);
    else
        ATTEST_TRY(attest_journal_resume(journal, &campaign->tail, path, &reader, error));
    campaign->journal = journal;
    return ATTEST_OK;
}

static attest_status skip_record(void *env, const attest_frame *frame, attest_error *error)
{
    (void)env;
    (void)frame;
    (void)error;
    return ATTEST_OK;
}

attest_status attest_campaign_check_plan(const attest_plan *plan, const char *folder,
                                         attest_budget *budget, attest_error *error)
{
    char *path ATTEST_FREED = attest_folder_join(folder, ATTEST_JOURNAL_NAME);
    char *text ATTEST_FREED = attest_plan_format(plan, true);
    opening open = {.plan = text};
    attest_journal_reader reader = {
        .plan = check_plan, .record = skip_record, .env = &open, .budget = budget};
    attest_journal_tail tail;

    if (!path || !text)
        return attest_memory_fail(error);
    return attest_journal_read(&tail, path, &reader, error);
}
