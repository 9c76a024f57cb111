"""What Tests/Tools/validate-schema runs: see there."""

import json
import pathlib
import subprocess
import sys
import tempfile

import json5
import jsonschema


def schema(program, root):
    text = subprocess.run([program, "schema", root], check=True, capture_output=True, text=True).stdout
    value = json.loads(text)
    jsonschema.Draft7Validator.check_schema(value)
    return jsonschema.Draft7Validator(value)


def first_error(validator, path):
    value = json5.loads(path.read_text(encoding="utf-8"))
    error = jsonschema.exceptions.best_match(validator.iter_errors(value))
    return None if error is None else f"{error.json_path}: {error.message[:300]}"


def files(folder):
    return sorted(pathlib.Path(folder).rglob("*.json5"))


def is_used(path):
    """A file for `use`, which holds surroundings and no story."""
    return "steps" not in json5.loads(path.read_text(encoding="utf-8"))


# Fields of a manifest that break it alone, and the schema must say so.
BROKEN_MANIFESTS = [
    ("format", "otalab-manifest-2"), ("version", "2.4.0 b"), ("version", ""), ("serial", -1), ("serial", "1"),
    ("native", {"min": "5.x"}), ("index", "index.html"), ("files", {}), ("files", [{"route": "/a"}]),
    ("files", [{"route": "/a", "size": 1, "sha256": "abc"}]), ("order", "downgrade"), ("recalled", ["a b"]),
    ("rollout", {"share": 1}), ("keys", []), ("keys", [{"id": "a", "algorithm": "rsa", "key": "00"}]),
]


def manifest_faults(program):
    """The schema of manifests takes the example of its page, with what an older app ignores, and no broken one."""
    validator = schema(program, "manifest")
    page = subprocess.run([program, "help", "manifest"], check=True, capture_output=True, text=True).stdout
    example = json.loads(page.split("```json\n")[1].split("```")[0])
    faults = []
    missing = set(validator.schema["properties"]) - set(example) - {"expires", "keys"}
    if missing:
        faults.append(f"the example of the manifest's page lacks {missing}")
    newer = dict(example, later={"a": 1}, serial=2**70, channel=None)
    faults += [f"an example of a manifest is refused: {error.message}" for error in validator.iter_errors(newer)]
    broken = [(f"{key}: {value}", dict(example, **{key: value})) for key, value in BROKEN_MANIFESTS]
    for key in ["format", "app", "version", "index", "files"]:
        broken.append((f"no {key}", {name: example[name] for name in example if name != key}))
    faults += [f"the schema takes a manifest with {what}" for what, value in broken if validator.is_valid(value)]
    return faults


# Lines that an adapter must not write.
WRONG_LINES = [
    {}, {"is": "subject", "protocol": 2, "name": "a", "version": "1"}, {"is": "subject", "protocol": 1, "name": "a"},
    {"is": "listening", "start": "shop"}, {"is": "load"}, {"is": "load", "url": "//elsewhere"},
    {"is": "load", "url": "/a b"}, {"is": "status", "good": "v1"}, {"is": "told", "what": "happy"},
    {"is": "screen", "shows": "splash"}, {"to": 7}, {"to": -1, "ok": True}, {"to": 7, "ok": "yes"},
    {"to": 7, "ok": True, "next": -1},
]


