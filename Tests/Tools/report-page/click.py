"""Clicks through a report in a headless Chromium, and shows that a broken one is noticed.

    click.py CHROMIUM REPORT-FOLDER [--axe axe.min.js] [--pictures FOLDER] [--prove all|sample]
"""

import argparse
import base64
import datetime
import hashlib
import json
import os
import re
import sys
import tempfile

from browser import Browser
from checks import Checks

# What a careless change could do to the page, and which check must notice it.
BREAKS = [
    ("a picture from outside", "alone", lambda t: t.replace("</main>", '<img alt="" src="https://example.org/x.png"></main>')),
    ("a title that is not escaped", "alone", lambda t: t.replace("&lt;/script&gt;&lt;script&gt;window.broken = 1&lt;/script&gt;",
                                                                   "</script><script>window.broken = 1</script>")),
    ("failures last", "order", lambda t: re.sub(r'(<section aria-labelledby="went-wrong">.*?</section>\n)(.*)(<section aria-labelledby="rules">)',
                                                r"\2\1\3", t, flags=re.S)),
    ("a filter that forgets", "filters", lambda t: t.replace("query.set(name, f.value)", "query.set('x', f.value)")),
    ("rows without names", "permalinks", lambda t: re.sub(r'<tr id="updating/reset/e\d+"', "<tr", t)),
    ("a slider one moment late", "slider", lambda t: t.replace("m[0] < s.number ||", "m[0] < s.number - 1 ||")),
    ("a key that is gone", "keys", lambda t: t.replace("k: () => go(scenarios, -1)", "k: () => go(scenarios, 1)")),
    ("a copy button that copies its neighbour", "copies", lambda t: t.replace("one('.copied', button.parentElement)", "one('.copied')")),
    ("grey on grey", "structure", lambda t: re.sub(r"--soft:#[0-9a-f]{6}", "--soft:#999999", t)),
    ("a page that names no language", "structure", lambda t: t.replace('<html lang="en">', "<html>")),
    ("a table wider than a phone", "narrow", lambda t: t.replace(".wide { overflow-x: auto; }", ".wide { width: 50rem; }")),
    ("failures made by the script", "without scripts", lambda t: re.sub(r'<div class="failure"', '<div hidden class="failure"', t)),
]


def sealed(text):
    """With the digests of its style and script in the policy, as the program writes them."""
    def digest(part):
        return "'sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() + "'"
    style = re.search(r"<style>(.*?)</style>", text, re.S).group(1)
    script = text[text.rindex("<script>") + 8:text.rindex("</script>")]
    return re.sub(r"style-src '[^']*'; script-src '[^']*'",
                  lambda _: f"style-src {digest(style)}; script-src {digest(script)}", text, count=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chromium")
    parser.add_argument("folder")
    parser.add_argument("--axe")
    parser.add_argument("--pictures")
    parser.add_argument("--prove", choices=["all", "sample"])
    options = parser.parse_args()
    page = os.path.realpath(os.path.join(options.folder, "report.html"))
    with open(os.path.join(options.folder, "results.json"), encoding="utf-8") as file:
        results = json.load(file)
    axe = open(options.axe, encoding="utf-8").read() if options.axe else None
    browser = Browser(options.chromium)
    try:
        if options.pictures:
            pictures(browser, page, options.pictures)
        problems = Checks(browser, page, results, axe).all()
        for problem in problems:
            print("WRONG", problem)
        if not problems:
            print("the page does what it should" + ("" if axe else " (its structure was not checked)"))
        if options.prove:
            problems += prove(browser, page, results, axe, chosen(options.prove))
    finally:
        browser.close()
    sys.exit(1 if problems else 0)


def chosen(which):
    """All breaks, or a third of them that changes every day."""
    return BREAKS if which == "all" else BREAKS[datetime.date.today().toordinal() % 3 :: 3]


def prove(browser, page, results, axe, breaks):
    missed = []
    text = open(page, encoding="utf-8").read()
    with tempfile.TemporaryDirectory() as folder:
        for name, check, change in breaks:
            if check == "structure" and not axe:
                continue
            broken = sealed(change(text))
            path = os.path.join(folder, "report.html")
            with open(path, "w", encoding="utf-8") as file:
                file.write(broken)
            found = Checks(browser, path, results, axe if check == "structure" else None).all()
            noticed = [problem for problem in found if problem.startswith(check + ":")]
            if broken == sealed(text) or not noticed:
                missed.append(name)
                print("NOT NOTICED", name, found[:2])
            else:
                print(f"noticed: {name}: {noticed[0][:110]}")
    return missed


def pictures(browser, page, folder):
    os.makedirs(folder, exist_ok=True)
    for width, height in ((1280, 1600), (390, 1600)):
        for scheme in ("light", "dark"):
            browser.size(width, height)
            browser.scheme(scheme)
            browser.open("file://" + page)
            browser.picture(os.path.join(folder, f"{width}-{scheme}.png"))
    browser.size(1280, 1600)


if __name__ == "__main__":
    main()
