/* qkv.c -- what the commands on queries, keys and values share: options, files, tensors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/qkv.h"
#include "cli/terminal.h"
#include "judge/model_field.h"
#include "judge/problem.h"
#include "model/qkv.h"
#include "number/scope.h"

/* *choice = true if value is the word, false if it is "inputs". */
static int set_word(bool *choice, const char *part, const char *value, const char *word)
{
    *choice = strcmp(value, word) == 0;
    if (*choice || strcmp(value, "inputs") == 0)
        return EXIT_HOLDS;
    return attest_cli_refuse("--quantise: %s=inputs or %s=%s is expected, not %s=%s", part,
                             part, word, part, value);
}

/* Parses one part, NAME=SCHEME; NAME is q, k, v, p, several of them, exact or descale. */
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

static void write_input(attest_json *json, const char *role, attest_tensor_file *file)
{
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "role", role);
    attest_json_write_string(json, "path", attest_input_name(file->input.path));
    attest_json_write_string(json, "sha256", attest_input_sha256(&file->input));
    attest_json_write_close(json);
}

/* The names of the tensors in a layer. */
static void write_layer(attest_json *json, const attest_qkv_source *source, size_t i)
{
    attest_json_write_object(json, NULL);
    attest_json_write_count(json, "layer", source->layer[i]);
    for (size_t k = 0; k < ATTEST_QKV_PARTS; k++) {
        const char *pattern = source->names.name[k];
        char *name = pattern ? attest_qkv_format_name(pattern, source->layer[i]) : NULL;

        if (pattern && source->names.path)
            attest_json_write_string(json, attest_qkv_part_name[k], name);
        json->failed = json->failed || (pattern && !name);
        free(name);
    }
    attest_json_write_close(json);
}

void attest_cli_qkv_write_subject(attest_json *json, attest_cli_qkv *x,
                                  attest_qkv_output *first, attest_qkv_output *second)
{
    attest_json_write_string(json, "kernel", x->model->name);
    attest_json_write_count(json, "schedules", x->model->schedules);
    attest_judge_model_write_json(json, "model", x->model);
    attest_json_write_array(json, "layers");
    for (size_t i = 0; i < x->source.layers; i++)
        write_layer(json, &x->source, i);
    attest_json_write_close(json);
    attest_json_write_array(json, "inputs");
    for (size_t i = 0; i < ATTEST_QKV_PARTS; i++)
        if (x->source.file[i].charged)
            write_input(json, x->source.names.path ? "qkv" : attest_qkv_part_name[i],
                        &x->source.file[i]);
    if (first)
        write_input(json, "output", first->file);
    if (second)
        write_input(json, "against", second->file);
    attest_json_write_close(json);
}

const char *attest_cli_qkv_entry_word(const attest_cli_qkv *x)
{
    return attest_judge_qkv_is_unequal(&x->qkv) ? "sequence" : "batch";
}

void attest_cli_qkv_format_place(char text[ATTEST_CLI_PLACE_SIZE], const attest_cli_qkv *x,
                                 size_t layer, const size_t at[4])
{
    size_t used = 0, size = ATTEST_CLI_PLACE_SIZE;

    if (x->source.layered)
        used += (size_t)snprintf(text + used, size - used, "layer %zu, ", layer);
    if (x->rows.batch > 1)
        used += (size_t)snprintf(text + used, size - used, "%s %zu, ",
                                 attest_cli_qkv_entry_word(x), at[0]);
    snprintf(text + used, size - used, "head %zu, row %zu, column %zu", at[1], at[2], at[3]);
}

static char *format_name(const attest_cli_qkv *x, const char *name)
{
    char *text = attest_memory_alloc(strlen(name) + 32, 1);

    if (text && x->source.layered)
        sprintf(text, "layers.%zu.%s", x->layer, name);
    else if (text)
        strcpy(text, name);
    return text;
}

/* at = batch, head and token, in the tensors, of a row with results. */
static void get_row(size_t at[3], const void *context, size_t i)
{
    const attest_cli_qkv *x = context;
    size_t place[4];

    attest_judge_rows_get_place(place, &x->rows, i * x->rows.columns);
    memcpy(at, place, 3 * sizeof *at);
    if (x->qkv.cu_seqlens_q) {
        at[0] = 0;
        at[2] += (size_t)x->qkv.cu_seqlens_q[place[0]];
    }
}

