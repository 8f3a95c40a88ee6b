/* qkv.h -- what the commands on queries, keys and values share: their options, the files that
 * they read, how places and numbers are shown. */
#ifndef ATTEST_CLI_QKV_H
#define ATTEST_CLI_QKV_H

#include "cli/command.h"
#include "io/safetensors.h"
#include "judge/model.h"
#include "judge/rows.h"
#include "model/qkv.h"

typedef struct attest_cli_qkv {
    /* the options */
    const char *name[ATTEST_QKV_PARTS];
    const char *scale, *softcap, *window, *kernel, *quantise;
    int causal, empty_row, layout;
    unsigned long jobs;
    /* parsed */
    attest_common *common;
    attest_qkv_source source;
    attest_judge_model *model;
    attest_judge_options options;
    /* the layer that was read last */
    size_t place;           /* in the list of layers */
    size_t layer;           /* its number; 0 without layers */
    attest_qkv qkv;         /* its inputs */
    size_t shape[4];        /* of its output: batch, 1 if packed; heads; tokens; columns */
    attest_judge_rows rows; /* with results */
    size_t elements;        /* of those rows */
} attest_cli_qkv;

extern const char *const attest_cli_causal_choices[], *const attest_cli_empty_choices[];

/* Rows of a table of options: the inputs of attention, except its mask. */
#define ATTEST_CLI_QKV_INPUTS(x)                                                                \
    {"q",         0,                                                                            \
     "NAME",      "tensor of the queries; {} stands for the number of a layer (default: q)",    \
     OPTION_TEXT, &(x)->name[ATTEST_QKV_Q],                                                     \
     NULL},                                                                                     \
        {"k",                                                                                   \
         0,                                                                                     \
         "NAME",                                                                                \
         "tensor of the keys; their heads divide those of the queries\n(default: k)",           \
         OPTION_TEXT,                                                                           \
         &(x)->name[ATTEST_QKV_K],                                                              \
         NULL},                                                                                 \
        {"v",                                                                                   \
         0,                                                                                     \
         "NAME",                                                                                \
         "tensor of the values (default: v); without QKV, --q, --k and --v are\n.npy files",    \
         OPTION_TEXT,                                                                           \
         &(x)->name[ATTEST_QKV_V],                                                              \
         NULL},                                                                                 \
        {"scale",     0,                                                                        \
         "S",         "factor of the scores: p/q, rsqrt or none (default: rsqrt, 1/sqrt(dim))", \
         OPTION_TEXT, &(x)->scale,                                                              \
         NULL},                                                                                 \
        {"causal",                                                                              \
         0,                                                                                     \
         "[=top-left]",                                                                         \
         "a query sees the keys up to its own position; the last query sees the\nlast key, "    \
         "or with top-left the first query the first key only",                                 \
         OPTION_MAYBE,                                                                          \
         &(x)->causal,                                                                          \
         attest_cli_causal_choices},                                                            \
        {"window",    0,                                                                        \
         "L,R",       "a query sees L keys before its position and R after it; none: all",      \
         OPTION_TEXT, &(x)->window,                                                             \
         NULL},                                                                                 \
        {"softcap",     0,   "C", "replace scores t by C tanh(t/C)", OPTION_TEXT,               \
         &(x)->softcap, NULL},                                                                  \
    {                                                                                           \
        "sink", 0, "NAME", "tensor of one more logit per head, for a key whose value is 0",     \
            OPTION_TEXT, &(x)->name[ATTEST_QKV_SINK], NULL                                      \
    }

#define ATTEST_CLI_QKV_MASK(x)                                                                 \
    {                                                                                          \
        "mask", 0, "NAME",                                                                     \
            "tensor of truth values (true: seen), or of numbers added to the scores",          \
            OPTION_TEXT, &(x)->name[ATTEST_QKV_MASK], NULL                                     \
    }

