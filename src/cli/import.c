/* import.c -- attest import: the attention heads of a real model as weights. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/import.h"

#include "base/memory.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "io/weights_json.h"
#include "model/file.h"
#include "report/print.h"

static int run(int argc, char **argv);

const attest_command attest_command_import = {
    .name = "import",
    .arguments = "MODEL.safetensors --arch NAME --layer L --head h/H [OPTION]... -o W\n"
                 "MODEL.safetensors (--q NAME --k NAME --v NAME | "
                 "--fused-qkv NAME) --o NAME [OPTION]... -o W\n"
                 "MODEL.safetensors --list",
    .summary = "convert an attention head of a model to weights",
    .details =
        "The tensors of queries, keys and values have shape (H s, d), that of the output\n(d, "
        "H s), as linear layers store them; --transpose is for the transposed order "
        "(GPT-2).\nGroups of heads may share keys and values, also in a fused tensor. Biases "
        "become a\ncolumn for a coordinate 1, which is appended to the tokens where the "
        "weights are used.\nModels divide scores by sqrt(s): --scale rsqrt. In names, {} is "
        "the number of a head\nthat has tensors of its own. All numbers are exact.",
    .example =
        "  attest import model.safetensors --q h.0.attn.q.weight --k h.0.attn.k.weight \\\n"
        "      --v h.0.attn.v.weight --o h.0.attn.o.weight --head 3/12 --scale 1/8 \\\n"
        "      -o w.json\n"
        "  attest import gpt2.safetensors --arch gpt2 --layer 0 --head 0/12 \\\n"
        "      --scale rsqrt -o w.json\n"
        "  attest import gpt2.safetensors --fused-qkv h.0.attn.c_attn.weight \\\n"
        "      --transpose --bias-qkv h.0.attn.c_attn.bias \\\n"
        "      --o h.0.attn.c_proj.weight --head 0/12 --scale 1/8 --mask causal -o w.json",
    .product = "write the weights to FILE",
    .run = run,
};

typedef struct import_job {
    attest_import request;
    const char *head;
    unsigned long heads; /* 0: not given */
    unsigned long layer;
    int mask, activation;
    bool no_skip;
    const char *residual; /* the tensor that the skip adds, or NULL */
    int norm;
    attest_number_option norm_eps;
    const char *scale; /* NULL, "rsqrt" or a number */
    fmpq_t scale_value;
    bool list;
    attest_weights weights;
} import_job;

/* --head h/H, --heads H, or neither: one head. */
static int choose_heads(import_job *job)
{
    attest_import *request = &job->request;
    char *end;

    if (job->head && job->heads)
        return attest_cli_refuse(
            "--head takes one head and --heads all: give only one of them");
    request->layer = job->layer;
    request->heads = request->count = job->heads ? job->heads : 1;
    if (!job->head)
        return EXIT_HOLDS;
    errno = 0;
    request->first = strtoul(job->head, &end, 10);
    if (job->head[0] < '0' || job->head[0] > '9' || errno || *end++ != '/' || *end < '0' ||
        *end > '9')
        return attest_cli_refuse("--head: '%s' is not h/H, head h of H, such as 0/12",
                                 job->head);
    request->heads = strtoul(end, &end, 10);
    if (*end || errno)
        return attest_cli_refuse("--head: '%s' is not h/H, head h of H, such as 0/12",
                                 job->head);
    if (request->first >= request->heads)
        return attest_cli_refuse(
            "--head: there is no head %zu of %zu; they are numbered from 0", request->first,
            request->heads);
    return EXIT_HOLDS;
}

static int set_scale(import_job *job)
{
    attest_error error;

    job->request.rsqrt = job->scale && strcmp(job->scale, "rsqrt") == 0;
    if (!job->scale || job->request.rsqrt)
        return EXIT_HOLDS;
    if (attest_number_parse(job->scale_value, job->scale, strlen(job->scale), NULL, &error))
        return attest_cli_refuse("--scale: %s; a number or rsqrt is needed", error.text);
    job->request.scale = job->scale_value;
    return EXIT_HOLDS;
}

/* Takes the mask and the skip from the architecture unless the command line sets them. */
static void apply_architecture(import_job *job)
{
    const attest_import_known *known = &job->request.known;

    if (job->mask < 0)
        job->mask = known->causal;
    job->no_skip = job->no_skip || (known->before && !job->residual && !job->norm);
}

