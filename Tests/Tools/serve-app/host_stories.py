"""Stories of what an app's page and its host say to each other: addresses, links, the bridge, environments."""

import os
import tempfile
import time

from realtime import RealTime
from served import READY, page

WHERE = "location.pathname + location.search + location.hash"
SEEN = "window.seen = location.href;"


def address(story):
    """A page sees the address that was requested, also after links, reloads and pushState (G2)."""
    browser = story.browser
    story.open()
    assert browser.run("window.seen.replace(location.origin, '')") == "/", browser.run("window.seen")
    browser.run("""const link = document.createElement('a'); link.href = '/items/7?tab=2#end';
        document.body.append(link); window.version = null; link.click(); null""")
    story.shows("v1")
    assert browser.run("window.seen.replace(location.origin, '')") == "/items/7?tab=2#end"
    assert browser.run("document.referrer.replace(location.origin, '')") == "/"
    browser.run("history.pushState(null, '', '/items/8?tab=3'); null")
    assert browser.run(WHERE) == "/items/8?tab=3"
    time.sleep(0.5)
    story.fetch("v2", page("v2", head=f"<script>{SEEN}</script>", script=READY))
    story.reload()
    story.shows("v2")
    assert browser.run("window.seen.replace(location.origin, '')") == "/items/8?tab=3"
    browser.run("window.version = null; history.back(); null")
    story.shows("v2")
    assert "otalab-" not in browser.run("location.href + window.seen")


def scripts_to_native(story):
    """What a script navigates to is native code's if the links or the routes say so; the page stays (H4, H7)."""
    browser = story.browser
    story.open()
    browser.run("window.here = true; location.href = '/cart?of=7'; null")
    story.app.wait_for("native code handles", "/cart?of=7")
    browser.run("location.assign('/elsewhere'); null")
    story.app.wait_for("native code handles", "/elsewhere")
    browser.run("history.pushState(null, '', '/cart?pushed'); null")
    story.app.wait_for("native code handles", "/cart?pushed")
    browser.run("""const link = document.createElement('a'); link.href = 'https://other.example/';
        document.body.append(link); link.click(); null""")
    story.app.wait_for("native code handles", "https://other.example/")
    assert browser.run("window.here") is True, "the page was loaded again"
    assert browser.run(WHERE) == "/", browser.run(WHERE)
    # The document in front stays until the next one is there: without its version it shows nothing.
    browser.run("window.version = null; location.href = '/items/7'; null")
    story.shows("v1")
    assert browser.run(WHERE) == "/items/7", browser.run(WHERE)


# A web view's message handler, as a plain browser has none: it answers by HTTP, in the call or by an event.
HANDLER = """
    const load = (/otalab-load=([0-9a-f]+)/.exec(location.search) || [])[1];
    const answer = text => fetch('/__otalab/bridge?otalab-load=' + load, { method: 'POST', body: text })
        .then(a => a.text());
"""
PROMISE = HANDLER + "window.webkit = { messageHandlers: { otalab: { postMessage: answer } } };"
EVENTS = HANDLER + """
    const heard = [];
    window.OTALabNative = {
        addEventListener: (name, f) => heard.push(f),
        postMessage: text => { answer(text).then(data => heard.forEach(f => f({ data }))); },
    };"""
PORT = HANDLER + """
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = event => answer(event.data).then(text => port1.postMessage(text));
    addEventListener('DOMContentLoaded', () =>
        window.dispatchEvent(new MessageEvent('message', { data: 'otalab', ports: [port2] })));"""


def ways_of_the_bridge(story):
    """A reply in the call, as iOS gives it, a message event and a MessagePort, as Android has them (H3, H8)."""
    for script in (PROMISE, EVENTS, PORT):
        added = story.browser.call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
        story.browser.open(story.app.url)
        story.shows("v1")
        time.sleep(0.2)
        said = story.browser.run("otalab.call('infoRequest', { text: 'hello' }).then(a => a.message)", awaits=True)
        assert said == "hello", (script, said)
        fault = story.browser.run("otalab.switchToPending().catch(e => e.message)", awaits=True)
        assert fault == "No pending version to switch to", fault
        story.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=added)


def header_hides(story):
    """Inside the app the page's header is hidden before anything is drawn (H5, H6)."""
    browser = story.browser
    watch = """window.drawn = [];
        const look = () => { const header = document.querySelector('header');
            if (header) window.drawn.push(header.getBoundingClientRect().height); requestAnimationFrame(look); };
        requestAnimationFrame(look);"""
    browser.call("Page.addScriptToEvaluateOnNewDocument", source=watch)
    for agent, isShown in (("Phone (mobile/app)", False), ("Desktop", True)):
        browser.call("Network.setUserAgentOverride", userAgent=agent)
        browser.open(story.app.url)
        story.shows("v1")
        time.sleep(0.3)
        drawn = browser.run("window.drawn")
        assert drawn and all((height > 0) == isShown for height in drawn), (agent, drawn)


def suspended(story):
    """After a suspension the page's calls are answered, and a reload shows the page (F12, S8)."""
    story.open()
    story.fetch("v2", page("v2", script=READY))
    for _ in range(3):
        story.app.say("suspend")
        time.sleep(0.5)
        story.app.say("resume")
        time.sleep(0.5)
    said = story.browser.run("otalab.call('infoRequest', { text: 'back' }).then(a => a.message)", awaits=True)
    assert said == "back"
    story.reload()
    story.shows("v2", seconds=5)


