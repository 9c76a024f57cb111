"""Stories of an app whose API, the remote root, speaks TLS: what goes up, what comes down, and what is not trusted."""

import gzip
import hashlib
import http.client
import os
import re
import socket
import ssl
import threading
import time


class Root:
    """Writes down each request as it came, line by line, and answers as the story says; speaks TLS with the
    certificate of this moment."""

    def __init__(self, folder):
        self.folder, self.asked, self.answers, self.protocols, self.is_plain = folder, [], {}, [], False
        self.use("good")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"https://localhost:{self.port}/v1"

    def use(self, name):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(self.folder, name + ".pem"), os.path.join(self.folder, name + ".key"))
        # As servers of the day do; only the second can be meant here.
        context.set_alpn_protocols(["h2", "http/1.1"])
        self.context = context

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            if self.is_plain:
                connection.recv(9)
                return connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            connection = self.context.wrap_socket(connection, server_side=True)
            self.protocols.append(connection.selected_alpn_protocol())
            request = Request(connection)
            self.asked.append(request)
            self.answers[request.target](connection, request)
        except (OSError, EOFError):
            pass
        finally:
            # Now, whoever still holds the request; without TLS's goodbye.
            try:
                socket.socket.shutdown(connection, socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()


class Request:
    def __init__(self, connection):
        self.connection, self.stream = connection, connection.makefile("rb")
        self.line = self.stream.readline().decode()
        if not self.line:
            raise EOFError
        self.method, self.target = self.line.split()[:2]
        self.fields = []
        while (line := self.stream.readline().decode().rstrip("\r\n")):
            self.fields.append(tuple(line.split(": ", 1)))

    def values(self, name):
        return [value for field, value in self.fields if field.lower() == name.lower()]

    def body(self):
        if self.values("Transfer-Encoding") == ["chunked"]:
            while (size := int(self.stream.readline(), 16)):
                yield self.stream.read(size)
                self.stream.readline()
            self.stream.readline()
            return
        left = int((self.values("Content-Length") or ["0"])[0])
        while left:
            part = self.stream.read(min(left, 1 << 16))
            if not part:
                return
            left -= len(part)
            yield part


class Page:
    """A page of the app: its cookies, and what it asks."""

    def __init__(self, app):
        self.host, target = re.match(r"http://([^/]+)(/.*)", app.url).groups()
        self.cookies = []
        for _ in range(4):
            answer = self.ask("GET", target, {"Sec-Fetch-Dest": "document", "Accept": "text/html"})
            self.cookies += [text.split(";")[0] for text in answer.headers.get_all("Set-Cookie") or []]
            if answer.status != 307:
                return
            target = answer.headers["Location"]
        raise AssertionError("redirected for ever")

    def begin(self, method, target, fields=None, body=None, chunked=False):
        connection = http.client.HTTPConnection(self.host, timeout=30)
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in {"Cookie": "; ".join(self.cookies), **(fields or {})}.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader(*("Transfer-Encoding", "chunked") if chunked else ("Content-Length", len(body)))
        connection.endheaders(body, encode_chunked=chunked)
        return connection.getresponse()

    def ask(self, *what, **how):
        answer = self.begin(*what, **how)
        answer.body = answer.read()
        return answer

    def socket(self, head):
        """Bytes of one's own."""
        host, port = self.host.rsplit(":", 1)
        connection = socket.create_connection((host, int(port)), 30)
        connection.sendall((head + f"Host: {self.host}\r\nCookie: {'; '.join(self.cookies)}\r\n\r\n").encode())
        return connection


def said(text, body=b"", ends=False):
    """Says this and goes, without TLS's goodbye or with it."""

    def answer(connection, request):
        list(request.body())
        connection.sendall(text.replace("\n", "\r\n").encode() + body)
        if ends:
            connection.unwrap()

    return answer


def heard(connection, until):
    text = b""
    while not text.endswith(until):
        part = connection.recv(65536)
        assert part, text
        text += part
    return text


# MARK: The stories


def fields(root, app, page):
    """Method, path, query and fields go up as they are, Host and Origin are its own; an answer comes down line by line."""
    zipped = gzip.compress(b"hello, packed" * 100)
    root.answers["/v1/api/a%20b;c?x=%2F&y=+&x="] = said(
        f"""HTTP/1.1 203 Fine By Me
Content-Encoding: gzip
Content-Length: {len(zipped)}
Set-Cookie: a=1; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Path=/; Secure; Domain=example.com
X-Many: one
Set-Cookie: b=2, 3; SameSite=None; Secure
X-Many: two

""", zipped)
    answer = page.ask("GET", "/api/a%20b;c?x=%2F&y=+&x=", {
        "Origin": f"http://{page.host}", "Accept-Encoding": "br;q=0.5, gzip", "X-Even": 'a, "b"', "X-Odd": "hop",
        "Connection": "X-Odd"})
    asked = root.asked[0]
    assert asked.line.startswith("GET /v1/api/a%20b;c?x=%2F&y=+&x= HTTP/1.1"), asked.line
    assert root.protocols == ["http/1.1"], root.protocols
    own = f"localhost:{root.port}"
    assert asked.fields == [("Host", own), ("Origin", f"https://{own}"), ("Accept-Encoding", "br;q=0.5, gzip"),
                            ("X-Even", 'a, "b"'), ("Connection", "close")], asked.fields
    assert (answer.status, answer.reason) == (203, "Fine By Me")
    assert answer.body == zipped and answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Content-Length"] == str(len(zipped))
    assert answer.headers.get_all("Set-Cookie") == [
        "a=1; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Path=/", "b=2, 3; SameSite=Lax"], answer.headers
    assert answer.headers.get_all("X-Many") == ["one", "two"], answer.headers


def methods(root, app, page):
    """All methods, bodies with a length and without; HEAD, 204 and 304 have none; a redirect is passed, not followed."""
    root.answers["/v1/api/x"] = lambda connection, request: connection.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Length: 64\r\n\r\n" + (b"" if request.method == "HEAD" else hashlib.sha256(
            b"".join(request.body())).hexdigest().encode()))
    body = os.urandom(200_000)
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]:
        for chunked in [False, True]:
            answer = page.ask(method, "/api/x", body=body, chunked=chunked)
            assert answer.body.decode() == hashlib.sha256(body).hexdigest(), (method, chunked, answer.status)
    answer = page.ask("HEAD", "/api/x")
    assert answer.headers["Content-Length"] == "64" and answer.body == b""
    root.answers["/v1/api/none"] = said("HTTP/1.1 204 No Content\n\n")
    root.answers["/v1/api/same"] = said('HTTP/1.1 304 Not Modified\nETag: "a"\n\n')
    root.answers["/v1/api/there"] = said("HTTP/1.1 302 Found\nLocation: https://elsewhere.example/\nContent-Length: 0\n\n")
    for path, status in [("none", 204), ("same", 304), ("there", 302)]:
        answer = page.ask("GET", "/api/" + path)
        assert (answer.status, answer.body) == (status, b""), (path, answer.status)
    assert answer.headers["Location"] == "https://elsewhere.example/"


