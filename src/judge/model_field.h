/* model_field.h -- the members of a kernel model, one by one: where a file has them, what they
 * may be, where a variant or a schedule holds them. Reader, writer and display go by this
 * table. */
#ifndef ATTEST_JUDGE_MODEL_FIELD_H
#define ATTEST_JUDGE_MODEL_FIELD_H

#include <attest/input.h>
#include <attest/number.h>

#include "io/json_take.h"
#include "io/json_write.h"
#include "judge/model.h"

typedef enum attest_judge_kind {
    ATTEST_JUDGE_FORMAT,
    ATTEST_JUDGE_FORMAT_OR_NULL, /* null: no rounding; a bool at flag says which */
    ATTEST_JUDGE_WORD,           /* the value of an enum */
    ATTEST_JUDGE_SWITCH,         /* one of two words, for false and true */
    ATTEST_JUDGE_COUNT,          /* a whole number */
    ATTEST_JUDGE_COUNT_OR_NULL,  /* null: 0 */
    ATTEST_JUDGE_COUNT_OR_ANY,   /* "any": 0 */
    ATTEST_JUDGE_INTEGER,
    ATTEST_JUDGE_ERROR,     /* a number that bounds something: rounded up to a double */
    ATTEST_JUDGE_EXACT,     /* a number that must be a double */
    ATTEST_JUDGE_POLYNOMIAL /* a list of coefficients, or null */
} attest_judge_kind;

typedef struct attest_judge_field {
    const char *group, *key; /* group.key; a schedule has no group */
    attest_judge_kind kind;
    size_t at, flag;          /* offsets */
    const char *const *words; /* of a word, a switch; their place is the value */
    int count;                /* of the words */
    double least, most;       /* of numbers; most is not reached by an ERROR */
    bool optional;            /* of a schedule: 0, the first word or null where it is missing */
} attest_judge_field;

/* Of a variant, the members of a group side by side; of a schedule. */
enum { ATTEST_JUDGE_FIELDS = 42, ATTEST_JUDGE_SCHEDULE_FIELDS = 17 };
extern const attest_judge_field attest_judge_fields[ATTEST_JUDGE_FIELDS];
extern const attest_judge_field attest_judge_schedule_fields[ATTEST_JUDGE_SCHEDULE_FIELDS];

/* The number of members of the group whose first member is field number first. */
size_t attest_judge_field_count_group(size_t first);

/* Whether two variants (or schedules) agree in this member. */
bool attest_judge_field_equal(const attest_judge_field *field, const void *a, const void *b);

/* The same for the members of a group, count of them from field number first on. */
bool attest_judge_field_equal_group(size_t first, size_t count, const attest_judge_variant *a,
                                    const attest_judge_variant *b);

/* to's member = from's. */
void attest_judge_field_copy(const attest_judge_field *field, void *to, const void *from);

/* How a file writes the member, without quotes; *quoted: a string, else a number or null. The
 * text is a word, or in buffer. */
enum { ATTEST_JUDGE_FIELD_SIZE = 256 };
const char *attest_judge_field_get_text(bool *quoted, char buffer[ATTEST_JUDGE_FIELD_SIZE],
                                        const attest_judge_field *field, const void *variant);

/* ---- one value of a kernel model, out of JSON ---- */

/* The member of the variant (or schedule) = the value. Where it names a matrix unit, the
 * formats of its products are those that the model has so far. Errors stick: FORMAT, UNABLE
 * (budget). */
void attest_judge_value_read(void *variant, const attest_judge_field *field,
                             const attest_json_cursor *value, const attest_judge_model *model);

/* Products that the object does not speak of are exact if a matrix unit forms them. */
void attest_judge_value_complete(attest_judge_variant *variant,
                                 const attest_json_cursor *object);

/* ---- kernel models as JSON ("attest/kernel-model") ---- */

/* The most combinations of alternatives, and the most schedules, that a model may have. */
enum { ATTEST_JUDGE_MODEL_MOST = 256 };

/* model = what the text says, checked; members that are missing are those of fp32-any. After
 * a failure it is empty. Status: FORMAT, NOMEM, UNABLE (budget). */
attest_status attest_judge_model_parse_json(attest_judge_model *model, const char *text,
                                            size_t size, attest_budget *budget,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* The same for a file that is open, and stays open: who writes down what was read takes its
 * hash. The error's text begins with the path. */
attest_status attest_judge_model_read_input(attest_judge_model *model,
                                            const attest_input *input, attest_budget *budget,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* The completed model: every member, numbers exactly; read again, it is the same. */
void attest_judge_model_write_json(attest_json *json, const char *key,
                                   const attest_judge_model *model);

/* Whether attest_judge_model_load takes the name for that of a file: it has a slash, ends in
 * ".json" or is "-". */
bool attest_judge_model_is_path(const char *name);

/* The models that are shipped, ended by one without a name. They are part of the library, not
 * files beside it: a name means the same wherever the library runs. */
typedef struct attest_judge_shipped {
    const char *name, *comment, *text;
} attest_judge_shipped;
extern const attest_judge_shipped attest_judge_model_shipped[];

#endif
