"""Configuration of Sphinx for the pages that collect.py writes; `make html`."""
import importlib.util
import os
import re

project = "attest"
author = "the attest authors"
release = os.environ["ATTEST_VERSION"]
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
highlight_language = "none"  # most examples are commands with their output
smartquotes = False  # -- is an option, not a dash
html_theme = "furo" if importlib.util.find_spec("furo") else "classic"
html_title = f"attest {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]


def stay_at_home(app, exception):
    """Removes the style that Debian's Furo imports from a web server, so that the site needs no network."""
    path = os.path.join(app.outdir, "_static", "styles", "furo.css")
    if exception or not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as file:
        style = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r"@import url\(/[^)]*\);", "", style))


def setup(app):
    app.connect("build-finished", stay_at_home)