int attest_cli_qkv_read_output(double *to, attest_cli_qkv *x, attest_qkv_output *output)
{
    const attest_qkv_output_rows rows = {get_row, x, x->rows.count};
    attest_error error;

    return attest_qkv_output_read(to, output, &x->source, x->place, x->shape, &rows, &error)
               ? attest_cli_fail_input(&error)
               : EXIT_HOLDS;
}

/* to = the values of all rows in the layout of q. */
static void set_layout(double *to, const attest_cli_qkv *x, const double *value)
{
    size_t columns = x->shape[3], heads = x->shape[1], tokens = x->shape[2];

    for (size_t i = 0; i < x->rows.count; i++) {
        size_t at[3], row;

        get_row(at, x, i);
        row = x->source.tokens_first ? (at[0] * tokens + at[2]) * heads + at[1]
                                     : (at[0] * heads + at[1]) * tokens + at[2];
        memcpy(to + row * columns, value + i * columns, columns * sizeof *to);
    }
}

int attest_cli_tensors_add(attest_cli_tensors *tensors, attest_cli_qkv *x, const char *name,
                           attest_tensor_type type, const double *value)
{
    attest_safetensors_item item = {.type = type, .rank = x->source.rank};
    const bool exchanged = x->source.tokens_first;
    const size_t shape[4] = {x->shape[0], x->shape[exchanged ? 2 : 1],
                             x->shape[exchanged ? 1 : 2], x->shape[3]};
    int code = EXIT_HOLDS;
    attest_error error;

    item.value = attest_cli_qkv_alloc(&code, x, 1);
    if (code != EXIT_HOLDS)
        return code;
    item.name = format_name(x, name);
    if (!item.name || !attest_memory_grow(&tensors->item, &tensors->room, tensors->count + 1,
                                          sizeof *tensors->item)) {
        free(item.name);
        free(item.value);
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    memcpy(item.shape, shape + (4 - item.rank), item.rank * sizeof *item.shape);
    set_layout(item.value, x, value);
    tensors->item[tensors->count++] = item;
    return EXIT_HOLDS;
}

int attest_cli_tensors_write(const attest_cli_tensors *tensors, const char *path)
{
    attest_error error;

    return attest_safetensors_write(path, tensors->item, tensors->count, &error)
               ? attest_cli_fail(&error)
               : EXIT_HOLDS;
}

void attest_cli_tensors_clear(attest_cli_tensors *tensors)
{
    for (size_t i = 0; i < tensors->count; i++) {
        free(tensors->item[i].name);
        free(tensors->item[i].value);
    }
    free(tensors->item);
}

const char *const attest_cli_causal_choices[] = {"none", "bottom-right", "top-left", NULL};
const char *const attest_cli_empty_choices[] = {"zero", "nan", NULL};

/* Parses one side of a window: a number, or "none", "-1" or nothing for no limit. */
static bool parse_side(long *side, const char *text, size_t length)
{
    char digits[20] = "";
    char *end;

    *side = -1;
    if (length == 0 || (length == 4 && memcmp(text, "none", 4) == 0) ||
        (length == 2 && memcmp(text, "-1", 2) == 0))
        return true;
    if (length >= sizeof digits - 1 || text[0] < '0' || text[0] > '9')
        return false;
    memcpy(digits, text, length);
    *side = strtol(digits, &end, 10);
    return !*end;
}

static int set_window(attest_qkv *qkv, const char *text)
{
    const char *comma = text ? strchr(text, ',') : NULL;

    qkv->windowed = text != NULL;
    if (!text || (comma && parse_side(&qkv->left, text, (size_t)(comma - text)) &&
                  parse_side(&qkv->right, comma + 1, strlen(comma + 1))))
        return EXIT_HOLDS;
    return attest_cli_refuse("--window: '%s' is not LEFT,RIGHT, two numbers of keys or none",
                             text);
}

/* Checks that the option is a number above 0: the library's message would not name the option.
 */
static int check_number(const char *option, const char *text)
{
    char shown[ATTEST_CLI_TEXT_SIZE];
    attest_error error;
    FMPQ(value);

    if (!text)
        return EXIT_HOLDS;
    if (attest_number_parse(value, text, strlen(text), NULL, &error))
        return attest_cli_refuse("--%s: %s", option,
                                 attest_cli_name_options(shown, error.text));
    if (fmpq_sgn(value) <= 0)
        return attest_cli_refuse("--%s: '%s' is not above 0", option, text);
    return EXIT_HOLDS;
}

int attest_cli_qkv_check_options(attest_cli_qkv *x)
{
    bool word = !x->scale || strcmp(x->scale, "rsqrt") == 0 || strcmp(x->scale, "none") == 0;
    bool named = x->scale && strspn(x->scale, "abcdefghijklmnopqrstuvwxyz") == strlen(x->scale);
    int code = check_number("scale", word || named ? NULL : x->scale);

    if (named && !word)
        return attest_cli_refuse("--scale: '%s' is not p/q, rsqrt or none", x->scale);

    if (code == EXIT_HOLDS)
        code = check_number("softcap", x->softcap);
    if (code == EXIT_HOLDS)
        code = set_window(&x->qkv, x->window);
    x->qkv.scale = x->scale;
    x->qkv.softcap = x->softcap;
    x->qkv.causal = (attest_causal)x->causal;
    x->qkv.empty_is_nan = x->empty_row == 1;
    return code;
}

bool attest_cli_qkv_has_files(const attest_cli_qkv *x)
{
    return x->name[ATTEST_QKV_Q] && x->name[ATTEST_QKV_K] && x->name[ATTEST_QKV_V];
}

/* Checks that there is one file with all tensors, or an .npy file for each. */
static int check_files(const attest_cli_qkv *x, const attest_command *command, const char *path)
{
    const char *all[ATTEST_QKV_PARTS + 1];

    if (!x->kernel)
        return attest_cli_refuse("no kernel model given: use --kernel MODEL (see 'attest %s "
                                 "--help')",
                                 command->name);
    if (!path && !attest_cli_qkv_has_files(x))
        return attest_cli_refuse("no file with q, k and v given, nor --q, --k and --v with an "
                                 ".npy file each (see 'attest %s --help')",
                                 command->name);
    if (path)
        return attest_cli_check_stdin((const char *const[]){path, x->kernel}, 2);
    memcpy(all, x->name, sizeof x->name);
    all[ATTEST_QKV_PARTS] = x->kernel;
    return attest_cli_check_stdin(all, ATTEST_QKV_PARTS + 1);
}

int attest_cli_qkv_open(attest_cli_qkv *x, const attest_command *command, attest_common *common,
                        char **operands, size_t count)
{
    attest_qkv_names names = {.path = count ? operands[0] : NULL};
    attest_error error;
    int code = check_files(x, command, names.path);

    if (code == EXIT_HOLDS)
        code = attest_cli_qkv_check_options(x);
    if (code != EXIT_HOLDS)
        return code;
    x->common = common;
    x->options.jobs = attest_cli_jobs(x->jobs);
    x->options.progress = attest_cli_progress();
    memcpy(names.name, x->name, sizeof names.name);
    names.layout = (attest_qkv_layout)x->layout;
    if (attest_judge_model_load(&x->model, x->kernel, &error) ||
        attest_qkv_source_open(&x->source, &names, &common->budget, &error))
        return attest_cli_fail_input(&error);
    return x->quantise ? attest_cli_qkv_quantise(x->model, x->quantise) : EXIT_HOLDS;
}

void attest_cli_qkv_close(attest_cli_qkv *x)
{
    attest_judge_rows_clear(&x->rows);
    attest_qkv_source_close(&x->source);
    if (x->model)
        attest_judge_model_free(x->model);
}

/* Adds the layout with which q, k and v would fit, if there is one. */
static attest_status suggest_layout(const attest_cli_qkv *x, attest_status status,
                                    attest_error *error)
{
    const char *name = attest_qkv_suggest_layout(&x->source, &x->qkv);
    const size_t *q = x->qkv.q.shape;
    char inner[sizeof error->text];
    bool exchanged = x->source.tokens_first;

    if (!name || status != ATTEST_FORMAT)
        return status;
    snprintf(inner, sizeof inner, "%s", error->text);
    return attest_error_set(error, status,
                            "%s; q has shape (%zu, %zu, %zu, %zu): with --layout %s it fits k "
                            "and v",
                            inner, q[0], q[exchanged ? 2 : 1], q[exchanged ? 1 : 2], q[3],
                            name);
}

/* Checks that q, k and v fit each other. */
static attest_status check_shapes(const attest_cli_qkv *x, attest_error *error)
{
    attest_judge_problem question;

    if (attest_judge_qkv_is_unequal(&x->qkv))
        return ATTEST_OK; /* attest_judge_rows_init checks them */
    ATTEST_TRY(suggest_layout(x, attest_judge_problem_init(&question, &x->qkv, error), error));
    attest_judge_problem_clear(&question);
    return ATTEST_OK;
}

/* Sets the shape of the output and the rows with results. */
static attest_status set_shape(attest_cli_qkv *x, attest_error *error)
{
    size_t all = 1;

    ATTEST_TRY(check_shapes(x, error));
    attest_judge_rows_clear(&x->rows);
    ATTEST_TRY(suggest_layout(x, attest_judge_rows_init(&x->rows, &x->qkv, &x->options, error),
                              error));
    for (size_t i = 0; i < 4; i++) {
        x->shape[i] = i < 3 ? x->qkv.q.shape[i] : x->qkv.v.shape[3];
        if (x->shape[i] > SIZE_MAX / 64 / all)
            return attest_error_set(
                error, ATTEST_FORMAT, "an output of %zu x %zu x %zu x %zu is too large",
                x->qkv.q.shape[0], x->qkv.q.shape[1], x->qkv.q.shape[2], x->qkv.v.shape[3]);
        all *= x->shape[i];
    }
    x->elements = x->rows.count * x->rows.columns;
    return ATTEST_OK;
}

int attest_cli_qkv_read(attest_cli_qkv *x, size_t place)
{
    attest_error error;

    x->place = place;
    x->layer = x->source.layer[place];
    if (attest_qkv_source_read(&x->qkv, &x->source, place, &error))
        return attest_cli_fail_input(&error);
    return set_shape(x, &error) ? attest_cli_qkv_fail(x, &error) : EXIT_HOLDS;
}

int attest_cli_qkv_fail(const attest_cli_qkv *x, const attest_error *error)
{
    attest_error shown = *error;
    char layer[32];

    snprintf(layer, sizeof layer, "layer %zu", x->layer);
    if (x->source.layered)
        attest_error_prefix(&shown, shown.status, layer);
    if (shown.status != ATTEST_NOMEM && shown.status != ATTEST_IO)
        attest_error_prefix(&shown, shown.status, attest_qkv_source_path(&x->source));
    return attest_cli_fail(&shown);
}

double *attest_cli_qkv_alloc(int *code, attest_cli_qkv *x, size_t count)
{
    attest_error error;
    double *block = NULL;

    if (attest_budget_charge(&x->common->budget, x->elements * count * sizeof *block, &error)) {
        attest_error_prefix(&error, error.status, attest_qkv_source_path(&x->source));
        *code = attest_cli_fail_input(&error);
        return NULL;
    }
    block = attest_memory_alloc(x->elements * count, sizeof *block);
    if (!block) {
        attest_memory_fail(&error);
        *code = attest_cli_fail(&error);
    }
    return block;
}

void attest_cli_qkv_free(attest_cli_qkv *x, double *block, size_t count)
{
    if (block)
        attest_budget_give_back(&x->common->budget, x->elements * count * sizeof *block);
    free(block);
}

double *attest_cli_qkv_alloc_bounds(int *code, attest_judge_bounds *bounds, attest_cli_qkv *x)
{
    double *block = attest_cli_qkv_alloc(code, x, 5);

    memset(bounds, 0, sizeof *bounds);
    if (block) {
        bounds->lo = block;
        bounds->hi = block + x->elements;
        bounds->exact = block + 2 * x->elements;
        bounds->error = block + 3 * x->elements;
        bounds->bound = block + 4 * x->elements;
    }
    return block;
}
