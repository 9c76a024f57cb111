"""Stories for one subject: each gets an origin that offers v1, and a phone on which nothing has run yet.

v1 is embedded. v2 has no `/old.js`, an empty file, an odd name and an optional file. v4 is embedded in build
2.0, v5 is for build 2.0 only.
"""

from laboratory import expect

WRONG_ANSWERS = [
    ("corrupt", {"corrupt": "10 B"}),
    ("truncated", {"truncate": "after 60%"}),
    ("page instead of a file", {"answer": {"status": 200, "headers": {"content-type": "text/html"},
                                           "body": "<!doctype html>"}}),
    ("not modified", {"status": 304}),
    ("not there", {"status": 404}),
]
RESUMED_ANSWERS = [
    ("the whole body", {"answer": {"status": 200}}),
    ("another offset", {"answer": {"status": 206, "from": "0 B"}}),
    ("out of range", {"answer": {"status": 416}}),
]


def story_first_start(origin, phone):
    origin.fault({"stall": "after 0%"}, path="manifest")
    expect(phone.launch() == "v1", "v1")
    expect(phone.get("/missing.js")[0] == 404, "404 for a script that is not there")
    phone.call("startupDidComplete")


def story_simple_update(origin, phone):
    expect(phone.launch() == "v1", "v1")
    origin.post("deploy/v2")
    phone.check()
    expect(phone.status["pending"] == "v2", "pending v2")
    expect(phone.page(phone.start) == "v1", "v1 until the next launch")
    expect(phone.relaunch() == "v2", "v2 after the next launch")
    phone.check()
    expect(phone.status["pending"] is None and phone.relaunch() == "v2", "and the one after it")


def story_update(origin, phone):
    origin.fault({"status": 404}, path="/extra.json")
    phone.launch()
    phone.call("startupDidComplete")
    phone.quiet()
    origin.requests()
    origin.post("deploy/v2")
    phone.do("check")
    phone.check()
    asked = origin.requests()
    expect(asked.count("manifest") <= 2 and asked.count("/app.js") == 1, f"joined checks: {asked}")
    expect(phone.status["pending"] == "v2", "pending v2")
    expect(not phone.loads, "no load under the user's hands")
    expect(phone.page("/?load=1") == "v1", "v1 until the next launch")
    expect(phone.relaunch(confirms=True) == "v2", "v2 after the next launch")
    expect(phone.get("/old.js")[0] == 404, "404 for a file that v2 does not have")
    phone.check()
    phone.check()
    expect(set(origin.requests()) <= {"manifest", "/extra.json"}, "nothing is fetched twice")
    expect(phone.status["pending"] is None, "v2 is not offered again")
    expect("v2" in phone.status["good"], "v2 is good")


def story_pending_outlives_the_confirmation(origin, phone):
    origin.post("deploy/v2")
    phone.launch()
    phone.quiet()
    expect(phone.status["pending"] == "v2", "pending v2")
    phone.call("startupDidComplete")
    expect(phone.relaunch() == "v2", "v2")
    # v1's call is v1's: v2 has not confirmed, and its clock runs.
    phone.passes(21_000)
    expect(phone.status["current"] == "v1" and phone.status["blacklist"] == ["v2"], "back to v1")


def story_wrong_answers(origin, phone):
    for name, fault in WRONG_ANSWERS:
        try_fault(origin, phone, name, fault, {"path": "/app.js", "times": 2})


def story_resumed_answers(origin, phone):
    for name, fault in RESUMED_ANSWERS:
        wheres = [{"path": "/app.js", "nth": nth} for nth in range(2, 20)]
        try_fault(origin, phone, name, {"reset": "after 60%"}, {"path": "/app.js", "nth": 1},
                  *((fault, where) for where in wheres))


def try_fault(origin, phone, name, fault, where, *others):
    """The file is right in the end, and the cost is bounded."""
    phone.state = phone.fresh_state()
    origin.post("deploy/v1")
    phone.relaunch(confirms=True)
    phone.quiet()
    origin.post("deploy/v2")
    for fault, where in [(fault, where), *others]:
        origin.fault(fault, **where)
    origin.requests()
    phone.check()
    expect(len(origin.requests()) < 15, f"{name}: few requests")
    origin.post("heal")
    phone.check()
    expect(phone.status["pending"] == "v2", f"{name}: pending v2")
    expect(phone.relaunch() == "v2", f"{name}: v2")


def story_killed_in_download(origin, phone):
    phone.launch()
    phone.quiet()
    origin.post("deploy/v2")
    origin.fault({"stall": "after 60%"}, path="/app.js", times=1)
    phone.do("check")
    phone.wait_for_request("/app.js")
    expect(phone.relaunch() == "v1", "v1")
    phone.quiet()
    expect(phone.status["pending"] == "v2", "pending v2")
    expect(phone.relaunch() == "v2", "v2")


def story_superseded_in_download(origin, phone):
    phone.launch()
    phone.quiet()
    origin.post("deploy/v2")
    origin.fault({"stall": "after 60%"}, path="/app.js", times=1)
    phone.do("check")
    phone.wait_for_request("/app.js")
    phone.kill()
    origin.post("deploy/v3")
    phone.launch()
    phone.quiet()
    expect(phone.relaunch() == "v3", "v3")


