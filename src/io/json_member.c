/* json_member.c -- a member of an object at once. */
#include "io/json_member.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"

attest_status attest_json_get_member_count(uint64_t *count, const attest_json_cursor *object,
                                           const char *key, attest_error *error)
{
    attest_json_cursor member;
    int64_t value;

    *count = 0;
    ATTEST_TRY(attest_json_get_member(&member, object, key, error));
    ATTEST_TRY(attest_json_get_integer(&value, &member, error));
    if (value < 0)
        return attest_json_fail(&member, error, ATTEST_FORMAT, "is negative");
    *count = (uint64_t)value;
    return ATTEST_OK;
}

attest_status attest_json_get_member_bool(bool *value, const attest_json_cursor *object,
                                          const char *key, attest_error *error)
{
    attest_json_cursor member;

    ATTEST_TRY(attest_json_get_member(&member, object, key, error));
    return attest_json_get_bool(value, &member, error);
}

attest_status attest_json_get_member_string(const char **string,
                                            const attest_json_cursor *object, const char *key,
                                            attest_error *error)
{
    attest_json_cursor member;

    ATTEST_TRY(attest_json_get_member(&member, object, key, error));
    return attest_json_get_string(string, &member, error);
}

attest_status attest_json_copy_member(char **copy, const attest_json_cursor *object,
                                      const char *key, attest_error *error)
{
    const char *string;

    ATTEST_TRY(attest_json_get_member_string(&string, object, key, error));
    *copy = attest_memory_copy(string);
    return *copy ? ATTEST_OK : attest_memory_fail(error);
}

attest_status attest_json_copy_optional(char **copy, const attest_json_cursor *object,
                                        const char *key, attest_error *error)
{
    attest_json_cursor member;

    if (!attest_json_find_member(&member, object, key))
        return ATTEST_OK;
    return attest_json_copy_member(copy, object, key, error);
}
