/* alternative_problem.c -- the changes of problems: other settings of the question, and faults
 * of kernels that compute the exact result of another problem. */
#include "judge/alternative.h"

#include <attest/ball.h>
#include <attest/number.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/problem.h"
#include "number/scope.h"

enum { CONSTANT_BITS = 128 };

/* The longest axis of queries, and of keys, of an entry. */
static size_t get_queries(const attest_judge_changed *x)
{
    return x->qkv.cu_seqlens_q ? SIZE_MAX : x->qkv.q.shape[2];
}

static size_t get_keys(const attest_judge_changed *x)
{
    return attest_judge_qkv_is_unequal(&x->qkv) ? SIZE_MAX : attest_judge_qkv_get_keys(&x->qkv);
}

/* ---- layouts and heads ---- */

static void exchange_axes(attest_tensor *x)
{
    size_t shape = x->shape[1];
    ptrdiff_t stride = x->stride[1];

    x->shape[1] = x->shape[2];
    x->shape[2] = shape;
    x->stride[1] = x->stride[2];
    x->stride[2] = stride;
}

/* Reads the memory of a tensor in the other order of heads and tokens; false if it is not
 * contiguous, or if both orders are the same. *tokens_first: the order that it had. */
static bool exchange_memory(attest_tensor *x, bool *tokens_first)
{
    const size_t *n = x->shape;
    ptrdiff_t row = (ptrdiff_t)n[3] * x->stride[3], *s = x->stride;

    *tokens_first = s[1] == row && s[2] == (ptrdiff_t)n[1] * row && n[1] > 1;
    if (n[1] == 1 || n[2] == 1)
        return false;
    if (*tokens_first) {
        s[2] = row;
        s[1] = (ptrdiff_t)n[2] * row;
        return true;
    }
    if (s[2] != row || s[1] != (ptrdiff_t)n[2] * row)
        return false;
    s[1] = row;
    s[2] = (ptrdiff_t)n[1] * row;
    return true;
}

bool attest_judge_change_layout(attest_judge_changed *x, size_t form)
{
    attest_qkv *p = &x->qkv;
    bool first, q, k, v;

    if (attest_judge_qkv_is_unequal(p) || x->view != ATTEST_JUDGE_VIEW_SAME)
        return false;
    if (form == 0) {
        if (p->past_k.data || p->sink.data || (p->q.shape[1] == 1 && p->q.shape[2] == 1))
            return false;
        exchange_axes(&p->q);
        exchange_axes(&p->k);
        exchange_axes(&p->v);
        x->view = ATTEST_JUDGE_VIEW_AXES;
        attest_judge_changed_describe(x, "heads and tokens are exchanged in q, k, v and the "
                                         "output: is the layout of the axes right?");
        return true;
    }
    q = exchange_memory(&p->q, &first);
    if (form == 2 || form == 3)
        x->view = first ? ATTEST_JUDGE_VIEW_HEADS_FIRST : ATTEST_JUDGE_VIEW_TOKENS_FIRST;
    if (form == 2) {
        exchange_memory(&p->q, &first);
        attest_judge_changed_describe(x,
                                      "the memory of the output has heads and tokens in the "
                                      "other order: was it transposed before it was written?");
        return q;
    }
    k = exchange_memory(&p->k, &first);
    v = exchange_memory(&p->v, &first);
    attest_judge_changed_describe(
        x, form == 1 ? "the memory of q, k and v is read with heads and tokens in the other "
                       "order: are they reshaped where they must be transposed?"
                     : "the memory of q, k, v and the output has heads and tokens in the other "
                       "order: is the layout right?");
    return q || k || v;
}

/* Whether several query heads share a key head. */
static bool is_grouped(const attest_judge_changed *x)
{
    return x->qkv.q.shape[1] > x->qkv.k.shape[1] && x->qkv.k.shape[1] > 1 &&
           x->key_head == ATTEST_JUDGE_KEY_HEAD_GROUPED;
}

bool attest_judge_change_key_heads(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (!is_grouped(x))
        return false;
    x->key_head = ATTEST_JUDGE_KEY_HEAD_TILED;
    attest_judge_changed_describe(x,
                                  "query head h uses key head h mod %zu, not h / %zu: are keys "
                                  "and values tiled where they must be repeated?",
                                  x->qkv.k.shape[1], x->qkv.q.shape[1] / x->qkv.k.shape[1]);
    return true;
}

