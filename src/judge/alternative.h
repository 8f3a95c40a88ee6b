/* alternative.h -- why an output may be wrong: changes of the problem, of the model, or of the
 * kernel, under which it could be within.
 *
 * A row of the table is a setting of the question that may be another one, a fact of the model
 * that may not be true, or a fault that kernels have. Each describes a changed problem or model
 * exactly, so that the outputs of its kernels have proved bounds like those of any other
 * kernel: proofs-notes/judge.md, "Alternatives". */
#ifndef ATTEST_JUDGE_ALTERNATIVE_H
#define ATTEST_JUDGE_ALTERNATIVE_H

#include "judge/model.h"
#include "judge/rows.h"

typedef enum attest_judge_alternative_kind {
    ATTEST_JUDGE_ALTERNATIVE_SETTING = 0, /* of the question */
    ATTEST_JUDGE_ALTERNATIVE_MODEL,       /* a fact of the model */
    ATTEST_JUDGE_ALTERNATIVE_FAULT,       /* of a kernel */
    ATTEST_JUDGE_ALTERNATIVE_ARITHMETIC   /* likewise, which widens the intervals: tried only if
                                             nothing above explains the output */
} attest_judge_alternative_kind;

typedef struct attest_judge_changed attest_judge_changed;

/* A row of the table. Its forms are different problems with one name: a tile of 32 or of 64
 * keys, a mask moved to the left or to the right. */
typedef struct attest_judge_alternative {
    const char *name;
    const char *fault; /* its name as a fault of `tolerance --check`, or NULL */
    attest_judge_alternative_kind kind;
    bool paired; /* also tried together with another change */
    size_t forms;
    /* Changes the problem; false: the form does not apply. Also sets the sentence. */
    bool (*change)(attest_judge_changed *changed, size_t form);
} attest_judge_alternative;

/* Most likely first; the name of the last row is NULL. */
extern const attest_judge_alternative attest_judge_alternatives[];

/* The name of fault i of `tolerance --check`; NULL after the last. *alternative = its row,
 * *form = the form of it that is meant; both may be NULL. */
const char *attest_judge_alternative_get_fault(const attest_judge_alternative **alternative,
                                               size_t *form, size_t i);

/* "setting", "model", "fault" or "arithmetic". */
const char *attest_judge_alternative_kind_name(attest_judge_alternative_kind kind);

/* ---- changed problems ---- */

/* The head of k and v that a query head uses. */
typedef enum attest_judge_key_head {
    ATTEST_JUDGE_KEY_HEAD_GROUPED = 0, /* h / (heads of q / heads of k) */
    ATTEST_JUDGE_KEY_HEAD_TILED,       /* h mod (heads of k) */
    ATTEST_JUDGE_KEY_HEAD_FIRST,       /* 0 */
    ATTEST_JUDGE_KEY_HEAD_NEXT         /* the one after the right one, cyclically */
} attest_judge_key_head;

/* The row of the changed problem that is at a place of the output. */
typedef enum attest_judge_view {
    ATTEST_JUDGE_VIEW_SAME = 0,
    ATTEST_JUDGE_VIEW_AXES,         /* heads and tokens exchanged */
    ATTEST_JUDGE_VIEW_TOKENS_FIRST, /* the memory of a (heads, tokens) output is (tokens, heads)
                                     */
    ATTEST_JUDGE_VIEW_HEADS_FIRST,  /* the reverse */
    ATTEST_JUDGE_VIEW_SWAPPED,      /* heads 0 and 1 exchanged */
    ATTEST_JUDGE_VIEW_NEXT_ROW,     /* row i has the result of row i + 1, the last that of 0 */
    ATTEST_JUDGE_VIEW_LAST_ROW,     /* row i that of row i - 1 */
    ATTEST_JUDGE_VIEW_REVERSED      /* heads in reverse order */
} attest_judge_view;

/* Changes of one head, of the keys that its rows see, or of the keys and values themselves. */
typedef enum attest_judge_edit_kind {
    ATTEST_JUDGE_EDIT_HIDE = 0,     /* the keys a .. b - 1 are not seen */
    ATTEST_JUDGE_EDIT_HIDE_LAST,    /* the last a keys are not seen */
    ATTEST_JUDGE_EDIT_HIDE_PARTIAL, /* the keys of a last tile of fewer than a keys */
    ATTEST_JUDGE_EDIT_EARLIER,      /* a query is a places earlier than the mask assumes */
    ATTEST_JUDGE_EDIT_ALIGN,        /* query i of the causal mask sees the keys up to i + a */
    ATTEST_JUDGE_EDIT_LATER,        /* a query sees the keys from its own place on */
    ATTEST_JUDGE_EDIT_MOVE,         /* column j of the mask is column j - a, cyclically */
    ATTEST_JUDGE_EDIT_INVERT,       /* hidden keys are seen, and seen ones hidden */
    ATTEST_JUDGE_EDIT_TRANSPOSE,    /* row i, column j of the mask is row j, column i */
    ATTEST_JUDGE_EDIT_EXPLICIT,     /* nothing is changed; causal masks become explicit ones */
    ATTEST_JUDGE_EDITS_OF_KEYS,     /* those below change keys or values */
    ATTEST_JUDGE_EDIT_STALE,        /* tile b, of a keys, has the keys and values of the tile
                                       before it; b = SIZE_MAX: the last tile */
    ATTEST_JUDGE_EDIT_STALE_VALUES, /* only the values */
    ATTEST_JUDGE_EDIT_STALE_KEYS,   /* only the keys */
    ATTEST_JUDGE_EDIT_TWICE,        /* the first key is counted twice */
    ATTEST_JUDGE_EDIT_NEXT_VALUE,   /* key j has the value of key j + 1, the last that of 0 */
    ATTEST_JUDGE_EDIT_ROUND,        /* q, k and v are rounded to the format */
    ATTEST_JUDGE_EDIT_ROUND_VALUES  /* v is */
} attest_judge_edit_kind;

