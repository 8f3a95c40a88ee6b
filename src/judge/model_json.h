/* model_json.h -- kernel models as JSON ("attest/kernel-model"). */
#ifndef ATTEST_JUDGE_MODEL_JSON_H
#define ATTEST_JUDGE_MODEL_JSON_H

#include <attest/input.h>
#include <attest/number.h>

#include "judge/model.h"
#include "io/json_write.h"

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
