"""Draws mutants, builds the copy, scores and writes the tables; `run` is the way to call it."""

import argparse
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

from hunters import Hunters
from mutated_copy import MODULES, Copy, Drawing
from swift_mutants import Mutant
from tables import reviewed, write_tables
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
        self.copy = Copy(ROOT, FOLDER)
        self.mutants: list[Mutant] = []
        self.commit = ""

    def prepare(self, fresh: bool) -> None:
        """The copy of this seed: the one that is there unless a fresh one is requested or another seed was in it."""
        holder = FOLDER / "holds"
        if fresh or not self.drawn.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            self.results.unlink(missing_ok=True)
            mutants = self.copy.draw(Drawing(ROOT, self.seed, self.count), say)
            self.drawn.write_text(json.dumps({"commit": _commit(), "mutants": [vars(mutant) for mutant in mutants]}))
            holder.write_text(str(self.seed))
        self.load()
        if holder.read_text() != str(self.seed):
            raise SystemExit(f"the copy holds seed {holder.read_text()}: --fresh draws seed {self.seed} again")

    def load(self) -> None:
        if self.drawn.exists():
            kept = json.loads(self.drawn.read_text())
            self.commit = kept["commit"]
            self.mutants = [Mutant(**fields) for fields in kept["mutants"]]

    def known(self) -> dict[str, dict[str, str | None]]:
        """For each key what each hunter that had it said: what failed, or None."""
        known: dict[str, dict[str, str | None]] = {}
        if self.results.exists():
            for line in self.results.read_text().splitlines():
                result = json.loads(line)
                known.setdefault(result["key"], {})[result["hunter"]] = result["by"]
        return known

    def in_random_order(self) -> list[Mutant]:
        """So that the first ones are a fair sample."""
        return sorted(self.mutants, key=lambda mutant: hashlib.sha256(f"{self.seed}|{mutant.key}".encode()).digest())

    def score(self, end: float, only: list[str]) -> None:
        hunters = Hunters(self.copy.tree, FOLDER, say)
        self.copy.build(say)
        known = {} if only else self.known()
        # First whether somebody notices it; then, for a comparison, the unit tests of what scenarios have noticed.
        for is_comparison in [False, True]:
            for mutant in self.in_random_order():
                if not only or mutant.key in only:
                    self._hand_on(mutant, hunters, known.setdefault(mutant.key, {}), is_comparison, end)

    def _hand_on(
        self, mutant: Mutant, hunters: Hunters, said: dict[str, str | None], is_comparison: bool, end: float
    ) -> None:
        module = mutant.path.split("/")[1]
        for hunter in [hunters.of_comparison(module)] if is_comparison else hunters.names(module):
            is_caught = any(by is not None for by in said.values())
            if hunter in said or (is_caught and not is_comparison) or time.monotonic() > end:
                continue
            begun = time.monotonic()
            catch = hunters.hunt(hunter, mutant.number)
            said[hunter] = catch.by if catch else None
            self._note(mutant, hunter, said[hunter], time.monotonic() - begun)

    def _note(self, mutant: Mutant, hunter: str, by: str | None, seconds: float) -> None:
        with open(self.results, "a") as results:
            results.write(json.dumps(
                {"key": mutant.key, "hunter": hunter, "by": by, "seconds": round(seconds, 1)}) + "\n")
        say(f"{mutant.key} {mutant.path[8:]}:{mutant.line} {mutant.kind}: {hunter}: {by or '-'} ({seconds:.0f} s)")


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "?"


def main() -> int:
    parser = argparse.ArgumentParser(prog="Tests/Mutants/run")
    parser.add_argument("keys", nargs="*", metavar="KEY", help="only these mutants, again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="mutants to draw (default 300)")
    parser.add_argument("--minutes", type=float, default=90, help="stop after this time; the next call continues")
    parser.add_argument("--fresh", action="store_true", help="draw again from the sources as they are; forget results")
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
        scoring.prepare(options.fresh)
        scoring.score(end, options.keys)
    return write_tables(scoring, reviewed(), say)


if __name__ == "__main__":
    sys.exit(main())
