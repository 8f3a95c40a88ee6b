/* Built-in types: zero-terminated arrays of char and uint8_t. The choices are the bytes, with a
 * zero at the end unless the array is as long as it may be; letters are the simplest chars. */
#include "builtin.h"

#include <ctype.h>

#define DEFAULT_MAX 4096 /* bytes, where env gives no limit */
#define EMPTY_ONE_IN 256 /* fresh arrays that are empty */
#define LONGEST_FRESH_LOG2 8

struct bytes {
    uint8_t *at;
    size_t count, capacity;
};

static bool push(struct bytes *b, uint8_t byte)
{
    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 16;
        uint8_t *at = realloc(b->at, capacity);
        if (!at)
            return false;
        b->at = at;
        b->capacity = capacity;
    }
    b->at[b->count++] = byte;
    return true;
}

/* The order of simplicity of chars: zero, letters, digits, other printable ones, the rest. */
static const uint8_t *char_order(void)
{
    static _Thread_local uint8_t order[256];
    static const char first[] =
        "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ ";
    if (order[1])
        return order;
    bool used[256] = {true};
    unsigned n = 1;
    for (const char *p = first; *p; p++) {
        used[(uint8_t)*p] = true;
        order[n++] = (uint8_t)*p;
    }
    for (int pass = 0; pass < 2; pass++)
        for (unsigned c = 1; c < 256; c++)
            if (!used[c] && (pass == 1 || (c > 32 && c < 127))) {
                used[c] = true;
                order[n++] = (uint8_t)c;
            }
    return order;
}

/* The length of a fresh array: short ones as often as long ones. */
static size_t fresh_length(struct theft_prng *g, size_t max)
{
    if (theft_prng_below(g, EMPTY_ONE_IN) == 0)
        return 0;
    size_t range = (size_t)1 << theft_prng_below(g, LONGEST_FRESH_LOG2 + 1);
    size_t length = 1 + (size_t)theft_prng_below(g, range);
    return length < max ? length : max;
}

static enum theft_alloc_res array_alloc(struct theft *t, void *env, const uint8_t *order,
                                        void **output)
{
    struct theft_source *s = &t->source;
    size_t max = env ? *(const size_t *)env : DEFAULT_MAX;
    struct bytes b = {0};
    max = max ? max - 1 : 0; /* without the zero at the end */
    size_t length = s->replaying ? max : fresh_length(&s->prng, max);
    bool ok = true;
    while (ok && b.count < max) {
        uint64_t code = s->replaying       ? theft_source_next(s, UINT8_MAX)
                        : b.count < length ? 1 + theft_prng_below(&s->prng, UINT8_MAX)
                                           : 0;
        theft_source_note(s, code, UINT8_MAX);
        if (code == 0)
            break;
        ok = push(&b, order ? order[code] : (uint8_t)code);
    }
    if (!ok || !push(&b, 0)) {
        free(b.at);
        return THEFT_ALLOC_ERROR;
    }
    *output = b.at;
    return THEFT_ALLOC_OK;
}

static enum theft_alloc_res char_array_alloc(struct theft *t, void *env, void **output)
{
    return array_alloc(t, env, char_order(), output);
}

static enum theft_alloc_res uint8_array_alloc(struct theft *t, void *env, void **output)
{
    return array_alloc(t, env, NULL, output);
}

static void char_array_print(FILE *f, const void *instance, void *env)
{
    (void)env;
    fputc('"', f);
    for (const uint8_t *p = instance; *p; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(f, "\\%c", *p);
        else if (*p >= 32 && *p < 127)
            fputc(*p, f);
        else
            fprintf(f, "\\x%02x", *p);
    }
    fputc('"', f);
}

static void uint8_array_print(FILE *f, const void *instance, void *env)
{
    const uint8_t *at = instance;
    size_t n = strlen((const char *)at);
    (void)env;
    fprintf(f, "%zu bytes", n);
    for (size_t row = 0; row < n; row += 16) {
        fprintf(f, "\n%04zx:", row);
        for (size_t i = row; i < row + 16; i++)
            if (i < n)
                fprintf(f, " %02x", at[i]);
            else
                fputs("   ", f);
        fputs("  ", f);
        for (size_t i = row; i < row + 16 && i < n; i++)
            fputc(at[i] >= 32 && at[i] < 127 ? at[i] : '.', f);
    }
}

const struct theft_type_info theft_builtin_char_array = {.alloc = char_array_alloc,
                                                         .free = theft_generic_free_cb,
                                                         .print = char_array_print,
                                                         .autoshrink_config = {.enable = true}};
const struct theft_type_info theft_builtin_uint8_t_array = {
    .alloc = uint8_array_alloc,
    .free = theft_generic_free_cb,
    .print = uint8_array_print,
    .autoshrink_config = {.enable = true}};
