/* certify against a brute-force oracle on random small softmax instances, with planted equal
 * and nearly equal (2^-500) outputs; long-certify runs 10^5 of them. */
#include <math.h>
#include <string.h>

#include <attest/certify.h>

#include "attention/head_plan.h"
#include "certify/outputs.h"
#include "tests/ref/softmax_oracle.h"
#include "tests/tap.h"

#ifndef INSTANCES
#define INSTANCES 400
#endif

static uint64_t state;

static long below(long n)
{
    return (long)(tap_random(&state) % (uint64_t)n);
}

/* Heads may cancel exactly, or up to 2^-500; the second sequence is often like the first. */
static void make(oracle_instance *o)
{
    o->sequences = 1 + (size_t)below(ORACLE_SEQUENCES - 1);
    o->heads = 1 + (size_t)below(ORACLE_HEADS);
    o->skip = below(3) > 0;
    o->causal = below(3) == 0;
    for (size_t i = 0; i < o->sequences; i++) {
        o->length[i] = 1 + (size_t)below(ORACLE_LENGTH);
        for (size_t k = 0; k < o->length[i]; k++)
            o->token[i][k] = below(9) - 4;
        if (i > 0 && below(2)) {
            o->length[i] = o->length[i - 1];
            memcpy(o->token[i], o->token[i - 1], sizeof o->token[i]);
            o->token[i][below((long)o->length[i])] = below(9) - 4;
        }
    }
    for (size_t h = 0; h < o->heads; h++) {
        o->score[h] = below(5) - 2;
        fmpq_set_si(o->value + h, below(5) - 2, 1 + (ulong)below(3));
    }
    if (o->heads == 2 && below(2)) { /* heads that cancel, or nearly */
        o->score[1] = o->score[0];
        fmpq_neg(o->value + 1, o->value + 0);
        if (below(2)) {
            fmpq_t tiny;
            fmpq_init(tiny);
            fmpq_set_si(tiny, 1 + below(3), 1);
            fmpq_div_2exp(tiny, tiny, 500);
            fmpq_add(o->value + 1, o->value + 1, tiny);
            fmpq_clear(tiny);
        }
    }
}

static void set_entry(attest_matrix *m, const fmpq_t value)
{
    attest_matrix_resize(m, 1, 1);
    fmpz_set(m->entry, fmpq_numref(value));
    fmpz_set(m->denominator, fmpq_denref(value));
}

static bool load(attest_dataset *dataset, attest_weights *weights, const oracle_instance *o)
{
    attest_dataset_builder builder;
    attest_error error;
    bool ok = attest_weights_resize(weights, o->heads) == ATTEST_OK;
    fmpq_t x;

    fmpq_init(x);
    weights->activation = ATTEST_SOFTMAX;
    weights->skip = o->skip;
    weights->mask = o->causal ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
    weights->dim = 1;
    for (size_t h = 0; ok && h < o->heads; h++) {
        fmpq_one(x);
        set_entry(&weights->head[h].wq, x);
        set_entry(&weights->head[h].wo, x);
        fmpq_set_si(x, o->score[h], 1);
        set_entry(&weights->head[h].wk, x);
        set_entry(&weights->head[h].wv, o->value + h);
    }
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; ok && i < o->sequences; i++) {
        for (size_t k = 0; ok && k < o->length[i]; k++) {
            fmpq_set_si(x, o->token[i][k], 1);
            ok = attest_dataset_builder_add_token(&builder, x, &error) == ATTEST_OK;
        }
        ok = ok && attest_dataset_builder_end_sequence(&builder, &error) == ATTEST_OK;
    }
    ok = ok && attest_dataset_builder_finish(dataset, &builder, &error) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    fmpq_clear(x);
    return ok;
}

static bool same_pair(const attest_finding *f, const oracle_verdict *v)
{
    return f->pair[0].sequence == v->pair[0][0] && f->pair[0].position == v->pair[0][1] &&
           f->pair[1].sequence == v->pair[1][0] && f->pair[1].position == v->pair[1][1];
}

