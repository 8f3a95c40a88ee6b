/* The certified separation behind an audit: by balls, or from binary64 outputs where these take
 * too long. A layer of equal weights: an output is its token and the mean of the sequence. */
#include <math.h>
#include <string.h>

#include "audit/bound.h"
#include "audit/audit.h"
#include "base/workers.h"
#include "tests/ref/cases.h"
#include "tests/tap.h"

/* The cost of balls is estimated as if all sequences were as long as the longest. There are 512
 * positions, whose doubles fill a page. */
enum { LONGEST = 394, MANY = 119, FEW = 5 };

typedef struct fixture {
    attest_dataset dataset;
    ref_case layer;
    attest_audit audit;
} fixture;

static void add(attest_dataset_builder *builder, double token)
{
    if (attest_dataset_builder_add_doubles(builder, &token, 1, NULL) != ATTEST_OK)
        abort();
}

/* Tokens 0 and 1 in turn: outputs 1/2 and 3/2; then 7/8 alone: 7/4; then 11, 12, ... alone: 22,
 * 24, ... alike: one token everywhere. */
static void make_dataset(attest_dataset *dataset, size_t count, double scale, bool alike)
{
    attest_dataset_builder builder;

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_REAL, NULL);
    for (size_t i = 0; i < count; i++) {
        double single = i == 1 ? 0.875 : (double)i + 9;

        for (size_t k = 0; k < (i == 0 ? LONGEST : 1); k++)
            add(&builder, alike ? 3 : scale * (i == 0 ? (double)(k % 2) : single));
        if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
}

static void fixture_init(fixture *f, size_t count, double scale, bool alike)
{
    const ref_shape shape = {1, 1, 1, 1, 1, 1, false};
    uint64_t state = 1;
    attest_head *head;

    ref_case_init(&f->layer, &shape, &state);
    f->layer.weights.activation = ATTEST_SOFTMAX;
    f->layer.weights.skip = true;
    f->layer.weights.mask = ATTEST_MASK_NONE;
    head = &f->layer.weights.head[0];
    for (int i = 0; i < 4; i++) {
        attest_matrix *m = (attest_matrix *[]){&head->wq, &head->wk, &head->wv, &head->wo}[i];

        attest_matrix_clear(m);
        attest_matrix_init(m);
        attest_matrix_resize(m, 1, 1);
        fmpz_one(m->denominator);
        fmpz_set_ui(m->entry, i >= 2);
    }
    make_dataset(&f->dataset, count, scale, alike);
    attest_audit_init(&f->audit);
    f->audit.dataset = &f->dataset;
    f->audit.weights = &f->layer.weights;
    f->audit.jobs = 1;
    if (attest_contexts_get_classes(&f->audit.classes, &f->dataset, ATTEST_MASK_NONE, NULL) !=
        ATTEST_OK)
        abort();
}

static void fixture_clear(fixture *f)
{
    attest_audit_clear(&f->audit);
    attest_dataset_clear(&f->dataset);
    ref_case_clear(&f->layer);
}

/* Certifies norms < r (0: no claim about norms) and separations > delta. */
static const attest_audit_certified *certify(fixture *f, slong r, slong delta, ulong over)
{
    f->audit.has_r = r > 0;
    fmpq_set_si(f->audit.r, r, 1);
    fmpq_set_si(f->audit.delta, delta, over);
    if (attest_audit_certify(&f->audit, NULL) != ATTEST_OK)
        abort();
    return &f->audit.certified;
}

/* Returns the largest a priori bound of an output's error. */
static double error_of(const fixture *f)
{
    size_t total = f->dataset.total;
    double *norm = attest_shared_alloc(total, sizeof *norm), most = 0;
    attest_simulated_arithmetic arithmetic;
    attest_audit_request request;
    attest_audit_model model;
    attest_format binary64;

    attest_audit_request_init(&request, &f->dataset, &f->layer.weights);
    if (attest_format_parse(&binary64, "binary64", NULL) != ATTEST_OK)
        abort();
    attest_simulated_arithmetic_init(&arithmetic, &binary64);
    attest_audit_model_init(&model, &arithmetic);
    if (attest_audit_bound(norm, NULL, &request, &model, NULL) != ATTEST_OK)
        abort();
    for (size_t p = 0; p < total; p++)
        most = fmax(most, norm[p]);
    attest_shared_free(norm, total, sizeof *norm);
    return ldexp(most, -(int)model.unit_bits);
}

