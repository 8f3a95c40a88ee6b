/* config.c -- every member of a config under each of its names, rejected ones, the layers that
 * a config fits, and the part of a head that is rotated. */
#include "model/config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"

static char directory[] = "/tmp/t-model_config-XXXXXX", path[64], model[64];

static attest_status read_text(attest_model_config *config, const char *text,
                               attest_error *error)
{
    attest_budget budget = {1 << 20};
    FILE *file = fopen(path, "w");

    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
    return attest_model_config_read(config, path, &budget, error);
}

static bool same(const attest_model_config *a, const attest_model_config *b)
{
    const attest_rotary_doubles *x = &a->scaling, *y = &b->scaling;

    return a->heads == b->heads && a->key_heads == b->key_heads && a->head_dim == b->head_dim &&
           strcmp(a->type, b->type) == 0 && a->causal == b->causal &&
           a->both_ways == b->both_ways && a->norm_eps == b->norm_eps &&
           a->rope_theta == b->rope_theta && a->rope_part == b->rope_part &&
           x->dims == y->dims && x->theta == y->theta && x->factor == y->factor &&
           x->long_wave == y->long_wave && x->short_wave == y->short_wave &&
           a->window == b->window && strcmp(a->softcap, b->softcap) == 0 &&
           a->scalar == b->scalar;
}

static void test_members(void)
{
    static const struct {
        const char *text;
        attest_model_config wanted;
    } c[] = {
        {"{}", {0}},
        {"{\"num_attention_heads\": 12}", {.heads = 12}},
        {"{\"n_head\": 12}", {.heads = 12}},
        {"{\"n_head\": 12, \"num_attention_heads\": 7}", {.heads = 7}},
        {"{\"n_head\": 12, \"num_attention_heads\": null}", {.heads = 12}},
        {"{\"num_key_value_heads\": 3}", {.key_heads = 3}},
        {"{\"head_dim\": 64}", {.head_dim = 64}},
        {"{\"model_type\": \"llama\"}", {.type = "llama"}},
        {"{\"query_pre_attn_scalar\": 224}", {.scalar = 224}},
        {"{\"is_decoder\": true}", {.causal = true}},
        {"{\"is_decoder\": false}", {0}},
        {"{\"is_causal\": true}", {0}},
        {"{\"is_causal\": false}", {.both_ways = true}},
        {"{\"use_bidirectional_attention\": true}", {.both_ways = true}},
        {"{\"use_bidirectional_attention\": false, \"is_causal\": false}", {.both_ways = true}},
        {"{\"use_bidirectional_attention\": true, \"is_causal\": false}", {.both_ways = true}},
        {"{\"rms_norm_eps\": 1e-6}", {.norm_eps = 1e-6}},
        {"{\"layer_norm_epsilon\": 1e-5}", {.norm_eps = 1e-5}},
        {"{\"layer_norm_eps\": 1e-12}", {.norm_eps = 1e-12}},
        {"{\"norm_epsilon\": 0.25}", {.norm_eps = 0.25}},
        {"{\"rope_theta\": 500000.1}", {.rope_theta = 500000.1}},
        {"{\"rotary_emb_base\": 100}", {.rope_theta = 100}},
        {"{\"partial_rotary_factor\": 0.4}", {.rope_part = 0.4}},
        {"{\"rotary_pct\": 0.25}", {.rope_part = 0.25}},
        /* the nearest double: a little below the middle of two */
        {"{\"rope_theta\": \"0x1.00000000000017fp0\"}", {.rope_theta = 0x1.0000000000001p0}},
        {"{\"rope_theta\": \"0x1.000000000000181p0\"}", {.rope_theta = 0x1.0000000000002p0}},
        {"{\"sliding_window\": 9}", {.window = 9}},
        {"{\"sliding_window\": null}", {0}},
        {"{\"sliding_window\": 9, \"use_sliding_window\": true}", {.window = 9}},
        {"{\"sliding_window\": 9, \"use_sliding_window\": false}", {0}},
        {"{\"attn_logit_softcapping\": 50.0}", {.softcap = "50.0"}},
        {"{\"attn_logit_softcapping\": null}", {0}},
        {"{\"rope_scaling\": null, \"rope_parameters\": null}", {0}},
        {"{\"rope_scaling\": {\"rope_type\": \"default\", \"factor\": 2}}", {0}},
        {"{\"rope_scaling\": {\"factor\": 2}}", {0}},
        {"{\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.5}}",
         {.scaling.factor = 2.5}},
        {"{\"rope_parameters\": {\"rope_type\": \"linear\", \"factor\": 4, \"rope_theta\": 7, "
         "\"partial_rotary_factor\": 0.5}}",
         {.scaling.factor = 4, .rope_theta = 7, .rope_part = 0.5}},
        {"{\"rope_theta\": 3, \"rope_parameters\": {\"rope_theta\": 7}}", {.rope_theta = 7}},
        {"{\"rope_scaling\": {\"rope_type\": \"llama3\", \"type\": \"linear\", \"factor\": 8, "
         "\"low_freq_factor\": 1, \"high_freq_factor\": 4, "
         "\"original_max_position_embeddings\": 800}}",
         {.scaling = {.factor = 8, .long_wave = 800, .short_wave = 200}}},
        {"{\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 1, "
         "\"low_freq_factor\": 2, \"high_freq_factor\": 2.5, "
         "\"original_max_position_embeddings\": 10}}",
         {.scaling = {.factor = 1, .long_wave = 5, .short_wave = 4}}},
        {"{\"position_embedding_type\": \"absolute\", \"scale_attn_weights\": true, "
         "\"scale_attn_by_inverse_layer_idx\": false, "
         "\"apply_residual_connection_post_layernorm\": false, \"clip_qkv\": null}",
         {0}},
        {"{\"n_head\": 3, \"text_config\": {\"head_dim\": 5}}", {.head_dim = 5}}};

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        attest_model_config config = {.heads = 77, .softcap = "x"};
        attest_error error = {0};
        bool ok = read_text(&config, c[i].text, &error) == ATTEST_OK;

        TAP_OK(ok && same(&config, &c[i].wanted), "%s %s", c[i].text, error.text);
    }
}

