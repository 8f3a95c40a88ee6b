/* Any bytes as a JSON text: refused in one line, or a tree that is written, read again and the
 * same; and an object that stands up to the checks of a document. */
#include <stdlib.h>
#include <string.h>

#include "io/json_read.h"
#include "tests/ref/json_dump.h"
#include "tests/fuzz/fuzz.h"

static char *dump(const attest_json_tree *tree)
{
    attest_text text;

    attest_text_init(&text);
    json_dump(&text, tree->root);
    return attest_text_take(&text);
}

static void read_again(const attest_json_tree *tree)
{
    attest_json_tree again;
    char *first = dump(tree), *second;

    if (attest_json_tree_parse(&again, first, strlen(first), NULL, NULL) != ATTEST_OK)
        abort();
    second = dump(&again);
    if (strcmp(first, second) != 0 || again.numbers != tree->numbers)
        abort();
    attest_json_tree_clear(&again, NULL);
    free(first);
    free(second);
}

static void read_document(const char *text, size_t size)
{
    const size_t whole = (size_t)1 << 20;
    attest_budget budget = {whole};
    attest_json_document document;
    attest_error error;
    attest_status status = attest_json_document_parse(&document, text, size, &budget, &error);

    if (status != ATTEST_OK && (error.status != status || strchr(error.text, '\n')))
        abort();
    attest_json_document_clear(&document);
    if (budget.left != whole)
        abort();
}

FUZZ_TARGET(json)
{
    attest_json_tree tree;
    attest_error error;
    char *text = malloc(size ? size : 1);
    attest_status status;

    /* A block of exactly this size, so that reading one byte more is noticed. */
    memcpy(text, data, size);
    status = attest_json_tree_parse(&tree, text, size, NULL, &error);
    if (status == ATTEST_OK)
        read_again(&tree);
    else if (status != ATTEST_FORMAT || strncmp(error.text, "line ", 5) != 0)
        abort();
    attest_json_tree_clear(&tree, NULL);
    read_document(text, size);
    free(text);
    return 0;
}
