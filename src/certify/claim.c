/* claim.c -- claims and findings: made and cleared. */
#include <attest/certify.h>

#include <string.h>

void attest_claim_init(attest_claim *claim)
{
    memset(claim, 0, sizeof *claim);
    fmpq_init(claim->r);
    fmpq_init(claim->delta);
    claim->method = "auto";
    claim->max_bits = ATTEST_CERTIFY_MAX_BITS;
    claim->max_terms = ATTEST_CERTIFY_MAX_TERMS;
    claim->max_work = ATTEST_CERTIFY_MAX_WORK;
}

void attest_claim_clear(attest_claim *claim)
{
    fmpq_clear(claim->r);
    fmpq_clear(claim->delta);
}

void attest_finding_init(attest_finding *finding)
{
    memset(finding, 0, sizeof *finding);
    finding->verdict = ATTEST_UNDECIDED;
    arb_init(finding->min_separation);
    arb_init(finding->max_norm);
    arb_indeterminate(finding->min_separation);
    arb_indeterminate(finding->max_norm);
    fmpz_init(finding->required_pairs);
    fmpz_init(finding->by_filter);
    fmpz_init(finding->by_ball);
    fmpz_init(finding->by_exact);
    fmpz_init(finding->undecided_pairs);
    attest_certificate_witness_init(&finding->witness);
}

void attest_finding_clear(attest_finding *finding)
{
    arb_clear(finding->min_separation);
    arb_clear(finding->max_norm);
    fmpz_clear(finding->required_pairs);
    fmpz_clear(finding->by_filter);
    fmpz_clear(finding->by_ball);
    fmpz_clear(finding->by_exact);
    fmpz_clear(finding->undecided_pairs);
    attest_certificate_witness_clear(&finding->witness);
}
