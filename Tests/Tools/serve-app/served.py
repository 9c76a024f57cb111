"""An origin that deploys what a story says, and `otalab serve app` as a process."""

import hashlib
import http.server
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time

APP = "com.example.browser"


def page(version, body="", script="", head=""):
    """A version: what it shows, and what it does once it is there."""
    return {
        "/index.html": f"""<!doctype html><html><head><meta charset=utf-8><title>{version}</title>
<script src="/otalab.js"></script>{head}</head><body><p id=version>{version}</p>{body}
<script src="/app.js"></script></body></html>""",
        "/app.js": f"window.version = '{version}';\n{script}",
        "/chunk.js": f"export default '{version}';",
        "/late.js": f"window.late = '{version}';",
        "/style.css": f"p {{ --version: '{version}' }}",
    }


READY = "otalab.ready();"


class Origin:
    """Serves one version at a time; remembers what it was asked for."""

    def __init__(self):
        self.files, self.asked, self.serial = {}, [], 0
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                origin.asked.append(self.path)
                body = origin.files.get(self.path)
                self.send_response(200 if body is not None else 404)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/"

    def deploy(self, name, files):
        self.serial += 1
        files = {route: text.encode() for route, text in files.items()}
        rows = [{"route": route, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                for route, data in sorted(files.items())]
        manifest = {"format": "otalab-manifest-1", "app": APP, "version": name, "serial": self.serial,
                    "index": "/index.html", "files": rows}
        self.files = {**files, "/manifest.json": json.dumps(manifest).encode()}

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Lines:
    """A process, and the lines that it prints."""

    def begin(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, bufsize=1)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True).start()

    def _read(self, process, lines):
        for line in process.stdout:
            self.text.append(line)
            lines.put(line)

    def wait_for(self, *words, seconds=20):
        """The next line that has all of these words."""
        end = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no line with {words} within {seconds} s:\n{''.join(self.text)}") from None
            if all(word in line for word in words):
                return line

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()


class App(Lines):
    """`otalab serve app` as a process."""

    def __init__(self, program, origin, package, *flags):
        self.folder = tempfile.mkdtemp(prefix="otalab-browser-")
        for route, text in package.items():
            with open(os.path.join(self._made("package"), route[1:]), "w") as file:
                file.write(text)
        self.command = [program, "serve", "app", "--app", APP, "--port", "0",
                        "--package", self._made("package"), "--state", os.path.join(self.folder, "state"),
                        "--origin", origin.url, *flags]
        self.text = []
        self.start()

    def _made(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(path, exist_ok=True)
        return path

    def start(self):
        self.begin(self.command)
        # The port of the first process is that of all later ones.
        self.command = [word for place, word in enumerate(self.command)
                        if word != "--port" and self.command[place - 1] != "--port"]
        self.url = self.wait_for("Open  ").split()[1]

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait(10)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)
