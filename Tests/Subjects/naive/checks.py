"""When the origin is asked, and what one check does."""

import bugs
from download import Download, attempts
from manifest import Refused, parse
from transfer import Failed, Transfer, check_status

POLL = 15 * 60_000  # ms between two checks in front; the longest pause after failures
FIRST_PAUSE = 60_000  # ms after a first failed check, doubled after each further one
LARGEST_MANIFEST = 4 * 1024 * 1024


class Checks:
    """One check at a time. A wish that comes during one causes exactly one more."""

    def __init__(self, updater, loop, environment):
        self.updater, self.loop, self.environment = updater, loop, environment
        self.is_running = False
        self.on_first_end = None
        self._is_wanted_again = False
        self._failures = 0
        self._last = None
        self._not_before = 0.0

    def check(self):
        if self.is_running and not bugs.has("checks-overlap"):
            self._is_wanted_again = not bugs.has("second-wish-lost")
            return
        wait = self._not_before - self.loop.clock.now()
        if wait > 0:
            self.loop.after("poll", wait, self.check)  # Retry-After, whoever asks
            return
        self.is_running = True
        self._last = self.loop.clock.now()
        self.loop.cancel("poll")
        self.loop.start(self._run)

    def check_if_due(self):
        """The app came to the front."""
        if self._last is None or self.loop.clock.now() - self._last >= POLL or self._failures:
            self.check()

    def check_after_failure(self):
        """The network is back, or the user pressed a button."""
        if self._failures:
            self.check()

    def _run(self):
        failed = None
        try:
            self._work()
        except (Failed, Refused, OSError) as error:
            failed = error
        self.loop.post(lambda: self._ended(failed))

    def _ended(self, failed):
        is_failure = failed is not None and not isinstance(failed, Refused)
        self._failures = self._failures + 1 if is_failure else 0
        pause = min(FIRST_PAUSE * 2 ** max(0, self._failures - 1), POLL) if is_failure else POLL
        asked = getattr(failed, "retry_after", None)
        if asked is not None and not bugs.has("retry-after-ignored"):
            self._not_before = self.loop.clock.now() + asked
            pause = max(pause, asked)
        if not (failed is not None and bugs.has("no-rearm")):
            self.loop.after("poll", pause, self._poll)
        self.is_running = failed is not None and bugs.has("check-stuck")
        self.updater.check_ended(failed)
        if self.on_first_end:
            self.on_first_end()
            self.on_first_end = None
        if self._is_wanted_again:
            self._is_wanted_again = False
            self.check()

    def _poll(self):
        # In the background a phone would not run it either: `check_if_due` makes up for it.
        if self.updater.startup.is_front:
            self.check()

    # On a worker.

    def _work(self):
        data, url = attempts(self.loop, "manifest", self._fetch_manifest)
        if data is None:
            return
        manifest = parse(data, self.environment.app)
        if not self.loop.call(lambda: self.updater.wants(manifest)):
            return
        running = self.updater.startup.current
        version = Download(self.loop, self.updater.store, manifest, url, running).run()
        self.loop.call(lambda: self.updater.completed(version))

    def _fetch_manifest(self, _attempt):
        """The manifest's bytes, None if this device is offered nothing; and the URL that they came from."""
        headers = {"Cache-Control": "no-cache", "OTA-App": self.environment.app,
                   "OTA-Native-Build": self.environment.native, "OTA-Device": self.environment.device}
        with Transfer(self.loop, self.environment.origin, headers) as transfer:
            check_status(transfer, (200, 204))
            data = b""
            for chunk in transfer.chunks():
                data += chunk
                if len(data) > LARGEST_MANIFEST:
                    raise Refused("over 4 MiB")
            if transfer.is_cut():
                raise Failed("manifest ended early")
            return (None if transfer.status == 204 else data), transfer.url
