/* t-attention-long.c -- t-attention.c with 10^7 rows. */
#define LONG_ROWS 10000000
#include "tests/kernel/t-attention.c"
