# check-coq.sh: the Coq part of check; sourced by it.

# In an order that respects dependencies, with what each file needs.
coq_files="
    guard: sums: boltzmann: gstar: packing: lemma_f: sharp_gap: sharp_collision: family: lemma1: gstar_digits:interval
    definition2: vectors: softmax: rank1: direction: theorem2: theorem2_paper: theorem2_exists: gap:
    zero_test: tuned: memorize: corollary1: collapse: judge: judge_steps: certificate:
    constants:interval+code
    exp_approx:interval+kernel exp_rounding:interval+gappa+kernel exp_error:interval+gappa+kernel
    kernel_bound:interval+kernel
    hardmax:mathcomp collinear:mathcomp theorem1:mathcomp+code two_layers:mathcomp+code
"

coq_has() { # library, or gappa, or kernel, code (the constants in the C code): is it there?
    local probe=$build/probe_$1
    case $1 in
    kernel) [ -f "$build/coq/exp_constants.vo" ]; return ;;
    code) [ -f "$build/coq/c_constants.vo" ]; return ;;
    mathcomp) echo 'From mathcomp Require all_ssreflect all_algebra.' ;;
    interval) echo 'From Interval Require Tactic.' ;;
    gappa) command -v gappa >/dev/null && echo 'From Gappa Require Gappa_tactic.' ;;
    esac >"$probe.v"
    [ -s "$probe.v" ] || return 1
    [ -f "$probe.vo" ] || coqc -w none "$probe.v" >/dev/null 2>&1
}

coq_lacks() { # needs, joined by +: prints the first that is missing
    local need
    for need in ${1//+/ }; do
        coq_has "$need" || { echo "$need"; return; }
    done
}

# The kernel's constants, from the header that the C code includes; nothing else defines them.
coq_kernel() { # library directory, header, promise, bounds
    "$here/exp-constants" "$2" "$3" "$4" >"$1/exp_constants.v" &&
        coqc -w none -Q "$1" attest "$1/exp_constants.v"
}

# Constants of the rest of the C code.
coq_code() { # library directory, source tree
    "$here/c-source" "$2" constants >"$1/c_constants.v" && coqc -w none -Q "$1" attest "$1/c_constants.v"
}

# Words that would let a file claim what it does not prove.
coq_forbidden='Admitted|admit|give_up|Axiom|Axioms|Parameter|Parameters|Conjecture|bypass_check|Unset +(Guard|Positivity|Universe) +Checking'

# Axioms that a proof may rest on (README.md explains them): those of the real
# numbers in Coq's standard library, and, for interval arithmetic, the
# specification of machine integers.
coq_allowed='^(ClassicalDedekindReals\.sig_(not|forall)_dec|FunctionalExtensionality\.functional_extensionality_dep|Classical_Prop\.classic)$'
coq_integers='^(PrimInt63|Uint63)\.'

coq_compile() { # source file, library directory: lint and compile into it
    if grep -nEw "$coq_forbidden" "$1"; then
        echo "Error: forbidden word"
        return 1
    fi
    coqc -w none -Q "$2" attest "$1" -o "$2/$(basename "$1" .v).vo" 2>&1
}

# The claims of guard.v about a statement that must be theorems, as Coq definitions: its hypotheses
# hold for some data (+), its conclusion fails for some (-). LW: given Lindemann-Weierstrass; rcf: over
# every real closed field.
coq_guards() { # module.name, guards
    local sign word claim of="(@$1)" before= after= arguments=
    case $2 in
    LW*) before="zero_test.lindemann_weierstrass -> " ;;
    rcf*) of="(@$1 R)" arguments=" R" ;;
    esac
    for sign in + -; do
        [[ $2 == *$sign* ]] || continue
        [ "$sign" = + ] && word=satisfiable || word=falsifiable
        [ "$sign" = + ] && claim="$before$word $of" || claim="$word $of"
        if [ -n "$arguments" ]; then
            echo "Definition ${1//./_}_$word := fun R => (@$1_$word R : $claim)."
        else
            echo "Definition ${1//./_}_$word : $claim := @$1_$word."
        fi
    done
}

