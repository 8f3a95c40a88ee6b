#!/usr/bin/env python3
"""site-browser.py CHROMIUM DIR [PICTURES]: pages of the site, wide and narrow, light and dark; one line for each complaint.

No page may be wider than the window, the dark must be dark and the light light, and nothing may fail to load."""
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
import browser as driver  # noqa: E402

PAGES = ["index", "tutorials/engineer", "tutorials/kernels", "tutorials/testing", "tutorials/theorist", "commands/judge", "figures",
         "kernel-models", "reference/certify", "proofs/index", "statements", "glossary", "judge-measured"]


def look(chromium, directory, page, width, scheme, pictures):
    driver.show(chromium, width, scheme)
    chromium.events.clear()
    driver.load(chromium, pathlib.Path(directory, page + ".html").resolve().as_uri())
    said = f"{page}, {width} wide, {scheme}"
    wide = chromium.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        print(f"{said}: {wide} pixels wide")
    colours = chromium.evaluate("getComputedStyle(document.body).backgroundColor + ' ' + getComputedStyle(document.body).color")
    bright = [sum(map(float, part.split(")")[0].split(",")[:3])) / 765 for part in colours.replace("rgba", "rgb").split("rgb(")[1:]]
    if abs(bright[0] - bright[1]) < 0.5 or (bright[0] < 0.5) != (scheme == "dark"):
        print(f"{said}: colours {colours}")
    for event in chromium.events:
        # browsers do not load modules from a directory: Furo's newer script, which the pages do without
        if event.get("method") == "Network.loadingFailed" and event["params"].get("type") != "Script":
            print(f"{said}: {event['params'].get('errorText')}")
    if pictures:
        driver.shoot(chromium, pathlib.Path(pictures), f"{page.replace('/', '-')}-{width}-{scheme}")


def main(program, directory, pictures=""):
    with tempfile.TemporaryDirectory() as profile:
        chromium = driver.Browser(program, profile)
        try:
            for page in PAGES:
                for width in 1280, 390:
                    for scheme in "light", "dark":
                        look(chromium, directory, page, width, scheme, pictures)
        finally:
            chromium.close()


main(*sys.argv[1:])
