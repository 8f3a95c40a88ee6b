/* Reading and writing files while the environment fails: the 1st, 2nd, 3rd ... pass of every
 * fault point, once or from then on, until the operation succeeds. After a failure nothing is
 * half done. */
#include <dirent.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <attest/dataset.h>
#include <attest/weights.h>

#include "base/fault.h"
#include "base/file.h"
#include "base/memory.h"
#include "data/network.h"
#include "io/dataset.h"
#include "tests/tap.h"

static char directory[] = "t-fault-files.XXXXXX", target[64], large[64];
static attest_dataset dataset;
static attest_weights weights;

static const char *source_file(const char *name)
{
    static char path[4000];
    const char *source = getenv("srcdir");

    snprintf(path, sizeof path, "%s/tests/data/%s", source ? source : ".", name);
    return path;
}

static attest_status read_dataset(attest_error *error)
{
    attest_dataset read;
    attest_status status;

    attest_dataset_init(&read);
    status = attest_dataset_read(&read, source_file("good-dataset-labels.json"), NULL, error);
    if (status == ATTEST_OK ? read.total != 4 || read.label_dim != 2 || read.count != 2
                            : read.start || read.label || read.tokens.numerator)
        status = ATTEST_USAGE; /* no fault may end like this */
    attest_dataset_clear(&read);
    return status;
}

/* Through a pipe, which grows as it is read, and with numbers longer than a buffer. */
static attest_status read_large(attest_error *error)
{
    attest_dataset read;
    attest_status status;

    attest_dataset_init(&read);
    status = attest_dataset_read(&read, large, NULL, error);
    if (status == ATTEST_OK && (read.total != 300 || read.tokens.count != 100))
        status = ATTEST_USAGE;
    attest_dataset_clear(&read);
    return status;
}

static attest_status read_weights(attest_error *error)
{
    attest_weights read;
    attest_status status;

    attest_weights_init(&read);
    status = attest_weights_read(&read, source_file("good-weights-softmax.json"), NULL, error);
    if (status == ATTEST_OK ? read.heads != 2 || read.dim != 3 : read.head || !read.skip)
        status = ATTEST_USAGE;
    attest_weights_clear(&read);
    return status;
}

static attest_status read_network(attest_error *error)
{
    attest_network read;
    attest_status status;

    attest_network_init(&read);
    status = attest_network_read_any(&read, source_file("good-network.json"), NULL, error);
    if (status == ATTEST_OK ? read.dim == 0 : read.dim || read.tag || read.attention.head)
        status = ATTEST_USAGE;
    attest_network_clear(&read);
    return status;
}

/* A document with so many members that the check of their keys needs memory. */
static attest_status read_document(attest_error *error)
{
    static const char text[] = "{\"a\": {\"b\": 1, \"c\": {\"d\": \"2/3\"}}, \"e\": [{}, {}]}";
    attest_budget budget = {1 << 20};
    attest_json_document document;
    attest_status status =
        attest_json_document_parse(&document, text, strlen(text), &budget, error);

    if (status == ATTEST_OK)
        attest_json_document_clear(&document);
    return budget.left == 1 << 20 ? status : ATTEST_USAGE;
}

static attest_status read_tensors(attest_error *error)
{
    attest_dataset read;
    attest_status status;

    attest_dataset_init(&read);
    status = attest_dataset_read_tensor(&read, source_file("good-grid-layer.safetensors"), "x",
                                        NULL, error);
    if (status == ATTEST_OK && read.total != 6)
        status = ATTEST_USAGE;
    attest_dataset_clear(&read);
    return status;
}

static attest_status write_dataset(attest_error *error)
{
    return attest_dataset_write(&dataset, target, error);
}

static attest_status write_weights(attest_error *error)
{
    return attest_weights_write(&weights, target, error);
}

static attest_status build_doubles(attest_error *error)
{
    static double value[4000];
    attest_dataset built;
    attest_dataset_builder builder;
    attest_budget budget = {1 << 20};
    attest_status status;

    for (size_t i = 0; i < 4000; i++)
        value[i] = (double)(i % 3000);
    attest_dataset_init(&built);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_REAL, &budget);
    status = attest_dataset_builder_add_sequences(&builder, value, 500, 4, error);
    if (status == ATTEST_OK)
        status = attest_dataset_builder_finish(&built, &builder, error);
    if (status == ATTEST_OK && (built.total != 2000 || built.tokens.count != 1500))
        status = ATTEST_USAGE;
    attest_dataset_builder_clear(&builder);
    if (status != ATTEST_OK && budget.left != 1 << 20)
        status = ATTEST_USAGE;
    attest_dataset_clear(&built);
    return status;
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

static void write_old(void)
{
    FILE *file = fopen(target, "w");

    fputs("old", file);
    fclose(file);
}

