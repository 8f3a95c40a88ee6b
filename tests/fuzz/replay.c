/* replay.c -- runs a fuzz target over stored inputs, as an ordinary test. */
#include <dirent.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static void replay(const char *directory, const char *name, int (*run)(const uint8_t *, size_t))
{
    static uint8_t data[1 << 20];
    char path[4096 + 256];
    FILE *file;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "rb");
    if (!TAP_OK(file != NULL, "open %s", name))
        return;
    size = fread(data, 1, sizeof data, file);
    fclose(file);
    run(data, size);
    TAP_OK(true, "%s (%zu bytes)", name, size);
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);

    return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* Runs the target on the files of a directory with this suffix; returns their number. */
static int replay_directory(const char *directory, const char *end,
                            int (*run)(const uint8_t *, size_t))
{
    struct dirent **entry;
    int count = scandir(directory, &entry, NULL, alphasort), seeds = 0;

    for (int i = 0; i < count; i++) {
        if (entry[i]->d_name[0] != '.' && ends_in(entry[i]->d_name, end)) {
            replay(directory, entry[i]->d_name, run);
            seeds++;
        }
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return seeds;
}

int fuzz_replay(const char *target, int (*run)(const uint8_t *, size_t))
{
    const char *source = getenv("srcdir");
    char directory[4096], end[256];
    int seeds;

    snprintf(directory, sizeof directory, "%s/tests/fuzz/seeds/%s", source ? source : ".",
             target);
    seeds = replay_directory(directory, "", run);
    snprintf(directory, sizeof directory, "%s/tests/data", source ? source : ".");
    snprintf(end, sizeof end, ".%s", target);
    seeds += replay_directory(directory, end, run);
    TAP_OK(seeds > 0, "%d seeds for %s", seeds, target);
    return 0;
}
