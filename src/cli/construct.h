/* construct.h -- the parts of attest construct: the job, and how it is shown. */
#ifndef ATTEST_CLI_CONSTRUCT_H
#define ATTEST_CLI_CONSTRUCT_H

#include <attest/certificate.h>
#include "theory/theorem2.h"

#include "cli/command.h"

typedef struct construct_job {
    int strategy, mask;
    unsigned long seed;
    attest_number_option r_min, r_max, eps;
    attest_dataset dataset;
    attest_construction construction;
    attest_claim claim;
    attest_finding finding;
    attest_certificate certificate;
} construct_job;

/* The one JSON object of the command. Returns the code, or EXIT_ENVIRONMENT when the object is
 * not whole. */
int attest_construct_print_json(const construct_job *job, int code);

/* The same for people. */
void attest_construct_print_text(const construct_job *job);

#endif
