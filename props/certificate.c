/* certificate.c -- the checker accepts certificates of certify, and accepts an altered
 * certificate exactly if it is still true. */
#include <stdio.h>

#include <attest/check.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "io/certificate_json.h"
#include "io/dataset.h"
#include "io/json_write.h"
#include "io/weights_json.h"
#include "number/scope.h"
#include "props/oracle.h"
#include "props/registry.h"
#include "props/truth.h"

/* The number of alterations; number 0 changes nothing. */
enum { ALTERATIONS = 19 };

enum { BITS = 320 };

/* Returns the place of this number, counted through all sequences, cyclically. */
static attest_place get_place(const attest_dataset *dataset, size_t number)
{
    attest_place place = {0, 0};

    for (number %= dataset->total; number > 0; number--)
        (void)attest_oracle_next(&place, dataset);
    return place;
}

/* Finds another pair of the wanted kind, from `choice` on; returns false if there is none. */
static bool find_pair(attest_place pair[2], const attest_truth *truth, size_t choice,
                      bool required)
{
    const attest_dataset *d = truth->oracle.dataset;

    for (size_t i = 0; i < d->total * d->total; i++) {
        size_t number = (choice + i) % (d->total * d->total);
        attest_place a = get_place(d, number / d->total), b = get_place(d, number % d->total);
        if (number / d->total >= number % d->total ||
            attest_oracle_required(&truth->oracle, a, b) != required)
            continue;
        pair[0] = a, pair[1] = b;
        return true;
    }
    return false;
}

/* ball = an enclosure of the root of the square, wider than that of the square by 2^-100. */
static void set_root(arb_t ball, const arb_t square)
{
    MAG(more);

    arb_sqrtpos(ball, square, BITS);
    arb_get_mag(more, ball);
    mag_mul_2exp_si(more, more, -100);
    mag_add(arb_radref(ball), arb_radref(ball), more);
}

static void set_separation(attest_certificate *c, const attest_truth *truth)
{
    ARB(square);

    attest_truth_square(square, truth, c->pair[0], c->pair[1]);
    set_root(c->min_separation, square);
}

static void set_norm(attest_certificate *c, const attest_truth *truth)
{
    ARB(square);

    attest_truth_square(square, truth, c->largest, c->largest);
    set_root(c->max_norm, square);
}

/* x = a rational just below or above the root, not below 0. */
static void set_beside(fmpq_t x, const attest_truth *truth, const arb_t square, bool above)
{
    FMPQ(low, high);

    attest_root_bounds_ball(low, high, square, truth->exact);
    fmpq_set(x, above ? high : low);
    if (fmpq_sgn(x) < 0)
        fmpq_zero(x);
}

/* x = the least separation; returns false if it is not known to be rational. */
static bool set_met(fmpq_t x, const attest_truth *truth)
{
    bool rational;

    if (!truth->exact)
        return false;
    FMPQ(low, root, high);
    rational = attest_root_bounds(low, root, high, truth->brute.exact_separation);
    if (rational)
        fmpq_set(x, root);
    return rational;
}

/* ball = its middle times (1 + 2^-20) or (1 - 2^-20), and no radius. */
static void move(arb_t ball, bool up)
{
    ARF(step);

    arf_mul_2exp_si(step, arb_midref(ball), -20);
    if (up)
        arf_add(arb_midref(ball), arb_midref(ball), step, BITS, ARF_RND_UP);
    else
        arf_sub(arb_midref(ball), arb_midref(ball), step, BITS, ARF_RND_DOWN);
    mag_zero(arb_radref(ball));
}

/* ball = from a quarter of it to more than twice as much. */
static void widen(arb_t ball)
{
    MAG(radius);

    arb_get_mag(radius, ball);
    arb_mul_ui(ball, ball, 5, BITS);
    arb_mul_2exp_si(ball, ball, -2);
    mag_add(arb_radref(ball), arb_radref(ball), radius);
}

static attest_verdict other(attest_verdict verdict)
{
    return verdict == ATTEST_PROVED ? ATTEST_REFUTED : ATTEST_PROVED;
}

/* ----- the pair and its separation ----- */

