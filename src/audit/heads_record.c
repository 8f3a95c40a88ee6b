/* heads_record.c -- an audit of recorded activations as JSON. */
#include "audit/heads.h"

#include "base/scope.h"
#include "judge/model_field.h"

static void write_cell(attest_json *json, const attest_audit_cell *cell,
                       const attest_simulated_arithmetic *arithmetic)
{
    attest_audit_result result ATTEST_CLEARED_BY(attest_audit_result_clear);

    attest_audit_cell_result(&result, cell, arithmetic);
    attest_audit_write_result(json, &result, (attest_place){cell->worst_batch, cell->worst_row},
                              NULL, NULL);
}

static void write_head(attest_json *json, const char *key, const attest_audit_heads *heads,
                       size_t i)
{
    attest_json_write_object(json, key);
    attest_json_write_count(json, "layer", heads->place[i].layer);
    attest_json_write_count(json, "head", heads->place[i].head);
    attest_json_write_close(json);
}

static void write_formats(attest_json *json, const attest_audit_heads *heads)
{
    attest_json_write_array(json, "formats");
    for (size_t f = 0; f < heads->formats; f++) {
        const attest_audit_heads_total *total = &heads->total[f];

        attest_json_write_object(json, NULL);
        write_cell(json, &total->cell, &heads->arithmetic[f]);
        write_head(json, "worst_head", heads, total->worst);
        if (total->cell.pairs.kind != ATTEST_AUDIT_APART)
            write_head(json, "pair_head", heads, total->pair_head);
        else
            attest_json_write_null(json, "pair_head");
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static void write_heads(attest_json *json, const attest_audit_heads *heads)
{
    attest_json_write_array(json, "heads");
    for (size_t i = 0; i < heads->count; i++) {
        attest_json_write_object(json, NULL);
        attest_json_write_count(json, "layer", heads->place[i].layer);
        attest_json_write_count(json, "head", heads->place[i].head);
        attest_json_write_array(json, "formats");
        for (size_t f = 0; f < heads->formats; f++) {
            attest_json_write_object(json, NULL);
            write_cell(json, &heads->cell[i * heads->formats + f], &heads->arithmetic[f]);
            attest_json_write_close(json);
        }
        attest_json_write_close(json);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* The model that formed them. */
static void write_model(attest_json *json, const attest_model_stream *model)
{
    if (!model) {
        attest_json_write_null(json, "model");
        return;
    }
    attest_json_write_object(json, "model");
    attest_json_write_string(json, "path", model->model);
    attest_json_write_string(json, "sha256", model->sha256[0] ? model->sha256 : NULL);
    attest_json_write_string(json, "arch", model->arch);
    attest_json_write_string(json, "stream", model->name);
    attest_json_write_count(json, "rotary", model->rotary);
    attest_json_write_bool(json, "alibi", model->alibi);
    attest_json_write_bool(json, "head_norms", model->key_norm);
    attest_json_write_close(json);
}

/* What was audited. */
static void write_qkv(attest_json *json, const attest_audit_heads *heads,
                      const attest_audit_origin *origin)
{
    static const char *const causal[] = {NULL, "bottom-right", "top-left"};
    const attest_qkv *qkv = &heads->qkv;

    attest_json_write_object(json, "qkv");
    attest_json_write_string(json, "path", origin->data);
    attest_json_write_string(json, "sha256", origin->data_sha256);
    attest_json_write_count(json, "layers", heads->layers);
    attest_json_write_count(json, "heads", heads->heads);
    attest_json_write_count(json, "key_heads", heads->key_heads);
    attest_json_write_count(json, "of_heads", heads->of_heads);
    attest_json_write_count(json, "audited", heads->count);
    attest_json_write_count(json, "batch", heads->batch);
    attest_json_write_count(json, "queries", heads->queries);
    attest_json_write_count(json, "keys", heads->keys);
    attest_json_write_count(json, "dim", heads->dim);
    attest_json_write_count(json, "value_dim", heads->value_dim);
    attest_json_write_count(json, "positions", heads->cell[0].positions);
    attest_json_write_string(json, "scale", qkv->scale ? qkv->scale : "rsqrt");
    attest_json_write_string(json, "causal", causal[qkv->causal]);
    attest_json_write_string(json, "softcap", qkv->softcap);
    attest_json_write_string(json, "mask", heads->source->names.name[ATTEST_QKV_MASK]);
    attest_json_write_string(json, "sink", heads->source->names.name[ATTEST_QKV_SINK]);
    if (qkv->windowed) {
        attest_json_write_array(json, "window");
        attest_json_write_integer(json, NULL, qkv->left);
        attest_json_write_integer(json, NULL, qkv->right);
        attest_json_write_close(json);
    } else {
        attest_json_write_null(json, "window");
    }
    write_model(json, heads->model);
    attest_json_write_close(json);
}

static void write_kernel(attest_json *json, const attest_audit_heads *heads)
{
    if (!heads->kernel)
        return;
    attest_json_write_object(json, "kernel_model");
    attest_judge_model_write_json(json, "model", heads->kernel);
    attest_json_write_close(json);
}

void attest_audit_heads_write_question(attest_json *json, const attest_audit_heads *heads,
                                       const attest_audit_origin *origin)
{
    write_qkv(json, heads, origin);
    attest_audit_write_arithmetic(json, &heads->like);
    attest_json_write_array(json, "formats");
    for (size_t f = 0; f < heads->formats; f++) {
        attest_json_write_object(json, NULL);
        attest_audit_write_format(json, &heads->format[f]);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    write_kernel(json, heads);
}

void attest_audit_heads_write(attest_json *json, const attest_audit_heads *heads,
                              const attest_audit_origin *origin)
{
    attest_json_write_string(json, "format", "attest/audit");
    attest_json_write_integer(json, "version", 1);
    write_qkv(json, heads, origin);
    attest_audit_write_arithmetic(json, &heads->like);
    attest_audit_write_maker(json);
    write_formats(json, heads);
    attest_json_write_null(json, "collapse_bits");
    attest_json_write_null(json, "certified_bits");
    attest_json_write_null(json, "theory_bits");
    write_kernel(json, heads);
    write_heads(json, heads);
}
