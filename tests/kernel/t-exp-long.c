/* t-exp-long.c -- t-exp.c with 10^8 points. */
#define LONG_POINTS 100000000
#include "tests/kernel/t-exp.c"
