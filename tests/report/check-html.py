#!/usr/bin/env python3
"""Checks a page: well-formed, valid in what a report uses, accessible, without anything from outside.

usage: check-html.py PAGE [SVG]...

Prints what is wrong, one line each, and ends with 1 if anything is. Reports are well-formed XML, so
expat finds unbalanced tags and text that is not escaped; the rest are rules over the tree."""
import base64
import hashlib
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
# What each element may stand in, and the attributes that it may have. Anything else is an error:
# a name from a file that became markup would be one.
HTML = {
    "html": ("", "lang"), "head": ("html", ""), "body": ("html", ""), "title": ("head", ""),
    "style": ("head", ""), "meta": ("head", "charset name content http-equiv"),
    "script": ("body", ""), "a": ("body li", "href class"), "header": ("body", ""), "nav": ("body", "aria-label"),
    "main": ("body", "id tabindex"), "footer": ("body", ""), "h1": ("header", ""),
    "p": ("header section footer", "class"), "time": ("p", ""), "ul": ("nav section", "class"),
    "li": ("ul", ""), "section": ("main", "id aria-labelledby"), "h2": ("section", "id"),
    "h3": ("section", ""), "div": ("section div details", "class role tabindex aria-label"),
    "figure": ("div", ""), "figcaption": ("figure", ""), "table": ("div", ""), "caption": ("table", ""),
    "thead": ("table", ""), "tbody": ("table", ""), "tr": ("thead tbody", "id"), "th": ("tr", "scope class"),
    "td": ("tr", "class"), "span": ("td li span", "class"), "sup": ("td span p", ""), "code": ("p", ""),
    "strong": ("td", "class"), "details": ("section", ""), "summary": ("details", ""),
}
DRAWING = {
    "svg": "class id viewBox width height role aria-labelledby", "title": "id", "desc": "id", "style": "",
    "line": "class x1 y1 x2 y2", "rect": "class x y width height", "path": "class d transform",
    "text": "class x y text-anchor transform", "tspan": "class dy", "a": "href",
}
problems = []


def wrong(text):
    problems.append(text)


def check_html(element, parent):
    name = element.tag
    if name.startswith(SVG):
        check_svg(element)
        return
    if name not in HTML:
        wrong(f"<{name}> is no element of a report")
        return
    parents, attributes = HTML[name]
    if parent not in parents.split() and parents:
        wrong(f"<{name}> inside <{parent}>")
    for attribute in element.keys():
        if attribute not in attributes.split():
            wrong(f"<{name} {attribute}>")
    for child in element:
        check_html(child, name)


def check_svg(element):
    name = element.tag.removeprefix(SVG)
    if name not in DRAWING:
        wrong(f"<{name}> is no element of a drawing")
        return
    for attribute in element.keys():
        if attribute not in DRAWING[name].split():
            wrong(f"<{name} {attribute}>")
    for attribute in ("x", "y", "x1", "x2", "y1", "y2", "width", "height"):
        if not re.fullmatch(r"-?\d+(\.\d{1,2})?", element.get(attribute, "0")):
            wrong(f"<{name} {attribute}={element.get(attribute)!r}> is no number")
    for child in element:
        check_svg(child)


def check_figure(svg):
    title, description = svg.find(SVG + "title"), svg.find(SVG + "desc")
    if title is None or description is None or not title.text or not description.text:
        wrong("a drawing without title or description")
    elif svg.get("aria-labelledby") != title.get("id") + " " + description.get("id"):
        wrong("a drawing that is not named by its title and description")
    if svg.get("role") != "img":
        wrong("a drawing that is no image")


def check_names(root):
    ids = [e.get("id") for e in root.iter() if e.get("id") is not None]
    for name in sorted(set(i for i in ids if ids.count(i) > 1)):
        wrong(f"the id {name!r} is there more than once")
    for e in root.iter():
        for target in e.get("aria-labelledby", "").split() + re.findall("^#(.*)", e.get("href", "")):
            if target not in ids:
                wrong(f"nothing is named {target!r}")
        if e.get("href", "#")[0] != "#":
            wrong(f"a link to {e.get('href')!r}")


def check_tables(root):
    for table in root.iter("table"):
        columns = len(table.findall("thead/tr/th"))
        if not table.findtext("caption"):
            wrong("a table without a caption")
        for row in table.iter("tr"):
            if len(row) != columns:
                wrong(f"a row of {len(row)} cells below {columns} headings")
        for heading in table.iter("th"):
            if heading.get("scope") not in ("col", "row"):
                wrong("a heading of neither a column nor a row")
    for pair in root.iter("div"):
        if pair.get("class") == "pair" and (pair.find("figure/" + SVG + "svg") is None
                                            or pair.find("div/table") is None):
            wrong("a plot without a table beside it")


def check_headings(root):
    last = 0
    for e in root.iter():
        if e.tag in ("h1", "h2", "h3"):
            level = int(e.tag[1])
            if level > last + 1:
                wrong(f"<{e.tag}> after <h{last}>")
            last = level


def check_policy(root):
    policy = [m.get("content") for m in root.iter("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    style = root.find("head/style").text
    scripts = [s.text for s in root.iter("script")]
    digest, script = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, scripts[0] if scripts else ""))
    if policy != [f"default-src 'none'; style-src 'sha256-{digest}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"]:
        wrong(f"the policy is {policy}, the style's hash {digest}, the script's {script}")
    if len(scripts) != 1 or root.find("body")[-1].tag != "script":
        wrong("not one script at the end")
    if re.search(r"url\(|@import|expression", style):
        wrong("the style fetches something")


def parse(path):
    text = open(path, encoding="utf-8").read()
    try:
        return text, tree.fromstring(text)
    except tree.ParseError as error:
        wrong(f"not well-formed: {error}")
        return text, None


def main():
    text, root = parse(sys.argv[1])
    if not text.startswith("<!DOCTYPE html>\n<html lang="):
        wrong("no doctype, or no language")
    if root is not None:
        check_html(root, "")
        for check in (check_names, check_tables, check_headings, check_policy):
            check(root)
        for svg in root.iter(SVG + "svg"):
            check_figure(svg)
    for path in sys.argv[2:]:
        _, svg = parse(path)
        if svg is not None:
            check_svg(svg)
            check_figure(svg)
            if svg.find(SVG + "style") is None:
                wrong(f"{path}: no style")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


sys.exit(main())
