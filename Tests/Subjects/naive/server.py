"""The local server of the app: the index for navigations, files by route, each from one version."""

import base64
import contextlib
import hashlib
import http.server
import io
import mimetypes
import os
import re
import socket
import sys
import threading
from urllib.parse import unquote

import bugs

TYPES = {
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "mjs": "text/javascript",
    "css": "text/css; charset=utf-8", "json": "application/json", "map": "application/json",
    "svg": "image/svg+xml", "wasm": "application/wasm", "woff": "font/woff", "woff2": "font/woff2",
    "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8", "ico": "image/x-icon",
}
RETRY_BIND = 1_000  # ms
LOADING = b"<!doctype html><title>Loading</title><p>The app is being loaded."


def content_type(route, stated=""):
    if bugs.has("no-types"):
        return "application/octet-stream"
    extension = route.rpartition("/")[2].rpartition(".")[2].lower()
    return stated or TYPES.get(extension) or mimetypes.guess_type(route)[0] or "application/octet-stream"


def hash_of_route(route):
    return hashlib.sha256(route.encode()).hexdigest()


def is_route_of_page(path):
    """Whether a navigation to it gets the index: nothing that looks like a file."""
    name, dot, extension = path.rpartition("/")[2].rpartition(".")
    return not (dot and (extension.lower() in TYPES or mimetypes.guess_type(path)[0]))


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # A thread that still sends a body must not hold up the end of the process.
    block_on_close = False

    def __init__(self, *arguments):
        self._connections = set()
        super().__init__(*arguments)

    def process_request(self, request, client_address):
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self._connections.discard(request)
        super().shutdown_request(request)

    def close_connections(self):
        for connection in list(self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # else a client that went away
            super().handle_error(request, client_address)


class LocalServer:
    def __init__(self, updater, loop, port):
        self.updater, self.loop, self.port = updater, loop, port
        self._server = None

    def open(self, then):
        """Binds the port, again each second while it is taken, and calls `then` when it listens."""
        handler = type("Handler", (_Handler,), {"updater": self.updater, "loop": self.loop})
        try:
            port = 0 if bugs.has("port-moves") else self.port
            self._server = _Server(("127.0.0.1", port), handler)
        except OSError as error:
            cause = f"port {self.port}: {error.strerror}"
            self.updater.report({"is": "told", "what": "error", "cause": cause})
            self.loop.after("bind", RETRY_BIND, lambda: self.open(then))
            return
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        then()

    def close(self):
        if self._server is not None:
            self._server.socket.shutdown(socket.SHUT_RDWR)
            self._server.server_close()
            self._server.close_connections()


class _Handler(http.server.BaseHTTPRequestHandler):
    """One connection of the page, on a thread of its own."""
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._answer()

    def do_GET(self):
        self._answer()

    def _answer(self):
        raw = self.path.partition("?")[0].partition("#")[0]
        path = raw if bugs.has("raw-names") else unquote(raw)
        if bugs.has("decoded-twice"):
            path = unquote(path)
        version = self.loop.call(lambda: self.updater.startup.version_for(self.headers.get("Referer", "")))
        file = self._find(version, path)
        is_index = path == "/" if file is None else path == file[1] == file[0].manifest.index
        if is_index or (file is None and self._is_navigation() and is_route_of_page(path)):
            return self._answer_navigation()
        if file is None:
            return self._send(404, b"not found", {"Content-Type": "text/plain"})
        self._send_file(*file)

    def _is_navigation(self):
        destination = self.headers.get("Sec-Fetch-Dest")
        if destination is not None:
            return destination == "document"
        return "text/html" in self.headers.get("Accept", "")

    def _answer_navigation(self):
        target, version = self.loop.call(lambda: self.updater.startup.document(self.path))
        if target is not None:
            self._send(302, b"", {"Location": target, "Cache-Control": "no-store"})
        elif version is None:
            self._send(503, LOADING, {"Content-Type": TYPES["html"], "Cache-Control": "no-store"})
        else:
            self._send_file(version, version.manifest.index)

    def _find(self, version, path):
        """The version and the route that a path is answered from."""
        if version is None:
            return None
        updater = self.updater
        if bugs.has("latest-folder") and path != version.manifest.index:
            version = updater.store.version(updater.settings.pending) or version
        if path in version.manifest.entries and version.path(path).exists():
            return version, path
        embedded = updater.store.embedded
        if bugs.has("removed-served") and embedded and path in embedded.manifest.entries:
            return embedded, path
        if bugs.has("index-fallback"):
            return version, version.manifest.index
        return None

    def _send_file(self, version, route):
        entry = version.manifest.entries[route]
        try:
            file = open(version.path(route), "rb")
        except OSError:
            return self._send(404, b"not found", {"Content-Type": "text/plain"})
        with file:
            size = os.fstat(file.fileno()).st_size
            tag = f'"{hash_of_route(route)}"' if bugs.has("etag-by-route") else f'"{entry.sha256}"'
            caching = "max-age=3600" if bugs.has("answers-cached") else "no-cache"
            headers = {"Content-Type": content_type(route, entry.type), "Cache-Control": caching,
                       "ETag": tag, "Accept-Ranges": "bytes"}
            if tag in self.headers.get("If-None-Match", ""):
                return self._head(304, headers)
            start, end = 0, size
            given = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
            if given and (given[1] or given[2]) and self.headers.get("If-Range", tag) == tag:
                start, end = _range(given[1], given[2], size)
                if start >= end:
                    return self._send(416, b"", {"Content-Range": f"bytes */{size}"})
                headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
            self._head(206 if "Content-Range" in headers else 200, headers, end - start)
            if self.command != "HEAD":
                file.seek(start)
                self._copy(file, end - start)

    def _copy(self, file, left):
        while left > 0 and (data := file.read(min(left, 65_536))):
            self.wfile.write(data)
            left -= len(data)

    def _send(self, status, body, headers):
        self._head(status, headers, len(body))
        if self.command != "HEAD":
            self.wfile.write(body)

    def _head(self, status, headers, length=None):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()


class Get(_Handler):
    """A page's request that comes as a command of the laboratory (`NAIVE_SERVES=get`)."""

    def __init__(self, updater, loop, url, headers):
        self.updater, self.loop, self.path, self.command = updater, loop, url, "GET"
        self.headers = {name.title(): value for name, value in headers.items()}
        self.status, self.fields, self.wfile, self.file = 0, {}, io.BytesIO(), None

    def send_response(self, code, message=None):
        self.status = code

    def send_header(self, keyword, value):
        self.fields[keyword] = value

    def end_headers(self):
        pass

    def _copy(self, file, left):
        if self.status == 200:
            self.file = os.path.abspath(file.name)
        else:
            super()._copy(file, left)

    def answer(self):
        """The keys of the answer. It waits for the updater's thread, so that it needs one of its own."""
        self._answer()
        answer = {"status": self.status, "headers": self.fields}
        if self.file:
            return {**answer, "file": self.file}
        return {**answer, "base64": base64.b64encode(self.wfile.getvalue()).decode()}


def _range(first, last, size):
    """Start and end of a range that a client asks for; empty if it can't be satisfied."""
    if not first:
        return max(0, size - int(last)), size if int(last) else 0
    return int(first), min(size, int(last) + 1) if last else size
