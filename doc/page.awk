# page.awk -- the page of a command, in Markdown: what --help prints, and what doc/commands has to add.
#
#     attest certify --help | awk -f page.awk -v name=certify -v prose=doc/commands/certify.md
#
# Without a name it is the overview, made of attest --help; the table of commands goes below its heading.

function plain(text) { # text that is no Markdown
    gsub(/[\\`*_<>|]|\[|\]/, "\\\\&", text)
    return text
}
function add_prose(   line) {
    while ((getline line <prose) > 0) {
        print line
        if (line == "## Commands")
            printf "\n%s", commands
    }
    print ""
}
function option(line) { # a line of the table: what is left of column 26 opens an entry
    left = substr(line, 1, 25)
    if (line ~ /^  ((-.,|   ) --|-. [A-Z])/) {
        text = substr(line, 27)
        if (substr(line, 26, 1) != " " || left !~ / $/) { # too long for its column: the text follows
            left = line
            text = ""
        }
        sub(/^ +/, "", left)
        sub(/ +$/, "", left)
        printf "%s`%s`\n: %s", "\n\n", left, plain(text)
    } else {
        sub(/^ +/, "", line)
        printf "%s%s", text == "" ? "" : "\n  ", plain(line)
        text = line
    }
}

NR == 1 {
    part = "usage"
    sub(/^Usage: /, "")
    usage = "    " $0 "\n"
    next
}
part == "usage" && $0 != "" {
    sub(/^       /, "")
    usage = usage "    " $0 "\n"
    next
}
part == "usage" { part = "summary"; next }
part == "summary" {
    sub(/\.$/, "")
    printf "# attest%s\n\n%s\n\n## Synopsis\n\n%s", name == "" ? "" : "-" name,
        tolower(substr($0, 1, 1)) plain(substr($0, 2)), usage
    part = name == "" ? "overview" : "details"
    described = 0
    next
}
part == "overview" && $0 == "" && commands != "" { part = "end" }
part == "overview" && /^  [a-z]/ {
    command = substr($0, 3, 16) # campaign status is the longest
    sub(/ +$/, "", command)
    file = command
    sub(/ /, "-", file)
    commands = commands "[`attest " command "`](" file ".md)\n: " plain(substr($0, 20)) "\n\n"
}
part == "details" && /^Options:$/ {
    printf "\n"
    add_prose()
    print "## Options"
    part = "options"
    next
}
part == "details" && $0 != "" {
    if (!described)
        printf "\n## Description\n\n"
    described = 1
    if (/^  /) { # a table of its own: as it stands
        printf "%s    %s\n", aligned ? "" : "\n", $0
        aligned = 1
    } else {
        printf "%s%s\n", aligned ? "\n" : "", plain($0)
        aligned = 0
    }
}
part == "options" && /^Example:$/ { printf "\n\n## Examples\n\n"; part = "example"; next }
part == "options" && $0 != "" { option($0) }
part == "example" { sub(/^  /, "    "); print }
END {
    if (name == "") {
        print "\n## Description\n"
        add_prose()
    } else
        print "\n## See also\n\n[attest(1)](attest.md): numbers, files, exit status, environment."
}
