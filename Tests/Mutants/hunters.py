"""What can notice a mutant: each hunter runs the copy with one mutant active and says what failed first."""

import re
import time
from dataclasses import dataclass
from pathlib import Path

from processes import run
from reach import Library, Reached

# Short scenarios of which all crash points are run.
CRASHED = [
    "Scenarios/updating/plain-at-next-launch.json5", "Scenarios/recovery/power-cut-while-switching.json5",
    "Scenarios/recovery/fails-once-then-works.json5", "Scenarios/native/store-update-cut-off.json5",
    "Scenarios/network/stalled-download.json5", "Scenarios/recovery/confirmed-by-loading.json5",
]
# Worlds that nobody wrote, each once; some twenty seconds on one core.
EXPLORED = ["explore", "--seed", "1", "--runs", "2000", "--no-timings", "--no-progress"]
# The module of real sockets and files; nothing of it is in the simulated world.
OF_DEVICE = "DeviceShell"
# Seconds for a hunter without a mutant.
LONGEST = 900
# Nothing of these outlives a crash.
WITHOUT_FILES = {"HTTP1", "LocalServer"}
# The same each time: a mutant that they don't come to is not theirs to notice.
SIMULATED = {"crash points", "explore"}
# The first pass decides nearly all and is cheap. The second one is for all that the library missed: what unit tests
# notice is not what the aims for scenarios ask. The live arm takes a minute and more, and is seldom needed. Last the
# unit tests have what scenarios noticed, so that both can be compared.
PASSES = ["decision", "scenarios", "live", "comparison"]
FAILED_TEST = re.compile(
    r"^✘ Test (?:case passing .*? to )?\"?([^\"\n]+?)\"?(?:\(\))? (?:recorded an issue|failed)", re.M)


@dataclass
class Catch:
    """What failed first: a scenario, a test, a death or the time limit."""
    by: str
    confirmed_by_itself: bool = True


def is_of_units(hunter: str) -> bool:
    return hunter.startswith("unit tests of ")


def hunts_by_cases(hunter: str) -> bool:
    """Whether a new scenario or test may change what it says."""
    return hunter in ("library", "live") or is_of_units(hunter)


class Hunters:
    def __init__(self, tree: Path, folder: Path, say):
        self.say = say
        self.tree, self.log = tree, folder / "hunt.log"
        self.program = str(tree / ".build" / "release" / "otalab")
        self.tests = str(tree / ".build" / "debug" / "OTALabPackageTests.xctest")
        self.limits: dict[str, float] = {}
        self.reached = Reached(folder / "reached")
        self.library: Library | None = None
        self.comes_to: dict[str, set[int]] = {}

    def passes(self, module: str) -> list[list[str]]:
        """For each of PASSES the hunters that a mutant of this module has in it."""
        of_module = f"unit tests of {module}"
        if module == OF_DEVICE:
            return [[of_module], [], ["live"], ["live"]]
        crashes = [] if module in WITHOUT_FILES else ["crash points"]
        return [["library", of_module], [*crashes, "explore"], ["live"], [of_module]]

    def _calibrate(self, hunter: str) -> None:
        """Without a mutant nothing may fail. How long that takes sets the limit after which a mutant hangs."""
        begun = time.monotonic()
        if hunter == "library":
            self.library = Library(
                self.reached, lambda arguments: self._run([self.program, *arguments], 0, LONGEST), self.say)
            self.limits[hunter] = max(60, 4 * (time.monotonic() - begun))
            return
        self.reached.clear()
        catch = self._hunt(hunter, 0, LONGEST)
        # Once more: the machine may have been busy.
        if catch is not None and self._hunt(hunter, 0, LONGEST) is not None:
            raise SystemExit(f"{hunter} fails without a mutant: {catch.by}\n{self._printed()[-3000:]}")
        seconds = time.monotonic() - begun
        self.limits[hunter] = max(60, 8 * seconds)
        if hunter in SIMULATED:
            self.comes_to[hunter] = self.reached.mutants()
        self.say(f"{hunter}: {seconds:.0f} s without a mutant")

    def hunt(self, hunter: str, number: int) -> Catch | None:
        if hunter not in self.limits:
            self._calibrate(hunter)
        if hunter in self.comes_to and number not in self.comes_to[hunter]:
            return None
        catch = self._hunt(hunter, number, self.limits[hunter])
        # The machine may have become busier since the hunter was measured.
        if catch is not None and catch.by == "does not end":
            return self._hunt(hunter, number, 3 * self.limits[hunter])
        if catch is None or not self._is_of_real_time(hunter):
            return catch
        # Real sockets and clocks on a busy machine fail now and then: what failed must fail again.
        again = self._hunt(hunter, number, self.limits[hunter], only=catch.by)
        return catch if again is not None else None

    @staticmethod
    def _is_of_real_time(hunter: str) -> bool:
        return hunter in ("live", f"unit tests of {OF_DEVICE}")

    def _hunt(self, hunter: str, number: int, limit: float, only: str = "") -> Catch | None:
        if is_of_units(hunter):
            return self._unit_tests(hunter.removeprefix("unit tests of "), number, limit, only)
        if hunter == "crash points":
            return self._program(
                number, limit, ["crashpoints", "--no-report", "--no-timings", "--depth", "1", *CRASHED])
        if hunter == "explore":
            return self._program(number, limit, EXPLORED)
        command = ["run", "--no-timings", "--color", "never", "--quiet"]
        if hunter == "live":
            # It only compares: it writes no report, and does not stop early.
            named = [re.sub(r" \[.*", "", only)] if "/" in only else []
            return self._program(number, limit, command + ["--live"] + named)
        # A mutant may make a scenario endless; the longest of the library has some 2,000 events.
        command += ["--no-report", "--fail-fast", "--max-events", "100000", "--wall-limit", "20s"]
        catches = (self._program(number, limit, command + part) for part in self.library.parts(number))
        return next((catch for catch in catches if catch is not None), None)

    def _program(self, number: int, limit: float, arguments: list[str]) -> Catch | None:
        code, output = self._run([self.program, *arguments], number, limit)
        if code == 0:
            return None
        if code is None:
            return Catch("does not end")
        failed = re.search(r"^(?:FAIL |OPEN |ERROR) ([^:\n]+): ", output, re.M) \
            or re.search(r"^FAIL (.*?)   \[", output, re.M)
        rule = re.search(r"^   = rule (\S+)", output, re.M) or re.search(r"^FAIL .*\[(rule )?([^\]]*)\]", output, re.M)
        name = failed.group(1).strip() if failed else f"exit code {code}"
        return Catch(name + (f" ({rule.group(rule.lastindex)})" if rule and "(" not in name else ""))

    def _unit_tests(self, module: str, number: int, limit: float, only: str) -> Catch | None:
        chosen = f"^{module}Tests\\." if not only or " " in only else re.escape(only)
        code, output = self._run(
            [self.tests, "--testing-library", "swift-testing", "--filter", chosen], number, limit, until=FAILED_TEST)
        if code == 0:
            return None
        failed = FAILED_TEST.search(output)
        if code is None and not failed:
            return Catch("does not end")
        return Catch(failed.group(1) if failed else f"exit code {code}")

    def _run(
        self, command: list[str], number: int, limit: float, until: re.Pattern | None = None
    ) -> tuple[int | None, str]:
        active = {"OTALAB_MUTANT": str(number), "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1"}
        if number == 0:
            active["OTALAB_REACHED"] = str(self.reached.path)
        return run(command, self.tree, self.log, limit, until, active)

    def _printed(self) -> str:
        return self.log.read_text(errors="replace")
