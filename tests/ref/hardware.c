/* hardware.c -- attention by the processor's own float and double arithmetic. */
#include "tests/ref/hardware.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TYPE double
#define NAME(name) name##_double
#define BITS 53
#define EMIN -1073
#define EMAX 1024
#include "tests/ref/hardware.inc"
#undef TYPE
#undef NAME
#undef BITS
#undef EMIN
#undef EMAX

#define TYPE float
#define NAME(name) name##_float
#define BITS 24
#define EMIN -148
#define EMAX 128
#include "tests/ref/hardware.inc"

int ref_fenv_rounding(mpfr_rnd_t rounding)
{
    switch (rounding) {
    case MPFR_RNDN:
        return FE_TONEAREST;
    case MPFR_RNDZ:
        return FE_TOWARDZERO;
    case MPFR_RNDU:
        return FE_UPWARD;
    case MPFR_RNDD:
        return FE_DOWNWARD;
    default:
        return -1;
    }
}
