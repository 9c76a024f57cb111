"""What Tests/Tools/validate-schema runs: see there."""

import json
import pathlib
import subprocess
import sys

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
    for line in broken:
        print(line)
    story = first_error(use, files("Scenarios/updating")[0])
    if story is None:
        broken.append("the schema of used files takes a story")
    print(f"{counts['scenarios']} scenarios, {counts['profiles']} profiles and {counts['used']} used files valid, "
          f"{counts['wrong']} wrong files refused" if not broken else f"{len(broken)} broken")
    return 1 if broken or min(counts.values()) == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
