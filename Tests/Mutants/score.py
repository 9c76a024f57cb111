"""Draws mutants, builds the copy, scores and writes the tables; `run` is the way to call it."""

import argparse
import hashlib
import json
import subprocess
import sys
import tarfile
import time
from io import BytesIO
from pathlib import Path

from hunters import PASSES, Hunters, hunts_by_cases, is_of_units
from mutated_copy import COPIED, MODULES, Copy, Drawing
from swift_mutants import Mutant
from processes import end_by_exception
from tables import SeedTable, reviewed, write_tables
from today import insert_today, run_today

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / ".build" / "mutants"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Scoring:
    """A seed's mutants and what is known of each; kept in the seed's folder, so that it can be stopped."""

    def __init__(self, seed: int, count: int):
        self.seed, self.count = seed, count
        self.folder = FOLDER / f"seed-{seed}"
        self.drawn, self.results = self.folder / "drawn.json", self.folder / "results.jsonl"
        self.mutants: list[Mutant] = []
        self.commit = ""

    def prepare(self, fresh: bool, with_new_cases: bool) -> None:
        """The copy of this seed: the one that is there; else the one that its table tells of; else a fresh one."""
        holder, table = FOLDER / "holds", SeedTable.of(self.seed)
        if fresh or (table is None and not self.drawn.exists()):
            self._begin(ROOT, _commit(), lambda copy, drawing: copy.draw(drawing, say))
        elif not self.drawn.exists():
            say(f"continues {table.path.name} with the sources of {table.commit}")
            sources = _sources_of(table.commit)
            self._begin(sources, table.commit, lambda copy, drawing: copy.place(drawing, table.keys))
            self._take_over(table)
        self.load()
        if holder.read_text() != str(self.seed):
            raise SystemExit(f"the copy holds seed {holder.read_text()}: --fresh draws seed {self.seed} again")
        if with_new_cases:
            Copy(ROOT, FOLDER).take_cases(ROOT)
            self._append({"cases": _commit("Sources", "Tests", "Scenarios")})

    def _begin(self, root: Path, commit: str, write) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.results.unlink(missing_ok=True)
        mutants = write(Copy(root, FOLDER), Drawing(root, self.seed, self.count))
        self.drawn.write_text(json.dumps({"commit": commit, "mutants": [vars(mutant) for mutant in mutants]}))
        (FOLDER / "holds").write_text(str(self.seed))

    def _take_over(self, table: SeedTable) -> None:
        if table.cases != table.commit:
            Copy(ROOT, FOLDER).take_cases(_sources_of(table.cases))
            self._append({"cases": table.cases})
        for key, hunter, by in table.results():
            self._append({"key": key, "hunter": hunter, "by": by})

    def load(self) -> None:
        if self.drawn.exists():
            kept = json.loads(self.drawn.read_text())
            self.commit = kept["commit"]
            self.mutants = [Mutant(**fields) for fields in kept["mutants"]]

    def _lines(self) -> list[dict]:
        return [json.loads(line) for line in self.results.read_text().splitlines()] if self.results.exists() else []

    @property
    def cases(self) -> str:
        """The commit of the scenarios and tests that hunt."""
        return next((line["cases"] for line in reversed(self._lines()) if "cases" in line), self.commit)

    def known(self) -> dict[str, dict[str, str | None]]:
        """For each key what each hunter that had it said: what failed, or None."""
        known: dict[str, dict[str, str | None]] = {}
        for line in self._lines():
            if "cases" in line:
                # What none of the former cases noticed may be noticed by a new one.
                known = {
                    key: {hunter: by for hunter, by in said.items() if by is not None or not hunts_by_cases(hunter)}
                    for key, said in known.items()}
            else:
                known.setdefault(line["key"], {})[line["hunter"]] = line["by"]
        return known

    def in_random_order(self) -> list[Mutant]:
        """So that the first ones are a fair sample."""
        return sorted(self.mutants, key=lambda mutant: hashlib.sha256(f"{self.seed}|{mutant.key}".encode()).digest())

    def score(self, end: float, only: list[str]) -> None:
        copy = Copy(ROOT, FOLDER)
        copy.build(say)
        hunters = Hunters(copy.tree, FOLDER, say)
        known = {} if only else self.known()
        chosen = [mutant for mutant in self.in_random_order() if not only or mutant.key in only]
        for number in range(len(PASSES)):
            for mutant in chosen:
                if time.monotonic() < end:
                    self._hand_on(mutant, hunters, known.setdefault(mutant.key, {}), number, end)

    def _hand_on(
        self, mutant: Mutant, hunters: Hunters, said: dict[str, str | None], number: int, end: float
    ) -> None:
        module = mutant.path.split("/")[1]
        for hunter in hunters.passes(module)[number]:
            others = [by for other, by in said.items() if PASSES[number] != "scenarios" or not is_of_units(other)]
            is_caught = any(by is not None for by in others)
            if hunter in said or (is_caught and PASSES[number] != "comparison") or time.monotonic() > end:
                continue
            begun = time.monotonic()
            catch = hunters.hunt(hunter, mutant.number)
            said[hunter] = catch.by if catch else None
            self._note(mutant, hunter, said[hunter], time.monotonic() - begun)

    def _note(self, mutant: Mutant, hunter: str, by: str | None, seconds: float) -> None:
        self._append({"key": mutant.key, "hunter": hunter, "by": by, "seconds": round(seconds, 1)})
        say(f"{mutant.key} {mutant.path[8:]}:{mutant.line} {mutant.kind}: {hunter}: {by or '-'} ({seconds:.0f} s)")


    def _append(self, result: dict) -> None:
        with open(self.results, "a") as results:
            results.write(json.dumps(result) + "\n")


