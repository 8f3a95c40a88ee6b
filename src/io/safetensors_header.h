/* safetensors_header.h -- the JSON object at the head of a safetensors file. */
#ifndef ATTEST_IO_SAFETENSORS_HEADER_H
#define ATTEST_IO_SAFETENSORS_HEADER_H

#include "io/safetensors.h"

/* Reads the object, which must fill text[0..size) up to spaces at its end, into file->header,
 * and file->tensor in the order of the object. What the tensors say is not checked yet. Status:
 * FORMAT, UNABLE (the budget), NOMEM; after a failure too, clear the file. */
attest_status attest_safetensors_parse_header(attest_safetensors *file, const char *text,
                                              size_t size, attest_budget *budget,
                                              attest_error *error) ATTEST_WARN_UNUSED;

#endif