bool attest_judge_change_first_key_head(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (x->qkv.k.shape[1] < 2 || x->key_head)
        return false;
    x->key_head = ATTEST_JUDGE_KEY_HEAD_FIRST;
    attest_judge_changed_describe(x, "all heads use the keys and values of head 0: is the "
                                     "stride of their heads right?");
    return true;
}

bool attest_judge_change_next_key_head(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (x->qkv.k.shape[1] < 2 || x->key_head)
        return false;
    x->key_head = ATTEST_JUDGE_KEY_HEAD_NEXT;
    attest_judge_changed_describe(x, "heads use the keys and values of the next head: is the "
                                     "index of the key head right?");
    return true;
}

bool attest_judge_change_swapped_heads(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (x->qkv.q.shape[1] < 2 || x->view)
        return false;
    x->view = ATTEST_JUDGE_VIEW_SWAPPED;
    attest_judge_changed_describe(x, "the outputs of heads 0 and 1 are exchanged");
    return true;
}

bool attest_judge_change_reversed_heads(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (x->qkv.q.shape[1] < 3 || x->view)
        return false;
    x->view = ATTEST_JUDGE_VIEW_REVERSED;
    attest_judge_changed_describe(x, "the outputs of the heads are in reverse order");
    return true;
}

bool attest_judge_change_rows_moved(attest_judge_changed *x, size_t form)
{
    if (get_queries(x) < 2 || x->view)
        return false;
    x->view = form == 0 ? ATTEST_JUDGE_VIEW_NEXT_ROW : ATTEST_JUDGE_VIEW_LAST_ROW;
    attest_judge_changed_describe(x, "each row has the result of the row %s it",
                                  form == 0 ? "after" : "before");
    return true;
}

bool attest_judge_change_batch(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (x->qkv.q.shape[0] < 2 || attest_judge_qkv_is_unequal(&x->qkv))
        return false;
    x->first_batch = true;
    attest_judge_changed_describe(x,
                                  "every batch entry uses the keys and values of entry 0: is "
                                  "the batch stride of k and v right?");
    return true;
}

bool attest_judge_change_zeros(attest_judge_changed *x, size_t form)
{
    (void)form;
    x->zeros = true;
    attest_judge_changed_describe(x, "the output is 0: was it written at all?");
    return true;
}

/* ---- masks ---- */

bool attest_judge_change_causal_missing(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (x->qkv.causal == ATTEST_CAUSAL_NONE || get_queries(x) < 2)
        return false;
    x->qkv.causal = ATTEST_CAUSAL_NONE;
    attest_judge_changed_describe(x,
                                  "there is no causal mask: is the kernel told to apply it?");
    return true;
}

bool attest_judge_change_causal_extra(attest_judge_changed *x, size_t form)
{
    if (x->qkv.causal != ATTEST_CAUSAL_NONE || get_keys(x) < 2 ||
        (form == 1 && get_queries(x) == get_keys(x)) ||
        (form == 0 && x->qkv.q.shape[2] == 1 && !attest_judge_qkv_is_unequal(&x->qkv)))
        return false;
    x->qkv.causal = form == 0 ? ATTEST_CAUSAL_BOTTOM_RIGHT : ATTEST_CAUSAL_TOP_LEFT;
    attest_judge_changed_describe(x,
                                  "a causal mask is applied%s: is the option causal missing?",
                                  form == 1 ? " from the first key on (top-left)" : "");
    return true;
}

bool attest_judge_change_alignment(attest_judge_changed *x, size_t form)
{
    bool corner = x->qkv.causal == ATTEST_CAUSAL_BOTTOM_RIGHT;

    if (form == 1) {
        if (x->qkv.causal == ATTEST_CAUSAL_NONE || !x->qkv.past_k.data || x->qkv.windowed)
            return false;
        attest_judge_changed_describe(x, "the causal mask begins at the first key of the past: "
                                         "query i sees the keys up to i");
        return attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_ALIGN, 0, 0);
    }
    if (x->qkv.causal == ATTEST_CAUSAL_NONE || get_queries(x) == get_keys(x))
        if (!attest_judge_qkv_is_unequal(&x->qkv) || x->qkv.causal == ATTEST_CAUSAL_NONE)
            return false;
    x->qkv.causal = corner ? ATTEST_CAUSAL_TOP_LEFT : ATTEST_CAUSAL_BOTTOM_RIGHT;
    attest_judge_changed_describe(x, "the causal mask is aligned with the %s key (%s)",
                                  !corner              ? "last"
                                  : x->qkv.past_k.data ? "first new"
                                                       : "first",
                                  corner ? "top-left" : "bottom-right");
    return true;
}

