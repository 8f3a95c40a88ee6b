/* slurm.c -- work in parts, as an array of Slurm jobs. */
#include "cli/slurm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/text.h"
#include "cli/command.h"

/* @X@ is replaced by: D the directory, A the program, W the working directory, N the number of
 * tasks, O options of sbatch, T the command of a task, M that of the merge, R its result. */
static const char array_script[] =
    "#!/bin/bash\n"
    "#SBATCH --job-name=attest --output=/dev/null --requeue --signal=B:TERM@60\n"
    "# One task of @N@. It may be killed, preempted or requeued at any time: it continues "
    "where it\n"
    "# was. A minute before its time is up, or when it is preempted, it gets a signal, saves "
    "its\n"
    "# state and requeues itself.\n"
    "attest=@A@ dir=@D@\n"
    "k=$((SLURM_ARRAY_TASK_ID + ${ATTEST_OFFSET:-0}))\n"
    "cd @W@ || exit\n"
    "exec >>\"$dir/slurm/task-$k.log\" 2>&1\n"
    "@T@ &\n"
    "task=$!\n"
    "trap 'kill -TERM $task' TERM INT\n"
    "wait $task\n"
    "code=$?\n"
    "while kill -0 $task 2>/dev/null; do # the signal ended the waiting, not the task\n"
    "    wait $task\n"
    "    code=$?\n"
    "done\n"
    "if [ $code -eq 5 ]; then\n"
    "    scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n"
    "    exit 0\n"
    "fi\n"
    "# A violation or an undecided trial is a result, which the merge reports.\n"
    "case $code in 0 | 1 | 3) exit 0 ;; *) exit $code ;; esac\n";

static const char merge_script[] =
    "#!/bin/bash\n"
    "#SBATCH --job-name=attest-merge --output=/dev/null --requeue\n"
    "# Runs after all tasks, however they ended. If one is not finished, submits\n"
    "# the array again, in which finished tasks end at once.\n"
    "attest=@A@ dir=@D@\n"
    "cd @W@ || exit\n"
    "exec >>\"$dir/slurm/merge.log\" 2>&1\n"
    "rm -rf \"$dir/whole\"\n"
    "@M@ >\"$dir/slurm/report.txt\"\n"
    "code=$?\n"
    "round=${ATTEST_ROUND:-1}\n"
    "if [ $code -eq 2 ] && [ \"$round\" -lt 10 ]; then\n"
    "    ATTEST_ROUND=$((round + 1)) sh \"$dir/slurm/submit.sh\" && exit\n"
    "fi\n"
    "echo $code >\"$dir/slurm/exit\"\n"
    "exit $code\n";

static const char submit_script[] =
    "#!/bin/sh\n"
    "# Submits the array, in pieces where the cluster allows no array of @N@ tasks, and the "
    "merge\n"
    "# that waits for it.\n"
    "set -e\n"
    "dir=@D@\n"
    "rm -f \"$dir/slurm/exit\" # of an earlier submission\n"
    "most=$(scontrol show config | awk '$1 == \"MaxArraySize\" { print $3 - 1 }')\n"
    "if [ \"${most:-1000}\" -lt 1 ]; then\n"
    "    echo \"attest: MaxArraySize of this cluster allows no job arrays"
    " (see 'scontrol show config')\" >&2\n"
    "    exit 2\n"
    "fi\n"
    "first=0\n"
    "after=afterany\n"
    "while [ $first -lt @N@ ]; do\n"
    "    count=$((@N@ - first))\n"
    "    [ $count -le \"${most:-1000}\" ] || count=${most:-1000}\n"
    "    job=$(ATTEST_OFFSET=$first sbatch --parsable --export=ALL --array=1-$count @O@ "
    "\"$dir/slurm/array.sh\")\n"
    "    after=$after:${job%%;*}\n"
    "    first=$((first + count))\n"
    "done\n"
    "job=$(sbatch --parsable --export=ALL --dependency=$after @O@ \"$dir/slurm/merge.sh\")\n"
    "echo \"tasks: job ${after#afterany:}; merge: job ${job%%;*}, into $dir/@R@\"\n";

enum { MOST_SHARDS = 1000000 };

/* The values of these marks. */
typedef struct values {
    char directory[PATH_MAX], program[PATH_MAX], here[PATH_MAX], tasks[32];
    const attest_cli_slurm *job;
} values;

static void add_value(attest_text *text, char mark, const values *v)
{
    switch (mark) {
    case 'D':
        attest_text_add_quoted(text, v->directory);
        break;
    case 'A':
        attest_text_add_quoted(text, v->program);
        break;
    case 'W':
        attest_text_add_quoted(text, v->here);
        break;
    case 'N':
        attest_text_add(text, v->tasks);
        break;
    case 'O':
        attest_text_add(text, v->job->options ? v->job->options : "");
        break;
    case 'T':
        attest_text_add(text, v->job->task->data);
        break;
    case 'R':
        attest_text_add(text, v->job->result);
        break;
    default:
        attest_text_add(text, v->job->merge->data);
    }
}

static char *fill(const char *script, const values *v)
{
    attest_text text;

    attest_text_init(&text);
    for (; *script; script++) {
        if (script[0] == '@' && script[1] && script[2] == '@' &&
            strchr("DAWNOTMR", script[1])) {
            add_value(&text, script[1], v);
            script += 2;
        } else {
            attest_text_append(&text, script, 1);
        }
    }
    return attest_text_take(&text);
}

