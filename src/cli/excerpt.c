/* excerpt.c -- places and parts of a dataset in a command's JSON. */
#include "cli/excerpt.h"

#include "io/dataset_json.h"
#include "number/ball_root.h"

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

void attest_cli_write_root(attest_json *json, const char *key, const fmpq_t square)
{
    arb_t ball;

    arb_init(ball);
    attest_ball_root(ball, square);
    attest_json_write_ball(json, key, ball);
    arb_clear(ball);
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

/* A bound that the user gave: without it the hypothesis could not be decided again. */
static void write_bound(attest_json *json, const char *key, const attest_given_bound *bound)
{
    if (bound->given)
        attest_json_write_rational(json, key, bound->value);
}

void attest_cli_write_hypothesis(attest_json *json, const attest_dataset *dataset,
                                 const attest_construction *c, const char *found_by)
{
    attest_place place[2] = {c->place[0], c->place[1]};

    attest_json_write_object(json, "counterexample");
    attest_json_write_string(json, "format", "attest/counterexample");
    attest_json_write_integer(json, "version", 1);
    attest_json_write_string(json, "property", "theorem2");
    if (c->places > 0)
        attest_cli_write_excerpt(json, "dataset", dataset, place, c->places);
    attest_json_write_object(json, "parameters");
    attest_json_write_string(json, "strategy", attest_strategy_name(c->strategy));
    write_bound(json, "r_min", &c->r_min);
    write_bound(json, "r_max", &c->r_max);
    write_bound(json, "eps", &c->eps);
    attest_json_write_close(json);
    attest_json_write_object(json, "violates");
    attest_json_write_string(json, "definition", "hypothesis");
    attest_json_write_string(json, "hypothesis", c->hypothesis);
    if (c->places == 2)
        attest_cli_write_pair(json, "pair", place);
    else if (c->places == 1)
        attest_cli_write_place(json, "token", place[0]);
    attest_json_write_close(json);
    attest_json_write_null(json, "seed");
    attest_json_write_string(json, "found_by", found_by);
    attest_json_write_integer(json, "shrink_steps", 0);
    attest_json_write_close(json);
}
