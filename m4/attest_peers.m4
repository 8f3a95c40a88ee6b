# ATTEST_PEERS
# ------------
# Libraries that the benchmarks compare with, if they are here: libmvec (of
# glibc), SLEEF and OpenBLAS. Nothing else uses them.
AC_DEFUN([ATTEST_PEERS], [
attest_peers=
ATTEST_PEER_LIBS=
attest_save_LIBS=$LIBS
attest_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -mavx2 -mfma"
ATTEST_PEER([libmvec], [-lmvec -lm], [LIBMVEC], [[#include <immintrin.h>
__m256d _ZGVdN4v_exp(__m256d);]],
    [[__m256d x = _ZGVdN4v_exp(_mm256_set1_pd(1.0)); return (int)_mm256_cvtsd_f64(x);]])
ATTEST_PEER([SLEEF], [-lsleef], [SLEEF], [[#include <immintrin.h>
#include <sleef.h>]],
    [[__m256d x = Sleef_expd4_u10avx2(_mm256_set1_pd(1.0)); return (int)_mm256_cvtsd_f64(x);]])
ATTEST_PEER([OpenBLAS], [-lopenblas], [OPENBLAS], [[#include <cblas.h>]],
    [[openblas_set_num_threads(1); return 0;]])
CFLAGS=$attest_save_CFLAGS
LIBS=$attest_save_LIBS
AC_SUBST([ATTEST_PEER_LIBS])
])

# ATTEST_PEER(NAME, LIBS, MACRO, PROLOGUE, BODY)
AC_DEFUN([ATTEST_PEER], [
AC_MSG_CHECKING([for $1 (benchmarks only)])
LIBS="$2 $attest_save_LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([$4], [$5])],
    [AC_MSG_RESULT([yes])
     attest_peers="$attest_peers $1"
     ATTEST_PEER_LIBS="$ATTEST_PEER_LIBS $2"
     AC_DEFINE([ATTEST_PEER_$3], [1], [Define when the benchmarks can compare with $1.])],
    [AC_MSG_RESULT([no])])
])
