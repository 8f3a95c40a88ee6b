/* Journals of two folders, merged. Bytes from one 0xff to the next are the payloads of their
 * records, a plan and then chunks; 0xfe begins the second journal. The first byte says whether
 * --partial is asked for. What cannot be merged is refused; what can is read again to the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/merge.h"
#include "props/properties.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[2][64], *root;

static void remove_folders(void)
{
    char path[128];

    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/journal", folder[i]);
        unlink(path);
        rmdir(folder[i]);
    }
    rmdir(root);
}

static void make_folders(void)
{
    static char memory[] = "/dev/shm/fuzz-merge.XXXXXX", disk[] = "/tmp/fuzz-merge.XXXXXX";

    root = mkdtemp(memory); /* a file is written anew for every run */
    if (!root)
        root = mkdtemp(disk);
    if (!root)
        abort();
    for (int i = 0; i < 2; i++) {
        snprintf(folder[i], sizeof folder[i], "%s/%d", root, i);
        if (mkdir(folder[i], 0700) != 0)
            abort();
    }
    atexit(remove_folders);
}

/* The journal with the payloads in data[0..size). */
static void write_journal(const char *where, const uint8_t *data, size_t size)
{
    attest_frame_chain chain = {{0}};
    char path[128];
    attest_text text;
    FILE *file;

    attest_text_init(&text);
    for (size_t at = 0, end; at < size; at = end + 1) {
        const uint8_t *mark = memchr(data + at, 0xff, size - at);

        end = mark ? (size_t)(mark - data) : size;
        attest_frame_format(&text, &chain, at == 0 ? "plan" : "chunk", (const char *)data + at,
                            end - at);
    }
    snprintf(path, sizeof path, "%s/journal", where);
    file = fopen(path, "wb");
    if (!file || fwrite(text.size ? text.data : "", 1, text.size, file) != text.size ||
        fclose(file) != 0)
        abort();
    attest_text_clear(&text);
}

static uint64_t count_trials(attest_merge *merge)
{
    uint64_t trials = 0;

    for (size_t p = 0; p < merge->saved.plan.properties; p++)
        trials += attest_tally_trials(&merge->tally[p]);
    return trials;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const folders[] = {folder[0], folder[1]}, *const turned[] = {folder[1],
                                                                             folder[0]};
    const uint8_t *second;
    attest_merge merge, again;
    attest_error error;
    bool partial;

    if (size < 2)
        return 0;
    if (!root)
        make_folders();
    partial = data[0] & 1;
    second = memchr(data + 1, 0xfe, size - 1);
    write_journal(folder[0], data + 1, second ? (size_t)(second - data) - 1 : size - 1);
    if (second)
        write_journal(folder[1], second + 1, size - (size_t)(second - data) - 1);
    if (attest_merge_read(&merge, folders, second ? 2 : 1, attest_property_get, partial, NULL,
                          &error) != ATTEST_OK) {
        if (error.text[0] == '\0' || strchr(error.text, '\n'))
            abort();
        return 0;
    }
    /* the order of folders does not matter */
    if (attest_merge_read(&again, second ? turned : folders, second ? 2 : 1,
                          attest_property_get, partial, NULL, &error) != ATTEST_OK ||
        count_trials(&again) != count_trials(&merge) || again.missing != merge.missing)
        abort();
    attest_merge_clear(&again);
    attest_merge_clear(&merge);
    return 0;
}
