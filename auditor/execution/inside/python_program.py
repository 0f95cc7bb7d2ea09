"""Python programs in a process that was forked for each: as `python program.py` runs them, and as a module to call."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import gc
import os
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

from auditor.execution.inside.framing import pack
from auditor.execution.inside.value_text import bounded_text, builtin_text, cut, fingerprint

PROGRAM_NAME = "program.py"
_MESSAGE_LIMIT = 2_000
"""Characters kept of an exception's message."""
_FRAMES_OF_EXEC = 2 if sys.version_info < (3, 12) else 1
"""What `exec` counts against the depth of recursion; since 3.12 only Python's own frames do."""
_FLUSH_FAILED = 120
"""The status with which Python ends when its last output could not be written."""


_write = os.write
"""Taken before a program can put something else in its place."""


class Report:
    """Where a program's process tells of itself; what it says is only ever taken as its own claim."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def say(self, header: dict[str, Any], *blobs: bytes) -> None:
        """Write one message."""
        left = memoryview(pack(header, *blobs))
        while left:
            left = left[_write(self._descriptor, left) :]


def _line_of(error: BaseException, file: str) -> int | None:
    """Return the innermost line of the program that an exception passed."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def describe(error: BaseException, file: str) -> dict[str, Any]:
    """Return what is to be told of an exception."""
    try:
        message = str(error)
    except BaseException:
        message = ""
    return {
        "type": type.__dict__["__name__"].__get__(type(error)),
        "line": _line_of(error, file),
        "message": message[:_MESSAGE_LIMIT].encode(errors="backslashreplace").decode(),
        "errno": error.errno if isinstance(error, OSError) and type(error.errno) is int else None,
    }


def _without_ours(error: BaseException, file: str) -> types.TracebackType | None:
    """Return an exception's traceback from the program's first frame on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != file:
        trace = trace.tb_next
    return trace


def _status_of(leaving: SystemExit) -> int:
    """Return the exit status that Python gives a SystemExit, and print what it prints for it."""
    if leaving.code is None:
        return 0
    if isinstance(leaving.code, int):
        # What is no machine word is -1 to Python.
        return leaving.code & 0xFF if -(1 << 63) <= leaving.code < 1 << 63 else 0xFF
    print(leaving.code, file=sys.stderr)
    return 1


def _fail(error: BaseException, file: str, report: Report, told: dict[str, Any]) -> int:
    """Tell of an exception that nothing caught, print it as Python does, and return its status."""
    report.say({**told, "exception": describe(error, file)})
    error.__traceback__ = _without_ours(error, file)
    with contextlib.suppress(Exception):  # a program may have put something of its own there
        sys.excepthook(type(error), error, error.__traceback__)
    return 1


def _flush() -> bool:
    """Write what the standard streams hold back; False when that fails."""
    done = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except Exception:
            done = False
    return done


def end(status: int) -> NoReturn:
    """End this process as Python ends a program: threads, exit functions, finalizers, output.

    Taking the whole interpreter down would take longer than most programs run.
    """
    try:
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()  # what Python itself calls here
        atexit._run_exitfuncs()
    except BaseException as error:
        sys.__excepthook__(type(error), error, error.__traceback__)
    flushed = _flush()
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    sys.modules.pop("__main__", None)
    gc.collect()
    os._exit(status if _flush() and flushed else status or _FLUSH_FAILED)


def prepare(name: str) -> tuple[types.ModuleType, str]:
    """Make this interpreter look as if it had just started with a program; return its main module and file name."""
    file = os.path.join(os.getcwd(), name)
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=file, __builtins__=builtins, __cached__=None)
    for module in [module for module in sys.modules if module.partition(".")[0] == "auditor"]:
        del sys.modules[module]
    sys.modules["__main__"] = main
    sys.argv = [name]
    sys.path.insert(0, os.getcwd())
    return main, file


def _as_deep_as_alone(frames: int) -> None:
    """Let recursion end as deep as it would in a program that Python runs by itself.

    `frames` are those between the caller of this function and the program's first.
    """
    depth, frame = frames, sys._getframe(1)
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(sys.getrecursionlimit() + depth)


Around = Callable[[Callable[[], None], str], None]
"""Something that runs a program by calling the function it is given, and may watch it; the text is the file's name."""


def _run_main(source: bytes, report: Report, around: Around | None) -> int:
    main, file = prepare(PROGRAM_NAME)
    try:
        code = compile(source, file, "exec", dont_inherit=True)

        def run() -> None:
            _as_deep_as_alone(_FRAMES_OF_EXEC)
            exec(code, main.__dict__)

        if around is None:
            run()
        else:
            around(run, file)
    except SystemExit as leaving:
        report.say({"end": True})
        return _status_of(leaving)
    except BaseException as error:
        return _fail(error, file, report, {})
    report.say({"end": True})
    return 0


def run_program(source: bytes, report: Report, around: Around | None = None) -> NoReturn:
    """Run a program as the main module, and end with it."""
    status = _run_main(source, report, around)
    end(status)


def _value(value: object, limit: int) -> tuple[dict[str, Any], bytes]:
    """Return what is to be told of a value: exact when it is made of builtin types and not beyond the limit."""
    text = builtin_text(value) if fingerprint(value) is not None else None
    exact = text is not None and len(text) <= limit
    shown = cut(text, limit) if text is not None else bounded_text(value, limit)
    name = type.__dict__["__name__"].__get__(type(value))
    return {"exact": exact, "type": name, "builtin": text is not None}, shown.encode(errors="surrogatepass")


def evaluate(source: bytes, header: dict[str, Any], report: Report) -> NoReturn:
    """Run a module, then evaluate an expression in it; with `expected`, also say whether the two are equal."""
    main, file = prepare(PROGRAM_NAME)
    space, phase = main.__dict__, "program"
    space["__name__"] = "program"
    try:
        exec(compile(source, file, "exec", dont_inherit=True), space)
        phase = "expression"
        value = eval(compile(header["expression"].strip(), "<expression>", "eval", dont_inherit=True), space)
        told, shown = _value(value, header["value_limit"])
        if header["expected"] is not None:
            phase = "expected"
            expected = eval(compile(header["expected"].strip(), "<expected>", "eval", dont_inherit=True), {})
            told["equal"] = bool(value == expected)
    except SystemExit as leaving:
        report.say({"end": True, "phase": phase})
        status = _status_of(leaving)
    except BaseException as error:
        status = _fail(error, file, report, {"phase": phase})
    else:
        report.say({"end": True, "value": told}, shown)
        status = 0
    _flush()
    os._exit(status)
