"""A headless Chromium at the other end of a pipe (the DevTools protocol, nothing else)."""

import base64
import json
import os
import select
import subprocess
import tempfile
import time


class Browser:
    """One browser with one page. `close` ends it."""

    def __init__(self, program):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)

        def take_pipes():
            # The browser reads on 3 and writes on 4; first out of each other's way.
            spare_in, spare_out = os.dup(to_browser), os.dup(from_browser)
            os.dup2(spare_in, 3)
            os.dup2(spare_out, 4)

        self._process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--no-first-run", "--hide-scrollbars", f"--user-data-dir={self._folder.name}", "about:blank"],
            preexec_fn=take_pipes, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._next = 0
        self._session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.call("Browser.close")
        except (OSError, EOFError, TimeoutError):
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._folder.cleanup()

    def call(self, method, **params):
        self._next += 1
        number = self._next
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0") if len(json.dumps(message)) < 60_000 \
            else self._write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read(30)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer.get("result", {})
            self.events.append(answer)

    def _write(self, data):
        while data:
            data = data[os.write(self._out, data[:60_000]):]

    def _read(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser says nothing")
            piece = os.read(self._in, 1 << 16)
            if not piece:
                raise EOFError("the browser is gone")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def wait_for(self, method, seconds=15):
        """The next event of that name; those before it are kept."""
        for event in self.events:
            if event.get("method") == method and not event.get("seen"):
                event["seen"] = True
                return event
        end = time.monotonic() + seconds
        while True:
            event = self._read(end - time.monotonic())
            self.events.append(event)
            if event.get("method") == method:
                event["seen"] = True
                return event

    def open(self, address):
        """A page of its own, not a jump inside the one that is there."""
        self.call("Page.navigate", url="about:blank")
        self.wait_for("Page.loadEventFired")
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def run(self, script, awaits=False):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=awaits,
                           userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details.get("text")))
        return result["result"].get("value")

    def key(self, key):
        text = key if len(key) == 1 else ""
        code = {"ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Escape": 27, "Tab": 9}.get(key, 0)
        if key == "Enter":
            text = "\r"
        down = {"type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def size(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": name},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
