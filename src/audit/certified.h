/* certified.h -- the least separation of the exact layer, for an audit to compare with. */
#ifndef ATTEST_AUDIT_CERTIFIED_H
#define ATTEST_AUDIT_CERTIFIED_H

#include "audit/audit.h"

/* Sets audit->certified: by attest_certify where that is affordable, else, for softmax, from
 * the outputs in binary64 and the a priori bound on their error: every separation differs from
 * that of the rounded outputs by at most twice the bound. Status: as attest_certify. */
attest_status attest_audit_certify(attest_audit *audit, attest_error *error) ATTEST_WARN_UNUSED;

#endif
