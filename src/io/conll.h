/* conll.h -- sentences as columns of words and tags, and an exact embedding of words.
 *
 *     token ... tag
 *
 * One token a line, columns separated by spaces or tabs; the first column is the word, the
 * last one the tag, columns between them are ignored. A blank line ends a sentence; lines
 * whose word is "-DOCSTART-" are skipped. Lines may end in CR LF. */
#ifndef ATTEST_IO_CONLL_H
#define ATTEST_IO_CONLL_H

#include <stddef.h>

#include <attest/dataset.h>
#include <attest/error.h>

/* The largest D of hash:D. */
#define ATTEST_EMBED_MAX 256

/* dim = D of "hash:D", 1 <= D <= ATTEST_EMBED_MAX. Status: USAGE. */
attest_status attest_embed_parse(size_t *dim, const char *text,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* The point of a word under hash:dim. The 32-byte strings SHA-256(c w), c = 0, 1, 2, ... one
 * byte, w the bytes of the word, are concatenated and cut into 16-bit numbers u_0, u_1, ...,
 * the higher byte first. Entry i is (2 u_i - 65535) / 65536: exact in binary64, inside (-1,
 * 1), never 0, and the same for every file. */
void attest_embed_word(double *entry, size_t dim, const char *word, size_t length);

/* The tags, in order of first appearance: tag t is label t. */
typedef struct attest_tags {
    size_t count;
    char **name;
    size_t words; /* different words in the file */
} attest_tags;

void attest_tags_init(attest_tags *tags);
void attest_tags_clear(attest_tags *tags);

/* Reads the sentences at path ("-" is standard input) as a dataset with a label, one number,
 * for every token. Status: FORMAT (a line of one column, a zero byte, a tag that is not UTF-8,
 * no sentence; two words with the same point, which are named: a larger D tells them apart),
 * IO, UNABLE, NOMEM; the error's text begins with the path and names the line. On failure
 * dataset and tags are as after init. */
attest_status attest_conll_read(attest_dataset *dataset, attest_tags *tags, const char *path,
                                size_t dim, attest_budget *budget,
                                attest_error *error) ATTEST_WARN_UNUSED;

/* The same from the text of a file. */
attest_status attest_conll_parse(attest_dataset *dataset, attest_tags *tags, const char *text,
                                 size_t size, size_t dim, attest_budget *budget,
                                 attest_error *error) ATTEST_WARN_UNUSED;

#endif
