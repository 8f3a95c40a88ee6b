/* Every file of tests/data that must be refused is refused, with the error that its README
 * promises; every listed file exists, and every file is listed. */
#include <dirent.h>
#include <string.h>

#include <attest/dataset.h>
#include "data/network.h"
#include <attest/weights.h>

#include "tests/tap.h"

static char directory[3000];

/* line = "| `file` | what is wrong | `error` |": its file and error. */
static bool split_row(char *line, char **file, char **error)
{
    char *end;

    if (strncmp(line, "| `bad-", 7) != 0)
        return false;
    *file = line + 3;
    end = strchr(*file, '`');
    *error = strstr(end, "| `");
    *end = '\0';
    if (!*error)
        return false;
    *error += 3;
    end = strrchr(*error, '`');
    *end = '\0';
    return strstr(*file, ".json") != NULL;
}

/* kind: the file's name after "good-" or "bad-". */
static attest_status read_file(const char *path, const char *kind, attest_error *error)
{
    attest_status status;
    attest_budget budget = {(size_t)1 << 30};

    if (strncmp(kind, "network", 7) == 0) {
        attest_network read;
        attest_network_init(&read);
        status = attest_network_read_any(&read, path, &budget, error);
        TAP_OK(status == ATTEST_OK || (read.dim == 0 && !read.tag && !read.attention.head),
               "the network is empty");
        attest_network_clear(&read);
    } else if (strncmp(kind, "weights", 7) == 0) {
        attest_weights read;
        attest_weights_init(&read);
        status = attest_weights_read(&read, path, &budget, error);
        TAP_OK(status == ATTEST_OK || (read.heads == 0 && !read.head && read.skip),
               "the weights are empty");
        attest_weights_clear(&read);
    } else {
        attest_dataset read;
        attest_dataset_init(&read);
        status = attest_dataset_read(&read, path, &budget, error);
        TAP_OK(status == ATTEST_OK || (read.count == 0 && !read.start && !read.label),
               "the dataset is empty");
        attest_dataset_clear(&read);
    }
    return status;
}

static void test_bad(const char *file, const char *expected)
{
    char path[6000], line[9000];
    attest_error error = {ATTEST_OK, ""};
    attest_status status;

    snprintf(path, sizeof path, "%s/%s", directory, file);
    snprintf(line, sizeof line, "%s: %s", path, expected);
    status = read_file(path, file + 4, &error);
    TAP_OK(status == ATTEST_FORMAT && error.status == ATTEST_FORMAT &&
               strcmp(error.text, line) == 0 && !strchr(error.text, '\n'),
           "%s", file);
    if (strcmp(error.text, line) != 0)
        printf("# expected %s\n# got      %s\n", line, error.text);
}

static int test_table(void)
{
    char path[4000], line[2000], *file, *error;
    FILE *readme;
    int count = 0;

    snprintf(path, sizeof path, "%s/README.md", directory);
    readme = fopen(path, "r");
    if (!TAP_OK(readme != NULL, "%s", path))
        return 0;
    while (fgets(line, sizeof line, readme))
        if (split_row(line, &file, &error)) {
            test_bad(file, error);
            count++;
        }
    fclose(readme);
    return count;
}

TEST(bad_files)
{
    const char *source = getenv("srcdir");
    struct dirent *entry;
    int files = 0, good = 0;
    DIR *open;

    snprintf(directory, sizeof directory, "%s/tests/data", source ? source : ".");
    open = opendir(directory);
    if (!TAP_OK(open != NULL, "%s", directory))
        return 0;
    while ((entry = readdir(open))) {
        char path[4000];
        attest_error error = {ATTEST_OK, ""};
        if (!strstr(entry->d_name, ".json"))
            continue;
        files += strncmp(entry->d_name, "bad-", 4) == 0;
        if (strncmp(entry->d_name, "good-", 5) != 0)
            continue;
        good++;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        TAP_OK(read_file(path, entry->d_name + 5, &error) == ATTEST_OK, "%s %s", entry->d_name,
               error.text);
    }
    closedir(open);
    TAP_OK(good >= 6, "%d good files", good);
    TAP_OK(test_table() == files, "all %d bad files are listed", files);
    flint_cleanup();
    return 0;
}
