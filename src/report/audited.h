/* audited.h -- the mappings that audits are about, one after the other.
 *
 *     attest_audited_init(&audited);
 *     while (attest_audited_next(&audited, records))
 *         ... audited.object, audited.label ...
 *
 * A record is the audit of one mapping, or of several constructions side by side. */
#ifndef ATTEST_REPORT_AUDITED_H
#define ATTEST_REPORT_AUDITED_H

#include "report/record.h"

typedef struct attest_audited {
    const attest_record *record;
    attest_json_cursor object; /* has "formats", "collapse", ... */
    char label[128];           /* the record and the strategy, as the page calls them */
    /* where it stands */
    attest_record_kind kind; /* of the records */
    size_t place, index, count;
    attest_json_cursor root, list;
} attest_audited;

void attest_audited_init(attest_audited *audited);

/* The same for audits of recorded activations: a record is one mapping. */
void attest_audited_init_heads(attest_audited *audited);

/* The next mapping; false: there is none. The object points into audited, which must stay
 * where it is. */
bool attest_audited_next(attest_audited *audited, const attest_records *records);

#endif