/* The options of the commands on kernels. */
#define ATTEST_CLI_QKV_OPTIONS(x)                                                              \
    {"kernel",    0,                                                                           \
     "MODEL",     "the kernel model: a shipped one or a file; required",                       \
     OPTION_TEXT, &(x)->kernel,                                                                \
     NULL},                                                                                    \
        {"quantise",                                                                           \
         0,                                                                                    \
         "LIST",                                                                               \
         "STAGE=SCHEME,...: quantise q, k, v, kv or p;\nexact=quantised: compute exact "       \
         "values from the quantised inputs;\ndescale=folded: multiply scores and outputs by "  \
         "the scales",                                                                         \
         OPTION_TEXT,                                                                          \
         &(x)->quantise,                                                                       \
         NULL},                                                                                \
        ATTEST_CLI_QKV_INPUTS(x),                                                              \
        {"q-descale",                                                                          \
         0,                                                                                    \
         "NAME",                                                                               \
         "tensor of the factors of q: one number, or one per head, or one per\nbatch entry "   \
         "and head",                                                                           \
         OPTION_TEXT,                                                                          \
         &(x)->name[ATTEST_QKV_Q_DESCALE],                                                     \
         NULL},                                                                                \
        {"k-descale", 0,                                                                       \
         "NAME",      "the same for k",                                                        \
         OPTION_TEXT, &(x)->name[ATTEST_QKV_K_DESCALE],                                        \
         NULL},                                                                                \
        {"v-descale", 0,                                                                       \
         "NAME",      "the same for v",                                                        \
         OPTION_TEXT, &(x)->name[ATTEST_QKV_V_DESCALE],                                        \
         NULL},                                                                                \
        ATTEST_CLI_QKV_MASK(x),                                                                \
        {"layout",                                                                             \
         0,                                                                                    \
         "AXES",                                                                               \
         "order of the axes of q, k, v and the output: bhsd, bshd, hsd, shd or\nsd "           \
         "(default: bhsd, hsd or sd by rank)",                                                 \
         OPTION_CHOICE,                                                                        \
         &(x)->layout,                                                                         \
         attest_qkv_layout_name},                                                              \
        {"past-k",    0,                                                                       \
         "NAME",      "tensor of the keys before those of k; --past-v is needed, too",         \
         OPTION_TEXT, &(x)->name[ATTEST_QKV_PAST_K],                                           \
         NULL},                                                                                \
        {"past-v",    0,                                                                       \
         "NAME",      "tensor of their values",                                                \
         OPTION_TEXT, &(x)->name[ATTEST_QKV_PAST_V],                                           \
         NULL},                                                                                \
        {"cu-seqlens-q",                                                                       \
         0,                                                                                    \
         "NAME",                                                                               \
         "offsets of packed sequences in q of shape (tokens, heads, dim): the\nfirst is 0, "   \
         "the last the number of tokens",                                                      \
         OPTION_TEXT,                                                                          \
         &(x)->name[ATTEST_QKV_CU_SEQLENS_Q],                                                  \
         NULL},                                                                                \
        {"cu-seqlens-k",                                                                       \
         0,                                                                                    \
         "NAME",                                                                               \
         "the same for k and v; for self-attention the same tensor",                           \
         OPTION_TEXT,                                                                          \
         &(x)->name[ATTEST_QKV_CU_SEQLENS_K],                                                  \
         NULL},                                                                                \
        {"lengths",   0,                                                                       \
         "NAME",      "number of valid keys of each batch entry",                              \
         OPTION_TEXT, &(x)->name[ATTEST_QKV_LENGTHS],                                          \
         NULL},                                                                                \
        {"block-table",                                                                        \
         0,                                                                                    \
         "NAME",                                                                               \
         "pages of each batch entry, (entries, pages); k and v are then caches\nof shape "     \
         "(pages, page size, heads, dim); --lengths is needed, too",                           \
         OPTION_TEXT,                                                                          \
         &(x)->name[ATTEST_QKV_BLOCK_TABLE],                                                   \
         NULL},                                                                                \
        {"empty-row",                                                                          \
         0,                                                                                    \
         "WHAT",                                                                               \
         "output of a row that sees no key: zero or nan (default: zero)",                      \
         OPTION_CHOICE,                                                                        \
         &(x)->empty_row,                                                                      \
         attest_cli_empty_choices},                                                            \
        ATTEST_CLI_JOBS(&(x)->jobs)

