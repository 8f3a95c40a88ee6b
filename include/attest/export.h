/* export.h -- the mark of what libattest exports: all functions that its headers declare. */
#ifndef ATTEST_EXPORT_H
#define ATTEST_EXPORT_H

#if defined(__GNUC__)
#define ATTEST_API __attribute__((visibility("default")))
#else
#define ATTEST_API
#endif

#endif
