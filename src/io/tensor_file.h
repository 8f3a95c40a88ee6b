/* tensor_file.h -- a file of tensors: safetensors, .npz, or .npy, whose only tensor has no
 * name.
 *
 * The file is read once and stays in memory; tensors point into it, except those that had to
 * be inflated, which the file owns. The contents are untrusted: sizes are checked against the
 * size of the file, and the budget is charged, before memory is allocated. */
#ifndef ATTEST_IO_TENSOR_FILE_H
#define ATTEST_IO_TENSOR_FILE_H

#include <attest/input.h>
#include <attest/judge.h>
#include <attest/number.h>

#include "io/array.h"
#include "io/safetensors.h"
#include "io/zip.h"

typedef struct attest_tensor_file {
    attest_input input;
    attest_budget *budget;
    attest_safetensors tensors; /* safetensors */
    attest_zip zip;             /* .npz */
    bool is_zip, is_npy;
    void **block; /* inflated or converted tensors */
    size_t blocks, room, charged;
} attest_tensor_file;

/* Reads the file at path, or standard input for "-". path must stay. Status: FORMAT, IO,
 * UNABLE, NOMEM; the text begins with the path. After a failure there is nothing to close. */
attest_status attest_tensor_file_open(attest_tensor_file *file, const char *path,
                                      attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Opens a file that another file names; it must be a regular file (base/file.h). Status: also
 * USAGE. */
attest_status attest_tensor_file_open_file(attest_tensor_file *file, const char *path,
                                           attest_budget *budget,
                                           attest_error *error) ATTEST_WARN_UNUSED;
void attest_tensor_file_close(attest_tensor_file *file);

/* Frees the inflated and converted tensors; all tensors obtained so far become invalid. */
void attest_tensor_file_drop(attest_tensor_file *file);

/* The name of tensor i, *length bytes of it and no final zero; NULL: there are no more. */
const char *attest_tensor_file_name(size_t *length, const attest_tensor_file *file, size_t i);

/* array = the tensor of this name; the tensor of an .npy file has any name. Status: USAGE
 * (there is none), FORMAT, UNABLE, NOMEM; the text begins with the path and names the tensor.
 */
attest_status attest_tensor_file_get(attest_array *array, attest_tensor_file *file,
                                     const char *name, attest_error *error) ATTEST_WARN_UNUSED;

/* The same for a tensor of integers, of 8 to 64 bits. Status: FORMAT for other types, too. */
attest_status attest_tensor_file_get_integers(attest_array *array, attest_tensor_file *file,
                                              const char *name,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* tensor = the array in the program's own form: integers, and numbers in a foreign byte order,
 * are converted to binary64 exactly; axes of length 1 are put in front up to four axes. With
 * truth, for masks, bytes of 0 and 1 are truth values. Status: FORMAT, UNABLE, NOMEM, as
 * above. */
attest_status attest_tensor_file_view(attest_tensor *tensor, attest_tensor_file *file,
                                      const char *name, const attest_array *array, bool truth,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
