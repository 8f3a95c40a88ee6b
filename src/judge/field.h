/* field.h -- the members of a kernel model, one by one: where a file has them, what they
 * may be, where a variant or a schedule holds them. Reader, writer and display go by this
 * table. */
#ifndef ATTEST_JUDGE_FIELD_H
#define ATTEST_JUDGE_FIELD_H

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

#endif
