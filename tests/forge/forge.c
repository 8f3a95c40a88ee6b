/* Forged certificates, given to `attest check`.
 *
 * A certificate of a real run is altered in one of many ways, with correct hashes, and the
 * oracle of tests/ref/truth.h decides whether the altered claim is true. A false claim must not
 * hold; a true claim must not fail, and may be undecided only at the limit of the precision. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <attest/certificate.h>

#include "tests/forge/alter.h"
#include "tests/forge/instance.h"
#include "tests/tap.h"

#ifndef FORGERIES
#define FORGERIES 500
#endif

enum { PER_INSTANCE = 20, MAX_BITS = 4096, MOST_KEPT = 3 };

typedef enum answer { HOLDS, FAILS, UNDECIDED, REFUSED, ANSWERS } answer;

static long tally[FORGE_KINDS][FORGE_JUDGEMENTS][ANSWERS];
static long wrong[FORGE_KINDS], left_out, instances;
static char directory[] = "t-forge.XXXXXX";

/* One forged certificate. */
typedef struct forgery {
    forge_kind kind;
    forge_judgement judgement;
    answer answer;
} forgery;

/* Draws the bounds: none, ordinary ones, or such that the truth is near. */
static void choose_bounds(attest_claim *claim, const forge_context *context)
{
    if (context->truth->required_pairs && forge_below(context->state, 2))
        forge_near(claim->delta,
                   ref_truth_separation(context->truth, context->least[0], context->least[1]),
                   (int)forge_below(context->state, 3) - 1, context->state);
    else if (forge_below(context->state, 2))
        forge_decimal(claim->delta, 1, -forge_below(context->state, 3));
    claim->has_r = forge_below(context->state, 2);
    if (claim->has_r)
        forge_near(claim->r, &context->truth->norm[context->largest],
                   (int)forge_below(context->state, 3) - 1, context->state);
}

/* The certificate that `attest certify` makes of the instance. */
static bool certify(forge_claim *made, const forge_instance *instance,
                    const forge_context *context)
{
    attest_certificate certificate;
    attest_finding finding;
    attest_claim claim;
    bool ok;

    attest_claim_init(&claim);
    attest_finding_init(&finding);
    attest_certificate_init(&certificate);
    claim.dataset = &instance->dataset;
    claim.weights = &instance->weights;
    claim.max_bits = MAX_BITS;
    choose_bounds(&claim, context);
    ok = attest_certify(&finding, &claim, NULL) == ATTEST_OK &&
         attest_certificate_set(&certificate, &claim, &finding, NULL) == ATTEST_OK &&
         attest_certificate_add_dataset(&certificate, "dataset.json", NULL, false, NULL) ==
             ATTEST_OK &&
         attest_certificate_add_input(&certificate, "weights", "weights.json", NULL) ==
             ATTEST_OK &&
         forge_claim_set(made, &certificate);
    attest_certificate_clear(&certificate);
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    return ok;
}

/* Writes the forgeries of one certificate; the kinds are about equally frequent. */
static void forge(forgery *all, const forge_claim *made, const forge_context *context)
{
    forge_claim claim;
    char path[32];

    forge_claim_init(&claim);
    for (int i = 0; i < PER_INSTANCE; i++) {
        all[i] = (forgery){.kind = (forge_kind)(i % FORGE_KINDS), .answer = REFUSED};
        if (i >= FORGE_KINDS)
            all[i].kind = (forge_kind)forge_below(context->state, FORGE_KINDS);
        forge_claim_copy(&claim, made);
        forge_alter(&claim, all[i].kind, context);
        all[i].judgement = forge_claim_judge(&claim, context->dataset, context->truth);
        snprintf(path, sizeof path, "%02d.json", i);
        if (!forge_claim_write(&claim, path))
            abort();
    }
    forge_claim_clear(&claim);
}

/* Checks all forgeries with one run of the program; those without a line on standard output
 * were refused. Returns false if the program crashed. */
