/* tap.c -- a finished campaign as TAP 12. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "report/campaign.h"

static void print_comment(FILE *stream, const char *what, const char *line)
{
    fprintf(stream, "# %s", what);
    attest_escape_print(stream, line);
    fputc('\n', stream);
}

void attest_report_tap(FILE *stream, const attest_summary *summary, const char *folder)
{
    fprintf(stream, "1..%zu\n", summary->properties);
    for (size_t p = 0; p < summary->properties; p++) {
        const attest_property_summary *property = &summary->property[p];
        char line[1024], *command = attest_report_command(summary, p, folder);

        fprintf(stream, "%s %zu - %s: %s after %" PRIu64 " trials\n",
                property->as_expected ? "ok" : "not ok", p + 1, property->property->name,
                attest_campaign_verdict_name(property->verdict), property->trials);
        attest_report_reason(line, sizeof line, property);
        if (line[0])
            print_comment(stream, "", line);
        if (command)
            print_comment(stream, "replay: ", command);
        free(command);
    }
}
