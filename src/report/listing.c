/* listing.c -- the files below a folder, in the order of their names. */
#include "report/listing.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"

enum { MOST_FILES = 100000, MOST_DEPTH = 8 };

void attest_listing_init(attest_listing *listing)
{
    memset(listing, 0, sizeof *listing);
}

void attest_listing_clear(attest_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free(listing->path[i]);
    free(listing->path);
    attest_listing_init(listing);
}

char *attest_listing_join(const char *folder, const char *name)
{
    attest_text path;

    if (!*folder)
        return attest_memory_copy(name);
    attest_text_init(&path);
    attest_text_printf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
                       name);
    return attest_text_take(&path);
}

/* Takes the path over. */
static attest_status add(attest_listing *listing, char *path, attest_error *error)
{
    if (listing->count == MOST_FILES) {
        free(path);
        return attest_error_set(error, ATTEST_UNABLE, "more than %d files", MOST_FILES);
    }
    if (!attest_memory_grow(&listing->path, &listing->room, listing->count + 1,
                            sizeof *listing->path)) {
        free(path);
        return attest_memory_fail(error);
    }
    listing->path[listing->count++] = path;
    return ATTEST_OK;
}

/* The folder that is walked, and what is left out. */
typedef struct tree {
    const char *root;
    const char *const *except;
} tree;

static bool is_excepted(const tree *all, const struct stat *seen)
{
    struct stat other;

    for (const char *const *path = all->except; path && *path; path++)
        if (stat(*path, &other) == 0 && other.st_dev == seen->st_dev &&
            other.st_ino == seen->st_ino)
            return true;
    return false;
}

static attest_status walk(attest_listing *listing, const tree *all, const char *inside,
                          int depth, attest_error *error);

/* Adds the name if it is a file, walks it if it is a directory, and skips anything else. */
static attest_status visit(attest_listing *listing, const tree *all, const char *inside,
                           const char *name, int depth, attest_error *error)
{
    char *path ATTEST_FREED = attest_listing_join(inside, name);
    char *full ATTEST_FREED = path ? attest_listing_join(all->root, path) : NULL;
    struct stat seen, target;

    if (!full)
        return attest_memory_fail(error);
    if (lstat(full, &seen) != 0 || stat(full, &target) != 0 || is_excepted(all, &target))
        return ATTEST_OK;
    if (S_ISREG(target.st_mode)) {
        char *given = path;

        path = NULL;
        return add(listing, given, error);
    }
    if (!S_ISDIR(seen.st_mode))
        return ATTEST_OK;
    if (depth >= MOST_DEPTH)
        return attest_error_set(error, ATTEST_UNABLE, "%s: folders more than %d deep", path,
                                MOST_DEPTH);
    return walk(listing, all, path, depth + 1, error);
}

static void close_folder(DIR **opened)
{
    if (*opened)
        closedir(*opened);
}

static attest_status walk(attest_listing *listing, const tree *all, const char *inside,
                          int depth, attest_error *error)
{
    char *full ATTEST_FREED = attest_listing_join(all->root, inside);
    DIR *opened ATTEST_CLEARED_BY(close_folder) = full ? opendir(full) : NULL;

    if (!full || (!opened && errno == ENOMEM))
        return attest_memory_fail(error);
    if (!opened)
        return attest_error_set(error, ATTEST_IO, "%s%scannot open the folder: %s", inside,
                                *inside ? ": " : "", strerror(errno));
    for (;;) {
        struct dirent *entry;

        errno = 0;
        entry = readdir(opened);
        if (!entry && errno)
            return attest_error_set(error, ATTEST_IO, "cannot read the folder: %s",
                                    strerror(errno));
        if (!entry)
            return ATTEST_OK;
        if (entry->d_name[0] != '.')
            ATTEST_TRY(visit(listing, all, inside, entry->d_name, depth, error));
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

attest_status attest_listing_read(attest_listing *listing, const char *path,
                                  const char *const *except, attest_error *error)
{
    const tree all = {path, except};
    attest_status status = walk(listing, &all, "", 0, error);

    if (status != ATTEST_OK) {
        attest_listing_clear(listing);
        return attest_error_prefix(error, status, path);
    }
    if (listing->count > 0)
        qsort(listing->path, listing->count, sizeof *listing->path, compare);
    return ATTEST_OK;
}
