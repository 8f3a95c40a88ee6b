/* rows.h -- the output rows of a problem, those with results, and the batch entries of problems
 * whose entries have different numbers of queries or keys. Each such entry is a plain problem
 * of its own. */
#ifndef ATTEST_JUDGE_ROWS_H
#define ATTEST_JUDGE_ROWS_H

#include <stdint.h>

#include <attest/judge.h>

/* Results are arrays of count * columns numbers: batch entry by batch entry, head by head, row
 * by row, column by column. */
typedef struct attest_judge_rows {
    size_t batch, heads, columns;
    size_t queries; /* of each entry; if they differ, the most */
    size_t *first;  /* NULL: all entries have so many queries. Else batch + 1 numbers: first[b]
                     * is the number of the first row of entry b */
    size_t *selected;  /* NULL: all rows have results. Else their numbers, in order */
    size_t all, count; /* the rows of the output; those with results */
    bool sampled;      /* the selected rows are a sample, drawn by this seed */
    uint64_t seed;
} attest_judge_rows;

/* Checks offsets, lengths and page tables, and that they fit the tensors; the options select
 * rows. Status: FORMAT, with the entry that is wrong; USAGE (there is no such row), NOMEM.
 * After a failure there is nothing to clear. */
attest_status attest_judge_rows_init(attest_judge_rows *rows, const attest_qkv *qkv,
                                     const attest_judge_options *options,
                                     attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_rows_clear(attest_judge_rows *rows);

/* to = a copy, to be cleared. Status: NOMEM. */
attest_status attest_judge_rows_copy(attest_judge_rows *to, const attest_judge_rows *rows,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* at = batch, head, row and column of an element of the results. */
void attest_judge_rows_get_place(size_t at[4], const attest_judge_rows *rows, size_t element);

/* The queries of batch entry b. */
size_t attest_judge_rows_get_queries(const attest_judge_rows *rows, size_t b);

/* Whether entries differ, so that each is a problem of its own. */
bool attest_judge_qkv_is_unequal(const attest_qkv *qkv);

/* entry = batch entry b of an unequal problem, a plain problem with a batch of 1. Returns the
 * number of its keys; 0: no problem can be made of it, and its rows see no key. Domain:
 * attest_judge_rows_init accepted the problem. */
size_t attest_judge_rows_get_entry(attest_qkv *entry, const attest_qkv *qkv,
                                   const attest_judge_rows *rows, size_t b);

/* *first = the place in the results of the first row of entry b that has results. Returns how
 * many of its rows have. */
size_t attest_judge_rows_find_entry(size_t *first, const attest_judge_rows *rows, size_t b);

/* Puts "sequence 3: " before the text of an error about the inputs of an entry; returns the
 * status. */
attest_status attest_judge_rows_prefix(attest_error *error, attest_status status, size_t b);

#endif
