"""The tables of the score: a seed's mutants in seed-N.tsv, and from those of all seeds and Reviewed.md, Score.md."""

import csv
import itertools
import re
from pathlib import Path

from hunters import OF_DEVICE, WITHOUT_FILES
from mutated_copy import MODULES

HERE = Path(__file__).resolve().parent
HUNTERS = ["library", "crash points", "explore", "live", "unit tests"]
WITHOUT_UNIT_TESTS = [hunter for hunter in HUNTERS if hunter != "unit tests"]
COLUMNS = ["key", "file", "line", "kind", "before", "after", *HUNTERS]
MISSED = "-"
LONGEST = 120

# Percent that must be killed, of those that are no equivalents: in all, and without unit tests.
AIM = 95
AIMS_WITHOUT_UNIT_TESTS = {"Updater": 80, "AppHost": 80, "LocalServer": 50}


class Row:
    def __init__(self, fields: dict[str, str], reviewed: dict[str, tuple[str, str]]):
        self.fields = fields
        self.module = fields["file"].split("/")[1]
        self.verdict, self.reason = reviewed.get(fields["key"], ("", ""))

    def is_killed_by(self, hunter: str) -> bool:
        return self.fields[hunter] not in ("", MISSED)

    @property
    def is_killed(self) -> bool:
        return any(self.is_killed_by(hunter) for hunter in HUNTERS)

    @property
    def is_killed_without_unit_tests(self) -> bool:
        return any(self.is_killed_by(hunter) for hunter in WITHOUT_UNIT_TESTS)

    @property
    def is_scored(self) -> bool:
        """The library or the unit tests have noticed, or both have missed; the others seldom add anything."""
        return self.is_killed or self.fields["unit tests"] == MISSED

    @property
    def waits_for(self) -> list[str]:
        """Hunters that may notice it yet. The live arm has only what nobody else noticed."""
        hunters = [] if self.is_killed_without_unit_tests or self.module == OF_DEVICE else ["crash points", "explore"]
        if self.module in WITHOUT_FILES:
            hunters = hunters[1:]
        return [hunter for hunter in [*hunters, *([] if self.is_killed else ["live"])] if self.fields[hunter] == ""]

    @property
    def is_equivalent(self) -> bool:
        return self.verdict == "equivalent" and not self.is_killed


class SeedTable:
    """A seed's table as it was written: its mutants, and what was known of them then."""

    def __init__(self, path: Path):
        self.path = path
        with open(path) as file:
            commits = file.readline().removeprefix("# ").split()
            self.rows = list(csv.DictReader(file, delimiter="\t"))
        self.commit, self.cases = commits[0].rstrip(","), commits[-1]

    @staticmethod
    def of(seed: int) -> "SeedTable | None":
        path = HERE / f"seed-{seed}.tsv"
        return SeedTable(path) if path.exists() else None

    @property
    def keys(self) -> list[str]:
        return [row["key"] for row in self.rows]

    def results(self) -> list[tuple[str, str, str | None]]:
        """A mutant's key, a hunter that had it, and what failed first."""
        return [
            (row["key"], f"{hunter} of {row['file'].split('/')[1]}" if hunter == "unit tests" else hunter,
             None if row[hunter] == MISSED else row[hunter])
            for row in self.rows for hunter in HUNTERS if row[hunter]]


def reviewed() -> dict[str, tuple[str, str]]:
    """What Reviewed.md says of a key: the section that it is in, and the reason or what no test shows."""
    found: dict[str, tuple[str, str]] = {}
    section = ""
    for line in (HERE / "Reviewed.md").read_text().splitlines():
        if line.startswith("## "):
            section = "equivalent" if line.startswith("## Equivalent") else "survivor"
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) >= 5 and re.fullmatch(r"[0-9a-f]{8}", cells[1]):
            found[cells[1]] = (section, cells[3])
    return found


def write_tables(scoring, known_reviews: dict[str, tuple[str, str]], say) -> int:
    """Exit code: 1 when all mutants of the seed are scored and an aim is missed."""
    if scoring.mutants:
        _write_seed(HERE / f"seed-{scoring.seed}.tsv", scoring)
    text = ["# Mutation score", "", "Written by `Tests/Mutants/run`; README.md says what the columns mean.", ""]
    missed: list[str] = []
    for path in sorted(HERE.glob("seed-*.tsv")):
        table = SeedTable(path)
        rows = [Row(fields, known_reviews) for fields in table.rows]
        lines, missed_here = _of_seed(path.stem.removeprefix("seed-"), table, rows)
        text += lines
        missed += missed_here
    (HERE / "Score.md").write_text("\n".join(text).rstrip() + "\n")
    for aim in missed:
        say(aim)
    return 1 if missed else 0


def _write_seed(path: Path, scoring) -> None:
    known = scoring.known()
    with open(path, "w", newline="") as file:
        file.write(f"# {scoring.commit}, cases of {scoring.cases}\n")
        table = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
        table.writerow(COLUMNS)
        for mutant in scoring.in_random_order():
            said = {
                "unit tests" if hunter.startswith("unit tests") else hunter: by or MISSED
                for hunter, by in known.get(mutant.key, {}).items()}
            table.writerow([_cell(value) for value in [
                mutant.key, mutant.path, str(mutant.line), mutant.kind, mutant.before, mutant.after,
                *(said.get(hunter, "") for hunter in HUNTERS)]])


