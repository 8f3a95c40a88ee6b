# check-coq.sh: the Coq part of check; sourced by it.

# In an order that respects dependencies, with the library each file needs.
coq_files="
    hardmax:mathcomp collinear:mathcomp theorem1:mathcomp
    sums: boltzmann: gstar: packing: lemma_f: family: lemma1: gstar_digits:interval
    vectors: softmax: rank1: theorem2: theorem2_paper: zero_test:
"

coq_has() { # library: can it be loaded?
    local probe=$build/probe_$1
    case $1 in
    "") return 0 ;;
    mathcomp) echo 'From mathcomp Require all_ssreflect all_algebra.' ;;
    interval) echo 'From Interval Require Tactic.' ;;
    esac >"$probe.v"
    [ -f "$probe.vo" ] || coqc -w none "$probe.v" >/dev/null 2>&1
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

# Asks what every statement of a module rests on, in one run. Writes for each, in
# the order of the table, one line of axiom names (empty: none) to DIR/MODULE.axioms.
coq_ask() { # module, library directory
    local name
    {
        echo "From attest Require $1."
        while IFS='|' read -r _ name _; do
            echo "Print Assumptions attest.$1.$name."
        done < <(statements coq "$1")
    } >"$2/ask.v"
    coqc -w none -Q "$2" attest "$2/ask.v" >"$2/$1.answer" 2>&1 || return 1
    awk '/^Closed under the global context/ {if (n++) print line; line = ""; next}
        /^Axioms:/ {if (n++) print line; line = ""; next}
        /^[^ ]/ {line = line $1 " "}
        END {if (n) print line}' "$2/$1.answer" >"$2/$1.axioms"
    # one answer per question, else a line would be read for the wrong statement
    [ "$(wc -l <"$2/$1.axioms")" -eq "$(statements coq "$1" | wc -l)" ]
}

coq_judge() { # axiom names on one line: prints what they amount to; fails on an unlisted one
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
    local file name text
    while IFS='|' read -r file name text; do
        row "$2" coq "$file" "$name" "$3"
    done < <(statements coq "$1")
}

coq_module() { # module: compile it, judge its statements
    local module=$1 dir=$build/coq log file name text axioms rests
    if ! log=$(coq_compile "$here/coq/$module.v" "$dir"); then
        echo "$log" | tail -n 20
        row FAILED coq "$module" - "does not compile"
        coq_report "$module" FAILED "its file does not compile"
        return
    fi
    [ -n "$(statements coq "$module")" ] || return
    if ! coq_ask "$module" "$dir"; then
        cat "$dir/$module.answer"
        coq_report "$module" FAILED "a name of this file's rows is not proved"
        return
    fi
    while IFS='|' read -r file name text; do
        IFS= read -r axioms <&3
        rests=$(coq_judge "$axioms") && row checked coq "$file" "$name" "$text" ||
            row FAILED coq "$file" "$name" "$rests"
        echo "Print Assumptions $module.$name: $rests"
    done < <(statements coq "$module") 3<"$dir/$module.axioms"
}

