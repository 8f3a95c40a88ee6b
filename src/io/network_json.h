/* network_json.h -- networks as JSON objects, on their own or inside other ones. */
#ifndef ATTEST_IO_NETWORK_JSON_H
#define ATTEST_IO_NETWORK_JSON_H

#include "data/network.h"
#include "io/json_take.h"
#include "io/json_write.h"

/* network = the attest/network object. Errors stick: FORMAT, UNABLE, NOMEM; after a failure
 * network is as after init. */
void attest_network_set_json(attest_network *network, const attest_json_cursor *object);

void attest_network_write_json(attest_json *json, const char *key,
                               const attest_network *network);

#endif
