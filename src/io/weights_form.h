/* weights_form.h -- the form of queries, keys and scores in weights files. */
#ifndef ATTEST_IO_WEIGHTS_FORM_H
#define ATTEST_IO_WEIGHTS_FORM_H

#include <attest/weights.h>

#include "io/json_read.h"
#include "io/json_write.h"

/* Sets weights->form from the members rotary, head_norm and softcap, and head's gains and slope
 * from gQ, gK and alibi, where they are there. Status: FORMAT, UNABLE, NOMEM. */
attest_status attest_weights_form_set(attest_weights *weights, const attest_json_cursor *object,
                                      attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_weights_form_set_head(attest_head *head, const attest_json_cursor *object,
                                           attest_error *error) ATTEST_WARN_UNUSED;

/* Once the heads are read: gains and head_norm are there together. Status: FORMAT. */
attest_status attest_weights_form_check(const attest_weights *weights,
                                        const attest_json_cursor *object,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* Writes what is there. */
void attest_weights_form_write(attest_json *json, const attest_weights *weights);
void attest_weights_form_write_head(attest_json *json, const attest_head *head);

#endif
