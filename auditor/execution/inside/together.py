"""Many variants of one program in one place, each in a process of its own that is forked here: much faster than a place
for each, but they share a folder, and one could end the others. What matters is run again alone."""

from __future__ import annotations

import os
import select
import signal
import time
from typing import NoReturn

from auditor.execution.inside import call_filter
from auditor.execution.inside.framing import Message
from auditor.execution.inside.python_program import Report, evaluate, run_program

_CHUNK = 1 << 16
_GLANCE = 0.005
_INPUT = ".input"


def run_together(message: Message, report: Report) -> NoReturn:
    """Run each variant and tell what it did, then end.

    The job's blobs after its own input are, for each variant, its source, and its input or the expression to evaluate.
    """
    header, blobs = message
    for number, is_call in enumerate(header["calls"]):
        source, given = blobs[1 + 2 * number], blobs[2 + 2 * number]
        told, stdout, words = _one(source, given, is_call, header)
        report.say({"together": number, **told}, stdout, words)
    report.say({"end": True})
    os._exit(0)


def _one(
    source: bytes, given: bytes, is_call: bool, header: dict[str, object]
) -> tuple[dict[str, object], bytes, bytes]:
    output, result = os.pipe(), os.pipe()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            _become(source, given, is_call, header, output[1], result[1])
        finally:
            os._exit(127)
    for writing in (output[1], result[1]):
        os.close(writing)
    texts = {output[0]: bytearray(), result[0]: bytearray()}
    wall, most = header["each_wall"], header["each_output"]
    assert isinstance(wall, float) and isinstance(most, int)
    stopped, status, cpu = _watch(child, texts, began + wall, {output[0]: most, result[0]: 2 * most + _CHUNK})
    for reading in texts:
        os.close(reading)
    seconds = time.monotonic() - began
    ended = os.waitstatus_to_exitcode(status)
    told: dict[str, object] = {"stopped": stopped, "status": ended, "seconds": seconds, "cpu": cpu}
    return told, bytes(texts[output[0]]), bytes(texts[result[0]])


def _become(source: bytes, given: bytes, is_call: bool, header: dict[str, object], output: int, result: int) -> None:
    os.setsid()
    os.dup2(_text_to_read(b"" if is_call else given), 0)
    os.dup2(output, 1)
    os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
    os.closerange(3, result)
    os.closerange(result + 1, 1_000)
    os.set_inheritable(result, False)
    if os.uname().sysname == "Linux":
        call_filter.install(forks=False)
    cpu = header["each_cpu"]
    assert isinstance(cpu, float)
    # The limit of the system counts whole seconds. A program that takes this signal away has the clock against it.
    signal.setitimer(signal.ITIMER_PROF, cpu)
    if is_call:
        asked = {"expression": given.decode(errors="surrogatepass"), "expected": None}
        evaluate(source, {**asked, "value_limit": header["each_output"]}, Report(result))
    run_program(source, Report(result))


def _text_to_read(text: bytes) -> int:
    """Return a descriptor from which a program reads this text; a pipe would hold too little, memory is not allowed."""
    file = os.open(_INPUT, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    os.unlink(_INPUT)
    left = memoryview(text)
    while left:
        left = left[os.write(file, left) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _watch(
    child: int, texts: dict[int, bytearray], deadline: float, most: dict[int, int]
) -> tuple[str | None, int, float]:
    """Read what a process writes until it ends, its time is over or it wrote too much; then end it.

    Return why it was stopped, its status, and the processor time that it took.
    """
    open_pipes = set(texts)
    stopped: str | None = None
    ended, status, used = 0, 0, None
    while stopped is None and not ended:
        if time.monotonic() > deadline:
            stopped = "wall"
        elif open_pipes:
            _read(texts, open_pipes, min(deadline - time.monotonic(), _GLANCE * 10))
            if any(len(text) > most[pipe] for pipe, text in texts.items()):
                stopped = "output"
        else:
            time.sleep(_GLANCE / 5)  # it closed both, and is about to end
        if not open_pipes:
            ended, status, used = os.wait4(child, os.WNOHANG)
    if not ended or used is None:
        os.kill(child, signal.SIGKILL)
        _, status, used = os.wait4(child, 0)
    return stopped, status, used.ru_utime + used.ru_stime


def _read(texts: dict[int, bytearray], open_pipes: set[int], seconds: float) -> None:
    for pipe in select.select(list(open_pipes), [], [], max(0.0, seconds))[0]:
        piece = os.read(pipe, _CHUNK)
        texts[pipe] += piece
        if not piece:
            open_pipes.discard(pipe)