def page_hears(story):
    """A refused offer reaches the page as an error, a page's own errors reach the report (T2)."""
    browser = story.browser
    story.open()
    browser.run("window.errors = []; otalab.on('error', e => errors.push(e.cause)); null")
    story.origin.deploy("v2", page("v2", script=READY))
    del story.origin.files["/late.js"]
    story.app.say("check")
    story.app.wait_for("status-refused")
    for _ in range(40):
        if browser.run("window.errors.join()"):
            break
        time.sleep(0.1)
    time.sleep(3)
    assert browser.run("window.errors.join()") == "status-refused", browser.run("window.errors.join()")
    story.fetch("v3", page("v3", script="setTimeout(() => missing()); Promise.reject(new Error('no data'));"))
    story.reload()
    story.app.wait_for("page-error", "v3")
    story.app.wait_for("page-error", "v3")
    story.app.say("report")
    story.app.wait_for("cause=page-error", "no%20data")


def environment(story):
    """A page points the whole app at another environment: content, channel and API (F9)."""
    from served import Origin
    other = Origin()
    try:
        story.open()
        other.deploy("s1", page("s1", script=READY))
        other.files["/v1/api/x"] = b'"other"'
        params = f"{{ origin: '{other.url}manifest.json', channel: 'beta', remoteRoot: '{other.url}v1' }}"
        assert story.browser.run(f"otalab.call('switchEnvironment', {params})", awaits=True) is True
        story.shows("s1")
        assert story.browser.run("fetch('/api/x').then(a => a.json())", awaits=True) == "other"
        assert "/v1/api/x" in other.asked
    finally:
        other.close()


def as_released(story):
    """A release has no test messages: no page switches its API, its environment or its mock handlers (F9, G6)."""
    story.open()
    for call in ("setRemoteRoot', { url: 'http://127.0.0.1:9' }", "switchEnvironment', { channel: 'b' }",
                 "setMock', { name: 'a', on: true }"):
        said = story.browser.run(f"otalab.call('{call}).catch(e => e.message)", awaits=True)
        assert said.endswith("is off in this build"), said


FAILING = """{ format: "otalab-mocks-1", mocks: [
    { name: "reset", path: "/api/reset", answers: [{ ends: "reset" }] },
    { name: "half", path: "/api/half", answers: [{ body: "0123456789", ends: "break-off", after: 4 }] },
    { name: "stall", path: "/api/stall", answers: [{ ends: "stall" }] },
] }"""


def failing_flags(_):
    folder = tempfile.mkdtemp(prefix="otalab-mocks-")
    with open(os.path.join(folder, "mocks.json5"), "w") as file:
        file.write(FAILING)
    return "--mocks", os.path.join(folder, "mocks.json5"), "--remote", "http://127.0.0.1:9"


def failing_api(story):
    """Mock handlers that reset, break off and stall, and that a developer switches (G6, G10)."""
    story.open()

    def ask(path, seconds=1):
        return story.browser.run(
            f"""Promise.race([new Promise(done => setTimeout(done, {seconds * 1000}, 'nothing')),
            fetch('/api/{path}').then(a => a.text().then(t => a.status + t, () => a.status + ' cut'), e => 'failed')])""",
            awaits=True)

    assert ask("reset") == "failed", ask("reset")
    assert ask("half") == "200 cut", ask("half")
    assert ask("stall") == "nothing", ask("stall")
    story.app.say("mock stall off")
    story.app.wait_for("stall is off")
    # Another address: the browser waits a while for the answer to the same one.
    said = ask("stall?again", 5)
    assert said.startswith("502"), said
    story.app.say("mock none on")
    story.app.wait_for("no mock handler is named 'none'", "reset, half, stall")


def real_time(story):
    """WebSockets and long polls pass the proxy (G9)."""
    root = RealTime()
    try:
        story.open()
        assert story.browser.run(f"otalab.call('setRemoteRoot', {{ url: '{root.url}' }})", awaits=True) is True
        echoed = story.browser.run("""new Promise((done, fail) => {
            const socket = new WebSocket('ws://' + location.host + '/api/socket'), got = [];
            socket.onopen = () => { socket.send('one'); socket.send('x'.repeat(5000)); };
            socket.onmessage = event => { got.push(event.data.length); if (got.length === 2) done(got.join()); };
            socket.onerror = () => fail(new Error('closed'));
        })""", awaits=True)
        assert echoed == "3,5000", echoed
        assert all("otalab-" not in str(headers) for headers in root.headers), root.headers
        root.say(after=2)
        assert story.browser.run("fetch('/api/poll').then(a => a.text())", awaits=True) == "said"
    finally:
        root.close()


HEADER = "<style>.otalab-app header { display: none }</style>"
STORIES = {
    "address": (address, (), {"head": f"<script>{SEEN}</script>"}),
    "scripts-to-native": (scripts_to_native, ("--native-link", "/cart", "--allowed-route", "/",
                                              "--allowed-route", "/items/*", "--allowed-route", "/cart"), {}),
    "ways-of-the-bridge": (ways_of_the_bridge, (), {}),
    "header-hides": (header_hides, (), {"head": HEADER, "body": "<header>A header of the web page</header>"}),
    "suspended": (suspended, (), {}),
    "page-hears": (page_hears, (), {}),
    "environment": (environment, ("--remote", "http://127.0.0.1:9"), {}),
    "as-released": (as_released, ("--release",), {}),
    "failing-api": (failing_api, (failing_flags,), {}),
    "real-time": (real_time, ("--remote", "http://127.0.0.1:9"), {}),
}
