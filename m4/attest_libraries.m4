# ATTEST_REQUIRE(LIBRARY, HEADER, FUNCTION, DEBIAN-PACKAGE)
# ----------------------------------------------------------
# Stops configure, naming the package to install, unless HEADER and FUNCTION
# are found.
AC_DEFUN([ATTEST_REQUIRE], [
AC_CHECK_HEADER([$2], [],
    [AC_MSG_ERROR([<$2> not found: install $4 (Debian: apt-get install $4)])])
AC_CHECK_LIB([$1], [$3], [LIBS="-l$1 $LIBS"],
    [AC_MSG_ERROR([-l$1 not found: install $4 (Debian: apt-get install $4)])])
])

# ATTEST_VERSION(VARIABLE, HEADER, STRING-EXPRESSION)
# ---------------------------------------------------
# VARIABLE becomes the version text that the headers declare.
AC_DEFUN([ATTEST_VERSION], [
AS_IF([test "x$cross_compiling" = xyes], [$1=unknown], [
AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>
#include <$2>]], [[FILE *f = fopen("conftest.version", "w");
if (!f) return 1;
fprintf(f, "%s\n", $3);
return fclose(f) != 0;]])],
    [$1=`cat conftest.version`], [$1=unknown], [$1=unknown])
rm -f conftest.version])
])

# ATTEST_LIBRARIES
# ----------------
# GMP, MPFR, FLINT with Arb in either spelling, and zlib.
AC_DEFUN([ATTEST_LIBRARIES], [
AC_SEARCH_LIBS([exp], [m], [], [AC_MSG_ERROR([the C math library was not found])])
ATTEST_REQUIRE([gmp], [gmp.h], [__gmpz_init], [libgmp-dev])
ATTEST_REQUIRE([mpfr], [mpfr.h], [mpfr_subnormalize], [libmpfr-dev])
ATTEST_REQUIRE([flint], [flint/fmpz_mpoly.h], [fmpq_init], [libflint-dev])

# FLINT 3 contains Arb: <flint/arb.h>, -lflint.
# FLINT 2 and Arb 2 are two packages: <arb.h>, -lflint-arb (or -larb) -lflint.
AC_CHECK_HEADER([flint/arb.h],
    [AC_CHECK_FUNC([arb_exp], [attest_arb=yes], [attest_arb=no])],
    [AC_CHECK_HEADER([arb.h],
        [attest_arb=no
         AC_CHECK_LIB([flint-arb], [arb_exp], [attest_arb=yes; LIBS="-lflint-arb $LIBS"],
            [AC_CHECK_LIB([arb], [arb_exp], [attest_arb=yes; LIBS="-larb $LIBS"])])],
        [attest_arb=no])])
AS_IF([test "x$attest_arb" = xno],
    [AC_MSG_ERROR([Arb not found: install FLINT 3, or Arb for FLINT 2 (Debian: apt-get install libflint-arb-dev)])])

ATTEST_REQUIRE([z], [zlib.h], [inflate], [zlib1g-dev])

ATTEST_VERSION([attest_gmp_version], [gmp.h], [gmp_version])
ATTEST_VERSION([attest_mpfr_version], [mpfr.h], [mpfr_get_version()])
ATTEST_VERSION([attest_flint_version], [flint/flint.h], [FLINT_VERSION])
ATTEST_VERSION([attest_zlib_version], [zlib.h], [zlibVersion()])

# What attest.pc says of the libraries whose headers ours include: GMP and MPFR by their own
# .pc files where they have them; FLINT, which has none before version 3, as it was found.
ATTEST_PC_REQUIRES=
ATTEST_PC_LIBS=
ATTEST_PC_CFLAGS=
for attest_library in mpfr gmp; do
    PKG_CHECK_EXISTS([$attest_library],
        [ATTEST_PC_REQUIRES="$attest_library $ATTEST_PC_REQUIRES"],
        [ATTEST_PC_LIBS="-l$attest_library $ATTEST_PC_LIBS"])
done
for attest_flag in $LIBS; do
    AS_CASE([$attest_flag], [-lflint*|-larb], [attest_flint_libs="$attest_flint_libs $attest_flag"])
done
ATTEST_PC_LIBS="$attest_flint_libs $ATTEST_PC_LIBS"
for attest_flag in $LDFLAGS; do
    AS_CASE([$attest_flag], [-L*], [ATTEST_PC_LIBS="$attest_flag $ATTEST_PC_LIBS"])
done
for attest_flag in $CPPFLAGS; do
    AS_CASE([$attest_flag], [-I*], [ATTEST_PC_CFLAGS="$ATTEST_PC_CFLAGS $attest_flag"])
done
AC_SUBST([ATTEST_PC_REQUIRES])
AC_SUBST([ATTEST_PC_LIBS])
AC_SUBST([ATTEST_PC_CFLAGS])
])
