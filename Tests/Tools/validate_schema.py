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
    broken += crash_faults(program)
    for line in broken:
        print(line)
    story = first_error(use, files("Scenarios/updating")[0])
    if story is None:
        broken.append("the schema of used files takes a story")
    print(f"{counts['scenarios']} scenarios, {counts['profiles']} profiles and {counts['used']} used files valid, "
          f"{counts['wrong']} wrong files refused, results of a search over crash points valid" if not broken else f"{len(broken)} broken")
    return 1 if broken or min(counts.values()) == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
