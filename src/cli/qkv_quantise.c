/* qkv_quantise.c -- the option --quantise: what a kernel quantises, and how. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/qkv.h"

/* *choice = whether value is the word, and not "inputs". */
static int set_word(bool *choice, const char *part, const char *value, const char *word)
{
    *choice = strcmp(value, word) == 0;
    if (*choice || strcmp(value, "inputs") == 0)
        return EXIT_HOLDS;
    return attest_cli_refuse("--quantise: %s=inputs or %s=%s is expected, not %s=%s", part,
                             part, word, part, value);
}

/* One part, NAME=SCHEME: q, k, v, p, several of them, or exact or descale. */
static int set_part(attest_judge_model *model, char *part)
{
    static const char stages[] = "qkvp";
    attest_judge_quantise *quantise = &model->quantise;
    char *value = strchr(part, '=');
    attest_block_format scheme;
    attest_error error;

    if (!value)
        return attest_cli_refuse("--quantise: '%s' is not STAGE=SCHEME, for q, k, v, kv or p, "
                                 "nor exact=inputs, exact=quantised or descale=folded",
                                 part);
    *value++ = '\0';
    if (strcmp(part, "exact") == 0)
        return set_word(&quantise->of_quantised, part, value, "quantised");
    if (strcmp(part, "descale") == 0)
        return set_word(&quantise->folded, part, value, "folded");
    if (strlen(part) == 0 || strspn(part, stages) != strlen(part))
        return attest_cli_refuse("--quantise: there is no stage '%s': q, k, v, kv and p are",
                                 part);
    if (attest_block_parse(&scheme, value, &error))
        return attest_cli_refuse("--quantise: %s", error.text);
    for (; *part; part++)
        if (*part == 'p')
            attest_judge_model_set_p_scheme(model, &scheme);
        else
            quantise->scheme[strchr(stages, *part) - stages] = scheme;
    return EXIT_HOLDS;
}

int attest_cli_qkv_quantise(attest_judge_model *model, const char *list)
{
    char *text = attest_memory_copy(list), *rest = text;
    int code = EXIT_HOLDS;
    attest_error error;

    if (!text) {
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    for (char *part = strtok_r(text, ",", &rest); part && code == EXIT_HOLDS;
         part = strtok_r(NULL, ",", &rest))
        code = set_part(model, part);
    free(text);
    if (code == EXIT_HOLDS && !attest_judge_model_quantises(model) &&
        !model->variant->p_scheme.name[0])
        code = attest_cli_refuse("--quantise: nothing is quantised");
    if (code == EXIT_HOLDS && attest_judge_model_check(model, &error))
        code = attest_cli_refuse("--quantise: %s", error.text);
    return code;
}

void attest_cli_qkv_print_quantise(const attest_cli_qkv *x)
{
    const attest_judge_quantise *q = &x->model->quantise;
    const char *weights = x->model->variant->p_scheme.name;

    if (weights[0])
        attest_print("quantised weights: %s\n", weights);
    if (!attest_judge_model_quantises(x->model))
        return;
    attest_print("quantised inputs:");
    for (int i = 0; i < 3; i++)
        if (q->scheme[i].name[0])
            attest_print(" %c %s", "qkv"[i], q -> scheme[i].name);
    attest_print("%s; exact values are those of the %s\n",
                 q->folded ? ", scales folded into those of scores and outputs" : "",
                 q->of_quantised ? "quantised inputs" : "inputs as they are given");
}
