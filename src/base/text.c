/* text.c -- a string that grows. */
#include "config.h" /* fopencookie is an extension */

#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void attest_text_init(attest_text *text)
{
    memset(text, 0, sizeof *text);
}

void attest_text_clear(attest_text *text)
{
    free(text->data);
    attest_text_init(text);
}

/* Makes room for count more bytes and the final zero. */
static bool reserve(attest_text *text, size_t count)
{
    if (count >= SIZE_MAX / 4 - text->size ||
        (!text->failed &&
         !attest_memory_grow(&text->data, &text->room, text->size + count + 1, 1)))
        text->failed = true;
    return !text->failed;
}

void attest_text_append(attest_text *text, const char *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    memcpy(text->data + text->size, bytes, count);
    text->size += count;
    text->data[text->size] = '\0';
}

void attest_text_add(attest_text *text, const char *string)
{
    attest_text_append(text, string, strlen(string));
}

void attest_text_printf(attest_text *text, const char *format, ...)
{
    va_list arguments;
    int count;

    va_start(arguments, format);
    count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0 || !reserve(text, (size_t)count)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->data + text->size, (size_t)count + 1, format, arguments);
    va_end(arguments);
    text->size += (size_t)count;
}

/* fopencookie (Linux) and funopen (BSD, macOS) open a stream with a write function of the
 * program; its types differ. */
#ifdef HAVE_FOPENCOOKIE
typedef ssize_t written;
typedef size_t amount;
#else /* BSD, macOS */
typedef int written, amount;
#endif

static written write_to(void *text, const char *bytes, amount count)
{
    attest_text_append(text, bytes, (size_t)count);
    return ((attest_text *)text)->failed ? 0 : (written)count;
}

FILE *attest_text_open(attest_text *text)
{
#ifdef HAVE_FOPENCOOKIE
    return fopencookie(text, "w", (cookie_io_functions_t){.write = write_to});
#else
    return funopen(text, NULL, write_to, NULL, NULL);
#endif
}

char *attest_text_take(attest_text *text)
{
    char *data;

    attest_text_append(text, "", 0);
    if (text->failed) {
        attest_text_clear(text);
        return NULL;
    }
    data = text->data;
    attest_text_init(text);
    return data;
}
