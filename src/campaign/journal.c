/* journal.c -- writing a journal. */
#include "campaign/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/scope.h"
#include "campaign/journal_file.h"

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

attest_status attest_journal_open_end(attest_journal *journal, const char *path,
                                      const attest_frame_chain *chain, size_t size,
                                      attest_error *error)
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
    ATTEST_SCOPED(attest_text, record);
    attest_output output;

    attest_frame_format(&record, &chain, "plan", plan, strlen(plan));
    if (record.failed)
        return attest_memory_fail_at(error, path);
    ATTEST_TRY(attest_output_open_file(&output, path, error));
    fwrite(record.data, 1, record.size, output.stream);
    ATTEST_TRY(attest_output_commit(&output, error));
    return attest_journal_open_end(journal, path, &chain, record.size, error);
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

/* Cuts off what follows the last whole record. If this fails, readers drop it. */
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
    ATTEST_SCOPED(attest_text, record);

    attest_frame_format(&record, &chain, "chunk", text, size);
    if (record.failed)
        return attest_memory_fail_at(error, journal->path);
    if (!write_all(journal->file, record.data, record.size)) {
        go_back(journal);
        return fail(journal, "write", error);
    }
    journal->size += record.size;
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