static int read_model(import_job *job, const char *path, attest_common *common)
{
    attest_error error;

    ATTEST_CLI_TRY(set_scale(job));
    if (!job->norm &&
        (job->norm_eps.given || job->request.norm_weight || job->request.norm_bias))
        return attest_cli_refuse("--norm-eps, --norm-weight and --norm-bias need "
                                 "--norm layer or --norm rms");
    job->request.norm = (attest_norm)job->norm;
    if (job->request.config && !job->request.arch)
        return attest_cli_refuse("--config needs --arch");
    job->request.norm_eps = job->norm_eps.given ? job->norm_eps.value : NULL;
    if (attest_import_read(&job->weights, path, &job->request, &common->budget, &error))
        return attest_cli_fail_input(&error);
    apply_architecture(job);
    job->weights.mask = (attest_mask)job->mask;
    job->weights.activation = (attest_activation)job->activation;
    job->weights.skip = !job->no_skip;
    if (job->residual && !(job->weights.residual = attest_memory_copy(job->residual)))
        return attest_cli_fail(&(attest_error){ATTEST_NOMEM, "out of memory"});
    return EXIT_HOLDS;
}

/* Returns the root of s if s is a square, so that 1/sqrt(s) is rational, or 0. */
static size_t square_root(size_t s)
{
    for (size_t root = 1; root <= s / root; root++)
        if (root * root == s)
            return root;
    return 0;
}

/* Returns a warning if the skip connection may differ from that of the model, or NULL. */
static const char *warning_of(const import_job *job)
{
    if (job->weights.skip && job->request.norm_after)
        return "warning: the model normalises the output of attention before the skip adds it, "
               "and "
               "these weights do not; --no-skip omits the skip";
    return job->weights.skip && !job->residual && !job->norm && !job->request.arch
               ? "warning: the skip adds the tokens that the layer reads; a model that "
                 "normalises "
                 "its tokens first adds them before the norm: use --residual NAME or --no-skip"
               : NULL;
}

/* Prints the transformations of queries, keys and scores. */
static void print_form(const import_job *job)
{
    const attest_weights *weights = &job->weights;
    const attest_score_form *form = &weights->form;

    if (form->rotary.dims > 0) {
        char *theta = attest_number_format(form->rotary.theta);

        attest_print("with rotary positions of %zu entries, theta = %s%s%s\n",
                     form->rotary.dims, attest_or_exit(theta),
                     fmpq_is_zero(form->rotary.factor) ? "" : ", scaled",
                     job->request.has_config
                         ? ""
                         : " (the default; --config FILE reads the model's config.json)");
        free(theta);
    }
    if (weights->head[0].gain[0].rows > 0 || weights->head[0].gain[1].rows > 0)
        attest_print("with norms of queries and keys\n");
    if (!fmpq_is_zero(weights->head[0].slope))
        attest_print("with ALiBi\n");
    if (!fmpq_is_zero(form->softcap)) {
        char *cap = attest_number_format(form->softcap);

        attest_print("with softcap %s\n", attest_or_exit(cap));
        free(cap);
    }
}

static void print_text(const import_job *job, const char *path)
{
    const attest_import *request = &job->request;
    bool with_bias = attest_import_has_bias(request);
    size_t last = job->weights.heads - 1; /* the first may have one dimension for a bias */
    size_t size = job->weights.head[last].wq.rows - (request->bias_o && last == 0);
    size_t root = square_root(size);

    attest_print("%zu of %zu heads of ", job->weights.heads, request->heads);
    attest_print("%s", path);
    attest_print(": size s = %zu, dimension d = %zu\n", size, job->weights.dim - with_bias);
    if (with_bias)
        attest_print(
            "with biases, as columns for a coordinate 1, which is appended to tokens of %zu "
            "entries\n",
            job->weights.dim - 1);
    if (!job->scale && root > 1)
        attest_print(
            "scores are not scaled; a model that divides them by sqrt(s) needs --scale "
            "rsqrt, 1/%zu\n",
            root);
    else if (!job->scale && root == 0)
        attest_print(
            "scores are not scaled; 1/sqrt(%zu) is no rational number, --scale rsqrt takes "
            "the binary32 number nearest to it\n",
            size);
    if (warning_of(job))
        attest_print("%s\n", warning_of(job));
    if (job->norm) {
        char *eps = attest_number_format(job->weights.norm_eps);
        attest_print(
            "with %s of the input tokens, eps = %s%s\n",
            job->norm == ATTEST_NORM_LAYER ? "LayerNorm" : "RMSNorm", attest_or_exit(eps),
            job->weights.skip && !job->residual ? "; the skip adds the tokens before the norm"
                                                : "");
        free(eps);
    }
    if (job->residual) {
        attest_print("with a skip that adds the tensor ");
        attest_print("%s", job->residual);
        attest_print(" of the data\n");
    }
    if (request->known.before && job->no_skip)
        attest_print(
            "without skip: the model adds the tokens before the norm; --residual NAME reads "
            "them from the data file, --norm expects them as the data\n");
    print_form(job);
    if (request->window > 0)
        attest_print(
            "not in the weights: the sliding window of %zu tokens; sequences may not be "
            "longer\n",
            request->window);
}

