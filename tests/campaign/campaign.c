/* Campaigns: counts, verdicts, shrinking, workers that die; the same for any number of jobs. */
#define _GNU_SOURCE
#include "config.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <attest/certify.h>

#include "campaign/chunk.h"
#include "campaign/load.h"
#include "campaign/merge.h"
#include "campaign/replay.h"
#include "campaign/worker.h"
#include "theft/theft_extensions.h"
#include "tests/campaign/toy.h"
#include "tests/limit.h"
#include "tests/tap.h"

/* Time limit of a property that hangs. Others have the 30 seconds of toy_plan, because any call
 * can be slow on a busy machine. */
#define KILL_AFTER 1.0

static double patience(const char *name)
{
    return strstr(name, "kill") ? KILL_AFTER : 30;
}

/* A finished campaign of one property. */
typedef struct single {
    const attest_property *list[1];
    attest_plan plan;
    attest_campaign campaign;
    attest_summary summary;
    const attest_property_summary *about;
} single;

static bool begin_seeded(single *s, const char *name, size_t jobs, uint64_t seed)
{
    s->list[0] = toy_find(name);
    s->plan = toy_plan(s->list, 1);
    s->plan.seed = seed;
    s->plan.jobs = jobs;
    s->plan.timeout = patience(name);
    if (attest_campaign_init(&s->campaign, &s->plan, NULL, NULL) != ATTEST_OK ||
        attest_campaign_run(&s->campaign, NULL) != ATTEST_OK ||
        attest_summary_init(&s->summary, &s->plan, s->campaign.join, NULL, NULL, NULL) !=
            ATTEST_OK)
        return false;
    s->about = &s->summary.property[0];
    return true;
}

static bool begin(single *s, const char *name, size_t jobs)
{
    return begin_seeded(s, name, jobs, 7);
}

static void end(single *s)
{
    attest_summary_clear(&s->summary);
    attest_campaign_clear(&s->campaign);
}

static void test_holds(void)
{
    const attest_chunk_result *r;
    single s;

    TAP_OK(begin(&s, "holds", 1), "a property that holds");
    r = s.about->result;
    TAP_OK(s.about->verdict == ATTEST_CAMPAIGN_HELD && s.about->trials == 96 &&
               r->passed == 96 && s.about->random == 96,
           "all its trials pass");
    TAP_OK(r->labels >= 2 && r->label[0].count + r->label[1].count >= 96 - 20,
           "labels are counted");
    TAP_OK(r->has_tightest && r->tightest >= 1 && strstr(r->tightest_text, "\"x\": \"4"),
           "the tightest case is %g", r->tightest);
    end(&s);
    TAP_OK(begin(&s, "guided", 1), "guided search");
    r = s.about->result;
    TAP_OK(s.about->trials == 400 && r->searched == 100 && s.about->random == 300,
           "guided trials are not counted as independent");
    TAP_OK(r->tightest < 30, "comes close: %g", r->tightest);
    end(&s);
}

/* Any theft simplifies a violation; only our engine is known to reach the simplest one. */
static void test_shrunk(const char *text)
{
    const char *x = strstr(text, "\"x\": \"");
    long value = x ? strtol(x + 6, NULL, 10) : -1;

    TAP_OK(value >= 9990 && value <= 9999, "which is shrunk and still violates: %ld", value);
#ifdef ATTEST_THEFT_BUILTIN
    TAP_OK(value == 9990, "to the least");
#else
    TAP_OK(true, "to the least # SKIP the genuine theft does not promise it");
#endif
}

/* A property that is violated the first time, but not when it is decided again, is flaky; the
 * result has the instance as drawn, and the first reason. */
static void test_flaky(const single *s, const char *reason)
{
    const attest_chunk_result *r = s->about->result;
    const attest_violation *v = r->violation;
    char x[64] = "";

    if (r->violations == 1)
        snprintf(x, sizeof x, "\"x\": \"%.8s\"", v->reason + strlen(reason));
    TAP_OK(s->about->verdict == ATTEST_CAMPAIGN_FLAKY && r->violations == 1 && v->flaky &&
               r->failed == 1 && s->about->trials == r->passed + 1 &&
               strncmp(v->reason, reason, strlen(reason)) == 0 && strstr(v->text, x) &&
               s->about->standing == ATTEST_STANDING_FLAKY &&
               attest_summary_code(&s->summary) == 1,
           "is flaky: %s", r->violations ? v->reason : "no violation");
}

