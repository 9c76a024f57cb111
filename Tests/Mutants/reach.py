"""Which mutants a run comes to. One that it never comes to changes nothing of it, since a simulated run is the same each
time: so a mutant has only the scenario files that come to it, and most have few.

The copy's programs write into the file of OTALAB_REACHED, a byte for each mutant (mutated_copy.py).
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from mutated_copy import MOST


class Reached:
    """A file that runs write into, one after the other."""

    def __init__(self, path: Path):
        self.path = path
        self.clear()

    def clear(self) -> None:
        self.path.write_bytes(bytes(MOST))

    def mutants(self) -> set[int]:
        return {number for number, byte in enumerate(self.path.read_bytes()) if byte}


@dataclass
class ScenarioFile:
    path: str
    seconds: float
    mutants: set[int]


class Library:
    """The scenario files of a copy, each run once without a mutant."""

    def __init__(self, reached: Reached, run, say):
        """`run(arguments)` runs the program with that file; exit code and what was printed."""
        code, printed = run(["list", "--json"])
        if code != 0:
            raise SystemExit(f"the library can't be listed:\n{printed}")
        paths = dict.fromkeys(entry["file"] for entry in json.loads(printed)["scenarios"])
        begun = time.monotonic()
        self.files = [self._measure(path, reached, run) for path in paths]
        self.all = set().union(*(file.mutants for file in self.files))
        say(f"library: {len(self.files)} files come to {len(self.all)} mutants; "
            f"{time.monotonic() - begun:.0f} s without a mutant, one after the other")

    @staticmethod
    def _measure(path: str, reached: Reached, run) -> ScenarioFile:
        reached.clear()
        begun = time.monotonic()
        code, printed = run(["run", "--quiet", "--no-report", "--no-timings", path])
        if code != 0:
            raise SystemExit(f"{path} fails without a mutant:\n{printed[-3000:]}")
        return ScenarioFile(path, time.monotonic() - begun, reached.mutants())

    def parts(self, number: int) -> list[list[str]]:
        """The files that come to a mutant, the cheap ones first; in parts, since most fail in the first ones."""
        files = sorted((file for file in self.files if number in file.mutants), key=lambda file: file.seconds)
        paths = [file.path for file in files]
        return [part for part in (paths[:40], paths[40:240], paths[240:]) if part]
