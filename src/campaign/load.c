/* load.c -- properties from a shared object of the user: opening it, and calls under guard. */
#include "campaign/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/workers.h"

enum { LARGEST = 1 << 30, MOST_PROPERTIES = 1000, MOST_NAME = 100, MOST_CHUNK = 1 << 20 };

void attest_load_clear(attest_load *load)
{
    free(load->property);
    free(load->object.path);
    memset(load, 0, sizeof *load);
}

static attest_status hash(attest_load *load, const char *path, attest_error *error)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close);
    attest_status status = attest_input_open_file(&input, path, LARGEST, error);

    if (status == ATTEST_UNABLE)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "%s: not a shared object of properties: it has more than %d bytes", path, LARGEST);
    ATTEST_TRY(status);
    memcpy(load->object.sha256, attest_input_sha256(&input), sizeof load->object.sha256);
    load->object.path = attest_memory_copy(path);
    return load->object.path ? ATTEST_OK : attest_memory_fail_at(error, path);
}

/* Loads the object and finds its table. "./" stops dlopen from searching the directories of the
 * system for a name without a slash. */
static attest_status get_table(const attest_load_table **table, const char *path,
                               attest_error *error)
{
    ATTEST_SCOPED(attest_text, name);
    void *object;

    attest_text_printf(&name, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (name.failed)
        return attest_memory_fail_at(error, path);
    errno = 0;
    object = dlopen(name.data, RTLD_NOW | RTLD_LOCAL);
    if (!object && errno == ENOMEM)
        return attest_memory_fail_at(error, path);
    if (!object)
        return attest_error_set(error, ATTEST_FORMAT, "cannot be loaded: %s", dlerror());
    *table = dlsym(object, "attest_loaded");
    if (!*table)
        return attest_error_set(error, ATTEST_FORMAT,
                                "names no property: ATTEST_LOAD(&property, ...) is missing");
    if ((*table)->abi != ATTEST_LOAD_ABI ||
        (*table)->property_size != sizeof(attest_property) ||
        (*table)->instance_size != sizeof(attest_instance) ||
        (*table)->trial_size != sizeof(attest_trial))
        return attest_error_set(error, ATTEST_FORMAT,
                                "was compiled with the headers of another version of attest");
    return ATTEST_OK;
}

/* Names are used in the names of files. */
static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-";

    return name && *name && *name != '-' && strlen(name) <= MOST_NAME &&
           name[strspn(name, letters)] == '\0' && strcmp(name, "all") != 0;
}

static attest_status check(const attest_load *load, const attest_property *property,
                           const attest_property *(*find)(const char *name),
                           attest_error *error)
{
    if (!is_name(property->name))
        return attest_error_set(
            error, ATTEST_FORMAT,
            "the name of a property must have only letters, digits, '_' and '-'");
    for (size_t p = 0; p < load->count; p++)
        if (strcmp(load->property[p].name, property->name) == 0)
            return attest_error_set(error, ATTEST_FORMAT, "names the property %s twice",
                                    property->name);
    if (find(property->name))
        return attest_error_set(error, ATTEST_FORMAT, "the property %s exists already",
                                property->name);
    if (!property->gen || !property->decide)
        return attest_error_set(error, ATTEST_FORMAT, "the property %s has no %s",
                                property->name, property->gen ? "decide" : "gen");
    if (property->chunk > MOST_CHUNK)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the property %s has chunks of more than "
                                "%d trials",
                                property->name, MOST_CHUNK);
    return ATTEST_OK;
}

static attest_status add_properties(attest_load *load, const char *path,
                                    const attest_property *(*find)(const char *name),
                                    attest_error *error)
{
    const attest_load_table *table = NULL;
    size_t count = 0;

    ATTEST_TRY(get_table(&table, path, error));
    while (count < MOST_PROPERTIES && table->property[count])
        count++;
    if (count == 0 || count == MOST_PROPERTIES)
        return attest_error_set(error, ATTEST_FORMAT, "names %s",
                                count ? "too many properties" : "no property");
    load->property = attest_memory_alloc(count, sizeof *load->property);
    if (!load->property)
        return attest_memory_fail(error);
    for (size_t p = 0; p < count; p++) {
        attest_property *own = &load->property[p];

        ATTEST_TRY(check(load, table->property[p], find, error));
        *own = *table->property[p];
        own->object = &load->object;
        if (!own->title)
            own->title = "";
        if (!own->statement)
            own->statement = own->name;
        if (own->trials == 0)
            own->trials = ATTEST_LOAD_TRIALS;
        load->count++;
    }
    return ATTEST_OK;
}

