/* Files that appear whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/tap.h"

static char directory[] = "t-output.XXXXXX";

static const char *in_directory(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
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

static bool contains(const char *name, const char *expected)
{
    attest_input input;
    bool same;

    if (attest_input_open(&input, in_directory(name), SIZE_MAX, NULL) != ATTEST_OK)
        return false;
    same = input.size == strlen(expected) && memcmp(input.data, expected, input.size) == 0;
    attest_input_close(&input);
    return same;
}

static attest_status write_file(const char *name, const char *contents, bool commit)
{
    attest_output output;
    attest_status status = attest_output_open(&output, in_directory(name), NULL);

    if (status != ATTEST_OK)
        return status;
    fputs(contents, output.stream);
    if (commit)
        return attest_output_commit(&output, NULL);
    attest_output_abandon(&output);
    return ATTEST_OK;
}

static void test_whole_or_nothing(void)
{
    struct stat about;

    TAP_OK(write_file("a", "one", false) == ATTEST_OK && files_in_directory() == 0,
           "an abandoned file leaves nothing");
    TAP_OK(write_file("a", "one", true) == ATTEST_OK && contains("a", "one"),
           "a committed one is there");
    TAP_OK(write_file("a", "two", false) == ATTEST_OK && contains("a", "one"),
           "abandon keeps the old one");
    TAP_OK(write_file("a", "two", true) == ATTEST_OK && contains("a", "two"),
           "commit replaces it");
    umask(022);
    TAP_OK(write_file("a", "three", true) == ATTEST_OK &&
               stat(in_directory("a"), &about) == 0 && (about.st_mode & 0777) == 0644,
           "with the usual permissions");
    TAP_OK(chmod(in_directory("a"), 0600) == 0 && write_file("a", "four", true) == ATTEST_OK &&
               stat(in_directory("a"), &about) == 0 && (about.st_mode & 0777) == 0600,
           "a file keeps the permissions of the file that it replaces");
    TAP_OK(files_in_directory() == 1, "no temporary file is left");
}

/* A process that is killed leaves no temporary file, if files can be nameless. */
static void test_killed(void)
{
    attest_output output;
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (attest_output_open(&output, in_directory("killed"), NULL) == ATTEST_OK &&
            fputs("half", output.stream) >= 0 && fflush(output.stream) == 0)
            raise(SIGKILL);
        _exit(1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
        abort();
    if (attest_output_open(&output, in_directory("a"), NULL) != ATTEST_OK)
        abort();
    TAP_OK(!output.nameless || files_in_directory() == 1, "a killed process leaves no file%s",
           output.nameless ? "" : " # SKIP the file system has no nameless files");
    attest_output_abandon(&output);
}

/* Names of temporary files that already exist are skipped. */
static void test_taken(void)
{
    char name[32];

    for (unsigned i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "b.%06x", ((unsigned)getpid() + i) & 0xFFFFFF);
        if (write_file(name, "taken", true) != ATTEST_OK)
            abort();
    }
    TAP_OK(write_file("b", "one", true) == ATTEST_OK && contains("b", "one") &&
               contains(name, "taken"),
           "the temporary names of others are left alone");
    for (unsigned i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "b.%06x", ((unsigned)getpid() + i) & 0xFFFFFF);
        unlink(in_directory(name));
    }
    unlink(in_directory("b"));
}

static void test_targets(void)
{
    char link_path[256];
    struct stat about;

    snprintf(link_path, sizeof link_path, "%s", in_directory("link"));
    TAP_OK(symlink("a", link_path) == 0 && write_file("link", "four", true) == ATTEST_OK,
           "through a link");
    TAP_OK(lstat(link_path, &about) == 0 && S_ISLNK(about.st_mode) && contains("a", "four"),
           "the link stays, the file changes");
    TAP_OK(write_file(".", "x", true) == ATTEST_IO, "a directory is not a target");
    TAP_OK(write_file("no/such", "x", true) == ATTEST_IO, "a missing directory is an error");
    attest_output output;
    attest_error error;
    TAP_OK(attest_output_open(&output, "/dev/full", &error) == ATTEST_OK && !output.temporary,
           "a device is written directly");
    fputs("x", output.stream);
    TAP_OK(attest_output_commit(&output, &error) == ATTEST_IO,
           "writing to a full device fails");
    TAP_OK(strncmp(error.text, "/dev/full: cannot write: ", 25) == 0, "%s", error.text);
    TAP_OK(attest_output_open(&output, "/dev/null", &error) == ATTEST_OK &&
               attest_output_commit(&output, &error) == ATTEST_OK,
           "/dev/null takes all");
}

static void test_check(void)
{
    attest_error error;

    TAP_OK(attest_output_check("-", false, &error) == ATTEST_OK &&
               attest_output_check("/dev/full", false, &error) == ATTEST_OK &&
               attest_output_check(in_directory("new"), false, &error) == ATTEST_OK &&
               attest_output_check(in_directory("a"), false, &error) == ATTEST_OK &&
               attest_output_check(in_directory("new"), true, &error) == ATTEST_OK &&
               attest_output_check(directory, true, &error) == ATTEST_OK,
           "what can be written");
    TAP_OK(attest_output_check(directory, false, &error) == ATTEST_IO, "%s", error.text);
    TAP_OK(attest_output_check(in_directory("a"), true, &error) == ATTEST_IO, "%s", error.text);
    TAP_OK(attest_output_check(in_directory("no/such"), false, &error) == ATTEST_IO, "%s",
           error.text);
    TAP_OK(attest_output_check(in_directory("a/b"), true, &error) == ATTEST_IO, "%s",
           error.text);
}

TEST(output)
{
    if (!mkdtemp(directory))
        return 99;
    test_whole_or_nothing();
    test_killed();
    test_taken();
    test_targets();
    test_check();
    unlink(in_directory("link"));
    unlink(in_directory("a"));
    rmdir(directory);
    return 0;
}
