/* network_json.h -- networks as JSON objects, on their own or inside other ones. */
#ifndef ATTEST_IO_NETWORK_JSON_H
#define ATTEST_IO_NETWORK_JSON_H

#include "data/network.h"

#include "io/json_read.h"
#include "io/json_write.h"

/* network = the attest/network object. Status: FORMAT, UNABLE, NOMEM; on failure network is as
 * after init. */
attest_status attest_network_set_json(attest_network *network, const attest_json_cursor *object,
                                      attest_error *error) ATTEST_WARN_UNUSED;

void attest_network_write_json(attest_json *json, const char *key,
                               const attest_network *network);

/* layer = the object of a feed-forward layer. Status: FORMAT, UNABLE, NOMEM. */
attest_status attest_feed_forward_set_json(attest_feed_forward *layer, size_t dim,
                                           const attest_json_cursor *object,
                                           attest_error *error) ATTEST_WARN_UNUSED;
void attest_feed_forward_write_json(attest_json *json, const char *key,
                                    const attest_feed_forward *layer);

#endif
