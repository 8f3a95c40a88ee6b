/* campaign.c -- attest campaign: tests properties on random instances. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "campaign/campaign.h"
#include "campaign/counterexample.h"
#include "campaign/summary.h"
#include "cli/campaign.h"
#include "cli/command.h"
#include "cli/slurm.h"
#include "cli/terminal.h"
#include "props/registry.h"
#include "report/campaign.h"
#include "report/tests.h"

static int run(int argc, char **argv);

const attest_command attest_command_campaign = {
    .name = "campaign",
    .arguments = "[PROPERTY...|all] [OPTION]...",
    .summary = "test properties on random instances",
    .details =
        "Draws instances, decides each of them exactly, and shrinks those that violate a\n"
        "property. The same seed gives the same verdicts, counts and counterexamples for any\n"
        "--jobs. --out writes a directory: a journal for --resume, the reports report.json,\n"
        "report.tap and report.xml, and a counterexample file for each violation and for the\n"
        "tightest case of each property. --time is shared among the properties; each runs at\n"
        "least one chunk. SIGINT and SIGTERM end the campaign with exit code 5; --resume\n"
        "continues it. Exit code 1: a property that must hold is violated or flaky, a dropped\n"
        "hypothesis is needed, a search for a violation found none, or a file of the corpus\n"
        "has another verdict than expected.",
    .example = "  attest campaign theorem1 --trials 100000 --seed 7\n"
               "  attest campaign all --time 1h --out night --jobs 4\n"
               "  attest campaign theorem1 --without collinear\n"
               "  attest campaign --load ./mine.so\n"
               "  attest campaign all --trials 1000000 --out big --slurm 256 --dry-run",
    .run = run,
};

/* The program loads a single object. */
static attest_load loaded;

int attest_cli_load(const char *path)
{
    attest_error error;

    if (!path)
        path = getenv("ATTEST_LOAD");
    if (!path || !*path)
        return EXIT_HOLDS;
    if (attest_load_open(&loaded, path, attest_property_get, &error))
        return attest_cli_fail_input(&error);
    attest_property_set_loaded(loaded.property, loaded.count);
    return EXIT_HOLDS;
}

const attest_load *attest_cli_loaded(void)
{
    return &loaded;
}

static volatile sig_atomic_t stop;

static void note_signal(int number)
{
    stop = number;
}

/* Returns what becomes other than 0 when SIGINT, SIGTERM or SIGHUP arrives. A signal that is
 * ignored stays ignored. */
static const volatile sig_atomic_t *watch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_signal}, before;

    sigemptyset(&action.sa_mask);
    for (size_t s = 0; s < sizeof signals / sizeof signals[0]; s++)
        if (sigaction(signals[s], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[s], &action, NULL);
    return &stop;
}

/* Returns the command line as it can be typed, with the word added unless it is there; the
 * caller frees it. NULL: out of memory. */
static char *format_command_line(int argc, char *const *argv, const char *added)
{
    bool present = false;
    attest_text text;

    attest_text_init(&text);
    attest_text_add_word(&text, "attest");
    for (int i = 0; i < argc; i++) {
        attest_text_add_word(&text, argv[i]);
        present = present || (added && strcmp(argv[i], added) == 0);
    }
    if (added && !present)
        attest_text_add_word(&text, added);
    return attest_text_take(&text);
}

enum { MOST_JOBS = 1024, MOST_BITS = 10000000 };

static int set_arithmetic(attest_setting *setting, const campaign_request *request)
{
    attest_error error;

    setting->round = MPFR_RNDN;
    if (!request->number) {
        if (request->bits || request->round)
            return attest_cli_refuse("--bits and --round are for --number mpfr");
        return EXIT_HOLDS;
    }
    if (attest_arithmetic_parse(&setting->number, request->number, &error))
        return attest_cli_refuse("--number: %s", error.text);
    if (setting->number != ATTEST_ARITHMETIC_MPFR) {
        if (request->bits || request->round)
            return attest_cli_refuse("--bits and --round are for --number mpfr, not '%s'",
                                     request->number);
        return EXIT_HOLDS;
    }
    if (request->bits < 2 || request->bits > MOST_BITS)
        return attest_cli_refuse("--number mpfr needs --bits, from 2 to %d", MOST_BITS);
    setting->bits = (long)request->bits;
    if (request->round && attest_rounding_parse(&setting->round, request->round, &error))
        return attest_cli_refuse("--round: %s", error.text);
    return EXIT_HOLDS;
}