bool attest_judge_change_softcap_after_mask(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (!x->qkv.softcap ||
        (!x->qkv.mask.data && x->qkv.causal == ATTEST_CAUSAL_NONE && !x->qkv.windowed))
        return false;
    x->qkv.mask_before_softcap = true;
    x->model.schedules = 0; /* they are not simulated with this order */
    attest_judge_changed_describe(x, "the mask is added before the softcap, which then makes "
                                     "hidden keys visible: the softcap must be applied first");
    return attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_EXPLICIT, 0, 0);
}

/* Causal masks that show one key more: the old mask plus the key after the last one. */
static bool see_next(attest_judge_changed *x)
{
    attest_qkv *p = &x->qkv;

    if (p->q.shape[2] < 2 || get_keys(x) < 2)
        return false; /* the last row sees all keys in any case */
    if (p->causal == ATTEST_CAUSAL_TOP_LEFT && p->q.shape[2] != get_keys(x))
        return attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_EARLIER, SIZE_MAX, 0);
    p->left = p->windowed ? p->left : -1;
    p->right = 1;
    p->windowed = true;
    p->causal = ATTEST_CAUSAL_NONE;
    return true;
}

bool attest_judge_change_mask_by_one(attest_judge_changed *x, size_t form)
{
    attest_qkv *p = &x->qkv;
    bool causal = p->causal != ATTEST_CAUSAL_NONE;

    if (!causal && (!p->mask.data || get_keys(x) < 2))
        return false;
    if (!causal) {
        attest_judge_changed_describe(x, "the mask is moved by one key to the %s",
                                      form == 0 ? "right" : "left");
        return attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_MOVE,
                                        form == 0 ? 1 : get_keys(x) - 1, 0);
    }
    attest_judge_changed_describe(
        x, "the causal mask shows one key too %s: is it j <= i or j < i?",
        form == 0 ? "many" : "few");
    return form == 0 ? see_next(x)
                     : attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_EARLIER, 1, 0);
}

bool attest_judge_change_window_by_one(attest_judge_changed *x, size_t form)
{
    attest_qkv *p = &x->qkv;
    long *side = form < 2 ? &p->left : &p->right;

    if (!p->windowed || *side < 0 || (form % 2 == 1 && *side == 0) ||
        (form >= 2 && p->causal != ATTEST_CAUSAL_NONE))
        return false;
    *side += form % 2 == 0 ? 1 : -1;
    attest_judge_changed_describe(x, "the window has one key %s on the %s, %ld keys",
                                  form % 2 == 0 ? "more" : "fewer", form < 2 ? "left" : "right",
                                  *side);
    return true;
}

bool attest_judge_change_window_missing(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (!x->qkv.windowed)
        return false;
    x->qkv.windowed = false;
    attest_judge_changed_describe(x, "there is no window: is the kernel told to apply it?");
    return true;
}

bool attest_judge_change_mask_missing(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (!x->qkv.mask.data)
        return false;
    x->qkv.mask.data = NULL;
    attest_judge_changed_describe(x, "the mask is ignored: is it given to the kernel?");
    return true;
}

bool attest_judge_change_mask_inverted(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (!x->qkv.mask.data || x->qkv.mask.type != ATTEST_TENSOR_BOOL)
        return false;
    attest_judge_changed_describe(x, "true in the mask hides a key: is its sense reversed?");
    return attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_INVERT, 0, 0);
}

bool attest_judge_change_mask_transposed(attest_judge_changed *x, size_t form)
{
    const attest_tensor *mask = &x->qkv.mask;

    if (form == 0) {
        if (!mask->data || mask->shape[2] != mask->shape[3] || mask->shape[2] < 2 ||
            attest_judge_qkv_is_unequal(&x->qkv))
            return false;
        attest_judge_changed_describe(x, "rows and columns of the mask are exchanged");
        return attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_TRANSPOSE, 0, 0);
    }
    if (x->qkv.causal == ATTEST_CAUSAL_NONE)
        return false;
    attest_judge_changed_describe(x, "the causal mask shows the keys from the query on instead "
                                     "of those up to it");
    return attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_LATER, 0, 0);
}

