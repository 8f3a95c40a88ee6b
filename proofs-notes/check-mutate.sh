# check-mutate.sh: breaks the proofs, the statements and what they speak of on purpose; sourced by check.

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
tuned @ s/norm w \* (hi - lo) < norm (sub x y)/norm w * (hi - lo) <= norm (sub x y)/ @ tuned: tokens may be as close as the head moves them
memorize @ s/eps < norm (sub (encode (2 \* r + eps)/eps < norm (sub (encode (2 * r)/ @ a positional step of 2 r_max
memorize @ s/high r <= t) ->$/low r <= t) ->/ @ a class on a ramp
memorize @ s/0 < w -> w <= g \/ 4/0 < w -> w <= g/ @ a ramp as wide as the gap
judge @ s/(leaves t - 1) - 1)/(leaves t - 2) - 1)/ @ a tree of n - 2 roundings for n - 1
judge @ s/0 <= phi -> N \/ S <= r + phi \/ low/0 <= phi -> N \/ S <= r + phi \/ high/ @ a quotient bounded with the larger sum
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
    [ -n "$(statements coq "$1")" ] && axioms=$(coq_ask "$1" "$dir") || return 1
    rests=$(coq_judge "$axioms") || { echo "$rests"; return 0; }
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
    coq_mutate_kernel
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
bounds @ s/\(ATTEST_BOUND_MARGIN_AGAIN 0x1p+\)3/\12/ @ the margin of the second look
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
