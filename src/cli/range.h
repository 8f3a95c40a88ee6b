/* range.h -- attest range: what its files share. */
#ifndef ATTEST_CLI_RANGE_H
#define ATTEST_CLI_RANGE_H

#include "cli/qkv.h"
#include "judge/range.h"
#include "judge/quantise.h"

/* The scheme of one head. */
typedef struct range_head {
    size_t layer, batch, head;
    attest_judge_scheme scheme;
} range_head;

typedef struct range_job {
    attest_cli_qkv x;
    attest_number_option within;
    const char *schemes;
    attest_judge_ranges ranges;
    size_t layer[ATTEST_JUDGE_EVENTS]; /* where a yes was found */
    char *scheme_text;                 /* the list, cut into its names */
    const char **scheme;               /* ended by NULL; NULL: the default ones */
    range_head *head;
    size_t heads, head_room;
} range_job;

/* Checks --max-error and --schemes. EXIT_HOLDS, or a complaint. */
int attest_cli_range_parse_schemes(range_job *job);
void attest_cli_range_clear_schemes(range_job *job);

/* The smallest schemes of the heads of the layer that was read last. */
int attest_cli_range_find_schemes(range_job *job);

void attest_cli_range_write_schemes(attest_json *json, const range_job *job);
void attest_cli_range_print_schemes(const range_job *job);

#endif