/* Returns whether a ball has about this midpoint and radius. */
static bool is_about(const arb_t ball, double middle, double radius)
{
    double got = mag_get_d(arb_radref(ball));

    return fabs(arf_get_d(arb_midref(ball), ARF_RND_NEAR) - middle) < 1e-9 && got >= radius &&
           got < 1.01 * radius;
}

static void test_enclosed(void)
{
    const attest_audit_certified *c;
    double radius;
    fixture f;

    fixture_init(&f, MANY, 1, false);
    c = certify(&f, 0, 0, 1);
    radius = 2 * error_of(&f); /* both outputs of a pair are off */
    TAP_OK(c->known && strcmp(c->method, "binary64") == 0 && c->verdict == ATTEST_PROVED,
           "many sequences: from binary64 outputs");
    TAP_OK(c->has_pair && c->pair[0].sequence == 0 && c->pair[0].position % 2 == 1 &&
               c->pair[1].sequence == 1 && c->pair[1].position == 0,
           "the pair of outputs 3/2 and 7/4");
    TAP_OK(is_about(c->min_separation, 0.25, radius) &&
               is_about(c->max_norm, 2 * (MANY - 1 + 9), radius),
           "separation and norm within twice the error");
    fixture_clear(&f);
}

static void test_verdicts(void)
{
    static const struct {
        slong r, delta;
        ulong over;
        attest_verdict wanted;
    } c[] = {{0, 1, 5, ATTEST_PROVED},      {0, 1, 3, ATTEST_REFUTED},
             {0, 1, 4, ATTEST_UNDECIDED},   {300, 1, 5, ATTEST_PROVED},
             {200, 1, 5, ATTEST_REFUTED},   {254, 1, 5, ATTEST_UNDECIDED},
             {300, 1, 3, ATTEST_REFUTED},   {200, 1, 3, ATTEST_REFUTED},
             {300, 1, 4, ATTEST_UNDECIDED}, {200, 1, 4, ATTEST_REFUTED}};
    size_t wrong = 0;
    fixture f;

    fixture_init(&f, MANY, 1, false);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
        wrong += certify(&f, c[i].r, c[i].delta, c[i].over)->verdict != c[i].wanted;
    TAP_OK(wrong == 0, "claims that hold, that fail, and at the border: %zu wrong", wrong);
    fixture_clear(&f);
    fixture_init(&f, MANY, 1, true);
    TAP_OK(certify(&f, 7, 100, 1)->verdict == ATTEST_PROVED && !f.audit.certified.has_pair &&
               certify(&f, 5, 0, 1)->verdict == ATTEST_REFUTED &&
               certify(&f, 0, 100, 1)->verdict == ATTEST_PROVED,
           "without a pair the norms decide");
    fixture_clear(&f);
    fixture_init(&f, MANY, 1e306, false);
    TAP_OK(!certify(&f, 0, 0, 1)->known, "outputs that may overflow are not known");
    fixture_clear(&f);
}

static void test_balls(void)
{
    const attest_audit_certified *c;
    attest_error error;
    fixture f;

    fixture_init(&f, FEW, 1, false);
    c = certify(&f, 300, 1, 5);
    TAP_OK(c->known && strcmp(c->method, "binary64") != 0 && c->verdict == ATTEST_PROVED &&
               c->has_pair && c->pair[0].sequence == 0 && c->pair[0].position % 2 == 1 &&
               c->pair[1].sequence == 1 && c->pair[1].position == 0,
           "few sequences: by balls");
    TAP_OK(fabs(arf_get_d(arb_midref(c->min_separation), ARF_RND_NEAR) - 0.25) < 1e-9 &&
               fabs(arf_get_d(arb_midref(c->max_norm), ARF_RND_NEAR) - 2 * (FEW - 1 + 9)) <
                   1e-9,
           "separation and norm");
    TAP_OK(certify(&f, 300, 1, 3)->verdict == ATTEST_REFUTED &&
               certify(&f, 20, 1, 5)->verdict == ATTEST_REFUTED,
           "claims that fail");
    f.audit.max_work = 1e-9;
    TAP_OK(attest_audit_certify(&f.audit, &error) == ATTEST_UNABLE,
           "no more work than allowed");
    fixture_clear(&f);
    fixture_init(&f, MANY, 1, false);
    f.layer.weights.activation = ATTEST_HARDMAX;
    c = certify(&f, 0, 0, 1);
    TAP_OK(c->known && strcmp(c->method, "binary64") != 0, "hardmax never by doubles");
    fixture_clear(&f);
}

TEST(certified)
{
    test_enclosed();
    test_verdicts();
    test_balls();
    flint_cleanup();
    return 0;
}