/* Returns whether the property has the hypothesis of --without and, with --number, depends on
 * the arithmetic. */
static bool fits(const attest_property *property, const attest_setting *setting)
{
    bool found = !setting->without;

    for (const attest_droppable *d = property->droppable; d && d->name && !found; d++)
        found = strcmp(d->name, setting->without) == 0;
    return found && (property->arithmetic || setting->number == ATTEST_ARITHMETIC_NONE);
}

static int refuse_setting(const attest_property *property, const attest_setting *setting)
{
    char list[512] = "";
    size_t used = 0;

    if (setting->number != ATTEST_ARITHMETIC_NONE && !property->arithmetic)
        return attest_cli_refuse("%s: is not about an arithmetic (--number)", property->name);
    for (const attest_droppable *d = property->droppable; d && d->name; d++)
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     d->name);
    return attest_cli_refuse("%s: has no hypothesis '%s' to drop; there is %s", property->name,
                             setting->without, used ? list : "none");
}

/* Chooses all properties; if an object was loaded and "all" was not given, only those of the
 * object. */
static int choose_all(attest_plan *plan, const attest_property **list, bool given)
{
    const attest_load *load = attest_cli_loaded();

    for (size_t i = 0; attest_properties[i] && (given || load->count == 0); i++)
        if (fits(attest_properties[i], &plan->setting))
            list[plan->properties++] = attest_properties[i];
    for (size_t i = 0; i < load->count; i++)
        if (fits(&load->property[i], &plan->setting))
            list[plan->properties++] = &load->property[i];
    if (plan->properties == 0 && plan->setting.without)
        return attest_cli_refuse_name("hypothesis", plan->setting.without,
                                      attest_names_hypotheses, NULL, "attest show");
    return EXIT_HOLDS;
}

static int choose_named(attest_plan *plan, const attest_property **list,
                        const campaign_request *request)
{
    for (size_t i = 0; i < request->count; i++) {
        const attest_property *property = attest_property_get(request->names[i]);

        if (!property)
            return attest_cli_refuse_name("property", request->names[i],
                                          attest_names_properties, NULL, "attest show");
        for (size_t p = 0; p < plan->properties; p++)
            if (list[p] == property)
                return attest_cli_refuse("%s: is named twice", property->name);
        if (!fits(property, &plan->setting))
            return refuse_setting(property, &plan->setting);
        list[plan->properties++] = property;
    }
    return EXIT_HOLDS;
}

