"""The ways in which a program ends, each with a name and a sentence."""

from __future__ import annotations

import errno
import re
import signal
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Ending(StrEnum):
    """How a run ended; the values are stable names."""

    FINISHED = "finished"
    EXIT_STATUS = "exit_status"
    EXCEPTION = "exception"
    SIGNAL = "signal"
    WALL_TIME = "wall_time"
    CPU_TIME = "cpu_time"
    MEMORY = "memory"
    OUTPUT = "output"
    RESULT = "result"
    FILE_SIZE = "file_size"
    TASKS = "tasks"
    COMPILE_ERROR = "compile_error"
    NO_COMPILER = "no_compiler"
    NOT_STARTED = "not_started"
    SANDBOX_FAILED = "sandbox_failed"


LIMIT_ENDINGS = frozenset(
    (Ending.WALL_TIME, Ending.CPU_TIME, Ending.MEMORY, Ending.OUTPUT, Ending.RESULT, Ending.FILE_SIZE, Ending.TASKS)
)
"""Endings at a limit: with more room the program might have done something else."""
_SENTENCES = {
    Ending.FINISHED: "finished",
    Ending.WALL_TIME: "stopped at the time limit",
    Ending.CPU_TIME: "stopped at the limit of processor time",
    Ending.MEMORY: "ran into the memory limit",
    Ending.OUTPUT: "stopped at the limit of output",
    Ending.RESULT: "stopped because it told more of itself than the limit",
    Ending.FILE_SIZE: "ran into the limit of what it may write to files",
    Ending.TASKS: "ran into the limit of processes and threads",
    Ending.COMPILE_ERROR: "does not compile",
    Ending.NO_COMPILER: "was not run: neither g++ nor clang++ is installed",
    Ending.NOT_STARTED: "could not be started",
    Ending.SANDBOX_FAILED: "the sandbox failed",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, with what is known of it; exception and line are what the program's process said of itself."""

    ending: Ending
    status: int | None = None
    """The exit status, where it ended by itself."""
    signal: int | None = None
    exception: str | None = None
    """The name of the exception's type."""
    line: int | None = None
    """The innermost line of the program that the exception passed, from 1."""
    message: str = ""

    @property
    def finished(self) -> bool:
        """Whether it ran to its end with status 0."""
        return self.ending is Ending.FINISHED

    @property
    def sentence(self) -> str:
        """Say it for people."""
        if self.ending is Ending.EXIT_STATUS:
            words = f"ended with status {self.status}"
        elif self.ending is Ending.SIGNAL:
            words = f"killed by {signal_name(self.signal)}"
        elif self.ending is Ending.EXCEPTION:
            words = f"ended with {self.exception}"
        else:
            words = _SENTENCES[self.ending]
        if self.line is not None:
            words += f" in line {self.line}"
        return f"{words}: {self.message}" if self.message else words


def signal_name(number: int | None) -> str:
    """Return a signal's name, or its number where it has none."""
    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


_STOPPED = {"wall": Ending.WALL_TIME, "output": Ending.OUTPUT, "result": Ending.RESULT}
_AT_LIMIT = {errno.EFBIG: Ending.FILE_SIZE, errno.ENOSPC: Ending.FILE_SIZE, errno.EAGAIN: Ending.TASKS}
_TRACEBACK_END = re.compile(rb"^([A-Za-z_][\w.]*)(?:: (.*))?\Z", re.DOTALL | re.MULTILINE)
_TRACEBACK_LINE = re.compile(rb'^  File "[^"\n]*program\.py", line (\d+)', re.MULTILINE)
_CPP_THROWN = re.compile(rb"terminate called after throwing an instance of '([^'\n]+)'(?:\n  what\(\):  ([^\n]*))?")


def _text(value: object, limit: int = 2_000) -> str:
    return value[:limit] if isinstance(value, str) else ""


def _number(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 40 else None


def of_exception(told: dict[str, Any], status: int | None) -> Outcome:
    """Return the outcome of a Python exception; those that a limit brings about count as that limit."""
    name, message = _text(told.get("type"), 200) or "an exception", _text(told.get("message"))
    ending = Ending.EXCEPTION
    number = _number(told.get("errno"))
    if name == "MemoryError":
        ending = Ending.MEMORY
    elif number in _AT_LIMIT:
        ending = _AT_LIMIT[number]
    elif name == "RuntimeError" and message == "can't start new thread":
        ending = Ending.TASKS
    return Outcome(ending, status, None, name, _number(told.get("line")), message)


def _of_traceback(stderr: bytes, status: int) -> Outcome | None:
    """Return what a printed traceback of an interpreter says."""
    start = stderr.rfind(b"Traceback (most recent call last):\n")
    if start < 0:
        return None
    text = stderr[start:]
    # A message may have several lines; the type stands in the first line that is not indented.
    named, lines = _TRACEBACK_END.search(text.partition(b"\n")[2].rstrip(b"\n")), _TRACEBACK_LINE.findall(text)
    if named is None:
        return None
    message = (named[2] or b"").decode(errors="replace")
    number = re.match(r"\[Errno (\d+)\]", message)
    told = {
        "type": named[1].decode().rpartition(".")[2],
        "message": message,
        "line": int(lines[-1]) if lines else None,
        "errno": int(number[1]) if number else None,
    }
    return of_exception(told, status)


def _of_signal(number: int, stderr: bytes, cpu: float, cpu_limit: float) -> Outcome:
    if number == signal.SIGXCPU or (number == signal.SIGKILL and cpu >= cpu_limit):
        return Outcome(Ending.CPU_TIME, signal=number)
    if number == signal.SIGXFSZ:
        return Outcome(Ending.FILE_SIZE, signal=number)
    thrown = _CPP_THROWN.search(stderr) if number == signal.SIGABRT else None
    if thrown is not None:
        name = thrown[1].decode(errors="replace")
        ending = Ending.MEMORY if name in ("std::bad_alloc", "std::bad_array_new_length") else Ending.EXCEPTION
        message = (thrown[2] or b"").decode(errors="replace")
        return Outcome(ending, None, number, name, None, message)
    return Outcome(Ending.SIGNAL, signal=number)


def outcome_of(
    report: dict[str, Any], told: list[dict[str, Any]], stderr: bytes, cpu_limit: float, python: bool
) -> Outcome:
    """Name how a run ended, from what its watcher reports and what its process told of itself.

    `python` says that the process tells of its exceptions, so that an end without a word is one by `os._exit`.
    """
    if "broken" in report:
        return Outcome(Ending.SANDBOX_FAILED, message=_text(report["broken"]))
    if report["stopped"] is not None:
        return Outcome(_STOPPED[report["stopped"]])
    status = int(report["status"])
    for words in told:
        if "not_started" in words:
            return Outcome(Ending.NOT_STARTED, message=_text(words["not_started"]))
    if status < 0:
        return _of_signal(-status, stderr, float(report["cpu"]), cpu_limit)
    for words in told:
        if status == 1 and isinstance(words.get("exception"), dict):
            return of_exception(words["exception"], status)
    if python and not any("end" in words for words in told):
        return Outcome(
            Ending.EXIT_STATUS,
            status,
            message="without Python's usual end (os._exit, closed descriptors): output may be missing",
        )
    if status == 0:
        return Outcome(Ending.FINISHED, 0)
    return (_of_traceback(stderr, status) if status == 1 else None) or Outcome(Ending.EXIT_STATUS, status)
