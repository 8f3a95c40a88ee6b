/* Networks in JSON: those that are read are the same after they are written and read
 * again. */
#include "io/weights_json.h"

static void set(void *network, const attest_json_cursor *object)
{
    attest_network_set_json(network, object);
}

static attest_status attest_network_parse_json(attest_network *network, const char *text,
                                               size_t size, attest_budget *budget,
                                               attest_error *error)
{
    return attest_json_parse_value(network, set, text, size, budget, error);
}

#define FUZZ_NAME network
#define FUZZ(suffix) attest_network##suffix
#define FUZZ_MEMBER attention.head
#include "tests/fuzz/fuzz-json.inc"
