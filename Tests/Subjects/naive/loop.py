"""One thread that owns the updater's state, a small timer table, and workers for what blocks.

Times are milliseconds of the scenario. With `SystemClock` they pass by themselves, `speed` times as fast as
the wall clock; with `OwnClock` only by the command `advance`. All other code is the same for both.
"""

import contextlib
import math
import os
import queue
import select
import threading
import time
import traceback


class SystemClock:
    is_own = False

    def __init__(self, speed):
        self._speed = speed

    def now(self):
        return time.monotonic() * 1000 * self._speed

    def seconds_until(self, due):
        """Seconds of the wall clock until that time."""
        return max(0.0, (due - self.now()) / 1000 / self._speed)


class OwnClock:
    is_own = True

    def __init__(self):
        self._now = 0.0

    def now(self):
        return self._now

    def set(self, now):
        self._now = now

    def seconds_until(self, due):
        return 0.0 if due <= self._now else None


class Loop:
    """Runs actions one after another on the thread that calls `run`."""

    def __init__(self, clock):
        self.clock = clock
        self.on_quiet = lambda: None
        self._inbox = queue.Queue()
        self._timers = {}
        self._lock = threading.Lock()
        self._busy = 0
        self._sockets = set()

    # From any thread.

    def post(self, action):
        self._inbox.put(action)

    def call(self, action):
        """Runs an action on the loop's thread; its result, or the exception that it ended with."""
        done, answer = threading.Event(), []

        def run():
            try:
                answer.append((action(), None))
            except Exception as error:  # the caller's to handle
                answer.append((None, error))
            done.set()

        self.post(run)
        done.wait()
        result, error = answer[0]
        if error is not None:
            raise error
        return result

    # Workers.

    def start(self, work):
        """Runs `work` on a thread that counts as busy, except where it is `waiting`."""
        self._count(1)

        def run():
            try:
                work()
            except BaseException:  # a worker's crash is the app's
                traceback.print_exc()
                os._exit(1)
            self._count(-1)
            self.post(lambda: None)

        threading.Thread(target=run, daemon=True).start()

    @contextlib.contextmanager
    def waiting(self, sock):
        """A worker waits for bytes of the socket."""
        with self._lock:
            self._busy -= 1
            self._sockets.add(sock)
        self.post(lambda: None)
        try:
            yield
        finally:
            with self._lock:
                self._busy += 1
                self._sockets.discard(sock)

    def sleep(self, name, milliseconds):
        """Called by a worker."""
        over = threading.Event()

        def wake():
            self._count(1)  # here, since the worker itself may be late
            over.set()

        # The timer is set before the loop can see that this worker waits.
        self.post(lambda: self.after(name, milliseconds, wake))
        self._count(-1)
        self.post(lambda: None)
        over.wait()

    def is_still(self):
        """Whether nothing goes on without the passing of time or bytes from outside. On the loop's thread."""
        with self._lock:
            if self._busy or not self._inbox.empty():
                return False
            waited = [sock for sock in self._sockets if sock.fileno() >= 0]
            return not waited or not select.select(waited, [], [], 0)[0]

    def open_requests(self):
        """Transfers that wait for bytes of the origin."""
        with self._lock:
            return len(self._sockets)

    def _count(self, change):
        with self._lock:
            self._busy += change

    # Timers; on the loop's thread.

    def after(self, name, milliseconds, action):
        """Sets the timer of this name; one that is set is replaced."""
        self._timers[name] = (self.clock.now() + milliseconds, action)

    def cancel(self, name):
        """Milliseconds that were left, or None if it was not set."""
        timer = self._timers.pop(name, None)
        return None if timer is None else max(0.0, timer[0] - self.clock.now())

    def is_set(self, name):
        return name in self._timers

    def next(self):
        """Milliseconds to the next timer, or None."""
        due = self._first_due()
        return None if due is None else max(0, math.ceil(due - self.clock.now()))

    def advance(self, milliseconds):
        """With `OwnClock`: the time passes, and what becomes due runs at its time."""
        end = self.clock.now() + milliseconds
        while (due := self._first_due()) is not None and due <= end:
            self.clock.set(due)
            self._fire()
        self.clock.set(end)

    def run(self):
        while True:
            due = self._first_due()
            try:
                timeout = None if due is None else self.clock.seconds_until(due)
                self._inbox.get(timeout=timeout)()
            except queue.Empty:
                pass
            self._fire()
            self.on_quiet()

    def _first_due(self):
        return min((due for due, _ in self._timers.values()), default=None)

    def _fire(self):
        now = self.clock.now()
        ready = sorted((due, name) for name, (due, _) in self._timers.items() if due <= now)
        for _, name in ready:
            # An action may have cancelled or replaced a later one.
            if name in self._timers and self._timers[name][0] <= now:
                self._timers.pop(name)[1]()
