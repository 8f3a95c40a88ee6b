#!/usr/bin/env python3
"""site-links.py DIR: dead links of a site, and what it would load from elsewhere; one line each, nothing if there are none.

Every link to a file of the site must have its file, and its anchor there; scripts, styles and pictures must be files of the site.
"""
import html.parser
import os
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(found[key] for key in ("id", "name") if found.get(key))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(found.get("href", ""))
        elif tag in ("script", "img", "iframe", "source") and found.get("src"):
            self.loads.append(found["src"])


def check(directory):
    pages = {}
    for where, _, names in os.walk(directory):
        for name in names:
            if name.endswith(".html"):
                path = os.path.normpath(os.path.join(where, name))
                pages[path] = Page(path)
    for path, page in sorted(pages.items()):
        said = os.path.relpath(path, directory)
        for load in page.loads:
            if urllib.parse.urlsplit(load).scheme not in ("", "data") or load.startswith("//"):
                print(f"{said}: loads {load} from elsewhere")
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
            if not os.path.isfile(target):
                print(f"{said}: no file {link}")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                print(f"{said}: no anchor {link}")
        if not page.anchors:
            print(f"{said}: nothing to link to")
    for where, _, names in os.walk(directory):
        for name in (name for name in names if name.endswith(".css")):
            with open(os.path.join(where, name), encoding="utf-8") as file:
                for load in re.findall(r"url\(['\"]?(?!data:|#)([^)'\"]+)", file.read()):
                    if not os.path.isfile(os.path.normpath(os.path.join(where, load.partition("?")[0]))):
                        print(f"{name}: loads {load}")
    return len(pages)


if check(sys.argv[1]) == 0:
    print(f"{sys.argv[1]}: no page")
