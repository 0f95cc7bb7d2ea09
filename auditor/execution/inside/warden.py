"""The process behind the wall that takes jobs from the outside, one after the other, until the outside is gone."""

from __future__ import annotations

import contextlib
import gc
import os
import platform
import select
import signal
import socket
from collections.abc import Callable

from auditor.execution.inside import linux
from auditor.execution.inside.call_filter import filter_program
from auditor.execution.inside.framing import FramingError, Message, headers_in, pack, unpack
from auditor.execution.inside.job import Rest, Work, remove_all, run_job
from auditor.execution.inside.view import enter
from auditor.execution.inside.work import work_of

_OWN_NAMESPACES = linux.CLONE_NEWPID | linux.CLONE_NEWNS
if filter_program(platform.machine(), False) is None:
    _OWN_NAMESPACES |= linux.CLONE_NEWIPC  # elsewhere the filter lets nobody leave shared memory behind
MESSAGE_LIMIT = 1 << 30
"""Bytes of the blobs of one job: program and input."""


def _taker(channel: socket.socket) -> Callable[[int], bytes]:
    def take(count: int) -> bytes:
        pieces, left = [], count
        while left:
            piece = channel.recv(min(left, 1 << 20))
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    return take


def _read_report(pipe: int, channel: socket.socket, *, tells: bool) -> bytes | None:
    """Return all that a job reports; None when the outside has gone meanwhile.

    With `tells` what it reports of how far it is goes to the outside at once.
    """
    gone = select.POLLRDHUP if hasattr(select, "POLLRDHUP") else select.POLLHUP
    poll = select.poll()
    poll.register(pipe, select.POLLIN | select.POLLHUP)
    poll.register(channel, gone)
    report = bytearray()
    while True:
        events = dict(poll.poll())
        if channel.fileno() in events:
            return None
        piece = os.read(pipe, 1 << 20)
        if not piece:
            return bytes(report)
        report += piece
        if tells:
            headers, end = headers_in(report, 0)
            if all("progress" in header for header in headers):
                channel.sendall(report[:end])
                del report[:end]


def _first_process(message: Message, work: Work, report: int) -> Rest | None:
    """Be the first process of a job; return what is left to do in the program's own process."""
    try:
        packed, rest = run_job(message, work, report)
    except BaseException as error:
        packed, rest = pack({"broken": f"{type(error).__name__}: {error}"[:300]}), None
    if packed is None:
        return rest
    with contextlib.suppress(BrokenPipeError), open(report, "wb") as file:
        file.write(packed)
    os._exit(0)


def _in_new_namespaces(message: Message, work: Work, report: int) -> Rest | None:
    """Start the first process of a job in namespaces of its own, and end with it; as `_first_process`."""
    if os.uname().sysname == "Linux":
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    if not message.header["walled"]:
        return _first_process(message, work, report)
    try:
        linux.unshare(_OWN_NAMESPACES)
        first = os.fork()
    except OSError as error:
        with open(report, "wb") as file:
            file.write(pack({"broken": str(error)[:300]}))
        os._exit(0)
    if first == 0:
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        return _first_process(message, work, report)
    os.close(report)
    os.waitpid(first, 0)
    os._exit(0)


def _run(message: Message, channel: socket.socket) -> tuple[bytes | None, Rest | None]:
    """Run one job in processes of its own; return its report, or what is left to do in the program's process."""
    work = work_of(message)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        channel.close()
        os.close(reading)
        return None, _in_new_namespaces(message, work, writing)
    os.close(writing)
    report = _read_report(reading, channel, tells=message.header.get("tells") is True)
    os.close(reading)
    os.waitpid(child, 0)  # where the outside has gone, the job has seen its pipe break
    if not message.header["walled"]:
        _end_children()
    return report or pack({"broken": "the job ended without a report"}), None


def _end_children() -> None:
    """End what programs of the unsafe mode left behind, which this process adopts (Linux)."""
    while True:
        try:
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                children = [int(word) for word in file.read().split()]
        except OSError:
            return
        if not children:
            return
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def serve(channel: socket.socket) -> Rest | None:
    """Take jobs until the outside closes the channel; in a program's own process return what is left to do there."""
    take = _taker(channel)
    while (message := unpack(take, MESSAGE_LIMIT)) is not None:
        report, work = _run(message, channel)
        if report is None:
            return work
        try:
            channel.sendall(report)
        except BrokenPipeError:
            break
    return None


def _go_behind(wall: str, readable: list[str], channel: socket.socket) -> None:
    """Go behind the wall; behind that of namespaces, on in the first process of the new process namespace."""
    enter(readable, walled=wall == "bubblewrap")
    if wall == "namespaces":
        first = os.fork()
        if first:
            channel.close()
            os.waitpid(first, 0)
            os._exit(0)
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)


def _serve_unwalled(channel: socket.socket) -> Rest | None:
    """Serve without a wall, in a temporary folder that goes when the outside does."""
    from tempfile import mkdtemp

    folder = mkdtemp(prefix="auditor-run-")
    if os.uname().sysname == "Linux":
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
    channel.sendall(pack({"ready": True, "folder": folder}))
    rest = None
    try:
        rest = serve(channel)
    finally:
        if rest is None:
            remove_all(folder)
    return rest


def main(channel_number: int, wall: str, readable: list[str]) -> None:
    """Go behind the wall, say so, and serve; `wall` is `namespaces`, `bubblewrap` or `none`.

    In a program's own process this is where the program runs, with hardly a frame below it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = socket.socket(fileno=channel_number)
    for forks in (False, True):
        filter_program(platform.machine(), forks)  # once here, not in every program's process
    gc.collect()
    gc.freeze()
    try:
        if wall == "none":
            rest = _serve_unwalled(channel)
        else:
            _go_behind(wall, readable, channel)
            channel.sendall(pack({"ready": True}))
            rest = serve(channel)
    except OSError as error:
        channel.sendall(pack({"refused": str(error)[:300]}))
        return
    except FramingError:
        return
    if rest is not None:
        rest()
