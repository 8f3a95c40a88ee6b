/* term.h -- names for the terms of error bounds.
 *
 * ATTEST_TERM(name, value) is value; ATTEST_TERM_MAG(name, x) and ATTEST_TERM_ARF(name, x)
 * leave the mag_t or arf_t x alone. The tests in tests/bounds compile the files that use it a
 * second time with ATTEST_WEAKEN defined; there attest_term multiplies one chosen term by 0 or
 * 1/2, and a test fails if the weakened bound still holds on every instance of its table. Each
 * name is used once, and tests/meta/terms.sh compares the names with the rows of the tables. */
#ifndef ATTEST_BASE_TERM_H
#define ATTEST_BASE_TERM_H

#ifdef ATTEST_WEAKEN
double attest_term(const char *name, double value);
#define ATTEST_TERM(name, value) attest_term(#name, value)
#define ATTEST_TERM_MAG(name, x) mag_set_d(x, attest_term(#name, mag_get_d(x)))
#define ATTEST_TERM_ARF(name, x) arf_set_d(x, attest_term(#name, arf_get_d(x, ARF_RND_NEAR)))
#else
#define ATTEST_TERM(name, value) (value)
#define ATTEST_TERM_MAG(name, x) ((void)0)
#define ATTEST_TERM_ARF(name, x) ((void)0)
#endif

#endif