/* Verdict, pair and enclosures against the oracle's. */
static bool agrees(const attest_finding *f, const oracle_verdict *v)
{
    if (fmpz_cmp_ui(f->required_pairs, v->required) != 0 || !arb_overlaps(f->max_norm, v->most))
        return false;
    if (v->required == 0)
        return f->verdict == ATTEST_PROVED && !f->has_pair;
    if (v->equal)
        return f->verdict == ATTEST_REFUTED && arb_is_zero(f->min_separation) &&
               same_pair(f, v);
    return f->verdict == ATTEST_PROVED && arb_is_positive(f->min_separation) &&
           arb_overlaps(f->min_separation, v->least) &&
           (strcmp(f->method, "ball") != 0 || arb_rel_accuracy_bits(f->min_separation) >= 40);
}

static bool try_instance(size_t count[3])
{
    oracle_instance o = {0};
    oracle_verdict v = {0};
    attest_dataset dataset;
    attest_weights weights;
    attest_finding finding;
    attest_claim claim;
    attest_error error;
    bool ok;

    for (size_t h = 0; h < ORACLE_HEADS; h++)
        fmpq_init(o.value + h);
    arb_init(v.least);
    arb_init(v.most);
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    attest_claim_init(&claim);
    attest_finding_init(&finding);
    make(&o);
    oracle_decide(&v, &o);
    ok = load(&dataset, &weights, &o);
    claim.dataset = &dataset;
    claim.weights = &weights;
    /* Enough for squares of 2^-500, and an end where a mistake would double for ever. */
    claim.max_bits = 4096;
    ok = ok && attest_certify(&finding, &claim, &error) == ATTEST_OK && agrees(&finding, &v);
    count[0] += v.equal;
    count[1] += !v.equal && v.required &&
                arf_cmpabs_2exp_si(arb_midref(finding.min_separation), -128) < 0;
    if (ok && v.required && !v.equal) { /* a delta on either side of the truth */
        fmpq_t tiny;
        fmpq_init(tiny);
        arf_get_fmpq(claim.delta, arb_midref(finding.min_separation));
        fmpq_set_si(tiny, 1 + (below(2) ? 1 : -1), 1);
        fmpq_mul(claim.delta, claim.delta, tiny); /* 0 or twice the separation */
        attest_finding_clear(&finding);
        attest_finding_init(&finding);
        ok = attest_certify(&finding, &claim, &error) == ATTEST_OK &&
             finding.verdict == (fmpq_is_zero(tiny) ? ATTEST_PROVED : ATTEST_REFUTED);
        fmpq_clear(tiny);
    }
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
    arb_clear(v.least);
    arb_clear(v.most);
    for (size_t h = 0; h < ORACLE_HEADS; h++)
        fmpq_clear(o.value + h);
    return ok;
}

/* The work of all sequences, as a layer that is evaluated on them takes it. */
static double work_of(const attest_dataset *dataset, const attest_weights *weights)
{
    const double all = 0x1p40;
    double left = all;

    if (attest_work_charge_sequences(&left, weights, dataset, NULL, dataset->count,
                                     ATTEST_CERTIFY_BITS, NULL, NULL) != ATTEST_OK)
        abort();
    return all - left;
}

/* All outputs take the work of each sequence once, however many contexts it has. */
static void test_work(void)
{
    oracle_instance o = {.sequences = 2,
                         .heads = 1,
                         .length = {3, 2},
                         .token = {{1, 2, 3}, {1, 4}},
                         .score = {1}};
    attest_contexts contexts;
    attest_dataset dataset;
    attest_weights weights;
    attest_outputs outputs;
    attest_status status;
    attest_cloud cloud;
    double work;

    fmpq_init(o.value);
    fmpq_one(o.value);
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    attest_contexts_init(&contexts);
    if (!load(&dataset, &weights, &o) ||
        attest_contexts_get(&contexts, &dataset, weights.mask, ATTEST_TIES_UNIFORM, NULL) !=
            ATTEST_OK ||
        attest_outputs_init(&outputs, &weights, &dataset, &contexts, NULL) != ATTEST_OK)
        abort();
    work = work_of(&dataset, &weights);
    outputs.work_left = 0.9 * work;
    TAP_OK(attest_outputs_get_cloud(&cloud, &outputs, NULL) == ATTEST_UNABLE,
           "all outputs with less work than they take");
    outputs.work_left = 1.5 * work;
    status = attest_outputs_get_cloud(&cloud, &outputs, NULL);
    if (status == ATTEST_OK)
        attest_cloud_clear(&cloud);
    TAP_OK(status == ATTEST_OK && fabs(outputs.work_left - 0.5 * work) < 1e-3 * work,
           "with 1.5 times the work, %.3f of it is left", outputs.work_left / work);
    attest_outputs_clear(&outputs);
    attest_contexts_clear(&contexts);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
    fmpq_clear(o.value);
}

