#!/bin/sh
# Completion after TAB, in each installed shell.
. "$srcdir/tests/cli/lib.sh"

offers() { # EXPECTED WORD...: EXPECTED is a completion of the last word
    expected=$1
    shift
    "$ATTEST" --complete "$@" >"$out" 2>"$err"
    grep -qx -e "$expected" "$out"
    result $? "offers $expected after: $*"
}
offers certify cer
offers --weights certify data.json --we
offers gap construct --strategy ''
offers theorem1-search campaign lemma1 theorem1
offers required-pair show req
offers bf16-flash2 show kernel bf16
offers fp32-any judge --kernel fp
offers collinear campaign --without co
offers tolerance help to
offers merge campaign me
offers --partial campaign merge one --par
run 0 "for a file" --complete certify da
[ ! -s "$out" ]
result $? "nothing is offered"
for command in $("$ATTEST" --complete '') "campaign merge" "campaign new" "campaign status"; do
    case $command in -* | help) continue ;; esac
    # shellcheck disable=SC2086
    "$ATTEST" --complete $command -- >"$out" 2>"$err"
    # shellcheck disable=SC2086
    "$ATTEST" $command --help | sed -n 's/^ *\(-.,\)\{0,1\} *\(--[a-z-]*\).*/\2/p' | sort -u >"$work/helped"
    sort -u "$out" | cmp -s - "$work/helped"
    result $? "$command: the options of --help"
done

PATH=$(cd "$(dirname "$ATTEST")" && pwd):$PATH
export PATH
completion=$(cd "$srcdir/completion" && pwd)
bash -c '
. "$1"
COMP_WORDS=(attest certify data.json --wei) COMP_CWORD=3
_attest
echo "${COMPREPLY[@]}"' bash "$completion/attest" >"$out" 2>"$err"
grep -qx -e --weights "$out"
result $? "bash"
if command -v zsh >"$work/zsh"; then
    # zsh completes only under a terminal: a pseudo terminal types the TAB
    cat >"$work/tab.zsh" <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; PS1=; stty -echo"
zpty -w shell 'echo ready''done'
zpty -r shell line '*readydone*'
zpty -w -n shell $'attest constr\t --strategy gap --hel\t; echo over""done\n'
zpty -r shell line '*overdone*'
print -r -- "$line"
zpty -d shell
END
    zsh -f "$work/tab.zsh" "$completion" >"$out" 2>"$err"
    grep -q 'attest construct.*--strategy gap --help' "$out"
    result $? "zsh"
else
    count=$((count + 1))
    echo "ok $count - zsh # SKIP zsh is not installed"
fi
if command -v fish >"$work/fish"; then
    HOME=$work fish -c "source $completion/attest.fish; complete -C 'attest certify data.json --wei'" >"$out" 2>"$err"
    grep -q -e '^--weights' "$out"
    result $? "fish"
else
    count=$((count + 1))
    echo "ok $count - fish # SKIP fish is not installed"
fi
finish
