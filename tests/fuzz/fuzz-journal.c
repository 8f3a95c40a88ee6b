/* The parts of a journal. The first byte chooses the kind of the others: a row of records, the
 * payload of one, an entry, a plan. What is read is formatted, read again and the same. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/version.h>

#include "campaign/campaign_record.h"
#include "campaign/plan.h"
#include "props/registry.h"
#include "tests/fuzz/fuzz.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* Records from the beginning, each of which is what would be written. */
static void read_row(const char *bytes, size_t size)
{
    attest_frame_chain chain = {{0}}, again = {{0}};
    attest_frame frame;
    size_t at = 0;

    while (at < size &&
           attest_frame_parse(&frame, &chain, bytes + at, size - at) == ATTEST_FRAME_WHOLE) {
        attest_text text;

        attest_text_init(&text);
        attest_frame_format(&text, &again, frame.kind, frame.payload, frame.size);
        check(frame.total > frame.size && frame.total <= size - at);
        check(text.size == frame.total && memcmp(text.data, bytes + at, text.size) == 0);
        attest_text_clear(&text);
        at += frame.total;
    }
}

/* Any bytes are a payload; without their last byte they are torn, and with another they are
 * damaged. */
static void read_payload(const char *bytes, size_t size)
{
    attest_frame_chain chain = {{0}}, read = {{0}};
    attest_frame frame;
    attest_text text;

    attest_text_init(&text);
    attest_frame_format(&text, &chain, "chunk", bytes, size);
    check(attest_frame_parse(&frame, &read, text.data, text.size - 1) == ATTEST_FRAME_TORN);
    check(attest_frame_parse(&frame, &read, text.data, text.size) == ATTEST_FRAME_WHOLE);
    check(frame.size == size && memcmp(frame.payload, bytes, size) == 0);
    check(memcmp(&chain, &read, sizeof chain) == 0);
    if (size > 0) {
        read = (attest_frame_chain){{0}};
        text.data[text.size - 2] ^= 1;
        check(attest_frame_parse(&frame, &read, text.data, text.size) == ATTEST_FRAME_DAMAGED);
    }
    attest_text_clear(&text);
}

static void read_entry(const char *bytes, size_t size)
{
    char *first = NULL, *second = NULL;
    attest_campaign_record entry;
    attest_error error;

    attest_campaign_record_init(&entry);
    if (attest_campaign_record_parse(&entry, bytes, size, NULL, &error) == ATTEST_OK) {
        first = attest_campaign_record_format(&entry);
        attest_campaign_record_clear(&entry);
        attest_campaign_record_init(&entry);
        check(first && attest_campaign_record_parse(&entry, first, strlen(first), NULL,
                                                    &error) == ATTEST_OK);
        second = attest_campaign_record_format(&entry);
        check(second && strcmp(first, second) == 0);
    } else {
        check(error.text[0] != '\0' && !strchr(error.text, '\n'));
    }
    attest_campaign_record_clear(&entry);
    free(first);
    free(second);
}

/* The bytes, where '*' stands for the version and '?' for the engine of this program: plans of
 * others are refused. */
static void set_plan(attest_text *text, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == '*')
            attest_text_add(text, attest_version());
        else if (bytes[i] == '?')
            attest_text_add(text, ATTEST_THEFT_NAME);
        else
            attest_text_append(text, bytes + i, 1);
}

/* A plan is taken only where this program would write the same. */
static void read_plan(const char *bytes, size_t size)
{
    attest_saved_plan saved;
    attest_error error;
    attest_text plan;
    char *text;

    attest_text_init(&plan);
    set_plan(&plan, bytes, size);
    if (attest_saved_plan_parse(&saved, plan.data ? plan.data : "", plan.size,
                                attest_property_get, NULL, &error) != ATTEST_OK) {
        check(error.text[0] != '\0' && !strchr(error.text, '\n'));
    } else {
        text = attest_plan_format(&saved.plan, true);
        check(text && strlen(text) == plan.size && memcmp(text, plan.data, plan.size) == 0);
        free(text);
        attest_saved_plan_clear(&saved);
    }
    attest_text_clear(&plan);
}

FUZZ_TARGET(journal)
{
    static void (*const read[])(const char *, size_t) = {read_row, read_payload, read_entry,
                                                         read_plan};
    char *bytes;

    if (size == 0)
        return 0;
    bytes = malloc(size);
    memcpy(bytes, data + 1, size - 1);
    read[data[0] % 4](bytes, size - 1);
    free(bytes);
    return 0;
}
