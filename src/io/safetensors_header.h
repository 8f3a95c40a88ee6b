/* safetensors_header.h -- the JSON object at the head of a safetensors file. */
#ifndef ATTEST_IO_SAFETENSORS_HEADER_H
#define ATTEST_IO_SAFETENSORS_HEADER_H

#include "io/safetensors.h"
#include "io/safetensors_scan.h"

/* {"dtype":"","shape":[],"data_offsets":[0,0]} and a name, "": no entry is shorter. */
enum { ATTEST_SAFETENSORS_LEAST_ENTRY = 40 };

/* Where names and shapes go while the header is read. */
typedef struct attest_safetensors_reader {
    attest_scan scan;
    attest_safetensors *file;
    char *name;     /* the next free byte of file->names */
    size_t *length; /* the next free entry of file->lengths */
} attest_safetensors_reader;

/* Reads the object, which must fill the scan up to spaces, into file->tensor, in the order of
 * the file. What the tensors say is not checked yet. Domain: for an object of L bytes, names
 * has room for L + 1 bytes, lengths for L/2 + 1 entries, tensor for L / LEAST_ENTRY + 1.
 * Status: FORMAT. */
attest_status attest_safetensors_parse_header(attest_safetensors_reader *in,
                                              attest_error *error) ATTEST_WARN_UNUSED;

#endif
