# ATTEST_THEFT
# ------------
# --with-theft=auto|system|builtin|PREFIX: the property-testing harness.
# Sets THEFT_CFLAGS and THEFT_LIBS for a genuine libtheft, or the conditional
# ATTEST_THEFT_BUILTIN for src/theft.
AC_DEFUN([ATTEST_THEFT], [
AC_ARG_WITH([theft],
    [AS_HELP_STRING([--with-theft=WHICH],
        [auto (default), system, builtin, or the prefix of an installed libtheft])],
    [], [with_theft=auto])
THEFT_CFLAGS=
THEFT_LIBS=
attest_theft=

AS_CASE([$with_theft],
    [builtin|no], [],
    [auto|system|yes], [
        # libtheft.pc leaves out -lm.
        PKG_CHECK_EXISTS([libtheft], [
            THEFT_CFLAGS=`$PKG_CONFIG --cflags libtheft`
            THEFT_LIBS="`$PKG_CONFIG --libs libtheft` -lm"
            attest_theft="system"])],
    [THEFT_CFLAGS="-I$with_theft/include"
     THEFT_LIBS="-L$with_theft/lib -ltheft -lm"
     attest_theft="$with_theft"])

AS_IF([test -n "$attest_theft"], [
    # The .pc file's prefix may not be where the library is: try to link.
    attest_save_CFLAGS=$CFLAGS; attest_save_LIBS=$LIBS
    CFLAGS="$CFLAGS $THEFT_CFLAGS"; LIBS="$THEFT_LIBS $LIBS"
    AC_MSG_CHECKING([whether a program links with libtheft ($THEFT_LIBS)])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>
#include <stdint.h>
#include <stdbool.h>
#include <theft.h>]], [[return theft_seed_of_time() == 0;]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no]); attest_theft=])
    CFLAGS=$attest_save_CFLAGS; LIBS=$attest_save_LIBS])

AS_IF([test -z "$attest_theft"], [
    AS_CASE([$with_theft],
        [auto|builtin|no], [attest_theft=builtin; THEFT_CFLAGS='-I$(top_srcdir)/src/theft/api'; THEFT_LIBS=],
        [AC_MSG_ERROR([--with-theft=$with_theft: no usable libtheft there])])])

AM_CONDITIONAL([ATTEST_THEFT_BUILTIN], [test "x$attest_theft" = xbuiltin])
AS_IF([test "x$attest_theft" = xbuiltin],
    [AC_DEFINE([ATTEST_THEFT_BUILTIN], [1], [Define when src/theft is the harness.])])
AC_DEFINE_UNQUOTED([ATTEST_THEFT_NAME], ["$attest_theft"], [Which theft this build uses.])
AC_SUBST([THEFT_CFLAGS])
AC_SUBST([THEFT_LIBS])
])
