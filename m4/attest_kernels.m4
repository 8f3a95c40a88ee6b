# ATTEST_KERNELS
# --------------
# Which instruction sets the compiler can build kernels for.  Whether the
# machine can run them is asked at run time.
AC_DEFUN([ATTEST_KERNELS], [
attest_kernels="scalar"
attest_avx2=no
AC_MSG_CHECKING([whether $CC can build AVX2 and FMA code])
attest_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -mavx2 -mfma"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <immintrin.h>]],
    [[__m256d x = _mm256_set1_pd(1.0);
      x = _mm256_fmadd_pd(x, x, x);
      return (int)_mm256_cvtsd_f64(x) + __builtin_cpu_supports("avx2");]])],
    [attest_avx2=yes; attest_kernels="$attest_kernels avx2"])
CFLAGS=$attest_save_CFLAGS
AC_MSG_RESULT([$attest_avx2])
AS_IF([test "x$attest_avx2" = xyes],
    [AC_DEFINE([ATTEST_KERNEL_AVX2], [1], [Define when the AVX2 kernels are built.])])
AM_CONDITIONAL([ATTEST_KERNEL_AVX2], [test "x$attest_avx2" = xyes])

attest_avx512=no
AS_IF([test "x$attest_avx2" = xyes], [
AC_MSG_CHECKING([whether $CC can build AVX-512 code])
CFLAGS="$CFLAGS -mavx512f -mavx512dq -mavx512vl -mfma"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <immintrin.h>]],
    [[__m512d x = _mm512_set1_pd(1.0);
      x = _mm512_fmadd_pd(x, x, x);
      return (int)_mm512_cvtsd_f64(x) + __builtin_cpu_supports("avx512dq");]])],
    [attest_avx512=yes; attest_kernels="$attest_kernels avx512"])
CFLAGS=$attest_save_CFLAGS
AC_MSG_RESULT([$attest_avx512])])
AS_IF([test "x$attest_avx512" = xyes],
    [AC_DEFINE([ATTEST_KERNEL_AVX512], [1], [Define when the AVX-512 kernels are built.])])
AM_CONDITIONAL([ATTEST_KERNEL_AVX512], [test "x$attest_avx512" = xyes])
])
