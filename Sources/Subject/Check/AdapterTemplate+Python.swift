// The text keeps the columns that it has in the file that is written, so that its lines stay short.
extension AdapterTemplate {
    // swift-format-ignore
    package static let python = AdapterTemplate(
        name: "python", file: "adapter.py",
        text: #"""
#!/usr/bin/env python3
"""An adapter: a program that starts an updater and speaks the laboratory's protocol, version 1.

It runs as it is, with a toy updater. Lines with YOURS say where your own one comes in.
"""
import hashlib, http.server, json, mimetypes, os, pathlib, sys, threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote, unquote, urljoin, urlsplit
from urllib.request import urlopen

ENV = os.environ
STATE, PACKAGE = pathlib.Path(ENV["OTALAB_STATE"]), pathlib.Path(ENV["OTALAB_PACKAGE"])

def read(path):
    return json.loads(path.read_text()) if path.exists() else None

def write(path, data):
    """The old content or the new one, whatever happens: written beside it, synced, renamed."""
    with open(f"{path}.new", "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.new", path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)

def fetch(url, limit):
    with urlopen(url, timeout=30 / float(ENV.get("OTALAB_SPEED", 1))) as answer:
        return answer.read(limit)

# YOURS: calls of your updater. This toy downloads into a folder, verifies, and switches at launch.
def launch_version():
    """The manifest of the version that the next launch shows, and its folder; None: that of the package."""
    folder = STATE / "versions" / pointer["key"] if pointer.get("key") else None
    manifest = folder and read(folder / "manifest.json")
    return (manifest, folder) if manifest else (embedded, None)

def check():
    data = fetch(ENV["OTALAB_ORIGIN"], 4 << 20)
    offer, key = json.loads(data), None
    if offer["app"] != ENV["OTALAB_APP"] or offer.get("serial", 0) < pointer["serial"]:
        return
    if offer["files"] and offer["version"] != embedded["version"]:
        key = hashlib.sha256(data).hexdigest()
        folder = STATE / "versions" / key
        folder.mkdir(parents=True, exist_ok=True)
        for file in offer["files"]:
            download(file, folder / file["sha256"])
        write(folder / "manifest.json", data)
    pointer.update(serial=offer.get("serial", 0), key=key)
    write(STATE / "pointer.json", json.dumps(pointer).encode())  # last: it names complete folders only

def download(file, path):
    if path.exists():
        return
    url = urljoin(ENV["OTALAB_ORIGIN"], file.get("url") or quote(file["route"]))
    data = fetch(url, file["size"] + 1)
    if hashlib.sha256(data).hexdigest() != file["sha256"]:
        raise ValueError(f"{file['route']}: wrong hash")
    write(path, data)

embedded = read(PACKAGE / "manifest.json") or {"version": None, "files": [], "index": None}
pointer = read(STATE / "pointer.json") or {}
if pointer.get("embedded") != embedded["version"]:  # the app is new: what it embeds wins
    pointer = {"embedded": embedded["version"], "serial": embedded.get("serial", 0)}
manifest, folder = launch_version()
files = {file["route"]: folder / file["sha256"] if folder else PACKAGE / "files" / file["route"].lstrip("/")
         for file in manifest["files"]}

class Server(http.server.BaseHTTPRequestHandler):
    """YOURS: your updater's own server, on the port OTALAB_PORT."""
    def do_GET(self):
        route = unquote(urlsplit(self.path).path)
        if route not in files and self.headers.get("Sec-Fetch-Dest", "document") == "document":
            route = manifest["index"]
        self.send_response(200 if route in files else 404)
        self.send_header("Content-Type", mimetypes.guess_type(route or "")[0] or "application/octet-stream")
        self.end_headers()
        self.wfile.write(files[route].read_bytes() if route in files else b"")

    def log_message(self, *_):
        pass

def send(message):
    os.write(1, json.dumps(message).encode() + b"\n")

def status():
    waiting = launch_version()[0]["version"]
    send({"is": "status", "current": manifest["version"],
          "pending": None if waiting == manifest["version"] else waiting})

def checked():
    try:
        check()
    except Exception as error:
        send({"is": "told", "what": "error", "cause": str(error)})
    status()

# YOURS: what your updater understands, tells and promises. What is left out is not sent, or not judged.
send({"is": "subject", "protocol": 1, "name": "toy", "version": "1.0", "dialects": ["own"], "clock": "system",
      "serves": "http", "does": ["check", "call", "rest", "status"], "tells": ["current", "pending", "error"],
      "policy": {"confirm": "never", "startupTimeout": 20000, "switchAt": ["launch"], "retries": 0,
                 "blacklists": False}})
work = ThreadPoolExecutor(1)
for line in sys.stdin:
    command = json.loads(line)
    answer = {"to": command["id"], "ok": True}
    if command["do"] == "rest":
        work.submit(send, answer)  # its turn comes when the checks before it have ended
        continue
    if command["do"] == "launch":
        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(ENV["OTALAB_PORT"])), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        send({"is": "listening", "start": "/"})
    elif command["do"] == "check":
        work.submit(checked)
    elif command["do"] == "status":
        status()
    send(answer)  # YOURS: `call` with the method startupDidComplete confirms a start
os._exit(0)

"""#)
}
