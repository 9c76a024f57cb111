"""Puts a version together: what is on the disk is copied, the rest is fetched, each file is verified."""

import hashlib
import os
import re
import shutil
from urllib.parse import urljoin

import bugs
import disk
import store as stores
from transfer import Failed, Transfer, check_status

ATTEMPTS = 3  # a file
BACK_OFF = 1_000  # ms before the second attempt, twice that before the third
LENGTH_IS_ENOUGH = ("append-on-200", "wrong-offset", "partial-by-name")


def attempts(loop, name, work):
    """Runs `work(attempt)` until it succeeds: three times at most, and only while a repetition can help."""
    attempt = 0
    while True:
        try:
            return work(attempt)
        except Failed as failed:
            attempt += 1
            if bugs.has("tight-retry"):
                continue
            if not failed.transient or failed.retry_after is not None or attempt == ATTEMPTS:
                raise
            loop.sleep(f"back-off {name}", BACK_OFF * 2 ** (attempt - 1))


class Download:
    """The download of one version, on a worker. Where it fails, the next one goes on."""

    def __init__(self, loop, store, manifest, manifest_url, running):
        self.loop, self.store, self.manifest = loop, store, manifest
        self.manifest_url, self.running = manifest_url, running
        self.final = store.versions / stores.folder_name(manifest.key)
        new = self.final.with_name(self.final.name + ".new")
        self.folder = self.final if bugs.has("pointer-first") else new

    def run(self):
        """Returns the version when it is complete and durable under its final name."""
        self.store.limit_unfinished()
        self.folder.mkdir(exist_ok=True)
        disk.write(self.folder / "manifest.json", self.manifest.data)
        for entry in self.manifest.entries.values():
            self._provide(entry)
        disk.sync_folder(self.folder)
        if self.folder != self.final:
            shutil.rmtree(self.final, ignore_errors=True)  # a damaged one, which no record names
            os.rename(self.folder, self.final)
            disk.sync_folder(self.store.versions)
        return stores.Version(self.manifest, self.final)

    def _provide(self, entry):
        path = self.folder / stores.file_name(entry.route)
        if path.exists() if bugs.has("existence-only") else stores.is_right(path, entry):
            return
        if (found := self.store.find(entry)) is not None:
            shutil.copyfile(found, path)
            with open(path, "r+b") as file:
                disk.sync_file(file)
            return
        try:
            part = attempts(self.loop, entry.route, lambda attempt: self._attempt(entry, path, attempt))
        except Failed as failed:
            if entry.optional and failed.status in (404, 410) and not bugs.has("optional-required"):
                return
            raise Failed(f"{entry.route}: {failed}", failed.transient, failed.status, failed.retry_after)
        if part != path:
            os.replace(part, path)

    def _attempt(self, entry, path, attempt):
        """Fetches a file or the rest of it, and verifies it. Returns where it is."""
        if bugs.has("existence-only"):
            if path.exists():
                return path
            part = path
        elif bugs.has("partial-by-name"):
            part = self.store.partial / hashlib.sha256(entry.route.encode()).hexdigest()
        else:
            part = self.store.partial / entry.sha256
        offset = part.stat().st_size if part.exists() else 0
        if offset > entry.size:
            part.unlink()
            offset = 0
        is_trusted = False
        if offset < entry.size or not part.exists():
            is_trusted = self._fetch(entry, part, offset, attempt)
        if not is_trusted and not stores.is_right(part, entry):
            part.unlink()
            raise Failed("size or hash")
        if entry.size == 0 and bugs.has("empty-refused"):
            raise Failed("empty", transient=False)
        return part

    def _fetch(self, entry, part, offset, attempt):
        """Writes the body to the partial file. True: a bug takes it as it is."""
        headers = {"Range": f"bytes={offset}-"} if offset else {}
        if attempt:
            headers["Cache-Control"] = "no-cache"  # past a cache that has other bytes
        with Transfer(self.loop, urljoin(self.manifest_url, entry.url), headers) as transfer:
            if transfer.status == 304 and bugs.has("not-modified") and self.running:
                shutil.copyfile(self.running.path(entry.route), part)
                return True
            if transfer.status == 416 and offset:
                if bugs.has("loop-on-416"):
                    return self._fetch_again(entry, part, offset)
                part.unlink()
                raise Failed("status 416")
            check_status(transfer, (200, 206) if offset else (200,))
            start = self._start(transfer, part, offset)
            is_html = transfer.headers.get_content_type() == "text/html" and bugs.has("html-accepted")
            with open(part, "r+b" if start else "wb") as file:
                file.seek(start)
                file.truncate()
                try:
                    for data in transfer.chunks():
                        file.write(data)
                        if file.tell() > entry.size and not is_html and not self._takes_any_length(offset):
                            raise Failed("longer than the manifest says")
                except Failed:
                    if bugs.has("cut-accepted") and file.tell():
                        return True
                    raise
                finally:
                    disk.sync_file(file)
            if is_html or bugs.has("cut-accepted") and transfer.is_cut():
                return True
            if part.stat().st_size < entry.size:
                raise Failed("ended early")
            if self._takes_any_length(offset):
                os.truncate(part, entry.size)
                return True
        return False

    def _start(self, transfer, part, offset):
        """Where the body begins in the file: at the offset that was asked for, or at 0."""
        if transfer.status == 200:
            return offset if bugs.has("append-on-200") else 0
        given = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", transfer.headers.get("Content-Range", ""))
        if bugs.has("wrong-offset"):
            return offset
        if not given or int(given[1]) != offset or "Content-Encoding" in transfer.headers:
            part.unlink()
            raise Failed("another range than asked for")
        return offset

    def _takes_any_length(self, offset):
        return offset > 0 and any(bugs.has(name) for name in LENGTH_IS_ENOUGH)

    def _fetch_again(self, entry, part, offset):
        while True:
            headers = {"Range": f"bytes={offset}-"}
            with Transfer(self.loop, urljoin(self.manifest_url, entry.url), headers) as transfer:
                if transfer.status != 416:
                    raise Failed(f"status {transfer.status}")
