/* excerpt.c -- places and failed hypotheses in the JSON of commands. */
#include "cli/excerpt.h"

#include "io/counterexample_json.h"
#include "number/rationals.h"

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

void attest_cli_write_hypothesis(attest_json *json, const attest_dataset *dataset,
                                 const attest_construction *c, const char *found_by)
{
    const struct {
        const char *name;
        const attest_given_bound *bound;
    } bounds[] = {{"r_min", &c->r_min}, {"r_max", &c->r_max}, {"eps", &c->eps}};
    attest_counterexample_excerpt excerpt = {
        .property = "theorem2",
        .definition = "hypothesis",
        .found_by = found_by,
        .dataset = dataset,
        .places = c->places,
        .place = {c->place[0], c->place[1]},
        .hypothesis = c->hypothesis,
        .parameters = 1,
        .parameter = {{.name = "strategy", .text = attest_strategy_name(c->strategy)}},
    };

    /* Bounds that the user gave: without them the hypothesis could not be decided again. */
    for (size_t b = 0; b < 3; b++)
        if (bounds[b].bound->given)
            excerpt.parameter[excerpt.parameters++] = (attest_excerpt_parameter){
                .name = bounds[b].name, .number = bounds[b].bound->value};
    attest_counterexample_write_excerpt(json, &excerpt);
}
