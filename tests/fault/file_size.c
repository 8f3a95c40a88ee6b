/* A disk that is full after any number of bytes: the target is what it was, and nothing else is
 * left. RLIMIT_FSIZE stands for the disk. */
#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <attest/dataset.h>

#include "base/file.h"
#include "tests/tap.h"

enum { TOKENS = 3000 };
static char directory[] = "t-file-size.XXXXXX", path[64];

static void build(attest_dataset *dataset)
{
    static double value[TOKENS];
    attest_dataset_builder builder;

    for (size_t i = 0; i < TOKENS; i++)
        value[i] = (double)i / 7;
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_REAL, NULL);
    if (attest_dataset_builder_add_sequences(&builder, value, 1, TOKENS, NULL) != ATTEST_OK ||
        attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        printf("Bail out! no dataset\n");
    attest_dataset_builder_clear(&builder);
}

/* The status of a write in a process whose files end at limit bytes. */
static attest_status write_limited(const attest_dataset *dataset, rlim_t limit)
{
    int ended = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct rlimit size = {limit, limit};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &size);
        _exit((int)attest_dataset_write(dataset, path, NULL));
    }
    waitpid(child, &ended, 0);
    return WIFEXITED(ended) ? (attest_status)WEXITSTATUS(ended) : ATTEST_USAGE;
}

static int files_in_directory(void)
{
    DIR *open = opendir(directory);
    int count = 0;

    for (struct dirent *entry; (entry = readdir(open));)
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

static bool target_is(const char *contents)
{
    attest_input input;
    bool same;

    if (attest_input_open(&input, path, SIZE_MAX, NULL) != ATTEST_OK)
        return false;
    same = input.size == strlen(contents) && memcmp(input.data, contents, input.size) == 0;
    attest_input_close(&input);
    return same;
}

TEST(file_size)
{
    attest_dataset dataset, again;
    attest_input whole;
    FILE *file;
    size_t size = 0;

    attest_dataset_init(&dataset);
    attest_dataset_init(&again);
    build(&dataset);
    if (!mkdtemp(directory))
        return 99;
    snprintf(path, sizeof path, "%s/target", directory);
    TAP_OK(attest_dataset_write(&dataset, path, NULL) == ATTEST_OK &&
               attest_input_open(&whole, path, SIZE_MAX, NULL) == ATTEST_OK,
           "written");
    size = whole.size;
    attest_input_close(&whole);
    file = fopen(path, "w");
    fputs("old", file);
    fclose(file);
    /* 0, 1, within and at the edge of stdio's buffers, one byte too few. */
    const size_t limit[] = {0, 1, 4095, 4096, 4097, 50000, size - 1};
    for (size_t i = 0; i < sizeof limit / sizeof limit[0]; i++) {
        TAP_OK(write_limited(&dataset, limit[i]) == ATTEST_IO, "full after %zu of %zu bytes",
               limit[i], size);
        TAP_OK(target_is("old") && files_in_directory() == 1, "the old file, and nothing else");
    }
    TAP_OK(write_limited(&dataset, size) == ATTEST_OK && files_in_directory() == 1,
           "just large enough");
    TAP_OK(attest_dataset_read(&again, path, NULL, NULL) == ATTEST_OK && again.total == TOKENS,
           "the file can be read");
    unlink(path);
    rmdir(directory);
    attest_dataset_clear(&again);
    attest_dataset_clear(&dataset);
    flint_cleanup();
    return 0;
}
