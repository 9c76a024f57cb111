"""Whether a version starts: page loads, confirmations, the start-up clock, and the way back.

A *load* is one showing of a version by this program, numbered in its URL (`/?load=2`); documents that a page
opens by itself belong to the load in which they were served.
"""

from urllib.parse import parse_qs, urlsplit

import bugs
from manifest import version_of

RETRIES = 1  # further starts of a version that has not confirmed
EXCUSED = 3  # starts in a row that the user or the system may end without being counted


class Startup:
    def __init__(self, updater, loop, environment):
        self.updater, self.loop = updater, loop
        self.timeout, self.confirm_by = environment.startup_timeout, environment.confirm
        self.current = None  # the version that is served
        self.is_front = True
        self.is_confirmed = False  # in this load
        self.load = 1
        self._loads = {}
        self._documents = {}
        self._is_counted = False
        self._left_ms = self.timeout
        self._deaths = 0

    @property
    def is_proven(self):
        version = self.current
        return version is None or version.is_embedded or version.key in self.updater.settings.good

    # Launch.

    def settle_previous_start(self, died):
        """The previous process ended; a version that had its starts and confirmed none is left."""
        settings = self.updater.settings
        if settings.current in settings.good or not settings.starts:
            return
        if died in ("user", "lowMemory") and settings.excused < EXCUSED:
            settings.starts, settings.excused = settings.starts - 1, settings.excused + 1
        elif settings.starts > RETRIES:
            self._blame(settings.current, f"{settings.starts} starts without confirmation")

    def start_url(self):
        """Of the first page."""
        self._loads[self.load] = self.current
        return f"/?load={self.load}"

    # Documents.

    def document(self, url):
        """A navigation wants the index. The URL it has to be redirected to, or None, and the version."""
        number = _number(url)
        if number is not None and number != self.load:
            return f"/?load={self.load}", None
        self._documents[_target(url)] = self.load
        self._loads[self.load] = self.current
        if self.current is not None:
            self._served()
        return None, self.current

    def version_for(self, referrer):
        """The version that a file is served from: that of the document that wants it."""
        number = self._load_of(referrer) if referrer else None
        return self._loads.get(number) or self.current

    def open_keys(self):
        return {version.key for version in self._loads.values() if version is not None}

    def _load_of(self, url):
        number = _number(url)
        return number if number is not None else self._documents.get(_target(url))

    def _served(self):
        """The attempt is on the disk before the index is answered."""
        if self.is_proven or self.is_confirmed:
            return
        if not bugs.has("counter-after-load"):
            self._count()
        if bugs.has("confirms-itself"):
            self._confirm(self.current)
        else:
            self._start_clock()

    def _count(self):
        if not self._is_counted:
            self._is_counted = True
            self.updater.settings.starts += 1
            self.updater.file.save()

    # The clock: foreground time of an unproven version.

    def _start_clock(self):
        if self.loop.is_set("startup"):
            return  # it goes on over links and reloads
        if self.is_proven or self.is_confirmed or bugs.has("counter-only"):
            return
        if self.is_front or bugs.has("blames-background"):
            if self._is_counted or bugs.has("counter-after-load"):
                self.loop.after("startup", self._left_ms, self._timed_out)

    def _timed_out(self):
        if bugs.has("stale-timer"):
            if self.current is not None and not self.current.is_embedded:
                self._fail("start-up time-out")
        elif not self.is_proven:
            self._fail("start-up time-out")

    def front(self, is_front):
        self.is_front = is_front
        if bugs.has("blames-background"):
            return
        left = self.loop.cancel("startup")
        if left is not None:
            self._left_ms = left
        if is_front:
            self._start_clock()

    # What the page and the platform say.

    def call(self, url, method):
        number = self._load_of(url or "")
        if method == "startupDidComplete":
            if number == self.load:
                self._confirm(self.current)
            elif bugs.has("late-ready-revives") and self._loads.get(number):
                self._confirm(self._loads[number])
        elif method == "startupDidFail" and number == self.load and not self.is_proven:
            self._fail("the page reported a failure")

    def page(self, view, what, url):
        if what == "loaded" and view == 0 and self._load_of(url or "") == self.load and self.current:
            if bugs.has("counter-after-load") and not self.is_proven:
                self._count()
            if self.confirm_by == "loaded":
                self._confirm(self.current)
        elif what == "died" and view == 0:
            self._deaths += 1
            if self._deaths > 1 and not self.is_proven:
                self._fail("the web process died twice")
            elif self._deaths <= 3:
                self._navigate()
            else:
                self.updater.report({"is": "screen", "shows": "recovery"})

    def press(self, button):
        if button == "retry":
            self._deaths = 0
            if self.current is not None:
                self.updater.report({"is": "screen", "shows": "page"})
                self._navigate()
            self.updater.checks.check()
        elif button == "rollBack" and self.current is not None and not self.current.is_embedded:
            self._leave(self.current.key, "the user rolled back")

    def _confirm(self, version):
        settings, file = self.updater.settings, self.updater.file
        if version is None:
            return
        if bugs.has("ready-to-pending") and settings.pending:
            version = self.updater.store.version(settings.pending) or version
        if version is self.current:
            self.is_confirmed = True
            self.loop.cancel("startup")
        if bugs.has("late-ready-revives") and version.key in settings.blacklist:
            settings.blacklist.remove(version.key)
        if settings.starts or file.is_held or not version.is_embedded and settings.good[:1] != [version.key]:
            file.is_held = False
            settings.starts = settings.excused = 0
            if not version.is_embedded:
                others = [key for key in settings.good if key != version.key]
                settings.good = [version.key, *others][:2]
            file.save()
            self.updater.report(self.updater.status())
        if bugs.has("cleanup-pending") and settings.pending:
            self.updater.store.clean_up({settings.current, *settings.good} - {""}, True)
        else:
            self.updater.clean_up()

    # The way back.

    def _fail(self, cause):
        if self.current is not None:
            self._leave(self.current.key, cause)

    def _blame(self, key, cause):
        """Blacklists a version, but never the only one that could be shown."""
        settings = self.updater.settings
        successor = self.updater.chain(key)
        if not successor:
            return ""
        if not bugs.has("never-blacklists") and key not in settings.blacklist:
            settings.blacklist = [*settings.blacklist, key][-64:]
        settings.good = [other for other in settings.good if other != key]
        settings.current, settings.starts, settings.excused = successor, 0, 0
        self.updater.report({"is": "told", "what": "blamed", "version": version_of(key), "cause": cause})
        return successor

    def _leave(self, key, cause):
        """Serves the version before this one, recorded first."""
        successor = self._blame(key, cause)
        if not bugs.has("stale-timer"):
            self.loop.cancel("startup")
        if not successor:
            self.updater.report({"is": "screen", "shows": "recovery"})
            self.updater.checks.check()
            return
        self.updater.file.is_held = bugs.has("rollback-in-memory")
        self.updater.file.save()
        rescuer = version_of(successor)
        self.updater.report({"is": "told", "what": "rescued", "version": rescuer, "cause": cause})
        version = self.updater.store.version(successor)
        if bugs.has("rollback-without-load"):
            self.current = version
        else:
            self.show(version)
        self.updater.report(self.updater.status())

    def show(self, version):
        """Serves a version from now on, and loads its page."""
        if not bugs.has("stale-timer"):
            self.loop.cancel("startup")
        self.current = version
        self._is_counted, self._left_ms, self._deaths = False, self.timeout, 0
        self._navigate()
        self.updater.report({"is": "screen", "shows": "page"})

    def _navigate(self):
        self.load += 1
        self.is_confirmed = False
        self._loads[self.load] = self.current
        self.updater.report({"is": "load", "view": 0, "url": f"/?load={self.load}"})


def _target(url):
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _number(url):
    given = parse_qs(urlsplit(url).query).get("load", [""])[0]
    return int(given) if given.isascii() and given.isdigit() else None
