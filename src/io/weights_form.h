/* weights_form.h -- the form of queries, keys and scores in weights files. */
#ifndef ATTEST_IO_WEIGHTS_FORM_H
#define ATTEST_IO_WEIGHTS_FORM_H

#include <attest/weights.h>

#include "io/json_take.h"
#include "io/json_write.h"

/* Sets weights->form from the members rotary, head_norm and softcap, and head's gains and slope
 * from gQ, gK and alibi, where they are there. Errors stick: FORMAT, UNABLE, NOMEM. */
void attest_weights_form_set(attest_weights *weights, const attest_json_cursor *object);
void attest_weights_form_set_head(attest_head *head, const attest_json_cursor *object);

/* Once the heads are read: gains and head_norm are there together. Errors stick: FORMAT. */
void attest_weights_form_check(const attest_weights *weights, const attest_json_cursor *object);

/* Writes what is there. */
void attest_weights_form_write(attest_json *json, const attest_weights *weights);
void attest_weights_form_write_head(attest_json *json, const attest_head *head);

#endif