static bool check(forgery *all)
{
    static const char *const word[] = {": holds", ": fails", ": undecided"};
    char command[4096], line[4096];
    int used = snprintf(command, sizeof command, "'%s' check --max-bits %d", getenv("ATTEST"),
                        MAX_BITS);
    FILE *pipe;
    int ended;

    for (int i = 0; i < PER_INSTANCE; i++)
        used += snprintf(command + used, sizeof command - (size_t)used, " %02d.json", i);
    snprintf(command + used, sizeof command - (size_t)used, " 2>refused");
    pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        int i = atoi(line);
        for (int a = 0; a < 3; a++)
            if (i < PER_INSTANCE && strncmp(line + 7, word[a], strlen(word[a])) == 0)
                all[i].answer = (answer)a;
    }
    ended = pipe ? pclose(pipe) : -1;
    return WIFEXITED(ended) && WEXITSTATUS(ended) <= 3;
}

static bool is_wrong(const forgery *f)
{
    switch (f->judgement) {
    case FORGE_FALSE:
        return f->answer == HOLDS;
    case FORGE_TRUE:
        return f->answer == FAILS || (f->kind == FORGE_UNALTERED && f->answer == REFUSED);
    case FORGE_OPEN:
        return f->answer != UNDECIDED;
    default:
        return false;
    }
}

/* Copies the files of this instance to the directory that the messages name. */
static void keep(long number)
{
    char target[64];

    snprintf(target, sizeof target, "../kept-%ld", number);
    if (mkdir(target, 0777) != 0 && errno != EEXIST)
        abort();
    snprintf(target, sizeof target, "cp -p *.json ../kept-%ld", number);
    if (system(target) != 0)
        abort();
}

static void count(const forgery *all, const char *place)
{
    static const char *const verdict[] = {"holds", "fails", "undecided", "refused"};
    static const char *const truth[] = {"true", "false", "true, but undecided", "either"};
    bool kept = false;

    for (int i = 0; i < PER_INSTANCE; i++) {
        const forgery *f = &all[i];
        tally[f->kind][f->judgement][f->answer]++;
        if (!is_wrong(f) || ++wrong[f->kind] > MOST_KEPT)
            continue;
        if (!kept)
            keep(instances);
        kept = true;
        printf("# %s: the claim is %s, the verdict is %s:\n", forge_kind_name(f->kind),
               truth[f->judgement], verdict[f->answer]);
        printf("#   attest check --max-bits %d %s/kept-%ld/%02d.json\n", MAX_BITS, place,
               instances, i);
    }
}

/* Makes and checks one instance and its forgeries in the current directory. */
static bool run_instance(uint64_t *state, const char *place)
{
    forgery all[PER_INSTANCE];
    forge_instance instance;
    forge_claim made;
    ref_truth truth;
    forge_context context = {.state = state};
    bool ok = true;

    forge_instance_init(&instance, state);
    forge_claim_init(&made);
    ref_truth_init(&truth, &instance.dataset, &instance.weights);
    context.dataset = &instance.dataset;
    context.truth = &truth;
    context.largest = ref_truth_largest(&truth);
    ref_truth_least(&context.least[0], &context.least[1], &truth);
    if (attest_dataset_write(&instance.dataset, "dataset.json", NULL) != ATTEST_OK ||
        attest_weights_write(&instance.weights, "weights.json", NULL) != ATTEST_OK)
        abort();
    instances++;
    if (certify(&made, &instance, &context)) {
        forge(all, &made, &context);
        ok = check(all);
        count(all, place);
    } else {
        left_out++;
    }
    ref_truth_clear(&truth);
    forge_claim_clear(&made);
    forge_instance_clear(&instance);
    return ok;
}

