/* journal_read.c -- reading a journal, whatever has become of it. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/input.h"
#include "base/output.h"
#include "campaign/journal_file.h"

/* Where the reading is. */
typedef struct scan {
    const char *bytes;
    size_t size, at;
    size_t memory; /* that a record may take while it is read */
    attest_frame_chain chain;
} scan;

static attest_status take_record(const scan *in, const attest_frame *frame, bool is_plan,
                                 const attest_journal_reader *reader, attest_error *error)
{
    attest_budget budget = {in->memory};
    attest_entry entry;
    attest_status status;

    if (is_plan)
        return reader->plan(reader->env, frame->payload, frame->size, &budget, error);
    if (!reader->entry)
        return reader->record(reader->env, frame, error);
    attest_entry_init(&entry);
    status = attest_entry_parse(&entry, frame->payload, frame->size, &budget, error);
    if (status == ATTEST_OK)
        status = reader->entry(reader->env, &entry, frame, error);
    attest_entry_clear(&entry);
    return status;
}

/* All whole records, handed to the reader. What is whole is what was written: a record of
 * another kind, or one that cannot be parsed, is no accident but another program's. */
static attest_status read_records(scan *in, attest_journal_tail *tail,
                                  const attest_journal_reader *reader, attest_error *error)
{
    attest_frame_state state = ATTEST_FRAME_WHOLE;
    attest_status status = ATTEST_OK;
    attest_frame frame;

    memset(tail, 0, sizeof *tail);
    while (status == ATTEST_OK && in->at < in->size) {
        state = attest_frame_parse(&frame, &in->chain, in->bytes + in->at, in->size - in->at);
        if (state != ATTEST_FRAME_WHOLE)
            break;
        if (strcmp(frame.kind, tail->records == 0 ? "plan" : "chunk") != 0)
            return attest_error_set(error, ATTEST_FORMAT, "unknown record \"%s\"", frame.kind);
        status = take_record(in, &frame, tail->records == 0, reader, error);
        in->at += frame.total;
        tail->records++;
    }
    tail->dropped = in->size - in->at;
    tail->damaged = state == ATTEST_FRAME_DAMAGED;
    if (status == ATTEST_OK && tail->records == 0)
        return attest_error_set(error, ATTEST_IO,
                                "damaged at its beginning: nobody knows what it is about");
    return status;
}

/* The input stays open, for who keeps what is damaged. */
static attest_status read_file(attest_input *input, scan *in, attest_journal_tail *tail,
                               const char *path, const attest_journal_reader *reader,
                               attest_error *error)
{
    size_t limit = attest_budget_left(reader->budget);
    attest_status status = attest_input_open_file(input, path, limit, error);

    if (status != ATTEST_OK)
        return status;
    *in = (scan){
        .bytes = (const char *)input->data, .size = input->size, .memory = limit - input->size};
    return attest_input_locate(input, read_records(in, tail, reader, error), error);
}

attest_status attest_journal_read(attest_journal_tail *tail, const char *path,
                                  const attest_journal_reader *reader, attest_error *error)
{
    attest_input input;
    scan in;
    attest_status status = read_file(&input, &in, tail, path, reader, error);

    attest_input_close(&input);
    return status;
}

/* Damage is evidence: it is kept beside the journal. */
static attest_status keep_damaged(const scan *in, const char *path, attest_error *error)
{
    attest_output output;
    attest_status status;
    attest_text name;

    attest_text_init(&name);
    attest_text_printf(&name, "%s.damaged", path);
    if (name.failed)
        status = attest_memory_fail_at(error, path);
    else
        status = attest_output_open(&output, name.data, error);
    if (status == ATTEST_OK) {
        fwrite(in->bytes + in->at, 1, in->size - in->at, output.stream);
        status = attest_output_commit(&output, error);
    }
    attest_text_clear(&name);
    return status;
}

attest_status attest_journal_resume(attest_journal *journal, attest_journal_tail *tail,
                                    const char *path, const attest_journal_reader *reader,
                                    attest_error *error)
{
    attest_input input;
    scan in;
    attest_status status = read_file(&input, &in, tail, path, reader, error);

    if (status == ATTEST_OK && tail->damaged)
        status = keep_damaged(&in, path, error);
    attest_input_close(&input);
    if (status == ATTEST_OK)
        status = attest_journal_open_end(journal, path, &in.chain, in.at, error);
    return status;
}
