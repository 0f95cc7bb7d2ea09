"""One run: the first process of an own namespace makes the place, starts the program, watches it and reports."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from auditor.execution.inside import call_filter, linux
from auditor.execution.inside.framing import FramingError, Message, headers_in, pack
from auditor.execution.inside.view import JOB_FOLDER

Work = Callable[[int], None]
"""What the program's process does once it is confined; it is given the descriptor for its result."""
Rest = Callable[[], None]
"""The same, with the descriptor at hand."""
_CHUNK = 1 << 16
_TASKS_OF_OURS = 4
"""Processes of the sandbox itself that count against the program's user."""
_OPEN_FILES = 64
_GLANCE = 0.02
"""Seconds between two looks where nothing wakes us."""


class Bounds(NamedTuple):
    """The limits of one run, in seconds and bytes."""

    wall: float
    cpu: int
    memory: int
    file_size: int
    folder: int
    tasks: int
    forks: bool
    output: int
    result: int
    stack: int

    @classmethod
    def of(cls, header: dict[str, Any]) -> Bounds:
        """Read them from the header of a job."""
        limits = header["limits"]
        return cls(**{name: limits[name] for name in cls._fields})


def make_place(header: dict[str, Any], blobs: list[bytes], bounds: Bounds) -> str:
    """Make the folder that the program runs in, with its files, and return it."""
    if header["walled"]:
        place = JOB_FOLDER
        options = f"size={bounds.folder},nr_inodes=4096,mode=700"
        linux.mount("tmpfs", place, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, options)
        if os.path.isdir("/proc/self"):
            linux.mount("tmpfs", "/proc", "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "size=0,mode=555")
            linux.make_read_only("/proc", recursive=False)
    else:
        place = os.path.join(header["folder"], f"run-{os.getpid()}")
        os.mkdir(place, 0o700)
    os.chdir(place)
    for name, blob in zip(header["files"], blobs[1:], strict=False):
        with open(name, "wb") as file:
            file.write(blob)
        os.chmod(name, 0o700)
    return place


def _stdin(text: bytes) -> int:
    """Return a descriptor from which a program reads this text."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("stdin")
    else:
        file = os.open(".stdin", os.O_RDWR | os.O_CREAT, 0o600)
        os.unlink(".stdin")
    left = memoryview(text)
    while left:
        left = left[os.write(file, left) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _set_limits(bounds: Bounds, own_user: bool) -> None:
    def lower(what: int, soft: int, hard: int | None = None) -> None:
        most = resource.getrlimit(what)[1]
        hard = soft if hard is None else hard
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(what, (soft, hard))

    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_FSIZE, bounds.file_size)
    lower(resource.RLIMIT_NOFILE, _OPEN_FILES)
    lower(resource.RLIMIT_CPU, bounds.cpu, bounds.cpu + 1)
    lower(resource.RLIMIT_STACK, bounds.stack)
    lower(resource.RLIMIT_MEMLOCK, 0)
    if own_user:
        # Elsewhere the count is of all that the person runs, and says nothing of the program.
        lower(resource.RLIMIT_NPROC, bounds.tasks + _TASKS_OF_OURS)
    with contextlib.suppress(OSError, ValueError):  # macOS has no such limit; what is in force is found out by trying
        lower(resource.RLIMIT_AS, bounds.memory)


def _confine(header: dict[str, Any], bounds: Bounds) -> None:
    linux_here = os.uname().sysname == "Linux"
    if linux_here:
        if header["walled"]:
            linux.drop_capabilities()
        else:
            linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    _set_limits(bounds, own_user=header["walled"])
    if linux_here:
        call_filter.install(forks=bounds.forks)


def _start(header: dict[str, Any], text: bytes, bounds: Bounds, ends: tuple[int, int, int]) -> None:
    """Become the program's process: its three streams, one descriptor for the result, no other, and all limits."""
    os.setsid()
    os.dup2(_stdin(text), 0)
    os.dup2(ends[0], 1)
    os.dup2(ends[1], 2)
    result = 100 + int.from_bytes(os.urandom(2)) % 900
    os.dup2(ends[2], result)
    os.closerange(3, result)
    os.closerange(result + 1, 4096)
    _confine(header, bounds)
    os.set_inheritable(result, False)
    os.environ.clear()
    header["result"] = result


class _Watch:
    """What a running program has written so far, and how it ended."""

    def __init__(
        self, program: int, pipes: tuple[int, int, int], bounds: Bounds, outside: int, *, tells: bool = False
    ) -> None:
        """Watch a program by its number and pipes; `outside` is a pipe that breaks when nobody wants it any more.

        With `tells` what a tracer says of how far it is goes to the outside at once.
        """
        self.program, self.bounds, self.began = program, bounds, time.monotonic()
        self.texts: dict[int, bytearray] = {pipe: bytearray() for pipe in pipes}
        self.pipes, self.open = pipes, set(pipes)
        self.stopped: str | None = None
        self.reaped: tuple[int, resource.struct_rusage] | None = None
        self.handle = os.pidfd_open(program) if hasattr(os, "pidfd_open") else None
        self.outside, self.tells, self.told = outside, tells, 0
        self.poll = select.poll()
        self.poll.register(outside, 0)
        for watched in (*pipes, *([] if self.handle is None else [self.handle])):
            self.poll.register(watched, select.POLLIN)
        self.seconds = 0.0

    def _reap(self, options: int) -> None:
        if self.reaped is None:
            number, status, usage = os.wait4(self.program, options)
            if number:
                self.reaped = status, usage

    def _read(self, pipe: int) -> None:
        try:
            piece = os.read(pipe, _CHUNK)
        except BlockingIOError:
            return
        if not piece:
            self.open.discard(pipe)
            self.poll.unregister(pipe)
            return
        self.texts[pipe] += piece
        output = len(self.texts[self.pipes[0]]) + len(self.texts[self.pipes[1]])
        if pipe == self.pipes[2]:
            if len(self.texts[pipe]) > self.bounds.result:
                self._stop("result")
            elif self.tells:
                self._tell(self.texts[pipe])
        elif output > self.bounds.output:
            del self.texts[pipe][len(self.texts[pipe]) - (output - self.bounds.output) :]
            self._stop("output")

    def _tell(self, result: bytearray) -> None:
        try:
            headers, self.told = headers_in(result, self.told)
        except FramingError:
            self.tells = False  # the program wrote there
            return
        steps = [header["at"] for header in headers if type(header.get("at")) is int]
        if steps:
            with contextlib.suppress(BrokenPipeError):
                os.write(self.outside, pack({"progress": steps[-1]}))

    def _stop(self, why: str) -> None:
        self.stopped = self.stopped or why
        _kill_all(self.program)

    def _wait(self, seconds: float) -> None:
        """Wait until the program writes or ends, and take what it wrote."""
        if self.handle is None:
            seconds = min(seconds, _GLANCE)  # no event tells of its end, so look
        ready = {number for number, _ in self.poll.poll(seconds * 1000)}
        for pipe in ready & self.open:
            self._read(pipe)
        if self.outside in ready:
            self._stop("abandoned")
        if self.handle is None or self.handle in ready:
            self._reap(os.WNOHANG)

    def until_the_end(self) -> None:
        """Read until the program ends or passes a limit; then end all it started and read what is left."""
        while self.stopped is None and self.reaped is None:
            left = self.began + self.bounds.wall - time.monotonic()
            if left <= 0:
                self._stop("wall")
            else:
                self._wait(left)
        self.seconds = time.monotonic() - self.began
        _kill_all(self.program)
        self._reap(0)
        limit = time.monotonic() + 1
        while self.stopped is None and self.open and time.monotonic() < limit:
            for pipe in select.select(list(self.open), [], [], _GLANCE)[0]:
                self._read(pipe)


def _kill_all(program: int) -> None:
    """End the program and everything it started."""
    if os.getpid() == 1:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return
        return
    for kill in (os.killpg, os.kill):
        try:
            kill(program, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def run_job(message: Message, work: Work, outside: int) -> tuple[bytes | None, Rest | None]:
    """Run a job in this process, the first of its namespace, as long as somebody reads from the pipe `outside`.

    Returns the packed report, or, in the program's own process, what is left to do there.
    """
    header, blobs = message
    bounds = Bounds.of(header)
    place = make_place(header, blobs, bounds)
    pipes = [os.pipe(), os.pipe(), os.pipe()]
    program = os.fork()
    if program == 0:
        try:
            _start(header, blobs[0], bounds, (pipes[0][1], pipes[1][1], pipes[2][1]))
        except BaseException as error:
            os.write(header.get("result", pipes[2][1]), pack({"not_started": str(error)[:300]}))
            os._exit(127)
        return None, lambda: work(header["result"])
    for reading, writing in pipes:
        os.close(writing)
        os.set_blocking(reading, False)
    tells = header.get("tells") is True
    watch = _Watch(program, (pipes[0][0], pipes[1][0], pipes[2][0]), bounds, outside, tells=tells)
    watch.until_the_end()
    assert watch.reaped is not None
    status, usage = watch.reaped
    keep = [_kept_file(place, name, header["keep_limit"]) for name in header.get("keep", ())]
    if not header["walled"]:
        remove_all(place)
    report = {
        "stopped": watch.stopped,
        "status": os.waitstatus_to_exitcode(status),
        "seconds": watch.seconds,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss * (1024 if os.uname().sysname == "Linux" else 1),
    }
    return pack(report, *(bytes(watch.texts[pipe]) for pipe in watch.pipes), *keep), None


def _kept_file(place: str, name: str, limit: int) -> bytes:
    """Return a file that the program made; nothing where it is missing, no plain file or larger than the limit."""
    try:
        file = os.open(os.path.join(place, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with open(file, "rb") as opened:
        size = os.fstat(file).st_size
        return opened.read(limit) if size <= limit else b""


def remove_all(place: str) -> None:
    """Remove a folder of the unsafe mode, also what a program made unreadable there; nothing that a link leads to."""
    import shutil

    shutil.rmtree(place, ignore_errors=True)
    if os.path.isdir(place):
        for folder, names, _ in os.walk(place):
            for path in (os.path.join(folder, name) for name in names):
                if not os.path.islink(path):
                    os.chmod(path, 0o700)
        shutil.rmtree(place, ignore_errors=True)
