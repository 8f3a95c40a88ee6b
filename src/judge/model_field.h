/* model_field.h -- the members of kernel models: a table with their names, their values, and
 * their places in a variant or a schedule. Reader, writer and display use this table. */
#ifndef ATTEST_JUDGE_MODEL_FIELD_H
#define ATTEST_JUDGE_MODEL_FIELD_H

#include <attest/input.h>
#include <attest/number.h>

#include "io/json_read.h"
#include "io/json_write.h"
#include "judge/model.h"

typedef enum attest_judge_kind {
    ATTEST_JUDGE_FORMAT,
    ATTEST_JUDGE_FORMAT_OR_NULL, /* null: no rounding, and the bool at flag is false */
    ATTEST_JUDGE_WORD,           /* the value of an enum */
    ATTEST_JUDGE_SWITCH,         /* one of two words, for false and true */
    ATTEST_JUDGE_COUNT,          /* a whole number */
    ATTEST_JUDGE_COUNT_OR_NULL,  /* null: 0 */
    ATTEST_JUDGE_COUNT_OR_ANY,   /* "any": 0 */
    ATTEST_JUDGE_INTEGER,
    ATTEST_JUDGE_ERROR,     /* an error bound: rounded up to a double */
    ATTEST_JUDGE_EXACT,     /* a number that must be a double */
    ATTEST_JUDGE_POLYNOMIAL /* a list of coefficients, or null */
} attest_judge_kind;

typedef struct attest_judge_field {
    const char *group, *key; /* group.key; a schedule has no group */
    attest_judge_kind kind;
    size_t at, flag;          /* offsets */
    const char *const *words; /* for a word or a switch; the index is the value */
    int count;                /* of the words */
    double least, most;       /* limits of numbers; an ERROR is below most */
    bool optional; /* of a schedule: may be missing, then 0, the first word or null */
} attest_judge_field;

/* The tables for variants, with the members of a group side by side, and for schedules. */
enum { ATTEST_JUDGE_FIELDS = 50, ATTEST_JUDGE_SCHEDULE_FIELDS = 17 };
extern const attest_judge_field attest_judge_fields[ATTEST_JUDGE_FIELDS];
extern const attest_judge_field attest_judge_schedule_fields[ATTEST_JUDGE_SCHEDULE_FIELDS];

/* The number of members of the group that begins with field first. */
size_t attest_judge_field_count_group(size_t first);

/* Returns whether two variants (or schedules) agree in this member. */
bool attest_judge_field_equal(const attest_judge_field *field, const void *a, const void *b);

/* The same for the members of a group, count of them from field number first on. */
bool attest_judge_field_equal_group(size_t first, size_t count, const attest_judge_variant *a,
                                    const attest_judge_variant *b);

/* Copies the member. */
void attest_judge_field_copy(const attest_judge_field *field, void *to, const void *from);

/* The value of the member as in a file, without quotes; *quoted: it is a string, else a number
 * or null. The text is a word, or in buffer. */
enum { ATTEST_JUDGE_FIELD_SIZE = 256 };
const char *attest_judge_field_get_text(bool *quoted, char buffer[ATTEST_JUDGE_FIELD_SIZE],
                                        const attest_judge_field *field, const void *variant);

/* ---- values from JSON ---- */

/* Sets the member of the variant (or schedule) from the value. If the value names a matrix
 * unit, its products have the formats that the model has so far. Errors stick: FORMAT, UNABLE
 * (budget). */
void attest_judge_value_read(void *variant, const attest_judge_field *field,
                             const attest_json_cursor *value, const attest_judge_model *model);

/* Products that the object does not mention are exact if a matrix unit forms them. */
void attest_judge_value_complete(attest_judge_variant *variant,
                                 const attest_json_cursor *object);

/* ---- kernel models as JSON ("attest/kernel-model") ---- */

/* The most combinations of alternatives, and the most schedules, that a model may have. */
enum { ATTEST_JUDGE_MODEL_MOST = 256 };

/* Parses and checks a model; missing members are those of fp32-any. After a failure the model
 * is empty. Status: FORMAT, NOMEM, UNABLE (budget). */
attest_status attest_judge_model_parse_json(attest_judge_model *model, const char *text,
                                            size_t size, attest_budget *budget,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* The same for an open file, which stays open, so that the caller can hash what was read. The
 * text of the error begins with the path. */
attest_status attest_judge_model_read_input(attest_judge_model *model,
                                            const attest_input *input, attest_budget *budget,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the completed model: every member, numbers exactly. Reading it gives the same model.
 * */
void attest_judge_model_write_json(attest_json *json, const char *key,
                                   const attest_judge_model *model);

/* Returns whether attest_judge_model_load treats the name as that of a file: it has a slash,
 * ends in ".json" or is "-". */
bool attest_judge_model_is_path(const char *name);

/* The shipped models; the last has no name. They are part of the library, so that a name has
 * the same meaning wherever the library runs. */
typedef struct attest_judge_shipped {
    const char *name, *comment, *text;
} attest_judge_shipped;
extern const attest_judge_shipped attest_judge_model_shipped[];

#endif
