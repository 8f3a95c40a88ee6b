# ATTEST_WARNINGS
# ---------------
# Flags that every file of the project is compiled with.  Contraction is off
# because the error analyses count each rounding: a fused multiply-add appears
# only where the code says fma().
AC_DEFUN([ATTEST_WARNINGS], [
AC_LANG_ASSERT([C])
attest_flags="-std=gnu11 -fvisibility=hidden -ffp-contract=off -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wformat=2"
ATTEST_CFLAGS=
for attest_flag in $attest_flags; do
    AC_MSG_CHECKING([whether $CC accepts $attest_flag])
    attest_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $attest_flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
        [AC_MSG_RESULT([yes]); ATTEST_CFLAGS="$ATTEST_CFLAGS $attest_flag"],
        [AC_MSG_RESULT([no])
         AS_IF([test "x$attest_flag" = x-ffp-contract=off],
             [AC_MSG_ERROR([the compiler must accept -ffp-contract=off])])])
    CFLAGS=$attest_save_CFLAGS
done
AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat warnings as errors])],
    [AS_IF([test "x$enableval" = xyes], [ATTEST_CFLAGS="$ATTEST_CFLAGS -Werror"])])
AC_SUBST([ATTEST_CFLAGS])
])