/* A violation that repeats comes before flaky ones. */
static void test_order(void)
{
    static const bool flaky[] = {true, false, true, false};
    attest_chunk_result result;
    bool ok = true;

    attest_chunk_result_init(&result);
    for (size_t v = 0; v < 4; v++) {
        char text[] = "0";

        text[0] = (char)('0' + v / 2); /* violations of a kind differ by their texts */
        ok = ok && attest_chunk_result_add_violation(
                       &result, &(attest_violation){.trial = v,
                                                    .reason = strdup("r"),
                                                    .text = strdup(text),
                                                    .flaky = flaky[v]}) == ATTEST_OK;
    }
    attest_chunk_result_unite(&result);
    TAP_OK(ok && result.violations == 4 && result.violation[0].trial == 1 &&
               result.violation[1].trial == 3 && result.violation[2].trial == 0 &&
               result.violation[3].trial == 2,
           "violations that repeat come first, and are none of the flaky ones");
    attest_chunk_result_clear(&result);
}

static void test_violations(void)
{
    const attest_chunk_result *r;
    single s;

    TAP_OK(begin(&s, "fails", 2), "a property that fails");
    r = s.about->result;
    TAP_OK(s.about->verdict == ATTEST_CAMPAIGN_VIOLATED && r->failed == 1 &&
               r->violations == 1 && s.about->trials == r->passed + 1,
           "stops at the first violation, after %llu trials",
           (unsigned long long)s.about->trials);
    test_shrunk(r->violation[0].text);
    end(&s);
    TAP_OK(begin(&s, "edge", 1), "a property with a knife edge");
    r = s.about->result;
    TAP_OK(r->violation[0].margin <= -0.5 && r->violation[0].margin > -2,
           "is shrunk, but its margin stays clear: %g", r->violation[0].margin);
    end(&s);
    TAP_OK(begin(&s, "flaky", 1), "a property that changes its mind");
    test_flaky(&s, "x was ");
    end(&s);
    test_order();
    s.list[0] = toy_find("fails");
    s.plan = toy_plan(s.list, 1);
    s.plan.keep_going = true;
    if (attest_campaign_init(&s.campaign, &s.plan, NULL, NULL) == ATTEST_OK &&
        attest_campaign_run(&s.campaign, NULL) == ATTEST_OK)
        TAP_OK(s.campaign.join[0].result.violations >= 1 &&
                   s.campaign.join[0].result.violation[0].more > 0 &&
                   attest_join_trials(&s.campaign.join[0]) == 4000,
               "keep_going finds %zu, the first of them %llu times more",
               s.campaign.join[0].result.violations,
               (unsigned long long)s.campaign.join[0].result.violation[0].more);
    attest_campaign_clear(&s.campaign);
}

static void test_undecided(void)
{
    single s;

    TAP_OK(begin(&s, "discards", 1), "a property that discards too much");
    TAP_OK(s.about->verdict == ATTEST_CAMPAIGN_UNDECIDED && s.about->result->failed == 0 &&
               s.about->result->discarded > 100,
           "is undecided: %s", s.about->reason);
    end(&s);
    TAP_OK(begin(&s, "open", 1), "a property with undecided trials");
    TAP_OK(s.about->verdict == ATTEST_CAMPAIGN_UNDECIDED && s.about->result->undecided > 0 &&
               strcmp(s.about->reason, "x ends with 07") == 0,
           "is undecided: %s", s.about->reason);
    end(&s);
}

/* Kills a worker and waits until it is dead, without reaping it. */
static void kill_worker(const attest_worker *worker)
{
    siginfo_t about;

    kill(worker->process, SIGKILL);
    if (waitid(P_PID, (id_t)worker->process, &about, WEXITED | WNOWAIT) != 0)
        abort();
}

