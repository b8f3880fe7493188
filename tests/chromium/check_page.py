#!/usr/bin/env python3
"""Opens trees as web pages in headless Chromium and uses them as a reader would.

    check_page.py [--pictures DIR] PAGE.html...

Every page must load from its file without a message on the console and without a request for anything else, draw its tree, show the board
and the children of a node that is clicked or walked to, and zoom. Ends with 0 if all is well.
"""

import sys
import time

from check_report import main, open_page, requests, require

# How long a page may take to draw its tree, in seconds.
READY_TIMEOUT = 30

SURVEY = """
const canvas = document.getElementById('canvas'), panel = document.getElementById('panel');
const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
copy.drawImage(canvas, 0, 0);
const pixels = copy.getImageData(0, 0, canvas.width, canvas.height).data;
const colours = new Set();
for (let at = 0; at < pixels.length; at += 4 * 97) colours.add(pixels[at] + ',' + pixels[at + 1] + ',' + pixels[at + 2] + ',' + pixels[at + 3]);
return {
    ready: Number(document.body.dataset.ready || 0),
    selected: document.body.dataset.selected || '',
    heading: panel.querySelector('h2') ? panel.querySelector('h2').textContent : '',
    value: panel.querySelector('.value') ? panel.querySelector('.value').textContent : '',
    rows: panel.querySelectorAll('#children tbody tr').length,
    places: panel.querySelectorAll('svg rect').length,
    lies: panel.querySelectorAll('svg circle, svg text').length,
    colours: colours.size,
    title: document.querySelector('h1').textContent,
};
"""


def wait_until_ready(browser):
    deadline = time.monotonic() + READY_TIMEOUT
    while True:
        survey = browser.run(SURVEY)
        if survey["ready"] and survey["colours"] > 3:
            return survey
        require(time.monotonic() < deadline, f"the tree is not drawn: {survey}")
        time.sleep(0.1)


def press(browser, key):
    actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
    browser.send("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})


def check(browser, page, pictures):
    address = open_page(browser, page)
    root = wait_until_ready(browser)
    require(root["title"] and root["heading"] == "Root" and root["value"], f"no heading or value: {root}")
    require(root["rows"] > 0, "the root's children are not listed")
    if pictures:
        browser.screenshot(pictures / f"{page.stem}-page.png")

    # A click on a row selects the child; the keyboard walks on from there.
    browser.run("document.querySelector('#children tbody tr').click();")
    child = browser.run(SURVEY)
    require(child["selected"] not in ("", "0") and child["heading"] != "Root", f"a click selects nothing: {child}")
    require(child["places"] == 0 or child["lies"] > 0, f"an empty board: {child}")
    browser.run("document.getElementById('canvas').focus();")
    press(browser, "\ue013")
    require(browser.run(SURVEY)["selected"] == "0", "the arrow up does not go to the root")

    # The key 0 shows all; the wheel zooms in, and there is still something to see.
    browser.run("document.querySelector('#children tbody tr').click();")
    press(browser, "0")
    wheel = {"type": "scroll", "x": 300, "y": 300, "deltaX": 0, "deltaY": -600, "duration": 0, "origin": "viewport"}
    browser.send("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [wheel]}]})
    time.sleep(0.3)
    require(browser.run(SURVEY)["colours"] > 3, "the tree is not drawn any more")

    browser.scheme("dark")
    time.sleep(0.3)
    require(browser.run(SURVEY)["colours"] > 3, "nothing is drawn in dark")
    if pictures:
        browser.screenshot(pictures / f"{page.stem}-page-dark.png")
    messages = [entry["message"] for entry in browser.log("browser")]
    require(not messages, f"on the console: {messages}")
    foreign = [url for url in requests(browser) if url != address and not url.startswith(("data:", "blob:"))]
    require(not foreign, f"asked for {foreign}")
    return f"{root['ready']} nodes"


if __name__ == "__main__":
    sys.exit(main(__doc__.splitlines()[0], check))