# Prints the axioms that the statements of a module use, on one line (empty: none), and writes the
# numbers of their hypotheses to MODULE.hypotheses. One query for all statements, because Print
# Assumptions walks through the whole library each time.
coq_ask() { # module, library directory
    local name guards tuple=I
    {
        printf 'From attest Require %s.\nFrom attest Require Import guard.\n' "$1"
        while IFS='|' read -r _ name guards _; do
            tuple="$tuple, @attest.$1.$name"
            [[ $guards != *+* ]] || tuple="$tuple, @attest.$1.${name}_satisfiable"
            [[ $guards != *-* ]] || tuple="$tuple, @attest.$1.${name}_falsifiable"
            coq_guards "$1.$name" "$guards"
            printf 'Goal True. idtac "@@ %s". let T := type of (@%s.%s) in count T O. Abort.\n' "$name" "$1" "$name"
        done < <(statements coq "$1")
        printf 'Definition statements := (%s).\nPrint Assumptions statements.\n' "$tuple"
    } >"$2/ask.v"
    coqc -w none -Q "$2" attest "$2/ask.v" >"$2/$1.answer" 2>&1 || return 1
    grep -q -e '^Closed under the global context' -e '^Axioms:' "$2/$1.answer" || return 1
    awk '/^@@ / { name = $2; getline; print name, $1 + 0 }' "$2/$1.answer" >"$2/$1.hypotheses"
    awk '/^Closed under the global context/ || /^Axioms:/ { on = 1; next } !on || /^ / {next} {printf "%s ", $1}' "$2/$1.answer"
}

coq_judge() { # axiom names on one line: prints a summary; fails on an unlisted one
    local other
    other=$(tr ' ' '\n' <<<"$1" | grep -vE -e "$coq_allowed" -e "$coq_integers" -e '^$' | tr '\n' ' ')
    if [ -n "$other" ]; then
        echo "assumes $other"
        return 1
    elif [ -z "$1" ]; then
        echo "closed under the global context"
    elif tr ' ' '\n' <<<"$1" | grep -qE "$coq_integers"; then
        echo "axioms of the reals, machine integers"
    else
        echo "axioms of the reals"
    fi
}

coq_report() { # module, result, detail: the same row for each of its statements
    local file name
    while IFS='|' read -r file name _; do
        row "$2" coq "$file" "$name" "$3"
    done < <(statements coq "$1")
}

coq_module() { # module: compile it, judge its statements
    local module=$1 dir=$build/coq log file name guards code text axioms rests gone count
    if ! log=$(coq_compile "$here/coq/$module.v" "$dir"); then
        echo "$log" | tail -n 20
        row FAILED coq "$module" - "does not compile"
        coq_report "$module" FAILED "its file does not compile"
        return
    fi
    [ -n "$(statements coq "$module")" ] || return
    if ! axioms=$(coq_ask "$module" "$dir"); then
        cat "$dir/$module.answer"
        coq_report "$module" FAILED "a statement of this file or one of its guards is not proved"
    elif ! rests=$(coq_judge "$axioms"); then
        coq_report "$module" FAILED "$rests"
    else
        while IFS='|' read -r file name guards code text; do
            count=$(awk -v name="$name" '$1 == name { print $2 }' "$dir/$module.hypotheses")
            if gone=$(find_missing_code "$code") && [ -n "$count" ]; then
                row checked coq "$file" "$name" "$text"
                echo "Print Assumptions $module.$name: $rests; $count hypotheses, guards $guards"
            else
                row FAILED coq "$file" "$name" "the C code that it names is gone: $gone"
            fi
        done < <(statements coq "$module")
    fi
}

coq_run() {
    local entry module needs lacks compiled=
    mkdir -p "$build/coq"
    rm -f "$build"/coq/*.vo
    if command -v coqc >/dev/null && [ -f "$kernel_header" ]; then
        coq_kernel "$build/coq" "$kernel_header" "$kernel_promise" "$kernel_bounds" ||
            row FAILED coq exp_constants - "the kernel's constants cannot be read"
    fi
    if command -v coqc >/dev/null; then
        coq_code "$build/coq" "$here/.." || row FAILED coq c_constants - "constants of the C code cannot be read"
    fi
    for entry in $coq_files; do
        module=${entry%%:*} needs=${entry#*:}
        if ! command -v coqc >/dev/null; then
            coq_report "$module" skipped "no coqc"
        elif lacks=$(coq_lacks "$needs") && [ -n "$lacks" ]; then
            coq_report "$module" skipped "no $lacks"
        else
            coq_module "$module"
            [ ! -f "$build/coq/$module.vo" ] || compiled="$compiled $module"
        fi
    done
    frozen_run $compiled
    coq_unlisted
}

# A row whose file is not in coq_files would never be checked.
coq_unlisted() {
    local file name
    while IFS='|' read -r file name _; do
        case $coq_files in *" $file:"*) ;; *) row FAILED coq "$file" "$name" "no such file in check-coq.sh" ;; esac
    done < <(statements coq)
}