/* As many characters of a softcap and of a type as there is room for. */
static void test_room(void)
{
    attest_model_config config;
    attest_error error = {0};
    char text[256], word[128];

    for (int length = 62; length <= 65; length++) {
        bool fits = length < ATTEST_MODEL_CONFIG_NUMBER;
        attest_status status;

        memset(word, '0', sizeof word);
        memcpy(word, "5.", 2);
        word[length] = '\0';
        snprintf(text, sizeof text, "{\"attn_logit_softcapping\": %s}", word);
        status = read_text(&config, text, &error);
        TAP_OK(fits ? status == ATTEST_OK && strcmp(config.softcap, word) == 0
                    : status == ATTEST_FORMAT && strstr(error.text, "too long"),
               "a softcap of %d characters", length);
        snprintf(text, sizeof text, "{\"model_type\": \"%s\"}", word);
        status = read_text(&config, text, &error);
        TAP_OK(status == ATTEST_OK && strncmp(config.type, word, 63) == 0 &&
                   strlen(config.type) == (fits ? (size_t)length : 63),
               "a type of %d", length);
    }
}

static void test_refused(void)
{
#define WAVES(factor, low, high, length)                                                       \
    "{\"rope_scaling\": {\"rope_type\": \"llama3\"" factor low high length "}}"
#define FACTOR ", \"factor\": 8"
#define LOW ", \"low_freq_factor\": 1"
#define HIGH ", \"high_freq_factor\": 4"
#define LENGTH ", \"original_max_position_embeddings\": 800"
    static const struct {
        const char *text;
        attest_status status;
        const char *message;
    } c[] = {
        {"[]", ATTEST_FORMAT, "not a JSON object"},
        {"{\"n_head\": -1}", ATTEST_FORMAT, "n_head: "},
        {"{\"n_head\": \"x\"}", ATTEST_FORMAT, "n_head: "},
        {"{\"num_key_value_heads\": 1.5}", ATTEST_FORMAT, "num_key_value_heads: "},
        {"{\"head_dim\": true}", ATTEST_FORMAT, "head_dim: "},
        {"{\"model_type\": 1}", ATTEST_FORMAT, "model_type: "},
        {"{\"is_decoder\": 1}", ATTEST_FORMAT, "is_decoder: "},
        {"{\"is_causal\": 1}", ATTEST_FORMAT, "is_causal: "},
        {"{\"use_bidirectional_attention\": 1}", ATTEST_FORMAT, "use_bidirectional_attention"},
        {"{\"query_pre_attn_scalar\": \"x\"}", ATTEST_FORMAT, "query_pre_attn_scalar: "},
        {"{\"rms_norm_eps\": 0}", ATTEST_FORMAT, "rms_norm_eps: a number above 0"},
        {"{\"rope_theta\": -1}", ATTEST_FORMAT, "rope_theta: a number above 0"},
        {"{\"rope_theta\": 1e400}", ATTEST_FORMAT, "rope_theta: a number above 0"},
        {"{\"rope_theta\": \"x\"}", ATTEST_FORMAT, "rope_theta: "},
        {"{\"rotary_pct\": 0}", ATTEST_FORMAT, "rotary_pct: a number above 0"},
        {"{\"sliding_window\": -1}", ATTEST_FORMAT, "sliding_window: "},
        {"{\"use_sliding_window\": 1}", ATTEST_FORMAT, "use_sliding_window: "},
        {"{\"attn_logit_softcapping\": 0}", ATTEST_FORMAT, "attn_logit_softcapping: a number"},
        {"{\"attn_logit_softcapping\": {}}", ATTEST_FORMAT, "attn_logit_softcapping: "},
        {"{\"rope_scaling\": {\"type\": 1}}", ATTEST_FORMAT, "rope_scaling.type: "},
        {"{\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2}}", ATTEST_UNABLE,
         "rope_scaling: rotary positions of type 'yarn' are not supported"},
        {"{\"rope_parameters\": {\"type\": \"yarn\", \"factor\": 2}}", ATTEST_UNABLE,
         "rope_parameters: rotary positions of type 'yarn' are not supported"},
        {"{\"rope_scaling\": {\"type\": \"linear\"}}", ATTEST_FORMAT, "linear needs factor"},
        {"{\"rope_scaling\": {\"type\": \"linear\", \"factor\": 0}}", ATTEST_FORMAT, "above 0"},
        {"{\"rope_scaling\": {\"rope_theta\": 0}}", ATTEST_FORMAT, "above 0"},
        {"{\"rope_scaling\": {\"partial_rotary_factor\": 0}}", ATTEST_FORMAT, "above 0"},
        {"{\"rope_parameters\": {\"a\": 1, \"b\": {}}}", ATTEST_UNABLE,
         "rope_parameters.b: positions that differ between layers"},
        {"{\"rope_parameters\": {\"a\": {}}}", ATTEST_UNABLE,
         "rope_parameters.a: positions that differ between layers"},
        {WAVES("", LOW, HIGH, LENGTH), ATTEST_FORMAT, "llama3 needs"},
        {WAVES(FACTOR, "", HIGH, LENGTH), ATTEST_FORMAT, "llama3 needs"},
        {WAVES(FACTOR, LOW, "", LENGTH), ATTEST_FORMAT, "llama3 needs"},
        {WAVES(FACTOR, LOW, HIGH, ""), ATTEST_FORMAT, "llama3 needs"},
        {WAVES(FACTOR, LOW, ", \"high_freq_factor\": 1", LENGTH), ATTEST_FORMAT,
         "llama3 needs"},
        {WAVES(FACTOR, ", \"low_freq_factor\": 5", HIGH, LENGTH), ATTEST_FORMAT,
         "llama3 needs"},
        {WAVES(FACTOR, ", \"low_freq_factor\": 0", HIGH, LENGTH), ATTEST_FORMAT, "above 0"},
        {WAVES(FACTOR, LOW, ", \"high_freq_factor\": 0", LENGTH), ATTEST_FORMAT, "above 0"},
        {WAVES(FACTOR, LOW, HIGH, ", \"original_max_position_embeddings\": 0"), ATTEST_FORMAT,
         "above 0"},
        {"{\"rope_local_base_freq\": 1}", ATTEST_UNABLE,
         "positions that differ between layers"},
        {"{\"no_rope_layers\": []}", ATTEST_UNABLE, "no_rope_layers: positions that differ"},
        {"{\"no_rope_layer_interval\": 1}", ATTEST_UNABLE,
         "positions that differ between layers"},
        {"{\"attention_multiplier\": 1}", ATTEST_UNABLE, "another scale of the scores"},
        {"{\"clip_qkv\": 8}", ATTEST_UNABLE, "clip_qkv: clipped"},
        {"{\"position_embedding_type\": \"relative_key\"}", ATTEST_UNABLE,
         "positions of type 'relative_key' are not supported"},
        {"{\"position_embedding_type\": 1}", ATTEST_FORMAT, "position_embedding_type: "},
        {"{\"scale_attn_by_inverse_layer_idx\": true}", ATTEST_UNABLE, "a scale by layer is"},
        {"{\"scale_attn_by_inverse_layer_idx\": 1}", ATTEST_FORMAT, "by_inverse_layer_idx: "},
        {"{\"scale_attn_weights\": false}", ATTEST_UNABLE, "scores without a scale are"},
        {"{\"apply_residual_connection_post_layernorm\": true}", ATTEST_UNABLE,
         "a skip connection that"},
        {"{\"text_config\": {\"n_head\": -1}}", ATTEST_FORMAT, "text_config.n_head: "}};

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        attest_model_config config;
        attest_error error = {0};
        attest_status status = read_text(&config, c[i].text, &error);

        TAP_OK(status == c[i].status && strncmp(error.text, path, strlen(path)) == 0 &&
                   strstr(error.text, c[i].message),
               "refused: %s", error.text);
    }
}