def story_stall(origin, phone):
    phone.launch()
    phone.call("startupDidComplete")
    phone.quiet()
    origin.post("deploy/v2")
    origin.fault({"stall": "after 60%"}, path="/app.js", times=1)
    phone.do("check")
    phone.wait_for_request("/app.js")
    phone.do("check")
    phone.passes(10_000)
    expect(not origin.requests(), "one check at a time")
    phone.passes(35_000)
    expect(phone.status["pending"] == "v2", "pending v2")


def story_origin_in_trouble(origin, phone):
    phone.launch()
    phone.call("startupDidComplete")
    phone.quiet()
    origin.post("deploy/v2")
    origin.fault({"status": 500}, path="manifest")
    origin.requests()
    phone.check()
    expect(len(origin.requests()) <= 3, "three attempts")
    phone.passes(70_000)
    expect(len(origin.requests()) in range(1, 7), "asked again by itself, not too often")
    origin.post("heal")
    origin.fault({"answer": {"status": 200, "body": "{}"}}, path="manifest", times=1)
    phone.check()
    phone.check()
    expect(phone.status["pending"] == "v2", "pending v2")


def story_retry_after(origin, phone):
    phone.launch()
    phone.quiet()
    phone.call("startupDidComplete")
    origin.fault({"status": 503, "headers": {"Retry-After": "600"}}, path="manifest", times=1)
    phone.check()
    origin.requests()
    phone.check()
    phone.passes(120_000)
    expect(not origin.requests(), "no request before the time that the origin asked for")


def story_hang(origin, phone):
    update(origin, phone, "v2")
    update(origin, phone, "v3", confirms=False)
    phone.passes(21_000)
    expect(phone.loads, "the page is loaded again")
    late = phone.url
    expect(phone.page(phone.loads[-1]) == "v2", "back to v2")
    phone.call("startupDidComplete", url=late)
    expect(phone.status["blacklist"] == ["v3"], "v3 is blacklisted")
    phone.check()
    expect(phone.relaunch(confirms=True) == "v2", "v2 goes on")
    origin.requests()
    phone.check()
    expect(set(origin.requests()) == {"manifest"}, "v3 is not taken again")
    expect(phone.status["pending"] is None, "v3 does not wait")


def story_killed_after_rollback(origin, phone):
    update(origin, phone, "v2", confirms=False)
    phone.passes(21_000)
    expect(phone.relaunch() == "v1", "v1 after the rollback, unconfirmed or not")


def story_dies_before_the_page(origin, phone):
    update(origin, phone, "v2", confirms=False, died="crash")
    expect(phone.relaunch(died="crash") == "v2", "one more start")
    expect(phone.relaunch(died="crash") == "v1", "then v1")


def story_failure_of_a_left_version(origin, phone):
    update(origin, phone, "v2")
    update(origin, phone, "v3", confirms=False)
    phone.call("startupDidFail")
    expect(phone.loads and phone.page(phone.loads[-1]) == "v2", "back to v2")
    phone.passes(25_000)
    expect(phone.status["current"] == "v2", "v2 is not blamed for v3's clock")


def story_background(origin, phone):
    update(origin, phone, "v2", confirms=False)
    phone.passes(10_000)
    phone.do("front", **{"is": False})
    phone.passes(60_000)
    phone.do("front", **{"is": True})
    phone.passes(5_000)
    expect(phone.page(phone.url) == "v2", "v2 is served after the return")
    expect(phone.status["current"] == "v2", "background time does not count")


def story_stale_edge(origin, phone):
    update(origin, phone, "v2")
    update(origin, phone, "v3")
    stale = origin.manifest_of["v2"]
    origin.fault({"answer": {"status": 200, "body": stale}}, path="manifest", times=1)
    phone.check()
    expect(phone.status["pending"] is None, "an older manifest changes nothing")
    origin.fault({"answer": {"status": 200, "body": stale.replace("com.example.shop", "com.example.cafe")
                             .replace('"serial": ', '"serial": 9')}}, path="manifest", times=1)
    phone.check()
    expect(phone.status["pending"] is None, "another app's manifest changes nothing")


def story_recall(origin, phone):
    update(origin, phone, "v2")
    origin.post("deploy/v3")
    phone.check()
    origin.post("recall/v3")
    phone.check()
    expect(phone.relaunch() == "v2", "a recalled version does not start")


def story_store_update(origin, phone):
    update(origin, phone, "v2")
    for version in ("v3", "v4", "v5"):  # in the order in which the packages were published
        origin.post(f"deploy/{version}")
    phone.check()
    expect(phone.status["pending"] is None, "v5 is for a newer build")
    phone.kill()
    phone.embedded, phone.native = "v4", "2.0"
    expect(phone.launch() == "v4", "the new build's own version")
    phone.quiet()
    expect(phone.relaunch() == "v5", "v5 on the newer build")


def story_settings_are_cut(origin, phone):
    update(origin, phone, "v2")
    phone.kill()
    for path in phone.state.glob("*.json"):
        path.write_bytes(b"")
    expect(phone.launch() in ("v1", "v2"), "comes up")


def update(origin, phone, version, confirms=True, died=None):
    """The phone has downloaded the version and starts it."""
    origin.post(f"deploy/{version}")
    if phone.process is None:
        phone.launch()
    phone.call("startupDidComplete")
    phone.check()
    expect(phone.status["pending"] == version, f"pending {version}")
    expect(phone.relaunch(confirms=confirms, died=died) == version, f"{version} runs")


ALL = {name.removeprefix("story_"): function for name, function in list(globals().items())
       if name.startswith("story_")}
