"""The manifest of a published audit: which files it is made of, and whether a folder still is what it says."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from auditor import __version__
from auditor.audit.inspect import Check, verify
from auditor.errors import InputError
from auditor.text import visible_line

MANIFEST = "manifest.json"
FORMAT, VERSION = "auditor-bundle", 1
AUDIT = "audit.db"
_CHUNK = 1 << 20

Progress = Callable[[str, int, int], None]


class FileFact(NamedTuple):
    """One file of the folder."""

    path: str
    """Relative to the folder, with slashes."""
    bytes: int
    sha256: str


class Manifest(NamedTuple):
    """What a folder is made of."""

    made_with: str
    title: str
    files: tuple[FileFact, ...]


def write_manifest(folder: Path, title: str, progress: Progress | None = None) -> str:
    """Write the manifest of all files in a folder and return its own SHA-256, by which the whole can be quoted."""
    names = list(_files(folder))
    told = progress or (lambda label, done, total: None)
    files = []
    for done, name in enumerate(names):
        told("hashes", done, len(names))
        path = folder / name
        files.append({"path": name, "bytes": path.stat().st_size, "sha256": _digest(path)})
    value = {
        "format": FORMAT,
        "version": VERSION,
        "made_with": f"auditor {__version__}",
        "title": title,
        "files": files,
    }
    data = (json.dumps(value, indent=1) + "\n").encode()
    (folder / MANIFEST).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def _files(folder: Path) -> Iterator[str]:
    """Yield the files of a folder but its manifest, links and all, by their relative names in order."""
    found = []
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        found += [(Path(place) / name).relative_to(folder).as_posix() for name in (*names, *links)]
    yield from sorted(name for name in found if name != MANIFEST)


def _digest(path: Path, *, lf_ends: bool = False) -> str:
    """Return the SHA-256 of a file, or what it were if its lines ended in LF instead of CRLF."""
    found = hashlib.sha256()
    held = b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if lf_ends:
                # The LF of a CR at the end of a chunk begins the next one.
                chunk = held + chunk
                held = chunk[-1:] if chunk.endswith(b"\r") else b""
                chunk = chunk.removesuffix(held).replace(b"\r\n", b"\n")
            found.update(chunk)
    found.update(held)
    return found.hexdigest()


def read_manifest(folder: Path) -> tuple[Manifest, str]:
    """Read the manifest of a folder, and its SHA-256; raises InputError for one that cannot be used."""
    path = folder / MANIFEST
    where = visible_line(str(path))
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            # A pipe would be waited for, and what is behind a link is not what is in the folder.
            raise InputError("it is not a file itself, so it is no manifest of a published audit.", where=where)
        data = path.read_bytes()
    except FileNotFoundError as error:
        told = "it cannot be read, because it is not there: this is a folder, not an audit file, and nothing published."
        raise InputError(told, where=where) from error
    except OSError as error:
        raise InputError(f"it cannot be read ({error.strerror}).", where=where) from error
    try:
        value = json.loads(data)
        return _manifest(value), hashlib.sha256(data).hexdigest()
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError("it is no manifest of a published audit.", where=where) from error


def _manifest(value: Any) -> Manifest:
    if value["format"] != FORMAT or value["version"] != VERSION:
        raise ValueError("another format or version")
    files = tuple(FileFact(one["path"], one["bytes"], one["sha256"]) for one in value["files"])
    for one in files:
        if [type(part) for part in one] != [str, int, str] or one.bytes < 0:
            raise ValueError("a file without a name, a size or a hash")
        if one.path == MANIFEST or not {"", ".", ".."}.isdisjoint(one.path.split("/")):
            raise ValueError("a file outside the folder, or without a name of its own")
    if len({one.path for one in files}) < len(files):
        raise ValueError("a file twice")
    return Manifest(str(value["made_with"]), str(value["title"]), files)


def verify_published(folder: Path, progress: Progress | None = None, *, quoted: str = "") -> list[Check]:
    """Check a published audit: no file missing, changed or extra, and its audit file whole.

    `quoted` is the manifest's SHA-256 as somebody has it from elsewhere; without it a folder can only be held against
    the manifest that lies in it. Raises InputError where there is no usable manifest.
    """
    manifest, digest = read_manifest(folder)
    told = progress or (lambda label, done, total: None)
    there = dict.fromkeys(_files(folder))
    missing: list[FileFact] = []
    changed: dict[str, str] = {}
    for done, one in enumerate(manifest.files):
        told("files", done, len(manifest.files))
        if one.path not in there:
            missing.append(one)
        elif why := _why_not_as_told(folder / one.path, one):
            changed[one.path] = why
    listed = {one.path for one in manifest.files}
    extra = [name for name in there if name not in listed]
    now = _renamed(folder, missing, extra)
    checks = [
        Check("no file of the manifest is missing", len(manifest.files), [_lost(one, now) for one in missing]),
        Check(
            "files are as the manifest says",
            len(manifest.files) - len(missing),
            [f"{visible_line(name)}: {why}" for name, why in changed.items()],
        ),
        Check("nothing else is in the folder", len(there), [_found(folder, name) for name in extra]),
    ]
    if quoted:
        other = [] if digest == quoted.lower() else [f"{MANIFEST}: its SHA-256 is {digest}"]
        checks.insert(0, Check("the manifest is the one that was quoted", 1, other))
    # A file that is not the one that was published says nothing of it.
    if AUDIT in listed and AUDIT in there and AUDIT not in changed:
        checks += verify(folder / AUDIT)
    return checks


def _why_not_as_told(path: Path, one: FileFact) -> str:
    """Say in what a file is not what the manifest says, or nothing; a link never is, whatever is behind it."""
    if path.is_symlink():
        return "it is a link, and not the file itself"
    if not path.is_file():
        return "it is no file"
    size = path.stat().st_size
    if size == one.bytes:
        return "" if _digest(path) == one.sha256 else "other bytes, as many as before"
    if size > one.bytes and _digest(path, lf_ends=True) == one.sha256 != _digest(path):
        return "its lines end in CRLF instead of LF, all else is the same"
    return f"{size:,} bytes instead of {one.bytes:,}"


def _renamed(folder: Path, missing: list[FileFact], extra: list[str]) -> dict[str, str]:
    """Return which file that is too many has the content of which one that is missing, by the latter's name."""
    sizes = {one.bytes for one in missing}
    found: dict[tuple[int, str], str] = {}
    for name in extra:
        path = folder / name
        if not path.is_symlink() and path.is_file() and (size := path.stat().st_size) in sizes:
            found.setdefault((size, _digest(path)), name)
    return {one.path: found[one.bytes, one.sha256] for one in missing if (one.bytes, one.sha256) in found}


def _lost(one: FileFact, now: dict[str, str]) -> str:
    name = visible_line(one.path)
    return f"{name}: {visible_line(now[one.path])} has its content" if one.path in now else name


def _found(folder: Path, name: str) -> str:
    return visible_line(name) + (": a link" if (folder / name).is_symlink() else "")
