"""Shipped bugs of the field's updaters, each behind a flag: `NAIVE_BUGS=name,name`.

Without a flag the program is correct. Rows are ids of the catalogue of edge cases; `place` is the module
whose code asks for the flag. `naive --bugs` prints the table.
"""

import os
import sys
from typing import NamedTuple


class Bug(NamedTuple):
    name: str
    rows: str
    place: str
    says: str


TABLE = [
    # What is downloaded, and how it is checked.
    Bug("no-hash", "SEC-19 W-11 ORG-17", "store",
        "a file is right if its length is"),
    Bug("existence-only", "B05 DSK-10", "download",
        "the body is written under its final name, and a file that exists is taken for complete"),
    Bug("cut-accepted", "DSK-26 DSK-02 B05", "download",
        "a body that ends early is a finished file"),
    Bug("html-accepted", "ORG-19 W-12", "download",
        "an HTML answer is stored for any file without a look at its hash"),
    Bug("append-on-200", "NET-05", "download",
        "the whole body that answers a range request is appended to the partial file; the length is enough"),
    Bug("wrong-offset", "NET-06 W-50", "download",
        "a 206 is appended whatever its Content-Range says; the length is enough"),
    Bug("loop-on-416", "NET-07", "download",
        "a 416 is answered with the same range request, at once and without end"),
    Bug("not-modified", "B27 ORG-17 W-50", "download",
        "a 304 for a new file takes the file of the same name of the running version"),
    Bug("partial-by-name", "DSK-31 W-22 W-24", "download",
        "a partial file is kept under its route: another version's download goes on with it, unverified"),
    Bug("empty-refused", "ORG-32", "download",
        "a file of 0 bytes is a failed download"),
    Bug("raw-names", "ORG-30 B44", "manifest, server",
        "names are neither percent-encoded in requests nor decoded when they are served"),
    Bug("optional-required", "W-39", "download",
        "one optional file that is missing ends every update"),
    # Which version is taken.
    Bug("older-accepted", "ORG-16 SEC-02 W-24", "updater",
        "the serial is not compared: a stale manifest takes the app back"),
    Bug("native-ignored", "ORG-14", "manifest",
        "the range of native builds is not looked at"),
    Bug("any-app", "ORG-31", "manifest",
        "the app id is not looked at"),
    Bug("recalled-starts", "ORG-05 ORG-06", "updater",
        "a recall is ignored once the version is on the device"),
    Bug("manifest-crash", "ORG-20 ORG-21 W-37", "manifest",
        "a manifest without an expected field ends the process"),
    Bug("offered-again", "ORG-11 B19", "updater",
        "what already runs is downloaded and made pending again at each check"),
    # When and how often it asks.
    Bug("checks-overlap", "API-01 API-02 DSK-19 NET-16", "checks",
        "each check runs beside the others and writes the same temporary file"),
    Bug("check-stuck", "API-17 W-01", "checks, adapter",
        "after a failed check the mark 'in progress' stays: later ones do nothing until the next process"),
    Bug("no-rearm", "NET-22 B26", "checks",
        "after a failed check no timer is set, so that nothing asks again by itself"),
    Bug("tight-retry", "ORG-25 NET-31", "download",
        "a failed request is repeated at once and without end"),
    Bug("no-stall-timeout", "NET-04 W-50", "transfer",
        "a transfer without bytes is waited for for ever"),
    Bug("retry-after-ignored", "ORG-24", "checks",
        "Retry-After is not looked at"),
    Bug("start-waits", "NET-02 NET-24 API-15", "adapter",
        "the first page waits for the end of the check at launch"),
    # What is on the disk, and since when.
    Bug("pointer-first", "PRC-01 PRC-02 DSK-32", "updater, download",
        "the version is recorded as pending before its files are there"),
    Bug("no-fsync", "DSK-24 W-16", "disk",
        "files and settings are renamed without a sync, and only looked at for existence at launch"),
    Bug("settings-in-place", "DSK-05 DSK-06", "disk, settings",
        "settings are overwritten in place, and unreadable ones end the process at start"),
    Bug("cleanup-pending", "DSK-16 DSK-12", "startup",
        "the confirmation of a start removes the folder of the version that waits"),
    Bug("cleanup-good", "ORG-27 W-10", "updater",
        "the clean-up keeps the current and the pending version only"),
    Bug("store-ignored", "STO-01 B31", "updater",
        "a store update is not noticed: the old download runs on the new native build"),
    # What is served.
    Bug("latest-folder", "LSV-01 B01 B02", "server",
        "the index comes from the current version, other files from the newest complete one"),
    Bug("index-fallback", "LSV-02 W-15", "server",
        "each missing file is answered with the index"),
    Bug("removed-served", "W-32 ORG-26", "server",
        "a file that the version does not have is served from the embedded one"),
    Bug("no-types", "LSV-11 B56", "server",
        "each file is application/octet-stream"),
    Bug("port-moves", "LSV-04 B50", "server",
        "any free port is taken instead of the configured one"),
    Bug("dead-after-background", "LSV-06 B15", "adapter",
        "the server stops in the background and does not come back"),
    # How a start is judged.
    Bug("reload-at-once", "PRC-25", "updater",
        "a finished download is shown at once, under the user's hands"),
    Bug("confirms-itself", "SRT-07", "startup",
        "a start is proven by its index request"),
    Bug("ready-to-pending", "SRT-02 SRT-20 W-07", "startup",
        "the page's confirmation is credited to the newest version, not to the one that the page came from"),
    Bug("late-ready-revives", "SRT-02 W-07", "startup",
        "a call of a document that was left confirms its version and ends its blacklisting"),
    Bug("counter-after-load", "SRT-04 W-05", "startup",
        "an attempt is counted when the page has loaded, so that faster deaths are not counted"),
    Bug("counter-only", "B06 W-06", "startup",
        "no start-up clock: a version that hangs is left at a later launch only"),
    Bug("blames-background", "PRC-12 PRC-11", "startup",
        "the start-up clock goes on in the background"),
    Bug("stale-timer", "PRC-29", "startup",
        "the clock of the version that was left goes on, and its end is the next one's failure"),
    Bug("never-blacklists", "SRT-25 B10", "startup",
        "a version that failed is taken again at the next check"),
    Bug("blacklist-in-memory", "SRT-25 B20", "settings",
        "the blacklist is forgotten with the process"),
    Bug("rollback-in-memory", "W-04 B20", "startup",
        "a rollback is recorded only when the rescuing version has confirmed"),
    Bug("rollback-without-load", "W-02", "startup",
        "after a rollback the page is not loaded again"),
    Bug("rollback-to-embedded", "B07", "updater",
        "the embedded version is served after a failure, although a downloaded one was good"),
    Bug("no-first-rollback", "SRT-11 SRT-29", "updater",
        "there is no rollback from the first download, because no earlier one is recorded"),
    # Added when all scenarios were there: how many of them are noticed is in Caught.md.
    Bug("etag-by-route", "LSV-09", "server",
        "the local server's ETag is the route's: a file that an update changed is answered with 304"),
    Bug("answers-cached", "LSV-09 LSV-15", "server",
        "the local server lets the web view keep its answers for an hour"),
    Bug("basename-only", "ORG-30", "store",
        "a file is stored under the last part of its route: two of one name overwrite each other"),
    Bug("chain-unchecked", "W-05", "updater",
        "the version to fall back to is not looked at: it may be blacklisted or damaged"),
    Bug("withdrawn-kept", "ORG-16", "updater",
        "a version that waits is shown although the origin has gone back to what runs"),
    Bug("second-wish-lost", "API-02", "checks",
        "a check that is asked for while one runs is forgotten"),
    Bug("unblock-ignored", "ORG-11", "updater",
        "a version stays blacklisted although the origin has unblocked it"),
    Bug("partial-thrown-away", "NET-01", "updater",
        "what a failed download has received is removed"),
    Bug("decoded-twice", "ORG-30", "server",
        "names are percent-decoded twice when they are served"),
    Bug("serial-as-text", "ORG-16", "updater",
        "serials are compared as texts: the tenth is older than the ninth"),
]


def _switched_on():
    names = {name for name in os.environ.get("NAIVE_BUGS", "").split(",") if name}
    unknown = names - {bug.name for bug in TABLE}
    if unknown:
        sys.exit(f"naive: no bug has the name {', '.join(sorted(unknown))}; 'naive --bugs' lists them")
    return names


_ON = _switched_on()


def has(name):
    """Whether the bug is switched on. A name that the table does not have is a mistake in this program."""
    assert any(bug.name == name for bug in TABLE), name
    return name in _ON


def text():
    """The table as aligned text."""
    lines = [f"{bug.name:<22} {bug.rows:<30} {bug.place:<18} {bug.says}" for bug in TABLE]
    return "\n".join(lines + [f"{len(TABLE)} flags"])
