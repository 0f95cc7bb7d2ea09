"""Read a large responses file in a process of its own, so that one batch is stored while the next is read.

That process runs this module as a program. It is told what to read by a message on its standard input, and answers
with messages: a length in 8 bytes, then a marshalled tuple whose first member says what it is.
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import IO, Any

from auditor.errors import InputError, PartlyDoneError
from auditor.formats.records import Batch, Columns, Refusal, ResponseRow
from auditor.formats.response_lines import ResponseLines
from auditor.text import from_storage, to_storage, visible_line

WORTH_A_PROCESS = 8 << 20
"""Bytes of a file from which on another process reads it: starting one takes as long as reading about so many."""
_LENGTH_BYTES = 8
_READY, _BATCH, _FAILED, _END = "ready", "batch", "failed", "end"


@contextmanager
def read_ahead(lines: ResponseLines) -> Iterator[Iterable[Batch | Columns]]:
    """Begin to read a file; what the block is given yields its batches, in this process when no other would help.

    `done` and `settings` of the lines are kept up to date either way.
    """
    process = _start(lines)
    if process is None:
        yield lines.batches()
        return
    assert process.stdout is not None
    try:
        yield _batches(lines, process.stdout)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def _start(lines: ResponseLines) -> subprocess.Popen[bytes] | None:
    if lines.path.stat().st_size < WORTH_A_PROCESS or _cores() == 1:
        return None
    # -P, since a folder of data may hold a `json.py`, too. A session of its own, since Ctrl-C is for the process that
    # commits what was read.
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "auditor.formats.lines_ahead"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
    assert process.stdin is not None
    try:
        with process.stdin as pipe:
            _send(pipe, os.fsencode(lines.path), list(lines.studies))
    except BrokenPipeError:
        pass  # it has ended, which the first look at its answers tells
    return process


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _batches(lines: ResponseLines, pipe: IO[bytes]) -> Iterator[Batch | Columns]:
    """Yield what the process sends; raises InputError when it could not read on.

    Raises PartlyDoneError when the process ended before it was done.
    """
    if _receive(pipe) is None:
        yield from lines.batches()  # it never began
        return
    places: list[tuple[str, ...]] = []
    while message := _receive(pipe):
        match message:
            case (str(kind), done, settings, met, refusals, numbers, samples, texts, numbered) if kind == _BATCH:
                lines.done = done
                lines.settings.update(dict.fromkeys(_unpack(settings)))
                places += [tuple(_unpack(names)) for names in met]
                found = [Refusal(*_unpack(parts)) for parts in refusals]
                columns = [None if column is None else _unpack(column) for column in texts]
                yield Columns(found, places, numbers, samples, numbered, *columns)
            case (str(kind), words, hint) if kind == _FAILED:
                raise InputError(words, hint=hint)
            case _:
                return
    raise PartlyDoneError(
        f"{visible_line(str(lines.path))}: the process that reads it was ended from outside.",
        "The same command goes on from there.",
    )


def _send(pipe: IO[bytes], *message: Any) -> None:
    data = marshal.dumps(message, 2)  # version 2 does not look for objects that occur again, which takes longer
    pipe.write(len(data).to_bytes(_LENGTH_BYTES, "little"))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> tuple[Any, ...] | None:
    """Return the next message; None when the other side ended before it was complete."""
    length = int.from_bytes(pipe.read(_LENGTH_BYTES), "little")
    data = pipe.read(length)
    if not length or len(data) < length:
        return None
    message: tuple[Any, ...] = marshal.loads(data)
    return message


# --- the other process -----------------------------------------------------------------------------------------------


class _Sender:
    """Sends what was read; a study, case, arm and setting is named once and is a number from then on."""

    def __init__(self, lines: ResponseLines, pipe: IO[bytes]) -> None:
        self.lines = lines
        self.pipe = pipe
        self.places: dict[tuple[str, ...], int] = {}
        self.settings = 0
        """How many settings the other side knows of."""

    def send(self, batch: Batch) -> None:
        """Send a batch and what the reader learned from it."""
        places, known = self.places, len(self.places)
        rows = [item for item in batch if isinstance(item, ResponseRow)]
        numbers = [places.setdefault(row[:4], len(places)) for row in rows]
        samples, *texts, numbered = zip(*[row[4:] for row in rows], strict=True) if rows else [()] * 7
        settings = list(islice(self.lines.settings, self.settings, None))
        self.settings += len(settings)
        met = [_pack(names) for names in islice(places, known, None)]
        refusals = [_pack((item.where, item.reason)) for item in batch if isinstance(item, Refusal)]
        columns = [None if {*map(type, column)} <= {NoneType} else _pack(column) for column in texts]
        _send(self.pipe, _BATCH, self.lines.done, _pack(settings), met, refusals, numbers, samples, columns, numbered)


def _pack(texts: Sequence[str | None]) -> Sequence[str | bytes | None]:
    """Return texts as marshal takes them: it knows of no `UndecodedText`."""
    return texts if {*map(type, texts)} <= {str, NoneType} else [to_storage(text) for text in texts]


def _unpack(texts: Sequence[str | bytes | None]) -> Sequence[Any]:
    return [from_storage(text) for text in texts] if bytes in {*map(type, texts)} else texts


def main() -> int:
    """Read what the message on standard input names, and send it to standard output."""
    request = _receive(sys.stdin.buffer)
    if request is None:
        return 1
    path, studies = request
    lines, out = ResponseLines(Path(os.fsdecode(path)), frozenset(studies)), sys.stdout.buffer
    sender = _Sender(lines, out)
    try:
        _send(out, _READY)
        try:
            for batch in lines.batches():
                sender.send(batch)
            _send(out, _END)
        except InputError as error:
            _send(out, _FAILED, str(error), error.hint)
    except BrokenPipeError:
        return 1  # the import ended before the file did
    return 0


if __name__ == "__main__":
    sys.exit(main())
