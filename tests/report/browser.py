#!/usr/bin/env python3
"""Opens a report in headless Chromium and looks at it, as TAP.

usage: browser.py CHROMIUM PAGE [DIR [TEXT]]

Screenshots and a PDF go to DIR, if it is given and not empty; TEXT must be seen as it is.

The browser is driven over a pipe by its own protocol: messages are JSON, ended by a zero byte."""
import base64
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--remote-debugging-pipe"]
LIMIT = 60  # seconds for any one answer


class Browser:
    """A Chromium with one blank page."""

    def __init__(self, program, profile):
        to_browser, self.writer = os.pipe()
        self.reader, from_browser = os.pipe()

        def wire():
            # the protocol's descriptors are 3 and 4; move ours out of their way first
            down, up = os.dup(to_browser), os.dup(from_browser)
            down, up = os.dup2(down, 30), os.dup2(up, 31)
            os.dup2(down, 3)
            os.dup2(up, 4)

        self.process = subprocess.Popen(
            [program, *FLAGS, "--user-data-dir=" + profile, "about:blank"], preexec_fn=wire,
            pass_fds=(3, 4), start_new_session=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        page = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"],
                                 flatten=True)["sessionId"]

    def receive(self, until):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.reader], [], [], max(0, until - time.monotonic()))
            part = os.read(self.reader, 1 << 16) if ready else b""
            if not part:
                raise RuntimeError("the browser does not answer")
            self.buffer += part
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + LIMIT
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def wait(self, event):
        until = time.monotonic() + LIMIT
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.receive(until))

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(expression + ": " + str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


count = 0


def ok(condition, description):
    global count
    count += 1
    print(("ok" if condition else "not ok"), count, "-", description, flush=True)


def show(browser, width, scheme):
    """The page at a width, in a colour scheme."""
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=844,
                 deviceScaleFactor=1, mobile=width < 600)
    browser.call("Emulation.setEmulatedMedia", media="screen",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])


def shoot(browser, directory, name):
    if not directory:
        return
    shot = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
    (directory / (name + ".png")).write_bytes(base64.b64decode(shot["data"]))


def load(browser, url):
    for domain in ("Page", "Runtime", "Network", "Log"):
        browser.call(domain + ".enable")
    browser.call("Page.navigate", url=url)
    browser.wait("Page.loadEventFired")