def protocol_faults(program):
    """The schema of the adapter protocol takes each line of a real dialogue, in both directions, and no wrong one."""
    message = schema(program, "adapter")
    command = jsonschema.Draft7Validator(message.schema["definitions"]["command"])
    faults = [f"the schema takes a line {line} of an adapter" for line in WRONG_LINES if message.is_valid(line)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([program, "subject", "new", str(folder)], check=True, capture_output=True)
        adapter = folder / "subject.sh"
        adapter.write_text(f"#!/bin/bash\ntee -a {name}/read | python3 {name}/adapter.py | tee -a {name}/written\n")
        adapter.chmod(0o755)
        subprocess.run([program, "subject", "check", str(adapter)], capture_output=True, timeout=120)
        for file, validator in [("read", command), ("written", message)]:
            lines = (folder / file).read_text().splitlines() if (folder / file).exists() else []
            if len(lines) < 3:
                faults.append(f"a dialogue with the adapter of `subject new` has {len(lines)} lines {file}")
            for line in lines:
                error = jsonschema.exceptions.best_match(validator.iter_errors(json.loads(line)))
                if error is not None:
                    faults.append(f"a line {file} by an adapter is refused: {line[:120]}: {error.message[:200]}")
    return faults


STORY = """{ schema: 1, title: "A story",%s app: { embeds: "v1" },
  versions: { v1: { files: { "index.html": "1 KB" } }, v2: { from: "v1", files: { "film.mp4": "4 MB" } } },
  steps: [ { launch: true }, { deploy: "v2" }, { check: true, crashPoints: "this step" }, { wait: "1s" } ] }
"""


def crash_faults(program):
    """Results of a search with a sound story, one that fails and one that is left out, by their schema."""
    told = subprocess.run([program, "schema", "crashpoints"], check=True, capture_output=True, text=True).stdout
    jsonschema.Draft202012Validator.check_schema(json.loads(told))
    validator = jsonschema.Draft202012Validator(json.loads(told))
    with tempfile.TemporaryDirectory() as folder:
        stories = pathlib.Path(folder) / "Scenarios"
        stories.mkdir()
        (stories / "good.json5").write_text(STORY % "")
        # Each answer takes longer than the app is in front in a round of use, so that the phone never gets the film.
        plain = pathlib.Path("Scenarios/profiles/plain.json5").read_text()
        (stories / "profiles").mkdir()
        (stories / "profiles/slow.json5").write_text(plain.replace('"50ms"', '"3m"', 1))
        (stories / "slow.json5").write_text(STORY % ' device: "slow",')
        (stories / "later.json5").write_text(STORY.replace("{ schema", '{ skip: "not yet", schema') % "")
        run = subprocess.run([pathlib.Path(program).resolve(), "crashpoints", "--every", "9", "--depth", "1"], cwd=folder,
                             capture_output=True, text=True)
        if run.returncode != 1:
            return [f"crashpoints exits with {run.returncode}: {run.stdout[-300:]}{run.stderr[-300:]}"]
        text = (pathlib.Path(folder) / "Reports/crashpoints/results.json").read_text()
    value = json.loads(text)
    faults = [f"crashpoints/results.json is not within its schema: {error.json_path}: {error.message[:200]}"
              for error in validator.iter_errors(value)]
    findings = sum(len(story["findings"]) for story in value["stories"])
    if not (len(value["stories"]) == 2 and findings > 0 and len(value["leftOut"]) == 1):
        faults.append("crashpoints/results.json lacks a story, a finding or what was left out")
    for old, new in [('"launched"', '"lanched"'), ('"class": "kill"', '"class": "bang"'), ('"rule"', '"rul"'),
                     ('"firstPoints": ', '"firstPoints": -'), ("otalab-crashpoints-1", "otalab-crashpoints-0")]:
        if old not in text or validator.is_valid(json.loads(text.replace(old, new, 1))):
            faults.append(f"the schema of crashpoints/results.json takes {new}")
    return faults


def main(program, more):
    scenario, profile, use = (schema(program, name) for name in ["scenario", "profile", "use"])
    broken, counts = [], {"scenarios": 0, "profiles": 0, "used": 0, "wrong": 0}
    for folder in ["Scenarios", *more]:
        for path in files(folder):
            is_profile = "profiles" in path.parts
            kind = "profiles" if is_profile else "used" if is_used(path) else "scenarios"
            counts[kind] += 1
            error = first_error({"profiles": profile, "used": use, "scenarios": scenario}[kind], path)
            if error:
                broken.append(f"{path} is right, and the schema refuses it: {error}")
    for path in files("Tests/Fixtures/wrong"):
        counts["wrong"] += 1
        if first_error(scenario, path) is None:
            broken.append(f"{path} is wrong, and the schema takes it")
        lint = subprocess.run([program, "lint", str(path)], capture_output=True, text=True)
        if lint.returncode != 1:
            broken.append(f"{path} is wrong, and lint exits with {lint.returncode}")
    broken += crash_faults(program) + manifest_faults(program) + protocol_faults(program)
    for line in broken:
        print(line)
    story = first_error(use, files("Scenarios/updating")[0])
    if story is None:
        broken.append("the schema of used files takes a story")
    print(f"{counts['scenarios']} scenarios, {counts['profiles']} profiles and {counts['used']} used files valid, "
          f"{counts['wrong']} wrong files refused, results of a search over crash points, manifests and the lines of an adapter valid" if not broken else f"{len(broken)} broken")
    return 1 if broken or min(counts.values()) == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
