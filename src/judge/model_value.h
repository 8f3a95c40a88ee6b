/* model_value.h -- one value of a kernel model, out of JSON. */
#ifndef ATTEST_JUDGE_MODEL_VALUE_H
#define ATTEST_JUDGE_MODEL_VALUE_H

#include "judge/field.h"
#include "io/json_take.h"

/* The member of the variant (or schedule) = the value. Where it names a matrix unit, the
 * formats of its products are those that the model has so far. Errors stick: FORMAT, UNABLE
 * (budget). */
void attest_judge_value_read(void *variant, const attest_judge_field *field,
                             const attest_json_cursor *value, const attest_judge_model *model);

/* Products that the object does not speak of are exact if a matrix unit forms them. */
void attest_judge_value_complete(attest_judge_variant *variant,
                                 const attest_json_cursor *object);

#endif