/* Parses the options; EXIT_HOLDS, or an error message. */
int attest_cli_qkv_check_options(attest_cli_qkv *x);

/* Returns whether q, k and v are named, each with its file if there is no QKV. */
bool attest_cli_qkv_has_files(const attest_cli_qkv *x);

/* Checks the options, loads the model, opens the files. operands: the file, or none.
 * EXIT_HOLDS, or an error message and its exit code; close it in either case. */
int attest_cli_qkv_open(attest_cli_qkv *x, const attest_command *command, attest_common *common,
                        char **operands, size_t count);
void attest_cli_qkv_close(attest_cli_qkv *x);

/* Reads the layer at this place of the list. */
int attest_cli_qkv_read(attest_cli_qkv *x, size_t place);

/* Prints an error of the layer that was read last: "FILE: text", "FILE: layer 3: text". */
int attest_cli_qkv_fail(const attest_cli_qkv *x, const attest_error *error);

/* Allocates `count` consecutive arrays of the layer's elements and charges them to the budget;
 * NULL after an error message, whose code is stored in *code. */
double *attest_cli_qkv_alloc(int *code, attest_cli_qkv *x, size_t count);

/* Frees them, before another layer is read; NULL is allowed. */
void attest_cli_qkv_free(attest_cli_qkv *x, double *block, size_t count);

/* All five arrays of the bounds of a layer, in one block. */
double *attest_cli_qkv_alloc_bounds(int *code, attest_judge_bounds *bounds, attest_cli_qkv *x);

/* "kernel", "schedules", "model", "layers", "inputs": the subject of the record. The outputs
 * may be NULL. */
void attest_cli_qkv_write_subject(attest_json *json, attest_cli_qkv *x,
                                  attest_qkv_output *first, attest_qkv_output *second);

/* Reads an output of the layer: the rows with results. */
int attest_cli_qkv_read_output(double *to, attest_cli_qkv *x, attest_qkv_output *output);

/* The place of an element for people, "layer 3, batch 0, head 1, row 5, column 2": layer and
 * batch where there are several; packed and padded entries are sequences. */
enum { ATTEST_CLI_PLACE_SIZE = 160 };
void attest_cli_qkv_format_place(char text[ATTEST_CLI_PLACE_SIZE], const attest_cli_qkv *x,
                                 size_t layer, const size_t at[4]);

/* "batch", or "sequence" where entries have different lengths. */
const char *attest_cli_qkv_entry_word(const attest_cli_qkv *x);

/* The model with what --quantise lists; EXIT_HOLDS, or an error message. */
int attest_cli_qkv_quantise(attest_judge_model *model, const char *list);

/* Prints which inputs are quantised, and whether exact values are computed from the quantised
 * inputs. */
void attest_cli_qkv_print_quantise(const attest_cli_qkv *x);

/* Tensors to be written when all layers are done. */
typedef struct attest_cli_tensors {
    attest_safetensors_item *item;
    size_t count, room;
} attest_cli_tensors;

/* Adds a copy of the layer's elements, called NAME, or layers.NUMBER.NAME. */
int attest_cli_tensors_add(attest_cli_tensors *tensors, attest_cli_qkv *x, const char *name,
                           attest_tensor_type type, const double *value);
int attest_cli_tensors_write(const attest_cli_tensors *tensors, const char *path);
void attest_cli_tensors_clear(attest_cli_tensors *tensors);

#endif
