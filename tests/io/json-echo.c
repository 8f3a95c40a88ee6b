/* Documents from standard input, each after its length in a line of its own; for each one line:
 * the document written again, or "refused: " and why. For json-oracle.py. */
#include <stdio.h>
#include <stdlib.h>

#include "io/json_read.h"
#include "tests/ref/json_dump.h"

static void echo(const char *text, size_t size)
{
    attest_json_document document;
    attest_error error;
    attest_text dump;

    if (attest_json_document_parse(&document, text, size, NULL, &error) != ATTEST_OK) {
        printf("refused: %s\n", error.text);
        return;
    }
    attest_text_init(&dump);
    json_dump(&dump, document.tree.root);
    printf("%s\n", dump.data);
    attest_text_clear(&dump);
    attest_json_document_clear(&document);
}

int main(void)
{
    size_t size;

    while (scanf("%zu", &size) == 1) {
        char *text = malloc(size ? size : 1);
        if (!text || getchar() != '\n' || fread(text, 1, size, stdin) != size)
            return 1;
        echo(text, size);
        free(text);
    }
    return 0;
}