/* ---- scales ---- */

/* Stores a number as the text of an option. */
static const char *keep(attest_judge_changed *x, const arb_t value)
{
    char *text;

    if (x->texts == ATTEST_JUDGE_MOST_TEXTS)
        return NULL;
    text = attest_ball_format_arf(arb_midref(value));
    x->no_memory = x->no_memory || !text;
    x->text[x->texts++] = text;
    return text;
}

/* The scale of the changed problem; false if it is not one. *one: it is 1. */
static bool get_scale(arb_t scale, bool *one, attest_judge_changed *x)
{
    attest_qkv plain = x->qkv;
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear);
    attest_error error;
    const attest_tensor none = {0};

    /* only the dimension and the options matter: a problem of one query and one key */
    plain.cu_seqlens_q = plain.cu_seqlens_k = plain.lengths = plain.block_table = NULL;
    plain.sequences = 0;
    plain.mask = plain.sink = plain.past_k = plain.past_v = none;
    plain.q_descale = plain.k_descale = plain.v_descale = none;
    for (size_t i = 0; i < 3; i++)
        plain.q.shape[i] = plain.k.shape[i] = plain.v.shape[i] = 1;
    if (attest_judge_problem_init(&problem, &plain, &error) != ATTEST_OK) {
        memset(&problem, 0, sizeof problem);
        fmpq_init(problem.scale);
        fmpq_init(problem.softcap);
        return false;
    }
    attest_judge_problem_get_scale(scale, &problem, CONSTANT_BITS);
    *one = problem.rsqrt ? problem.dim == 1 : fmpq_is_one(problem.scale);
    return true;
}

bool attest_judge_change_scale_missing(attest_judge_changed *x, size_t form)
{
    bool one;
    ARB(scale);

    (void)form;
    if (!get_scale(scale, &one, x) || one)
        return false;
    x->qkv.scale = "none";
    attest_judge_changed_describe(x,
                                  "scores are not scaled: is the scale given to the kernel?");
    return true;
}

bool attest_judge_change_scale_twice(attest_judge_changed *x, size_t form)
{
    bool one;
    ARB(scale);

    (void)form;
    if (!get_scale(scale, &one, x) || one)
        return false;
    arb_mul(scale, scale, scale, CONSTANT_BITS);
    x->qkv.scale = keep(x, scale);
    attest_judge_changed_describe(x, "the scale is applied twice: is q scaled already?");
    return x->qkv.scale != NULL;
}

bool attest_judge_change_scale_square(attest_judge_changed *x, size_t form)
{
    size_t dim = x->qkv.q.shape[3];
    bool one;
    ARB(scale, other);

    (void)form;
    if (!get_scale(scale, &one, x) || dim < 2)
        return false;
    arb_set_ui(other, dim);
    arb_inv(other, other, CONSTANT_BITS);
    if (arb_overlaps(scale, other))
        return false;
    x->qkv.scale = keep(x, other);
    attest_judge_changed_describe(x, "the scale is 1/%zu: is its square root missing?", dim);
    return x->qkv.scale != NULL;
}

/* Other scales that kernels choose by themselves: of the given one the default; of the default
 * those with the dimension of the values, or of all heads. */
bool attest_judge_change_scale_default(attest_judge_changed *x, size_t form)
{
    size_t dim = x->qkv.q.shape[3], values = x->qkv.v.shape[3], heads = x->qkv.q.shape[1];
    size_t of = form == 0 ? dim : form == 1 ? values : dim * heads;
    bool one;
    ARB(scale, other);

    if (!get_scale(scale, &one, x))
        return false;
    arb_rsqrt_ui(other, of, CONSTANT_BITS);
    if (arb_overlaps(scale, other) || (form == 1 && values == dim) || (form == 2 && heads == 1))
        return false;
    x->qkv.scale = keep(x, other);
    attest_judge_changed_describe(x, "the scale is 1/sqrt(%zu)%s", of,
                                  form == 0 ? ", the default: is the scale given to the kernel?"
                                  : form == 1 ? ", of the dimension of the values"
                                              : ", of the dimension of all heads");
    return x->qkv.scale != NULL;
}

