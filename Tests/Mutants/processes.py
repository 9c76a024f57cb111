"""Runs a command in a process group of its own, and ends all of it with the script."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path


def end_by_exception() -> None:
    """A signal that ends the script passes through `run`, so that nothing is left running."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def run(
    command: list[str], folder: Path, log: Path, limit: float | None = None, until: re.Pattern | None = None,
    environment: dict[str, str] | None = None
) -> tuple[int | None, str]:
    """Exit code, None when it had to be ended; and what was printed. Ends it when `until` has been printed."""
    # A new file, so that nothing that is left of the last one writes into it.
    log.unlink(missing_ok=True)
    with open(log, "w") as output:
        process = subprocess.Popen(
            ["nice", *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            env=dict(os.environ, **(environment or {})), start_new_session=True)
    end = time.monotonic() + limit if limit else None
    try:
        while (code := process.poll()) is None and (end is None or time.monotonic() < end):
            if until is not None and until.search(log.read_text(errors="replace")):
                break
            time.sleep(0.1)
    finally:
        # Its children too, also those of a program that died.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    return code, log.read_text(errors="replace")
