/* block_name.c -- the names of block formats. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include <attest/block.h>
#include "format/simulate_in_double.h"

enum { MX_GROUP = 32, NV_GROUP = 16, KIVI_GROUP = 32 };

/* tokens and channels: 0 is all of them. */
static const struct {
    const char *name;
    attest_block_rule rule;
    const char *element; /* NULL: integers */
    int bits;
    bool tensor;
    size_t tokens, channels;
} known[] = {
    {"mxfp8_e4m3fn:mx", ATTEST_BLOCK_MX, "float8_e4m3fn", 8, false, 1, MX_GROUP},
    {"mxfp8_e4m3fn:mx-even", ATTEST_BLOCK_MX_EVEN, "float8_e4m3fn", 8, false, 1, MX_GROUP},
    {"mxfp8_e4m3fn:te", ATTEST_BLOCK_MX_TE, "float8_e4m3fn", 8, false, 1, MX_GROUP},
    {"mxfp8_e5m2:mx", ATTEST_BLOCK_MX, "float8_e5m2", 8, false, 1, MX_GROUP},
    {"mxfp8_e5m2:mx-even", ATTEST_BLOCK_MX_EVEN, "float8_e5m2", 8, false, 1, MX_GROUP},
    {"mxfp8_e5m2:te", ATTEST_BLOCK_MX_TE, "float8_e5m2", 8, false, 1, MX_GROUP},
    {"mxfp6_e3m2fn:mx", ATTEST_BLOCK_MX, "float6_e3m2fn", 6, false, 1, MX_GROUP},
    {"mxfp6_e3m2fn:mx-even", ATTEST_BLOCK_MX_EVEN, "float6_e3m2fn", 6, false, 1, MX_GROUP},
    {"mxfp6_e2m3fn:mx", ATTEST_BLOCK_MX, "float6_e2m3fn", 6, false, 1, MX_GROUP},
    {"mxfp6_e2m3fn:mx-even", ATTEST_BLOCK_MX_EVEN, "float6_e2m3fn", 6, false, 1, MX_GROUP},
    {"mxfp4:mx", ATTEST_BLOCK_MX, "float4_e2m1fn", 4, false, 1, MX_GROUP},
    {"mxfp4:mx-even", ATTEST_BLOCK_MX_EVEN, "float4_e2m1fn", 4, false, 1, MX_GROUP},
    {"mxfp4:vllm", ATTEST_BLOCK_MX_VLLM, "float4_e2m1fn", 4, false, 1, MX_GROUP},
    {"mxfp4:llama", ATTEST_BLOCK_MX_LLAMA, "float4_e2m1fn", 4, false, 1, MX_GROUP},
    {"nvfp4:te", ATTEST_BLOCK_NV_TE, "float4_e2m1fn", 4, false, 1, NV_GROUP},
    {"nvfp4:te-2d", ATTEST_BLOCK_NV_TE, "float4_e2m1fn", 4, false, NV_GROUP, NV_GROUP},
    {"nvfp4:llama", ATTEST_BLOCK_NV_LLAMA, "float4_e2m1fn", 4, false, 1, NV_GROUP},
    {"q8_0", ATTEST_BLOCK_Q8_0, NULL, 8, false, 1, MX_GROUP},
    {"q8_0:x86", ATTEST_BLOCK_Q8_0_X86, NULL, 8, false, 1, MX_GROUP},
    {"q8_0:arm", ATTEST_BLOCK_Q8_0_ARM, NULL, 8, false, 1, MX_GROUP},
    {"q4_0", ATTEST_BLOCK_Q4_0, NULL, 4, false, 1, MX_GROUP},
    {"int8:per-tensor", ATTEST_BLOCK_INT8, NULL, 8, true, 0, 0},
    {"int8:per-head", ATTEST_BLOCK_INT8, NULL, 8, false, 0, 0},
    {"int8:per-token", ATTEST_BLOCK_INT8, NULL, 8, false, 1, 0},
    {"int8:per-channel", ATTEST_BLOCK_INT8, NULL, 8, false, 0, 1},
    {"int8:ct2", ATTEST_BLOCK_INT8_CT2, NULL, 8, false, 1, 0},
    {"int8:ct2-trunc", ATTEST_BLOCK_INT8_CT2_TRUNC, NULL, 8, false, 1, 0},
    {"int16:ct2", ATTEST_BLOCK_INT16_CT2, NULL, 16, true, 0, 0},
    {"int16:ct2-trunc", ATTEST_BLOCK_INT16_CT2_TRUNC, NULL, 16, true, 0, 0},
    {"kivi2:k", ATTEST_BLOCK_KIVI, NULL, 2, false, KIVI_GROUP, 1},
    {"kivi2:v", ATTEST_BLOCK_KIVI, NULL, 2, false, 1, KIVI_GROUP},
    {"kivi4:k", ATTEST_BLOCK_KIVI, NULL, 4, false, KIVI_GROUP, 1},
    {"kivi4:v", ATTEST_BLOCK_KIVI, NULL, 4, false, 1, KIVI_GROUP},
};

enum { KNOWN = sizeof known / sizeof known[0] };

/* The groups of elements with one scale, for formats with any element. */
static const struct {
    const char *name;
    bool tensor;
    size_t tokens, channels;
} groups[] = {
    {"per-tensor", true, 0, 0},
    {"per-head", false, 0, 0},
    {"per-token", false, 1, 0},
    {"per-channel", false, 0, 1},
};

