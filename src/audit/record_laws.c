/* record_laws.c -- the laws that an arithmetic breaks, as JSON. */
#include "audit/record.h"

/* [i, k], or null where there is none. */
static void write_first(attest_json *json, const char *key, bool any, attest_place place)
{
    if (!any) {
        attest_json_write_null(json, key);
        return;
    }
    attest_json_write_array(json, key);
    attest_json_write_count(json, NULL, place.sequence);
    attest_json_write_count(json, NULL, place.position);
    attest_json_write_close(json);
}

void attest_audit_write_laws(attest_json *json, const attest_audit_result *result)
{
    const attest_audit_laws *laws = &result->laws;
    attest_audit_conclusion conclusion;

    if (laws->reordered == 0) {
        attest_json_write_null(json, "laws");
        return;
    }
    attest_json_write_object(json, "laws");
    attest_json_write_count(json, "reordered", laws->reordered);
    attest_json_write_count(json, "changed", laws->changed);
    write_first(json, "changed_at", laws->changed > 0, laws->changed_at);
    attest_json_write_count(json, "shortened", laws->shortened);
    attest_json_write_count(json, "unnoticed", laws->unnoticed);
    write_first(json, "unnoticed_at", laws->unnoticed > 0, laws->unnoticed_at);
    attest_audit_conclude_laws(&conclusion, result);
    attest_json_write_string(json, "words", conclusion.words);
    attest_json_write_close(json);
}
