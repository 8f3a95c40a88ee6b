/* json_member.h -- a member of an object at once. */
#ifndef ATTEST_IO_JSON_MEMBER_H
#define ATTEST_IO_JSON_MEMBER_H

#include "io/json_take.h"
#include "io/json_write.h"

/* The member under key, which must be there: an integer that is not negative, true or false, a
 * string that belongs to the document. */
attest_status attest_json_get_member_count(uint64_t *count, const attest_json_cursor *object,
                                           const char *key,
                                           attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_json_get_member_bool(bool *value, const attest_json_cursor *object,
                                          const char *key,
                                          attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_json_get_member_string(const char **string,
                                            const attest_json_cursor *object, const char *key,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* *copy = the string under key, the caller's to free. It must be there; or, for optional,
 * *copy stays as it is where there is none. Status: also NOMEM. */
attest_status attest_json_copy_member(char **copy, const attest_json_cursor *object,
                                      const char *key, attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_json_copy_optional(char **copy, const attest_json_cursor *object,
                                        const char *key,
                                        attest_error *error) ATTEST_WARN_UNUSED;

#endif