def look_at_messages(browser, url):
    browser.evaluate("1")  # whatever was under way has been reported before this answer
    messages = [e for e in browser.events
                if e.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")]
    ok(not messages, "no console message, no exception, no violated policy")
    for message in messages:
        print("#", json.dumps(message)[:300])
    requests = {e["params"]["request"]["url"] for e in browser.events
                if e.get("method") == "Network.requestWillBeSent"}
    ok(requests == {url}, "no request but the page itself: " + " ".join(sorted(requests))[:200])


def look_at_content(browser):
    plots = browser.evaluate("document.querySelectorAll('figure > svg').length")
    ok(plots > 0, f"{plots} plots")
    ok(browser.evaluate("""[...document.querySelectorAll('figure > svg')].every(s => {
        const r = s.getBoundingClientRect(); return r.width > 200 && r.height > 60 })"""), "each has a size")
    ok(browser.evaluate("""[...document.querySelectorAll('figure > svg')].every(s =>
        s.querySelector('title').textContent && s.querySelector('desc').textContent)"""),
       "each has a title and a description")
    ok(browser.evaluate("[...document.querySelectorAll('.pair')].every(p => p.querySelector('svg') && p.querySelector('table'))"),
       "each has a table beside it")
    ok(browser.evaluate("document.scripts.length") == 1, "one script")
    ok(browser.evaluate("""(() => { const t = [...document.querySelectorAll('table')].find(t => t.tBodies[0].rows.length > 2);
        const column = () => [...t.tBodies[0].rows].map(r => r.cells[0].textContent);
        t.tHead.rows[0].cells[0].click(); const up = column(); t.tHead.rows[0].cells[0].click();
        const down = column(), sorted = [...up].sort();
        return up.length === down.length && JSON.stringify([...down].sort()) === JSON.stringify(sorted) &&
            t.tHead.rows[0].cells[0].getAttribute('aria-sort') === 'descending' && (isNaN(up[0]) ? up[0] === sorted[0] : true) })()"""),
       "a table is sorted by its first column")
    ok(browser.evaluate("""[...document.querySelectorAll('nav a, .skip')].every(a =>
        document.getElementById(a.getAttribute('href').slice(1)))"""), "the contents lead somewhere")


def look_at_letters(browser, width):
    """Letters of a plot must lie inside it."""
    stray = browser.evaluate("""[...document.querySelectorAll('figure > svg')].flatMap(s => {
        const w = s.getBoundingClientRect();
        return [...s.querySelectorAll('text')].filter(t => { const r = t.getBoundingClientRect();
            return r.left < w.left - 1 || r.right > w.right + 1 || r.top < w.top - 1 || r.bottom > w.bottom + 1 })
            .map(t => s.id + ': ' + t.textContent) })""")
    ok(not stray, f"{width} px: no letters outside a plot " + "; ".join(stray)[:200])


def look_at_widths(browser, directory):
    for width in (390, 768, 1280):
        show(browser, width, "light")
        over = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        ok(over <= 0, f"{width} px: nothing sticks out ({over})")
        look_at_letters(browser, width)
        shoot(browser, directory, f"light-{width}")


def brightness(browser, selector, what):
    """The mean of the colour channels of a style, 0 ... 255."""
    colour = browser.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{what}")
    channels = [float(c) for c in colour[colour.index("(") + 1:-1].split(",")[:3]]
    return sum(channels) / 3


def look_at_schemes(browser, directory):
    show(browser, 1280, "light")
    ok(brightness(browser, "html", "backgroundColor") > 200 > 100 > brightness(browser, "h1", "color"),
       "light: dark letters on a light ground")
    light = brightness(browser, ".plot .name", "fill")
    show(browser, 1280, "dark")
    ok(brightness(browser, "html", "backgroundColor") < 60 < 180 < brightness(browser, "h1", "color"),
       "dark: light letters on a dark ground")
    ok(brightness(browser, ".plot .name", "fill") > 180 > 100 > light, "and so are those of the plots")
    shoot(browser, directory, "dark-1280")
    show(browser, 390, "dark")
    shoot(browser, directory, "dark-390")


def look_at_keyboard(browser):
    show(browser, 1280, "light")
    browser.evaluate("document.body.focus()")
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
    ok(browser.evaluate("document.activeElement.className") == "skip", "the first key press reaches the skip link")
    ok(browser.evaluate("document.activeElement.getBoundingClientRect().left") >= 0, "which is seen then")


def look_at_paper(browser, directory):
    browser.evaluate("document.activeElement.blur()")
    browser.call("Emulation.setEmulatedMedia", media="",
                 features=[{"name": "prefers-color-scheme", "value": "dark"}])
    pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    ok(pdf.startswith(b"%PDF-"), f"prints ({len(pdf)} bytes)")
    browser.call("Emulation.setEmulatedMedia", media="print",
                 features=[{"name": "prefers-color-scheme", "value": "dark"}])
    ok(brightness(browser, "html", "backgroundColor") > 250, "on paper even a dark scheme is light")
    ok(browser.evaluate("[...document.querySelectorAll('.scroll')].every(s => s.scrollHeight <= s.clientHeight + 1)"),
       "and no table is cut off")
    if directory:
        (directory / "print.pdf").write_bytes(pdf)


def main():
    program, page = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    directory = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 and sys.argv[3] else None
    text = sys.argv[4] if len(sys.argv) > 4 else None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            load(browser, page.as_uri())
            look_at_content(browser)
            if text:
                ok(browser.evaluate(f"document.body.innerText.includes({json.dumps(text)})"),
                   "shows the text " + text)
            look_at_widths(browser, directory)
            look_at_schemes(browser, directory)
            look_at_keyboard(browser)
            look_at_paper(browser, directory)
            look_at_messages(browser, page.as_uri())
        finally:
            browser.close()
    print(f"1..{count}")


if __name__ == "__main__":
    main()
