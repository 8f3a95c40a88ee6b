#!/bin/sh
# Environments: a locale with a decimal comma, a strict umask, directories and files
# with blanks and letters beyond ASCII in their names. Results are the same, byte for byte.
. "$srcdir/tests/cli/lib.sh"
cd "$work" || exit 1

directory="blanks and ümläute/$(printf 'quote\047s "2"')"
mkdir -p "$directory"
cat >data.json <<'END'
{"format": "attest/dataset", "version": 1, "sequences": [[["0.125"], [1.5]], [["0.125"], [2.75]]]}
END
cat >weights.json <<'END'
{"format": "attest/weights", "version": 1, "activation": "softmax",
 "heads": [{"WQ": [[1.25]], "WK": [["0.5"]], "WV": [[1e-1]], "WO": [[1]]}]}
END

# Names of files and directories.
cp data.json "$directory/dätä 1.json"
cp weights.json "$directory/weights of 2.json"
run 0 "certify in a directory with a strange name" certify "$directory/dätä 1.json" --weights "$directory/weights of 2.json" -o "$directory/certificäte 3.json"
run 0 "check" check "$directory/certificäte 3.json"
run 0 "a campaign into such a directory" campaign lemma1 --trials 3 --seed 1 --out "$directory/nìght"
run 0 "an audit" audit "$directory/dätä 1.json" --weights "$directory/weights of 2.json" --formats p=8 --quick -o "$directory/audit"
run 0 "a report on it" report "$directory/audit" -o "$directory/page.html"
refused "a file with a strange name that is not there" certify "$directory/no ünö.json" --weights weights.json
complains '/no ünö.json: '

# The umask is obeyed: nobody else reads what is written under 077.
modes() { find private -type d ! -perm 700 -o -type f ! -perm 600; }
(
    umask 077
    mkdir private
    "$ATTEST" certify data.json --weights weights.json -o private/certificate.json
    "$ATTEST" campaign lemma1 --trials 3 --seed 1 --out private/night
    "$ATTEST" audit data.json --weights weights.json --formats p=8 --quick -o private/audit --report private/page.html
) >"$out" 2>"$err"
[ $? -eq 0 ] && [ -f private/page.html ] && [ -z "$(modes | tee -a "$err")" ]
result $? "under umask 077 files and directories are the user's alone"

# A locale with a decimal comma.
localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >"$out" 2>"$err"
if [ "$(LOCPATH=$work LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" != , ]; then
    count=$((count + 1))
    echo "ok $count - a decimal comma # SKIP localedef does not make de_DE.UTF-8"
    finish
    exit
fi
everything() { # directory: prints the results of the program on the data
    mkdir "$1"
    "$ATTEST" certify data.json --weights weights.json -o "$1/certificate.json" >"$1/certify" &&
        "$ATTEST" check "$1/certificate.json" >"$1/check" &&
        "$ATTEST" eval data.json --weights weights.json --json >"$1/eval.json" &&
        "$ATTEST" eval data.json --weights weights.json --number double >"$1/eval" &&
        "$ATTEST" construct data.json --strategy tuned -o "$1/construct.json" >"$1/construct" &&
        "$ATTEST" audit data.json --weights weights.json --formats p=8 --quick --json >"$1/audit.json"
}
everything point 2>"$err" && (
    LOCPATH=$work LC_ALL=de_DE.UTF-8
    export LOCPATH LC_ALL
    everything comma
) 2>>"$err" && sed -i s/comma/point/ comma/* && diff -r point comma >"$out"
result $? "the program under a decimal comma"

# The library in a program that has asked for the user's locale, as many do: certify, check and
# construct read and write by the library alone.
cat >shim.c <<'END'
#include <locale.h>
__attribute__((constructor)) static void begin(void) { setlocale(LC_ALL, ""); }
END
in_comma() { LD_PRELOAD=$work/shim.so LOCPATH=$work LC_ALL=de_DE.UTF-8 "$@"; }
if $CC -shared -fPIC -o shim.so shim.c 2>"$err" && in_comma "$ATTEST" eval data.json --weights weights.json --number double 2>>"$err" | grep -q '0,'; then
    in_comma "$ATTEST" certify data.json --weights weights.json -o library.json >"$out" 2>"$err" &&
        in_comma "$ATTEST" check point/certificate.json >"$out" 2>"$err" && cmp library.json point/certificate.json 2>"$err" &&
        in_comma "$ATTEST" construct data.json --strategy tuned -o library.json >"$out" 2>"$err" &&
        cmp library.json point/construct.json 2>"$err"
    result $? "the library under a decimal comma"
else
    count=$((count + 1))
    echo "ok $count - the library under a decimal comma # SKIP nothing can be preloaded"
fi
finish
