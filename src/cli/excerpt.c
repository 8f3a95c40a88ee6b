/* excerpt.c -- places and parts of a dataset in a command's JSON. */
#include "cli/excerpt.h"

#include "data/dataset_json.h"

void attest_cli_write_place(attest_json *json, const char *key, attest_place place)
{
    attest_json_write_array(json, key);
    attest_json_write_count(json, NULL, place.sequence);
    attest_json_write_count(json, NULL, place.position);
    attest_json_write_close(json);
}

void attest_cli_write_pair(attest_json *json, const char *key, const attest_place pair[2])
{
    attest_json_write_array(json, key);
    attest_cli_write_place(json, NULL, pair[0]);
    attest_cli_write_place(json, NULL, pair[1]);
    attest_json_write_close(json);
}

void attest_cli_write_excerpt(attest_json *json, const char *key, const attest_dataset *dataset,
                              attest_place *place, size_t count)
{
    attest_json_write_object(json, key);
    attest_json_write_string(json, "format", "attest/dataset");
    attest_json_write_integer(json, "version", 1);
    attest_json_write_array(json, "sequences");
    for (size_t p = 0; p < count; p++)
        if (p == 0 || place[p].sequence != place[0].sequence)
            attest_dataset_write_sequence_json(json, dataset, place[p].sequence);
    attest_json_write_close(json);
    attest_json_write_close(json);
    for (size_t p = count; p-- > 0;)
        place[p].sequence = place[p].sequence != place[0].sequence;
}