static void print_table(void)
{
    printf("# %-28s %5s | %-23s | %-23s | %s\n", "", "", "claims more than is true",
           "claims nothing false", "open");
    printf("# %-28s %5s | %5s %5s %5s %5s | %5s %5s %5s %5s | %5s %5s\n", "kind", "tried",
           "holds", "fails", "undec", "refus", "holds", "fails", "undec", "refus", "undec",
           "other");
    for (int k = 0; k < FORGE_KINDS; k++) {
        const long(*t)[ANSWERS] = tally[k];
        long tried = 0, open = 0;
        for (int j = 0; j < FORGE_JUDGEMENTS; j++)
            for (int a = 0; a < ANSWERS; a++) {
                tried += t[j][a];
                open += j == FORGE_OPEN && a != UNDECIDED ? t[j][a] : 0;
            }
        printf("# %-28s %5ld | %5ld %5ld %5ld %5ld | %5ld %5ld %5ld %5ld | %5ld %5ld\n",
               forge_kind_name((forge_kind)k), tried, t[FORGE_FALSE][HOLDS],
               t[FORGE_FALSE][FAILS], t[FORGE_FALSE][UNDECIDED], t[FORGE_FALSE][REFUSED],
               t[FORGE_TRUE][HOLDS], t[FORGE_TRUE][FAILS], t[FORGE_TRUE][UNDECIDED],
               t[FORGE_TRUE][REFUSED], t[FORGE_OPEN][UNDECIDED], open);
    }
}

static bool all_right(void)
{
    for (int k = 0; k < FORGE_KINDS; k++)
        if (wrong[k])
            return false;
    return true;
}

/* The sum over all kinds. */
static long total(forge_judgement judgement, answer given)
{
    long sum = 0;

    for (int k = 0; k < FORGE_KINDS; k++)
        sum += tally[k][judgement][given];
    return sum;
}

TEST(forge)
{
    uint64_t seed = tap_seed(1), state;
    long tried = 0, number = 0;
    char place[4096];
    bool ok = true;

    if (!getenv("ATTEST") || !mkdtemp(directory) || chdir(directory) != 0 ||
        mkdir("work", 0777) || !getcwd(place, sizeof place) || chdir("work") != 0)
        return 99;
    for (; tried < FORGERIES && ok; number++) {
        state = seed + (uint64_t)number * 0x1000003;
        long before = left_out;
        ok = run_instance(&state, place);
        tried += left_out == before ? PER_INSTANCE : 0;
    }
    print_table();
    printf("# %ld instances, %ld without a finite certificate of handy size\n", instances,
           left_out);
    TAP_OK(ok, "the program ends by itself");
    TAP_OK(total(FORGE_FALSE, HOLDS) == 0, "%ld of %ld certificates that claim too much hold",
           total(FORGE_FALSE, HOLDS),
           total(FORGE_FALSE, HOLDS) + total(FORGE_FALSE, FAILS) +
               total(FORGE_FALSE, UNDECIDED) + total(FORGE_FALSE, REFUSED));
    TAP_OK(total(FORGE_TRUE, FAILS) == 0, "%ld certificates that claim nothing false fail",
           total(FORGE_TRUE, FAILS));
    TAP_OK(tally[FORGE_UNALTERED][FORGE_TRUE][REFUSED] == 0, "none is refused unaltered");
    TAP_OK(total(FORGE_OPEN, HOLDS) + total(FORGE_OPEN, FAILS) + total(FORGE_OPEN, REFUSED) ==
               0,
           "undecided verdicts are undecided");
    TAP_OK(total(FORGE_FALSE, FAILS) > FORGERIES / 10 &&
               total(FORGE_TRUE, HOLDS) > FORGERIES / 10,
           "%ld were false and failed, %ld true and held", total(FORGE_FALSE, FAILS),
           total(FORGE_TRUE, HOLDS));
    TAP_OK(4 * total(FORGE_TRUE, UNDECIDED) < total(FORGE_TRUE, HOLDS),
           "%ld true ones stay undecided at %d bits", total(FORGE_TRUE, UNDECIDED), MAX_BITS);
    if (chdir("../..") == 0 && all_right()) {
        char command[64];
        snprintf(command, sizeof command, "rm -r %s", directory);
        TAP_OK(system(command) == 0, "nothing is left");
    }
    flint_cleanup();
    return 0;
}