static int print_json(const import_job *job, const char *path)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/import");
    attest_json_write_string(&json, "model", path);
    attest_json_write_count(&json, "first_head", job->request.first);
    attest_json_write_count(&json, "heads", job->weights.heads);
    attest_json_write_count(&json, "dim", job->weights.dim);
    attest_json_write_bool(&json, "homogeneous", attest_import_has_bias(&job->request));
    if (warning_of(job))
        attest_json_write_string(&json, "warning", warning_of(job));
    attest_weights_write_json(&json, "weights", &job->weights);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static void print_tensor(attest_json *json, const char *name, const char *dtype,
                         const size_t *shape, size_t rank)
{
    char text[ATTEST_ARRAY_TEXT_SIZE] = "";
    int used = 0;

    if (json) {
        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "name", name);
        attest_json_write_string(json, "dtype", dtype);
        attest_json_write_array(json, "shape");
        for (size_t i = 0; i < rank; i++)
            attest_json_write_count(json, NULL, shape[i]);
        attest_json_write_close(json);
        attest_json_write_close(json);
        return;
    }
    for (size_t i = 0; i < rank && used < (int)sizeof text - 24; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%zu", i ? " x " : "",
                         shape[i]);
    attest_print("%-8s %-16s ", dtype, text);
    attest_print("%s", name);
    attest_print("\n");
}

/* Reads the description of every tensor and, if prints, prints it. */
static attest_status visit_tensors(attest_model_file *file, bool prints, attest_json *json,
                                   attest_error *error)
{
    char dtype[ATTEST_SAFETENSORS_DTYPE_SIZE];
    size_t shape[ATTEST_ARRAY_MAX_RANK], rank;

    for (size_t i = 0; i < file->names; i++) {
        ATTEST_TRY(attest_model_file_describe(dtype, shape, &rank, file, i, error));
        if (prints)
            print_tensor(json, file->name[i].name, dtype, shape, rank);
    }
    return ATTEST_OK;
}

