/* json_member.h -- what readers and writers of JSON do again and again: a member of an object
 * at once, a whole text at once. */
#ifndef ATTEST_IO_JSON_MEMBER_H
#define ATTEST_IO_JSON_MEMBER_H

#include "io/json_read.h"
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

/* Sets value to what the object says. */
typedef attest_status attest_json_setter(void *value, const attest_json_cursor *object,
                                         attest_error *error);

/* set(value, the whole text). Status: as attest_json_document_parse, or what set says. */
attest_status attest_json_parse_value(void *value, attest_json_setter *set, const char *text,
                                      size_t size, attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* The same for a file; "-" is standard input. The error's text begins with its name. Status:
 * also IO. */
attest_status attest_json_read_value(void *value, attest_json_setter *set, const char *path,
                                     attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