static const char *alter_pair(attest_certificate *c, size_t which, size_t choice,
                              const attest_truth *truth)
{
    const attest_brute *brute = &truth->brute;

    if (!c->has_pair)
        return NULL;
    switch (which) {
    case 2:
        c->verdict = ATTEST_PROVED;
        if (choice % 2 && set_met(c->delta, truth))
            return "proved for a delta that is met";
        set_beside(c->delta, truth, brute->separation, true);
        return "proved for a delta just above the separation";
    case 3:
        set_beside(c->delta, truth, brute->separation, false);
        c->verdict = ATTEST_REFUTED;
        return "refuted for a delta just below the separation";
    case 4: /* delta lies between the lower end and twice the separation */
        widen(c->min_separation);
        arf_get_fmpq(c->delta, arb_midref(c->min_separation));
        c->verdict = ATTEST_PROVED;
        return "proved for a delta inside a wide enclosure";
    case 5:
        return find_pair(c->pair, truth, choice, true) ? "another required pair" : NULL;
    case 6:
        if (!find_pair(c->pair, truth, choice, true))
            return NULL;
        set_separation(c, truth);
        return "another required pair and its separation";
    case 7:
        return find_pair(c->pair, truth, choice, false) ? "a pair that is not required" : NULL;
    case 8:
        c->has_pair = false;
        return "no pair";
    case 9:
        move(c->min_separation, true);
        return "a larger separation";
    case 10:
        move(c->min_separation, false);
        return "a smaller separation";
    default:
        widen(c->min_separation);
        return "a wide separation";
    }
}

/* ----- norms ----- */

static const char *alter_norm(attest_certificate *c, size_t which, size_t choice,
                              const attest_truth *truth)
{
    const attest_dataset *d = truth->oracle.dataset;

    switch (which) {
    case 12:
        c->largest = get_place(d, choice);
        return "another largest output";
    case 13:
        c->largest = get_place(d, choice);
        set_norm(c, truth);
        return "another largest output and its norm";
    case 14:
        set_beside(c->r, truth, truth->brute.norm, false);
        c->has_r = true;
        c->verdict = ATTEST_PROVED;
        return "proved for an r just below the largest norm";
    case 15:
        set_beside(c->r, truth, truth->brute.norm, true);
        c->has_r = true;
        c->verdict = ATTEST_PROVED;
        return "proved for an r just above the largest norm";
    case 16:
        move(c->max_norm, choice % 2);
        return "another largest norm";
    default:
        widen(c->max_norm);
        return "a wide largest norm";
    }
}

/* Alters a certificate of the layer by alteration `which`, at a place that `choice` selects.
 * Returns what was altered, or NULL if the alteration does not apply. */
static const char *alter_certificate(attest_certificate *c, size_t which, size_t choice,
                                     const attest_truth *truth)
{
    if (which == 0)
        return "as certified";
    if (which == 1) {
        c->verdict = other(c->verdict);
        return "the other verdict";
    }
    if (which == ALTERATIONS - 1) {
        c->largest = (attest_place){truth->oracle.dataset->count, 0};
        return "a largest output outside the dataset";
    }
    return which <= 11 ? alter_pair(c, which, choice, truth)
                       : alter_norm(c, which, choice, truth);
}

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
                attest_gen_size(t, 0, ALTERATIONS - 1), 1);
    fmpq_set_ui(attest_instance_set(instance, "choice"), attest_gen_size(t, 0, CHOICES - 1), 1);
    if (attest_gen_rarely(t, 16))
        layer.tokens.dim_max = 9; /* more entries than the checker adds at once */
    return attest_gen_data_and_weights(instance, t, &layer);
}

/* *value = the parameter, a whole number below limit; returns false if it is missing. */
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

/* Opens an unlinked temporary file, since certificates refer to files. */
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

/* Sets bounds below and above the true ones, so that the claim holds or not. */
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

/* *text = the certificate file of the claim; NULL if the claim is undecided. */
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

/* Compares the verdict of the checker with the truth. If either is unknown, the trial is only
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
        attest_trial_violated(q->trial, "certificate", "%s: check finds it %s, but it is %s",
                              what, holds ? "true" : "false", holds ? "false" : "true");
    return status == ATTEST_OK && holds;
}

/* Checks the certificate as it was written, and with some alterations, one at a time. */
static attest_status examine(question *q, const char *text, size_t size)
{
    for (size_t i = 0; i <= AT_ONCE && q->trial->outcome == ATTEST_HELD; i++) {
        size_t which = i == 0 ? 0 : (q->alteration + i) % ALTERATIONS;
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
        what = alter_certificate(&c, which, q->choice, &q->truth);
        if (what && judge(q, &c, what) && which > 0)
            attest_trial_label(q->trial, "true when altered");
    }
    return ATTEST_OK;
}

static attest_status ask(question *q)
{
    char *text ATTEST_FREED = NULL;
    size_t size = 0;

    ATTEST_TRY(attest_truth_init(&q->truth, &q->instance->dataset, &q->instance->weights));
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
        !get_number(&q.alteration, instance, "alteration", ALTERATIONS) ||
        !get_number(&q.choice, instance, "choice", CHOICES)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
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
    .title = "the checker accepts every certificate, and an altered one only if it is true",
    .statement = "contextual",
    .definition = "certificate",
    .gen = gen,
    .decide = decide,
    .coverage = coverage,
    .trials = 1000,
};