def _cell(text: str) -> str:
    text = re.sub(r"\s+", " ", text)
    return text if len(text) <= LONGEST else text[:LONGEST - 1] + "…"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else ""


def _of_seed(seed: str, table: SeedTable, rows: list[Row]) -> tuple[list[str], list[str]]:
    # Only up to the first that is open, since what is noticed is known sooner than what is not.
    scored = list(itertools.takewhile(lambda row: row.is_scored, rows))
    text = [f"## Seed {seed}", ""]
    begins = f"All {len(rows)} mutants are scored"
    if len(scored) < len(rows):
        begins = f"**{len(scored)} of {len(rows)} mutants are scored so far**, in random order"
    text.append(f"{begins}; the sources are those of {table.commit}, scenarios and tests those of {table.cases}.")
    equivalents = [row for row in scored if row.is_equivalent]
    waiting = [hunter for row in scored for hunter in row.waits_for]
    text += ["", f"{len(equivalents)} of them are equivalents ({_percent(len(equivalents), len(scored))})."]
    if waiting:
        text[-1] += " Not yet asked, which counts as not noticed: " + ", ".join(
            f"{hunter} of {waiting.count(hunter)}" for hunter in HUNTERS if hunter in waiting) + "."
    text += ["", "| module | scored | equivalents | library | crash points | explore | live | without unit tests | aim "
             "| unit tests | all | aim |", "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    missed: list[str] = []
    for module in [*MODULES, "all"]:
        here = [row for row in scored if module in ("all", row.module)]
        counted = [row for row in here if not row.is_equivalent]
        by = [str(sum(row.is_killed_by(hunter) for row in counted)) for hunter in WITHOUT_UNIT_TESTS]
        if module == OF_DEVICE:
            by[:3] = ["", "", ""]
        without = sum(row.is_killed_without_unit_tests for row in counted)
        # Of DeviceShell the live arm comes after the unit tests.
        known = [row for row in counted if row.module != OF_DEVICE or row.fields["live"]]
        tested = [row for row in counted if row.fields["unit tests"]]
        units = sum(row.is_killed_by("unit tests") for row in tested)
        killed = sum(row.is_killed for row in counted)
        aim_without = AIMS_WITHOUT_UNIT_TESTS.get(module)
        total = sum(1 for row in rows if module in ("all", row.module))
        text.append(
            f"| {module} | {len(here)} of {total} | {len(here) - len(counted)} | {' | '.join(by)} "
            f"| {_percent(without, len(known))} | {f'{aim_without} %' if aim_without else ''} "
            f"| {units} of {len(tested)} | {_percent(killed, len(counted))} "
            f"| {f'{AIM} %' if module == 'all' else ''} |")
        if len(scored) == len(rows) and not waiting:
            if aim_without and without * 100 < aim_without * len(counted):
                missed.append(f"seed {seed}: {module} is below {aim_without} % without unit tests")
            if module == "all" and killed * 100 < AIM * len(counted):
                missed.append(f"seed {seed}: below {AIM} % in all")
    text += ["", *_by_kind(scored), "", *_survivors(scored, "by no hunter", lambda row: not row.is_killed)]
    of_unit_tests = [
        row for row in scored if row.module in AIMS_WITHOUT_UNIT_TESTS and not row.is_killed_without_unit_tests
        and row.is_killed]
    text += _survivors(of_unit_tests, "by unit tests only, of modules with an aim without them", lambda row: True)
    return text, missed


def _by_kind(scored: list[Row]) -> list[str]:
    text = ["| kind | scored | killed | without unit tests |", "|---|--:|--:|--:|"]
    for kind in sorted({row.fields["kind"] for row in scored}):
        counted = [row for row in scored if row.fields["kind"] == kind and not row.is_equivalent]
        text.append(
            f"| {kind} | {len(counted)} | {_percent(sum(row.is_killed for row in counted), len(counted))} "
            f"| {_percent(sum(row.is_killed_without_unit_tests for row in counted), len(counted))} |")
    return text


def _survivors(rows: list[Row], title: str, condition) -> list[str]:
    chosen = [row for row in rows if condition(row) and not row.is_equivalent]
    if not chosen:
        return []
    text = [f"Noticed {title}:", "", "| mutant | where | change | what no test shows |" if "no hunter" in title
            else "| mutant | where | change | what no scenario shows |", "|---|---|---|---|"]
    for row in chosen:
        fields = row.fields
        change = f"{_code(fields['before'])} → {_code(fields['after'])}"
        text.append(f"| {fields['key']} | {fields['file'][8:]}:{fields['line']} | {change} | {row.reason} |")
    return text + [""]


def _code(text: str) -> str:
    if text.startswith("("):
        return text
    escaped = text.replace("|", "\\|")
    return f"`{escaped}`" if "`" not in text else escaped
