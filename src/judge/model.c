/* model.c -- a kernel model: memory, and what it is where nothing is said. */
#include "judge/model.h"

#include <stdlib.h>
#include <string.h>

void attest_judge_model_init(attest_judge_model *model)
{
    memset(model, 0, sizeof *model);
}

void attest_judge_model_clear(attest_judge_model *model)
{
    free(model->name);
    free(model->comment);
    free(model->variant);
    free(model->schedule);
    attest_judge_model_init(model);
}

void attest_judge_model_free(attest_judge_model *model)
{
    if (model)
        attest_judge_model_clear(model);
    free(model);
}

void attest_judge_model_set_p_scheme(attest_judge_model *model,
                                     const attest_block_format *scheme)
{
    for (size_t i = 0; i < model->variants; i++)
        model->variant[i].p_scheme = *scheme;
}

bool attest_judge_model_quantises(const attest_judge_model *model)
{
    const attest_block_format *scheme = model->quantise.scheme;

    return scheme[0].name[0] || scheme[1].name[0] || scheme[2].name[0];
}

bool attest_judge_order_is_tensor(attest_judge_order order)
{
    return order == ATTEST_JUDGE_ORDER_TENSOR || order == ATTEST_JUDGE_ORDER_TENSOR_FORWARD ||
           order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD;
}

bool attest_judge_emulation_has(const attest_judge_emulation *emulation, size_t i, size_t tile)
{
    const attest_judge_emulation *e = emulation;
    size_t fragment = e->fragment ? e->fragment : tile, number = i / fragment;
    size_t k = i % fragment, fragments = (tile + fragment - 1) / fragment;

    if (e->polynomial.count == 0 || number < e->first || number + e->spared >= fragments)
        return false;
    return e->frequency == 0 || (k - k % 2) % e->frequency + e->emulated >= e->frequency;
}

/* Members that are not named are 0: any, rounded, nearest, not stored, not cast. */
void attest_judge_variant_init(attest_judge_variant *variant)
{
    const double units_4 = 0x1p-22, units_2 = 0x1p-23; /* of binary32 */
    const attest_format binary32 = {.name = "binary32", 24, true, -126, 127, 32};
    attest_judge_dot dot = {.block = 16, .fraction = 25};

    dot.accumulate = binary32;
    *variant = (attest_judge_variant){
        .q = binary32,
        .k = binary32,
        .v = binary32,
        .score = dot,
        .pv = dot,
        .store = binary32,
        .scale_store = binary32,
        .softcap_store = binary32,
        .mask_store = binary32,
        .scaled_query = binary32,
        .softcap_relative = units_4,
        .exp_relative = units_4,
        .p = binary32,
        .sum_accumulate = binary32,
        .lanes = 1,
        .splits = 1,
        .split_log = units_4,
        .final_relative = units_2,
        .output = binary32,
    };
}

size_t attest_judge_model_get_tile(const attest_judge_model *model)
{
    for (size_t i = 1; i < model->variants; i++)
        if (model->variant[i].tile != model->variant[0].tile)
            return 0;
    return model->variant[0].tile;
}
