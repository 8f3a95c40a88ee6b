/* Journals that are cut off at every byte, or have a bit flipped in every byte, are resumed and
 * merged. What is read is always a row of whole records from the beginning, and the resumed
 * campaign gives the report of the campaign that was not interrupted. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "campaign/merge.h"
#include "tests/campaign/toy.h"
#include "tests/tap.h"

#ifndef BITS_OF_A_BYTE
#define BITS_OF_A_BYTE 1 /* the number of bits that are flipped, one after another */
#endif
#ifndef RESUME_EVERY
#define RESUME_EVERY 211 /* one of this many damaged journals is resumed */
#endif

/* In memory if possible: it is synced many thousand times. */
static char directory[64] = "/dev/shm/t-journal.XXXXXX", path[96];
static const attest_property *list[2];
static attest_plan plan;
static attest_input original; /* the journal as it was written */
static char *expected;        /* the report */
static size_t start[64], records;

static void write_file(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "w");

    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        printf("Bail out! %s\n", path);
}

/* Opens the journal in the directory; with run, also resumes the campaign. */
static attest_status resume(bool run, attest_journal_tail *tail, size_t *entries, char **report,
                            attest_error *error)
{
    attest_campaign campaign;
    attest_journal journal;
    attest_status status = attest_campaign_init(&campaign, &plan, NULL, error);

    attest_journal_init(&journal);
    if (status == ATTEST_OK)
        status = attest_campaign_open(&campaign, &journal, directory, true, NULL, error);
    *tail = campaign.tail;
    *entries = 0;
    for (size_t p = 0; status == ATTEST_OK && p < plan.properties; p++)
        for (uint64_t c = 0; c < attest_plan_chunks(&plan, p); c++)
            *entries += attest_join_has(&campaign.join[p], c);
    if (status == ATTEST_OK && run)
        status = attest_campaign_run(&campaign, error);
    if (status == ATTEST_OK && report)
        *report = toy_report(&plan, campaign.join);
    attest_journal_close(&journal);
    attest_campaign_clear(&campaign);
    return status;
}

static void find_records(void)
{
    attest_frame_chain chain = {{0}};
    attest_frame frame;
    size_t at = 0;

    while (at < original.size && records < 63 &&
           attest_frame_parse(&frame, &chain, (const char *)original.data + at,
                              original.size - at) == ATTEST_FRAME_WHOLE) {
        start[records++] = at;
        at += frame.total;
    }
    start[records] = at;
}

static void test_written(void)
{
    attest_journal_tail tail;
    char *report = NULL;
    size_t entries;

    TAP_OK(resume(true, &tail, &entries, &expected, NULL) == ATTEST_OK && entries == 0,
           "a new journal");
    if (attest_input_open(&original, path, SIZE_MAX, NULL) != ATTEST_OK)
        printf("Bail out! no journal\n");
    find_records();
    TAP_OK(records == 10 && start[records] == original.size, "%zu records, %zu bytes", records,
           original.size);
    TAP_OK(resume(false, &tail, &entries, &report, NULL) == ATTEST_OK && entries == 9 &&
               tail.dropped == 0 && report && strcmp(report, expected) == 0,
           "read again, it gives the same report");
    free(report);
}

/* The text that a worker sends, with the seconds entered, equals the formatted record. */
static void test_seconds(void)
{
    attest_campaign_record entry;
    attest_text sent;
    char *without, *with;

    attest_campaign_record_init(&entry);
    entry.number = 3;
    entry.result.passed = 64;
    without = attest_campaign_record_format(&entry);
    entry.result.seconds = 0.1;
    with = attest_campaign_record_format(&entry);
    attest_text_init(&sent);
    attest_text_add(&sent, without);
    TAP_OK(attest_campaign_record_set_seconds(&sent, 0.1, NULL) == ATTEST_OK &&
               strcmp(sent.data, with) == 0 && sent.size == strlen(with),
           "the seconds are entered in an entry's text");
    TAP_OK(attest_campaign_record_set_seconds(&sent, 0.2, NULL) == ATTEST_FORMAT &&
               strcmp(sent.data, with) == 0,
           "where there are some already, the text is refused");
    attest_text_clear(&sent);
    free(without);
    free(with);
    attest_campaign_record_clear(&entry);
}

