# rooms.sh -- the rooms of the tree, in order, and what their object files define and use. Sourced.
# A room is a directory of src/, or props/. It may use itself and the rooms above it; where a colon
# follows its name, itself and the rooms named there, and no others.
rooms='
base
kernel: base
number
format
data
io
model
geometry
attention
theory
certify
recheck: base number data io model
judge
audit
theft: base
campaign
props
report
cli
'
# kernel, theft: what is checked must not depend on what checks it. recheck: another route to the
# same verdict shares nothing with the first but the reading of files (model: heads with norms,
# rotary positions or softcap as weights).

# may_use: awk functions that read the table from the variable rooms.
may_use='
function read_rooms(rooms,  line, n, i, word, k, above) {
    n = split(rooms, line, "\n")
    for (i = 1; i <= n; i++) {
        k = split(line[i], word, /[: ]+/)
        if (!word[1]) continue
        known[word[1]] = 1
        above = above " " word[1]
        allowed[word[1]] = " " word[1] (line[i] ~ /:/ ? substr(line[i], index(line[i], ":") + 1) : above) " "
    }
}
function may_use(mine, theirs) { return index(allowed[mine], " " theirs " ") > 0 }
function room_of(file) { return file ~ /^props\// ? "props" : substr(file, 5, index(substr(file, 5), "/") - 1) }
'

# symbols SOURCE BUILD: "FILE TYPE SYMBOL" for every external symbol of the object files, FILE being
# the source's path, TYPE the letter of nm (U: used). Objects whose source is gone are left out.
symbols() {
    {
        (cd "$1" && find src props -name '*.c' | sed 's/^/source /')
        (cd "$2" && find src props -name '*.o' | sort | xargs nm -A -P -g)
    } | awk '
        $1 == "source" { source[$2] = 1; next }
        { file = $1; sub(/\.libs\//, "", file); sub(/\/lib[a-z0-9_]*_la-/, "/", file); sub(/\.o:$/, ".c", file) }
        file in source && !seen[file, $3, $2]++ { print file, $3, $2 }'
}

# report NUMBER DESCRIPTION FOUND: a test that passes when nothing was found.
report() {
    if [ -z "$3" ]; then
        echo "ok $1 - $2"
    else
        echo "not ok $1 - $2"
        echo "$3" | sed 's/^/# /'
    fi
}