coq_run() {
    local entry module needs
    mkdir -p "$build/coq"
    rm -f "$build"/coq/*.vo
    for entry in $coq_files; do
        module=${entry%%:*} needs=${entry#*:}
        if ! command -v coqc >/dev/null; then
            coq_report "$module" skipped "no coqc"
        elif ! coq_has "$needs"; then
            coq_report "$module" skipped "no $needs for Coq"
        else
            coq_module "$module"
        fi
    done
    coq_unlisted
}

# A row whose file is not in coq_files would never be looked at.
coq_unlisted() {
    local file name
    while IFS='|' read -r file name _; do
        case $coq_files in *" $file:"*) ;; *) row FAILED coq "$file" "$name" "no such file in check-coq.sh" ;; esac
    done < <(statements coq)
}

# Each line breaks one thing: module | sed script | what is broken. All must fail.
coq_mutations() {
    cat <<'END'
theorem1 @ s/2%:Z; 5%:Z; 6%:Z\]/2%:Z; 5%:Z; 7%:Z]/ @ a token of the universal pair: 6 becomes 7
theorem1 @ s/2%:Z; 5%:Z; 6%:Z\]/2%:Z; 4%:Z; 6%:Z]/ @ a token of the universal pair: 5 becomes 4
theorem1 @ s/- 3%:Z; - 1; 1; 3%:Z/- 3%:Z; - 1; 2%:Z; 3%:Z/ @ a token of the mirrored pair: 1 becomes 2
theorem1 @ s/(pairA ! 3) (pairB ! 3)/(pairA ! 1) (pairB ! 1)/ @ the position at which the pair collides
hardmax @ s/then #|maximisers|%:R^-1 else 0/then 1 else 0/ @ shared ties without the sharing
gstar @ s/1 + mu g <= g\./mu g <= g./ @ the hypothesis g >= 1 + mu
gstar_digits @ s/gstar < 1.445574911151549/gstar < 1.445574911151548/ @ g* lowered in its last digit
gstar_digits @ s/1.4456 <= g -> gstar/1.4455 <= g -> gstar/ @ the rounded constant lowered to 1.4455
lemma_f @ s/(1 - 2 \* ratio g) - mu g)\.$/(1 - ratio g) - mu g)./ @ Lemma F with 1 - q for 1 - 2q
lemma_f @ s/(1 - 2 \* ratio g) - mu g)\.$/(1 - 2 * ratio g))./ @ Lemma F without its last term
lemma1 @ s/exp (- (2 \* r))/exp (- r)/g @ Lemma 1 with e^-r for e^-2r
rank1 @ s/eps \/ 2 < norm (sub (F X x) (F Y y))/eps < norm (sub (F X x) (F Y y))/ @ other tokens keep eps for eps/2
theorem2 @ s/- (2 \* (kappa \* rmax \* rmax))/- (kappa * rmax * rmax)/ @ the promise with e^-(kappa r_max^2)
theorem2_paper @ s/2 \* L ^ 2 \* eps ^ 2/3 * L ^ 2 * eps ^ 2/ @ the closed formula with 3 for 2
zero_test @ s/forall x, collected l x = 0/forall x, x = 0 -> collected l x = 0/ @ the zero test looks at one exponent only
lemma_f @ 0,/^Qed\./s/^Qed\./Admitted./ @ a goal admitted
packing @ s/^Theorem packing/Axiom more : 0 < 1.\nTheorem packing/ @ an axiom of our own
boltzmann @ /^Theorem boltz_bounds/,/^Qed/{s/^Theorem/Variable cheat : False.\nTheorem/;/^intros/,/^rewrite/d;s/^Qed/destruct cheat.\nQed/} @ a hidden assumption
END
}

coq_break() { # module, sed script: prints how the break shows; fails if it does not
    local dir=$build/mutant log entry later= axioms rests
    rm -rf "$dir" && mkdir -p "$dir" && cp "$build"/coq/*.vo "$dir" || return 1
    sed "$2" "$here/coq/$1.v" >"$dir/$1.v"
    ! cmp -s "$dir/$1.v" "$here/coq/$1.v" || { echo "the sed script changes nothing"; return 1; }
    for entry in $coq_files; do
        entry=${entry%%:*}
        if [ "$entry" = "$1" ]; then
            later=yes
            log=$(coq_compile "$dir/$1.v" "$dir") || { echo "$log" | grep -A1 -m1 '^Error' | tr '\n' ' '; return 0; }
        elif [ -n "$later" ] && [ -z "$(statements coq "$1")" ]; then
            # definitions alone prove nothing: the files that use them must fail
            coq_compile "$here/coq/$entry.v" "$dir" >/dev/null || { echo "$entry does not compile"; return 0; }
        fi
    done
    [ -n "$(statements coq "$1")" ] && coq_ask "$1" "$dir" || return 1
    while IFS= read -r axioms; do
        rests=$(coq_judge "$axioms") || { echo "$rests"; return 0; }
    done <"$dir/$1.axioms"
    return 1
}

coq_mutate() {
    local module script what how
    command -v coqc >/dev/null || return 0
    while read -r module; do
        what=${module##* @ } script=${module#* @ }
        script=${script% @ *} module=${module%% @ *}
        if [ ! -f "$build/coq/$module.vo" ]; then
            row skipped mutate "$module" - "$what"
        elif how=$(coq_break "$module" "$script"); then
            row checked mutate "$module" - "caught: $what ($how)"
        else
            row FAILED mutate "$module" - "NOT caught: $what $how"
        fi
    done < <(coq_mutations)
}
