"""Headless Chromium, driven through chromedriver (W3C WebDriver), with the standard library."""
import base64
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from programs import Program  # noqa: E402

SECONDS = 30
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """A browser with a profile of its own, whose pages have a width."""

    def __init__(self, driver, width, height):
        self.driver, self.session = driver, None
        metrics = {"width": width, "height": height, "pixelRatio": 1}
        # Chromium's own sandbox does not start as root; this browser opens pages of this machine only.
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"],
                   "mobileEmulation": {"deviceMetrics": metrics}}
        found = self.send("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = f"/session/{found['sessionId']}"

    @classmethod
    @contextlib.contextmanager
    def open(cls, width, height):
        """Opens a browser for a `with` block."""
        with Program(["chromedriver", "--port=0"], stdout=subprocess.PIPE) as driver:
            for line in driver.stdout:
                if found := re.search(rb"started successfully on port ([0-9]+)", line):
                    break
            else:
                sys.exit("chromedriver does not start")
            browser = cls(f"http://127.0.0.1:{int(found[1])}", width, height)
            try:
                yield browser
            finally:
                browser.send("DELETE", "")

    def send(self, method, path, body=None):
        """Sends a command, and returns its value."""
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(f"{self.driver}{self.session or ''}{path}", data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=SECONDS * 2) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path}: {json.load(error)['value']['message']}")

    def visit(self, address):
        self.send("POST", "/url", {"url": address})

    def address(self):
        return self.send("GET", "/url")

    def run(self, script, *arguments):
        """Runs JavaScript in the page, and returns its result."""
        return self.send("POST", "/execute/sync", {"script": script, "args": arguments})

    def devtools(self, command, **parameters):
        return self.send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def element(self, selector):
        """Waits for an element that is shown, and returns it."""
        script = "return [...document.querySelectorAll(arguments[0])].find(found => found.checkVisibility()) ?? null"
        return self.wait(lambda: self.run(script, selector), f"{selector} is not shown")[ELEMENT]

    def click(self, selector):
        """Clicks as a person does: in the middle of an element that is enabled."""
        element = self.element(selector)
        self.wait(lambda: self.send("GET", f"/element/{element}/enabled"), f"{selector} is not enabled")
        self.send("POST", f"/element/{element}/click")

    def double_click(self, selector):
        element = {ELEMENT: self.element(selector)}
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        move = {"type": "pointerMove", "x": 0, "y": 0, "origin": element}
        self.send("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move, *press, *press]}]})

    def text(self, selector):
        return self.send("GET", f"/element/{self.element(selector)}/text")

    def is_shown(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].some(found => found.checkVisibility())", selector)

    def wait(self, condition, message):
        """Waits until a condition is true, and returns its value; the message is a text, or returns one."""
        limit = time.monotonic() + SECONDS
        while not (found := condition()):
            if time.monotonic() > limit:
                sys.exit(f"{message if isinstance(message, str) else message()}: {self.address()}")
            time.sleep(0.05)
        return found

    def picture(self, file, is_dark=False):
        """Saves a picture of the whole page."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]
        self.devtools("Emulation.setEmulatedMedia", features=scheme)
        image = self.devtools("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        file.write_bytes(base64.b64decode(image))

    def faults(self):
        """Returns the errors that the browser logged, such as blocked scripts."""
        entries = self.send("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]