def _commit(*names: str) -> str:
    """The commit that these are of, with a `+` where something of them has been changed since."""
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    changed = git("status", "--porcelain", "--", *(names or COPIED[:2]))
    return (git("rev-parse", "--short", "HEAD") or "?") + ("+" if changed else "")


def _sources_of(commit: str) -> Path:
    """The project as it was at a commit, in a folder of its own."""
    commit = commit.removesuffix("+")
    done = subprocess.run(["git", "archive", commit, *COPIED], cwd=ROOT, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(
            f"the sources of {commit}, which the seed's table names, are not here: {done.stderr.decode().strip()}\n"
            "  fetch them (git fetch --unshallow), or draw the seed again: --fresh")
    folder = FOLDER / "sources" / commit
    tarfile.open(fileobj=BytesIO(done.stdout)).extractall(folder, filter="data")
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(prog="Tests/Mutants/run")
    parser.add_argument("keys", nargs="*", metavar="KEY", help="only these mutants, again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="mutants to draw (default 300)")
    parser.add_argument("--minutes", type=float, default=90, help="stop after this time; the next call continues")
    parser.add_argument("--fresh", action="store_true", help="draw again from the sources as they are; forget results")
    parser.add_argument("--new-cases", action="store_true", help="take scenarios, tests and laboratory of today; the shipped modules stay")
    parser.add_argument("--list", action="store_true", help="print all mutants that could be drawn; nothing is built")
    parser.add_argument("--write", action="store_true", help="only write Score.md from what is known")
    parser.add_argument("--insert", nargs=2, metavar=("N", "TREE"), help="write N mutants of the day into a copy")
    parser.add_argument("--inserted", metavar="PROGRAM", help="run these, with the program that was built of it")
    options = parser.parse_args()
    if options.insert:
        return insert_today(int(options.insert[0]), Path(options.insert[1]))
    if options.inserted:
        return run_today(options.inserted)
    end = time.monotonic() + options.minutes * 60

    if options.list:
        drawing = Drawing(ROOT, options.seed, options.count)
        for module in MODULES:
            for mutant in drawing.order(module):
                print(f"{mutant.key} {mutant.path}:{mutant.line} {mutant.kind}: {mutant.before} -> {mutant.after}")
        return 0
    scoring = Scoring(options.seed, options.count)
    if options.write:
        scoring.load()
    else:
        end_by_exception()
        scoring.prepare(options.fresh, options.new_cases)
        scoring.score(end, options.keys)
    return write_tables(scoring, reviewed(), say)


if __name__ == "__main__":
    sys.exit(main())
