/* journal.c -- the file in which a campaign keeps its results. */
#include "campaign/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"

#define SECONDS_BETWEEN_SYNCS 1.0

static attest_status fail(const attest_journal *journal, const char *what, attest_error *error)
{
    return attest_error_set(error, ATTEST_IO, "%s: cannot %s: %s", journal->path, what,
                            strerror(errno ? errno : EIO));
}

void attest_journal_init(attest_journal *journal)
{
    memset(journal, 0, sizeof *journal);
    journal->file = -1;
}

void attest_journal_close(attest_journal *journal)
{
    if (journal->file >= 0)
        close(journal->file);
    free(journal->path);
    attest_journal_init(journal);
}

/* Opens the journal at path to append, cut to size bytes; chain is the hash of its last frame.
 */
static attest_status open_end(attest_journal *journal, const char *path,
                              const attest_frame_chain *chain, size_t size, attest_error *error)
{
    journal->path = attest_memory_copy(path);
    if (!journal->path)
        return attest_memory_fail_at(error, path);
    journal->chain = *chain;
    journal->size = size;
    journal->synced = attest_clock_seconds();
    journal->file =
        attest_fault("open") ? -1 : open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (journal->file < 0)
        return fail(journal, "open", error);
    if (lseek(journal->file, 0, SEEK_END) == (off_t)size)
        return ATTEST_OK;
    if (ftruncate(journal->file, (off_t)size) != 0 ||
        lseek(journal->file, (off_t)size, SEEK_SET) < 0)
        return fail(journal, "cut off its end", error);
    journal->dirty = true;
    return attest_journal_sync(journal, error);
}

attest_status attest_journal_create(attest_journal *journal, const char *path, const char *plan,
                                    attest_error *error)
{
    attest_frame_chain chain = {{0}};
    ATTEST_SCOPED(attest_text, frame);
    attest_output output;

    attest_frame_format(&frame, &chain, "plan", plan, strlen(plan));
    if (frame.failed)
        return attest_memory_fail_at(error, path);
    ATTEST_TRY(attest_output_open_file(&output, path, error));
    fwrite(frame.data, 1, frame.size, output.stream);
    ATTEST_TRY(attest_output_commit(&output, error));
    return open_end(journal, path, &chain, frame.size, error);
}

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written =
            attest_fault("write") ? (errno = ENOSPC, -1) : write(file, bytes, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* Cuts off what follows the last whole frame. If this fails, readers drop it. */
static void go_back(attest_journal *journal)
{
    int reason = errno;

    if (ftruncate(journal->file, (off_t)journal->size) == 0)
        (void)lseek(journal->file, (off_t)journal->size, SEEK_SET);
    errno = reason;
}

attest_status attest_journal_append(attest_journal *journal, const char *text, size_t size,
                                    attest_error *error)
{
    attest_frame_chain chain = journal->chain;
    ATTEST_SCOPED(attest_text, frame);

    attest_frame_format(&frame, &chain, "chunk", text, size);
    if (frame.failed)
        return attest_memory_fail_at(error, journal->path);
    if (!write_all(journal->file, frame.data, frame.size)) {
        go_back(journal);
        return fail(journal, "write", error);
    }
    journal->size += frame.size;
    journal->chain = chain;
    journal->dirty = true;
    if (attest_clock_seconds() - journal->synced >= SECONDS_BETWEEN_SYNCS)
        return attest_journal_sync(journal, error);
    return ATTEST_OK;
}

attest_status attest_journal_sync(attest_journal *journal, attest_error *error)
{
    if (!journal->dirty)
        return ATTEST_OK;
    if (attest_fault("fsync") ? (errno = EIO, true) : fsync(journal->file) != 0)
        return fail(journal, "sync", error);
    journal->dirty = false;
    journal->synced = attest_clock_seconds();
    return ATTEST_OK;
}

/* A position in the bytes of a journal. */
typedef struct scan {
    const char *bytes;
    size_t size, at;
    size_t memory; /* bytes that parsing one record may take */
    attest_frame_chain chain;
} scan;

static attest_status take_frame(const scan *in, const attest_frame *frame, bool is_plan,
                                const attest_journal_reader *reader, attest_error *error)
{
    attest_budget budget = {in->memory};
    ATTEST_SCOPED(attest_campaign_record, record);

    if (is_plan && !reader->plan)
        return ATTEST_OK;
    if (is_plan)
        return reader->plan(reader->env, frame->payload, frame->size, &budget, error);
    if (!reader->record)
        return reader->raw ? reader->raw(reader->env, frame, error) : ATTEST_OK;
    ATTEST_TRY(
        attest_campaign_record_parse(&record, frame->payload, frame->size, &budget, error));
    return reader->record(reader->env, &record, error);
}

/* Passes all whole frames to the reader. The hash of a whole frame is correct, so that one of
 * another kind, or one that cannot be parsed, was written by another program. */
static attest_status read_frames(scan *in, attest_journal_tail *tail,
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
        ATTEST_TRY(take_frame(in, &frame, tail->records == 0, reader, error));
        in->at += frame.total;
        tail->records++;
    }
    tail->dropped = in->size - in->at;
    tail->damaged = state == ATTEST_FRAME_DAMAGED;
    if (tail->records == 0)
        return attest_error_set(error, ATTEST_IO,
                                "damaged at its beginning: the plan cannot be read");
    return ATTEST_OK;
}

/* Copies the damaged end of the journal to a file next to it. */
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
    ATTEST_TRY(attest_input_locate(&input, read_frames(in, tail, reader, error), error));
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
    return open_end(journal, path, &in.chain, in.at, error);
}