def expected(root, app, page):
    """Who asks before it sends a body hears the remote root's own word."""

    def answer(connection, request):
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = b"".join(request.body())
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    root.answers["/v1/api/x"] = answer
    root.answers["/v1/api/no"] = lambda connection, _: connection.sendall(b"HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n")
    connection = page.socket("POST /api/x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n")
    assert heard(connection, b"\r\n\r\n").startswith(b"HTTP/1.1 100 ")
    connection.sendall(b"hello")
    assert heard(connection, b"hello").startswith(b"HTTP/1.1 200 ")
    connection = page.socket("POST /api/no HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n")
    assert heard(connection, b"\r\n\r\n").startswith(b"HTTP/1.1 413 ")


def large(root, app, page):
    """48 MB up and down at once: every byte, in the memory of before; a page that does not read makes it wait."""
    piece, count, given = os.urandom(1 << 20), 48, []

    def mirror(connection, request):
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for part in request.body():
            connection.sendall(b"%x\r\n" % len(part) + part + b"\r\n")
        connection.sendall(b"0\r\n\r\n")

    def much(connection, _):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (count << 20))
        for _ in range(count):
            connection.sendall(piece)
            given.append(1)

    root.answers = {"/v1/api/mirror": mirror, "/v1/api/much": much}
    page.ask("POST", "/api/mirror", body=piece)
    before = peak(app)
    connection = page.socket(f"POST /api/mirror HTTP/1.1\r\nContent-Length: {count << 20}\r\n")
    threading.Thread(target=lambda: [connection.sendall(piece) for _ in range(count)], daemon=True).start()
    answer = http.client.HTTPResponse(connection, method="POST")
    answer.begin()
    assert answer.read() == piece * count
    answer = page.begin("GET", "/api/much")
    time.sleep(1)
    assert len(given) < count // 2, f"{len(given)} MB were taken for a page that takes none"
    assert answer.read() == piece * count
    grown = peak(app) - before
    assert grown < 12_000_000, f"{grown} bytes more"


