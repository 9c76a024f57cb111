"""Ten of the day: mutants that a scenario noticed when they were scored must still be noticed, by it or by another one.

They have no copy of their own. `Tests/Planted/run --mutants N` has them inserted into its copy, which it builds anyway,
and then has them run there.
"""

import csv
import hashlib
import json
import re
import subprocess
import sys
import time
from os import environ
from pathlib import Path

from mutated_copy import MODULES, SWITCH, insert
from swift_mutants import mutants_of

HERE = Path(__file__).resolve().parent
CHOSEN = HERE.parent.parent / ".build" / "mutants" / "today.json"


def _known() -> list[dict[str, str]]:
    """All that a scenario of the library noticed, in an order that has nothing to do with the code's."""
    rows: list[dict[str, str]] = []
    for path in sorted(HERE.glob("seed-*.tsv")):
        with open(path) as file:
            file.readline()
            # A device profile that reads no more is noticed too, but it is no file to run.
            rows += [
                row for row in csv.DictReader(file, delimiter="\t")
                if "/" in row["library"] and not row["library"].startswith("profiles/")]
    return sorted(rows, key=lambda row: hashlib.sha256(row["key"].encode()).digest())


def insert_today(count: int, tree: Path) -> int:
    """Writes the day's mutants into a tree; those whose line is no longer there leave their turn to the next."""
    rows = _known()
    first = int(time.time()) // 86400 * count % len(rows) if rows else 0
    chosen: list[tuple[dict[str, str], list]] = []
    by_path: dict[str, list] = {}
    for row in rows[first:] + rows[:first]:
        path = tree / row["file"]
        if len(chosen) == count or not path.exists():
            continue
        mutant = next((found for found in mutants_of(row["file"], path.read_bytes()) if found.key == row["key"]), None)
        here = by_path.setdefault(row["file"], [])
        if mutant is None or any(mutant.start < other.end and other.start < mutant.end for other in here):
            continue
        mutant.number = len(chosen) + 1
        here.append(mutant)
        chosen.append((row, mutant))
    for path, mutants in by_path.items():
        (tree / path).write_bytes(insert((tree / path).read_bytes(), mutants)[0])
    for module in MODULES:
        (tree / "Sources" / module / "Mutant.swift").write_text(SWITCH)
    # Both variants of a mutant may cause a warning that neither has alone.
    package = tree / "Package.swift"
    package.write_text(package.read_text().replace("treatAllWarnings(as: .error)", "treatAllWarnings(as: .warning)"))
    CHOSEN.parent.mkdir(parents=True, exist_ok=True)
    CHOSEN.write_text(json.dumps([
        {"number": mutant.number, "key": row["key"], "where": f"{row['file']}:{mutant.line}",
         "change": f"{mutant.before} -> {mutant.after}", "scenario": row["library"]} for row, mutant in chosen]))
    return 0


def run_today(program: str) -> int:
    """Exit code 1 when no scenario of the library notices a mutant, or its scenario fails without one."""
    bad = 0
    for mutant in json.loads(CHOSEN.read_text()):
        # A case is run with the others of its file.
        scenario = "Scenarios/" + re.sub(r" [\[(].*", "", mutant["scenario"]) + ".json5"
        verdict, is_bad = _verdict(program, mutant["number"], scenario)
        bad |= is_bad
        print(f"{mutant['key']} {mutant['where']}: {mutant['change']}: {scenario}: {verdict}", flush=True)
    if bad:
        print("Tests/Mutants/run KEY scores a mutant again", file=sys.stderr)
    return int(bad)


def _verdict(program: str, number: int, scenario: str) -> tuple[str, bool]:
    begun = time.monotonic()
    if _run(program, 0, [scenario])[0] != 0:
        return "fails without it", True
    # A mutant that never ends costs this limit in each case of the scenario.
    limit = max(5, round(5 * (time.monotonic() - begun)))
    if _run(program, number, [scenario], limit)[0] != 0:
        return "noticed", False
    # What a scenario shows changes with the code around it. The library as a whole must not become blind; the folder of
    # the scenario, which is about the same things, is asked first, because the whole takes minutes in debug.
    for asked in [[str(Path(scenario).parent)], []]:
        code, output = _run(program, number, ["--fail-fast", *asked])
        if code != 0:
            break
    else:
        return "NOT NOTICED", True
    failed = re.search(r"^FAIL +([^:\n]+): ", output, re.M)
    return f"noticed by {failed.group(1) if failed else 'the library'}", False


def _run(program: str, number: int, arguments: list[str], limit: int = 60) -> tuple[int | None, str]:
    """Exit code, None when it had to be ended; and what was printed. No scenario runs longer than the limit in seconds."""
    command = [
        program, "run", "--no-report", "--quiet", "--max-events", "100000", "--wall-limit", f"{limit}s", *arguments]
    try:
        done = subprocess.run(
            command, env=dict(environ, OTALAB_MUTANT=str(number)), capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return None, ""
