/* conclusion.c -- what an arithmetic makes of the outputs, in words. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"

static void add(attest_audit_conclusion *text, const char *format, ...) ATTEST_PRINTF(2, 3);

/* All parts together are shorter than the room that there is. */
static void add(attest_audit_conclusion *text, const char *format, ...)
{
    size_t used = strlen(text->words);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text->words + used, sizeof text->words - used, format, arguments);
    va_end(arguments);
}

/* A share in percent, of two digits; what is too small for that as a factor. */
static void add_share(attest_audit_conclusion *text, double share)
{
    if (share == 0)
        add(text, "0 %%");
    else if (share < 1e-4)
        add(text, "%.1e", share);
    else if (share < 0.1)
        add(text, "%.2g %%", 100 * share);
    else if (share < 100)
        add(text, "%.0f %%", 100 * share);
    else
        add(text, "a factor of %.2g", share);
}

static void add_errors(attest_audit_conclusion *text, const attest_audit_result *result)
{
    const attest_audit_deviation *d = &result->deviation;

    if (d->positions == 0) {
        add(text, "no output has a relative error");
        return;
    }
    add(text, "outputs differ by up to ");
    add_share(text, d->max);
    add(text, " (mean ");
    add_share(text, d->mean);
    add(text, ")");
}

static void add_pairs(attest_audit_conclusion *text, const attest_audit_pairs *pairs)
{
    if (pairs->required == 0)
        add(text, ", no pair has to be told apart");
    else if (pairs->apart == pairs->required)
        add(text, ", all %" PRIu64 " pairs are told apart for certain", pairs->required);
    else
        add(text, ", %" PRIu64 " of %" PRIu64 " pairs can no longer be told apart for certain",
            pairs->required - pairs->apart, pairs->required);
    if (pairs->merged)
        add(text, ", %" PRIu64 " of them %s merged", pairs->merged,
            pairs->merged == 1 ? "is" : "are");
}

void attest_audit_conclude(attest_audit_conclusion *text, const attest_audit_result *result)
{
    size_t nonfinite = result->collisions.nonfinite;

    text->words[0] = '\0';
    add(text, "%s: ", result->arithmetic.format.name);
    add_errors(text, result);
    add_pairs(text, &result->pairs);
    if (nonfinite)
        add(text, "; %zu output%s not finite", nonfinite, nonfinite == 1 ? " is" : "s are");
    if (result->saturated)
        add(text, "; %zu entr%s the largest number", result->saturated,
            result->saturated == 1 ? "y is" : "ies are");
}

void attest_audit_conclude_laws(attest_audit_conclusion *text,
                                const attest_audit_result *result)
{
    const attest_audit_laws *laws = &result->laws;

    text->words[0] = '\0';
    if (laws->changed == 0 && laws->unnoticed == 0)
        return;
    add(text, "%s: ", result->arithmetic.format.name);
    if (laws->changed > 0)
        add(text, "%zu of %zu outputs change with the order of the tokens, at [%zu,%zu] first",
            laws->changed, laws->reordered, laws->changed_at.sequence,
            laws->changed_at.position);
    if (laws->unnoticed > 0)
        add(text,
            "%s%zu of %zu outputs are the same without the first token of their sequence, at "
            "[%zu,%zu] first",
            laws->changed > 0 ? "; " : "", laws->unnoticed, laws->shortened,
            laws->unnoticed_at.sequence, laws->unnoticed_at.position);
}