def stream(root, app, page):
    """What is said reaches the page when it is said: the next word comes only when the page has heard the one before."""
    turn = threading.Event()

    def events(connection, _):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number in range(5):
            turn.clear()
            connection.sendall(b"9\r\ndata: %d\n\n\r\n" % number)
            assert turn.wait(10)
        connection.sendall(b"0\r\n\r\n")

    root.answers["/v1/api/events"] = events
    answer = page.begin("GET", "/api/events")
    for number in range(5):
        assert answer.read(9) == b"data: %d\n\n" % number
        turn.set()
    assert answer.read() == b""


def half(root, app, page):
    """Half a body is never whole, not even one without a length: its end is TLS's goodbye (RFC 9112 §9.8)."""
    for name, answer, isWhole in [
        ("length", said("HTTP/1.1 200 OK\nContent-Length: 100\n\nshort"), False),
        ("bye", said("HTTP/1.1 200 OK\nContent-Length: 100\n\nshort", ends=True), False),
        ("chunk", said("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nshort\n"), False),
        ("close", said("HTTP/1.1 200 OK\n\nshort"), False),
        ("whole", said("HTTP/1.1 200 OK\n\nshort", ends=True), True),
        ("enough", said("HTTP/1.1 200 OK\nContent-Length: 5\n\nshort"), True),
    ]:
        root.answers["/v1/api/" + name] = answer
        answer = page.begin("GET", "/api/" + name)
        assert answer.status == 200, (name, answer.status)
        try:
            text = answer.read()
            assert isWhole and text == b"short", f"{name}: {text} was whole"
        except http.client.IncompleteRead as fault:
            assert not isWhole, f"{name}: {fault} was not whole"
    for name, answer in [("silent", said("")), ("torn", said("HTTP/1.1 200 OK\nContent-Le"))]:
        root.answers["/v1/api/" + name] = answer
        assert page.ask("GET", "/api/" + name).status == 502, name


def socket_story(root, app, page):
    """A WebSocket: from the switch on bytes both ways, and the end of one side reaches the other."""
    ended = threading.Event()

    def mirror(connection, request):
        assert request.values("Upgrade") == ["websocket"] and request.values("Sec-WebSocket-Key") == ["abc"]
        connection.sendall(b"HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nfirst")
        while (part := request.stream.read1(65536)):
            connection.sendall(part)
        ended.set()
        connection.unwrap()

    root.answers["/v1/api/live"] = mirror
    connection = page.socket("GET /api/live HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: abc\r\n")
    assert heard(connection, b"first").startswith(b"HTTP/1.1 101 ")
    for size in [1, 125, 70_000, 300_000]:
        words = os.urandom(size)
        threading.Thread(target=connection.sendall, args=(words,), daemon=True).start()
        got = b""
        while len(got) < size:
            got += connection.recv(65536)
        assert got == words
    connection.shutdown(socket.SHUT_WR)
    assert ended.wait(10)
    assert connection.recv(1) == b""


def untrusted(root, app, page):
    """Another host's certificate, an expired one, an unknown CA's, its own: 502 with the cause; nothing is asked."""
    root.answers["/v1/api/x"] = said("HTTP/1.1 200 OK\nContent-Length: 0\n\n")
    distrusted(root, app, page)
    root.use("good")
    for _ in range(2):
        assert page.ask("POST", "/api/x", body=b"secret").status == 200
    # Not trusted either once another was.
    root.asked = []
    distrusted(root, app, page)


def distrusted(root, app, page):
    for name, word in [("other-host", "name"), ("expired", "expired"), ("unknown-ca", "issuer"), ("self-signed", "self")]:
        root.use(name)
        answer = page.ask("POST", "/api/x", body=b"secret")
        assert answer.status == 502 and b"certificate is not trusted" in answer.body, (name, answer.status, answer.body)
        line = app.wait_for("remote  ", "localhost: ")
        assert word in line, line
    assert root.asked == [], "asked without trust"


def gone(root, app, page):
    """No TLS there, nobody there: 502, each with its cause; with the remote root back it goes on."""
    root.answers["/v1/api/x"] = said("HTTP/1.1 200 OK\nContent-Length: 0\n\n")
    root.is_plain = True
    answer = page.ask("GET", "/api/x")
    assert answer.status == 502 and b"agree on a secure connection" in answer.body, answer.body
    root.is_plain = False
    assert page.ask("GET", "/api/x").status == 200
    root.listener.shutdown(socket.SHUT_RDWR)
    root.listener.close()
    answer = page.ask("GET", "/api/x")
    assert answer.status == 502 and b"refuses" in answer.body, answer.body


def peak(app):
    with open(f"/proc/{app.process.pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) * 1024


STORIES = {
    "remote-fields": fields,
    "remote-methods": methods,
    "remote-expected": expected,
    "remote-large": large,
    "remote-stream": stream,
    "remote-half": half,
    "remote-socket": socket_story,
    "remote-trust": untrusted,
    "remote-gone": gone,
}
