# check-mutate.sh: breaks proofs, statements, hypotheses, definitions and the C code on purpose, one at
# a time; sourced by check. Every break must be caught.
#
# Kinds of breaks of a file in coq/:
#   proof       must not compile, or rest on something that is not allowed
#   statement   something else is proved under the same name; statements.v may catch it
#   definition  something else is called by the same name; statements.v may catch it
#   hypothesis  too much is assumed; statements.v is not compared, as if the new statement had been
#               frozen as well, so the guards must catch it

# kind @ module @ sed script @ what is broken
coq_mutations() {
    cat <<'END'
proof @ theorem1 @ s/2%:Z; 5%:Z; 6%:Z\]/2%:Z; 5%:Z; 7%:Z]/ @ a token of the universal pair: 6 becomes 7
proof @ theorem1 @ s/(pairA ! 3) (pairB ! 3)/(pairA ! 1) (pairB ! 1)/ @ the position at which the pair collides
proof @ gstar_digits @ s/gstar < 1.445574911151549/gstar < 1.445574911151548/ @ g* lowered in its last digit
proof @ gstar_digits @ s/sharp < 1.316957896924817/sharp < 1.316957896924816/ @ log(2 + sqrt 3) lowered in its last digit
proof @ lemma_f @ s/(1 - 2 \* ratio g) - mu g)\.$/(1 - ratio g) - mu g)./ @ Lemma F with 1 - q for 1 - 2q
proof @ lemma_f @ s/(1 - 2 \* ratio g) - mu g)\.$/(1 - 2 * ratio g))./ @ Lemma F without its last term
proof @ sharp_gap @ s/^Definition sharp : R := ln (2 + sqrt 3)/Definition sharp : R := ln (2 + sqrt 2)/ @ the sharp gap from log(2 + sqrt 2) on
proof @ sharp_gap @ s/(1 - 2 \* ratio g) - mu g)\.$/(1 - ratio g) - mu g)./ @ the sharp gap with 1 - q for 1 - 2q
proof @ sharp_gap @ s/if Rlt_dec t (2 \* g) then shallow g/if Rlt_dec t (3 * g) then shallow g/ @ the sharp gap: the mean depth of {0, t} up to 3g
proof @ sharp_gap @ s/^Definition shallow (g : R) : R := g \* ratio g/Definition shallow (g : R) : R := 0 * ratio g/ @ the sharp gap: a mean depth of 0
proof @ sharp_gap @ s/boltz A - boltz B >= g - nu g /boltz A - boltz B >= g - mu g / @ the sharp gap: other maxima, mu for nu
proof @ sharp_collision @ s/^Theorem sharp_collision g : g < sharp/Theorem sharp_collision g : g < 2/ @ collisions up to a gap of 2
proof @ family @ s/sharp <= g i /1 <= g i / @ a family with gaps of 1
proof @ lemma1 @ s/exp (- (2 \* r))/exp (- r)/g @ Lemma 1 with e^-r for e^-2r
proof @ rank1 @ s/eps \/ 2 < norm (sub (F X x) (F Y y))/eps < norm (sub (F X x) (F Y y))/ @ different tokens stay eps apart instead of eps/2
proof @ theorem2 @ s/- (2 \* (kappa \* rmax \* rmax))/- (kappa * rmax * rmax)/ @ the promise with e^-(kappa r_max^2)
proof @ theorem2_paper @ s/2 \* L ^ 2 \* eps ^ 2/3 * L ^ 2 * eps ^ 2/ @ the closed formula with 3 for 2
proof @ theorem2_exists @ s/INR (length V + 1) ^ 2 in/INR (length V) ^ 2 in/ @ a direction as for one token less
proof @ direction @ s/norm z \/ INR (length l) <= Rabs (dot v z)/norm z <= Rabs (dot v z)/ @ a direction that keeps whole distances
proof @ gap @ s/Rmin (sharp_bound g g) (Rmin/Rmax (sharp_bound g g) (Rmin/ @ gap: the larger end for the smaller
proof @ gap @ s/Rmin (sharp_bound g g) (Rmin (sharp_bound g (2 \* g)) (sharp_bound g top))/Rmin (sharp_bound g (2 * g)) (sharp_bound g top)/ @ gap: the nearest depth left out
proof @ tuned @ s/norm w \* (hi - lo) < norm (sub x y)/norm w * (hi - lo) <= norm (sub x y)/ @ tuned: tokens may be as close as the head moves them
proof @ memorize @ s/eps < norm (sub (encode (2 \* r + eps)/eps < norm (sub (encode (2 * r)/ @ a positional step of 2 r_max
proof @ memorize @ s/0 < w -> w <= g \/ 4/0 < w -> w <= g/ @ a ramp as wide as the gap
proof @ corollary1 @ s/d \* (2 \* n \* N + d))%nat/d * (n * N + d))%nat/ @ Corollary 1 with n N hidden units
proof @ collapse @ s/2 \* e <= s ->$/e <= s ->/ @ the collapse at e <= s
proof @ collapse @ s/length values ^ d)%nat\.$/length values ^ pred d)%nat./ @ M^(d-1) classes
proof @ judge @ s/(leaves t - 1) - 1)/(leaves t - 2) - 1)/ @ a tree of n - 2 roundings for n - 1
proof @ judge @ s/0 <= phi -> N \/ S <= r + phi \/ low/0 <= phi -> N \/ S <= r + phi \/ high/ @ a quotient bounded with the larger sum
proof @ judge_steps @ s/sum (fun f => f e) losses <= e ->/sum (fun f => f 0) losses <= e ->/ @ blocks: the losses without the error
proof @ zero_test @ s/forall x, collected l x = 0/forall x, x = 0 -> collected l x = 0/ @ the zero test tests one exponent only
proof @ two_layers @ s/k l : (forall j, 0 < t j) -> (forall j, 0 < t' j) ->/k l : (forall j, 0 < t j) -> (forall j, 0 <= t' j * t' j) ->/ @ two layers: the second sequence has both signs
proof @ certificate @ s/check c D W = true -> true_certificate/true_certificate/ @ a checker that must be right when it rejects
proof @ lemma_f @ 0,/^Qed\./s/^Qed\./Admitted./ @ a goal admitted
proof @ packing @ s/^Theorem packing/Axiom more : 0 < 1.\nTheorem packing/ @ an axiom of our own
proof @ boltzmann @ /^Theorem boltz_bounds/,/^Qed/{s/^Theorem/Variable cheat : False.\nTheorem/;/^intros/,/^rewrite/d;s/^Qed/destruct cheat.\nQed/} @ a hidden assumption
hypothesis @ theorem2_paper @ s/^Hypotheses (rmin_pos/Hypotheses (less : rmax < eps) (negative : eps < 0).\n&/;/^Theorem theorem2_paper/,/^Qed\./{s/^Proof\..*/Proof. exfalso; lra./;/^Proof/,/^Qed/{/^Proof/!{/^Qed/!d}}} @ rmax < eps and eps < 0 among the hypotheses of Theorem 2, proved by exfalso
definition @ definition2 @ s/^  ~ same_vocabulary i k j l \\\/ token/  token/ @ different tokens only are required: half of Definition 2 gone
definition @ definition2 @ s/^  ~ same_vocabulary i k j l \\\/ token i k <> token j l/  ~ same_vocabulary i k j l/ @ different vocabularies only are required
definition @ definition2 @ s/NoMask => True | Causal => j <= k end/NoMask => True | Causal => True end/ @ a causal mask that hides nothing
definition @ sums @ s/x :: l' => f x + sum f l' end/x :: l' => f x + sum f l' + 0 end/ @ a sum written in another way
definition @ boltzmann @ s/^Definition weight (l : list R) (a : R) : R := exp a/Definition weight (l : list R) (a : R) : R := exp a * 1/ @ a softmax weight written in another way
definition @ gstar @ s/^Definition wide (g : R) : Prop := 0 < g \/\\/Definition wide (g : R) : Prop := 0 < g \/\\ 0 < 1 \/\\/ @ another threshold
definition @ packing @ s/x <> y -> g <= Rabs (x - y)\./x <> y -> x < y -> g <= Rabs (x - y)./ @ gaps between ascending values only
definition @ lemma_f @ s/(In c A \/\\ ~ In c B) \\\/ (In c B \/\\ ~ In c A)\./In c A \/\\ ~ In c B./ @ a symmetric difference of one side
definition @ lemma1 @ s/x <> y -> delta < Rabs (x - y)\./x <> y -> x < y -> delta < Rabs (x - y)./ @ separated in one order only
definition @ vectors @ s/^Definition norm (x : vec) : R := sqrt (dot x x)/Definition norm (x : vec) : R := sqrt (dot x x) + 0/ @ another norm
definition @ softmax @ s/norm (sub o o') > delta)$/norm (sub o o') > delta \\\/ delta > 0)/ @ far, or delta > 0
definition @ softmax @ s/^Definition example (i : bool) : list vec := .*/Definition example (i : bool) : list vec := [[1]; [2]]./ @ another example
definition @ theorem2 @ s/\(^Definition promise : R := norm w \* (L \* L\)/\1 * 0/ @ a promise of 0
definition @ theorem2_paper @ s/^  2 \* L ^ 2 \* eps ^ 2 \* rmin/  0 * L ^ 2 * eps ^ 2 * rmin/ @ the closed delta is 0
definition @ theorem2_exists @ s/x <> y -> eps < norm (sub x y))\./x <> y -> i = j -> eps < norm (sub x y))./ @ Definition 1 inside a sequence only
definition @ theorem2_exists @ s/norm u <> 0 \/\\ norm v <> 0 \/\\/norm v <> 0 \/\\/ @ rank at most one
definition @ gap @ s/^  norm w \* sharp_least/  0 * norm w * sharp_least/ @ gap: a promise of 0
definition @ sharp_gap @ s/^Definition nu (g : R) : R := mu g /Definition nu (g : R) : R := 0 + mu g / @ nu written in another way
definition @ sharp_collision @ s/^Definition balance (m : nat) (q : R) : R := 1 -/Definition balance (m : nat) (q : R) : R := 2 -/ @ another balance
definition @ zero_test @ s/q <> 0%Z \/\\ x = IZR p/x = IZR p/ @ a rational with a zero denominator
definition @ memorize @ s/^Definition relu (t : R) : R := Rmax t 0/Definition relu (t : R) : R := Rmax 0 t/ @ relu written in another way
definition @ corollary1 @ s/(4 \* (s + d) + d \* hidden)/(4 * (s + d) + hidden)/ @ W_2 not counted
definition @ collapse @ s/| O => \[\[\]\]/| O => []/ @ no vector without entries
definition @ judge @ s/Rabs (exact t) <= M \/\\$/True \/\\/ @ sums without a bound
definition @ judge_steps @ s/Rabs (C k - W k) <= cast k/True/ @ a weight in the product that may be anything
definition @ certificate @ s/| Undecided => True$/| Undecided => False/ @ undecided certificates are never true
definition @ certificate @ s/| Proved => (forall p, there p -> below_r/| Proved => True \\\/ (forall p, there p -> below_r/ @ "proved" claims nothing
definition @ exp_approx @ s/355 \* powerRZ 2 (-13)/354 * powerRZ 2 (-13)/ @ a shorter range
definition @ kernel_bound @ s/^Definition factors (l : list R) : R := fold_right (fun e p => (1 + e)/Definition factors (l : list R) : R := fold_right (fun e p => (1 + 0)/ @ roundings without an error
definition @ hardmax @ s/then #|maximisers|%:R^-1 else 0/then 1 else 0/ @ shared ties without the sharing
definition @ hardmax @ s/sqnorm (o - o') > delta ^+ 2) output/true || (sqnorm (o - o') > delta ^+ 2)) output/ @ hardmax: anything is far
definition @ two_layers @ s/^  attention ty NoMask L2 (attention ty NoMask L1 Z)/  attention ty NoMask L1 (attention ty NoMask L2 Z)/ @ the layers in another order
definition @ collinear @ s/forall i, vis i -> t i <= t j \& forall i, vis' i -> t' i <= t' j'\]/forall i, vis i -> t i <= t j \& True]/ @ a largest multiple on one side only
definition @ guard @ s/| _ => exact (~ T)/| _ => exact True/ @ a guard that always holds
END
}