attest_status attest_load_open(attest_load *load, const char *path,
                               const attest_property *(*find)(const char *name),
                               attest_error *error)
{
    memset(load, 0, sizeof *load);
    ATTEST_TRY_OR(hash(load, path, error), attest_load_clear(load));
    ATTEST_TRY_OR(attest_error_prefix(error, add_properties(load, path, find, error), path),
                  attest_load_clear(load));
    return ATTEST_OK;
}

/* ---- Calls under guard. */

/* The answer of the process, in shared memory. */
typedef struct answer {
    attest_trial trial; /* its texts are literals, with the same addresses in both processes */
    attest_status status;
    bool complete;
} answer;

typedef struct call {
    const attest_guard *guard;
    const attest_instance *instance; /* NULL: generate one from t */
    struct theft *t;
    answer *answer;
} call;

static void work(void *context)
{
    const call *c = context;
    const attest_property *property = c->guard->property;
    struct rlimit none = {0, 0};
    attest_error error = {0};
    attest_instance made;

    setrlimit(RLIMIT_CORE, &none);
    if (c->instance) {
        c->answer->status =
            property->decide(&c->answer->trial, c->instance, c->guard->setting, &error);
    } else {
        attest_instance_init(&made);
        c->answer->status = property->gen(&made, c->t, c->guard->setting);
    }
    c->answer->complete = true;
}

/* Waits for the process; returns its status, or -1 if it was killed because of the time limit.
 */
static int wait_for(const attest_guard *guard, pid_t process)
{
    const struct timespec nap = {.tv_nsec = 500000};
    double began = attest_clock_seconds();
    int status = 0;
    pid_t ended;

    while ((ended = waitpid(process, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (guard->beat)
            guard->beat(guard->env);
        if (guard->seconds > 0 && attest_clock_seconds() - began > guard->seconds) {
            kill(process, SIGKILL);
            (void)attest_workers_wait(process);
            return -1;
        }
        nanosleep(&nap, NULL);
    }
    return status;
}

static void describe_end(attest_trial *trial, const attest_guard *guard, int status)
{
    attest_trial_init(trial);
    if (status == -1)
        attest_trial_violated(trial, "hang", "no answer within %g seconds", guard->seconds);
    else if (WIFSIGNALED(status))
        attest_trial_violated(trial, "crash", "the property died of signal %d (%s)",
                              WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == ATTEST_WORKERS_NO_MEMORY)
        attest_trial_open(trial, "out of memory");
    else
        attest_trial_violated(trial, "crash", "the property left with exit code %d",
                              WEXITSTATUS(status));
}

attest_status attest_guard_decide(const attest_guard *guard, attest_trial *trial,
                                  const attest_instance *instance, attest_error *error)
{
    ATTEST_SHARED(answer, shared, 1);
    call c = {.guard = guard, .instance = instance, .answer = shared};
    pid_t process;
    int end;

    if (!shared)
        return attest_memory_fail(error);
    shared->trial = *trial;
    process = attest_workers_start(work, &c);
    if (process < 0)
        return attest_error_set(error, ATTEST_IO, "cannot start a process: %s",
                                strerror(errno));
    end = wait_for(guard, process);
    if (end != 0 || !shared->complete) {
        describe_end(trial, guard, end);
        return ATTEST_OK;
    }
    *trial = shared->trial;
    return shared->status ? attest_error_set(error, shared->status, "%s",
                                             attest_status_name(shared->status))
                          : ATTEST_OK;
}

bool attest_guard_may_gen(const attest_guard *guard, struct theft *t)
{
    answer *shared = attest_shared_alloc(1, sizeof *shared);
    call c = {.guard = guard, .t = t, .answer = shared};
    pid_t process = shared ? attest_workers_start(work, &c) : -1;
    bool finished = process > 0 && wait_for(guard, process) == 0 && shared->complete;

    attest_shared_free(shared, 1, sizeof *shared);
    return finished;
}
