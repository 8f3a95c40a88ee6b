/* trial.c -- what is found out about one instance. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "campaign/property.h"

void attest_trial_init(attest_trial *trial)
{
    memset(trial, 0, sizeof *trial);
    trial->margin = NAN;
}

void attest_trial_label(attest_trial *trial, const char *label)
{
    for (size_t l = 0; l < trial->labels; l++)
        if (strcmp(trial->label[l], label) == 0)
            return;
    if (trial->labels < ATTEST_TRIAL_LABELS)
        trial->label[trial->labels++] = label;
}

ATTEST_PRINTF(2, 0)
static void set_reason(attest_trial *trial, const char *format, va_list arguments)
{
    vsnprintf(trial->reason, sizeof trial->reason, format, arguments);
}

void attest_trial_violated(attest_trial *trial, const char *definition, const char *format, ...)
{
    va_list arguments;

    trial->outcome = ATTEST_VIOLATED;
    trial->definition = definition;
    va_start(arguments, format);
    set_reason(trial, format, arguments);
    va_end(arguments);
}

void attest_trial_open(attest_trial *trial, const char *format, ...)
{
    va_list arguments;

    trial->outcome = ATTEST_OPEN;
    va_start(arguments, format);
    set_reason(trial, format, arguments);
    va_end(arguments);
}
