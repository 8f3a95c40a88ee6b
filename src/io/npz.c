/* npz.c -- weights from NumPy's .npz archives. */
#include "io/npz.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/matrix_array.h"
#include "io/npy.h"
#include "io/zip.h"

enum { ARRAYS = 4, WQ = 0, WO = 3 };

static const char *const array_name[ARRAYS] = {"WQ", "WK", "WV", "WO"};

/* One of the four arrays, before its elements are read. */
typedef struct source {
    const attest_zip_entry *entry;
    attest_array array;
    size_t header_size;
} source;

/* The header alone, from a prefix of the entry: it must agree with the entry's size before the
 * rest of it is inflated. */
static attest_status read_header(source *from, attest_error *error)
{
    size_t count =
        from->entry->size < ATTEST_NPY_MAX_HEADER ? from->entry->size : ATTEST_NPY_MAX_HEADER;
    unsigned char *head = attest_memory_alloc(count, 1);
    attest_status status;

    if (!head)
        return attest_memory_fail(error);
    status = attest_zip_read(head, count, from->entry, error);
    if (status == ATTEST_OK)
        status = attest_npy_parse_header(&from->array, &from->header_size, head, count, error);
    if (status == ATTEST_OK)
        status =
            attest_npy_check_size(&from->array, from->header_size, from->entry->size, error);
    free(head);
    return status;
}

static attest_status find(source *from, const attest_zip *zip, const char *name,
                          attest_error *error)
{
    char file[16] = "";

    strcat(strcat(file, name), ".npy");
    from->entry = attest_zip_get(zip, file);
    if (!from->entry)
        return attest_error_set(error, ATTEST_FORMAT,
                                "there is no %s in the archive; weights are the arrays WQ, WK, "
                                "WV of shape (H, s, d) and WO of shape (H, d, s)",
                                file);
    attest_status status = read_header(from, error);
    return status == ATTEST_OK ? ATTEST_OK : attest_error_prefix(error, status, name);
}

/* The shape of WQ decides H, s and d. */
static attest_status check_shape(const source *from, int i, attest_error *error)
{
    const attest_array *first = &from[WQ].array, *array = &from[i].array;
    char shape[ATTEST_ARRAY_TEXT_SIZE], wanted[ATTEST_ARRAY_TEXT_SIZE];

    attest_array_format_shape(shape, array);
    attest_array_format_shape(wanted, first);
    if (array->rank != 3)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s: shape %s, but it should be (H, %s); one head is H = 1",
                                array_name[i], shape, i == WO ? "d, s" : "s, d");
    if (array->count == 0)
        return attest_error_set(error, ATTEST_FORMAT, "%s: shape %s is empty", array_name[i],
                                shape);
    if (array->shape[0] != first->shape[0] ||
        array->shape[1] != first->shape[i == WO ? 2 : 1] ||
        array->shape[2] != first->shape[i == WO ? 1 : 2])
        return attest_error_set(
            error, ATTEST_FORMAT,
            "%s has shape %s, which does not fit WQ of shape (H, s, d) = %s", array_name[i],
            shape, wanted);
    return ATTEST_OK;
}

static attest_matrix *matrix_of(attest_head *head, int i)
{
    attest_matrix *const matrix[ARRAYS] = {&head->wq, &head->wk, &head->wv, &head->wo};

    return matrix[i];
}

/* The heads themselves; what their matrices hold is charged when it is known. */
static attest_status make_heads(attest_weights *weights, size_t heads, attest_budget *budget,
                                attest_error *error)
{
    const size_t each = sizeof(attest_head) + ARRAYS * sizeof(fmpz);
    attest_status status =
        attest_budget_charge(budget, heads > SIZE_MAX / each ? SIZE_MAX : heads * each, error);

    if (status == ATTEST_OK && attest_weights_resize(weights, heads) != ATTEST_OK)
        return attest_memory_fail(error);
    return status;
}

/* Array i of all heads, from its elements. */
static attest_status set_matrices(attest_weights *weights, const attest_array *array, int i,
                                  attest_budget *budget, attest_error *error)
{
    attest_status status = ATTEST_OK;

    for (size_t h = 0; h < weights->heads && status == ATTEST_OK; h++) {
        attest_array_slice slice = {.start = h * attest_array_step(array, 0),
                                    .rows = array->shape[1],
                                    .cols = array->shape[2],
                                    .row_step = attest_array_step(array, 1),
                                    .col_step = attest_array_step(array, 2)};
        status = attest_matrix_set_slice(matrix_of(&weights->head[h], i), array, &slice, budget,
                                         error);
    }
    return status;
}

static attest_status read_elements(attest_weights *weights, source *from, int i,
                                   attest_budget *budget, attest_error *error)
{
    size_t size = from->entry->size;
    attest_status status = attest_budget_charge(budget, size, error);
    unsigned char *content;

    if (status != ATTEST_OK)
        return status;
    content = attest_memory_alloc(size, 1);
    if (content)
        status = attest_zip_read(content, size, from->entry, error);
    else
        status = attest_memory_fail(error);
    if (status == ATTEST_OK) {
        from->array.data = content + from->header_size;
        status = set_matrices(weights, &from->array, i, budget, error);
    }
    free(content);
    attest_budget_give_back(budget, size);
    return status == ATTEST_OK ? ATTEST_OK : attest_error_prefix(error, status, array_name[i]);
}

static attest_status set_arrays(attest_weights *weights, const attest_zip *zip,
                                attest_budget *budget, attest_error *error)
{
    source from[ARRAYS];
    attest_status status = ATTEST_OK;

    for (int i = 0; i < ARRAYS && status == ATTEST_OK; i++)
        status = find(&from[i], zip, array_name[i], error);
    for (int i = 0; i < ARRAYS && status == ATTEST_OK; i++)
        status = check_shape(from, i, error);
    if (status == ATTEST_OK)
        status = make_heads(weights, from[WQ].array.shape[0], budget, error);
    if (status != ATTEST_OK)
        return status;
    weights->dim = from[WQ].array.shape[2];
    for (int i = 0; i < ARRAYS && status == ATTEST_OK; i++)
        status = read_elements(weights, &from[i], i, budget, error);
    return status;
}

attest_status attest_weights_set_npz(attest_weights *weights, const unsigned char *bytes,
                                     size_t size, attest_budget *budget, attest_error *error)
{
    attest_zip zip;
    size_t left = budget ? budget->left : 0;
    attest_status status = attest_zip_parse(&zip, bytes, size, error);

    attest_weights_clear(weights);
    attest_weights_init(weights);
    if (status != ATTEST_OK)
        return status;
    status = set_arrays(weights, &zip, budget, error);
    attest_zip_clear(&zip);
    if (status != ATTEST_OK) {
        attest_weights_clear(weights);
        attest_weights_init(weights);
        if (budget)
            budget->left = left;
    }
    return status;
}