/* That of a path, or that beside the model; one that is there and no file is not none. */
static void test_find(void)
{
    attest_model_config config;
    attest_error error = {0};
    bool found = false;

    if (read_text(&config, "{\"n_head\": 5}", &error) != ATTEST_OK)
        abort();
    TAP_OK(attest_model_config_find(&config, &found, NULL, model, NULL, &error) == ATTEST_OK &&
               found && config.heads == 5,
           "beside the model");
    found = false;
    TAP_OK(attest_model_config_find(&config, &found, path, "/nowhere/model", NULL, &error) ==
                   ATTEST_OK &&
               found && config.heads == 5,
           "by its path");
    TAP_OK(attest_model_config_find(&config, &found, "/nowhere/c.json", model, NULL, &error) ==
               ATTEST_IO,
           "not there: %s", error.text);
    unlink(path);
    config.heads = 9;
    TAP_OK(attest_model_config_find(&config, &found, NULL, model, NULL, &error) == ATTEST_OK &&
               !found && config.heads == 0,
           "none beside the model");
    if (mkdir(path, 0700) != 0)
        abort();
    TAP_OK(attest_model_config_find(&config, &found, NULL, model, NULL, &error) != ATTEST_OK &&
               found,
           "a directory: %s", error.text);
    rmdir(path);
    if (chdir(directory) != 0 || read_text(&config, "{\"n_head\": 6}", &error) != ATTEST_OK)
        abort();
    TAP_OK(attest_model_config_find(&config, &found, NULL, "model", NULL, &error) ==
                   ATTEST_OK &&
               found && config.heads == 6,
           "beside a model of this directory");
}

