"""The laboratory's part, small: an origin of a scenario, and a phone around one adapter."""

import http.client
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from urllib.parse import quote, urlsplit

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("OTALAB_PROGRAM", str(HERE / "../../../.build/release/otalab"))
PATIENCE = 10  # seconds
STALLED = 2  # seconds without a byte of the origin, after which time may pass


class Unexpected(Exception):
    """An expectation of a story was not met."""


def expect(condition, text):
    if not condition:
        raise Unexpected(text)


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def request(port, method, target, headers=None, body=None):
    """Status, headers and body of an answer; follows redirects within the server."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        data = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise Unexpected(f"{method} {target}: {type(error).__name__}: {error}") from error
    finally:
        connection.close()
    if answer.status == 302:
        return request(port, method, answer.headers["Location"], headers)
    return answer.status, answer.headers, data, target


class Origin:
    """`otalab serve origin` with its steps by hand."""

    def __init__(self, scenario, speed):
        self.port = free_port()
        self._process = subprocess.Popen(
            [PROGRAM, "serve", "origin", scenario, "--by-hand", "--port", str(self.port),
             "--speed", str(speed)],
            stdout=subprocess.PIPE, text=True)
        for line in self._process.stdout:
            if match := re.match(r"manifest\s+(http\S+)", line):
                self.manifest = match[1]
                break
        threading.Thread(target=self._process.stdout.read, daemon=True).start()
        self._count = 0

    def post(self, path, body=None):
        text = json.dumps(body).encode() if body else b""
        status, _, data, _ = request(self.port, "POST", f"/__otalab/{path}", body=text)
        expect(status == 200, f"{path}: {data.decode()}")

    def fault(self, fault, **where):
        self.post("fault", {"fault": fault, **where})

    def log(self):
        return json.loads(request(self.port, "GET", "/__otalab/requests")[2])

    def requests(self):
        """Resources that were asked for since the last call, such as `manifest` and `/app.js`."""
        entries = self.log()
        entries, self._count = entries[self._count:], len(entries)
        return [entry["thing"] for entry in entries]

    def download(self, version, folder):
        """Deploys a version and writes it as an app package has it. Returns its files."""
        self.post(f"deploy/{version}")
        manifest = request(self.port, "GET", urlsplit(self.manifest).path)[2]
        files = {}
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_bytes(manifest)
        for row in json.loads(manifest)["files"]:
            files[row["route"]] = request(self.port, "GET", quote(row["route"]))[2]
            path = folder / "files" / row["route"][1:]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[row["route"]])
        return files

    def close(self):
        self._process.terminate()
        self._process.wait()


class Phone:
    """One device with the app: its folder stays, its processes come and go."""

    def __init__(self, adapter, origin, versions, packages, speed, clock, variables):
        self.adapter, self.origin, self.versions, self.packages = adapter, origin, versions, packages
        self.speed, self.clock, self.variables = speed, clock, variables
        self.embedded, self.native = "v1", "1.0"
        self.states = []
        self.state = self.fresh_state()
        self.port = free_port()
        self.status, self.process = {}, None

    def launch(self, front=True, died=None, page=True):
        """Starts the process; with `page`, loads the first one and returns the version that it shows."""
        environment = {
            **os.environ, "OTALAB_PROTOCOL": "1", "OTALAB_STATE": str(self.state),
            "OTALAB_PACKAGE": str(self.packages / self.embedded), "OTALAB_ORIGIN": self.origin.manifest,
            "OTALAB_DIALECT": "own", "OTALAB_APP": "com.example.shop", "OTALAB_NATIVE": self.native,
            "OTALAB_PORT": str(self.port),
            "OTALAB_SETTINGS": json.dumps({"startupTimeout": 20_000, "confirm": "called"}),
            "OTALAB_SPEED": str(self.speed), "OTALAB_SEED": "1", "NAIVE_CLOCK": self.clock,
            **self.variables}
        self.process = subprocess.Popen([self.adapter], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=open(self.state / "stderr", "ab"), text=True,
                                        env=environment, start_new_session=True)
        self.messages, self.answers, self.loads, self.id = queue.Queue(), {}, [], 0
        self.start, self.told = None, []
        threading.Thread(target=self._read, args=(self.process, self.messages), daemon=True).start()
        self.wait(lambda: self.told and self.told[-1]["is"] == "subject", "first message")
        self.policy = self.told[-1]
        self.do("launch", front=front, died=died)
        self.wait(lambda: self.start is not None, "listening")
        return self.page(self.start) if page and front else None

    def fresh_state(self):
        """An empty folder; that of a phone on which the app was never started."""
        self.states.append(pathlib.Path(tempfile.mkdtemp(prefix="subject-")))
        return self.states[-1]

    def _read(self, process, messages):
        for line in process.stdout:
            messages.put(json.loads(line))
        messages.put({"is": "ended"})

    def wait(self, condition, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not condition():
            try:
                message = self.messages.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise Unexpected(f"no {what} in {seconds} s") from None
            if "to" in message:
                expect(message["to"] not in self.answers, f"a second answer to {message['to']}")
                self.answers[message["to"]] = message
            elif message["is"] == "ended":
                last = (self.state / "stderr").read_text().strip().splitlines()[-1:]
                raise Unexpected(f"the process ended by itself, before {what}: {''.join(last)}")
            else:
                self._take(message)

    def _take(self, message):
        self.told.append(message)
        if message["is"] == "status":
            self.status.update(message)
        elif message["is"] == "listening":
            self.start = message.get("start", "/")
        elif message["is"] == "load":
            self.loads.append(message["url"])

    def do(self, name, **keys):
        self.id += 1
        number = self.id
        try:
            self.process.stdin.write(json.dumps({"id": number, "do": name, **keys}) + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Unexpected(f"the process ended by itself, before {name}") from error
        self.wait(lambda: number in self.answers, f"answer to {name}")
        expect(self.answers[number]["ok"], f"{name}: {self.answers[number]}")
        return self.answers[number]

    def rest(self):
        """Milliseconds to its next timer, when the origin has nothing to send any more; None without one."""
        seen, since, begin = None, time.monotonic(), time.monotonic()
        while True:
            expect(time.monotonic() - begin < 3 * PATIENCE, "no rest")
            answer = self.do("rest")
            if not answer.get("open"):
                return answer.get("next")
            entries = self.origin.log()
            if entries != seen:
                seen, since = entries, time.monotonic()
            # An answer that the origin holds back needs time; one that it has sent only has to arrive.
            is_held = any(entry["end"] == "open" for entry in entries)
            if time.monotonic() - since > (STALLED if is_held else PATIENCE):
                return answer.get("next")
            time.sleep(0.01)

    def quiet(self, within=4_000):
        """Lets what is under way end, in that many milliseconds of the scenario at most."""
        if self.clock == "own":
            while (left := self.rest()) is not None and left <= within:
                self.do("advance", ms=left)
                within -= left
        else:
            self.do("rest")
        self.do("status")

    def passes(self, milliseconds):
        """So much time of the scenario."""
        if self.clock == "own":
            while milliseconds > 0:
                left = self.rest()
                step = milliseconds if left is None else min(left, milliseconds)
                self.do("advance", ms=step)
                milliseconds -= step
            self.rest()
        else:
            time.sleep(milliseconds / 1000 / self.speed)
        self.do("status")

    def wait_for_request(self, thing):
        """Until the origin was asked for it, and a moment for its bytes."""
        end = time.monotonic() + PATIENCE
        while thing not in self.origin.requests():
            expect(time.monotonic() < end, f"{thing} was not asked for")
            time.sleep(0.02)
        time.sleep(0.2)

    def check(self, within=4_000):
        self.do("check")
        self.quiet(within)

    def page(self, url, confirms=False):
        """Loads a page as a web view does, and all files of the version it turns out to be."""
        document = {"Sec-Fetch-Dest": "document", "Accept": "text/html"}
        status, headers, index, self.url = request(self.port, "GET", url, document)
        kind = headers["Content-Type"]
        expect(status == 200 and "text/html" in kind, f"{url}: {status} {kind}")
        found = [name for name, files in self.versions.items() if files["/index.html"] == index]
        expect(found, f"{url}: an index of no version")
        version = found[0]
        for route, content in self.versions[version].items():
            status, headers, data = self.get(route)
            optional = route == "/extra.json" and status == 404
            is_right = status == 200 and data == content
            expect(is_right or optional, f"{route} of {version}: {status}, {len(data)} B")
            expect(not route.endswith(".js") or "javascript" in headers["Content-Type"], f"type of {route}")
        if confirms:
            self.call("startupDidComplete")
        return version

    def get(self, route):
        """Status, headers and body of a file that the page in front asks for."""
        referrer = f"http://127.0.0.1:{self.port}{self.url}"
        fields = {"Sec-Fetch-Dest": "script", "Accept": "*/*", "Referer": referrer}
        return request(self.port, "GET", quote(route), fields)[:3]

    def call(self, method, url=None):
        self.do("call", view=0, url=url or self.url, method=method, params={})

    def kill(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def relaunch(self, died=None, confirms=False):
        self.kill()
        version = self.launch(died=died)
        if confirms:
            self.call("startupDidComplete")
        return version

    def close(self):
        self.kill()
        for state in self.states:
            shutil.rmtree(state, ignore_errors=True)