/* --list: all tensors, by name. */
static int list(const char *path, attest_common *common)
{
    attest_json json;
    attest_model_file file ATTEST_CLEARED_BY(attest_model_file_close) = {0};
    attest_error error;

    if (attest_model_file_open(&file, path, &common->budget, &error) ||
        visit_tensors(&file, false, NULL, &error)) /* before anything is printed */
        return attest_cli_fail_input(&error);
    if (common->json) {
        attest_json_write_begin(&json, stdout);
        attest_json_write_object(&json, NULL);
        attest_json_write_format(&json, "attest/tensors");
        attest_json_write_array(&json, "tensors");
    }
    if (visit_tensors(&file, true, common->json ? &json : NULL, &error))
        return attest_cli_fail_input(&error);
    if (!common->json)
        return EXIT_HOLDS;
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static int import(import_job *job, const char *path, attest_common *common)
{
    attest_error error;
    int code = choose_heads(job);

    attest_cli_work_begin("importing");
    if (code == EXIT_HOLDS)
        code = read_model(job, path, common);
    if (code != EXIT_HOLDS)
        return code;
    if (common->output && attest_weights_write(&job->weights, common->output, &error))
        return attest_cli_fail(&error);
    attest_cli_work_end();
    if (common->json)
        return print_json(job, path);
    if (!common->stdout_by)
        print_text(job, path);
    attest_cli_print_hint(common,
                          "next: 'attest certify DATA --weights %s' decides which contexts it "
                          "distinguishes, 'attest audit' which remain after rounding",
                          common->output ? common->output : "W");
    return EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    static const char *const masks[] = {"none", "causal", NULL};
    static const char *const activations[] = {"softmax", "hardmax", NULL};
    static const char *const norms[] = {"none", "layer", "rms", NULL};
    import_job job = {.mask = -1};
    attest_import *request = &job.request;
    attest_common common;
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"q", 0, "NAME", "the tensor of queries", OPTION_TEXT, &request->q, NULL},
        {"k", 0, "NAME", "the tensor of keys", OPTION_TEXT, &request->k, NULL},
        {"v", 0, "NAME", "the tensor of values", OPTION_TEXT, &request->v, NULL},
        {"o", 0, "NAME", "the tensor of the output", OPTION_TEXT, &request->o, NULL},
        {"fused-qkv", 0, "NAME", "one tensor with queries, keys and values", OPTION_TEXT,
         &request->qkv, NULL},
        {"arch", 0, "NAME",
         "use the names, biases and mask of this architecture: gpt2, llama (also\nMistral, "
         "Qwen2), gemma2, phi3, bloom, neox or bert; options override it",
         OPTION_TEXT, &request->arch, NULL},
        {"config", 0, "FILE",
         "with --arch: the model's config.json (default: the one beside MODEL)", OPTION_TEXT,
         &request->config, NULL},
        {"layer", 0, "L", "with --arch: the number of the layer (default: 0)", OPTION_COUNT,
         &job.layer, NULL},
        {"list", 0, NULL, "list the tensors of MODEL, their types and shapes", OPTION_FLAG,
         &job.list, NULL},
        {"interleaved", 0, NULL,
         "the fused tensor contains q, k, v of head 0, then of head 1, and so on\n(default: "
         "all q, all k, all v)",
         OPTION_FLAG, &request->interleaved, NULL},
        {"transpose", 0, NULL, "matrices are stored as inputs times outputs", OPTION_FLAG,
         &request->transpose, NULL},
        {"head", 0, "h/H", "convert head h of H, numbered from 0", OPTION_TEXT, &job.head,
         NULL},
        {"heads", 0, "H", "convert all H heads (default: a single head)", OPTION_POSITIVE,
         &job.heads, NULL},
        {"bias-q", 0, "NAME", "biases of queries", OPTION_TEXT, &request->bias_q, NULL},
        {"bias-k", 0, "NAME", "biases of keys", OPTION_TEXT, &request->bias_k, NULL},
        {"bias-v", 0, "NAME", "biases of values", OPTION_TEXT, &request->bias_v, NULL},
        {"bias-qkv", 0, "NAME", "biases of queries, keys and values, fused", OPTION_TEXT,
         &request->bias_qkv, NULL},
        {"bias-o", 0, "NAME", "biases of the output", OPTION_TEXT, &request->bias_o, NULL},
        {"scale", 0, "P/Q",
         "multiply all scores by this, or rsqrt: 1/sqrt(s), rounded to binary32\nif it is "
         "irrational (default: 1)",
         OPTION_TEXT, &job.scale, NULL},
        {"mask", 0, "MASK", "none or causal (default: the architecture's, or none)",
         OPTION_CHOICE, &job.mask, masks},
        {"activation", 0, "NAME", "softmax or hardmax (default: softmax)", OPTION_CHOICE,
         &job.activation, activations},
        {"no-skip", 0, NULL, "omit the skip connection", OPTION_FLAG, &job.no_skip, NULL},
        {"norm", 0, "KIND",
         "layer or rms: apply this norm to the tokens first; the skip adds the\ntokens before "
         "the norm",
         OPTION_CHOICE, &job.norm, norms},
        {"norm-eps", 0, "E",
         "epsilon under the root of the norm (default: the model's, or 1e-5)", OPTION_NUMBER,
         &job.norm_eps, NULL},
        {"norm-weight", 0, "NAME", "factors of the norm (default: the architecture's, or none)",
         OPTION_TEXT, &request->norm_weight, NULL},
        {"norm-bias", 0, "NAME", "biases of the norm (default: the architecture's, or none)",
         OPTION_TEXT, &request->norm_bias, NULL},
        {"residual", 0, "NAME",
         "the skip adds the tensor NAME of the data file: x + Attn(norm(x))", OPTION_TEXT,
         &job.residual, NULL},
        {0},
    };

    fmpq_init(job.scale_value);
    fmpq_init(job.norm_eps.value);
    attest_weights_init(&job.weights);
    code = attest_cli_parse(&attest_command_import, &common, options, argc, argv, 1, 1,
                            &operands, &count);
    if (code == EXIT_HOLDS && job.residual && job.no_skip)
        code = attest_cli_refuse("--residual and --no-skip exclude each other: give one of "
                                 "them");
    if (code == EXIT_HOLDS && !job.list && !common.output && !common.json)
        code = attest_cli_refuse("nowhere to put the weights: use -o FILE or --json (see "
                                 "'attest import --help')");
    if (code == EXIT_HOLDS)
        code = job.list ? list(operands[0], &common) : import(&job, operands[0], &common);
    attest_weights_clear(&job.weights);
    fmpq_clear(job.scale_value);
    fmpq_clear(job.norm_eps.value);
    return code;
}
