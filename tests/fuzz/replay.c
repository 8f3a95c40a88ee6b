/* replay.c -- runs a fuzz target over stored inputs, as an ordinary test.
 *
 * The target is linked in; the seeds are the files of tests/fuzz/seeds/TARGET, where the
 * program is called replay-TARGET. */
#include <dirent.h>
#include <stdint.h>
#include <string.h>

#include "tests/tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const char *folder, const char *name)
{
    static uint8_t data[1 << 20];
    char path[4096 + 256];
    FILE *file;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!TAP_OK(file != NULL, "open %s", name))
        return;
    size = fread(data, 1, sizeof data, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    TAP_OK(true, "%s (%zu bytes)", name, size);
}

int main(int argc, char **argv)
{
    const char *source = getenv("srcdir"), *target = strstr(argv[0], "replay-");
    char folder[4096];
    struct dirent **entry;
    int count;

    (void)argc;
    snprintf(folder, sizeof folder, "%s/tests/fuzz/seeds/%s", source ? source : ".",
             target ? target + strlen("replay-") : "");
    count = scandir(folder, &entry, NULL, alphasort);
    TAP_OK(count > 2, "there are seeds in %s", folder);
    for (int i = 0; i < count; i++) {
        if (entry[i]->d_name[0] != '.')
            replay(folder, entry[i]->d_name);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return tap_done();
}
