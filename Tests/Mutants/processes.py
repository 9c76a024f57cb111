"""Runs a command in a session of its own, and ends all that it started."""

import os
import re
import resource
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

# In the environment of a command and of all that it starts, also of what begins a session of its own. Tests leave out
# variables of OTALAB_ when they start a program.
MARK = "STARTED_BY_MUTANTS"
# Of a hunter with a limit: a mutant may make a list grow for ever, and take the memory of the whole machine. The largest
# without a mutant fit in it with room to spare.
ADDRESS_SPACE = 12 << 30


def end_by_exception() -> None:
    """A signal that ends the script passes through `run`, so that nothing is left running."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def run(
    command: list[str], folder: Path, log: Path, limit: float | None = None, until: re.Pattern | None = None,
    environment: dict[str, str] | None = None
) -> tuple[int | None, str]:
    """Exit code, None when it had to be ended; and what was printed. Ends it when `until` has been printed."""
    mark = f"{os.getpid()}-{uuid.uuid4()}"
    # A new file, so that nothing that is left of the last one writes into it.
    log.unlink(missing_ok=True)
    with open(log, "w") as output:
        process = subprocess.Popen(
            ["nice", *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            env=dict(os.environ, **(environment or {}), **{MARK: mark}), start_new_session=True,
            preexec_fn=_bounded if limit else None)
    end = time.monotonic() + limit if limit else None
    try:
        if until is None:
            code = _wait(process, limit)
        else:
            while (code := process.poll()) is None and (end is None or time.monotonic() < end):
                if until.search(log.read_text(errors="replace")):
                    break
                time.sleep(0.1)
    finally:
        # Its children too, also those of a program that died. Foundation gives each a process group of its own.
        end_all(process.pid, mark)
        process.wait()
    return code, log.read_text(errors="replace")


def _wait(process: subprocess.Popen, limit: float | None) -> int | None:
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None


def end_all(session: int, mark: str) -> None:
    """Ends the processes of a session and those that have the mark, until there are none, for at most 10 s."""
    try:
        os.killpg(session, signal.SIGKILL)
    except ProcessLookupError:
        pass
    end = time.monotonic() + 10
    while (living := [number for number in processes() if belongs(number, session, mark)]) and time.monotonic() < end:
        for number in living:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


def processes() -> list[int]:
    """None where the system has no /proc."""
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]


def belongs(number: int, session: int, mark: str) -> bool:
    """False for one that has ended, or is another user's."""
    try:
        # After the name, which may have spaces and parentheses: state, parent, group, session.
        state, _, _, of_session = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[:4]
        if state in "ZX":
            return False
        return int(of_session) == session or f"{MARK}={mark}".encode() in Path(
            f"/proc/{number}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
