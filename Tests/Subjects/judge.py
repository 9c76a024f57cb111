"""Runs the naive updater with each of its flags through Scenarios/any; `run` is the way to call it."""

import datetime
import hashlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAIVE = HERE / "naive" / "naive"
CAUGHT = HERE / "Caught.md"
PROGRAM = os.environ.get("OTALAB_PROGRAM", str(ROOT / ".build" / "release" / "otalab"))
# With a clock of its own a run takes as long as its work, and a busy machine changes nothing.
CLOCK = os.environ.get("OTALAB_SUBJECT_CLOCK", "own")
# Of the system's clock; the naive updater divides its own times by it. At 5 a busy machine still keeps up.
SPEED = os.environ.get("OTALAB_SUBJECT_SPEED", "5" if CLOCK == "system" else "1")
JOBS = "8"
# Longest time for a run of all scenarios, in seconds.
LONGEST = 900
# Without a flag, a sample of the scenarios is enough for each day.
EVERYDAY = [
    "plain-update", "deploy-in-mid-download", "killed-in-mid-download", "hangs-at-start", "stale-edge",
    "odd-answers-to-a-download",
]
# Written, or made stricter, when the flags that nothing had noticed were known; the others were written without them.
WRITTEN_FOR_FLAGS = [
    "arrives-by-itself", "background-before-confirmation", "busy-origin", "checks-at-once",
    "confirmation-after-the-rescue", "downloaded-while-unconfirmed", "hangs-without-relaunch", "launched-offline",
    "missing-files", "not-under-the-users-hands", "odd-names", "range-not-satisfiable", "recalled", "rescue-by-a-slow-version",
    "withdrawn-while-it-waits",
]


class Run:
    """One call of `otalab run --subject`."""

    def __init__(self, flag: str, scenarios: list[str], stops_early: bool, without: list[str] = []):
        paths = [f"Scenarios/any/{name}.json5" for name in scenarios] or ["Scenarios/any"]
        paths += [word for name in without for word in ("--exclude", f"Scenarios/any/{name}.json5")]
        command = [
            PROGRAM, "run", "--subject", str(NAIVE), "--speed", SPEED, "--jobs", JOBS, "--no-report", "--quiet",
            "--no-progress", "--color", "never", *(["--fail-fast"] if stops_early else []), *paths]
        environment = {**os.environ, "NAIVE_BUGS": flag, "NAIVE_CLOCK": CLOCK, "PYTHONDONTWRITEBYTECODE": "1"}
        begun = time.monotonic()
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LONGEST)
        self.seconds = time.monotonic() - begun
        self.code, self.output = done.returncode, done.stdout + done.stderr
        # `FAIL  any/recalled [while it waits]: …   [U13.recall]`; OPEN: inconclusive, which says nothing of the updater.
        line = r"^(FAIL|OPEN) +any/([^:\n]+?)(?: \{[^}]*\})?: .*?\[([^\]\n]*)\]$"
        rows = re.findall(line, self.output, re.M)
        self.failed = [(name, clauses) for verdict, name, clauses in rows if verdict == "FAIL"]
        self.files = sorted({name.split(" ")[0] for _, name, _ in rows})

    @property
    def first(self) -> tuple[str, str] | None:
        return self.failed[0] if self.failed else None


def flags() -> dict[str, tuple[str, str]]:
    """Name of each flag, with its rows of the catalogue and what it says."""
    text = subprocess.run([str(NAIVE), "--bugs"], capture_output=True, text=True, check=True).stdout
    return {row[0]: (row[1], row[2]) for row in parsed(text)}


def parsed(text: str) -> list[list[str]]:
    sys.path.insert(0, str(NAIVE.parent))
    import bugs
    return [[bug.name, bug.rows, bug.says] for bug in bugs.TABLE]


def known() -> dict[str, tuple[str, str]]:
    """For each flag of Caught.md that was run: a scenario that notices it, and its clauses; `-` if none did."""
    if not CAUGHT.exists():
        return {}
    rows = re.findall(r"^\| ([a-z0-9-]+) \| [^|]* \| [^|]* \| ([^|]*) \| ([^|]*) \|$", CAUGHT.read_text(), re.M)
    return {
        name: (scenario.strip().strip("`"), clauses.strip())
        for name, scenario, clauses in rows if name in flags() and scenario.strip()}


