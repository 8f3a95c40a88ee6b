/* listing.h -- the files below a folder, in the order of their names. */
#ifndef ATTEST_REPORT_LISTING_H
#define ATTEST_REPORT_LISTING_H

#include <stddef.h>

#include <attest/error.h>

typedef struct attest_listing {
    size_t count, room;
    char **path; /* inside the folder, with '/' */
} attest_listing;

void attest_listing_init(attest_listing *listing);
void attest_listing_clear(attest_listing *listing);

/* listing = the regular files below path, at most eight folders deep and 100 000 in number,
 * sorted by their bytes. Names that begin with '.' are left out, and links to folders are not
 * followed. except (or NULL) holds paths, ended by NULL, of files and folders to leave out,
 * such as what was written there before; those that do not exist are no matter. Status: IO,
 * UNABLE, NOMEM; the text begins with the path. */
attest_status attest_listing_read(attest_listing *listing, const char *path,
                                  const char *const *except,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* "folder/name", the caller's to free, or NULL. */
char *attest_listing_join(const char *folder, const char *name);

#endif
