"""The manifest of a published audit: which files it is made of, and whether a folder still is what it says."""

from __future__ import annotations

import hashlib
import json
import os
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


def is_published(folder: Path) -> bool:
    """Say whether a folder holds a manifest."""
    return folder.is_dir() and (folder / MANIFEST).is_file()


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


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def read_manifest(folder: Path) -> tuple[Manifest, str]:
    """Read the manifest of a folder, and its SHA-256; raises InputError for one that cannot be used."""
    path = folder / MANIFEST
    where = visible_line(str(path))
    try:
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
    files = tuple(FileFact(str(one["path"]), int(one["bytes"]), str(one["sha256"])) for one in value["files"])
    if any(one.path.startswith("/") or ".." in one.path.split("/") for one in files):
        raise ValueError("a file outside the folder")
    return Manifest(str(value["made_with"]), str(value["title"]), files)


def verify_published(folder: Path, progress: Progress | None = None) -> list[Check]:
    """Check a published audit: no file missing, changed or extra, and its audit file whole.

    Raises InputError where there is no usable manifest.
    """
    manifest, _ = read_manifest(folder)
    told = progress or (lambda label, done, total: None)
    there = dict.fromkeys(_files(folder))
    missing, changed = [], []
    for done, one in enumerate(manifest.files):
        told("files", done, len(manifest.files))
        if one.path not in there:
            missing.append(visible_line(one.path))
        elif not _is_as_told(folder / one.path, one):
            changed.append(visible_line(one.path))
    listed = {one.path for one in manifest.files}
    extra = [visible_line(name) for name in there if name not in listed]
    checks = [
        Check("no file of the manifest is missing", len(manifest.files), missing),
        Check("files are as the manifest says", len(manifest.files) - len(missing), changed),
        Check("nothing else is in the folder", len(there), extra),
    ]
    # A file that is not the one that was published says nothing of it.
    if AUDIT in listed and AUDIT not in missing and AUDIT not in changed:
        checks += verify(folder / AUDIT)
    return checks


def _is_as_told(path: Path, one: FileFact) -> bool:
    """Say whether a file is what the manifest says: never a link, which another file can stand behind."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size != one.bytes:
        return False
    return _digest(path) == one.sha256
