# check-code.sh: the C code that a statement names; sourced by check.

# The column "code" of a row: "-", or "FILE:NAME" or "FILE:NAME:TEXT", joined by ";". The file defines
# the function, macro or object NAME, and its definition contains TEXT (blanks count as one).
find_missing_code() { # column, [source tree]: prints the first missing item; fails if there is one
    local item file name text body
    [ "$1" != - ] || return 0
    while read -r item; do
        file=${item%%:*} name=${item#*:} text=
        [[ $name != *:* ]] || text=${name#*:}
        name=${name%%:*}
        if ! body=$("$here/c-source" "${2-$here/..}" body "$file" "$name" 2>/dev/null); then
            echo "$file: $name"
            return 1
        elif [[ -n $text && $body != *"$text"* ]]; then
            echo "$file: $name: $text"
            return 1
        fi
    done < <(tr ';' '\n' <<<"$1")
}
