/* Journals of two directories, merged. The first byte chooses their plan and whether --partial
 * is given; bytes from one 0xff to the next are the payloads of chunks, and 0xfe begins the
 * second journal. What cannot be merged is refused; what can is read again to the same. Plans
 * are this program's own: it refuses those of other versions, and fuzz-journal has them. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/merge.h"
#include "props/registry.h"
#include "tests/fuzz/fuzz.h"

enum {
    PARTIAL = 1,
    TWO_SHARDS = 2,
    KEEP_GOING = 4,
    OBSERVE = 8,
    SAME_SHARD = 16,
    SWITCHES = 32
};

enum { CHUNKS = 8 }; /* of a journal: more than the plan has */

static char directory[2][64], *root;

static void remove_directories(void)
{
    char path[160];

    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/journal", directory[i]);
        unlink(path);
        rmdir(directory[i]);
    }
    rmdir(root);
}

static void make_directories(void)
{
    static char memory[] = "/dev/shm/fuzz-merge.XXXXXX", disk[] = "/tmp/fuzz-merge.XXXXXX";

    root = mkdtemp(memory); /* a file is written anew for every run */
    if (!root)
        root = mkdtemp(disk);
    if (!root)
        abort();
    for (int i = 0; i < 2; i++) {
        snprintf(directory[i], sizeof directory[i], "%s/%d", root, i);
        if (mkdir(directory[i], 0700) != 0)
            abort();
    }
    atexit(remove_directories);
}

/* The plan of journal i under these switches, made once. */
static const char *plan_text(unsigned switches, unsigned i)
{
    static char *text[SWITCHES][2];
    const attest_property *list[2] = {attest_property_get("lemma1"),
                                      attest_property_get("theorem1-search")};
    attest_plan plan = {.seed = 1,
                        .trials = 70,
                        .properties = 2,
                        .property = list,
                        .shard = switches & SAME_SHARD || !(switches & TWO_SHARDS) ? 1 : 1 + i,
                        .shards = switches & TWO_SHARDS ? 2 : 1,
                        .named = true,
                        .keep_going = switches & KEEP_GOING,
                        .observe = switches & OBSERVE,
                        .jobs = 1};

    if (!text[switches][i])
        text[switches][i] = attest_plan_format(&plan, true);
    return text[switches][i];
}

/* Journal i, with the payloads in data[0..size). */
static void write_journal(unsigned switches, unsigned i, const uint8_t *data, size_t size)
{
    const char *plan = plan_text(switches, i);
    attest_frame_chain chain = {{0}};
    char path[160];
    attest_text text;
    int file;

    attest_text_init(&text);
    attest_frame_format(&text, &chain, "plan", plan, strlen(plan));
    for (size_t at = 0, end, chunks = 0; at < size && chunks < CHUNKS; at = end + 1, chunks++) {
        const uint8_t *mark = memchr(data + at, 0xff, size - at);

        end = mark ? (size_t)(mark - data) : size;
        attest_frame_format(&text, &chain, "chunk", (const char *)data + at, end - at);
    }
    snprintf(path, sizeof path, "%s/journal", directory[i]);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, text.data, text.size) != (ssize_t)text.size || close(file) != 0)
        abort();
    attest_text_clear(&text);
}

static uint64_t count_trials(attest_merge *merge)
{
    uint64_t trials = 0;

    for (size_t p = 0; p < merge->saved.plan.properties; p++)
        trials += attest_join_trials(&merge->join[p]);
    return trials;
}

FUZZ_TARGET(merge)
{
    const char *const directories[] = {directory[0], directory[1]}, *const turned[] = {
                                                                        directory[1],
                                                                        directory[0]};
    const uint8_t *second;
    attest_merge merge, again;
    attest_error error;
    unsigned switches;
    bool partial;

    if (size < 1)
        return 0;
    if (!root)
        make_directories();
    switches = data[0] % SWITCHES;
    partial = switches & PARTIAL;
    second = memchr(data + 1, 0xfe, size - 1);
    write_journal(switches, 0, data + 1, second ? (size_t)(second - data) - 1 : size - 1);
    if (second)
        write_journal(switches, 1, second + 1, size - (size_t)(second - data) - 1);
    if (attest_merge_read(&merge, directories, second ? 2 : 1, attest_property_get, partial,
                          NULL, NULL, &error) != ATTEST_OK) {
        if (error.text[0] == '\0' || strchr(error.text, '\n'))
            abort();
        return 0;
    }
    if (second) { /* the order of directories does not matter */
        if (attest_merge_read(&again, turned, 2, attest_property_get, partial, NULL, NULL,
                              &error) != ATTEST_OK ||
            count_trials(&again) != count_trials(&merge) || again.missing != merge.missing)
            abort();
        attest_merge_clear(&again);
    }
    attest_merge_clear(&merge);
    return 0;
}