static attest_status set_known(attest_block_format *format, size_t i, attest_error *error)
{
    *format = (attest_block_format){.rule = known[i].rule,
                                    .bits = known[i].bits,
                                    .tensor = known[i].tensor,
                                    .tokens = known[i].tokens,
                                    .channels = known[i].channels};
    strcpy(format->name, known[i].name);
    if (known[i].element)
        return attest_format_parse(&format->element, known[i].element, error);
    return ATTEST_OK;
}

/* Refuses a name that is the beginning of several. */
static attest_status refuse_vague(const char *name, attest_error *error)
{
    char list[200] = "";
    size_t size = strlen(name), found = 0;

    for (size_t i = 0; i < KNOWN; i++)
        if (strncmp(known[i].name, name, size) == 0 &&
            (known[i].name[size] == ':' || known[i].name[size] == '_')) {
            strcat(list, found++ ? ", " : "");
            strcat(list, known[i].name);
        }
    if (found == 0)
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_USAGE,
                            "quantisation \"%s\" has several definitions (%s): name one", name,
                            list);
}

/* Reads prefix and a positive number of binary32. */
static bool read_number(double *value, const char *text, const char *prefix)
{
    char *end;

    if (strncmp(text, prefix, strlen(prefix)) != 0)
        return false;
    text += strlen(prefix);
    if (!strchr("0123456789.", *text) || *text == '\0')
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && *value > 0 && *value <= FLT_MAX && *value == (float)*value;
}

/* Cuts off the last part of the name, after a colon; NULL: there is none. */
static char *cut_part(char *name)
{
    char *colon = strrchr(name, ':');

    if (colon)
        *colon++ = '\0';
    return colon;
}

/* Refuses an unknown format; it may be a misspelt scheme. */
static attest_status refuse_element(const char *name, attest_status status, attest_error *error)
{
    if (!error || strncmp(error->text, "unknown", strlen("unknown")) != 0)
        return status;
    return attest_error_set(error, status,
                            "unknown format \"%.100s\": a scheme is a format, alone or with a "
                            "group (e4m3fn:per-head), or int8:per-token, q8_0, mxfp4:mx, "
                            "nvfp4:te, kivi4:k or another of formats.md",
                            name);
}

/* FORMAT[:per-...][:scale=S|:range=R]. */
static attest_status parse_scaled(attest_block_format *format, char *name, attest_error *error)
{
    char *part = cut_part(name);
    attest_status status;
    double value;

    *format = (attest_block_format){.rule = ATTEST_BLOCK_PLAIN, .tensor = true};
    if (part && read_number(&value, part, "scale=")) {
        format->scale = value;
        part = cut_part(name);
    } else if (part && read_number(&value, part, "range=")) {
        format->range = value;
        part = cut_part(name);
    }
    for (size_t i = 0; part && i < sizeof groups / sizeof groups[0]; i++)
        if (strcmp(part, groups[i].name) == 0) {
            format->rule = ATTEST_BLOCK_SCALED;
            format->tensor = groups[i].tensor;
            format->tokens = groups[i].tokens;
            format->channels = groups[i].channels;
            part = NULL;
        }
    if (format->scale > 0)
        format->rule = ATTEST_BLOCK_SCALED;
    if (part) /* the part belongs to the name of the format */
        part[-1] = ':';
    status = attest_format_parse(&format->element, name, error);
    if (status != ATTEST_OK)
        return refuse_element(name, status, error);
    if (!format->element.positive &&
        !attest_in_double_fits(&format->element, ATTEST_SIMULATED_NEAREST))
        return attest_error_set(error, ATTEST_USAGE,
                                "cannot quantise to %s: its numbers are not doubles",
                                format->element.name);
    if (format->range > 0 && format->rule == ATTEST_BLOCK_PLAIN)
        return attest_error_set(
            error, ATTEST_USAGE,
            "quantisation \"%s:range=\": a range needs a group (per-tensor, "
            "per-head, per-token, per-channel)",
            name);
    if (format->rule == ATTEST_BLOCK_SCALED && format->element.positive)
        return attest_error_set(error, ATTEST_USAGE,
                                "%s is a format of scales and has no scale itself",
                                format->element.name);
    if (format->range == 0 && format->element.bounded)
        format->range = attest_format_get_most(&format->element);
    format->bits = format->element.width;
    return ATTEST_OK;
}

/* Reads another size of the groups, as in kivi2:k:64. */
static bool cut_group(size_t *size, char *name)
{
    char *part, *end;

    if (strncmp(name, "kivi", 4) != 0 || !(part = strrchr(name, ':')) || part[1] < '1' ||
        part[1] > '9')
        return false;
    *size = strtoul(part + 1, &end, 10);
    if (*end != '\0' || *size > 1 << 20)
        return false;
    *part = '\0';
    return true;
}

attest_status attest_block_parse(attest_block_format *format, const char *name,
                                 attest_error *error)
{
    char text[sizeof format->name];
    size_t group = 0;

    if (strlen(name) >= sizeof text)
        return attest_error_set(error, ATTEST_USAGE,
                                "quantisation \"%.100s\": the name is too long", name);
    strcpy(text, name);
    cut_group(&group, text);
    for (size_t i = 0; i < KNOWN; i++)
        if (strcmp(text, known[i].name) == 0) {
            ATTEST_TRY(set_known(format, i, error));
            if (group > 0)
                *(format->tokens > 1 ? &format->tokens : &format->channels) = group;
            strcpy(format->name, name);
            return ATTEST_OK;
        }
    ATTEST_TRY(refuse_vague(text, error));
    strcpy(text, name);
    ATTEST_TRY(parse_scaled(format, text, error));
    strcpy(format->name, name);
    return ATTEST_OK;
}
