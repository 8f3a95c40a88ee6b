/* texts.c -- the texts of tokens, for display. */
#include "io/texts.h"

#include <string.h>

#include "base/scope.h"
#include "io/json_read.h"

static void check_all(attest_texts *texts, const attest_json_cursor *root)
{
    attest_json_cursor tokens = attest_json_take(root, "tokens");

    texts->sequences = attest_json_take_length(&tokens, "list of sequences");
    for (size_t i = 0; i < texts->sequences && !attest_json_failed(root); i++) {
        attest_json_cursor sequence = attest_json_get_element(&tokens, i);
        size_t length = attest_json_take_length(&sequence, "sequence");

        for (size_t k = 0; k < length && !attest_json_failed(root); k++) {
            attest_json_cursor token = attest_json_get_element(&sequence, k);

            (void)attest_json_take_string(&token, NULL);
        }
    }
}

attest_status attest_texts_read(attest_texts *texts, const char *path, attest_budget *budget,
                                attest_error *error)
{
    attest_json_failure failure;
    attest_json_cursor root;

    memset(texts, 0, sizeof *texts);
    ATTEST_TRY(attest_json_document_read(&texts->document, path, budget, error));
    root = attest_json_begin(&texts->document, &failure, error);
    check_all(texts, &root);
    ATTEST_TRY_OR(attest_error_prefix(error, failure.status, path), attest_texts_clear(texts));
    return ATTEST_OK;
}

void attest_texts_clear(attest_texts *texts)
{
    attest_json_document_clear(&texts->document);
    texts->sequences = 0;
}

attest_status attest_texts_check(const attest_texts *texts, size_t i, size_t length,
                                 attest_error *error)
{
    attest_json_failure failure;
    attest_json_cursor root = attest_json_begin(&texts->document, &failure, error);
    attest_json_cursor tokens = attest_json_take(&root, "tokens");
    attest_json_cursor sequence = attest_json_get_element(&tokens, i);
    size_t found = attest_json_take_length(&sequence, NULL);

    if (found != length)
        attest_json_refuse(&sequence, "these are %zu texts, but the data have %zu tokens there",
                           found, length);
    return failure.status;
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