/* 2^t = e^(t ln 2), and c tanh(s/c) ln 2 = c' tanh(s'/c') with c' = c ln 2, s' = s ln 2. */
bool attest_judge_change_exp2(attest_judge_changed *x, size_t form)
{
    bool one;
    ARB(scale, log2, cap);

    (void)form;
    if (!get_scale(scale, &one, x))
        return false;
    arb_const_log2(log2, CONSTANT_BITS);
    arb_mul(scale, scale, log2, CONSTANT_BITS);
    x->qkv.scale = keep(x, scale);
    if (x->qkv.softcap) {
        fmpq_t value;
        attest_error error;
        bool read;

        fmpq_init(value);
        read = attest_number_parse(value, x->qkv.softcap, strlen(x->qkv.softcap), NULL,
                                   &error) == ATTEST_OK;
        arb_set_fmpq(cap, value, CONSTANT_BITS);
        fmpq_clear(value);
        arb_mul(cap, cap, log2, CONSTANT_BITS);
        x->qkv.softcap = keep(x, cap);
        if (!read || !x->qkv.softcap)
            return false;
    }
    attest_judge_changed_describe(x, "the exponential is 2^t: is the factor log2(e) missing?");
    return x->qkv.scale != NULL;
}

bool attest_judge_change_uniform(attest_judge_changed *x, size_t form)
{
    (void)form;
    x->qkv.scale = "0x1p-100"; /* weights are equal up to 2^-90 */
    x->qkv.softcap = NULL;
    if (x->qkv.q_descale.data || x->qkv.k_descale.data)
        return false;
    attest_judge_changed_describe(x, "all keys that a query sees have the same weight: are the "
                                     "scores computed?");
    return true;
}

bool attest_judge_change_softcap_missing(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (!x->qkv.softcap)
        return false;
    x->qkv.softcap = NULL;
    attest_judge_changed_describe(x, "there is no softcap: is it given to the kernel?");
    return true;
}

/* ---- other parts of the problem ---- */

bool attest_judge_change_qk(attest_judge_changed *x, size_t form)
{
    attest_tensor q = x->qkv.q;

    (void)form;
    if (attest_judge_qkv_is_unequal(&x->qkv) || x->qkv.past_k.data ||
        memcmp(q.shape, x->qkv.k.shape, sizeof q.shape) != 0)
        return false;
    x->qkv.q = x->qkv.k;
    x->qkv.k = q;
    attest_judge_changed_describe(x, "q and k are exchanged");
    return true;
}

/* The columns of a mask from this key on. */
static void cut_columns(attest_tensor *mask, size_t first)
{
    if (!mask->data)
        return;
    mask->data = (const unsigned char *)mask->data + (ptrdiff_t)first * mask->stride[3];
    mask->shape[3] -= first;
}

bool attest_judge_change_past(attest_judge_changed *x, size_t form)
{
    attest_qkv *p = &x->qkv;

    (void)form;
    if (!p->past_k.data || p->past_k.shape[2] == 0)
        return false;
    cut_columns(&p->mask, p->past_k.shape[2]);
    p->past_k.data = p->past_v.data = NULL;
    attest_judge_changed_describe(x, "past keys and values are ignored");
    return true;
}

bool attest_judge_change_lengths(attest_judge_changed *x, size_t form)
{
    attest_qkv *p = &x->qkv;

    (void)form;
    if (!p->lengths || p->block_table)
        return false;
    p->lengths = NULL;
    if (!p->cu_seqlens_q && !p->cu_seqlens_k)
        p->sequences = 0;
    attest_judge_changed_describe(x, "lengths are ignored: all keys of an entry are seen, with "
                                     "those after its length");
    return true;
}

bool attest_judge_change_sink_missing(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (!x->qkv.sink.data)
        return false;
    x->qkv.sink.data = NULL;
    attest_judge_changed_describe(x, "the sink is ignored: is it given to the kernel?");
    return true;
}