/* Returns whether reading recovers the first `good` records of a journal that is damaged after
 * them. */
static bool is_recovered(size_t good, bool damaged, bool run)
{
    attest_journal_tail tail;
    size_t entries;
    char *report = NULL;
    attest_error error;
    attest_status status = resume(run, &tail, &entries, run ? &report : NULL, &error);
    struct stat about;
    bool ok;

    if (good == 0)
        return status == ATTEST_IO;
    ok = status == ATTEST_OK && tail.records == good && entries == good - 1 &&
         (!damaged || tail.dropped > 0);
    if (ok && run)
        ok = report && strcmp(report, expected) == 0;
    else if (ok)
        ok = stat(path, &about) == 0 && (size_t)about.st_size == start[good];
    free(report);
    return ok;
}

static size_t whole_before(size_t size)
{
    size_t count = 0;

    while (count < records && start[count + 1] <= size)
        count++;
    return count;
}

static void test_truncated(void)
{
    size_t bad = 0, first = 0;

    for (size_t size = 0; size < original.size; size++) {
        write_file((const char *)original.data, size);
        if (!is_recovered(whole_before(size), false, size % RESUME_EVERY == 0) && bad++ == 0)
            first = size;
    }
    TAP_OK(bad == 0, "cut off at every byte (%zu wrong, first %zu)", bad, first);
}

static void test_flipped(void)
{
    char *bytes = malloc(original.size);
    size_t bad = 0, first = 0;

    for (size_t at = 0; bytes && at < original.size; at++) {
        for (unsigned b = 0; b < BITS_OF_A_BYTE; b++) {
            size_t good = whole_before(at);

            memcpy(bytes, original.data, original.size);
            bytes[at] ^= (char)(1 << (at + b) % 8);
            write_file(bytes, original.size);
            if (!is_recovered(good, true, at % RESUME_EVERY == 0 && good > 0) && bad++ == 0)
                first = at;
        }
    }
    TAP_OK(bad == 0, "a bit flipped in every byte (%zu wrong, first at %zu)", bad, first);
    free(bytes);
}

/* A record that is moved, repeated or removed is noticed, too. */
static void test_moved(void)
{
    const char *bytes = (const char *)original.data;
    size_t size = start[3] - start[2];
    char *other = malloc(2 * original.size);

    memcpy(other, bytes, start[2]);
    memcpy(other + start[2], bytes + start[3], original.size - start[3]);
    write_file(other, original.size - size);
    TAP_OK(is_recovered(2, true, true), "a record that is missing");
    memcpy(other, bytes, start[3]);
    memcpy(other + start[3], bytes + start[2], original.size - start[2]);
    write_file(other, original.size + size);
    TAP_OK(is_recovered(3, true, true), "a record that stands twice");
    free(other);
}

/* Resumes the campaign in a process whose files cannot exceed the limit. Returns whether it
 * reports that the disk is full; or, if its seconds were short enough for the journal to fit,
 * succeeds with all nine records. */
static bool is_reported(size_t limit)
{
    attest_journal_tail tail;
    size_t entries;
    int ended = 0;
    pid_t child;

    unlink(path);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct rlimit size = {limit, limit};

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &size);
        _exit(resume(true, &tail, &entries, NULL, NULL));
    }
    waitpid(child, &ended, 0);
    if (!WIFEXITED(ended))
        return false;
    if (WEXITSTATUS(ended) == ATTEST_OK)
        return resume(false, &tail, &entries, NULL, NULL) == ATTEST_OK && entries == 9;
    return WEXITSTATUS(ended) == ATTEST_IO;
}

/* A disk that is full after any number of bytes: the journal is cut back to whole records, the
 * campaign reports it, and can be resumed when there is space. */
