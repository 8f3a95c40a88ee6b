# man.awk -- a page of the manual (page.awk) for man(1): headings, paragraphs, code, lists and definitions.
#
#     awk -f man.awk -v version=1.2.3 certify.md >attest-certify.1

function fonts(text,   out, mark) { # `code`, **strong** and *emphasis*
    while (match(text, /`[^`]*`|\*\*[^*]+\*\*|\*[^*]+\*/)) {
        mark = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        if (mark ~ /^`/)
            gsub(/-/, "\003", mark)
        out = out "\004" (mark ~ /^\*[^*]/ ? "I" : "B") strip(mark) "\004R"
    }
    return out text
}
function strip(mark) {
    gsub(/^[`*]+|[`*]+$/, "", mark)
    return mark
}
function links(text,   mark) { # a link is its text
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
        mark = substr(text, RSTART + 1, RLENGTH - 1)
        sub(/\]\(.*/, "", mark)
        text = substr(text, 1, RSTART - 1) mark substr(text, RSTART + RLENGTH)
    }
    return text
}
function roff(text) { # what would be a request, or an escape, is none
    gsub(/\\/, "\\e", text)
    return text ~ /^[.']/ ? "\\&" text : text
}
function say(text,   i) { # a paragraph; what Markdown escapes is hidden while it is read
    for (i = 1; i <= length(escaped); i++)
        while ((at = index(text, "\\" substr(escaped, i, 1))) > 0)
            text = substr(text, 1, at - 1) "\001" substr("ABCDEFGHI", i, 1) substr(text, at + 2)
    text = roff(fonts(links(text)))
    for (i = 1; i <= length(escaped); i++)
        while ((at = index(text, "\001" substr("ABCDEFGHI", i, 1))) > 0)
            text = substr(text, 1, at - 1) (i == 1 ? "\\e" : substr(escaped, i, 1)) substr(text, at + 2)
    gsub(/\003/, "\\-", text)
    gsub(/\004/, "\\f", text)
    print text
}
function flush() { # what was gathered is a paragraph, after its request
    if (paragraph == "")
        return
    if (request != "")
        print request
    if (term != "")
        say(term)
    say(paragraph)
    paragraph = term = ""
    request = ".PP"
}
function code(line) {
    if (!coding)
        print ".PP\n.RS 4\n.nf"
    coding = 1
    line = roff(line)
    gsub(/-/, "\\-", line)
    print line
}

BEGIN { escaped = "\\`*_<>|[]" }
coding && !/^    / && $0 != "" { print ".fi\n.RE"; coding = 0 }
/^# / {
    title = substr($0, 3)
    printf ".TH %s 1 \"\" \"attest %s\" \"User Commands\"\n.SH NAME\n", toupper(title), version
    while ((getline) > 0 && $0 == "")
        ;
    say(title " \003 " $0)
    next
}
/^## / { flush(); print ".SH " toupper(substr($0, 4)); request = ""; next }
$0 == "" { if (coding) print ""; flush(); next }
/^    / && paragraph == "" { code(substr($0, 5)); next }
/^: / { term = paragraph; paragraph = substr($0, 3); request = ".TP"; next }
/^- / { flush(); request = ".IP \\(bu 2"; paragraph = substr($0, 3); next }
{ sub(/^ +/, ""); paragraph = paragraph (paragraph == "" ? "" : " ") $0 }
END {
    flush()
    if (coding)
        print ".fi\n.RE"
}
