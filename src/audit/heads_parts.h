/* heads_parts.h -- heads that were audited before, or elsewhere: a file for each in a folder.
 */
#ifndef ATTEST_AUDIT_HEADS_PARTS_H
#define ATTEST_AUDIT_HEADS_PARTS_H

#include "audit/heads.h"

/* A file holds cells as they are in memory, so only the program that wrote it reads it: the key
 * is the hash of this program, of what is audited and in which arithmetic. */
typedef struct attest_audit_parts {
    const char *folder;
    char key[65];
} attest_audit_parts;

/* Makes the folder heads->parts if it is not there. heads: its heads are listed. Status: IO,
 * NOMEM. */
attest_status attest_audit_parts_open(attest_audit_parts *parts,
                                      const attest_audit_heads *heads,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* *there: the cells of head i were read. Status: FORMAT (a file of another audit or program, or
 * one that is damaged), IO, NOMEM. */
attest_status attest_audit_parts_read(bool *there, const attest_audit_parts *parts,
                                      attest_audit_heads *heads, size_t i,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the cells of head i. Whoever else writes them writes the same. Status: IO, NOMEM. */
attest_status attest_audit_parts_write(const attest_audit_parts *parts,
                                       const attest_audit_heads *heads, size_t i,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
