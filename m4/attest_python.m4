dnl ATTEST_PYTHON: the interpreter of the Python package and its tests, and where the package goes.
dnl Sets PYTHON (empty: none), pythondir and the conditional ATTEST_PYTHON.
dnl Of those that are found, the one that sees the most of what the tests can use is taken: a Python
dnl of one's own often comes first, and does not see the system's packages.
AC_DEFUN([ATTEST_PYTHON], [
AC_ARG_VAR([PYTHON], [Python 3.9 or later, for the Python package and its tests])
AC_ARG_WITH([python-dir],
    [AS_HELP_STRING([--with-python-dir=DIR], [install the Python package in DIR (no: nowhere)])],
    [], [with_python_dir=yes])
AC_MSG_CHECKING([for Python])
attest_python_score=-1
attest_python_given=$PYTHON
PYTHON=
for attest_candidate in ${attest_python_given:-python3 /usr/bin/python3 /usr/local/bin/python3}; do
    attest_candidate=`command -v "$attest_candidate" 2>/dev/null` || continue
    attest_score=`"$attest_candidate" -c 'import sys, importlib.util as u
assert sys.version_info >= (3, 9)
print(sum(bool(u.find_spec(m)) for m in ("numpy", "torch", "hypothesis", "pytest", "mypy")))' 2>/dev/null` || continue
    AS_IF([test "$attest_score" -gt "$attest_python_score"],
        [attest_python_score=$attest_score PYTHON=$attest_candidate])
done
AS_IF([test -n "$attest_python_given" && test -z "$PYTHON"],
    [AC_MSG_ERROR([$attest_python_given is no Python 3.9 or later])])
AC_MSG_RESULT([${PYTHON:-none}])
dnl Where it is found: Debian's Python looks in the directories of its own, under /usr and /usr/local.
AS_CASE([$PYTHON:$with_python_dir],
    [:yes|*:no], [pythondir=],
    [*:yes], [attest_prefix=$prefix
    AS_IF([test "x$attest_prefix" = xNONE], [attest_prefix=$ac_default_prefix])
    pythondir='${prefix}'/`"$PYTHON" -c 'import site, sys, sysconfig
prefix = sys.argv[[1]].rstrip("/") + "/"
for path in [[sysconfig.get_path("purelib")]] + site.getsitepackages():
    if path.startswith(prefix) and not path.startswith(prefix + "local/"):
        print(path[[len(prefix):]])
        break
else:
    print("lib/python%d.%d/site-packages" % sys.version_info[[:2]])' "$attest_prefix"`],
    [pythondir=$with_python_dir])
AC_SUBST([pythondir])
AM_CONDITIONAL([ATTEST_PYTHON], [test -n "$PYTHON" && test -n "$pythondir"])
])
