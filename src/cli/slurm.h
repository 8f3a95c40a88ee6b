/* slurm.h -- work in parts, as an array of Slurm jobs. */
#ifndef ATTEST_CLI_SLURM_H
#define ATTEST_CLI_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* A job array. In the two commands, lines of a shell script, $attest is this program, $dir the
 * directory, and $k the number of the task, 1 .. tasks. A task that is run again continues; one
 * that is stopped by a signal ends with EXIT_INTERRUPTED. The merge ends with EXIT_USAGE if a
 * task is unfinished. */
typedef struct attest_cli_slurm {
    size_t tasks;
    const char *directory; /* created if it does not exist */
    const char *options;   /* of sbatch, as words of a shell; or NULL */
    bool dry_run;          /* print the scripts and do nothing */
    const attest_text *task, *merge;
    const char *result; /* of the merge, in the directory */
} attest_cli_slurm;

/* Creates the directory and its subdirectory "slurm" for the scripts, unless the run is dry.
 * EXIT_HOLDS, or an error message and its exit code. */
int attest_cli_slurm_make_directories(const attest_cli_slurm *job);

/* Creates the directories, writes the scripts and submits them. EXIT_HOLDS, or an error message
 * and its exit code. */
int attest_cli_slurm_submit(const attest_cli_slurm *job);

/* Adds the words of a command line except these options; those in `valued` have arguments. Both
 * lists end with NULL. */
void attest_cli_slurm_add_words(attest_text *text, int argc, char *const *argv,
                                const char *const *valued, const char *const *flags);

/* Parses "K/N" with 1 <= K <= N. */
bool attest_cli_parse_shard(size_t *shard, size_t *shards, const char *text);

#endif
