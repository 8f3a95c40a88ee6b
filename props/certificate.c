/* certificate.c -- the checker accepts certificates of certify, and accepts an altered
 * certificate exactly if it is still true. */
#include <stdio.h>

#include <attest/check.h>

#include "campaign/label.h"
#include "campaign/gen.h"
#include "io/certificate_json.h"
#include "io/dataset_json.h"
#include "io/json_write.h"
#include "io/weights_json.h"
#include "props/certificate.h"
#include "number/scope.h"
#include "props/properties.h"
#include "props/roots.h"

enum { MOST_BITS = 1 << 12, CLAIMS = 6, AT_ONCE = 5, CHOICES = 256 };

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 3, .count_min = 2, .count_max = 5, .zero = true, .decades = 40},
    .sequences = {.count_min = 1,
                  .count_max = 4,
                  .length_min = 1,
                  .length_max = 4,
                  .repeats = true,
                  .shared = true},
    .heads = {.heads_max = 3,
              .size_max = 2,
              .decades = 40,
              .score_limit = 40,
              .gaps = ATTEST_GEN_FAR},
    .corners = true,
};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    attest_gen_layer layer = kind;

    (void)setting;
    fmpq_set_ui(attest_instance_set(instance, "claim"), attest_gen_size(t, 0, CLAIMS - 1), 1);
    fmpq_set_ui(attest_instance_set(instance, "alteration"),
                attest_gen_size(t, 0, ATTEST_ALTERATIONS - 1), 1);
    fmpq_set_ui(attest_instance_set(instance, "choice"), attest_gen_size(t, 0, CHOICES - 1), 1);
    if (attest_gen_rarely(t, 16))
        layer.tokens.dim_max = 9; /* more than the checker's strides */
    return attest_gen_data_and_weights(instance, t, &layer);
}

/* *value = the parameter, a whole number below limit; false: there is none. */
static bool get_number(size_t *value, const attest_instance *instance, const char *name,
                       size_t limit)
{
    const fmpq *number = attest_instance_get(instance, name);

    if (!number || !fmpz_is_one(fmpq_denref(number)) || fmpq_sgn(number) < 0 ||
        fmpz_cmp_ui(fmpq_numref(number), limit) >= 0)
        return false;
    *value = fmpz_get_ui(fmpq_numref(number));
    return true;
}

/* A temporary file without a name: certificates refer to files. */
typedef struct nameless {
    FILE *stream;
    char path[32];
} nameless;

static bool nameless_init(nameless *file, attest_json_writer *write, const void *value)
{
    size_t size = 0;
    char *text ATTEST_FREED = attest_json_format(&size, write, value);

    file->stream = tmpfile();
    if (!file->stream)
        return false;
    snprintf(file->path, sizeof file->path, "/dev/fd/%d", fileno(file->stream));
    return text && fwrite(text, 1, size, file->stream) == size && fflush(file->stream) == 0;
}

static void nameless_clear(nameless *file)
{
    if (file->stream)
        fclose(file->stream);
}

static void write_dataset(attest_json *json, const void *value)
{
    attest_dataset_write_json(json, NULL, value);
}

static void write_weights(attest_json *json, const void *value)
{
    attest_weights_write_json(json, NULL, value);
}

static void write_certificate(attest_json *json, const void *value)
{
    attest_certificate_write_json(json, NULL, value);
}

typedef struct question {
    attest_trial *trial;
    const attest_instance *instance;
    attest_truth truth;
    nameless dataset, weights;
    size_t claim, alteration, choice;
    attest_error *error;
} question;

/* Bounds below and above the true ones, so that the claim holds or not. */
static void set_claim(attest_claim *claim, const question *q)
{
    const attest_brute *brute = &q->truth.brute;
    bool above = q->claim == 2;

    claim->dataset = &q->instance->dataset;
    claim->weights = &q->instance->weights;
    FMPQ(low, high);
    if ((q->claim == 1 || above) && brute->required) {
        attest_root_bounds_ball(low, high, brute->separation, q->truth.exact);
        fmpq_set(claim->delta, above ? high : low);
    } else if (q->claim >= 3) {
        attest_root_bounds_ball(low, high, brute->norm, q->truth.exact);
        claim->has_r = true;
        fmpq_set(claim->r, q->claim == 4 ? low : high);
    }
    if (fmpq_sgn(claim->delta) < 0)
        fmpq_zero(claim->delta);
    if (fmpq_sgn(claim->r) < 0)
        fmpq_zero(claim->r);
}

