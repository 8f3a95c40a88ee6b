/* journal_read.c -- reading a journal that may be incomplete or damaged. */
#include <string.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/scope.h"
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
    ATTEST_SCOPED(attest_entry, entry);

    if (is_plan)
        return reader->plan(reader->env, frame->payload, frame->size, &budget, error);
    if (!reader->entry)
        return reader->record(reader->env, frame, error);
    ATTEST_TRY(attest_entry_parse(&entry, frame->payload, frame->size, &budget, error));
    return reader->entry(reader->env, &entry, frame, error);
}

/* Hands all whole records to the reader. A whole record is as it was written: one of another
 * kind, or one that cannot be parsed, was written by another program. */
static attest_status read_records(scan *in, attest_journal_tail *tail,
                                  const attest_journal_reader *reader, attest_error *error)
{
    attest_frame_state state = ATTEST_FRAME_WHOLE;
    attest_frame frame;

    memset(tail, 0, sizeof *tail);
    while (in->at < in->size) {
        state = attest_frame_parse(&frame, &in->chain, in->bytes + in->at, in->size - in->at);
        if (state != ATTEST_FRAME_WHOLE)
            break;
        if (strcmp(frame.kind, tail->records == 0 ? "plan" : "chunk") != 0)
            return attest_error_set(error, ATTEST_FORMAT, "unknown record \"%s\"", frame.kind);
        ATTEST_TRY(take_record(in, &frame, tail->records == 0, reader, error));
        in->at += frame.total;
        tail->records++;
    }
    tail->dropped = in->size - in->at;
    tail->damaged = state == ATTEST_FRAME_DAMAGED;
    if (tail->records == 0)
        return attest_error_set(error, ATTEST_IO,
                                "damaged at its beginning: nobody knows what it is about");
    return ATTEST_OK;
}

/* Copies the damaged end of the journal to a file beside it, as evidence. */
static attest_status keep_damaged(const scan *in, const char *path, attest_error *error)
{
    ATTEST_SCOPED(attest_text, name);
    attest_output output;

    attest_text_printf(&name, "%s.damaged", path);
    if (name.failed)
        return attest_memory_fail_at(error, path);
    ATTEST_TRY(attest_output_open_file(&output, name.data, error));
    fwrite(in->bytes + in->at, 1, in->size - in->at, output.stream);
    return attest_output_commit(&output, error);
}

static attest_status read_file(scan *in, attest_journal_tail *tail, const char *path,
                               const attest_journal_reader *reader, bool keep,
                               attest_error *error)
{
    size_t limit = attest_budget_left(reader->budget);
    attest_input input ATTEST_CLEARED_BY(attest_input_close);

    ATTEST_TRY(attest_input_open_file(&input, path, limit, error));
    *in = (scan){
        .bytes = (const char *)input.data, .size = input.size, .memory = limit - input.size};
    ATTEST_TRY(attest_input_locate(&input, read_records(in, tail, reader, error), error));
    return keep && tail->damaged ? keep_damaged(in, path, error) : ATTEST_OK;
}

attest_status attest_journal_read(attest_journal_tail *tail, const char *path,
                                  const attest_journal_reader *reader, attest_error *error)
{
    scan in;

    return read_file(&in, tail, path, reader, false, error);
}

attest_status attest_journal_resume(attest_journal *journal, attest_journal_tail *tail,
                                    const char *path, const attest_journal_reader *reader,
                                    attest_error *error)
{
    scan in;

    ATTEST_TRY(read_file(&in, tail, path, reader, true, error));
    return attest_journal_open_end(journal, path, &in.chain, in.at, error);
}
