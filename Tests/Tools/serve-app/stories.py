"""Stories of an app in a real browser. Each begins with an app of its own that embeds v1."""

import os
import sys
import tempfile
import time

import host_stories
from browser import Browser
from served import App, Origin, READY, page

KEEP = "localStorage.setItem('kept', 'yes'); document.cookie = 'kept=yes; max-age=9999; path=/';"
KEPT = "localStorage.getItem('kept') + ' ' + /kept=yes/.test(document.cookie)"


class Story:
    """An origin, a served app and a browser at its page."""

    def __init__(self, program, chromium, package=None, *flags):
        self.origin = Origin()
        if len(flags) == 1 and callable(flags[0]):
            flags = flags[0](self.origin)
        self.app = App(program, self.origin, package or page("v1", script=READY), *flags)
        self.browser = Browser(chromium)

    def close(self):
        self.browser.close()
        self.app.close()
        self.origin.close()

    def open(self):
        self.browser.open(self.app.url)
        self.shows("v1" if not self.origin.files else None)

    def shows(self, version, seconds=15):
        """What the page shows, whatever loads in between."""
        end = time.monotonic() + seconds
        found = None
        while time.monotonic() < end:
            try:
                found = self.browser.run("document.readyState === 'complete' ? window.version : null")
            except RuntimeError:
                found = None
            if found and version in (None, found):
                return found
            time.sleep(0.05)
        raise AssertionError(f"shows {found}, not {version}")

    def fetch(self, version, files):
        """Deploys it and waits until it is complete on the device."""
        self.origin.deploy(version, files)
        self.app.say("check")
        self.app.wait_for("became-pending", version)

    def reload(self):
        self.browser.run("window.version = null; location.reload()")


def update_by_reload(story):
    """A reload takes up what is pending; cookies and local storage stay."""
    story.open()
    origin = story.browser.run("location.origin")
    story.browser.run(KEEP)
    story.fetch("v2", page("v2", script=READY))
    assert story.browser.run("window.version") == "v1", "switched under the user"
    story.reload()
    story.shows("v2")
    story.app.wait_for("start-confirmed", "v2")
    assert story.browser.run(KEPT) == "yes true"
    assert story.browser.run("location.origin") == origin


def update_at_restart(story):
    """The next process starts with what is pending, on the same port, with all that was kept."""
    story.open()
    story.browser.run(KEEP)
    origin = story.browser.run("location.origin")
    story.fetch("v2", page("v2", script=READY))
    assert story.app.stop() == 0
    story.app.start()
    story.browser.open(story.app.url)
    story.shows("v2")
    assert story.browser.run("location.origin") == origin
    assert story.browser.run(KEPT) == "yes true"


def killed(story):
    """A process that is killed loses nothing and locks nobody out."""
    story.open()
    story.fetch("v2", page("v2", script=READY))
    story.app.process.kill()
    story.app.process.wait(10)
    story.app.start()
    story.browser.open(story.app.url)
    story.shows("v2")


def never_ready(story):
    """A version that never says that it is ready is left by itself, for the one before."""
    story.open()
    story.browser.run(KEEP)
    story.fetch("v2", page("v2", script=READY))
    story.reload()
    story.shows("v2")
    story.app.wait_for("start-confirmed", "v2")
    story.fetch("v3", page("v3"))
    story.reload()
    story.shows("v3")
    story.app.wait_for("rescued")
    story.shows("v2")
    assert story.browser.run(KEPT) == "yes true"


def says_that_it_failed(story):
    """A version that says that it failed is left at once."""
    story.open()
    story.fetch("v2", page("v2", script="otalab.fail('no data');"))
    story.reload()
    story.app.wait_for("start-failed-by-page", "v2")
    story.shows("v1")


def told_and_switched(story):
    """The page hears of a new version, asks for it, and reloads itself."""
    story.open()
    story.browser.run("""otalab.on('newVersionReady', params => otalab.switchToPending()
        .then(id => { window.version = null; location.reload(); })); null""")
    story.fetch("v2", page("v2", script=READY))
    story.shows("v2")


def reload_from_outside(story):
    """A native button reloads the page in front."""
    story.open()
    story.fetch("v2", page("v2", script=READY))
    story.app.say("reload")
    story.shows("v2")


def taps(story):
    """A link is a full page load and never a switch; what it led to is kept through the update (U6, UX-07)."""
    story.open()
    story.fetch("v2", page("v2", script=READY))
    story.browser.run("""const link = document.createElement('a'); link.href = '/items/7?tab=2#end';
        document.body.append(link); window.version = null; link.click(); null""")
    story.shows("v1")
    where = "location.pathname + location.search + location.hash"
    assert story.browser.run(where) == "/items/7?tab=2#end", story.browser.run(where)
    story.reload()
    story.shows("v2")
    assert story.browser.run(where) == "/items/7?tab=2#end", story.browser.run(where)


def late_chunk(story):
    """What a page asks for late comes from its own version, though another tab runs the next one (S1)."""
    story.open()
    first = story.browser
    story.fetch("v2", page("v2", script=READY))
    target = first.call("Target.createTarget", url="about:blank")["targetId"]
    session = first._session
    first._session = first.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    first.call("Page.enable")
    first.call("Runtime.enable")
    first.call("Page.navigate", url=story.app.url)
    story.shows("v1")
    story.reload()
    story.shows("v2")
    assert chunk(first) == "v2", chunk(first)
    first._session = session
    assert chunk(first) == "v1", chunk(first)
    style = first.run("fetch('/style.css').then(a => a.text())", awaits=True)
    assert "v1" in style, style


