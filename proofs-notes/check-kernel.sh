# check-kernel.sh: the kernels' Gappa and Sollya scripts; sourced by check.
#
# Coq proves the same from the same constants (exp_approx.v, exp_rounding.v, exp_error.v); here the
# tools are run on their own, for each entry of the table.

kernel_script() { # tool, file, directory of the notes: does its claim hold?
    case $1 in
    gappa) # on a false claim gappa may not end; a true one takes a second
        sh "$3/gappa/constants.sh" "$3/gappa/$2.gappa.in" | (ulimit -t 20 && gappa 2>&1)
        ;;
    sollya)
        sh "$3/gappa/constants.sh" "$3/sollya/$2.sollya.in" >"$build/$2.sollya" || return
        # sollya's exit status does not depend on the result
        sollya "$build/$2.sollya" </dev/null 2>&1 | tee "$build/$2.log"
        [ "$(tail -n 1 "$build/$2.log")" = proved ]
        ;;
    esac
}

kernel_run() {
    local tool file name code text gone
    for tool in gappa sollya; do
        while IFS='|' read -r file name _ code text; do
            if ! command -v "$tool" >/dev/null; then
                row skipped "$tool" "$file" "$name" "no $tool"
            elif ! gone=$(find_missing_code "$code"); then
                row FAILED "$tool" "$file" "$name" "the C code that it names is gone: $gone"
            elif kernel_script "$tool" "$file" "$here"; then
                row checked "$tool" "$file" "$name" "$text"
            else
                row FAILED "$tool" "$file" "$name" "$text"
            fi
        done < <(statements "$tool")
    done
}

# tool @ script @ file to break @ sed script @ what is broken
kernel_mutations() {
    cat <<'END'
sollya @ kernel-exp @ src/kernel/exp_constants.h @ s/\(ATTEST_EXP_C2 0x1.0000000000\)10f/\1aaf/ @ a coefficient of the polynomial
sollya @ kernel-exp @ src/kernel/exp_constants.h @ s/\(ATTEST_EXP_T5 0x1.8acdc885df42\)3/\14/ @ the last bit of a table entry
gappa @ kernel-exp-polynomial @ proofs-notes/gappa/kernel-exp-polynomial.gappa.in @ s/0x1.0ep-58/0x1.0cp-58/ @ the claimed rounding error of the polynomial
gappa @ kernel-exp-reduction @ proofs-notes/gappa/kernel-exp-reduction.gappa.in @ s/0x1.001p-58/0x1.ffp-59/ @ the claimed rounding error of the reduction
gappa @ kernel-exp-small @ proofs-notes/gappa/kernel-exp-small.gappa.in @ s/0x1.00000000001p-53/0x1.fffp-54/ @ the claimed rounding of subnormal results
gappa @ kernel-exp-small @ proofs-notes/gappa/kernel-exp-small.gappa.in @ s/rnd(s \* p + (s - y))/rnd(0 * s)/ @ a subnormal result rounded twice
gappa @ kernel-bound-row @ proofs-notes/gappa/kernel-bound-row.gappa.in @ s/0x1p-50, 0x1p-50/0x1p-52, 0x1p-52/ @ the claimed rounding of the bound by weights
gappa @ kernel-bound-row @ src/kernel/bound_constants.h @ s/\(SQUARE_FLOOR 0x1p-\)960/\11060/ @ squares that start at a subnormal number
END
}

kernel_mutate() {
    local tool script file sed what tree=$build/mutant/tree
    while IFS='@' read -r tool script file sed what; do
        tool=${tool% } script=${script# } script=${script% } file=${file# } file=${file% }
        command -v "$tool" >/dev/null || continue
        rm -rf "$tree" && mkdir -p "$tree/src/kernel" "$tree/proofs-notes"
        cp "$kernel_header" "$kernel_bounds" "$tree/src/kernel/" && cp -r "$here/gappa" "$here/sollya" "$tree/proofs-notes/"
        chmod -R u+w "$tree"
        sed -i "$sed" "$tree/$file"
        if cmp -s "$tree/$file" "$here/../$file"; then
            row FAILED mutate "$script" - "the sed script changes nothing:$what"
        elif kernel_script "$tool" "$script" "$tree/proofs-notes" >/dev/null 2>&1; then
            row FAILED mutate "$script" - "NOT caught:$what"
        else
            row checked mutate "$script" - "caught:$what ($tool)"
        fi
    done < <(kernel_mutations)
}