static int write_script(const char *name, const char *script, const values *v)
{
    char *filled ATTEST_FREED = fill(script, v);
    ATTEST_SCOPED(attest_text, path);
    attest_output output;
    attest_error error;

    attest_text_printf(&path, "%s/slurm/%s", v->directory, name);
    if (!filled || path.failed) {
        attest_cli_complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    if (v->job->dry_run) {
        printf("# %s\n%s\n", path.data, filled);
        return EXIT_HOLDS;
    }
    if (attest_output_open_file(&output, path.data, &error))
        return attest_cli_fail(&error);
    fputs(filled, output.stream);
    return attest_output_commit(&output, &error) ? attest_cli_fail(&error) : EXIT_HOLDS;
}

static int make_directory(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return EXIT_HOLDS;
    attest_cli_complain("%s: cannot create the directory: %s", path, strerror(errno));
    return EXIT_ENVIRONMENT;
}

int attest_cli_slurm_make_directories(const attest_cli_slurm *job)
{
    char *scripts ATTEST_FREED = attest_directory_join(job->directory, "slurm");

    if (!scripts) {
        attest_cli_complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    if (job->dry_run)
        return EXIT_HOLDS;
    ATTEST_CLI_TRY(make_directory(job->directory));
    return make_directory(scripts);
}

/* Absolute paths: the scripts are run elsewhere. */
static int find_places(values *v, const attest_cli_slurm *job)
{
    ssize_t length = readlink("/proc/self/exe", v->program, sizeof v->program - 1);

    snprintf(v->tasks, sizeof v->tasks, "%zu", job->tasks);
    if (length <= 0 || !getcwd(v->here, sizeof v->here)) {
        attest_cli_complain("cannot find out where this program is: %s", strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    v->program[length] = '\0';
    if (!realpath(job->directory, v->directory)) /* a dry run makes none */
        snprintf(v->directory, sizeof v->directory, "%.*s%s%.*s",
                 (int)sizeof v->directory / 2 - 2, job->directory[0] == '/' ? "" : v->here,
                 job->directory[0] == '/' ? "" : "/", (int)sizeof v->directory / 2 - 2,
                 job->directory);
    return EXIT_HOLDS;
}

static int submit(const values *v)
{
    ATTEST_SCOPED(attest_text, command);
    int status;

    attest_text_add(&command, "sh ");
    attest_text_add_quoted(&command, v->directory);
    attest_text_add(&command, "/slurm/submit.sh");
    if (command.failed) {
        attest_cli_complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    fflush(stdout);
    status = system(command.data);
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return EXIT_HOLDS;
    attest_cli_complain("%s/slurm/submit.sh: cannot submit the tasks", v->directory);
    return EXIT_ENVIRONMENT;
}

/* Returns whether the word is this option or an abbreviation of it. *value: its argument is the
 * next word. */
static bool is_option(const char *word, const char *name, bool *value)
{
    bool is_long = name[1] == '-';
    size_t length = is_long ? strcspn(word, "=") : strlen(name); /* "-oX" */
    bool is = length > strlen(is_long ? "--" : "-") && strncmp(word, name, length) == 0;

    *value = is && word[length] == '\0';
    return is;
}

void attest_cli_slurm_add_words(attest_text *text, int argc, char *const *argv,
                                const char *const *valued, const char *const *flags)
{
    bool operands = false;

    for (int i = 1; i < argc; i++) {
        bool dropped = false, value = false;

        operands = operands || strcmp(argv[i], "--") == 0;
        for (size_t o = 0; valued[o] && !operands && !dropped; o++)
            dropped = is_option(argv[i], valued[o], &value);
        for (size_t o = 0; flags[o] && !operands && !dropped; o++)
            dropped = is_option(argv[i], flags[o], &(bool){false});
        if (!dropped)
            attest_text_add_word(text, argv[i]);
        else if (value)
            i++;
    }
}

bool attest_cli_parse_shard(size_t *shard, size_t *shards, const char *text)
{
    unsigned long k, n;
    char *end;

    if (text[0] < '1' || text[0] > '9')
        return false;
    errno = 0;
    k = strtoul(text, &end, 10);
    if (errno || *end != '/' || end[1] < '1' || end[1] > '9')
        return false;
    n = strtoul(end + 1, &end, 10);
    if (errno || *end || k > n || n > MOST_SHARDS)
        return false;
    *shard = k;
    *shards = n;
    return true;
}

int attest_cli_slurm_submit(const attest_cli_slurm *job)
{
    values v = {.job = job};

    if (job->task->failed || job->merge->failed) {
        attest_cli_complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    ATTEST_CLI_TRY(attest_cli_slurm_make_directories(job));
    ATTEST_CLI_TRY(find_places(&v, job));
    ATTEST_CLI_TRY(write_script("array.sh", array_script, &v));
    ATTEST_CLI_TRY(write_script("merge.sh", merge_script, &v));
    ATTEST_CLI_TRY(write_script("submit.sh", submit_script, &v));
    return job->dry_run ? EXIT_HOLDS : submit(&v);
}
