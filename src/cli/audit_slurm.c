/* audit_slurm.c -- an audit of a whole model as an array of Slurm jobs: some heads each. */
#include <string.h>

#include "base/scope.h"
#include "base/text.h"
#include "cli/audit.h"
#include "cli/interrupt.h"
#include "cli/slurm.h"

/* What belongs to the submission, and what to the whole alone. */
static const char *const of_submission[] = {"--slurm", "--sbatch", "--parts", NULL};
static const char *const of_whole[] = {"--slurm",  "--sbatch", "--parts", "--output",
                                       "--report", "--gate",   "-o",      NULL};
static const char *const dry_run[] = {"--dry-run", NULL};
static const char *const printed[] = {"--dry-run", "--json", NULL};

int attest_cli_audit_submit(const audit_request *request)
{
    attest_cli_slurm job = {.tasks = request->slurm,
                            .folder = request->parts,
                            .options = request->sbatch,
                            .result = "slurm/report.txt",
                            .dry_run = request->dry_run};
    ATTEST_SCOPED(attest_text, task);
    ATTEST_SCOPED(attest_text, merge);

    attest_text_printf(&task, "\"$attest\" audit --shard \"$k/%zu\" --parts \"$dir/heads\"",
                       job.tasks);
    if (!request->jobs)
        attest_text_add(&task, " --jobs \"${SLURM_CPUS_PER_TASK:-1}\"");
    attest_cli_slurm_add_words(&task, request->argc, request->argv, of_whole, printed);
    attest_text_add(&merge, "\"$attest\" audit --parts \"$dir/heads\"");
    attest_cli_slurm_add_words(&merge, request->argc, request->argv, of_submission, dry_run);
    if (task.failed || merge.failed) {
        attest_cli_complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    job.task = task.data;
    job.merge = merge.data;
    return attest_cli_slurm_submit(&job);
}
