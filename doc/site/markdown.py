"""Markdown for the pages of the site: escaped plain text, and links to the place of a page on the site."""
import os
import posixpath
import re

LINK = re.compile(r"(?<!!)\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^()\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
NAMED = re.compile(r"(?:doc|proofs-notes|examples)/[A-Za-z0-9_/-]+\.md|(?:include/)?attest/[a-z]+\.h|[A-Z]+\.md")


def plain(text):
    """Plain text escaped for Markdown."""
    return re.sub(r"([\\`*_<>|\[\]$])", r"\\\1", text)


def title(text):
    """The first heading of a page, or None."""
    for line in text.splitlines():
        if line.startswith("# "):
            return line[2:]
    return None


def anchors(text):
    """The anchors of a page's headings, as MyST and GitHub make them."""
    headings = re.findall(r"^##+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Linker:
    """Rewrites the links between pages of the tree. Pages: path in the tree -> path on the site; texts by the same paths."""

    def __init__(self, tree, pages, texts):
        self.tree, self.pages = tree, pages
        self.titles = {path: title(text) for path, text in texts.items()}
        self.anchors = {path: anchors(text) for path, text in texts.items()}

    def relative(self, target, source):
        return posixpath.relpath(self.pages[target], posixpath.dirname(self.pages[source]) or ".")

    def link(self, match, source):
        text, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match.group(0)
        target, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        path = {"proofs-notes": "proofs-notes/README.md", "LICENSE": path}.get(path, path)
        if path not in self.pages:
            if os.path.exists(os.path.join(self.tree, path)):  # a file of the tree, not of the site
                return text if "`" in text or text != path else f"`{path}`"
            raise SystemExit(f"{source}: no page {target}")
        if anchor and anchor not in self.anchors[path]:
            raise SystemExit(f"{source}: no heading {target}#{anchor}")
        if text == posixpath.basename(target) or text == path:  # a file's name says little on the site
            text = self.titles.get(path) or text
        return f"[{text}]({self.relative(path, source)}{'#' if anchor else ''}{anchor})"

    def name(self, match, source):
        """`doc/judge.md` in the text becomes a link."""
        named = match.group(1)
        path = "include/" + named if named.startswith("attest/") else named
        if not NAMED.fullmatch(named) or path not in self.pages or path == source:
            return match.group(0)
        text = self.titles.get(path) if named.endswith(".md") else f"`{named}`"
        return f"[{text or named}]({self.relative(path, source)})"

    def line(self, text, source):
        """Leaves out links inside of `code` and names inside of links."""
        kept = []

        def keep(made):
            kept.append(made)
            return f"\0{len(kept) - 1}\0"

        text = LINK.sub(lambda match: keep(self.link(match, source)), text)
        text = CODE.sub(lambda match: keep(self.name(match, source)), text)
        while "\0" in text:
            text = re.sub("\0([0-9]+)\0", lambda match: kept[int(match.group(1))], text)
        return text

    def page(self, text, source):
        """The whole page; links may continue on the next line, code blocks are unchanged."""
        made, paragraph, fenced = [], [], False

        def flush():
            if paragraph:
                made.append(self.line("\n".join(paragraph), source))
            paragraph.clear()

        for line in text.splitlines():
            if line.startswith("```"):
                fenced = not fenced
            if fenced or line.startswith(("```", "    ")) and not paragraph or not line:
                flush()
                made.append(line)
            else:
                paragraph.append(line)
        flush()
        return "\n".join(made) + "\n"
