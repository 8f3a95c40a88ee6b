# check-frozen.sh: compares the theorems with statements.v; sourced by check.
#
# statements.v states every theorem of the table again, and every definition that these statements
# use, down to the libraries; Coq compares both with what the files of coq/ have now, up to
# conversion, so that the output format of a version of Coq does not matter. A statement or definition
# that changes, or one that is missing in statements.v, makes a row fail.
#
# The file is cut at lines "(*! MODULE *)"; a part is compiled if its module is.

frozen_part() { # module: its part of statements.v
    awk -v module="$1" '/^\(\*! / { on = $2 == module } on' "$here/statements.v"
}

frozen_parts() { # modules: the beginning of the file and their parts, MathComp's notations before its own
    local module notations=
    awk '/^\(\*! / { exit } { print }' "$here/statements.v"
    for module in "$@"; do
        case $module in
        hardmax | collinear | theorem1 | two_layers) [ -n "$notations" ] || frozen_part mathcomp; notations=yes ;;
        esac
        frozen_part "$module"
    done
}

frozen_compile() { # library directory, modules: compares their parts; prints what differs
    local dir=$1 module
    shift
    {
        for module in "$@"; do echo "From attest Require $module."; done
        frozen_parts "$@"
    } >"$dir/frozen.v"
    coqc -w none -Q "$dir" attest "$dir/frozen.v" >"$dir/frozen.log" 2>&1 && return 0
    sed -n 's/^File "[^"]*", line \([0-9]*\),.*/\1/p' "$dir/frozen.log" | tail -n 1 |
        while read -r line; do
            sed -n "1,${line}p" "$dir/frozen.v" | grep -E '^(Check|Definition)' | tail -n 1
        done
    sed -n '/^Error/,$p' "$dir/frozen.log" | head -n 4
    return 1
}

# The names that the statements use, each with what it uses in turn: "name: names".
frozen_uses() { # library directory, modules
    local dir=$1 module name
    shift
    {
        for module in "$@"; do echo "From attest Require $module."; done
        echo 'Set Printing All. Set Printing Width 100000. Set Printing Depth 100000.'
        for module in "$@"; do
            sed -nE 's/^ *(Definition|Fixpoint|Inductive|Record) ([A-Za-z0-9_]+).*/\2/p' "$here/coq/$module.v" |
                while read -r name; do
                    printf 'Goal True. idtac "@@ %s.%s". Abort.\nPrint %s.%s.\n' "$module" "$name" "$module" "$name"
                done
            while IFS='|' read -r _ name _; do
                printf 'Goal True. idtac "@@ %s.%s statement". Abort.\nCheck @%s.%s.\n' "$module" "$name" "$module" "$name"
            done < <(statements coq "$module")
        done
    } >"$dir/uses.v"
    coqc -w none -Q "$dir" attest "$dir/uses.v" 2>"$dir/uses.log" |
        awk -v modules=" $* " '
            /^@@ / { name = $2; print name ":" ($3 == "" ? "" : " statement"); next }
            {
                while (match($0, /[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_'"'"']*/)) {
                    word = substr($0, RSTART, RLENGTH); $0 = substr($0, RSTART + RLENGTH)
                    split(word, part, ".")
                    if (index(modules, " " part[1] " ") && word != name) print name ": " word
                }
            }'
}

# What must be in statements.v: the statements and all that they use, each once, as "module.name".
frozen_needed() { # uses file
    awk -F': ?' '
        $2 == "statement" { want[$1] = 1; next }
        $2 != "" { use[$1] = use[$1] " " $2 }
        END {
            do {
                grown = 0
                for (name in want) {
                    n = split(use[name], list, " ")
                    for (i = 1; i <= n; i++) if (!(list[i] in want)) { want[list[i]] = 1; grown = 1 }
                }
            } while (grown)
            for (name in want) print name
        }' "$1" | sort
}

frozen_run() { # modules that were compiled
    local dir=$build/coq name missing= said
    [ $# -gt 0 ] || return 0
    if ! said=$(frozen_compile "$dir" "$@"); then
        echo "$said"
        row FAILED frozen statements.v - "not what was frozen: $(head -n 1 <<<"$said" | cut -c1-60)"
        return
    fi
    frozen_uses "$dir" "$@" >"$dir/uses"
    [ -s "$dir/uses" ] || { cat "$dir/uses.log" && row FAILED frozen statements.v - "cannot print the statements" && return; }
    while read -r name; do
        case $name in c_constants.* | exp_constants.*) continue ;; esac # the C code's own
        # constructors stand in the principle of their type as premises, not by name
        ! grep -qE "^\| *${name#*.} :" "$here/coq/${name%%.*}.v" || continue
        grep -qE "(^|[^A-Za-z0-9_.'])${name//./\\.}([^A-Za-z0-9_']|\$)" "$dir/frozen.v" || missing="$missing $name"
        # a statement, or a definition, has its own line
        grep -qE "^Check \((Logic\.eq_refl : )?@${name//./\\.}(_ind)? [:=]" "$dir/frozen.v" ||
            ! grep -qE "^ *(Definition|Fixpoint|Inductive|Theorem|Corollary) ${name#*.}([^A-Za-z0-9_']|\$)" "$here/coq/${name%%.*}.v" ||
            missing="$missing $name"
    done < <(frozen_needed "$dir/uses")
    if [ -n "$missing" ]; then
        row FAILED frozen statements.v - "not in it:$missing"
    else
        row checked frozen statements.v - "$(grep -c '^Check (@' "$dir/frozen.v") statements and $(grep -c '^Check (Logic.eq_refl' "$dir/frozen.v") definitions are what was frozen"
    fi
}