static void test_check(void)
{
    static const struct {
        attest_model_config config;
        const char *arch;
        attest_status status;
        const char *message;
    } c[] = {
        {{0}, "llama", ATTEST_OK, ""},
        {{.heads = 4, .key_heads = 2, .head_dim = 8, .type = "mistral"},
         "llama",
         ATTEST_OK,
         ""},
        {{.heads = 5}, "llama", ATTEST_USAGE, "the config gives 5 heads, not 4"},
        {{.heads = 3}, "llama", ATTEST_USAGE, "the config gives 3 heads, not 4"},
        {{.heads = 1}, "llama", ATTEST_USAGE, "the config gives 1 heads, not 4"},
        {{.key_heads = 1}, "llama", ATTEST_FORMAT, "gives 1 heads of keys and values, but"},
        {{.key_heads = 4}, "llama", ATTEST_FORMAT, "gives 4 heads of keys and values, but"},
        {{.head_dim = 1}, "llama", ATTEST_FORMAT, "heads of 1, but in the tensors heads have"},
        {{.head_dim = 9}, "llama", ATTEST_FORMAT, "heads of 9, but in the tensors heads have"},
        {{.type = "something"}, "llama", ATTEST_OK, ""},
        {{.type = "gpt2"}, "gpt2", ATTEST_OK, ""},
        {{.type = "gpt2"}, "llama", ATTEST_USAGE, "that is the architecture gpt2, not llama"},
        {{.type = "roberta"}, "llama", ATTEST_USAGE, "architecture bert, not llama"},
        {{.type = "llama"}, "gpt2", ATTEST_USAGE, "architecture llama, not gpt2"},
        {{.type = "cohere"}, "llama", ATTEST_UNABLE, "'cohere', whose attention is not known"},
        {{.type = "qwen"}, "llama", ATTEST_UNABLE, "'qwen', whose attention is not known"},
        {{.causal = true}, "llama", ATTEST_OK, ""},
        {{.both_ways = true}, "llama", ATTEST_UNABLE, "no causal mask, but llama has one"},
        {{.causal = true}, "bert", ATTEST_UNABLE, "a causal mask, but bert has none"},
        {{.both_ways = true}, "bert", ATTEST_OK, ""}};

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        attest_error error = {0};
        attest_status status =
            attest_model_config_check(&c[i].config, c[i].arch, 4, 2, 8, &error);

        TAP_OK(status == c[i].status && strstr(error.text, c[i].message), "case %zu: %s", i,
               error.text);
    }
}

