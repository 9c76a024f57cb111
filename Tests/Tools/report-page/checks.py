"""What a report page must do in a browser. Every check says in words what is wrong; none: all is well."""

import json
import re


class Checks:
    def __init__(self, browser, page, results, axe):
        self.browser = browser
        self.address = "file://" + page
        self.page = page
        self.results = results
        self.axe = axe
        self.problems = []

    def wrong(self, check, text):
        self.problems.append(f"{check}: {text}")

    def must(self, check, holds, text):
        if not holds:
            self.wrong(check, text)

    def all(self):
        self.browser.size(1280)
        self.browser.scheme("light")
        for check in (self.alone, self.order, self.filters, self.permalinks, self.slider, self.keys, self.copies,
                      self.structure, self.narrow, self.without_scripts):
            try:
                check()
            except RuntimeError as error:
                self.wrong(check.__name__, str(error))
        return self.problems

    # The page and nothing else.

    def alone(self):
        browser = self.browser
        browser.open(self.address)
        browser.run("new Promise(r => setTimeout(r, 300))", awaits=True)
        for event in browser.events:
            if event.get("method") == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                self.must("alone", url.startswith(self.address), f"the page asks for {url}")
            if event.get("method") == "Log.entryAdded":
                self.wrong("alone", event["params"]["entry"]["text"])
            if event.get("method") == "Runtime.exceptionThrown":
                self.wrong("alone", event["params"]["exceptionDetails"]["text"])
        self.must("alone", browser.run("window.broken === undefined"), "a title broke out")
        self.must("alone", browser.run("document.querySelectorAll('[src], link[href], style:nth-of-type(2)').length") == 0,
                  "the page names something outside")

    # Failures first and open, passed ones closed.

    def order(self):
        rows = self.browser.run(
            "[...document.querySelectorAll('.scenario')].map(s => [s.dataset.v, s.open])")
        good = ("passed", "expectedFailure", "skipped")
        bad = [place for place, row in enumerate(rows) if row[0] not in good]
        self.must("order", bad == list(range(len(bad))), f"failures are not first: {rows}")
        self.must("order", all(rows[place][1] for place in bad), "a failure is closed")
        self.must("order", not any(row[1] for row in rows if row[0] in good), "what passed is open")
        want = sorted(s["verdict"] for s in self.results["scenarios"])
        self.must("order", sorted(row[0] for row in rows) == want, "verdicts are not those of results.json")

    # Filters, in the address.

    def shown(self):
        return self.browser.run(
            "[...document.querySelectorAll('.scenario')].filter(s => !s.hidden).map(s => s.id)")

    def filters(self):
        browser = self.browser
        browser.open(self.address)
        everything = self.shown()

        def choose(name, value):
            browser.run(f"(() => {{ const f = document.getElementById('f-{name}'); f.value = {json.dumps(value)};"
                        "f.dispatchEvent(new Event('input', { bubbles: true })); })()")

        tag = [s for s in self.results["scenarios"] if "network" in s["tags"]]
        choose("tag", "network")
        self.must("filters", len(self.shown()) == len(tag), f"tag network shows {self.shown()}")
        self.must("filters", "tag=network" in browser.run("location.hash"), "the tag is not in the address")
        browser.open(browser.run("location.href"))
        self.must("filters", len(self.shown()) == len(tag), "the address does not bring the filter back")
        browser.run("document.getElementById('f-clear').click()")
        self.must("filters", self.shown() == everything, "clearing does not show all")
        choose("verdict", "bad")
        bad = browser.run("document.querySelectorAll('.scenario.bad').length")
        self.must("filters", len(self.shown()) == bad and bad < len(everything), "verdict does not filter")
        choose("verdict", "")
        choose("rule", "R5")
        rule = [s for s in self.results["scenarios"] if "R5" in s["covers"]]
        self.must("filters", len(self.shown()) == len(rule), f"rule R5 shows {self.shown()}")
        choose("rule", "")
        choose("q", "second TRY")
        self.must("filters", self.shown() == ["recovery/hangs"], f"searching shows {self.shown()}")
        choose("q", "nothing has these words")
        self.must("filters", browser.run("!document.querySelector('.none').hidden"), "no word about nothing found")
        choose("q", "")

    # Every step and event has an address of its own.

    def is_in_sight(self, name):
        return self.browser.run(
            f"(() => {{ const e = document.getElementById({json.dumps(name)}); if (!e) return 'is not there';"
            "const r = e.getBoundingClientRect(); if (!r.height) return 'is not shown';"
            "return r.bottom > 0 && r.top < innerHeight ? '' : 'is out of sight at ' + r.top; })()")

    def permalinks(self):
        browser = self.browser
        names = ["recovery/hangs/s8", "updating/plain", "rule/R9"]
        reset = self.named("updating/reset")
        names.append(f"updating/reset/e{reset['failures'][0]['wrongSinceEvent']}")
        names.append(f"updating/reset/t{reset['failures'][0]['step'] + 1}")
        for name in names:
            browser.open(f"{self.address}#{name}")
            problem = self.is_in_sight(name)
            self.must("permalinks", not problem, f"#{name} {problem}")
        browser.open(f"{self.address}#updating/plain?q=no+such+words")
        self.must("permalinks", not self.is_in_sight("updating/plain"), "a link into what a filter hides shows nothing")
        dead = browser.run("""[...document.querySelectorAll('a[href^="#"]')].map(a => decodeURIComponent(a.hash.slice(1)))
            .filter(name => !document.getElementById(name))""")
        self.must("permalinks", not dead, f"links that lead nowhere: {dead[:5]}")
        rows = browser.run("""[...document.querySelectorAll('.lanes tr[id*="/e"]')].filter(r =>
            !r.querySelector('td a[href*="/s"]') && r.parentElement.querySelector('.step')
              .compareDocumentPosition(r) === Node.DOCUMENT_POSITION_FOLLOWING
            && !(r.parentElement.querySelector('.after') && r.parentElement.querySelector('.after')
              .compareDocumentPosition(r) === Node.DOCUMENT_POSITION_FOLLOWING)).length""")
        self.must("permalinks", rows == 0, f"{rows} rows name no step")

    # What was there at a moment, against results.json.

    def named(self, name):
        return next(s for s in self.results["scenarios"] if s["name"] == name)

    def state(self, moments, number):
        state = {}
        for moment in moments:
            if moment["number"] > number:
                break
            for change in moment["changes"]:
                if "value" in change:
                    state[change["part"], change["name"]] = change["value"]
                else:
                    state.pop((change["part"], change["name"]), None)
        return {f"{part} {name}": value for (part, name), value in state.items()}

    def slider(self):
        browser = self.browser
        for name in ("recovery/hangs", "updating/reset"):
            scenario = self.named(name)
            numbers = [entry["number"] for entry in scenario["timeline"]]
            for number in (numbers[1], numbers[len(numbers) // 2], scenario["failures"][0]["lastEvents"][-1]["number"]):
                browser.open(f"{self.address}#{name}/e{number}")
                shown = browser.run(f"""(() => {{ const s = document.getElementById({json.dumps(name)}), state = {{}};
                    for (const t of s.querySelectorAll('.state table')) for (const r of t.rows)
                      if (r.cells.length === 2 && !r.classList.contains('gone'))
                        state[t.dataset.part + ' ' + r.cells[0].textContent] = r.cells[1].textContent;
                    return [state, s.querySelector('.at').textContent,
                      (s.querySelector('tr.now') || {{}}).id]; }})()""")
                want = self.state(scenario["moments"], number)
                self.must("slider", shown[0] == want,
                          f"{name} at #{number} shows {sorted(shown[0].items() ^ want.items())[:4]} otherwise")
                self.must("slider", f"#{number} " in shown[1], f"{name} at #{number} says: {shown[1]}")
                self.must("slider", shown[2] == f"{name}/e{number}", f"the row now is {shown[2]}")
        browser.run("document.querySelector('[id=\"updating/reset/slider\"]').focus()")
        before = browser.run("document.activeElement.value")
        browser.key("ArrowLeft")
        after = browser.run("document.activeElement.value")
        self.must("slider", int(after) == int(before) - 1, f"an arrow moves from {before} to {after}")
        text = browser.run("document.activeElement.getAttribute('aria-valuetext')")
        self.must("slider", bool(re.search(r"\d:\d\d:\d\d\.\d{3}", text or "")), f"a screen reader hears: {text}")

    # Keys.

    def keys(self):
        browser = self.browser
        browser.open(self.address)
        here = "(document.activeElement.closest('.scenario') || {}).id"
        ids = self.shown()
        browser.key("j")
        self.must("keys", browser.run(here) == ids[0], "j does not go to the first")
        browser.key("j")
        self.must("keys", browser.run(here) == ids[1], "j does not go on")
        browser.key("k")
        self.must("keys", browser.run(here) == ids[0], "k does not go back")
        browser.key("f")
        bad = browser.run("[...document.querySelectorAll('.scenario.bad')].map(s => s.id)")
        self.must("keys", browser.run(here) == bad[1], "f does not go to the next failure")
        self.must("keys", bad[1].split("/")[0] in browser.run("location.hash"), "the address does not follow")
        browser.key("Enter")
        self.must("keys", not browser.run(f"document.getElementById({json.dumps(bad[1])}).open"), "Enter does not fold")
        browser.key("?")
        self.must("keys", browser.run("document.getElementById('keys').open"), "? shows no list of keys")
        browser.key("Escape")
        self.must("keys", not browser.run("document.getElementById('keys').open"), "Escape does not close the list")
        browser.key("/")
        self.must("keys", browser.run("document.activeElement.id") == "f-q", "/ does not search")
        browser.open(self.address)
        browser.key("Tab")
        self.must("keys", browser.run("document.activeElement.className") == "skip", "the first Tab is no skip link")

    # Copying.

    def copies(self):
        browser = self.browser
        browser.open(self.address)
        browser.run("""window.copied = null;
            Object.defineProperty(navigator, 'clipboard', { configurable: true, value:
              { writeText: text => { window.copied = text; return Promise.resolve(); } } });""")

        def copy(kind):
            browser.run(f"""(() => {{ const s = document.getElementById('updating/reset');
                s.querySelector('.copy[data-copy={kind}]').click(); }})()""")
            return browser.run("window.copied") or ""

        scenario = self.named("updating/reset")
        failure = scenario["failures"][0]
        self.must("copies", copy("command") == failure["reproduction"], "the command is not copied")
        self.must("copies", copy("scenario") == scenario["source"], "the scenario is not copied as it is")
        text = copy("markdown")
        self.must("copies", failure["reproduction"] in text and "| expected | actual |" in text,
                  "the Markdown does not tell the failure")
        browser.run("new Promise(r => setTimeout(r, 50))", awaits=True)
        self.must("copies", browser.run("document.querySelector('p[role=status].hidden').textContent") == "Copied",
                  "nobody is told that it was copied")

    # What an outside checker says of the structure, by day and by night, wide and narrow.

    def structure(self):
        if not self.axe:
            return
        browser = self.browser
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                browser.size(width)
                browser.scheme(scheme)
                browser.open(self.address)
                browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
                browser.run(self.axe)
                found = browser.run("""axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations
                    .map(v => v.id + ' (' + v.nodes.length + ' times): ' + v.help + '; ' + v.nodes[0].html.slice(0, 120)
                      + ' ' + (v.nodes[0].any[0] || {}).message))""", awaits=True)
                for text in found:
                    self.wrong("structure", f"{width} px, {scheme}: {text}")
        browser.size(1280)
        browser.scheme("light")

    # A phone.

    def narrow(self):
        browser = self.browser
        browser.size(390, 844)
        browser.open(self.address)
        for opens in ("", "document.querySelectorAll('details').forEach(d => { d.open = true; });"):
            width = browser.run(opens + "document.documentElement.scrollWidth")
            self.must("narrow", width <= 390, f"the page is {width} px wide on a phone")
        browser.size(1280)

    # Scripts off: the failures can be read.

    def without_scripts(self):
        browser = self.browser
        browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            browser.open(self.address)
            text = browser.run("document.body.innerText")
            for scenario in self.results["scenarios"]:
                for failure in scenario["failures"]:
                    if scenario["verdict"] == "expectedFailure":
                        continue
                    for fact in failure["headline"], failure["reproduction"]:
                        self.must("without scripts", " ".join(fact.split()) in " ".join(text.split()),
                                  f"{scenario['name']}: not to be read: {fact}")
                for diagnostic in scenario["diagnostics"]:
                    self.must("without scripts", diagnostic["message"] in text, f"not to be read: {diagnostic['message']}")
            self.must("without scripts", "Copy the command" not in text and "Verdict" not in text,
                      "there is something to press that does nothing")
            self.must("without scripts", not self.is_in_sight("main"), "the page is not shown")
        finally:
            browser.call("Emulation.setScriptExecutionDisabled", value=False)