def chunk(browser):
    """As a bundler's code loads one: a script of the document's."""
    return browser.run("""new Promise((done, fail) => { const script = document.createElement('script');
        script.src = '/late.js'; script.onload = () => done(window.late); script.onerror = fail;
        document.head.append(script); })""", awaits=True)


def service_worker(story):
    """A service worker that stands between page and server changes neither version nor update."""
    story.open()
    assert story.browser.run("""navigator.serviceWorker.register('/worker.js')
        .then(() => navigator.serviceWorker.ready).then(() => true)""", awaits=True)
    story.reload()
    story.shows("v1")
    assert story.browser.run("!!navigator.serviceWorker.controller")
    assert story.browser.run("import('/chunk.js').then(m => m.default)", awaits=True) == "v1"
    story.fetch("v2", worker("v2"))
    story.reload()
    story.shows("v2")
    assert story.browser.run("import('/chunk.js').then(m => m.default)", awaits=True) == "v2"


def worker(version):
    return {**page(version, script=READY),
            "/worker.js": "addEventListener('fetch', event => event.respondWith(fetch(event.request)));"
                          "addEventListener('activate', event => event.waitUntil(clients.claim()));"}


def without_script(story):
    """A page that knows nothing of all this is confirmed when it has loaded and lived for five seconds (F17)."""
    story.open()
    plain = {"/index.html": "<!doctype html><title>v2</title><script src=/app.js></script>",
             "/app.js": "window.version = 'v2'"}
    story.fetch("v2", plain)
    story.reload()
    story.shows("v2")
    story.app.wait_for("start-confirmed", "v2")


MOCKS = """{ format: "otalab-mocks-1", mocks: [{ name: "score", path: "/api/score",
    answers: [{ status: 503, body: "busy" }, { json: { from: "mock" } }] }] }"""


def api_flags(origin):
    """The origin is the remote root too."""
    folder = tempfile.mkdtemp(prefix="otalab-api-")
    with open(os.path.join(folder, "mocks.json5"), "w") as file:
        file.write(MOCKS)
    os.makedirs(os.path.join(folder, "shared"))
    with open(os.path.join(folder, "shared", "note.txt"), "w") as file:
        file.write("shared")
    return ("--mocks", os.path.join(folder, "mocks.json5"), "--remote", origin.url + "v1", "--route", "/api/**=remote",
            "--route", f"/static/**=folder:{folder}/shared")


def api(story):
    """A page's API: mock handlers in sequence, switched off by the page; a remote root, and another one (F9, G6)."""
    story.origin.files = {"/v1/api/score": b'{"from": "root"}', "/v2/api/score": b'{"from": "elsewhere"}'}
    story.browser.open(story.app.url)
    story.shows("v1")

    def score():
        return story.browser.run("fetch('/api/score').then(a => a.status + ' ' + a.headers.get('x') + ' ')"
                                 ".then(s => fetch('/api/score').then(a => a.text()).then(t => s + t))", awaits=True)

    assert score() == '503 null {"from":"mock"}', score()
    assert story.browser.run("otalab.call('setMock', {name: 'score', on: false})", awaits=True) is True
    assert story.browser.run("fetch('/api/score').then(a => a.json()).then(a => a.from)", awaits=True) == "root"
    root = story.origin.url + "v2"
    assert story.browser.run(f"otalab.call('setRemoteRoot', {{url: '{root}'}})", awaits=True) is True
    assert story.browser.run("fetch('/api/score').then(a => a.json()).then(a => a.from)", awaits=True) == "elsewhere"
    assert story.browser.run("fetch('/static/note.txt').then(a => a.text())", awaits=True) == "shared"
    assert story.browser.run("fetch('/static/none.txt').then(a => a.status)", awaits=True) == 404


STORIES = {
    "update-by-reload": (update_by_reload, ()),
    "update-at-restart": (update_at_restart, ()),
    "killed": (killed, ()),
    "never-ready": (never_ready, ("--startup-timeout", "5s")),
    "says-that-it-failed": (says_that_it_failed, ()),
    "told-and-switched": (told_and_switched, ()),
    "reload-from-outside": (reload_from_outside, ()),
    "taps": (taps, ()),
    "late-chunk": (late_chunk, ()),
    "service-worker": (service_worker, ("--verbose",)),
    "api": (api, (api_flags,)),
    "without-script": (without_script, ("--confirm", "loaded")),
}


STORIES = {name: (run, flags, {}) for name, (run, flags) in STORIES.items()} | host_stories.STORIES


def main(program, chromium, *names):
    wrong = 0
    for name in names or STORIES:
        run, flags, parts = STORIES[name]
        began = time.monotonic()
        package = worker("v1") if run is service_worker else page("v1", script=READY, **parts)
        story = Story(program, chromium, package, *flags)
        try:
            run(story)
            print(f"ok    {name:22} {time.monotonic() - began:4.1f} s  {run.__doc__}", flush=True)
        except Exception as fault:  # noqa: BLE001  one story's fault is not the next one's
            wrong += 1
            print(f"WRONG {name}: {type(fault).__name__} {fault}\n  " + "  ".join(story.app.text[-25:]), flush=True)
        finally:
            story.close()
    print(f"{len(names or STORIES) - wrong} of {len(names or STORIES)} stories in {chromium}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
