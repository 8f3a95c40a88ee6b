/* claim.c -- a certificate in the hands of a forger. */
#include "tests/forge/claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>

enum { MOST_EXPONENT = 20000 };

static void ball_init(forge_ball *ball)
{
    arf_init(ball->mid);
    arf_init(ball->rad);
    ball->remark = FORGE_REMARK_RIGHT;
}

static void ball_clear(forge_ball *ball)
{
    arf_clear(ball->mid);
    arf_clear(ball->rad);
}

static void ball_copy(forge_ball *copy, const forge_ball *ball)
{
    arf_set(copy->mid, ball->mid);
    arf_set(copy->rad, ball->rad);
    copy->remark = ball->remark;
}

void forge_claim_init(forge_claim *claim)
{
    *claim = (forge_claim){.method = "ball", .required_pairs = -1};
    fmpq_init(claim->r);
    fmpq_init(claim->delta);
    ball_init(&claim->separation);
    ball_init(&claim->norm);
}

void forge_claim_clear(forge_claim *claim)
{
    fmpq_clear(claim->r);
    fmpq_clear(claim->delta);
    ball_clear(&claim->separation);
    ball_clear(&claim->norm);
}

void forge_claim_copy(forge_claim *copy, const forge_claim *claim)
{
    forge_claim parts = *copy;

    *copy = *claim;
    *copy->r = *parts.r;
    *copy->delta = *parts.delta;
    copy->separation = parts.separation;
    copy->norm = parts.norm;
    fmpq_set(copy->r, claim->r);
    fmpq_set(copy->delta, claim->delta);
    ball_copy(&copy->separation, &claim->separation);
    ball_copy(&copy->norm, &claim->norm);
}

/* Returns whether x is 0 or of a size whose exact value is no burden. */
static bool handy(const arf_t x)
{
    return arf_is_zero(x) || (arf_is_finite(x) && arf_cmpabs_2exp_si(x, MOST_EXPONENT) < 0 &&
                              arf_cmpabs_2exp_si(x, -MOST_EXPONENT) > 0);
}

static bool ball_set(forge_ball *to, const arb_t from)
{
    arf_set(to->mid, arb_midref(from));
    arf_set_mag(to->rad, arb_radref(from));
    return handy(to->mid) && handy(to->rad);
}

bool forge_claim_set(forge_claim *claim, const attest_certificate *certificate)
{
    bool ok = ball_set(&claim->norm, certificate->max_norm);

    claim->verdict = certificate->verdict;
    claim->precision_bits = certificate->precision_bits;
    claim->has_r = certificate->has_r;
    fmpq_set(claim->r, certificate->r);
    fmpq_set(claim->delta, certificate->delta);
    claim->has_pair = certificate->has_pair;
    memcpy(claim->pair, certificate->pair, sizeof claim->pair);
    claim->has_largest = true;
    claim->largest = certificate->largest;
    for (size_t i = 0; i < certificate->inputs && i < 2; i++)
        memcpy(claim->sha256[i], certificate->input[i].sha256, sizeof claim->sha256[i]);
    return ok &&
           (!claim->has_pair || ball_set(&claim->separation, certificate->min_separation));
}

static void write_rational(FILE *file, const char *key, const fmpq_t value)
{
    char *text = fmpq_get_str(NULL, 10, value);

    fprintf(file, " \"%s\": \"%s\",\n", key, text);
    flint_free(text);
}

/* Writes one more member if there is a text; frees it. */
static void write_remark(FILE *file, const char *key, char *text)
{
    if (text)
        fprintf(file, ", \"%s\": \"%s\"", key, text);
    free(text);
}

static void write_ball(FILE *file, const char *key, const forge_ball *ball)
{
    char *mid = attest_ball_format_arf(ball->mid), *rad = attest_ball_format_arf(ball->rad);
    arb_t said, wrong;

    arb_init(said), arb_init(wrong);
    arb_set_arf(said, ball->mid);
    arb_add_error_arf(said, ball->rad);
    /* Above everything in the ball: 3 |mid| + rad + 1. */
    arf_abs(arb_midref(wrong), ball->mid);
    arf_mul_ui(arb_midref(wrong), arb_midref(wrong), 3, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add(arb_midref(wrong), arb_midref(wrong), ball->rad, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add_ui(arb_midref(wrong), arb_midref(wrong), 1, ARF_PREC_EXACT, ARF_RND_DOWN);
    fprintf(file, " \"%s\": {\"mid\": \"%s\", \"rad\": \"%s\"", key, mid, rad);
    if (ball->remark == FORGE_REMARK_LOG2)
        write_remark(file, "log2", attest_ball_format_log2(wrong));
    else if (ball->remark != FORGE_REMARK_NONE)
        write_remark(file, "log2", attest_ball_format_log2(said));
    if (ball->remark == FORGE_REMARK_TEXT)
        write_remark(file, "text", attest_ball_format_text(wrong));
    else if (ball->remark != FORGE_REMARK_NONE)
        write_remark(file, "text", attest_ball_format_text(said));
    fprintf(file, "},\n");
    arb_clear(said), arb_clear(wrong);
    free(mid);
    free(rad);
}

bool forge_claim_write(const forge_claim *claim, const char *path)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    fprintf(file, "{\"format\": \"attest/certificate\", \"version\": 1,\n");
    fprintf(file, " \"claim\": \"contextual-mapping\", \"verdict\": \"%s\",\n",
            attest_verdict_name(claim->verdict));
    fprintf(file, " \"method\": \"%s\", \"precision_bits\": %ld,\n", claim->method,
            claim->precision_bits);
    if (claim->has_r)
        write_rational(file, "r", claim->r);
    else
        fprintf(file, " \"r\": null,\n");
    write_rational(file, "delta", claim->delta);
    if (claim->has_pair) {
        write_ball(file, "min_separation", &claim->separation);
        fprintf(file, " \"pair\": [[%zu, %zu], [%zu, %zu]],\n", claim->pair[0].sequence,
                claim->pair[0].position, claim->pair[1].sequence, claim->pair[1].position);
    } else {
        fprintf(file, " \"min_separation\": null, \"pair\": null,\n");
    }
    write_ball(file, "max_norm", &claim->norm);
    if (claim->has_largest)
        fprintf(file, " \"max_norm_at\": [%zu, %zu],\n", claim->largest.sequence,
                claim->largest.position);
    if (claim->required_pairs >= 0)
        fprintf(file, " \"required_pairs\": %ld,\n", claim->required_pairs);
    fprintf(file,
            " \"inputs\": [{\"role\": \"dataset\", \"path\": \"dataset.json\", \"sha256\": "
            "\"%s\"},\n  {\"role\": \"weights\", \"path\": \"weights.json\", \"sha256\": "
            "\"%s\"}]}\n",
            claim->sha256[0], claim->sha256[1]);
    return fclose(file) == 0;
}
