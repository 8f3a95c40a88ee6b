/* texts.h -- the texts of tokens, words or characters, for display.
 *
 *     {"tokens": [["The", "art", "of"], ["of", "thinking"]]}
 *
 * One text for each token of each sequence. They do not influence any result. */
#ifndef ATTEST_IO_TEXTS_H
#define ATTEST_IO_TEXTS_H

#include "io/json_read.h"
#include "io/json_write.h"

typedef struct attest_texts {
    attest_json_document document;
    size_t sequences; /* 0: nothing was read */
} attest_texts;

/* Reads the file. Status: FORMAT, IO, UNABLE, NOMEM; the text begins with the path. After a
 * failure there is nothing to clear. */
attest_status attest_texts_read(attest_texts *texts, const char *path, attest_budget *budget,
                                attest_error *error) ATTEST_WARN_UNUSED;
void attest_texts_clear(attest_texts *texts);

/* Fails with FORMAT unless sequence i has this many texts. Domain: i < sequences. */
attest_status attest_texts_check(const attest_texts *texts, size_t i, size_t length,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the member "tokens" with all texts, or nothing if no file was read. */
void attest_texts_write(attest_json *json, const attest_texts *texts);

#endif