/* Claims that say nothing are refused, and so are methods for other weights; the next value is
 * taken. */
static void test_refused(void)
{
    oracle_instance o = {
        .sequences = 2, .heads = 1, .length = {2, 2}, .token = {{1, 2}, {1, 4}}, .score = {1}};
    attest_finding finding;
    attest_dataset dataset;
    attest_weights weights;
    attest_claim claim;
    attest_status status[2];

    fmpq_init(o.value);
    fmpq_one(o.value);
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    attest_claim_init(&claim);
    attest_finding_init(&finding);
    if (!load(&dataset, &weights, &o))
        abort();
    claim.dataset = &dataset;
    claim.weights = &weights;
    for (int i = 0; i < 2; i++) {
        claim.max_terms = (size_t)i;
        status[i] = attest_certify(&finding, &claim, NULL);
    }
    TAP_OK(status[0] == ATTEST_USAGE && status[1] == ATTEST_OK, "sums of no terms");
    for (int i = 0; i < 2; i++) {
        claim.max_bits = ATTEST_CERTIFY_BITS - 1 + i;
        status[i] = attest_certify(&finding, &claim, NULL);
    }
    TAP_OK(status[0] == ATTEST_USAGE && status[1] == ATTEST_OK, "fewer bits than balls have");
    for (int i = 0; i < 2; i++) {
        fmpq_set_si(claim.delta, i - 1, 1);
        status[i] = attest_certify(&finding, &claim, NULL);
    }
    TAP_OK(status[0] == ATTEST_DOMAIN && status[1] == ATTEST_OK, "a negative delta");
    fmpq_set_si(claim.r, -1, 1);
    for (int i = 0; i < 2; i++) {
        claim.has_r = i == 0;
        status[i] = attest_certify(&finding, &claim, NULL);
    }
    TAP_OK(status[0] == ATTEST_DOMAIN && status[1] == ATTEST_OK, "a negative r, unless none");
    claim.method = "exact";
    status[0] = attest_certify(&finding, &claim, NULL);
    claim.method = "";
    status[1] = attest_certify(&finding, &claim, NULL);
    TAP_OK(status[0] == ATTEST_USAGE && status[1] == ATTEST_USAGE,
           "rational arithmetic for softmax, and a method without a name");
    claim.method = "ball";
    status[0] = attest_certify(&finding, &claim, NULL);
    weights.dim++;
    status[1] = attest_certify(&finding, &claim, NULL);
    weights.dim--;
    TAP_OK(status[0] == ATTEST_OK && strcmp(finding.method, "ball") == 0 &&
               status[1] == ATTEST_DOMAIN,
           "weights of another dimension");
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
    fmpq_clear(o.value);
}

TEST(certify)
{
    size_t failed = 0, count[3] = {0};

    state = tap_seed(0xce47);
    for (long i = 0; i < INSTANCES && failed < 10; i++) {
        uint64_t before = state;
        if (!try_instance(count)) {
            failed++;
            printf("# instance %ld fails: ATTEST_SEED=0x%llx\n", i, (unsigned long long)before);
        }
    }
    TAP_OK(failed == 0, "%d instances agree with the oracle (%zu failed)", INSTANCES, failed);
    TAP_OK(count[0] > INSTANCES / 20, "%zu of them with equal outputs", count[0]);
    TAP_OK(count[1] > INSTANCES / 100, "%zu with separations below 2^-128", count[1]);
    test_work();
    test_refused();
    flint_cleanup();
    return 0;
}
