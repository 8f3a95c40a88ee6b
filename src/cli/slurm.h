/* slurm.h -- work in parts, as an array of Slurm jobs. */
#ifndef ATTEST_CLI_SLURM_H
#define ATTEST_CLI_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Adds a word, in quotes where a shell needs them. */
void attest_cli_add_quoted(attest_text *text, const char *word);

/* Adds a word of a command line after a blank, in quotes where a shell needs them. */
void attest_cli_add_word(attest_text *text, const char *word);

/* What an array is made of. In the two commands, which are lines of a shell script, $attest
 * stands for this program, $dir for the folder, and $k for the number of the task, 1 .. tasks.
 * A task can be run again, and goes on where it was: it ends with EXIT_INTERRUPTED when it is
 * told to end before it is done. The merge ends with EXIT_USAGE when a task is not done. */
typedef struct attest_cli_slurm {
    size_t tasks;
    const char *folder;  /* is made if it is not there */
    const char *options; /* of sbatch, as words of a shell; or NULL */
    bool dry_run;        /* the scripts are printed, and nothing is done */
    const char *task, *merge;
    const char *result; /* of the merge, in the folder */
} attest_cli_slurm;

/* Makes the folder and, for the scripts, the folder "slurm" in it, unless the run is dry.
 * EXIT_HOLDS, or a complaint and its exit code. */
int attest_cli_slurm_make_folders(const attest_cli_slurm *job);

/* Makes the folders, writes the scripts and submits them. EXIT_HOLDS, or a complaint and its
 * exit code. */
int attest_cli_slurm_submit(const attest_cli_slurm *job);

/* Adds the words of a command line but these options; the arguments of `valued` go with them.
 * Both lists end with NULL. */
void attest_cli_slurm_add_words(attest_text *text, int argc, char *const *argv,
                                const char *const *valued, const char *const *flags);

/* "K/N" with 1 <= K <= N. */
bool attest_cli_parse_shard(size_t *shard, size_t *shards, const char *text);

#endif
