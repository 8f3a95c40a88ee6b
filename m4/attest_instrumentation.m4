# ATTEST_INSTRUMENTATION
# ----------------------
# --enable-asan, --enable-tsan, --enable-coverage, --enable-fuzz, --enable-faults and --enable-debug.
AC_DEFUN([ATTEST_INSTRUMENTATION], [
ATTEST_INSTRUMENT_CFLAGS=
attest_instrumentation=

AC_ARG_ENABLE([asan],
    [AS_HELP_STRING([--enable-asan], [build with AddressSanitizer and UndefinedBehaviorSanitizer])])
AS_IF([test "x$enable_asan" = xyes], [
    ATTEST_INSTRUMENT_CFLAGS="$ATTEST_INSTRUMENT_CFLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
    attest_instrumentation="$attest_instrumentation asan"])

AC_ARG_ENABLE([tsan],
    [AS_HELP_STRING([--enable-tsan], [build with ThreadSanitizer, for tests/base/threads.c])])
AS_IF([test "x$enable_tsan" = xyes], [
    ATTEST_INSTRUMENT_CFLAGS="$ATTEST_INSTRUMENT_CFLAGS -fsanitize=thread -fno-omit-frame-pointer"
    attest_instrumentation="$attest_instrumentation tsan"])

AC_ARG_ENABLE([coverage],
    [AS_HELP_STRING([--enable-coverage], [build for 'make coverage' (gcov, gcovr)])])
AS_IF([test "x$enable_coverage" = xyes], [
    ATTEST_INSTRUMENT_CFLAGS="$ATTEST_INSTRUMENT_CFLAGS --coverage -O0"
    attest_instrumentation="$attest_instrumentation coverage"])

AC_ARG_ENABLE([fuzz],
    [AS_HELP_STRING([--enable-fuzz], [build the libFuzzer targets of tests/fuzz (needs clang)])])
AS_IF([test "x$enable_fuzz" = xyes], [
    ATTEST_INSTRUMENT_CFLAGS="$ATTEST_INSTRUMENT_CFLAGS -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
    attest_instrumentation="$attest_instrumentation fuzz"
    attest_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $ATTEST_INSTRUMENT_CFLAGS"
    AC_MSG_CHECKING([whether $CC can build libFuzzer targets])
    AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([--enable-fuzz needs clang and its run-time library (Debian: clang, and libclang-rt-N-dev of its version N); configure with CC=clang])])
    CFLAGS=$attest_save_CFLAGS])
AM_CONDITIONAL([ATTEST_FUZZ], [test "x$enable_fuzz" = xyes])

AC_ARG_ENABLE([faults],
    [AS_HELP_STRING([--enable-faults], [compile in the fault points that tests/fault triggers])])
AS_IF([test "x$enable_faults" = xyes], [
    AC_DEFINE([ATTEST_FAULTS], [1], [Define to compile in the fault points.])
    attest_instrumentation="$attest_instrumentation faults"])
AM_CONDITIONAL([ATTEST_FAULTS], [test "x$enable_faults" = xyes])

AC_ARG_ENABLE([debug],
    [AS_HELP_STRING([--enable-debug], [assert at run time what proofs-notes/kernel-error.md assumes of the kernels])])
AS_IF([test "x$enable_debug" = xyes], [
    AC_DEFINE([ATTEST_DEBUG], [1], [Define to assert the hypotheses of the error bound.])
    attest_instrumentation="$attest_instrumentation debug"])

AC_SUBST([ATTEST_INSTRUMENT_CFLAGS])
])
