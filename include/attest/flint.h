/* flint.h -- the FLINT and Arb headers, in the spelling that this system has.
 * FLINT 3 contains Arb as <flint/arb.h>; before it, Arb was a library of its own. */
#ifndef ATTEST_FLINT_H
#define ATTEST_FLINT_H

#include <mpfr.h> /* before FLINT 3, which declares arf_set_mpfr only then */

#include <flint/flint.h>
#include <flint/ulong_extras.h>
#include <flint/fmpz.h>
#include <flint/fmpz_vec.h>
#include <flint/fmpz_mat.h>
#include <flint/fmpz_poly.h>
#include <flint/fmpq.h>
#include <flint/fmpq_vec.h>
#include <flint/fmpq_mat.h>
#if defined(__has_include) && __has_include(<flint/arb.h>)
#include <flint/arb.h>
#include <flint/arb_mat.h>
#else
#include <arb.h>
#include <arb_mat.h>
#endif

#endif
