# check-table.sh: the table statements.txt; sourced by check and freeze.

statements() { # tool [file]: its rows "file|name|guards|code|text"
    awk -F ' [|] ' -v tool="$1" -v file="${2-}" \
        '!/^#/ && $1 == tool && (file == "" || $2 == file) {
            text = $6; for (i = 7; i <= NF; i++) text = text " | " $i
            print $2 "|" $3 "|" $4 "|" $5 "|" text }' "$here/statements.txt"
}
