"""The life of an app: a signed release, an update, a faulty one that is rolled back, and its fix."""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from browser import Browser
from served import READY, Lines, page


class Team:
    """What a team has: a build, a folder that it publishes into, and a key."""

    def __init__(self, program, key):
        self.program, self.key = program, key
        self.folder = tempfile.mkdtemp(prefix="otalab-ship-")
        self.releases = os.path.join(self.folder, "releases")
        self.package = os.path.join(self.folder, "package")

    def build(self, files):
        build = os.path.join(self.folder, "build")
        shutil.rmtree(build, ignore_errors=True)
        os.makedirs(build)
        for route, text in files.items():
            with open(os.path.join(build, route[1:]), "w") as file:
                file.write(text)
        return build

    def publish(self, version, script, *flags):
        self.call(self.build(page(version, script=script)), "--id", version, "--sign", self.key, *flags)

    def call(self, *words):
        done = subprocess.run([self.program, "publish", "--to", self.releases, "--app", "com.example.shop", *words],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Host:
    """A static host: Python's own web server over the folder."""

    def __init__(self, folder):
        handler = functools.partial(Quiet, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/manifest.json"


class App(Lines):
    """A process of the team's app."""

    def __init__(self, program, host, team):
        self.text = []
        # Its lines would wait in a buffer otherwise.
        self.begin(["stdbuf", "-oL", program, host.url, team.package, os.path.join(team.folder, "state")])
        self.url = self.wait_for("open ").split()[1]

    def kill(self):
        self.process.kill()
        self.process.wait(10)


def shows(browser, version, seconds=20):
    end, found = time.monotonic() + seconds, None
    while time.monotonic() < end:
        try:
            found = browser.run("document.readyState === 'complete' ? window.version : null")
        except RuntimeError:
            found = None
        if found == version:
            return
        time.sleep(0.05)
    raise AssertionError(f"shows {found}, not {version}")


def update(team, app, browser, version, script):
    """Publishes a version, and waits until the app has it and a reload shows it."""
    team.publish(version, script)
    app.say("check")
    app.wait_for("status", "pending " + version)
    browser.run("location.reload(); null")
    shows(browser, version)


def live(team, program, chromium):
    team.publish("1.0.0", READY, "--embed", team.package, "--browser")
    host = Host(team.releases)
    browser = Browser(chromium)
    app = App(program, host, team)
    browser.open(app.url)
    shows(browser, "1.0.0")

    update(team, app, browser, "1.1.0", READY)
    app.wait_for("status 1.1.0", "pending none")

    # It never confirms its start: the version before comes back. Later it says itself that it can't start.
    update(team, app, browser, "1.2.0", "if (localStorage.tried) otalab.fail('no data'); localStorage.tried = 1;")
    app.wait_for("log startFailedByClock 1.2.0")
    app.wait_for("log rescued 1.1.0")
    shows(browser, "1.1.0")

    # The process is killed; what it knows is on disk. The next one gives the version its second chance, the last.
    app.kill()
    app = App(program, host, team)
    browser.open(app.url)
    app.wait_for("log startFailedByPage 1.2.0")
    app.wait_for("status 1.1.0", '["1.2.0"]')
    shows(browser, "1.1.0")

    update(team, app, browser, "1.2.1", READY)

    # Who has the origin and no key gets nothing onto a device.
    with open(os.path.join(team.releases, "manifest.json"), "r+b") as file:
        text = file.read().replace(b"1.2.1", b"6.6.6")
        file.seek(0)
        file.write(text)
        file.truncate()
    app.say("check")
    line = app.wait_for("log signature")
    assert "6.6.6" not in "".join(app.text), line
    shows(browser, "1.2.1")
    app.kill()
    browser.close()


def main():
    program, app, key, chromium = sys.argv[1:]
    team = Team(program, key)
    try:
        live(team, app, chromium)
        print("ok   a team ships: update, faulty update, rollback, fix, forged manifest")
    finally:
        shutil.rmtree(team.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