# The statements that are attacked in general, the first of each file and those that the README leads
# with: replaced by "False -> statement" (hypothesis), by "True" (statement).
coq_attacked() {
    local entry module
    for entry in $coq_files; do
        module=${entry%%:*}
        statements coq "$module" | awk -F'|' 'NR == 1 { print $1, $2 }'
    done
    cat <<'END'
lemma_f lemma_f
sharp_gap sharp_gap
family sharp_family_bound
lemma1 lemma1_sizes
theorem2_exists theorem2
gap gap_contextual
corollary1 corollary1
judge_steps row_above
END
}

coq_replace() { # module, name, type: the file with another theorem under that name, its guards untouched
    awk -v name="$2" -v type="$3" '
        function word(line, out) {
            out = ""
            while (match(line, "[A-Za-z0-9_'"'"']+")) {
                w = substr(line, RSTART, RLENGTH)
                out = out substr(line, 1, RSTART - 1) (w == name ? name "_honest" : w)
                line = substr(line, RSTART + RLENGTH)
            }
            return out line
        }
        /^\(\* Guards?[:.]/ && !done {
            print "Theorem " name " : " type ".\nProof. first [exact Logic.I | intros []]. Qed.\n"
            done = 1
        }
        { print done || /^From/ ? $0 : word($0) }' "$here/coq/$1.v"
}

# Prints which check notices a changed file; fails if none does.
coq_caught() { # module, its new text, kind
    local dir=$build/mutant log entry later= axioms rests
    log=$(coq_compile "$2" "$dir") || { echo "$log" | grep -A1 -m1 '^Error' | tr '\n' ' ' | cut -c1-90; return 0; }
    if [ "$3" != hypothesis ] && ! frozen_compile "$dir" "$1" >/dev/null; then
        echo "statements.v"
        return 0
    fi
    if [ -n "$(statements coq "$1")" ]; then
        axioms=$(coq_ask "$1" "$dir") || { echo "guards"; return 0; }
        rests=$(coq_judge "$axioms") || { echo "$rests"; return 0; }
    fi
    for entry in $coq_files; do # definitions alone prove nothing: a file that uses them must fail
        entry=${entry%%:*}
        if [ "$entry" = "$1" ]; then
            later=yes
        elif [ -n "$later" ] && [ "$3" = definition ] && [ -f "$build/coq/$entry.vo" ]; then
            coq_compile "$here/coq/$entry.v" "$dir" >/dev/null || { echo "$entry does not compile"; return 0; }
        fi
    done
    return 1
}

coq_break() { # kind, module, text of the changed file, what is broken: a row
    local dir=$build/mutant how
    if [ ! -f "$build/coq/$2.vo" ]; then
        row skipped mutate "$2" - "$1: $4"
    elif cmp -s "$3" "$here/coq/$2.v"; then
        row FAILED mutate "$2" - "$1: nothing is changed: $4"
    else
        cp "$build"/coq/*.vo "$dir"
        if how=$(coq_caught "$2" "$3" "$1"); then
            row checked mutate "$2" - "$1 caught: $4 ($how)"
        else
            row FAILED mutate "$2" - "$1 NOT caught: $4"
        fi
    fi
}

coq_mutate() {
    local line kind module name script what dir=$build/mutant
    command -v coqc >/dev/null || return 0
    rm -rf "$dir" && mkdir -p "$dir" || return
    while read -r line; do
        kind=${line%% @ *} line=${line#* @ } what=${line##* @ }
        module=${line%% @ *} script=${line#* @ }
        sed "${script% @ *}" "$here/coq/$module.v" >"$dir/$module.v"
        coq_break "$kind" "$module" "$dir/$module.v" "$what"
    done < <(coq_mutations)
    while read -r module name; do
        coq_replace "$module" "$name" "False -> ltac:(let T := type of (@${name}_honest) in exact T)" >"$dir/$module.v"
        coq_break hypothesis "$module" "$dir/$module.v" "$name with the hypothesis False"
        coq_replace "$module" "$name" "True" >"$dir/$module.v"
        coq_break statement "$module" "$dir/$module.v" "$name replaced by True"
    done < <(coq_attacked)
    code_mutate
    coq_mutate_kernel
}

# The C code: file @ sed script @ what is broken. The constants are read and proved again.
code_mutations() {
    cat <<'END'
src/theory/theorem2_strategies.c @ s/gaps\[\] = {1317,/gaps[] = {1316,/ @ a gap below log(2 + sqrt 3) in theorem2_strategies.c
src/theory/theorem2_strategies.c @ s/gaps\[i\], 1000)/gaps[i], 1001)/ @ gaps over another denominator
src/theory/theorem2.c @ s/ || !lessen(bound, log2, gap, gap) ||/ ||/;s/!lessen(bound, log2, gap, twice)/false/ @ a promise that leaves 2g out
src/certify/first_difference_scan.c @ s/set_constants(query, 1.31695789692481)/set_constants(query, 1.31695789692482)/ @ a number above log(2 + sqrt 3) for one below
src/recheck/lemma.c @ s/reach = 0.6585/reach = 0.6584/ @ a mean depth below nu in the check of certificates
src/recheck/lemma_order.c @ s/event->token, 0, -0.5)/event->token, 0, -0.4)/ @ different maxima, with too large a distance
src/theory/lemma1.c @ s/arb_add_ui(need, need, 3, bits)/arb_add_ui(need, need, 2, bits)/ @ 2 log n + 2 in lemma1.c
src/theory/theorem2_strategies.c @ s/arb_pow_ui(x, x, 4, 128)/arb_pow_ui(x, x, 3, 128)/ @ kappa with (|V| + 1)^3
src/theory/theorem2_strategies.c @ s/arb_set_ui(x, tokens + 1)/arb_set_ui(x, tokens + 2)/ @ kappa with |V| + 2
src/theory/theorem2.c @ s/arb_add_ui(factor, factor, 3, BITS)/arb_add_ui(factor, factor, 4, BITS)/ @ the closed formula with 2 log n + 4
src/certify/first_difference_scan.c @ s/threshold_above = 1.3169578969249/threshold_above = 1.3169578969248/ @ a number below log(2 + sqrt 3) for one above
src/judge/arithmetic.h @ s/evaluation_up, 0x1p-40/evaluation_up, 0x1p-42/ @ ATTEST_JUDGE_UP for fewer roundings
src/judge/loops_keys.inc @ s/vector_set(1 + 0x1p-40)/vector_set(1 + 0x1p-42)/ @ the same in the vector loops
src/judge/row_weights.c @ s/NARROW 0x1p-5/NARROW 0x1p-4/ @ wider rows are called narrow
src/theory/lemma_f.c @ s/attest_lemma_f_bound/attest_lemma_f_limit/ @ a function that a statement names is renamed
src/theory/memorize.c @ s/4 \* (s + d) + d \* h;/4 * (s + d) + h;/ @ parameters are counted in another way
END
}

code_mutate() {
    local file script what code gone tree=$build/mutant/tree dir=$build/mutant
    [ -f "$build/coq/constants.vo" ] || return 0
    while IFS='@' read -r file script what; do
        file=${file% } script=${script# } gone=
        rm -rf "$tree" && mkdir -p "$tree/include" && cp -r "$here/../src" "$tree/" && cp -r "$here/../include/attest" "$tree/include/"
        chmod -R u+w "$tree"
        sed -i "${script% }" "$tree/$file"
        cp "$build"/coq/*.vo "$dir"
        if cmp -s "$tree/$file" "$here/../$file"; then
            row FAILED mutate "code" - "nothing is changed:$what"
            continue
        fi
        while IFS='|' read -r _ _ _ code _; do
            gone=$(find_missing_code "$code" "$tree") || break
        done < <(statements coq)
        if [ -n "$gone" ]; then
            row checked mutate "code" - "caught:$what (gone: $gone)"
        elif ! coq_code "$dir" "$tree" >/dev/null 2>&1; then
            row checked mutate "code" - "caught:$what (c-source)"
        elif ! coq_compile "$here/coq/constants.v" "$dir" >/dev/null; then
            row checked mutate "code" - "caught:$what (constants does not compile)"
        else
            row FAILED mutate "code" - "NOT caught:$what"
        fi
    done < <(code_mutations)
}

# The same for the constants in the C code: file | sed script | what is broken.
coq_kernel_mutations() {
    cat <<'END'
header @ s/\(ATTEST_EXP_C2 0x1.0000000000\)10f/\1aaf/ @ a coefficient of the polynomial
header @ s/\(ATTEST_EXP_T5 0x1.8acdc885df42\)3/\14/ @ the last bit of a table entry
header @ s/\(ATTEST_EXP_STEP_LO -0x1.8432a1b0e2\)634/\1934/ @ the low part of the step
header @ s/\(ATTEST_EXP_STEP_HI 0x1.62e42fefa4\)p/\1000f7p/ @ a step with more than 39 bits
promise @ s/\(ATTEST_KERNEL_EXP_ULP 0\.\)60/\159/ @ the promised error lowered to 0.59 ulp
bounds @ s/\(ATTEST_BOUND_SLACK 0x1.0000\)4p/\11p/ @ a slack of 2^-20 for second-order terms
bounds @ s/\(ATTEST_BOUND_SIZE_LIMIT 0x1p+3\)0/\15/ @ sizes up to 2^35
bounds @ s/\(ATTEST_BOUND_SHARP_DELTA_SQUARE 0x1p-\)42/\138/ @ the bound by weights for larger score errors
bounds @ s/\(ATTEST_BOUND_SHARP_VALUE 0x1.\)8p/\14p/ @ two errors under one root, the first factor lowered
bounds @ s/\(ATTEST_BOUND_SHARP_OUT 0x1.\)8p/\14p/ @ two errors under one root, the second factor lowered
bounds @ s/\(ATTEST_BOUND_PEAK_SLACK 0x1p-\)18/\120/ @ the slack of a concentrated row
bounds @ s/\(ATTEST_BOUND_PEAK_DELTA 0x1p+\)4/\12/ @ the score error of a concentrated row
bounds @ s/\(ATTEST_BOUND_MARGIN 0x1p+\)2/\11/ @ the margin by which a hardmax key wins
bounds @ s/\(ATTEST_BOUND_MARGIN_AGAIN 0x1p+\)3/\12/ @ the margin of the second test
END
}

coq_break_kernel() { # header, promise, bounds: fails if the proofs still pass
    local dir=$build/mutant file
    rm -f "$dir"/exp_*.vo "$dir/kernel_bound.vo"
    coq_kernel "$dir" "$1" "$2" "$3" >/dev/null 2>&1 || { echo "exp_constants"; return 0; }
    for file in kernel_bound exp_approx exp_rounding exp_error; do
        coq_compile "$here/coq/$file.v" "$dir" >/dev/null || { echo "$file does not compile"; return 0; }
    done
    return 1
}

coq_mutate_kernel() {
    local line which script what how dir=$build/mutant
    [ -f "$build/coq/exp_error.vo" ] && [ -f "$build/coq/kernel_bound.vo" ] || return 0
    while read -r line; do
        what=${line##* @ } script=${line#* @ }
        script=${script% @ *} which=${line%% @ *}
        cp "$kernel_header" "$dir/header" && cp "$kernel_promise" "$dir/promise" &&
            cp "$kernel_bounds" "$dir/bounds"
        sed -i "$script" "$dir/$which"
        if cmp -s "$dir/header" "$kernel_header" && cmp -s "$dir/promise" "$kernel_promise" &&
            cmp -s "$dir/bounds" "$kernel_bounds"; then
            row FAILED mutate exp_constants - "the sed script changes nothing: $what"
        elif how=$(coq_break_kernel "$dir/header" "$dir/promise" "$dir/bounds"); then
            row checked mutate exp_constants - "caught: $what ($how)"
        else
            row FAILED mutate exp_constants - "NOT caught: $what"
        fi
    done < <(coq_kernel_mutations)
}

# The attacks of the table, as a page; attacks.md is the page of the last complete run. Errors of Coq are
# not quoted, since their wording depends on the version.
attacks_page() { # table
    cat <<'END'
# Attacks on the statements

Each row names a change that `make check-proofs-mutate` makes in a copy of the proofs, the statements, the guards or the C code, and the
check that detected it. That command writes this page (`proofs/attacks.md` in the build directory); `tests/meta/statements.sh` compares it with the list of attacks.

- *proof*: a constant or a step is changed. *statement*: something else is proved under the same name. *definition*: something else is called by the same name.
- *hypothesis*: too much is assumed. Here `statements.v` is not compared, as if the new statement had been frozen as well.
- *code*: the C code is changed, and its constants and names are read again.

| | attack on | what is changed | detected by |
|---|---|---|---|
END
    awk '$2 == "mutate" {
        result = $1; file = $3
        sub(/^.*mutate +[^ ]+ +- +/, "")
        kind = "code"
        if (match($0, /^(proof|statement|definition|hypothesis) /)) { kind = substr($0, 1, RLENGTH - 1); sub(/^[a-z]+ /, "") }
        sub(/^(NOT )?caught: */, "")
        at = match($0, / \((Error|gone: )/) ? RSTART : match($0, / \([^(]*$/)
        what = substr($0, 1, at - 1); how = substr($0, at + 2); sub(/\)[^)]*$/, "", how)
        if (how ~ /^Error/) how = file ".v does not compile"
        if (result != "checked") how = "**nothing**"
        sub(/ does not compile$/, ".v does not compile", how); sub(/\.v\.v/, ".v", how)
        gsub(/\|/, "\\|", what)
        printf "| %d | %s: `%s` | %s | %s |\n", ++n, kind, file, what, how
    }' "$1"
}

attacks_listed() { # what the attacks change, as the page has it
    {
        coq_mutations | sed 's/.* @ //'
        coq_attacked | sed 's/^[^ ]* //;h;s/$/ with the hypothesis False/p;g;s/$/ replaced by True/'
        code_mutations | sed 's/.* @ //'
        coq_kernel_mutations | sed 's/.* @ //'
        kernel_mutations | sed 's/.* @ //'
    } | sed 's/|/\\|/g'
}
