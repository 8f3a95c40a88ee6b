/* input.c -- input files: read once and completely, within a limit. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <attest/dataset.h>

#include "base/file.h"
#include "tests/tap.h"

static const char one[] =
    "{\"format\": \"attest/dataset\", \"version\": 1, \"sequences\": [[[1], [2]]]}";
static const char other[] =
    "{\"format\": \"attest/dataset\", \"version\": 1, \"sequences\": [[[3], [4]]]}";

static char directory[] = "t-input.XXXXXX";

static const char *in_directory(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_directory(name), "w");

    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

/* Makes the file a standard input that has been read up to this place. */
static void set_stdin(const char *path, off_t at)
{
    int file = open(path, O_RDONLY);

    if (file < 0 || dup2(file, STDIN_FILENO) < 0 || lseek(STDIN_FILENO, at, SEEK_SET) != at)
        abort();
    close(file);
}

static bool is_empty(const attest_input *input)
{
    return !input->data && input->size == 0 && !input->sha256[0];
}

static void test_failures(void)
{
    attest_input input;
    attest_error error;

    TAP_OK(attest_input_open(&input, in_directory("none"), SIZE_MAX, &error) == ATTEST_IO &&
               strstr(error.text, "none: cannot open: ") && is_empty(&input),
           "%s", error.text);
    attest_input_close(&input);
    TAP_OK(attest_input_open(&input, directory, SIZE_MAX, &error) == ATTEST_IO &&
               strstr(error.text, "is a directory"),
           "%s", error.text);
    TAP_OK(attest_input_open(&input, "/dev/zero", 100000, &error) == ATTEST_UNABLE &&
               is_empty(&input),
           "an endless input is cut: %s", error.text);
    TAP_OK(attest_input_open(&input, "/dev/null", 10, &error) == ATTEST_OK && input.size == 0 &&
               !input.regular,
           "an empty input has no bytes");
    attest_input_close(&input);
}

static void test_limit(void)
{
    attest_input input;
    attest_error error;

    write_text("ten", "0123456789");
    TAP_OK(attest_input_open(&input, in_directory("ten"), 10, &error) == ATTEST_OK &&
               input.size == 10 && input.regular && memcmp(input.data, "0123456789", 10) == 0,
           "a file as large as the limit");
    attest_input_close(&input);
    TAP_OK(attest_input_open(&input, in_directory("ten"), 9, &error) == ATTEST_UNABLE &&
               strstr(error.text, "ten: more than 9 bytes") && is_empty(&input),
           "%s", error.text);
    if (truncate(in_directory("ten"), (off_t)1 << 40) != 0)
        write_text("ten", "01234567890123456789");
    TAP_OK(attest_input_open(&input, in_directory("ten"), 10, &error) == ATTEST_UNABLE,
           "nothing is read of a file that is much too large: %s", error.text);
}

/* The size of a file differs from what reading returns: the file grows or shrinks. */
static void test_size(void)
{
    attest_input input;
    attest_error error;
    struct stat about;

    if (stat("/proc/self/maps", &about) == 0 && about.st_size == 0) {
        TAP_OK(attest_input_open(&input, "/proc/self/maps", SIZE_MAX, &error) == ATTEST_OK &&
                   input.size > 100 && input.data[input.size - 1] == '\n',
               "a file that grows while it is read");
        attest_input_close(&input);
        TAP_OK(attest_input_open(&input, "/proc/self/maps", 100, &error) == ATTEST_UNABLE,
               "a file that grows beyond the limit while it is read: %s", error.text);
    }
    write_text("short", "0123456789");
    set_stdin(in_directory("short"), 7);
    TAP_OK(attest_input_open(&input, "-", SIZE_MAX, &error) == ATTEST_OK && input.size == 3 &&
               memcmp(input.data, "789", 3) == 0,
           "a file that ends before its size");
    attest_input_close(&input);
}

static void test_hash(void)
{
    static const char abc[] =
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    attest_input input;

    write_text("abc", "abc");
    TAP_OK(attest_input_open(&input, in_directory("abc"), SIZE_MAX, NULL) == ATTEST_OK &&
               !input.sha256[0] && strcmp(attest_input_sha256(&input), abc) == 0 &&
               strcmp(attest_input_sha256(&input), abc) == 0,
           "the hash is computed on request");
    attest_input_close(&input);
}

static bool holds_one(const attest_input *input)
{
    attest_dataset dataset;
    fmpq_t entry;
    bool is_one;

    attest_dataset_init(&dataset);
    fmpq_init(entry);
    is_one = attest_dataset_read_input(&dataset, input, NULL, NULL, NULL) == ATTEST_OK &&
             dataset.total == 2;
    if (is_one) {
        attest_tokens_get_entry(entry, &dataset.tokens, dataset.token[0], 0);
        is_one = fmpq_is_one(entry);
    }
    fmpq_clear(entry);
    attest_dataset_clear(&dataset);
    return is_one;
}

