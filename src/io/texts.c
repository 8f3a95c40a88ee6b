/* texts.c -- what the tokens of sequences are called, for people. */
#include "io/texts.h"

#include <string.h>

#include "base/scope.h"

static attest_status check_sequence(const attest_json_cursor *sequence, attest_error *error)
{
    size_t length;
    const char *text;

    ATTEST_TRY(attest_json_get_filled(&length, sequence, "sequence", error));
    for (size_t k = 0; k < length; k++) {
        attest_json_cursor token = attest_json_get_element(sequence, k);

        ATTEST_TRY(attest_json_get_string(&text, &token, error));
    }
    return ATTEST_OK;
}

static attest_status check_all(attest_texts *texts, attest_error *error)
{
    attest_json_cursor root = attest_json_root(&texts->document), tokens;

    ATTEST_TRY(attest_json_get_member(&tokens, &root, "tokens", error));
    ATTEST_TRY(attest_json_get_filled(&texts->sequences, &tokens, "list of sequences", error));
    for (size_t i = 0; i < texts->sequences; i++) {
        attest_json_cursor sequence = attest_json_get_element(&tokens, i);

        ATTEST_TRY(check_sequence(&sequence, error));
    }
    return ATTEST_OK;
}

attest_status attest_texts_read(attest_texts *texts, const char *path, attest_budget *budget,
                                attest_error *error)
{
    attest_status status;

    memset(texts, 0, sizeof *texts);
    ATTEST_TRY(attest_json_document_read(&texts->document, path, budget, error));
    status = check_all(texts, error);
    if (status == ATTEST_OK)
        return status;
    attest_texts_clear(texts);
    return attest_error_prefix(error, status, path);
}

void attest_texts_clear(attest_texts *texts)
{
    attest_json_document_clear(&texts->document);
    texts->sequences = 0;
}

attest_status attest_texts_check(const attest_texts *texts, size_t i, size_t length,
                                 attest_error *error)
{
    attest_json_cursor root = attest_json_root(&texts->document), tokens, sequence;
    size_t found;

    ATTEST_TRY(attest_json_get_member(&tokens, &root, "tokens", error));
    sequence = attest_json_get_element(&tokens, i);
    ATTEST_TRY(attest_json_get_length(&found, &sequence, error));
    return found == length
               ? ATTEST_OK
               : attest_json_fail(&sequence, error, ATTEST_FORMAT,
                                  "these are %zu texts, but the data have %zu tokens "
                                  "there",
                                  found, length);
}

void attest_texts_write(attest_json *json, const attest_texts *texts)
{
    attest_json_cursor root, tokens;

    if (texts->sequences == 0)
        return;
    root = attest_json_root(&texts->document);
    if (!attest_json_find_member(&tokens, &root, "tokens"))
        return;
    attest_json_write_array(json, "tokens");
    for (size_t i = 0; i < texts->sequences; i++) {
        attest_json_cursor sequence = attest_json_get_element(&tokens, i);
        size_t length;

        if (attest_json_get_length(&length, &sequence, NULL) != ATTEST_OK)
            length = 0;
        attest_json_write_array(json, NULL);
        for (size_t k = 0; k < length; k++) {
            attest_json_cursor token = attest_json_get_element(&sequence, k);
            const char *text = "";

            if (attest_json_get_string(&text, &token, NULL) == ATTEST_OK)
                attest_json_write_string(json, NULL, text);
        }
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}
