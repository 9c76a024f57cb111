"""What the updater remembers between starts: one small JSON file, replaced as a whole."""

import dataclasses
import json
import sys

import bugs
import disk


@dataclasses.dataclass
class Settings:
    """Versions are named by their keys (`manifest.Manifest.key`).

    `starts`: starts of the current version that were not confirmed · `excused`: those that the user or the
    system ended, in a row · `good`: confirmed downloads, the newest first.
    """
    native: str = ""
    embedded: str = ""
    line: str = ""
    serial: int = -1
    current: str = ""
    pending: str = ""
    starts: int = 0
    excused: int = 0
    good: list = dataclasses.field(default_factory=list)
    blacklist: list = dataclasses.field(default_factory=list)
    recalled: list = dataclasses.field(default_factory=list)


class SettingsFile:
    """`now` is what holds; `save` makes it durable."""

    def __init__(self, path):
        self.path = path
        # True while the bug "rollback-in-memory" keeps a rollback from being written.
        self.is_held = False
        self.now = self._read()

    def _read(self):
        try:
            fields = json.loads(self.path.read_text())
            settings = Settings(**fields)
            for field in dataclasses.fields(Settings):
                if not isinstance(getattr(settings, field.name), type(getattr(Settings(), field.name))):
                    raise ValueError(field.name)
            return settings
        except FileNotFoundError:
            return Settings()
        except (OSError, ValueError, TypeError) as error:
            if bugs.has("settings-in-place"):
                sys.exit(f"naive: {self.path.name}: {error}")
            # The embedded version starts, and what was downloaded is found by its content (Store.find).
            print(f"naive: {self.path.name}: {error}", file=sys.stderr)
            return Settings()

    def save(self):
        if self.is_held:
            return
        fields = dataclasses.asdict(self.now)
        if bugs.has("blacklist-in-memory"):
            fields["blacklist"] = []
        try:
            disk.replace(self.path, json.dumps(fields, indent=1).encode())
        except OSError as error:  # full or locked: this process goes on from memory
            print(f"naive: {self.path.name}: {error}", file=sys.stderr)
