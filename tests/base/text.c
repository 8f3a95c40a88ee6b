/* Growing strings. */
#include <string.h>

#include "base/text.h"
#include "tests/tap.h"

TEST(text)
{
    attest_text text;
    char *taken;
    FILE *stream;

    attest_text_init(&text);
    taken = attest_text_take(&text);
    TAP_OK(taken && strcmp(taken, "") == 0, "an empty text is the empty string");
    free(taken);

    for (int i = 0; i < 1000; i++) {
        attest_text_printf(&text, "%d,", i);
        attest_text_add(&text, "x");
    }
    attest_text_append(&text, "a\0b", 3);
    TAP_OK(text.size == 1000 + 1000 + 10 + 180 + 2700 + 3, "sizes add up");
    taken = attest_text_take(&text);
    TAP_OK(taken && strncmp(taken, "0,x1,x2,x", 9) == 0, "pieces in order");
    TAP_OK(taken && strcmp(taken + 1000 + 1000 + 10 + 180 + 2700, "a") == 0,
           "raw bytes at the end");
    free(taken);

    stream = attest_text_open(&text);
    for (int i = 0; i < 10000; i++)
        fprintf(stream, "%04d", i);
    TAP_OK(fclose(stream) == 0 && text.size == 40000, "a stream appends");
    taken = attest_text_take(&text);
    TAP_OK(taken && strncmp(taken + 20000, "50005001", 8) == 0, "in order");
    free(taken);

    text.failed = true;
    attest_text_add(&text, "lost");
    TAP_OK(attest_text_take(&text) == NULL, "a failure is remembered");
    TAP_OK(!text.failed && text.data == NULL,
           "a text is empty after it was taken, and without a failure");
    attest_text_append(&text, "", SIZE_MAX / 2);
    TAP_OK(text.failed, "an absurd size fails");
    attest_text_clear(&text);
    return 0;
}
