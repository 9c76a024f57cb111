"""Stories of an app whose origin speaks TLS; with those of `remote.py` one for each name."""

import http.client
import os
import re
import ssl
import sys
import time

import remote
from served import App, Origin, READY, page


class SecureOrigin(Origin):
    """Speaks TLS with the certificate of this moment, one request to a connection."""

    def __init__(self, folder):
        super().__init__()
        self.folder, self.redirects, self.refused = folder, {}, 0
        self.use("good")
        accept = self.server.get_request
        origin = self

        def get_request():
            socket, address = accept()
            # The handshake is the connection's own thread's: a stranger who does not speak keeps nobody waiting.
            return origin.context.wrap_socket(socket, server_side=True, do_handshake_on_connect=False), address

        def handle_error(*_):
            origin.refused += 1

        self.server.get_request, self.server.handle_error = get_request, handle_error
        plain = self.server.RequestHandlerClass.do_GET

        def do_GET(handler):
            handler.close_connection = True
            if handler.path in origin.redirects:
                origin.asked.append(handler.path)
                handler.send_response(302)
                handler.send_header("Location", origin.redirects[handler.path])
                handler.send_header("Content-Length", "0")
                handler.end_headers()
            else:
                plain(handler)
            origin.answered(handler.path)

        self.server.RequestHandlerClass.do_GET = do_GET
        self.answered = lambda _: None

    @property
    def url(self):
        return f"https://localhost:{self.server.server_port}/"

    def use(self, name):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(os.path.join(self.folder, name + ".pem"), os.path.join(self.folder, name + ".key"))


def shown(app):
    """The document, as a browser gets it: by the redirect, with its cookies."""
    host, target = re.match(r"http://([^/]+)(/.*)", app.url).groups()
    connection, cookies = http.client.HTTPConnection(host), []
    for _ in range(4):
        connection.request("GET", target, headers={
            "Sec-Fetch-Dest": "document", "Accept": "text/html", "Cookie": "; ".join(cookies)})
        answer = connection.getresponse()
        body = answer.read().decode()
        cookies += [text.split(";")[0] for text in answer.headers.get_all("Set-Cookie") or []]
        if answer.status != 307:
            return body
        target = answer.headers["Location"]
    raise AssertionError("redirected for ever")


def update(origin, app):
    """A good certificate: what the origin deploys comes over TLS, and is there at the next start."""
    origin.deploy("v2", page("v2", script=READY))
    app.say("check")
    app.wait_for("became-pending", "v2")
    assert "/app.js" in origin.asked
    assert app.stop() == 0
    app.start()
    assert "<title>v2</title>" in shown(app), shown(app)


def refused(name, *words):
    """A certificate that is not trusted."""

    def story(origin, app):
        origin.deploy("v2", page("v2", script=READY))
        origin.use(name)
        app.say("check")
        line = app.wait_for("origin  ", "localhost: ")
        assert any(word in line.lower() for word in words), line
        app.wait_for("check-failed", "insecure")
        assert origin.asked == [], f"asked for {origin.asked} without trust"
        assert "<title>v1</title>" in shown(app)
        origin.use("good")
        app.say("check")
        app.wait_for("became-pending", "v2")

    story.__doc__ = f"{name}: told as its own cause, nothing is asked; with a good certificate it goes on."
    return story


def in_the_middle(origin, app):
    """The certificate runs out between manifest and files: nothing of them is taken, later it goes on."""
    origin.deploy("v2", page("v2", script=READY))
    origin.answered = lambda path: path == "/manifest.json" and origin.use("expired")
    app.say("check")
    app.wait_for("download-started", "v2")
    app.wait_for("transfer-failed", "insecure")
    assert origin.asked == ["/manifest.json"], origin.asked
    origin.answered = lambda _: None
    origin.use("good")
    app.wait_for("became-pending", "v2", seconds=40)


def elsewhere(origin, app):
    """A redirect away from TLS, or to another host, is not followed (U5); one within the origin is."""
    origin.deploy("v2", page("v2", script=READY))
    manifest = origin.files["/manifest.json"]
    for place in [f"http://127.0.0.1:{origin.server.server_port}/there.json", "https://127.0.0.1:1/there.json"]:
        origin.redirects = {"/manifest.json": place}
        app.say("check")
        app.wait_for("redirect-refused")
    assert origin.asked == ["/manifest.json"] * 2, origin.asked
    origin.files["/there.json"] = manifest
    origin.redirects = {"/manifest.json": "/there.json"}
    app.say("check")
    app.wait_for("became-pending", "v2")


def long_file(origin, app):
    """A file of 64 MB streams through: memory stays where it was."""
    before = peak(app)
    origin.deploy("v2", {**page("v2", script=READY), "/film.bin": "x" * 64_000_000})
    app.say("check")
    app.wait_for("became-pending", "v2", seconds=60)
    grown = peak(app) - before
    assert grown < 24_000_000, f"{grown} bytes more"


def peak(app):
    with open(f"/proc/{app.process.pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) * 1024


STORIES = {
    "update": update,
    "other-host": refused("other-host", "subject name", "host name", "hostname"),
    "expired": refused("expired", "expired"),
    "unknown-ca": refused("unknown-ca", "issuer"),
    "self-signed": refused("self-signed", "self-signed", "self signed"),
    "in-the-middle": in_the_middle,
    "elsewhere": elsewhere,
    "long-file": long_file,
}


def main(program, folder, *names):
    wrong, stories = 0, {**STORIES, **remote.STORIES}
    for name in names or stories:
        began = time.monotonic()
        origin, root = SecureOrigin(folder), remote.Root(folder)
        app = App(program, origin, page("v1", script=READY), "--updates", "manual",
                  "--remote", root.url, "--route", "/api/**=remote+upgrades")
        try:
            if name in STORIES:
                shown(app)
                STORIES[name](origin, app)
            else:
                remote.STORIES[name](root, app, remote.Page(app))
            print(f"ok    {name:15} {time.monotonic() - began:4.1f} s  {stories[name].__doc__}", flush=True)
        except Exception as fault:  # noqa: BLE001  one story's fault is not the next one's
            wrong += 1
            print(f"WRONG {name}: {type(fault).__name__} {fault}\n  " + "  ".join(app.text[-25:]), flush=True)
        finally:
            app.close()
            origin.close()
            root.close()
    print(f"{len(names or stories) - wrong} of {len(names or stories)} stories over TLS")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
