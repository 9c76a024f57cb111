"""The manifest of the laboratory's own dialect, `otalab-manifest-1`, read with suspicion."""

import hashlib
import json
import re
from typing import NamedTuple
from urllib.parse import quote

import bugs


class Refused(Exception):
    """The manifest is not for this app, or can't be trusted; the text says why."""


class Entry(NamedTuple):
    """A file of a version: `url` is where to fetch it, relative to the manifest."""
    route: str
    size: int
    sha256: str
    type: str
    url: str
    optional: bool


class Manifest(NamedTuple):
    """`key` names a version with this content: its id and a digest of its files."""
    key: str
    version: str
    serial: int
    index: str
    entries: dict
    order: str
    recalled: list
    unblock: list
    native: dict
    rollout: dict
    data: bytes


ORDERS = ("update", "force", "rollBack", "embedded")


def version_of(key):
    return key.rpartition("@")[0]


def numbers(build):
    """A native build such as `5.10.1`, to be compared number by number: `1.0` equals `1`."""
    if not re.fullmatch(r"\d+(\.\d+)*", str(build)):
        raise Refused(f"native build {build!r}")
    parts = [int(part) for part in str(build).split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return parts


def covers(native, build):
    """Whether the half-open range of native builds has this one."""
    if bugs.has("native-ignored"):
        return True
    minimum, below = native.get("min"), native.get("below")
    return (minimum is None or numbers(minimum) <= numbers(build)) and (
        below is None or numbers(build) < numbers(below))


def parse(data, app):
    """Reads a manifest for the app, or raises `Refused`."""
    if bugs.has("manifest-crash"):
        fields = json.loads(data)
        return _manifest(fields, data, fields["version"])
    try:
        fields = json.loads(data.decode("utf-8"))
        need(isinstance(fields, dict), "no object")
        need(fields.get("format") == "otalab-manifest-1", "unknown format")
        need(isinstance(fields.get("app"), str), "no app")
        need(fields["app"] == app or bugs.has("any-app"), "another app's")
        version = fields.get("version")
        need(isinstance(version, str) and re.fullmatch(r"[\x21-\x7e]{1,128}", version), "no version")
        return _manifest(fields, data, version)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Refused(f"malformed: {error}") from error


def _manifest(fields, data, version):
    order = fields.get("order", "update")
    need(order in ORDERS, "unknown order")
    entries = {}
    for row in fields["files"]:
        entry = _entry(row)
        need(entry.route not in entries, f"{entry.route} twice")
        entries[entry.route] = entry
    index = fields["index"]
    need(index in entries or (order == "embedded" and not entries), "the index is no file")
    native = fields.get("native", {})
    for build in (native.get("min"), native.get("below")):
        need(build is None or numbers(build), "native")
    return Manifest(
        key=f"{version}@{_digest(version, entries)}", version=version,
        serial=count(fields.get("serial", 0), "serial"), index=index, entries=entries, order=order,
        recalled=_ids(fields, "recalled"), unblock=_ids(fields, "unblock"), native=native,
        rollout=fields.get("rollout", {}), data=data)


def _entry(row):
    route, sha256 = row["route"], row["sha256"]
    need(isinstance(route, str) and re.fullmatch(r"/[^?#\\\x00-\x1f]*", route), f"route {route!r}")
    need(not any(part in ("", ".", "..") for part in route[1:].split("/")), f"route {route!r}")
    need(isinstance(sha256, str) and re.fullmatch(r"[0-9a-f]{64}", sha256), f"sha256 of {route}")
    # A route is plain text; in a URL its characters have to be encoded.
    url = row.get("url", route if bugs.has("raw-names") else quote(route, safe="/!$&'()*+,;=:@-._~"))
    need(isinstance(url, str), f"url of {route}")
    return Entry(route, count(row["size"], "size"), sha256, row.get("type") or "", url,
                 row.get("optional") is True)


def _digest(version, entries):
    rows = [[entry.route, entry.size, entry.sha256, entry.optional] for _, entry in sorted(entries.items())]
    return hashlib.sha256(json.dumps([version, rows]).encode()).hexdigest()[:16]


def _ids(fields, name):
    ids = fields.get(name, [])
    need(isinstance(ids, list) and all(isinstance(one, str) for one in ids), name)
    return ids


def count(value, name):
    need(isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2 ** 53, name)
    return value


def need(condition, text):
    if not condition:
        raise Refused(text)