def write(results: dict[str, tuple[str, str]], clean: Run) -> None:
    rows, table = [], flags()
    for name, (catalogue, says) in table.items():
        scenario, clauses = results.get(name, ("", ""))
        shown = f"`{scenario}`" if scenario not in ("", "-") else scenario
        rows.append(f"| {name} | {catalogue} | {says} | {shown} | {clauses} |")
    noticed = sum(1 for scenario, _ in results.values() if scenario != "-")
    CAUGHT.write_text(
        "# What the laboratory notices of the naive updater's bugs\n\n"
        "Written by `Tests/Subjects/run`. Each flag is a bug that has been shipped; the scenarios are those of\n"
        "`Scenarios/any`. Most were written without the flags; these were written, or made stricter, for flags that\n"
        f"nothing had noticed:\n"
        f"{', '.join(f'`{name}`' for name in WRITTEN_FOR_FLAGS)}.\n\n"
        f"Without a flag {'no scenario fails' if clean.code == 0 else 'scenarios fail'}. {noticed} of {len(results)} flags "
        f"that were run are noticed; there are {len(table)}.\n\n"
        "The last ten flags were added when all scenarios were there. Their first run noticed 3 of them: etag-by-route,\n"
        "decoded-twice, serial-as-text. For two of the others a scenario was then written or made stricter.\n\n"
        "| flag | rows | bug | a scenario that notices it | its clauses |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n")


def say(text: str) -> None:
    print(text, flush=True)


def check_clean(scenarios: list[str]) -> Run:
    clean = Run("", scenarios, stops_early=False)
    if clean.code != 0:
        # A machine that was busy for a second is no fault of the updater: what failed must fail again.
        again = Run("", clean.files, stops_early=False)
        clean.code, clean.output = again.code, again.output
    say(f"without a flag: {'passed' if clean.code == 0 else 'FAILED'} ({clean.seconds:.0f} s)")
    if clean.code != 0:
        say(clean.output[-4000:])
    return clean


def noticed_by(flag: str, likely: str) -> tuple[str, str] | None:
    """A scenario that fails with the flag each time, and its clauses; the likely one is tried first."""
    if likely and (found := fails_twice(flag, likely)):
        return found
    passed = [likely] if likely else []
    while True:
        files = Run(flag, [], stops_early=True, without=passed).files
        if not files:
            return None
        for name in files:
            # On a busy machine a scenario may fail without the flag's doing.
            if found := fails_twice(flag, name):
                return found
        passed += files


def fails_twice(flag: str, scenario: str) -> tuple[str, str] | None:
    runs = (Run(flag, [scenario], stops_early=False) for _ in range(2))
    failed = [run.first for run in runs]
    return failed[0] if all(failed) else None


def sample(count: int) -> int:
    clean = check_clean(EVERYDAY)
    today = datetime.date.today().isoformat()
    noticed = {name: scenario for name, (scenario, _) in known().items() if scenario != "-"}
    chosen = sorted(noticed, key=lambda name: hashlib.sha256(f"{today}|{name}".encode()).digest())[:count]
    lost = []
    for name in chosen:
        scenario = noticed[name].split(" ")[0]
        run = Run(name, [scenario], stops_early=False)
        if run.first is None:
            run = Run(name, [scenario], stops_early=False)
        say(f"{name}: {'noticed by ' + scenario if run.first else 'NOT NOTICED by ' + scenario} ({run.seconds:.0f} s)")
        if run.first is None:
            lost.append(name)
    return 1 if clean.code != 0 or lost else 0


def main(words: list[str]) -> int:
    if words[:1] == ["--sample"]:
        return sample(int(words[1]))
    results, lost = known(), []
    likely = {name: scenario.split(" ")[0] for name, (scenario, _) in results.items() if scenario != "-"}
    chosen = [word.partition("=")[0] for word in words]
    likely |= {name: scenario for name, _, scenario in (word.partition("=") for word in words) if scenario}
    unknown = [name for name in chosen if name not in flags()]
    if unknown:
        raise SystemExit(f"no flag has the name {', '.join(unknown)}: naive --bugs lists them")
    clean = check_clean([])
    for name in chosen or list(flags()):
        begun = time.monotonic()
        found = noticed_by(name, likely.get(name, ""))
        say(f"{name}: {found[0] if found else '-'} ({time.monotonic() - begun:.0f} s)")
        if found is None and results.get(name, ("-", ""))[0] != "-":
            lost.append(name)
        results[name] = found or ("-", "")
        write(results, clean)
    return 1 if clean.code != 0 or lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
