"""A page in Debian's Chromium, by its debugging protocol over a pipe: no package of Python's is needed."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from waiting import wait_for  # noqa: E402  pylint: disable=wrong-import-position

DEADLINE = 60


def is_there():
    return shutil.which("chromium") is not None


class Page:
    def __init__(self, width=1280, height=900, theme="light"):
        self.profile = tempfile.TemporaryDirectory(prefix="totrain-chromium.", ignore_cleanup_errors=True)
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def place():
            moved = os.dup(to_browser), os.dup(from_browser)
            os.dup2(moved[0], 3)
            os.dup2(moved[1], 4)

        self.program = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--no-first-run", "--disable-background-networking", f"--user-data-dir={self.profile.name}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=place)
        os.close(to_browser)
        os.close(from_browser)
        self.sent, self.bytes, self.session, self.messages = 0, b"", None, []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Runtime.enable")
        self.call("Log.enable")
        self.call("Page.enable")
        self.resize(width, height)
        self.paint(theme)

    def close(self):
        self.program.terminate()
        try:
            self.program.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.program.kill()
            self.program.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        self.profile.cleanup()

    def receive(self, seconds):
        """The next message; None where none comes."""
        end = time.monotonic() + seconds
        while b"\0" not in self.bytes:
            ready, _, _ = select.select([self.read_end], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            read = os.read(self.read_end, 1 << 20)
            if not read:
                raise RuntimeError("Chromium has ended")
            self.bytes += read
        message, _, self.bytes = self.bytes.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.sent += 1
        request = {"id": self.sent, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.write_end, json.dumps(request).encode() + b"\0")
        while True:
            message = self.receive(DEADLINE)
            if message is None:
                raise RuntimeError(f"Chromium did not answer {method}")
            if message.get("id") == self.sent:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.messages.append(message)

    def problems(self):
        """Errors of the page: exceptions, and requests that a policy has refused."""
        found = []
        for message in self.messages:
            if message.get("method") == "Runtime.exceptionThrown":
                found.append(json.dumps(message["params"]["exceptionDetails"])[:600])
            elif message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                found.append(message["params"]["entry"]["text"])
        return found

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def paint(self, theme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def open(self, address):
        self.call("Page.navigate", url=address)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(json.dumps(result["exceptionDetails"])[:800])
        return result["result"].get("value")

    def wait_for(self, expression, what):
        """Until the expression is true."""
        try:
            wait_for(lambda: self.value(f"!!({expression})"), what)
        except AssertionError as error:
            raise AssertionError(f"{error}; the page has {self.value('document.body.innerText')[:1500]}") from error

    def press(self, key, number, text=""):
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=number, text=text)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def shoot(self, path, whole=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
