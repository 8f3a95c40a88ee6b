# attest_check.m4 -- for other projects: properties of attest, and their own, in make check.
#
# ATTEST_CHECK
#
# Finds the program attest and substitutes ATTEST. What is to be tested stands in the makefile:
#
#     TESTS = attest.tap
#     TEST_EXTENSIONS = .tap
#     attest.tap: mine.so ; echo '$(ATTEST_RUN)' >$@
#     TAP_LOG_COMPILER = sh
#
# with ATTEST_PROPERTIES (names; none: those of ATTEST_LOAD alone), ATTEST_LOAD (a shared object of
# the project's own properties), ATTEST_CORPUS (a folder of stored counterexamples, replayed first)
# and ATTEST_BUDGET (options, e.g. --trials 1000) set in it. Each property is a test of the log.
# The project's configure.ac says AM_INIT_AUTOMAKE and AC_REQUIRE_AUX_FILE([tap-driver.sh]), and
# TAP_LOG_DRIVER is that file.
AC_DEFUN([ATTEST_CHECK], [
  AC_REQUIRE([AC_PROG_CC])
  AC_REQUIRE([AC_PROG_AWK])
  AC_REQUIRE_AUX_FILE([tap-driver.sh])
  AC_PATH_PROG([ATTEST], [attest], [no])
  AS_IF([test "x$ATTEST" = xno], [AC_MSG_ERROR([the program attest is not in PATH])])
  AC_SUBST([TAP_LOG_DRIVER], ['env AWK="$(AWK)" $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh'])
  AC_SUBST([ATTEST_RUN], ['ATTEST_LOAD="$(ATTEST_LOAD)" ATTEST_CORPUS="$(ATTEST_CORPUS)" $(ATTEST) campaign --tap $(ATTEST_BUDGET) $(ATTEST_PROPERTIES)'])
])
