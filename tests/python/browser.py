"""A page in a real Chromium, by its debugging protocol: for run_jupyterlab. Debian's package chromium is needed."""

import base64
import json
import re
import subprocess
import tempfile
import threading
import time
import urllib.request

import websocket

DEADLINE = 120


def first_match(stream, pattern):
    """The first group in the lines of a program's standard error, which is read on for ever."""
    for line in stream:
        found = re.search(pattern, line)
        if found:
            threading.Thread(target=stream.read, daemon=True).start()
            return found.group(1)
    raise RuntimeError(f"no line has {pattern}")


class Page:
    def __init__(self, width=1200, height=1500):
        self.profile = tempfile.TemporaryDirectory(prefix="totrain-chromium.", ignore_cleanup_errors=True)
        self.program = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={self.profile.name}", "about:blank"],
            stderr=subprocess.PIPE, text=True)
        port = first_match(self.program.stderr, r"ws://127\.0\.0\.1:(\d+)/")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as pages:
            page = next(page for page in json.load(pages) if page["type"] == "page")
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=DEADLINE)
        self.sent = 0
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        self.socket.close()
        self.program.terminate()
        self.program.wait()
        self.profile.cleanup()

    def call(self, method, **parameters):
        self.sent += 1
        self.socket.send(json.dumps({"id": self.sent, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.sent:
                return answer.get("result", answer)

    def open(self, address):
        self.call("Page.navigate", url=address)

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def wait_for(self, expression, what):
        """The expression's value, as soon as it is true."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            value = self.value(expression)
            if value:
                return value
        raise AssertionError(f"{what} did not come within {DEADLINE} s")

    def click(self, expression):
        """In the middle of the element that the expression is."""
        x, y = self.value(f"(() => {{ const e = {expression}; e.scrollIntoView({{block: 'center'}}); const b = "
                          "e.getBoundingClientRect(); return [b.x + Math.min(b.width / 2, 40), b.y + b.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press_control_enter(self):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, modifiers=2)

    def save_screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