/* The target is the old file, or after a write that got as far as its rename, a whole new one.
 */
static bool target_is_whole(bool may_be_new)
{
    attest_dataset read_data;
    attest_weights read_weight;
    attest_input input;
    bool whole;

    if (attest_input_open(&input, target, SIZE_MAX, NULL) != ATTEST_OK)
        return false;
    whole = input.size == 3 && memcmp(input.data, "old", 3) == 0;
    attest_input_close(&input);
    if (!may_be_new || whole)
        return whole;
    attest_dataset_init(&read_data);
    attest_weights_init(&read_weight);
    whole = attest_dataset_read(&read_data, target, NULL, NULL) == ATTEST_OK ||
            attest_weights_read(&read_weight, target, NULL, NULL) == ATTEST_OK;
    attest_dataset_clear(&read_data);
    attest_weights_clear(&read_weight);
    return whole;
}

typedef attest_status operation(attest_error *error);

/* Returns how many passes of the point had to be failed. */
static unsigned long test_point(operation *run, const char *name, const char *point, bool once)
{
    unsigned long k = 0, failures;
    bool right = true;

    do {
        attest_error error = {ATTEST_OK, ""};
        write_old();
        attest_fault_arm(point, ++k, once);
        attest_status status = run(&error);
        failures = attest_fault_count();
        attest_fault_arm("", 0, false);
        /* What a failed pass may lead to: the right status, or success without it (a block that
         * could not be made smaller). */
        bool fine = status == ATTEST_OK || (failures > 0 && error.text[0] &&
                                            (status == ATTEST_IO || status == ATTEST_NOMEM));
        fine = fine && target_is_whole(status == ATTEST_OK || strcmp(point, "fsync") == 0) &&
               files_in_directory() == 2;
        if (!fine)
            printf("# %s: %s %lu: %s (%s)\n", name, point, k, attest_status_name(status),
                   error.text);
        right = right && fine;
    } while (failures > 0 && k < 10000);
    TAP_OK(right && k < 10000, "%s: %s fails %s: %lu times", name, point,
           once ? "once" : "from then on", k - 1);
    return k - 1;
}

static void make_large(void)
{
    FILE *file = fopen(large, "w");

    fputs("{\"format\": \"attest/dataset\", \"version\": 1, \"sequences\": [", file);
    for (int i = 0; i < 300; i++)
        fprintf(file, "%s[[\"%d.%0300d\"]]", i ? "," : "", i % 100, 7);
    fputs("]}\n", file);
    fclose(file);
}

/* The environment arms a point as well, for whole programs: here the second allocation fails,
 * and only that. */
static int armed_by_environment(void)
{
    int ended = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        setenv("ATTEST_FAULT", "alloc:2:once", 1);
        void *first = attest_memory_alloc(1, 1), *second = attest_memory_alloc(1, 1);
        void *third = attest_memory_alloc(1, 1);
        int right = first && !second && third;
        free(first);
        free(third);
        exit(right ? 0 : 1);
    }
    waitpid(child, &ended, 0);
    return ended;
}

TEST(fault_files)
{
    static const char *const point[] = {"alloc", "open",  "read",  "write",
                                        "fsync", "close", "rename"};
    static const struct {
        operation *run;
        const char *name;
    } all[] = {{read_dataset, "read a dataset"},     {read_large, "read a large one"},
               {read_weights, "read weights"},       {read_network, "read a network"},
               {read_document, "read a document"},   {read_tensors, "read tensors"},
               {write_dataset, "write a dataset"},   {write_weights, "write weights"},
               {build_doubles, "build from doubles"}};
    unsigned long passes[7] = {0};

    TAP_OK(armed_by_environment() == 0, "ATTEST_FAULT=alloc:2:once");
    if (!mkdtemp(directory))
        return 99;
    snprintf(target, sizeof target, "%s/target", directory);
    snprintf(large, sizeof large, "%s/large", directory);
    make_large();
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    TAP_OK(attest_dataset_read(&dataset, source_file("good-dataset-labels.json"), NULL, NULL) ==
                   ATTEST_OK &&
               attest_weights_read(&weights, source_file("good-weights-softmax.json"), NULL,
                                   NULL) == ATTEST_OK,
           "files to begin with");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (size_t p = 0; p < 7; p++)
            for (int once = 0; once < 2; once++)
                passes[p] += test_point(all[i].run, all[i].name, point[p], once);
    for (size_t p = 0; p < 7; p++)
        TAP_OK(passes[p] > 0, "the point %s was passed", point[p]);
    attest_dataset_clear(&dataset);
    attest_weights_clear(&weights);
    unlink(target);
    unlink(large);
    rmdir(directory);
    flint_cleanup();
    return 0;
}
