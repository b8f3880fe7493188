#!/usr/bin/env python3
"""Opens report pages in headless Chromium and checks what a reader would see.

    check_report.py [--pictures DIR] PAGE.html...

Every page must load without a message on the console and without a request for anything else, show its tables and plots whole, differ in
light and dark, and print. Talks WebDriver to chromedriver on loopback; needs nothing but Python, chromium and chromedriver. Ends with 0 if
all is well. `--pictures` keeps screenshots and a PDF of every page.
"""

import argparse
import base64
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

# Bounds on everything, in seconds.
TOTAL_TIMEOUT = 180
START_TIMEOUT = 60
REQUEST_TIMEOUT = 60

WIDTH, HEIGHT = 1200, 1000
# Phones: the page itself must not scroll sideways.
NARROW = 400

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]

# What the page says of itself; runs in the page.
SURVEY = """
const all = (query, root = document) => [...root.querySelectorAll(query)];
const box = element => element.getBoundingClientRect();
const tables = all('table').map(table => ({
    rows: all('tbody tr', table).length,
    headings: all('thead th[scope]', table).length,
    named: all('tbody th[scope]', table).length,
    caption: table.caption ? table.caption.textContent : '',
}));
const plots = all('svg').map(svg => {
    const frame = svg.viewBox.baseVal;
    const outside = all('text', svg).filter(text => {
        const b = text.getBBox();
        return b.x < frame.x - 1 || b.y < frame.y - 1 || b.x + b.width > frame.x + frame.width + 1
            || b.y + b.height > frame.y + frame.height + 1;
    });
    const texts = all('text', svg).filter(text => text.textContent);
    const overlapping = [];
    texts.forEach((one, index) => texts.slice(index + 1).forEach(other => {
        const a = box(one), b = box(other);
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (width > 2 && height > 4) overlapping.push(one.textContent + ' / ' + other.textContent);
    }));
    return {
        title: svg.querySelector('title') ? svg.querySelector('title').textContent : '',
        description: svg.querySelector('desc') ? svg.querySelector('desc').textContent : '',
        marks: all('circle, rect, polyline', svg).length,
        width: box(svg).width,
        height: box(svg).height,
        outside: outside.map(text => text.textContent),
        overlapping,
    };
});
return {
    heading: document.querySelector('h1') ? document.querySelector('h1').textContent : '',
    verdict: document.querySelector('.verdict strong') ? document.querySelector('.verdict strong').textContent : '',
    verdictTop: document.querySelector('.verdict') ? box(document.querySelector('.verdict')).top : -1,
    tables, plots,
    fonts: document.fonts.check('400 15px Inter') && document.fonts.check('600 15px Inter')
        && [...document.fonts].every(font => font.status === 'loaded'),
    overflow: document.scrollingElement.scrollWidth - window.innerWidth,
    pageHeight: document.scrollingElement.scrollHeight,
    background: getComputedStyle(document.body).backgroundColor,
    colour: getComputedStyle(document.body).color,
};
"""


class Failure(Exception):
    """A page is not as it should be."""


class Browser:
    """A WebDriver session."""

    def __init__(self, port, profile):
        self.base = f"http://127.0.0.1:{port}"
        options = {"args": [*ARGUMENTS, f"--user-data-dir={profile}", f"--window-size={WIDTH},{HEIGHT}"]}
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        answer = self.send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{answer['sessionId']}"

    def send(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=REQUEST_TIMEOUT) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(f"{method} {path}: {error.read().decode(errors='replace')[:500]}") from error

    def run(self, script):
        return self.send("POST", "/execute/sync", {"script": script, "args": []})

    def log(self, kind):
        return self.send("POST", "/se/log", {"type": kind})

    def devtools(self, command, **parameters):
        return self.send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.send("GET", "/screenshot")))


