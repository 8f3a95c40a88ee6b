"""collect.py TREE PROGRAM MANUAL DIR: the pages of the site, for Sphinx.

They are the documents of the tree, the manual of the commands (doc/pages), and what is generated here: the reference of the
library from its headers, the pages generated from the output of the program, and the figures. Only links are changed.
"""
import glob
import json
import os
import re
import shutil
import sys

import figures
import headers
import markdown
import told


def tree_pages(tree):
    """path in the tree -> path on the site"""
    pages = {}
    for path in sorted(glob.glob(os.path.join(tree, "doc", "**", "*.md"), recursive=True)):
        path = os.path.relpath(path, tree)
        if not path.startswith("doc/commands/"):
            pages[path] = path[len("doc/"):]
    for path in sorted(glob.glob(os.path.join(tree, "proofs-notes", "*.md"))):
        name = os.path.basename(path)
        pages["proofs-notes/" + name] = "proofs/" + ("index.md" if name == "README.md" else name)
    for name in "CONTRIBUTING", "CHANGELOG", "SECURITY":
        pages[name + ".md"] = name.lower() + ".md"
    pages["examples/devil/README.md"] = "devil.md"
    return pages


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def about(text):
    """The first sentence below the heading of a page, in one line, without links."""
    paragraph = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(text.split("\n\n")[1].split())).replace("|", "\\|")
    end = paragraph.find(". ")
    return paragraph[: end + 1] if end >= 0 else paragraph


def contents(title, text, entries, described=()):
    """A page that lists others as a table; some of them are (name, link, description)."""
    table = "".join(f"| [`{name}`]({link}) | {what} |\n" for name, link, what in described)
    table = table and f"| | |\n|---|---|\n{table}\n"
    hidden = ":hidden:\n" if table else ""
    return f"# {title}\n\n{text}\n\n{table}```{{toctree}}\n:maxdepth: 1\n{hidden}\n" + "\n".join(entries) + "\n```\n"


def lists(pages, texts):
    """The pages that list commands, headers and proofs."""
    def under(directory):
        return [path[:-3] for path in sorted(pages.values()) if path.startswith(directory) and path not in ("proofs/index.md", "commands/attest.md")]
    commands = [("attest " + name, f"commands/{name}.md", about(texts[f"doc/commands/{name}.md"]))
                for name in (os.path.basename(path) for path in under("commands/"))]
    headers = [(f"attest/{name}.h", f"../include/attest/{name}.h", about(texts[f"include/attest/{name}.h"]))
               for name in (os.path.basename(path) for path in under("reference/"))]
    return {"commands": contents("Commands", "`man attest-COMMAND` has the same text.", under("commands/"), commands),
            "reference": contents("Library reference", "The contracts of the public headers, `<attest/attest.h>`; `doc/library.md` says how to "
                                  "use the library, and what all of it promises.", under("reference/"), headers),
            "proofs": contents("Notes", "A note per statement; `proofs-notes/README.md` says how far each is checked by machine.", under("proofs/"))}


def main(tree, program, manual, directory):
    texts, pages = {}, tree_pages(tree)
    for path in pages:
        texts[path] = read(tree, path)
    for path in sorted(glob.glob(os.path.join(manual, "*.md"))):
        name = os.path.basename(path)
        pages["doc/commands/" + name] = "commands/" + name
        texts["doc/commands/" + name] = read(path)
    contracts = {os.path.basename(path)[:-2]: read(path) for path in sorted(glob.glob(os.path.join(tree, "include/attest/*.h")))}
    known = headers.names(contracts)
    for name, text in contracts.items():
        pages[f"include/attest/{name}.h"] = f"reference/{name}.md"
        texts[f"include/attest/{name}.h"] = headers.page(f"attest/{name}.h", text, known)
    listed = json.loads(told.ask(program, "show", "--json"))
    made = {"glossary": told.glossary(program, listed), "statements": told.statements(program, listed),
            "kernels": told.kernels(program, listed), "figures": figures.page(program, tree)}
    made.update(lists(pages, texts))
    for name, text in made.items():
        pages[f"doc/{name}.md"] = f"{name}.md"
        texts[f"doc/{name}.md"] = text
    linker = markdown.Linker(tree, pages, texts)
    linker.pages["README.md"] = "index.md"
    shutil.rmtree(directory, ignore_errors=True)
    for path, text in texts.items():
        target = os.path.join(directory, pages[path])
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(linker.page(text, path))
    for picture in glob.glob(os.path.join(tree, "doc", "*.svg")) + glob.glob(os.path.join(tree, "doc", "*.png")):
        shutil.copy(picture, directory)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main(*sys.argv[1:])
