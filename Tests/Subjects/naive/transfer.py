"""One HTTP request, with the stall time-out of the loop's clock instead of the socket's."""

import http.client
import io
import itertools
import select
import socket
import zlib
from urllib.parse import urljoin, urlsplit

import bugs

STALL = 30_000  # ms without a byte
REDIRECTS = 5
CHUNK = 64 * 1024
_ids = itertools.count(1)


class Failed(Exception):
    """What was asked for did not come. `transient`: the same request may succeed a moment later."""

    def __init__(self, cause, transient=True, status=None, retry_after=None):
        super().__init__(cause)
        self.transient, self.status, self.retry_after = transient, status, retry_after


class _Bytes(io.RawIOBase):
    """Reads a socket and says while it waits."""

    def __init__(self, transfer):
        self._transfer = transfer

    def readable(self):
        return True

    def readinto(self, buffer):
        with self._transfer.loop.waiting(self._transfer.sock):
            select.select([self._transfer.sock], [], [])
        self._transfer.heard = self._transfer.loop.clock.now()
        return self._transfer.sock.recv_into(buffer)


class _Socket:
    """What `http.client` wants of a socket."""

    def __init__(self, transfer):
        self._transfer = transfer

    def makefile(self, _mode):
        return io.BufferedReader(_Bytes(self._transfer), CHUNK)

    def sendall(self, data):
        self._transfer.sock.sendall(data)

    def close(self):
        pass


class Transfer:
    """A GET, used by a worker as a context; `status`, `headers` and `chunks` are those of its answer."""

    def __init__(self, loop, url, headers):
        self.loop, self.url, self._headers = loop, url, headers
        self.sock, self.heard = None, loop.clock.now()
        self._stalled = False
        self._timer = f"stall {next(_ids)}"

    def __enter__(self):
        self.loop.post(lambda: self._watch(STALL))
        try:
            for _ in range(REDIRECTS + 1):
                self._request()
                target = self.headers.get("Location")
                if self.status not in (301, 302, 303, 307, 308) or not target:
                    return self
                self.url = urljoin(self.url, target)
                self.sock.close()
            raise Failed("too many redirects", transient=False)
        except BaseException as error:
            self._end()
            raise self._failure(error) from error

    def __exit__(self, *_):
        self._end()

    def _request(self):
        parts = urlsplit(self.url)
        if parts.scheme != "http" or not parts.hostname:
            raise Failed(f"no http URL: {self.url}", transient=False)
        self.sock = socket.create_connection((parts.hostname, parts.port or 80))
        connection = http.client.HTTPConnection(parts.hostname, parts.port)
        connection.sock = _Socket(self)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        fields = {"Accept-Encoding": "identity", "Connection": "close", **self._headers}
        connection.request("GET", target, headers=fields)
        self._response = connection.getresponse()
        self.status, self.headers = self._response.status, self._response.headers

    def chunks(self):
        """The body, decoded. Ends as the connection does: `is_cut` says whether too early."""
        coding = self.headers.get("Content-Encoding", "identity").lower()
        if coding not in ("identity", "gzip", "deflate"):
            raise Failed(f"content coding {coding}", transient=False)
        decoder = None if coding == "identity" else zlib.decompressobj(47)
        try:
            while data := self._response.read1(CHUNK):
                yield decoder.decompress(data) if decoder else data
            if decoder:
                yield decoder.flush()
        except (http.client.HTTPException, OSError, ValueError, zlib.error) as error:
            raise self._failure(error) from error
        if self._stalled:
            raise Failed("stalled")

    def is_cut(self):
        return bool(self._response.length)

    def _failure(self, error):
        if isinstance(error, Failed):
            return error
        if self._stalled:
            return Failed("stalled")
        if isinstance(error, (OSError, http.client.HTTPException)):
            odd = isinstance(error, http.client.InvalidURL)
            return Failed(f"{type(error).__name__}: {error}", transient=not odd)
        if isinstance(error, (ValueError, zlib.error)):  # a malformed URL, status line or coding
            return Failed(f"{type(error).__name__}: {error}", transient=False)
        return error

    def _watch(self, milliseconds):
        """On the loop's thread: ends a transfer from which nothing is heard."""
        if not bugs.has("no-stall-timeout"):
            self.loop.after(self._timer, milliseconds, self._due)

    def _due(self):
        silent = self.loop.clock.now() - self.heard
        if silent < STALL:
            return self._watch(STALL - silent)
        self._stalled = True
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass

    def _end(self):
        self.loop.post(lambda: self.loop.cancel(self._timer))
        if self.sock is not None:
            self.sock.close()


def retry_after(headers):
    """Seconds of a Retry-After, as milliseconds: at most a day; None if there is none that can be read."""
    text = (headers.get("Retry-After") or "").strip()
    return min(int(text[:9]), 86_400) * 1000 if text.isascii() and text.isdigit() else None


def check_status(transfer, expected):
    """Raises what the status of an answer means, unless it is one of those expected."""
    status = transfer.status
    if status not in expected:
        transient = status in (408, 425, 429) or status >= 500
        raise Failed(f"status {status}", transient, status, retry_after(transfer.headers))