static void test_rotary(void)
{
    static const struct {
        attest_model_config config;
        double part;
        size_t size, dims;
        double theta;
        const char *message; /* NULL: it is right */
    } c[] = {{{0}, 0, 8, 0, 0, NULL},
             {{0}, 1, 8, 8, 10000, NULL},
             {{.rope_theta = 5}, 1, 8, 8, 5, NULL},
             {{.rope_part = 0.5}, 1, 8, 4, 10000, NULL},
             {{.rope_part = 0.5}, 0, 8, 0, 0, NULL},
             {{.rope_part = 1}, 0.25, 8, 8, 10000, NULL},
             {{0}, 0.25, 8, 2, 10000, NULL},
             {{0}, 0.3, 8, 2, 10000, NULL},
             {{.rope_part = 1.25}, 1, 8, 0, 0, "rotates a part of 1.25 of each head"},
             {{0}, 1, 7, 0, 0, "7 of the 7 of a head is not an even number"},
             {{0}, 0.125, 8, 0, 0, "1 of the 8 of a head is not an even number"},
             {{0}, 0.1, 8, 0, 0, "0 of the 8 of a head is not an even number"}};

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        attest_model_config config = c[i].config;
        attest_rotary_doubles rotary = {.dims = 9};
        attest_error error = {0};
        attest_status status;

        config.scaling.factor = 3;
        status = attest_model_config_rotary(&rotary, &config, c[i].part, c[i].size, &error);
        TAP_OK(c[i].message ? status == ATTEST_FORMAT && strstr(error.text, c[i].message)
                            : status == ATTEST_OK && rotary.dims == c[i].dims &&
                                  rotary.theta == c[i].theta && rotary.factor == 3,
               "case %zu: %s", i, error.text);
    }
}

TEST(config)
{
    if (!mkdtemp(directory))
        abort();
    snprintf(path, sizeof path, "%s/config.json", directory);
    snprintf(model, sizeof model, "%s/model", directory);
    test_members();
    test_room();
    test_refused();
    test_find();
    test_check();
    test_rotary();
    unlink(path);
    rmdir(directory);
    flint_cleanup();
    return 0;
}
