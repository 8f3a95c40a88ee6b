/* junit.c -- a finished campaign as JUnit XML. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "report/campaign.h"

static void print_escaped(FILE *stream, const char *string)
{
    attest_text text;

    attest_text_init(&text);
    attest_escape_markup(&text, string, strlen(string));
    if (!text.failed && text.data)
        fputs(text.data, stream);
    attest_text_clear(&text);
}

/* A violation is a failure; an undecided property, or an expected violation that was not found,
 * is an error. */
static void print_trouble(FILE *stream, const attest_summary *summary, size_t p,
                          const char *folder)
{
    const attest_property_summary *property = &summary->property[p];
    const char *element = property->verdict == ATTEST_CAMPAIGN_VIOLATED ? "failure" : "error";
    char line[1024], *command = attest_report_command(summary, p, folder);

    attest_report_reason(line, sizeof line, property);
    fprintf(stream, "    <%s type=\"%s\" message=\"", element,
            attest_campaign_verdict_name(property->verdict));
    print_escaped(stream, line[0] ? line : "no violation was found, but one is expected");
    fprintf(stream, "\">");
    print_escaped(stream, command ? command : "");
    fprintf(stream, "</%s>\n", element);
    free(command);
}

void attest_report_junit(FILE *stream, const attest_summary *summary, const char *folder)
{
    size_t failures = 0, errors = 0;
    double seconds = 0;

    for (size_t p = 0; p < summary->properties; p++) {
        const attest_property_summary *property = &summary->property[p];

        seconds += property->result->seconds;
        if (!property->as_expected)
            *(property->verdict == ATTEST_CAMPAIGN_VIOLATED ? &failures : &errors) += 1;
    }
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"attest campaign\" tests=\"%zu\" failures=\"%zu\" "
            "errors=\"%zu\" time=\"%.6f\">\n",
            summary->properties, failures, errors, seconds);
    for (size_t p = 0; p < summary->properties; p++) {
        const attest_property_summary *property = &summary->property[p];

        fprintf(stream, "  <testcase classname=\"attest\" name=\"");
        print_escaped(stream, property->property->name);
        fprintf(stream, "\" time=\"%.6f\">\n", property->result->seconds);
        if (!property->as_expected)
            print_trouble(stream, summary, p, folder);
        fprintf(stream, "    <system-out>%s after %" PRIu64 " trials</system-out>\n",
                attest_campaign_verdict_name(property->verdict), property->trials);
        fprintf(stream, "  </testcase>\n");
    }
    fprintf(stream, "</testsuite>\n");
}
