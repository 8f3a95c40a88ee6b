# ATTEST_THEFT_TRY(CFLAGS, LIBS, IF-LINKS)
# ----------------------------------------
AC_DEFUN([ATTEST_THEFT_TRY], [
    attest_save_CFLAGS=$CFLAGS; attest_save_LIBS=$LIBS
    CFLAGS="$CFLAGS $1"; LIBS="$2 $LIBS"
    AC_MSG_CHECKING([for a genuine libtheft ($2)])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <theft.h>]],
                                    [[return theft_seed_of_time() == 0;]])],
        [AC_MSG_RESULT([yes])
         GENUINE_THEFT_CFLAGS="$1"; GENUINE_THEFT_LIBS="$2"
         attest_theft_genuine=yes
         $3],
        [AC_MSG_RESULT([no])])
    CFLAGS=$attest_save_CFLAGS; LIBS=$attest_save_LIBS])

# ATTEST_THEFT
# ------------
# --with-theft=auto|system|builtin|PREFIX: the property-testing harness.
# Sets THEFT_CFLAGS and THEFT_LIBS for what the properties use, a genuine
# libtheft or src/theft (conditional ATTEST_THEFT_BUILTIN). A genuine library
# that is found but not used still serves `make bench` as the one to beat
# (conditional ATTEST_THEFT_GENUINE).
AC_DEFUN([ATTEST_THEFT], [
AC_ARG_WITH([theft],
    [AS_HELP_STRING([--with-theft=WHICH],
        [auto (default), system, builtin, or the prefix of an installed libtheft])],
    [], [with_theft=auto])
AC_ARG_ENABLE([theft-extensions],
    [AS_HELP_STRING([--disable-theft-extensions],
        [run the properties on the plain theft API])])
GENUINE_THEFT_CFLAGS=
GENUINE_THEFT_LIBS=
attest_theft_genuine=no

AS_CASE([$with_theft],
    [builtin|no|auto|system|yes], [
        PKG_CHECK_EXISTS([libtheft], [
            # libtheft.pc leaves out -lm, and its prefix may not be where the
            # library is: then look beside the .pc file itself.
            attest_theft_pc=`$PKG_CONFIG --variable=pcfiledir libtheft`
            attest_theft_cflags=`$PKG_CONFIG --cflags libtheft`
            attest_theft_libs="`$PKG_CONFIG --libs libtheft` -lm"
            ATTEST_THEFT_TRY([$attest_theft_cflags], [$attest_theft_libs])
            AS_IF([test $attest_theft_genuine = no], [
                ATTEST_THEFT_TRY([-I$attest_theft_pc/../../include],
                                 [-L$attest_theft_pc/.. -ltheft -lm])])])
        AS_IF([test $attest_theft_genuine = no], [ATTEST_THEFT_TRY([], [-ltheft -lm])])],
    [ATTEST_THEFT_TRY([-I$with_theft/include], [-L$with_theft/lib -ltheft -lm])])

AS_CASE([$with_theft:$attest_theft_genuine],
    [builtin:*|no:*|auto:no], [attest_theft=builtin],
    [auto:yes|system:yes|yes:yes], [attest_theft=system],
    [*:yes], [attest_theft=$with_theft],
    [AC_MSG_ERROR([--with-theft=$with_theft: no usable libtheft there])])

AM_CONDITIONAL([ATTEST_THEFT_BUILTIN], [test "x$attest_theft" = xbuiltin])
AM_CONDITIONAL([ATTEST_THEFT_GENUINE], [test $attest_theft_genuine = yes])
AS_IF([test "x$attest_theft" = xbuiltin],
    [AC_DEFINE([ATTEST_THEFT_BUILTIN], [1], [Define when src/theft is the harness.])
     THEFT_CFLAGS='-I$(top_srcdir)/src/theft/api'
     THEFT_LIBS=],
    [THEFT_CFLAGS=$GENUINE_THEFT_CFLAGS
     THEFT_LIBS=$GENUINE_THEFT_LIBS])
AS_IF([test "x$enable_theft_extensions" = xno],
    [AC_DEFINE([ATTEST_THEFT_NO_EXTENSIONS], [1],
        [Define to run the properties on the plain theft API.])
     attest_theft_note=" (no extensions)"])
attest_theft="$attest_theft$attest_theft_note"
AC_DEFINE_UNQUOTED([ATTEST_THEFT_NAME], ["$attest_theft"],
    [Which theft this build uses.])
AC_SUBST([THEFT_CFLAGS])
AC_SUBST([THEFT_LIBS])
AC_SUBST([GENUINE_THEFT_CFLAGS])
AC_SUBST([GENUINE_THEFT_LIBS])
])
