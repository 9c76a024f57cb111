"""Which version is current, which waits, and which one the origin's manifest asks for."""

import hashlib

import bugs
from checks import Checks
from manifest import Refused, covers, version_of
from settings import SettingsFile
from startup import Startup
from store import Store


class Updater:
    """All of it runs on the loop's thread; `report` sends a message of the protocol."""

    def __init__(self, loop, environment, report):
        self.loop, self.environment, self.report = loop, environment, report
        self.file = SettingsFile(environment.state / "settings.json")
        self.store = Store(environment.state, environment.package, environment.app)
        self.startup = Startup(self, loop, environment)
        self.checks = Checks(self, loop, environment)

    @property
    def settings(self):
        return self.file.now

    # Launch.

    def launch(self, is_front, died):
        """Decides what this process serves; a switch happens here and nowhere else."""
        self._settle_store_update()
        self._settle_line()
        self.startup.is_front = is_front
        self.startup.settle_previous_start(died)
        settings = self.settings
        if settings.pending and self.startable(settings.pending):
            settings.current, settings.pending = settings.pending, ""
            settings.starts = settings.excused = 0
        elif settings.pending:
            self.report(told("refused", settings.pending, "not startable"))
            settings.pending = ""
        if not self.startable(settings.current):
            settings.current = self.chain(settings.current) or settings.current
            settings.starts = settings.excused = 0
        self.startup.current = self._last_resort(settings.current)
        self.file.save()
        self.clean_up()

    def _last_resort(self, key):
        """The version to serve; a recalled one too if there is no other, but none of another native build."""
        version = self.store.intact(key)
        fits = version is not None and (version.is_embedded or self._fits_build(version))
        return version if fits else None

    def _fits_build(self, version):
        # Who does not notice a store update does not look at the build of what is already here.
        return bugs.has("store-ignored") or covers(version.manifest.native, self.environment.native)

    def _settle_store_update(self):
        """A new native build or another embedded version: the app's own content wins, old blame ends."""
        settings, embedded = self.settings, self.store.embedded
        key = embedded.key if embedded else ""
        before = (settings.native, settings.embedded)
        if before == (self.environment.native, key):
            return
        if bugs.has("store-ignored") and settings.current:
            return
        settings.native, settings.embedded = self.environment.native, key
        settings.blacklist, settings.starts, settings.excused = [], 0, 0
        if before == ("", ""):  # first launch, or the settings are gone
            settings.current = key
            settings.serial = embedded.manifest.serial if embedded else -1
        elif embedded:
            downloaded = [settings.pending, settings.current, *settings.good]
            newer = [key for key in downloaded if self._is_newer_than_embedded(key)]
            settings.current, settings.good = key, []
            settings.serial = max(settings.serial, embedded.manifest.serial)
            # A newer one that fits the new build waits, and has to prove itself again.
            settings.pending = newer[0] if newer else ""

    def _is_newer_than_embedded(self, key):
        version = self.store.intact(key)
        return (version is not None and not version.is_embedded and self.startable(key)
                and version.manifest.serial > self.store.embedded.manifest.serial)

    def _settle_line(self):
        """Another URL of the manifest: its serials start anew, and what the former one offered is dropped."""
        settings = self.settings
        if settings.line not in ("", self.environment.line):
            settings.serial, settings.pending, settings.recalled = -1, "", []
        settings.line = self.environment.line

    def startable(self, key):
        version = self.store.intact(key)
        if version is None or key in self.settings.blacklist:
            return False
        is_recalled = version.manifest.version in self.settings.recalled and not bugs.has("recalled-starts")
        return version.is_embedded or (not is_recalled and self._fits_build(version))

    def chain(self, left):
        """The version to fall back to from the one that is left; "" if there is none."""
        embedded = self.store.embedded.key if self.store.embedded else ""
        if bugs.has("rollback-to-embedded"):
            return embedded
        if bugs.has("no-first-rollback") and not [key for key in self.settings.good if key != left]:
            return ""
        for key in [*self.settings.good, embedded]:
            if key and key != left and (bugs.has("chain-unchecked") or self.startable(key)):
                return key
        return ""

    # Offers.

    def wants(self, manifest):
        """Obeys a manifest; True if its version has to be downloaded."""
        settings = self.settings
        is_older = manifest.serial < settings.serial
        if bugs.has("serial-as-text"):
            is_older = str(manifest.serial) < str(settings.serial)
        if is_older and not bugs.has("older-accepted"):
            raise Refused(f"serial {manifest.serial} is older than {settings.serial}")
        settings.serial, settings.recalled = manifest.serial, manifest.recalled
        if not bugs.has("unblock-ignored"):
            settings.blacklist = [key for key in settings.blacklist if version_of(key) not in manifest.unblock]
        if (version_of(settings.pending) in settings.recalled) and not bugs.has("recalled-starts"):
            self._drop_pending("recalled")
        is_new = self._is_new(manifest)
        self.file.save()
        self.report(self.status())
        return is_new

    def _is_new(self, manifest):
        settings, embedded = self.settings, self.store.embedded
        key = manifest.key
        if manifest.order == "embedded":
            if embedded is not None:
                self._set_pending(embedded.key if settings.current != embedded.key else "")
            return False
        if not self._is_in_rollout(manifest):
            return False
        if not covers(manifest.native, self.environment.native):
            raise Refused(f"not for native build {self.environment.native}")
        if manifest.version in manifest.recalled and not bugs.has("recalled-starts"):
            raise Refused("offered and recalled")
        if key in settings.blacklist:
            raise Refused("blacklisted")
        is_running = self.startup.current is not None and self.startup.current.key == key
        if is_running and not bugs.has("offered-again"):
            if not bugs.has("withdrawn-kept"):
                self._drop_pending("the origin offers what runs")
            return False
        if self.startable(key) and not bugs.has("offered-again"):
            self._take(self.store.version(key))  # it is still here
            return False
        if bugs.has("pointer-first"):
            settings.pending = key
        return True

    def _is_in_rollout(self, manifest):
        rollout = manifest.rollout
        if "share" not in rollout:
            return True
        salt = rollout.get("salt", manifest.version)
        digest = hashlib.sha256(f"{salt}\0{self.environment.device}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % rollout.get("of", 10_000) < rollout["share"]

    def _drop_pending(self, why):
        if self.settings.pending:
            self.report(told("refused", self.settings.pending, why))
            self.settings.pending = ""

    def _set_pending(self, key):
        if key != self.settings.pending:
            self.settings.pending = key
            if key:
                self.report(told("ready", key, "complete"))

    def completed(self, version):
        """A download is complete and durable: now it may be named."""
        self._take(version)
        self.report(self.status())

    def _take(self, version):
        """A complete version waits for the next launch; it is shown at once only where there is no other."""
        settings = self.settings
        if self.startup.current is None or (bugs.has("reload-at-once") and not version.is_embedded):
            settings.current, settings.pending, settings.starts, settings.excused = version.key, "", 0, 0
            self.file.save()
            self.startup.show(version)
        else:
            self._set_pending(version.key)
            self.file.save()

    def check_ended(self, failed):
        if failed is not None:
            what = "refused" if isinstance(failed, Refused) else "error"
            self.report({"is": "told", "what": what, "cause": str(failed)})
        if self.startup.current is None:
            self.report({"is": "screen", "shows": "offline" if failed else "loading"})
        self.clean_up(keeps_unfinished=failed is not None and not bugs.has("partial-thrown-away"))

    # The disk, and the report.

    def clean_up(self, keeps_unfinished=True):
        """Removes what has no use any more; not while a download may read it."""
        settings = self.settings
        if self.checks.is_running or not settings.current:
            return
        kept = {settings.current, settings.pending}
        if not bugs.has("cleanup-good"):
            kept |= {*settings.good, *self.startup.open_keys()}
        self.store.clean_up(kept - {""}, keeps_unfinished)

    def status(self):
        settings = self.settings
        running = self.startup.current
        return {
            "is": "status",
            "current": running.manifest.version if running else None,
            "pending": version_of(settings.pending) or None,
            "good": [version_of(key) for key in settings.good],
            "blacklist": [version_of(key) for key in settings.blacklist],
        }


def told(what, key, text):
    return {"is": "told", "what": what, "version": version_of(key), "text": text}