bool attest_judge_change_sink_extra(attest_judge_changed *x, size_t form)
{
    static const double zero = 0;

    (void)form;
    if (x->qkv.sink.data)
        return false;
    x->qkv.sink =
        (attest_tensor){&zero, ATTEST_TENSOR_F64, {1, x->qkv.q.shape[1], 1, 1}, {0, 0, 0, 0}};
    attest_judge_changed_describe(x, "a sink with the logit 0 is added: the sum of the weights "
                                     "includes 1 more");
    return true;
}

bool attest_judge_change_descale_missing(attest_judge_changed *x, size_t form)
{
    attest_tensor *factor = form == 0   ? &x->qkv.q_descale
                            : form == 1 ? &x->qkv.k_descale
                                        : &x->qkv.v_descale;

    if (form == 3) {
        if (!x->qkv.q_descale.data + !x->qkv.k_descale.data + !x->qkv.v_descale.data > 1)
            return false;
        x->qkv.q_descale.data = x->qkv.k_descale.data = NULL;
    } else if (!factor->data) {
        return false;
    }
    factor->data = NULL;
    attest_judge_changed_describe(x, "the factors of %s are ignored",
                                  form == 0   ? "q"
                                  : form == 1 ? "k"
                                  : form == 2 ? "v"
                                              : "q, k and v");
    return true;
}

/* ---- keys, tiles and values ---- */

bool attest_judge_change_key_dropped(attest_judge_changed *x, size_t form)
{
    if (get_keys(x) < 2)
        return false;
    attest_judge_changed_describe(x, "the %s key is left out", form == 0 ? "last" : "first");
    return form == 0 ? attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_HIDE_LAST, 1, 0)
                     : attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_HIDE, 0, 1);
}

bool attest_judge_change_key_twice(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (x->qkv.windowed && x->qkv.left >= 0)
        return false;
    attest_judge_changed_describe(x, "the first key is counted twice");
    return attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_TWICE, 0, 0);
}

bool attest_judge_change_next_value(attest_judge_changed *x, size_t form)
{
    (void)form;
    if (get_keys(x) < 2)
        return false;
    attest_judge_changed_describe(x, "each key has the value of the next one");
    return attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_NEXT_VALUE, 0, 0);
}

/* Forms 0 to 6: the last tile of the size i; 7 to 13: the first one; 14 to 20: a last tile that
 * is not full. */
bool attest_judge_change_dropped_tile(attest_judge_changed *x, size_t form)
{
    static const char *const which[] = {"last", "first", "last, partial"};
    size_t keys = get_keys(x), tile = attest_judge_changed_get_tile(x, form % 7);

    if (tile == 0 || keys < 2)
        return false;
    if (form == 0 && tile >= keys)
        tile = keys / 2;
    if (tile >= keys)
        return false;
    attest_judge_changed_describe(x, "the %s tile of %zu keys is left out", which[form / 7],
                                  tile);
    if (form / 7 == 2)
        return keys != SIZE_MAX && keys % tile != 0 &&
               attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_HIDE_PARTIAL, tile, 0);
    return form / 7 == 0 ? attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_HIDE_LAST, tile, 0)
                         : attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_HIDE, 0, tile);
}

/* Forms: which tile (the last, the second, the third), what is stale (both, values, keys), and
 * the size of tiles. */
bool attest_judge_change_stale_tile(attest_judge_changed *x, size_t form)
{
    static const attest_judge_edit_kind kind[] = {
        ATTEST_JUDGE_EDIT_STALE_VALUES, ATTEST_JUDGE_EDIT_STALE, ATTEST_JUDGE_EDIT_STALE_KEYS};
    static const char *const what[] = {"values", "keys and values", "keys"};
    static const char *const which[] = {"last", "second", "third"};
    size_t keys = get_keys(x), tile = attest_judge_changed_get_tile(x, form / 9);
    size_t place = form / 3 % 3, tiles = tile && keys < SIZE_MAX ? (keys + tile - 1) / tile : 0;

    if (tiles < 2 || (place == 1 && tiles < 3) || (place == 2 && tiles < 4))
        return false;
    attest_judge_changed_describe(x,
                                  "the %s tile of %zu keys uses the %s of the tile before it: "
                                  "is there a barrier before they are read?",
                                  which[place], tile, what[form % 3]);
    return attest_judge_changed_add(x, kind[form % 3], tile, place == 0 ? SIZE_MAX : place);
}
