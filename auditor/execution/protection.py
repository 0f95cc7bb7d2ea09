"""Which protection is in force here: found out by a program that tries what it must not be able to do."""

from __future__ import annotations

import functools
import json
import os
import socket
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.errors import AuditorError
from auditor.execution.connection import Connection, SandboxError
from auditor.execution.wall import WALLS, Wall


class RefusedError(AuditorError):
    """Programs are not run here, because the system offers no wall around them."""


@dataclass(frozen=True, slots=True)
class Protection:
    """What keeps a program from doing harm; each claim was tried by a program behind this wall."""

    wall: Wall
    files: bool
    """It sees no file but the system's programs and the interpreter, and writes only in its own folder."""
    network: bool
    """It reaches no network, this machine's own services included."""
    processes: bool
    """It sees and signals no process but its own, may have only so many, and all of them end with it."""
    memory: bool
    """Its memory is limited."""
    calls: bool
    """System calls that programs do not need are refused."""
    why_not: str = ""
    """What the system said where a wall could not be built."""

    @property
    def complete(self) -> bool:
        """Whether programs are run without being asked for it twice."""
        return self.files and self.network and self.processes and self.memory

    @property
    def sentence(self) -> str:
        """Say it for people."""
        if not self.files and not self.network and not self.processes and self.wall != "none":
            return f"{self.wall}: not available" + (f" ({self.why_not.rstrip('.')})." if self.why_not else ".")
        held = [words for holds, words in _claims(self) if holds]
        lacking = [words for holds, words in _claims(self) if not holds]
        how = "no wall" if self.wall == "none" else f"a wall made by {self.wall}"
        text = f"Programs run behind {how}: " if self.wall != "none" else "Programs run without a wall: "
        text += f"protected are {_listed(held)}" if held else "nothing is protected"
        return f"{text}; not protected: {_listed(lacking)}." if lacking else f"{text}."


def _claims(held: Protection) -> list[tuple[bool, str]]:
    return [
        (held.files, "your files"),
        (held.network, "the network"),
        (held.processes, "other processes"),
        (held.memory, "memory"),
        (held.calls, "rare system calls"),
    ]


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


_TRIES = """
import ctypes, json, os, socket, sys, threading
outer, port, secret, places = json.loads(sys.stdin.read())
def fails(do):
    try:
        do()
    except (OSError, MemoryError, RuntimeError):
        return True
    return False
def connect():
    with socket.socket() as one:
        one.settimeout(2)
        one.connect(("127.0.0.1", port))
def writes(place):
    name = os.path.join(place, f"auditor-probe-{outer}")
    with open(name, "w"):
        pass
    os.unlink(name)
def crowd():
    threading.stack_size(1 << 16)
    leave = threading.Event()
    try:
        for _ in range(100):
            threading.Thread(target=leave.wait).start()
    finally:
        leave.set()
def enter():
    if ctypes.CDLL(None, use_errno=True).unshare(0x10000000):
        raise OSError
print(json.dumps({
    "files": fails(lambda: open(secret)) and all(fails(lambda p=p: writes(p)) for p in places),
    "network": fails(connect),
    "processes": fails(lambda: os.kill(outer, 0)) and fails(lambda: os.getpgid(outer)) and fails(crowd),
    "memory": fails(lambda: bytearray(1 << 30)),
    "calls": fails(enter),
}))
"""


def _try_out(connection: Connection) -> Protection:
    """Run the program that tries everything; what it could not do is protected."""
    limits = {"wall": 20, "cpu": 10, "memory": 512 << 20, "file_size": 1 << 20, "folder": 1 << 20, "tasks": 8}
    limits |= {"forks": False, "output": 1 << 16, "result": 1 << 16, "stack": 8 << 20}
    header = {"kind": "run", "limits": limits, "files": ["program.py"], "keep": [], "keep_limit": 0}
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.NamedTemporaryFile() as secret:
        places = ["/", "/usr", "/dev", "/etc", os.path.expanduser("~")]
        asked = json.dumps([os.getpid(), server.getsockname()[1], secret.name, places])
        connection.send(header, asked.encode(), _TRIES.encode())
        answer = connection.receive(60)
    if "broken" in answer.header:
        raise SandboxError(str(answer.header["broken"]))
    try:
        found = json.loads(answer.blobs[0])
        files, network, processes, memory, calls = (
            found[name] is True for name in ("files", "network", "processes", "memory", "calls")
        )
    except (ValueError, KeyError, IndexError, TypeError):
        words = answer.blobs[1].decode(errors="replace")[-300:] if len(answer.blobs) > 1 else ""
        raise SandboxError(f"the trial of the wall did not end: {words}") from None
    return Protection(connection.wall, files, network, processes, memory, calls)


@functools.cache
def protection_by(wall: Wall) -> Protection:
    """Find out what a wall protects on this system; the answer is kept for as long as this process runs."""
    try:
        connection = Connection(wall, hash_seed=0)
        try:
            return _try_out(connection)
        finally:
            connection.close()
    except SandboxError as error:
        return Protection(wall, False, False, False, False, False, error.message)


def strongest_protection(*, unsafe: bool = False, walls: Sequence[Wall] | None = None) -> Protection:
    """Return the first wall, of all or of those given, that protects completely; with `unsafe`, what there is without.

    Raises RefusedError when there is none and not `unsafe`.
    """
    tried = WALLS if walls is None else walls
    for wall in tried:
        found = protection_by(wall)
        if found.complete:
            return found
    if unsafe:
        return protection_by("none")
    reasons = " ".join(protection_by(wall).sentence for wall in tried)
    raise RefusedError(
        f"programs are not run, because nothing here keeps them from files, network and processes. {reasons}",
        "Install bubblewrap (bwrap) or allow user namespaces; or run them with --unsafe, if you trust them.",
    )