typedef struct attest_judge_edit {
    attest_judge_edit_kind kind;
    size_t a, b;
    attest_format format;
} attest_judge_edit;

enum { ATTEST_JUDGE_MOST_EDITS = 4, ATTEST_JUDGE_MOST_TEXTS = 6 };

struct attest_judge_changed {
    attest_qkv qkv;           /* the problem, with the changes that concern it as a whole */
    attest_judge_model model; /* likewise */
    attest_judge_key_head key_head;
    bool first_batch; /* every entry uses the keys and values of the first one */
    attest_judge_view view;
    bool zeros; /* the output is 0 */
    attest_judge_edit edit[ATTEST_JUDGE_MOST_EDITS];
    size_t edits;
    /* what would explain the output, for the user */
    char sentence[320];
    attest_judge_rows rows; /* of the problem */
    char *text[ATTEST_JUDGE_MOST_TEXTS];
    size_t texts;
    bool no_memory; /* set by a change that lacks it */
};

/* *changed = the problem and the model, changed by a form of a row, and then by one of another
 * row (NULL: by none). *applies: whether the forms apply and the changed problem is one; only
 * then changed must be cleared. The tensors of qkv must outlive it. Domain: attest_judge_bound
 * accepts the problem. Status: NOMEM. */
attest_status attest_judge_changed_init(attest_judge_changed *changed, bool *applies,
                                        const attest_qkv *qkv, const attest_judge_model *model,
                                        const attest_judge_alternative *first,
                                        size_t first_form,
                                        const attest_judge_alternative *second,
                                        size_t second_form,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_changed_clear(attest_judge_changed *changed);

/* Receives the bounds of some rows: those at places[0 .. count - 1] of the results of the given
 * problem. Returns false to stop. */
typedef bool attest_judge_changed_visit(void *context, const size_t *places, size_t count,
                                        const attest_judge_bounds *bounds);

/* Bounds what kernels of the changed problem return at these places of `rows`, the rows of the
 * given problem; visits them in some order, each once. jobs, proceed and its context are those
 * of the options. Status: as attest_judge_bound; FORMAT, USAGE or UNABLE: it is not a problem
 * or a model after all, or a place has no counterpart. */
attest_status attest_judge_changed_bound(const attest_judge_changed *changed,
                                         const attest_judge_rows *rows, const size_t *places,
                                         size_t count, const attest_judge_options *options,
                                         attest_judge_changed_visit *visit, void *context,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* ---- what the files of the alternatives share ---- */

/* Sets the sentence, or adds "; " and the text to it. */
void attest_judge_changed_describe(attest_judge_changed *changed, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds an edit; false if there are too many. */
bool attest_judge_changed_add(attest_judge_changed *changed, attest_judge_edit_kind kind,
                              size_t a, size_t b);

/* Tile sizes that kernels have, the tile of the model first; 0 after the last. */
size_t attest_judge_changed_get_tile(const attest_judge_changed *changed, size_t i);

/* The changes of models (alternative_model.c) and of problems (alternative_problem.c). */
typedef bool attest_judge_change(attest_judge_changed *changed, size_t form);
attest_judge_change attest_judge_change_layout, attest_judge_change_key_heads,
    attest_judge_change_causal_missing, attest_judge_change_causal_extra,
    attest_judge_change_alignment, attest_judge_change_softcap_after_mask,
    attest_judge_change_mask_by_one, attest_judge_change_window_by_one,
    attest_judge_change_scale_missing, attest_judge_change_scale_twice,
    attest_judge_change_scale_square, attest_judge_change_scale_default,
    attest_judge_change_exp2, attest_judge_change_qk, attest_judge_change_past,
    attest_judge_change_lengths, attest_judge_change_mask_missing,
    attest_judge_change_mask_inverted, attest_judge_change_mask_transposed,
    attest_judge_change_window_missing, attest_judge_change_softcap_missing,
    attest_judge_change_sink_missing, attest_judge_change_sink_extra,
    attest_judge_change_descale_missing, attest_judge_change_batch,
    attest_judge_change_first_key_head, attest_judge_change_next_key_head,
    attest_judge_change_swapped_heads, attest_judge_change_rows_moved,
    attest_judge_change_zeros, attest_judge_change_uniform, attest_judge_change_key_dropped,
    attest_judge_change_key_twice, attest_judge_change_next_value,
    attest_judge_change_dropped_tile, attest_judge_change_stale_tile,
    attest_judge_change_reversed_heads;
attest_judge_change attest_judge_change_direction, attest_judge_change_tile,
    attest_judge_change_sum_of_cast, attest_judge_change_sum_of_uncast,
    attest_judge_change_order, attest_judge_change_splits, attest_judge_change_place,
    attest_judge_change_lazy, attest_judge_change_not_quantised,
    attest_judge_change_output_not_rounded, attest_judge_change_output_truncated,
    attest_judge_change_output_bfloat16, attest_judge_change_p_not_cast,
    attest_judge_change_p_bfloat16, attest_judge_change_p_binary16,
    attest_judge_change_scores_rounded, attest_judge_change_tf32, attest_judge_change_inputs16,
    attest_judge_change_accumulators, attest_judge_change_exp, attest_judge_change_no_rescale;

#endif
