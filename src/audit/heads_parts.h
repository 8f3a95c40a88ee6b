/* heads_parts.h -- heads that were audited before, or elsewhere: a file for each in a folder.
 */
#ifndef ATTEST_AUDIT_HEADS_PARTS_H
#define ATTEST_AUDIT_HEADS_PARTS_H

#include "audit/heads.h"

/* A file contains the cells as they are in memory, so only the program that wrote it can read
 * it: its key is a hash of the program, the input and the arithmetic. */
typedef struct attest_audit_parts {
    const char *folder;
    char key[65];
} attest_audit_parts;

/* Creates the directory heads->parts if it does not exist. Domain: the heads are listed.
 * Status: IO, NOMEM. */
attest_status attest_audit_parts_open(attest_audit_parts *parts,
                                      const attest_audit_heads *heads,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* *there = whether the file of head i exists; then its cells are read. Status: FORMAT (a file
 * of another audit or program, or a damaged one), IO, NOMEM. */
attest_status attest_audit_parts_read(bool *there, const attest_audit_parts *parts,
                                      attest_audit_heads *heads, size_t i,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the cells of head i. Concurrent writers write the same bytes. Status: IO, NOMEM. */
attest_status attest_audit_parts_write(const attest_audit_parts *parts,
                                       const attest_audit_heads *heads, size_t i,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