/* Returns whether the job arrives; its first worker may be killed. */
static bool job_arrives(attest_pool *pool, const attest_job *job)
{
    attest_status status = attest_pool_send(pool, job, NULL);
    bool arrived = false;
    attest_campaign_record entry;
    attest_text text;

    while (status == ATTEST_OK && !arrived && pool->busy > 0) {
        attest_campaign_record_init(&entry);
        attest_text_init(&text);
        status = attest_pool_wait(pool, &arrived, &entry, &text, NULL);
        arrived = arrived && entry.number == job->number && entry.result.deaths == 0 &&
                  entry.result.passed > 0;
        attest_text_clear(&text);
        attest_campaign_record_clear(&entry);
    }
    return status == ATTEST_OK && arrived;
}

/* A worker that is killed between two jobs does not end a campaign. */
static void test_killed_between(void)
{
    const attest_property *list[] = {toy_find("holds")};
    attest_plan plan = toy_plan(list, 1);
    attest_job job = {.number = 0};
    bool arrived = true;
    attest_campaign_record entry;
    attest_text text;
    attest_pool pool;

    plan.jobs = 1;
    if (attest_pool_init(&pool, &plan, NULL) != ATTEST_OK)
        abort();
    TAP_OK(job_arrives(&pool, &job), "a worker does a job");
    kill_worker(&pool.worker[0]);
    TAP_OK(job_arrives(&pool, &job),
           "a worker that was killed after a job without notice is replaced");
    kill_worker(&pool.worker[0]);
    attest_campaign_record_init(&entry);
    attest_text_init(&text);
    TAP_OK(attest_pool_wait(&pool, &arrived, &entry, &text, NULL) == ATTEST_OK && !arrived &&
               pool.busy == 0,
           "a worker that was killed while idle loses no job");
    attest_text_clear(&text);
    attest_campaign_record_clear(&entry);
    TAP_OK(job_arrives(&pool, &job), "the next job starts another worker");
    attest_pool_clear(&pool);
}

/* A chunk that is given up because its workers are killed again and again is in the journal
 * like any other. */
static void test_given_up(void)
{
    static char directory[] = "t-campaign.XXXXXX";
    const attest_property *list[] = {toy_find("always-kills")};
    attest_plan plan = toy_plan(list, 1);
    uint64_t deaths = 0, trials = 0;
    attest_campaign campaign;
    attest_journal journal;
    attest_status status;
    char path[64];

    plan.jobs = 1;
    plan.timeout = 30;
    attest_journal_init(&journal);
    if (!mkdtemp(directory) || attest_campaign_init(&campaign, &plan, NULL, NULL) != ATTEST_OK)
        abort();
    status = attest_campaign_open(&campaign, &journal, directory, false, NULL, NULL);
    if (status == ATTEST_OK)
        status = attest_campaign_run(&campaign, NULL);
    if (status == ATTEST_OK) {
        deaths = campaign.join[0].result.deaths;
        trials = attest_join_trials(&campaign.join[0]);
    }
    TAP_OK(status == ATTEST_OK && deaths == 16 && trials == 32,
           "chunks that are given up are journalled: %llu deaths in %llu trials",
           (unsigned long long)deaths, (unsigned long long)trials);
    attest_journal_close(&journal);
    attest_campaign_clear(&campaign);
    snprintf(path, sizeof path, "%s/journal", directory);
    unlink(path);
    rmdir(directory);
}

/* ---- shards ---- */

enum { SHARDS = 3 };

/* Runs shard k + 1 of the plan in the directory. */
static bool run_shard(const attest_plan *whole, size_t k, const char *directory)
{
    attest_plan plan = *whole;
    attest_campaign campaign;
    attest_journal journal;
    bool ok;

    plan.shard = k + 1;
    plan.shards = SHARDS;
    attest_journal_init(&journal);
    ok = attest_campaign_init(&campaign, &plan, NULL, NULL) == ATTEST_OK &&
         attest_campaign_open(&campaign, &journal, directory, false, NULL, NULL) == ATTEST_OK &&
         attest_campaign_run(&campaign, NULL) == ATTEST_OK;
    attest_journal_close(&journal);
    attest_campaign_clear(&campaign);
    return ok;
}

