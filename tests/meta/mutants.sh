#!/bin/sh
# The tools of `make check-mutants`: tests/tests_of.txt names, for every source file, tests that exist and that
# use it; run_test of tests/mutate.sh notices a test that fails, in every shell.
# Planted violations show that flaws, below, finds them.
. "$srcdir/tests/cli/lib.sh"
need_python
. "$srcdir/tests/meta/rooms.sh"

# flaws TABLE: what is wrong with a table of tests; reads the symbols of the object files.
flaws() {
    symbols "$srcdir" "$builddir" | python3 -c '
import fnmatch, glob, os, re, sys

table, source = sys.argv[1:]
os.chdir(source)
rows = [line.split() for line in open(table) if not line.startswith("#")]
files = sorted(f for f in glob.glob("src/*/*") + glob.glob("props/*") if f.endswith((".c", ".h", ".inc")))
row_of = {file: next((row for row in rows if fnmatch.fnmatchcase(file, row[0])), None) for file in files}

# Scripts, tests of rooms, and programs with a main of their own.
tests = {path[6:] for path in glob.glob("tests/*/*.sh")}
words = {}
for path in glob.glob("tests/*/*.c"):
    text = open(path).read()
    test = re.search(r"^TEST\((\w+)\)", text, re.M)
    name = path.split("/")[1] + "/" + test.group(1) if test else path[6:-2] if "/t-" in path else None
    if name:
        tests.add(name)
        words[name] = set(re.findall(r"\w+", text))

for row in rows:
    if not any(row is used for used in row_of.values()):
        print(row[0], "is the first pattern of no file")
    for test in row[1:]:
        if test not in tests:
            print(row[0], "names", test, "which does not exist")

# A file has a row, and the row has a test that calls it, if there is one: ROOM/NAME for NAME.c.
defined = {}
for line in sys.stdin:
    file, kind, symbol = line.split()
    if kind not in "Uwv" and symbol != "main":
        defined.setdefault(file, set()).add(symbol)
for file, row in row_of.items():
    if not row:
        print(file, "has no row")
        continue
    calls = {test for test, used in words.items() if used & defined.get(file, set())}
    own = {test for test in calls if test.split("/")[1] == os.path.basename(file)[:-2]}
    if calls and not (own or calls) & set(row):
        print(file, "is called by", " ".join(sorted(own or calls)), "which its row does not name")' "$1" "$srcdir"
}

flaws "$srcdir/tests/tests_of.txt" >"$out" 2>"$err" && [ ! -s "$out" ]
result $? "every file has tests that exist and call it"

# Planted: a pattern behind a wider one, a test that is gone, rows without the file's own test and without any.
{
    echo 'src/no_such_room/* base/map'
    echo 'src/format/simulate_in_mpfr* format/gone format/simulate_in_double'
    echo 'src/number/[!n]* base/map'
    sed '/^#/d; /^src\/base\/text/d; /^src\/base\/error/s|base/error |number/number |' "$srcdir/tests/tests_of.txt"
} >"$work/table"
flaws "$work/table" >"$work/flaws"
for flaw in 'src/no_such_room/\* is the first pattern of no file' 'src/number/ball_exp\* is the first pattern of no file' \
    'src/format/simulate_in_mpfr\* names format/gone which does not exist' 'src/base/text.c has no row' \
    'src/base/error.c is called by base/error which its row does not name' \
    'src/number/rationals.c is called by .*certify/first_difference .* which its row does not name'; do
    grep -qx "$flaw" "$work/flaws"
    result $? "found: $flaw"
done

# A test fails by its status or by a line of its output; what it prints stays in its files.
mkdir -p "$work/tests/build"
echo 'echo "ok 1"' >"$work/tests/passes.sh"
echo 'echo "not ok 1"' >"$work/tests/says.sh"
echo 'echo "ok 1"; exit 1' >"$work/tests/exits.sh"
echo 'kill -SEGV $$' >"$work/tests/crashes.sh"
cat >"$work/driver" <<'END'
. "$1"
out=$work/inner_out err=$work/inner_err build=$work/tests/build preload=''
for test in passes says exits crashes; do run_test / 9 $test.sh && echo "$test: passes"; done
true
END
for shell in sh dash bash; do
    command -v $shell >/dev/null || continue
    env work="$work" srcdir="$work" $shell "$work/driver" "$srcdir/tests/mutate.sh" >"$out" 2>"$err" && [ "$(cat "$out" "$err")" = "passes: passes" ]
    result $? "$shell: run_test notices tests that fail"
done
finish
