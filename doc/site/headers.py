"""The reference of the library: the contracts of the public headers, as pages."""
import re

from markdown import plain

TERMS = "Domain|Error|Rounding|Aliasing|Ownership|Status|Cost|Threads|Memory"


def comment_text(comment):
    """The lines of a comment without its marks."""
    lines = comment.strip()[2:-2].splitlines()
    return [re.sub(r"^ \*( |$)", "", line).rstrip() if i else line.strip() for i, line in enumerate(lines)]


def prose(lines, known):
    """A comment as Markdown: formulas and tables are unchanged, functions are links to their contracts."""
    blocks, kind = [], None
    for line in lines:
        now = None if not line.strip() else "code" if line.startswith("  ") else "text"
        if now and now == kind:
            blocks[-1][1].append(line)
        elif now:
            blocks.append((now, [line]))
        kind = now
    made = []
    for kind, block in blocks:
        if kind == "code":
            made.append("\n".join("    " + line for line in block))
            continue
        text = plain(" ".join(line.strip() for line in block))
        text = re.sub(rf"(?<![\w*])({TERMS}):", r"\n\n**\1:**", text)
        made.append(re.sub(r"attest(?:\\_\w+?)+\b|ATTEST(?:\\_\w+?)+\b|proofs-notes/[\w\\-]+\.md|doc/[\w-]+\.md|attest/\w+\.h",
                           lambda match: refer(match.group(0).replace("\\", ""), known), text).strip())
    return "\n\n".join(made)


def refer(name, known):
    return f"[`{name}`]({known[name]})" if name in known else f"`{name}`"


def declared(code):
    """The names that a piece of a header declares."""
    names = re.findall(r"\b(attest_\w+)\(", re.sub(r"\([^()]*\)", "()", code)) if "ATTEST_API" in code else []
    names += re.findall(r"^#define (ATTEST_\w+)", code, re.M)
    names += re.findall(r"^}? ?(?:typedef .*?)?(attest_\w+);", code, re.M) if "typedef" in code else []
    return list(dict.fromkeys(names))


def pieces(text):
    """(comment, code) for each part of a header, in order; guards and includes are left out."""
    body = re.sub(r"^#(ifndef|define|endif|include|ifdef|if|else).*(_H|extern|cplusplus|<.*>).*\n", "", text, flags=re.M)
    body = re.sub(r'^(extern "C" \{|\}|#endif)\n', "", body, flags=re.M)
    for part in re.split(r"\n\s*\n", body):
        match = re.match(r"\s*(/\*.*?\*/)?\s*(.*)", part, re.S)
        comment, code = match.group(1), match.group(2).rstrip()
        if comment or code:
            yield comment, code


def joined(text):
    """Blank lines inside of a comment or a structure do not end a part."""
    depth, comment, lines = 0, False, []
    for line in text.splitlines():
        comment = (comment or "/*" in line) and "*/" not in line.rsplit("/*", 1)[-1]
        depth += line.count("{") - line.count("}") if not comment and 'extern "C"' not in line else 0
        depth = max(depth, 0)
        lines.append(line if line.strip() or not (comment or depth) else " ")
    return "\n".join(lines)


def page(name, text, known):
    """The page of a header."""
    first, made = True, []
    for comment, code in pieces(joined(text).replace("\n \n", "\n\001\n")):
        comment = comment and comment.replace("\001", "")
        code = code.replace("\001", "")
        lines = comment_text(comment) if comment else []
        if first:
            first = False
            lines[0] = lines[0].split(" -- ", 1)[1]
            made.append(f"# `{name}`\n\n{prose(lines, known)}")
            continue
        names = declared(code)
        if names:
            made.append("## " + ", ".join(f"`{each}`" for each in names[:1]))
        if code:
            made.append(f"```c\n{re.sub('ATTEST_API |ATTEST_WARN_UNUSED', '', code).replace(' ;', ';')}\n```")
        if lines:
            made.append(prose(lines, known))
    return "\n\n".join(made) + "\n"


def names(headers):
    """name -> "header.h#anchor" for every declaration with a heading of its own."""
    known = {}
    for header, text in headers.items():
        for _, code in pieces(joined(text)):
            for i, each in enumerate(declared(code)):
                known.setdefault(each, f"{header}.h#{declared(code)[0].lower()}")
    return known