static int choose_properties(attest_plan *plan, const campaign_request *request)
{
    const attest_property **list;
    size_t room = attest_cli_loaded()->count + 1;

    for (size_t i = 0; attest_properties[i]; i++)
        room++;
    list = attest_memory_alloc(room, sizeof *list);
    if (!list) {
        attest_cli_complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    plan->property = list;
    plan->named =
        request->count > 1 || (request->count == 1 && strcmp(request->names[0], "all") != 0);
    return plan->named ? choose_named(plan, list, request)
                       : choose_all(plan, list, request->count > 0);
}

static size_t processors(void)
{
    size_t count = attest_workers_default();

    return count > MOST_JOBS ? MOST_JOBS : count;
}

/* Returns SOURCE_DATE_EPOCH, or the current time. */
static int64_t start_time(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");

    return epoch && *epoch ? (int64_t)strtoll(epoch, NULL, 10) : (int64_t)time(NULL);
}

/* plan = what the command line asks for. The caller frees the list of properties. EXIT_HOLDS,
 * or an error message and its exit code. */
static int make_plan(attest_plan *plan, const campaign_request *request)
{
    int code;

    *plan = (attest_plan){.seed = request->seed,
                          .trials = request->trials,
                          .shard = 1,
                          .shards = 1,
                          .keep_going = request->keep_going,
                          .observe = request->observe,
                          .run_start = start_time(),
                          .memory = request->worker_memory,
                          .jobs = request->jobs ? request->jobs : processors()};
    if (plan->jobs > MOST_JOBS)
        return attest_cli_refuse("--jobs: at most %d", MOST_JOBS);
    if (request->time && !attest_cli_parse_time(&plan->time, request->time))
        return attest_cli_refuse("--time: '%s' is not a time such as 90, 10m or 2h",
                                 request->time);
    if (request->timeout && !attest_cli_parse_time(&plan->timeout, request->timeout))
        return attest_cli_refuse("--timeout: '%s' is not a time such as 90, 10m or 2h",
                                 request->timeout);
    if (request->shard && !attest_cli_parse_shard(&plan->shard, &plan->shards, request->shard))
        return attest_cli_refuse("--shard: '%s' is not K/N with 1 <= K <= N", request->shard);
    plan->setting.without = request->without;
    code = set_arithmetic(&plan->setting, request);
    return code == EXIT_HOLDS ? choose_properties(plan, request) : code;
}

/* The state of a running campaign. */
typedef struct campaign_job {
    attest_plan plan;
    attest_directory directory;
    attest_journal journal;
    attest_campaign campaign;
    attest_summary summary;
    bool has_corpus;
    attest_corpus corpus;
    attest_observations observations;
    char *resume; /* the command that resumes it, allocated in advance */
} campaign_job;

/* Reports damaged or incomplete bytes at the end of the journal. */
static void report_tail(const campaign_job *job)
{
    const attest_journal_tail *tail = &job->campaign.tail;

    if (tail->dropped > 0)
        attest_cli_complain("%s: %zu bytes after record %zu are %s: their trials are run again",
                            job->journal.path, tail->dropped, tail->records,
                            tail->damaged ? "damaged" : "incomplete");
}

/* Opens the file of observations, with a line for each trial. */
static int open_observations(campaign_job *job, const campaign_request *request)
{
    attest_error error;

    if (!request->observe)
        return EXIT_HOLDS;
    if (attest_observations_open(&job->observations, request->out, job->plan.properties,
                                 &error))
        return attest_cli_fail(&error);
    attest_observations_use(&job->observations, job->campaign.join);
    return EXIT_HOLDS;
}

static int close_observations(campaign_job *job, const campaign_request *request)
{
    attest_error error;

    return request->observe && attest_observations_commit(&job->observations, &error)
               ? attest_cli_fail(&error)
               : EXIT_HOLDS;
}

static int open_directory(campaign_job *job, const campaign_request *request,
                          attest_common *common)
{
    attest_error error;

    if (!request->out)
        return EXIT_HOLDS;
    if (attest_directory_open(&job->directory, request->out, &error))
        return attest_cli_fail(&error);
    ATTEST_CLI_TRY(open_observations(job, request));
    if (attest_campaign_open(&job->campaign, &job->journal, request->out, request->resume,
                             &common->budget, &error))
        return attest_cli_fail_journal(&error);
    report_tail(job);
    return EXIT_HOLDS;
}

/* Writes the files of --junit and --tap, if these options are given. */
static int write_tests(const campaign_job *job, const campaign_request *request)
{
    ATTEST_SCOPED(attest_report_tests, tests);
    attest_error error;

    if (attest_report_tests_set_campaign(&tests, &job->summary)) {
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    if (request->junit && attest_report_tests_write_junit(&tests, request->junit, &error))
        return attest_cli_fail(&error);
    if (request->tap && attest_report_tests_write_tap(&tests, stdout)) {
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    return EXIT_HOLDS;
}

static int print(const campaign_job *job, const campaign_request *request,
                 const attest_common *common)
{
    int code = attest_summary_code(&job->summary);
    attest_error error;
    attest_json json;

    if (request->out && !request->journal_only &&
        attest_report_campaign_files(&job->summary, &error))
        return attest_cli_fail(&error);
    if (write_tests(job, request))
        return EXIT_ENVIRONMENT;
    if (common->json) {
        attest_json_write_begin(&json, stdout);
        attest_report_campaign_json(&json, &job->summary);
        return attest_cli_end_json(&json, code);
    }
    if (!request->tap && !common->stdout_by)
        attest_report_campaign_text(stdout, &job->summary, attest_cli_width());
    if (!request->tap && request->out)
        attest_cli_print_hint(common,
                              "next: 'attest report %s -o OUT.html' writes a page with plots",
                              request->out);
    else if (!request->tap)
        attest_cli_print_hint(common, "next: --out DIR writes it, to resume and to replay; "
                                      "another --seed tries other instances");
    return code;
}

/* Reports an interruption: where the trials are, and the command that resumes the campaign. */
static int report_interruption(const campaign_job *job, const campaign_request *request)
{
    uint64_t trials = 0;

    for (size_t p = 0; p < job->plan.properties; p++)
        trials += attest_join_trials(&job->campaign.join[p]);
    if (!request->out) {
        attest_cli_complain("interrupted after %llu trials, which are lost (--out DIR would "
                            "keep them)",
                            (unsigned long long)trials);
        return EXIT_INTERRUPTED;
    }
    attest_cli_complain("interrupted after %llu trials, which are in %s",
                        (unsigned long long)trials, job->journal.path);
    attest_cli_complain("to go on: %s", job->resume);
    return EXIT_INTERRUPTED;
}

static int run_campaign(campaign_job *job, const campaign_request *request,
                        attest_common *common)
{
    attest_error error;
    int code;

    ATTEST_CLI_TRY(open_directory(job, request, common));
    job->resume = format_command_line(request->argc, request->argv, "--resume");
    if (!job->resume) {
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    job->campaign.stop = watch_signals();
    if (attest_campaign_run(&job->campaign, &error))
        return attest_cli_fail(&error);
    if (job->campaign.interrupted)
        return report_interruption(job, request);
    if (attest_summary_init(&job->summary, &job->plan, job->campaign.join,
                            job->has_corpus ? &job->corpus : NULL, request->out, &error))
        return attest_cli_fail(&error);
    code = close_observations(job, request);
    return code == EXIT_HOLDS ? print(job, request, common) : code;
}

int campaign_replay_corpus(attest_corpus *corpus, bool *given, const char *directory,
                           const attest_common *common)
{
    attest_error error;

    directory = directory ? directory : getenv("ATTEST_CORPUS");
    *given = directory && *directory;
    return *given && attest_corpus_replay(corpus, directory, attest_property_get,
                                          &common->budget, &error)
               ? attest_cli_fail_input(&error)
               : EXIT_HOLDS;
}

static int run_plan(const campaign_request *request, attest_common *common)
{
    campaign_job job = {.directory = {.lock = -1}};
    attest_error error;
    int code = make_plan(&job.plan, request);

    attest_journal_init(&job.journal);
    if (code == EXIT_HOLDS)
        code = campaign_replay_corpus(&job.corpus, &job.has_corpus, request->corpus, common);
    if (code == EXIT_HOLDS && attest_campaign_init(&job.campaign, &job.plan, NULL, &error))
        code = attest_cli_fail(&error);
    if (code == EXIT_HOLDS) {
        job.campaign.progress = attest_cli_progress();
        code = run_campaign(&job, request, common);
    }
    attest_observations_abandon(&job.observations);
    attest_summary_clear(&job.summary);
    attest_corpus_clear(&job.corpus);
    attest_campaign_clear(&job.campaign);
    attest_journal_close(&job.journal);
    attest_directory_close(&job.directory);
    free(job.resume);
    free((void *)job.plan.property);
    return code;
}

/* Refuses an invalid plan here, before every task would. */
static int submit_plan(const campaign_request *request, attest_common *common)
{
    attest_plan plan = {0};
    int code = make_plan(&plan, request);

    if (code == EXIT_HOLDS)
        code = campaign_submit(request, &plan, common);
    free((void *)plan.property);
    return code;
}

static int run(int argc, char **argv)
{
    campaign_request request = {.argc = argc,
                                .argv = argv,
                                .seed = 1,
                                .timeout = "60",
                                .worker_memory = (size_t)2 << 30};
    attest_common common;
    int code;
    const attest_option options[] = {
        {"trials", 0, "N", "trials per property (default: its own, see 'attest show NAME')",
         OPTION_POSITIVE, &request.trials, NULL},
        {"time", 0, "T", "seconds, or 10m, 2h: time for all properties together", OPTION_TEXT,
         &request.time, NULL},
        {"seed", 0, "S", "seed of the random instances (default: 1)", OPTION_COUNT,
         &request.seed, NULL},
        {"jobs", 'j', "J", "processes (default: all processors)", OPTION_POSITIVE,
         &request.jobs, NULL},
        {"shard", 0, "K/N", "run part K of N; 'attest campaign merge' joins the parts",
         OPTION_TEXT, &request.shard, NULL},
        {"out", 'o', "DIR", "write journal, reports and counterexamples to DIR", OPTION_TEXT,
         &request.out, NULL},
        {"resume", 0, NULL, "continue the campaign in DIR", OPTION_FLAG, &request.resume, NULL},
        {"without", 0, "HYPOTHESIS", "drop a hypothesis (listed by 'attest show NAME')",
         OPTION_TEXT, &request.without, NULL},
        {"number", 0, "SYSTEM", "test this arithmetic: mpfr, binary32 or double", OPTION_TEXT,
         &request.number, NULL},
        {"bits", 0, "P", "precision of --number mpfr", OPTION_POSITIVE, &request.bits, NULL},
        {"round", 0, "MODE", "nearest, zero, up, down or away (default: nearest)", OPTION_TEXT,
         &request.round, NULL},
        {"keep-going", 0, NULL, "continue a property after a violation", OPTION_FLAG,
         &request.keep_going, NULL},
        {"timeout", 0, "T", "time limit of one trial (default: 60 seconds)", OPTION_TEXT,
         &request.timeout, NULL},
        {"worker-memory", 0, "SIZE", "memory limit of one worker (default: 2G)", OPTION_SIZE,
         &request.worker_memory, NULL},
        {"observe", 0, NULL, "write every trial to DIR/observations.jsonl", OPTION_FLAG,
         &request.observe, NULL},
        {"slurm", 0, "N", "submit N tasks to Slurm, one per shard, and a task that merges them",
         OPTION_POSITIVE, &request.slurm, NULL},
        {"sbatch", 0, "OPTIONS", "options for sbatch, e.g. \"--partition=short\"", OPTION_TEXT,
         &request.sbatch, NULL},
        {"dry-run", 0, NULL, "print the scripts for Slurm and submit nothing", OPTION_FLAG,
         &request.dry_run, NULL},
        {"journal-only", 0, NULL,
         "write only the journal to DIR, no reports: for shards to be merged", OPTION_FLAG,
         &request.journal_only, NULL},
        {"load", 0, "FILE.so",
         "use the properties of this shared object (default: $ATTEST_LOAD)", OPTION_TEXT,
         &request.load, NULL},
        {"corpus", 0, "DIR", "replay the counterexamples in DIR, too (default: $ATTEST_CORPUS)",
         OPTION_TEXT, &request.corpus, NULL},
        {"tap", 0, NULL, "print the results as TAP", OPTION_FLAG, &request.tap, NULL},
        {"junit", 0, "FILE", "write the results as JUnit XML to FILE", OPTION_TEXT,
         &request.junit, NULL},
        {0},
    };

    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_campaign, &common, options, argc, argv, 0,
                                    1000, &request.names, &request.count));
    if (request.resume && !request.out)
        return attest_cli_refuse("--resume needs the directory of the campaign: --out DIR");
    if (request.observe && !request.out)
        return attest_cli_refuse("--observe needs a directory: --out DIR");
    if ((request.tap && attest_cli_take_stdout(&common, "--tap")) ||
        (request.junit && strcmp(request.junit, "-") == 0 &&
         attest_cli_take_stdout(&common, "--junit -")))
        return EXIT_USAGE;
    ATTEST_CLI_TRY(attest_cli_check_output(request.junit));
    if (!request.slurm && (request.sbatch || request.dry_run))
        return attest_cli_refuse("--sbatch and --dry-run need --slurm N");
    code = attest_cli_load(request.load);
    if (code == EXIT_HOLDS && request.slurm)
        return submit_plan(&request, &common);
    return code == EXIT_HOLDS ? run_plan(&request, &common) : code;
}