static void test_full_disk(void)
{
    size_t bad = 0;

    for (size_t limit = 1; limit < original.size; limit += original.size / 40) {
        attest_journal_tail tail;
        size_t entries;
        char *report = NULL;

        if (!is_reported(limit) || resume(true, &tail, &entries, &report, NULL) != ATTEST_OK ||
            !report || strcmp(report, expected) != 0)
            bad++;
        free(report);
    }
    TAP_OK(bad == 0, "a disk that is full after any number of bytes (%zu wrong)", bad);
}

/* Space for all but the last byte of a record. */
static void test_last_byte(void)
{
    attest_journal journal;
    attest_status first = ATTEST_NOMEM, second = ATTEST_NOMEM;
    struct stat about;
    int ended = 0;
    pid_t child;

    unlink(path);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct rlimit limit;
        size_t before;

        attest_journal_init(&journal);
        if (attest_journal_create(&journal, path, "{}", NULL) != ATTEST_OK)
            _exit(1);
        before = journal.size;
        first = attest_journal_append(&journal, "{}", 2, NULL);
        limit.rlim_cur = limit.rlim_max = 2 * journal.size - before - 1;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        second = attest_journal_append(&journal, "{}", 2, NULL);
        _exit(!(first == ATTEST_OK && second == ATTEST_IO && stat(path, &about) == 0 &&
                (size_t)about.st_size == journal.size));
    }
    waitpid(child, &ended, 0);
    TAP_OK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0,
           "a disk without room for the last byte: an error, and the record is removed");
}

static void test_refused(void)
{
    attest_journal_tail tail;
    attest_error error;
    attest_plan mine = plan;
    size_t entries;

    write_file((const char *)original.data, original.size);
    plan.seed++;
    TAP_OK(resume(false, &tail, &entries, NULL, &error) == ATTEST_USAGE &&
               strstr(error.text, "seed"),
           "another seed: %s", error.text);
    plan = mine;
    plan.properties = 1;
    TAP_OK(resume(false, &tail, &entries, NULL, &error) == ATTEST_USAGE, "other properties: %s",
           error.text);
    plan = mine;
    plan.setting.without = "hope";
    TAP_OK(resume(false, &tail, &entries, NULL, &error) == ATTEST_USAGE, "another setting: %s",
           error.text);
    plan = mine;
}

static void test_lock(void)
{
    attest_directory mine, theirs;
    attest_error error;
    int ended = 0;
    pid_t child;

    TAP_OK(attest_directory_open(&mine, directory, NULL) == ATTEST_OK, "a directory is locked");
    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit((int)attest_directory_open(&theirs, directory, &error));
    waitpid(child, &ended, 0);
    TAP_OK(WIFEXITED(ended) && WEXITSTATUS(ended) == ATTEST_USAGE,
           "another process is refused");
    attest_directory_close(&mine);
    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit((int)attest_directory_open(&theirs, directory, &error));
    waitpid(child, &ended, 0);
    TAP_OK(WIFEXITED(ended) && WEXITSTATUS(ended) == ATTEST_OK,
           "another process can take a lock that was released");
}

static void remove_directory(void)
{
    static const char *const names[] = {"journal", "journal.damaged", "lock"};
    char name[128];

    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s/%s", directory, names[i]);
        unlink(name);
    }
    TAP_OK(rmdir(directory) == 0, "nothing else is left");
}

TEST(journal)
{
    if (!mkdtemp(directory) && !mkdtemp(strcpy(directory, "t-journal.XXXXXX")))
        printf("Bail out! no directory\n");
    snprintf(path, sizeof path, "%s/%s", directory, ATTEST_JOURNAL_NAME);
    list[0] = toy_find("holds");
    list[1] = toy_find("fails");
    plan = toy_plan(list, 2);
    plan.trials = 48;
    plan.jobs = 2;
    test_seconds();
    test_written();
    test_truncated();
    test_flipped();
    test_moved();
    test_full_disk();
    test_last_byte();
    test_refused();
    test_lock();
    attest_input_close(&original);
    free(expected);
    remove_directory();
    flint_cleanup();
    return 0;
}
