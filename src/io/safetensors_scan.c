/* safetensors_scan.c -- the JSON of a safetensors header, token by token. */
#include "io/safetensors_scan.h"

#include <stdint.h>
#include <string.h>

attest_status attest_scan_refuse(const attest_scan *scan, const char *wanted,
                                 attest_error *error)
{
    return attest_error_set(error, ATTEST_FORMAT, "safetensors header, byte %zu: expected %s",
                            (size_t)(scan->next - scan->start), wanted);
}

static void skip_space(attest_scan *scan)
{
    while (scan->next < scan->end && (*scan->next == ' ' || *scan->next == '\n' ||
                                      *scan->next == '\r' || *scan->next == '\t'))
        scan->next++;
}

bool attest_scan_take(attest_scan *scan, unsigned char wanted)
{
    skip_space(scan);
    if (scan->next == scan->end || *scan->next != wanted)
        return false;
    scan->next++;
    return true;
}

static size_t put_utf8(char *text, uint32_t c)
{
    unsigned char *to = (unsigned char *)text;

    if (c < 0x80) {
        to[0] = (unsigned char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (unsigned char)(0xc0 | c >> 6);
        to[1] = (unsigned char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (unsigned char)(0xe0 | c >> 12);
        to[1] = (unsigned char)(0x80 | (c >> 6 & 63));
        to[2] = (unsigned char)(0x80 | (c & 63));
        return 3;
    }
    to[0] = (unsigned char)(0xf0 | c >> 18);
    to[1] = (unsigned char)(0x80 | (c >> 12 & 63));
    to[2] = (unsigned char)(0x80 | (c >> 6 & 63));
    to[3] = (unsigned char)(0x80 | (c & 63));
    return 4;
}

/* Bytes of the UTF-8 sequence that comes next; 0 when it is not one (truncated, overlong, a
 * surrogate, beyond U+10FFFF). */
static size_t utf8_size(const attest_scan *scan)
{
    const unsigned char *p = scan->next;
    size_t left = (size_t)(scan->end - p);
    size_t size = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    uint32_t c = size == 1 ? p[0] : p[0] & (0xffu >> (size + 1));
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};

    if (size > left || (p[0] >= 0x80 && p[0] < 0xc2) || p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 63);
    }
    return c < least[size] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? 0 : size;
}

/* The four hexadecimal digits after \u; false when they are not there. */
static bool take_hex4(uint32_t *value, attest_scan *scan)
{
    *value = 0;
    if (scan->end - scan->next < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        unsigned char c = *scan->next++;
        uint32_t digit = c >= '0' && c <= '9'   ? c - (uint32_t)'0'
                         : c >= 'a' && c <= 'f' ? c - (uint32_t)'a' + 10
                         : c >= 'A' && c <= 'F' ? c - (uint32_t)'A' + 10
                                                : 16;
        if (digit == 16)
            return false;
        *value = *value << 4 | digit;
    }
    return true;
}

static bool take_unicode(uint32_t *c, attest_scan *scan)
{
    uint32_t low;

    if (!take_hex4(c, scan) || *c == 0 || (*c >= 0xdc00 && *c < 0xe000))
        return false;
    if (*c < 0xd800 || *c >= 0xe000)
        return true;
    if (scan->end - scan->next < 2 || scan->next[0] != '\\' || scan->next[1] != 'u')
        return false;
    scan->next += 2;
    if (!take_hex4(&low, scan) || low < 0xdc00 || low >= 0xe000)
        return false;
    *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

/* What follows a backslash. */
static bool take_escape(uint32_t *c, attest_scan *scan)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found;

    if (scan->next == scan->end || *scan->next == 0)
        return false;
    if (*scan->next == 'u') {
        scan->next++;
        return take_unicode(c, scan);
    }
    found = strchr(from, *scan->next);
    if (!found)
        return false;
    scan->next++;
    *c = (unsigned char)to[found - from];
    return true;
}

attest_status attest_scan_string(char *text, size_t *size, attest_scan *scan,
                                 attest_error *error)
{
    size_t used = 0;

    if (!attest_scan_take(scan, '"'))
        return attest_scan_refuse(scan, "a string", error);
    while (scan->next < scan->end && *scan->next != '"') {
        size_t bytes = utf8_size(scan);
        if (bytes == 0 || *scan->next < ' ')
            return attest_scan_refuse(scan, "UTF-8 text", error);
        if (*scan->next == '\\') {
            uint32_t c;
            scan->next++;
            if (!take_escape(&c, scan))
                return attest_scan_refuse(scan, "an escape sequence of JSON", error);
            used += put_utf8(text + used, c);
        } else {
            memcpy(text + used, scan->next, bytes);
            scan->next += bytes;
            used += bytes;
        }
    }
    if (!attest_scan_take(scan, '"'))
        return attest_scan_refuse(scan, "'\"'", error);
    text[used] = '\0';
    *size = used;
    return ATTEST_OK;
}

attest_status attest_scan_word(char *text, size_t room, attest_scan *scan, attest_error *error)
{
    size_t used = 0;

    if (!attest_scan_take(scan, '"'))
        return attest_scan_refuse(scan, "a string", error);
    for (; scan->next < scan->end && *scan->next != '"'; scan->next++) {
        if (used + 1 >= room || *scan->next <= ' ' || *scan->next > '~' || *scan->next == '\\')
            return attest_scan_refuse(scan, "the end of a short word", error);
        text[used++] = (char)*scan->next;
    }
    if (!attest_scan_take(scan, '"'))
        return attest_scan_refuse(scan, "'\"'", error);
    text[used] = '\0';
    return ATTEST_OK;
}

attest_status attest_scan_size(size_t *value, attest_scan *scan, attest_error *error)
{
    size_t digits = 0;

    skip_space(scan);
    *value = 0;
    for (; scan->next < scan->end && *scan->next >= '0' && *scan->next <= '9'; scan->next++) {
        size_t digit = (size_t)(*scan->next - '0');
        if (digits++ == 1 && *value == 0)
            return attest_scan_refuse(scan, "a number without leading zeros", error);
        if (*value > (SIZE_MAX - digit) / 10)
            return attest_scan_refuse(scan, "a number below 2^64", error);
        *value = *value * 10 + digit;
    }
    return digits ? ATTEST_OK : attest_scan_refuse(scan, "a whole number >= 0", error);
}
