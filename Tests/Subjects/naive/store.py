"""Versions on the disk: a folder for each, complete under its final name; partial downloads by their hash.

    versions/NAME/manifest.json, files    a complete version
    versions/NAME.new/                    a version that is being put together
    partial/HASH                          the beginning of a file
"""

import hashlib
import os
import shutil
from urllib.parse import quote

import bugs
import manifest as manifests

# The updaters that shipped these bugs did not look at contents at launch, or the bug would not have mattered.
TRUSTING = ("no-hash", "existence-only", "cut-accepted", "html-accepted", "append-on-200", "wrong-offset",
            "not-modified", "partial-by-name", "no-fsync", "cleanup-good", "cleanup-pending")


def file_name(route):
    """Name of a file in its version's folder. No part of a route becomes a folder."""
    if bugs.has("basename-only"):
        return route.rpartition("/")[2]
    name = quote(route[1:], safe="")
    return name if len(name) <= 150 else f"{name[:80]}-{hashlib.sha256(route.encode()).hexdigest()}"


def folder_name(key):
    return f"{quote(key, safe='@+')[:100]}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"


class Version:
    """A version that can be served; its folder may be the app package's."""

    def __init__(self, manifest, folder, is_embedded=False):
        self.manifest, self.folder, self.is_embedded = manifest, folder, is_embedded
        self.key = manifest.key

    def path(self, route):
        return self.folder / (route[1:] if self.is_embedded else file_name(route))

    def is_intact(self):
        """Whether all that is needed is here, byte for byte."""
        if bugs.has("pointer-first"):
            return self.folder.exists()
        trusting = any(bugs.has(name) for name in TRUSTING)
        return all(
            self.path(entry.route).exists() if trusting else is_right(self.path(entry.route), entry)
            for entry in self.manifest.entries.values()
            if not entry.optional or self.path(entry.route).exists())


def is_right(path, entry):
    """Whether a file has the size and the hash of its entry."""
    try:
        if path.stat().st_size != entry.size:
            return False
        if bugs.has("no-hash"):
            return True
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
    except OSError:
        return False


class Store:
    def __init__(self, state, package, app):
        self.versions, self.partial = state / "versions", state / "partial"
        self._app = app
        self.versions.mkdir(parents=True, exist_ok=True)
        self.partial.mkdir(exist_ok=True)
        self.embedded = None
        if (package / "manifest.json").exists():
            embedded = manifests.parse((package / "manifest.json").read_bytes(), app)
            self.embedded = Version(embedded, package / "files", is_embedded=True)

    def version(self, key):
        """A complete version, the embedded one too; None if there is none or it can't be read."""
        if self.embedded is not None and key == self.embedded.key:
            return self.embedded
        return self._read(self.versions / folder_name(key)) if key else None

    def intact(self, key):
        version = self.version(key)
        return version if version is not None and version.is_intact() else None

    def _read(self, folder):
        try:
            return Version(manifests.parse((folder / "manifest.json").read_bytes(), self._app), folder)
        except (OSError, manifests.Refused):
            return None

    def find(self, entry):
        """A file with this content in any version, also in one that was given up; None if there is none."""
        folders = sorted(path for path in self.versions.iterdir() if path.is_dir())
        known = ([self.embedded] if self.embedded else []) + [self._read(folder) for folder in folders]
        for version in filter(None, known):
            for other in version.manifest.entries.values():
                if other.sha256 == entry.sha256 and is_right(version.path(other.route), entry):
                    return version.path(other.route)
        return None

    def clean_up(self, kept, keeps_unfinished):
        """Removes all versions but those kept, and, if asked to, what unfinished downloads left."""
        names = {folder_name(key) for key in kept}
        for folder in self.versions.iterdir():
            if folder.name not in names and not (keeps_unfinished and folder.name.endswith(".new")):
                shutil.rmtree(folder, ignore_errors=True)
        for path in [] if keeps_unfinished else self.partial.iterdir():
            path.unlink(missing_ok=True)

    def limit_unfinished(self):
        """Of the versions that were given up, the three newest are kept: their files may be of use."""
        folders = [path for path in self.versions.iterdir() if path.name.endswith(".new")]
        for folder in sorted(folders, key=os.path.getmtime)[:-3]:
            shutil.rmtree(folder, ignore_errors=True)
