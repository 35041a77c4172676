"""A headless Chromium, driven over a pipe by its DevTools protocol; nothing but Python's own library."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

MOVE_PIPE = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class CannotStart(Exception):
    """There is no browser here, or it does not come up; the text says why."""


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page at a time.  Events that came since the last navigation are in `events`."""

    def __init__(self, start_limit_s=30):
        program = find()
        if not program:
            raise CannotStart("no Chromium is installed")
        self.profile = tempfile.mkdtemp(prefix="browser-")
        to_child, self.write_fd = os.pipe()
        self.read_fd, from_child = os.pipe()
        # The protocol's pipe is descriptors 3 and 4 of the child; ours must not be among them.
        inner = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (to_child, from_child)]
        os.close(to_child)
        os.close(from_child)
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   "--no-first-run", "--disable-background-networking", "--disable-extensions", "--mute-audio",
                   f"--user-data-dir={self.profile}", "--remote-debugging-pipe", "about:blank"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", MOVE_PIPE, *map(str, inner), program, *options],
            pass_fds=inner, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in inner:
            os.close(fd)
        self.pending, self.events, self.next_id, self.session = b"", [], 0, None
        try:
            targets = self.call("Target.getTargets", limit_s=start_limit_s)["targetInfos"]
            page = next(t["targetId"] for t in targets if t["type"] == "page")
            self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
        except (OSError, TimeoutError, StopIteration, EOFError) as e:
            self.close()
            raise CannotStart(f"Chromium does not come up: {e or type(e).__name__}") from e

    def close(self):
        self.process.kill()
        self.process.wait()
        for fd in (self.write_fd, self.read_fd):
            os.close(fd)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read_message(self, until):
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.read_fd], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise TimeoutError("no answer")
            part = os.read(self.read_fd, 1 << 20)
            if not part:
                raise EOFError("it ended")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, limit_s=20, **params):
        self.next_id += 1
        request = {"id": self.next_id, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.write_fd, data):]
        until = time.monotonic() + limit_s
        while True:
            message = self.read_message(until)
            if message.get("id") == self.next_id:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def screen(self, width, height, dark=False, phone=False, paper=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, mobile=phone,
                  deviceScaleFactor=1)
        self.call("Emulation.setEmulatedMedia", media="print" if paper else "screen",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, limit_s=20):
        self.events = []
        self.call("Page.navigate", url=f"file://{path}")
        until = time.monotonic() + limit_s
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.read_message(until))

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def picture(self, whole=True):
        return base64.b64decode(self.call("Page.captureScreenshot", limit_s=60, format="png", captureBeyondViewport=whole)["data"])

    def complaints(self):
        """Errors of console and page, and requests for anything but the page itself."""
        found = []
        for e in self.events:
            method, p = e.get("method"), e.get("params", {})
            if method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                found.append(p["entry"]["text"])
            elif method == "Runtime.exceptionThrown":
                found.append(p["exceptionDetails"]["text"])
            elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                found.append(str(p["args"]))
            elif method == "Network.requestWillBeSent" and p["type"] != "Document":
                found.append(f"asks for {p['request']['url'][:100]}")
        return found