/* The report of the shards, merged in this order; the caller frees it. */
static char *merge_report(const attest_plan *whole, const char *const directories[SHARDS])
{
    attest_merge merge;
    attest_error error;
    char *report = NULL;

    if (attest_merge_read(&merge, directories, SHARDS, toy_find, false, NULL, NULL, &error) !=
        ATTEST_OK) {
        printf("# %s\n", error.text);
        return NULL;
    }
    report = toy_report(whole, merge.join);
    attest_merge_clear(&merge);
    return report;
}

/* Shards give the report of the whole campaign in any order: also if chunks after the first
 * violation were counted in the directories that are read first. */
static void test_merged(void)
{
    static const size_t order[][SHARDS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                           {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const attest_property *list[] = {toy_find("holds"), toy_find("fails")};
    attest_plan plan = toy_plan(list, 2);
    char root[] = "t-merge.XXXXXX", name[SHARDS][24], path[128], *expected;
    size_t same = 0;
    bool ok = mkdtemp(root) != NULL;

    expected = toy_run(&plan);
    for (size_t k = 0; k < SHARDS; k++) {
        snprintf(name[k], sizeof name[k], "%s/%zu", root, k);
        ok = ok && mkdir(name[k], 0777) == 0 && run_shard(&plan, k, name[k]);
    }
    for (size_t i = 0; ok && i < 6; i++) {
        const char *directories[SHARDS];
        char *report;

        for (size_t k = 0; k < SHARDS; k++)
            directories[k] = name[order[i][k]];
        report = merge_report(&plan, directories);
        same += report && expected && strcmp(report, expected) == 0;
        free(report);
    }
    TAP_OK(ok && same == 6 && strstr(expected, "fails.1.json"),
           "%zu of 6 orders of shards give the same report", same);
    for (size_t k = 0; k < SHARDS; k++) {
        snprintf(path, sizeof path, "%s/journal", name[k]);
        unlink(path);
        snprintf(path, sizeof path, "%s/lock", name[k]);
        unlink(path);
        rmdir(name[k]);
    }
    rmdir(root);
    free(expected);
}

/* The reason of the result names the first unfinished trial and its seed. */
static bool is_explained(const attest_chunk_result *r)
{
    static const char *const ends[] = {"out of memory", "no answer within 1 seconds",
                                       "signal 9", "exit code 3"};
    const attest_death *first = &r->death[0];
    char expected[160];

    for (size_t d = 1; d < r->deaths; d++)
        first = r->death[d].trial < first->trial ? &r->death[d] : first;
    snprintf(expected, sizeof expected, "trial %llu (seed 0x%llx) is unfinished: %s",
             (unsigned long long)first->trial, (unsigned long long)first->seed,
             ends[first->kind]);
    return r->open_reason && strcmp(r->open_reason, expected) == 0;
}

/* Returns whether and how a trial kills its worker depends on random numbers: tries seeds until
 * all three ways have occurred. */
static void test_kinds_of_death(void)
{
    bool kinds[4] = {false};
    single s;

    for (uint64_t seed = 7; seed < 27; seed++) {
        const attest_chunk_result *r;

        TAP_OK(begin_seeded(&s, "kills", 2, seed), "a property that kills its worker");
        r = s.about->result;
        for (size_t d = 0; d < r->deaths; d++)
            kinds[r->death[d].kind] = true;
        TAP_OK(r->deaths > 0 && r->undecided == r->deaths && r->passed == 120 - r->deaths &&
                   s.about->verdict == ATTEST_CAMPAIGN_UNDECIDED,
               "%zu deaths are trials without a verdict, the rest goes on", r->deaths);
        TAP_OK(r->deaths > 0 && is_explained(r), "the reason names the first death: %s",
               r->open_reason ? r->open_reason : "no reason");
        end(&s);
        if (kinds[ATTEST_DEATH_SIGNAL] && kinds[ATTEST_DEATH_MEMORY] &&
            kinds[ATTEST_DEATH_TIMEOUT])
            break;
    }
    TAP_OK(kinds[ATTEST_DEATH_SIGNAL] && kinds[ATTEST_DEATH_MEMORY] &&
               kinds[ATTEST_DEATH_TIMEOUT],
           "by a signal (%d), by memory (%d), by time (%d)", kinds[ATTEST_DEATH_SIGNAL],
           kinds[ATTEST_DEATH_MEMORY], kinds[ATTEST_DEATH_TIMEOUT]);
}

static void test_death_while_shrinking(void)
{
    const attest_chunk_result *r;
    single s;

    TAP_OK(begin(&s, "kills-shrinking", 1), "a property that kills while it is shrunk");
    r = s.about->result;
    TAP_OK(r->failed == 1 && r->violations == 1 && r->deaths == 1 && r->death[0].shrinking &&
               strstr(r->violation[0].reason, "x is ") != NULL,
           "keeps what it had: %s", r->violation[0].reason);
    end(&s);
}

/* A worker without memory for the seeds of its trials dies before the first one. */
static void test_no_worker(void)
{
    attest_property large = *toy_find("holds");
    const attest_property *list[1] = {&large};
    attest_plan plan = toy_plan(list, 1);
    attest_campaign campaign;
    attest_error error = {0};

    if (!limit_addresses_works()) {
        TAP_OK(true, "a worker that cannot start # SKIP addresses cannot be limited here");
        return;
    }
    large.trials = large.chunk = 1 << 18; /* 2 MiB of seeds */
    plan.memory = 4096;
    if (attest_campaign_init(&campaign, &plan, NULL, NULL) == ATTEST_OK)
        TAP_OK(attest_campaign_run(&campaign, &error) == ATTEST_IO,
               "a worker that cannot start: %s", error.text);
    attest_campaign_clear(&campaign);
}

/* Reports are compared as text. */
static void test_same(const char *name)
{
    const attest_property *list[1] = {toy_find(name)};
    attest_plan plan = toy_plan(list, 1);
    char *one, *other;
    size_t same = 0;

    plan.timeout = patience(name);
    one = toy_run(&plan);

    for (plan.jobs = 2; plan.jobs <= 4; plan.jobs++) {
        other = toy_run(&plan);
        same += one && other && strcmp(one, other) == 0;
        free(other);
    }
    TAP_OK(same == 3, "%s: 1, 2, 3 and 4 jobs give the same report", name);
    free(one);
}

/* Deciding trials together gives the same report as deciding them one by one. */
static void test_together(const char *name, bool keep_going)
{
    attest_property alone = *toy_find(name);
    const attest_property *list[1] = {toy_find(name)}, *other[1] = {&alone};
    attest_plan plan = toy_plan(list, 1);
    char *together, *one_by_one;

    alone.decide_many = NULL;
    plan.timeout = patience(name);
    plan.keep_going = keep_going;
    together = toy_run(&plan);
    plan.property = other;
    one_by_one = toy_run(&plan);
    TAP_OK(together && one_by_one && strcmp(together, one_by_one) == 0,
           "%s%s: the same as one by one", name, keep_going ? ", keep going" : "");
    free(together);
    free(one_by_one);
}

/* The tightest case has the seed of its own trial. */
static void test_seed_together(void)
{
    attest_property alone = *toy_find("many-hold");
    const attest_property *list[1] = {toy_find("many-hold")}, *other[1] = {&alone};
    attest_plan plan = toy_plan(list, 1);
    attest_campaign campaign[2];
    bool ok = true;

    alone.decide_many = NULL;
    for (int i = 0; i < 2; i++) {
        plan.property = i ? other : list;
        ok = attest_campaign_init(&campaign[i], &plan, NULL, NULL) == ATTEST_OK && ok &&
             attest_campaign_run(&campaign[i], NULL) == ATTEST_OK &&
             campaign[i].join[0].result.has_tightest;
    }
    TAP_OK(ok && strcmp(campaign[0].join[0].result.tightest_text,
                        campaign[1].join[0].result.tightest_text) == 0,
           "the tightest case has the seed that it has one by one");
    for (int i = 0; i < 2; i++)
        attest_campaign_clear(&campaign[i]);
}

/* Cleared objects are as after init. */
static void test_cleared(void)
{
    attest_instance instance;

    attest_instance_init(&instance);
    fmpq_one(attest_instance_set(&instance, "x"));
    attest_instance_clear(&instance);
    TAP_OK(!attest_instance_get(&instance, "x"), "a parameter is gone when it is cleared");
    attest_instance_clear(&instance);
}

/* A property whose two functions differ shows which one is called. */
static void test_who_decides(void)
{
    single s;

    TAP_OK(begin(&s, "only-many-hold", 1), "a property that holds for many only");
    TAP_OK(s.about->verdict == ATTEST_CAMPAIGN_HELD && s.about->trials == 300,
           "trials are decided together");
    end(&s);
    TAP_OK(begin(&s, "only-many-fail", 1), "a property that fails for many only");
    test_flaky(&s, "x is ");
    end(&s);
}

/* Each trial is decided by the same function whether or not another trial of its chunk is
 * violated: chunks of any size, with and without violations, have the same counts. */
static void test_half(void)
{
    static const size_t sizes[] = {1, 20, 100};
    attest_property property = *toy_find("half-are-asked");
    const attest_property *list[1] = {&property};
    attest_plan plan = toy_plan(list, 1);
    uint64_t failed[3] = {0};

    plan.keep_going = true;
    for (size_t i = 0; i < 3; i++) {
        attest_campaign campaign;
        property.chunk = sizes[i];
        if (attest_campaign_init(&campaign, &plan, NULL, NULL) == ATTEST_OK &&
            attest_campaign_run(&campaign, NULL) == ATTEST_OK)
            failed[i] = campaign.join[0].result.failed;
        attest_campaign_clear(&campaign);
    }
    TAP_OK(failed[0] > 10 && failed[0] < 40 && failed[1] == failed[0] && failed[2] == failed[0],
           "half of the violations are found, in chunks of any size: %u, %u, %u",
           (unsigned)failed[0], (unsigned)failed[1], (unsigned)failed[2]);
}

/* If a search finds nothing in fewer trials than its default, its witness is decided. Without a
 * valid witness (x is NULL: none), or if a hypothesis is dropped, the property is skipped. */
static void test_witness(const char *x, double time, unsigned trials, const char *without,
                         attest_campaign_standing expected)
{
    char text[512];
    attest_property sought = *toy_find("holds");
    single s = {.list = {&sought}};

    snprintf(
        text, sizeof text,
        "{\"format\": \"attest/counterexample\", \"version\": 1, \"property\": \"sought\", "
        "\"parameters\": {\"x\": \"%s\"}, \"violates\": {\"definition\": \"toy\"}, "
        "\"found_by\": \"campaign\", \"shrink_steps\": 0}",
        x ? x : "");
    sought.decide = toy_fails;
    sought.expect_violation = true;
    sought.witness = x ? text : NULL;
    s.plan = toy_plan(s.list, 1);
    s.plan.trials = trials;
    s.plan.time = time;
    s.plan.setting.without = without;
    if (attest_campaign_init(&s.campaign, &s.plan, NULL, NULL) == ATTEST_OK &&
        attest_campaign_run(&s.campaign, NULL) == ATTEST_OK &&
        attest_summary_init(&s.summary, &s.plan, s.campaign.join, NULL, NULL, NULL) ==
            ATTEST_OK)
        TAP_OK(s.summary.property[0].standing == expected && s.campaign.join[0].next > 0,
               "x = %s, time %g, %u trials: %s", x ? x : "none", time, trials,
               s.summary.property[0].by_witness ? "by the witness" : "not by the witness");
    end(&s);
}

static attest_status starve(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    (void)trial, (void)instance, (void)setting, (void)error;
    return ATTEST_NOMEM;
}

static attest_status starve_many(attest_trial *trial, const attest_instance *instance,
                                 size_t count, void **memory, const attest_setting *setting,
                                 attest_error *error)
{
    (void)count, (void)memory;
    return starve(trial, instance, setting, error);
}

/* The chunk reports that a property ran out of memory, even if the property sets no error. */
static void test_starved(bool together, bool search)
{
    const attest_property property = {.name = "starves",
                                      .statement = "toy",
                                      .gen = toy_gen,
                                      .decide = starve,
                                      .decide_many = together ? starve_many : NULL};
    const attest_setting setting = {0};
    const attest_chunk chunk = {
        .property = &property, .setting = &setting, .count = 8, .search = search};
    attest_error error = {.status = ATTEST_OK, .text = ""};
    attest_chunk_result result;

    attest_chunk_result_init(&result);
    TAP_OK(attest_chunk_run(&result, &chunk, &error) == ATTEST_NOMEM &&
               error.status == ATTEST_NOMEM && strstr(error.text, "out of memory"),
           "no memory for a trial%s%s: '%s'", together ? ", decided together" : "",
           search ? ", in a search" : "", error.text);
    attest_chunk_result_clear(&result);
}

/* Draws x below 10000; discards the draws from 9000 on. */
static attest_status gen_some(attest_instance *instance, struct theft *t,
                              const attest_setting *setting)
{
    if (toy_gen(instance, t, setting) != ATTEST_OK)
        return ATTEST_NOMEM;
    return toy_x(instance) < 9000 ? ATTEST_OK : ATTEST_DOMAIN;
}

/* x modulo 4 chooses the outcome. */
static attest_status decide_by_remainder(attest_trial *trial, const attest_instance *instance,
                                         const attest_setting *setting, attest_error *error)
{
    long x = toy_x(instance);

    (void)setting, (void)error;
    if (x % 4 == 1)
        attest_trial_violated(trial, "toy", "x is odd");
    if (x % 4 == 2)
        attest_trial_open(trial, "x is %s", "even");
    if (x % 4 == 3)
        trial->outcome = ATTEST_DISCARDED;
    return ATTEST_OK;
}

/* Returns whether the line has this status and reason. */
static bool is_observed(const char *line, size_t size, const char *status, const char *reason)
{
    char text[400];

    snprintf(text, sizeof text, "\"status\": \"%s\",\"status_reason\": \"%s\",", status,
             reason);
    return memmem(line, size, text, strlen(text));
}

/* Returns the kind of an observation: 0 to 3 the outcome that x chooses, 4 a draw that was
 * discarded, 5 the trial at which a worker died; or -1 if its status and reason are not those
 * of its kind. */
static int observation_kind(const char *line, size_t size, bool died, uint64_t seed)
{
    static const char *const status[] = {"passed", "failed", "gave_up", "gave_up", "gave_up"},
                             *const reason[] = {"", "x is odd", "x is even",
                                                "discarded: the hypotheses are not met",
                                                "discarded: the hypotheses are not met"};
    const char *x = memmem(line, size, "\"x\": \"", 6);
    int kind = x ? (int)(strtol(x + 6, NULL, 10) % 4) : 4;
    char unfinished[100];

    if (died) {
        snprintf(unfinished, sizeof unfinished,
                 "trial 12 (seed 0x%llx) is unfinished: signal 9", (unsigned long long)seed);
        return is_observed(line, size, "gave_up", unfinished) ? 5 : -1;
    }
    return is_observed(line, size, status[kind], reason[kind]) ? kind : -1;
}

/* Every trial is observed with its status, and the reason why it has no verdict. */
static void test_observed(void)
{
    enum { TRIALS = 60, DEAD = 5, KINDS = 6 }; /* the trial of the death, from the first one */
    const attest_property property = {
        .name = "four", .statement = "toy", .gen = gen_some, .decide = decide_by_remainder};
    const attest_setting setting = {0};
    attest_chunk chunk = {.property = &property,
                          .setting = &setting,
                          .seed = 7,
                          .first = 7,
                          .count = TRIALS,
                          .keep_going = true,
                          .observe = true,
                          .deaths = 1};
    attest_chunk_result result;
    size_t lines = 0, wrong = 0, seen[KINDS] = {0};

    chunk.death[0] = (attest_death){.kind = ATTEST_DEATH_SIGNAL,
                                    .detail = 9,
                                    .trial = chunk.first + DEAD,
                                    .seed = theft_trial_seed(7, chunk.first + DEAD)};
    attest_chunk_result_init(&result);
    if (attest_chunk_run(&result, &chunk, NULL) != ATTEST_OK || !result.observations)
        abort();
    for (const char *line = result.observations; *line; lines++) {
        size_t size = strcspn(line, "\n");
        int kind = observation_kind(line, size, lines == DEAD, chunk.death[0].seed);

        if (kind < 0) {
            printf("# %.*s\n", (int)size, line);
            wrong++;
        } else {
            seen[kind]++;
        }
        line += size + (line[size] == '\n');
    }
    TAP_OK(wrong == 0 && lines == TRIALS, "%zu observations, %zu with another status or reason",
           lines, wrong);
    TAP_OK(seen[0] == result.passed && seen[1] == result.failed &&
               seen[2] + seen[5] == result.undecided && seen[3] + seen[4] == result.discarded &&
               seen[0] && seen[1] && seen[2] && seen[3] && seen[4] && seen[5] == 1,
           "as many as are counted: %zu passed, %zu failed, %zu open, %zu + %zu discarded",
           seen[0], seen[1], seen[2], seen[3], seen[4]);
    attest_chunk_result_clear(&result);
}

/* The initial values of a replay. */
static void test_replay_begins(void)
{
    attest_replay replay;

    attest_replay_init(&replay);
    TAP_OK(replay.seconds == 60 && replay.max_work == ATTEST_CERTIFY_MAX_WORK &&
               isnan(replay.margin) && !replay.has_pair && !replay.definition,
           "a replay has a minute, the work of claims, and no margin");
    attest_replay_clear(&replay);
}

/* A property may read its error under guard, too. */
static void test_guard(void)
{
    const attest_property property = {.name = "open", .decide = toy_open};
    const attest_setting setting = {0};
    const attest_guard guard = {.property = &property, .setting = &setting};
    attest_error error = {0};
    attest_instance instance;
    attest_trial trial;

    attest_instance_init(&instance);
    fmpq_set_si(attest_instance_set(&instance, "x"), 107, 1);
    attest_trial_init(&trial);
    TAP_OK(attest_guard_decide(&guard, &trial, &instance, &error) == ATTEST_OK &&
               trial.outcome == ATTEST_OPEN && strcmp(trial.reason, "x ends with 07") == 0,
           "an open trial under guard: %s", trial.reason);
    attest_instance_clear(&instance);
}

TEST(campaign)
{
    test_guard();
    test_replay_begins();
    test_observed();
    test_merged();
    test_starved(false, false);
    test_starved(false, true);
    test_starved(true, false);
    test_starved(true, true);
    test_witness("9999", 1e-9, 0, NULL, ATTEST_STANDING_EXPECTED);
    test_witness("9999", 0, 8, NULL, ATTEST_STANDING_EXPECTED);
    test_witness("1", 1e-9, 0, NULL, ATTEST_STANDING_FAILED);
    test_witness("1", 0, 8, NULL, ATTEST_STANDING_FAILED);
    test_witness("x", 1e-9, 0, NULL, ATTEST_STANDING_FAILED);
    test_witness("9999", 0, 8, "toy", ATTEST_STANDING_NOT_RUN);
    test_witness("9999", 0, 96, "toy", ATTEST_STANDING_FAILED);
    test_witness(NULL, 1e-9, 0, NULL, ATTEST_STANDING_NOT_RUN);
    test_witness(NULL, 0, 95, NULL, ATTEST_STANDING_NOT_RUN);
    test_witness("9999", 0, 0, NULL, ATTEST_STANDING_FAILED); /* the default, 96 */
    test_witness("9999", 0, 104, NULL, ATTEST_STANDING_FAILED);
    test_holds();
    test_violations();
    test_undecided();
    test_killed_between();
    test_given_up();
    test_kinds_of_death();
    test_death_while_shrinking();
    test_no_worker();
    test_seed_together();
    test_cleared();
    test_who_decides();
    test_half();
    for (size_t i = 0; i < TOYS; i++)
        if (strncmp(toys[i].name, "many-", 5) == 0) {
            test_together(toys[i].name, false);
            test_together(toys[i].name, true);
        }
    for (size_t i = 0; i < TOYS; i++)
        test_same(toys[i].name);
    flint_cleanup();
    return 0;
}
