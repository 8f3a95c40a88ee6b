# attest_check.m4 -- for other projects: properties of attest, and their own, in make check.
#
#     ATTEST_CHECK
#
# in configure.ac, after AC_PROG_CC and AM_INIT_AUTOMAKE, finds the program attest and makes each
# property a TAP test. In Makefile.am:
#
#     TESTS = attest.tap
#     TEST_EXTENSIONS = .tap
#     TAP_LOG_COMPILER = $(SHELL)
#     attest.tap: Makefile own.so ; echo '$(ATTEST_RUN)' >$@
#
# and, as far as they are wanted, ATTEST_PROPERTIES (names, or all; none: those of ATTEST_LOAD),
# ATTEST_LOAD (a shared object of the project's own properties), ATTEST_CORPUS (a directory of stored
# counterexamples, which are decided first) and ATTEST_BUDGET (e.g. --trials 1000).
# ATTEST_CFLAGS is what such an object is compiled with. examples/project is such a project.
AC_DEFUN([ATTEST_CHECK], [
  AC_REQUIRE([AC_PROG_AWK])
  AC_REQUIRE_AUX_FILE([tap-driver.sh])
  AC_PATH_PROG([ATTEST], [attest])
  AS_IF([test -z "$ATTEST"], [AC_MSG_ERROR([the program attest is not in PATH])])
  AC_PATH_PROG([PKG_CONFIG], [pkg-config], [pkg-config])
  AC_SUBST([ATTEST_CFLAGS], [`"$PKG_CONFIG" --cflags attest attest-engine`])
  AC_SUBST([TAP_LOG_DRIVER], ['env AWK="$(AWK)" $(SHELL) '"$ac_aux_dir"'/tap-driver.sh'])
  AC_SUBST([ATTEST_RUN],
    ['env ATTEST_LOAD="$(ATTEST_LOAD)" ATTEST_CORPUS="$(ATTEST_CORPUS)" $(ATTEST) campaign --tap $(ATTEST_BUDGET) $(ATTEST_PROPERTIES)'])
])