@contextlib.contextmanager
def chromedriver(log):
    """A chromedriver with its own process group, and the port it listens on; all of it ends with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = shutil.which("chromedriver") or "/usr/bin/chromedriver"
    process = subprocess.Popen([program, f"--port={port}", "--allowed-ips="], stdout=log, stderr=log, start_new_session=True)
    try:
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            if process.poll() is not None:
                raise Failure(f"chromedriver ended with {process.returncode}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=5) as response:
                    if json.load(response)["value"]["ready"]:
                        break
            except OSError:
                pass
            if time.monotonic() > deadline:
                raise Failure("chromedriver does not answer")
            time.sleep(0.1)
        yield port
    finally:
        # Chromium is in the same group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def require(condition, message):
    if not condition:
        raise Failure(message)


def requests(browser):
    """The addresses that were asked for since the last call."""
    for entry in browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
            parameters = message["params"]
            yield parameters.get("request", parameters).get("url", "")


def check_survey(survey):
    require(survey["heading"], "no heading")
    require(survey["verdict"], "no verdict")
    require(0 < survey["verdictTop"] < HEIGHT / 2, f"the verdict is not at the top: {survey['verdictTop']}")
    require(survey["tables"] or survey["plots"], "neither tables nor plots")
    require(survey["fonts"], "the page's fonts are not loaded")
    for table in survey["tables"]:
        require(table["rows"] > 0 and table["headings"] > 0 and table["named"] > 0 and table["caption"], f"a table without rows or headings: {table}")
    for plot in survey["plots"]:
        require(plot["title"] and plot["description"], f"a plot without title or description: {plot}")
        require(plot["marks"] > 0 and plot["width"] > 600 and plot["height"] > 60, f"an empty plot: {plot}")
        require(not plot["outside"], f"text outside {plot['title']}: {plot['outside']}")
        require(not plot["overlapping"], f"text over text in {plot['title']}: {plot['overlapping']}")
    require(survey["overflow"] <= 0, f"the page is {survey['overflow']} pixels too wide")


def open_page(browser, page):
    """Opens a page in light, with nothing in the logs before it; its address."""
    address = page.resolve().as_uri()
    browser.scheme("light")
    browser.resize(WIDTH, HEIGHT)
    list(requests(browser))
    browser.log("browser")
    browser.send("POST", "/url", {"url": address})
    return address


def check(browser, page, pictures):
    """Checks a page; what it has, in words."""
    address = open_page(browser, page)
    browser.send("POST", "/execute/async", {"script": "const done = arguments[0]; document.fonts.ready.then(() => done(1));", "args": []})
    light = browser.run(SURVEY)
    check_survey(light)
    full = [WIDTH, light["pageHeight"]]
    if pictures:
        browser.resize(*full)
        browser.screenshot(pictures / f"{page.stem}-light.png")

    browser.scheme("dark")
    dark = browser.run(SURVEY)
    require(dark["background"] != light["background"] and dark["colour"] != light["colour"], "dark looks like light")
    if pictures:
        browser.screenshot(pictures / f"{page.stem}-dark.png")

    browser.resize(NARROW, HEIGHT)
    narrow = browser.run(SURVEY)
    require(narrow["overflow"] <= 0, f"on {NARROW} pixels the page is {narrow['overflow']} too wide")

    printed = base64.b64decode(browser.send("POST", "/print", {"background": True, "page": {"width": 21.0, "height": 29.7}}))
    require(printed.startswith(b"%PDF"), "no PDF")
    if pictures:
        (pictures / f"{page.stem}.pdf").write_bytes(printed)

    messages = [entry["message"] for entry in browser.log("browser")]
    require(not messages, f"on the console: {messages}")
    foreign = [url for url in requests(browser) if url != address and not url.startswith("data:")]
    require(not foreign, f"asked for {foreign}")
    return f"{len(light['tables'])} tables, {len(light['plots'])} plots"


def main(description, check):
    """Runs `check` on every page of the command line in one browser; the exit code."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--pictures", type=pathlib.Path, help="a folder for screenshots and PDFs")
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)

    def give_up(*_):
        raise Failure(f"not done after {TOTAL_TIMEOUT} s")

    signal.signal(signal.SIGALRM, give_up)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.alarm(TOTAL_TIMEOUT)
    page = None
    with tempfile.TemporaryDirectory(prefix="canopy-chromium-", ignore_cleanup_errors=True) as folder:
        log_path = pathlib.Path(folder) / "chromedriver.log"
        with open(log_path, "wb") as log:
            try:
                with chromedriver(log) as port:
                    browser = Browser(port, pathlib.Path(folder) / "profile")
                    try:
                        for page in arguments.pages:
                            print(f"{page.name}: {check(browser, page, arguments.pictures)}")
                    finally:
                        with contextlib.suppress(Failure, OSError):
                            browser.send("DELETE", "")
            except (Failure, OSError) as error:
                log.flush()
                print(f"{page or 'chromium'}: {error}", file=sys.stderr)
                print(log_path.read_text(errors="replace")[-2000:], file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(__doc__.splitlines()[0], check))
