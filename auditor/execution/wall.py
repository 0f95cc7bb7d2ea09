"""The walls that a system may offer, as the command that starts the process behind each."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from auditor.execution.inside.view import DEVICES, JOB_FOLDER, LINKED_FOLDERS

Wall = Literal["bubblewrap", "namespaces", "none"]
WALLS: tuple[Wall, ...] = ("bubblewrap", "namespaces")
"""In the order in which they are tried."""
_PACKAGE = Path(__file__).resolve().parent.parent
_PLACE_INSIDE = "/opt/auditor"
_START = (
    "import sys, json; place, channel, wall, readable = sys.argv[1:]; sys.path.insert(0, place); "
    "from auditor.execution.inside.warden import main; sys.path.remove(place); "
    "main(int(channel), wall, json.loads(readable))"
)


def interpreter() -> str:
    """Return the interpreter that runs programs: the one this process runs on, without a virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def readable_places(extra: Sequence[str]) -> list[str]:
    """Return what a program may read: the system's programs and libraries, the interpreter, and what is asked for."""
    places = ["/usr", *(f"/{name}" for name in LINKED_FOLDERS if not os.path.islink(f"/{name}"))]
    places += ["/etc/ld.so.cache", "/etc/alternatives"]
    places += [os.path.realpath(sys.base_prefix), *map(os.path.realpath, extra)]
    kept: list[str] = []
    for place in places:
        if os.path.exists(place) and not any(place == other or place.startswith(f"{other}/") for other in kept):
            kept.append(place)
    return kept


def _bubblewrap(readable: Sequence[str]) -> list[str]:
    command = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    command += ["--cap-add", "ALL"] if os.geteuid() == 0 else ["--unshare-user"]
    # Folders above a place are readable for all, whatever they are outside.
    above = {str(folder) for place in readable for folder in Path(place).parents} - {"/"} | {"/dev"}
    for folder in sorted(above):
        command += ["--dir", folder]
    for place in readable:
        command += ["--ro-bind", place, place]
    for name in LINKED_FOLDERS:
        if os.path.islink(f"/{name}"):
            command += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
    for part in ("__init__.py", "execution"):
        command += ["--ro-bind", str(_PACKAGE / part), f"{_PLACE_INSIDE}/auditor/{part}"]
    for name in DEVICES:
        command += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    return [*command, "--proc", "/proc", "--dir", JOB_FOLDER, "--remount-ro", "/", "--chdir", "/", "--"]


def command(wall: Wall, channel: int, extra: Sequence[str]) -> list[str] | None:
    """Return the command that starts the process behind a wall; None when what it needs is not installed."""
    readable = readable_places(extra)
    place, before = str(_PACKAGE.parent), []
    if wall == "bubblewrap":
        if shutil.which("bwrap") is None:
            return None
        place, before = _PLACE_INSIDE, _bubblewrap(readable)
    start = [interpreter(), "-s", "-P", "-B", "-X", "utf8", "-c", _START]
    return [*before, *start, place, str(channel), wall, json.dumps(readable)]
