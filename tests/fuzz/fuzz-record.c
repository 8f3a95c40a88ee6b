/* Reads any bytes as a record. The reader refuses them with one line of text, lists them as
 * skipped, or the report of the record can be written. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(record)
{
    attest_budget budget = {(size_t)1 << 22};
    attest_report report;
    attest_error error;
    attest_status status;
    char *bytes = malloc(size ? size : 1);

    memcpy(bytes, data, size);
    attest_report_init(&report);
    status =
        attest_records_is_csv(bytes, size)
            ? attest_records_add_csv(&report.records, "bytes", bytes, size, &budget, &error)
            : attest_records_add(&report.records, "bytes", bytes, size, &budget, &error);
    if (status != ATTEST_OK && (error.text[0] == '\0' || strchr(error.text, '\n')))
        abort();
    if (status == ATTEST_OK && attest_report_set(&report, &error) != ATTEST_OK)
        abort();
    attest_report_clear(&report);
    free(bytes);
    return 0;
}
