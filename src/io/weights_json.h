/* weights_json.h -- weights and networks as JSON, on their own or inside other objects. */
#ifndef ATTEST_IO_WEIGHTS_JSON_H
#define ATTEST_IO_WEIGHTS_JSON_H

#include <attest/weights.h>

#include "data/network.h"
#include "data/weights.h"
#include "io/json_read.h"
#include "io/json_write.h"

/* weights = the attest/weights object. Errors stick: FORMAT, UNABLE, NOMEM; after a failure
 * weights is as after init. */
void attest_weights_set_json(attest_weights *weights, const attest_json_cursor *object);

/* The same from the text of a file. */
attest_status attest_weights_parse_json(attest_weights *weights, const char *text, size_t size,
                                        attest_budget *budget,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* weights = those of a binary file, which must be an .npz archive. Status: FORMAT, UNABLE,
 * NOMEM. */
attest_status attest_weights_parse_binary(attest_weights *weights, const unsigned char *bytes,
                                          size_t size, attest_budget *budget,
                                          attest_error *error) ATTEST_WARN_UNUSED;

void attest_weights_write_json(attest_json *json, const char *key,
                               const attest_weights *weights);

/* network = the attest/network object. Errors stick: FORMAT, UNABLE, NOMEM; after a failure
 * network is as after init. */
void attest_network_set_json(attest_network *network, const attest_json_cursor *object);

void attest_network_write_json(attest_json *json, const char *key,
                               const attest_network *network);

#endif