/* *text = the certificate of the claim as a file has it; NULL where the claim is undecided. */
static attest_status certify(char **text, size_t *size, question *q)
{
    ATTEST_SCOPED(attest_claim, claim);
    ATTEST_SCOPED(attest_finding, finding);
    ATTEST_SCOPED(attest_certificate, certificate);

    *text = NULL;
    set_claim(&claim, q);
    ATTEST_TRY(attest_certify(&finding, &claim, q->error));
    ATTEST_TRY(attest_certificate_set(&certificate, &claim, &finding, q->error));
    ATTEST_TRY(
        attest_certificate_add_dataset(&certificate, q->dataset.path, NULL, false, q->error));
    ATTEST_TRY(
        attest_certificate_add_input(&certificate, "weights", q->weights.path, q->error));
    if (finding.verdict == ATTEST_UNDECIDED) {
        attest_trial_open(q->trial, "%s", finding.reason);
        return ATTEST_OK;
    }
    *text = attest_json_format(size, write_certificate, &certificate);
    return *text ? ATTEST_OK : ATTEST_NOMEM;
}

/* Compares the checker's verdict with the truth. Where either is not known, the trial is only
 * labelled. Returns whether the checker accepts the certificate. */
static bool judge(question *q, const attest_certificate *c, const char *what)
{
    attest_truth_answer answer = attest_truth_check(&q->truth, c);
    attest_error error;
    bool holds = false;
    attest_status status = attest_check_certificate(&holds, c, NULL, MOST_BITS, NULL, &error);

    if (status == ATTEST_UNABLE || answer == ATTEST_TRUTH_UNKNOWN)
        attest_trial_label(q->trial,
                           status == ATTEST_UNABLE ? "check leaves open" : "truth not known");
    else if (status != ATTEST_OK)
        attest_trial_violated(q->trial, "certificate", "%s: check fails: %s", what, error.text);
    else if (holds != (answer == ATTEST_TRUTH_TRUE))
        attest_trial_violated(q->trial, "certificate", "%s: check says it is %s, but it is %s",
                              what, holds ? "true" : "false", holds ? "false" : "true");
    return status == ATTEST_OK && holds;
}

/* The certificate as it was written, and with some alterations, one at a time. */
static attest_status examine(question *q, const char *text, size_t size)
{
    for (size_t i = 0; i <= AT_ONCE && q->trial->outcome == ATTEST_HELD; i++) {
        size_t which = i == 0 ? 0 : (q->alteration + i) % ATTEST_ALTERATIONS;
        const char *what;
        attest_status status;
        ATTEST_SCOPED(attest_certificate, c);

        status = attest_certificate_parse_json(&c, text, size, NULL, q->error);
        if (status == ATTEST_NOMEM)
            return status;
        if (status != ATTEST_OK) {
            attest_trial_violated(q->trial, "certificate", "it cannot be read again: %s",
                                  q->error->text);
            return ATTEST_OK;
        }
        what = attest_props_certificate_alter(&c, which, q->choice, &q->truth);
        if (what && judge(q, &c, what) && which > 0)
            attest_trial_label(q->trial, "true when altered");
    }
    return ATTEST_OK;
}

static attest_status ask(question *q)
{
    char *text ATTEST_FREED = NULL;
    size_t size = 0;

    if (q->truth.brute.open) {
        attest_trial_open(q->trial, "all pairs: not decided at %d bits", ATTEST_BRUTE_MAX_BITS);
        return ATTEST_OK;
    }
    if (!nameless_init(&q->dataset, write_dataset, &q->instance->dataset) ||
        !nameless_init(&q->weights, write_weights, &q->instance->weights)) {
        attest_trial_open(q->trial, "no temporary file can be made");
        return ATTEST_OK;
    }
    ATTEST_TRY(certify(&text, &size, q));
    return text ? examine(q, text, size) : ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    question q = {.trial = trial, .instance = instance, .error = error};
    attest_status status;

    (void)setting;
    if (!attest_instance_fits(instance) || !get_number(&q.claim, instance, "claim", CLAIMS) ||
        !get_number(&q.alteration, instance, "alteration", ATTEST_ALTERATIONS) ||
        !get_number(&q.choice, instance, "choice", CHOICES)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    status = attest_truth_init(&q.truth, &instance->dataset, &instance->weights);
    if (status == ATTEST_OK)
        status = ask(&q);
    nameless_clear(&q.dataset), nameless_clear(&q.weights);
    attest_truth_clear(&q.truth);
    attest_trial_label_layer(trial, instance);
    return status;
}

static const attest_coverage coverage[] = {
    {ATTEST_LABEL_ONE_TOKEN, 0, 10},   {ATTEST_LABEL_DEAD, 0, 10},
    {ATTEST_LABEL_ONE_CONTEXT, 0, 10}, {"check leaves open", 0, 10},
    {"true when altered", 30, 100},    {0},
};

const attest_property attest_property_certificate = {
    .name = "certificate",
    .title = "the checker takes what is certified, and of altered certificates those that are "
             "still true",
    .statement = "contextual",
    .definition = "certificate",
    .gen = gen,
    .decide = decide,
    .coverage = coverage,
    .trials = 1000,
};