/* The bytes are those of the moment when the file was opened. */
static void test_swap(void)
{
    const size_t large = (size_t)20 << 20;
    char before[65];
    attest_input input;

    write_text("data", one);
    if (attest_input_open(&input, in_directory("data"), SIZE_MAX, NULL) != ATTEST_OK)
        abort();
    memcpy(before, attest_input_sha256(&input), sizeof before);
    write_text("data", other);
    TAP_OK(holds_one(&input) && strcmp(attest_input_sha256(&input), before) == 0,
           "written anew after it was hashed: what was hashed is parsed");
    attest_input_close(&input);
    write_text("data", one);
    if (attest_input_open(&input, in_directory("data"), SIZE_MAX, NULL) != ATTEST_OK)
        abort();
    write_text("data", other);
    TAP_OK(holds_one(&input) && strcmp(attest_input_sha256(&input), before) == 0,
           "written anew before it was hashed: what is parsed is hashed");
    attest_input_close(&input);
    if (truncate(in_directory("data"), (off_t)large) != 0 ||
        attest_input_open(&input, in_directory("data"), SIZE_MAX, NULL) != ATTEST_OK ||
        truncate(in_directory("data"), 0) != 0)
        abort();
    TAP_OK(input.size == large && memcmp(input.data, other, strlen(other)) == 0 &&
               input.data[large - 1] == 0,
           "a large file that is cut short afterwards");
    attest_input_close(&input);
}

static void test_names(void)
{
    attest_input input;
    attest_error error;

    write_text("broken", "{");
    set_stdin(in_directory("broken"), 0);
    if (attest_input_open(&input, "-", SIZE_MAX, NULL) != ATTEST_OK)
        abort();
    attest_error_set(&error, ATTEST_FORMAT, "is bad");
    TAP_OK(attest_input_locate(&input, ATTEST_OK, &error) == ATTEST_OK &&
               strcmp(error.text, "is bad") == 0,
           "no failure, no place");
    TAP_OK(attest_input_locate(&input, ATTEST_FORMAT, &error) == ATTEST_FORMAT &&
               strcmp(error.text, "standard input: is bad") == 0,
           "%s", error.text);
    attest_input_close(&input);
    TAP_OK(is_empty(&input), "a closed input is empty");
}

/* Paths that are not regular files are refused without waiting or reading. */
static void test_files_only(void)
{
    static const char *const strange[] = {"-", "/dev/zero", "directory", "pipe", "to-pipe"};
    attest_input input;
    attest_error error;

    write_text("file", "abc");
    if (mkfifo(in_directory("pipe"), 0600) != 0 ||
        symlink("pipe", in_directory("to-pipe")) != 0 ||
        symlink("file", in_directory("to-file")) != 0 ||
        mkdir(in_directory("directory"), 0700) != 0)
        abort();
    alarm(60);
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        TAP_OK(attest_input_open_file(&input, i < 2 ? strange[i] : in_directory(strange[i]),
                                      SIZE_MAX, &error) == ATTEST_USAGE &&
                   is_empty(&input),
               "%s", error.text);
    alarm(0);
    TAP_OK(attest_input_open_file(&input, in_directory("to-file"), 3, &error) == ATTEST_OK &&
               input.size == 3 && input.regular,
           "a link to a file is one");
    attest_input_close(&input);
    TAP_OK(attest_input_open_file(&input, in_directory("none"), 3, &error) == ATTEST_IO, "%s",
           error.text);
}

static void test_pipe(void)
{
    size_t count = 0;
    attest_input input;
    attest_error error;
    pid_t child = fork();
    FILE *file;

    if (child == 0) {
        file = fopen(in_directory("pipe"), "w");
        for (int i = 0; file && i < 200000; i++)
            putc('a' + i % 26, file);
        _exit(file && fclose(file) == 0 ? 0 : 1);
    }
    if (attest_input_open(&input, in_directory("pipe"), SIZE_MAX, &error) != ATTEST_OK)
        abort();
    while (count < input.size && input.data[count] == 'a' + count % 26)
        count++;
    TAP_OK(count == 200000 && input.size == count && !input.regular,
           "a pipe is read to its end");
    attest_input_close(&input);
    waitpid(child, NULL, 0);
}

TEST(input)
{
    char command[64];

    if (!mkdtemp(directory))
        return 99;
    test_failures();
    test_limit();
    test_size();
    test_hash();
    test_swap();
    test_names();
    test_files_only();
    test_pipe();
    snprintf(command, sizeof command, "rm -r %s", directory);
    TAP_OK(system(command) == 0, "the directory is removed");
    return 0;
}
