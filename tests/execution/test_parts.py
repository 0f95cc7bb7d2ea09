"""The parts that can be looked at without running a program: messages, endings, the filter of system calls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.execution.inside.call_filter import filter_program
from auditor.execution.inside.framing import FramingError, Message, pack, unpack
from auditor.execution.outcome import Ending, outcome_of
from auditor.execution.sandbox import told_by

headers = st.dictionaries(st.text(min_size=1).filter(lambda name: name != "blobs"), st.integers() | st.text())


@given(st.lists(st.tuples(headers, st.lists(st.binary(max_size=50))), max_size=5), st.binary(max_size=20))
def test_messages_come_out_as_they_went_in_up_to_the_first_that_is_none(
    messages: list[tuple[dict[str, int | str], list[bytes]]], rest: bytes
) -> None:
    stream = b"".join(pack(dict(header), *blobs) for header, blobs in messages)
    expected = [Message(dict(header), blobs) for header, blobs in messages]
    assert told_by(stream) == expected
    assert told_by(stream + rest)[: len(expected)] == expected


@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_or_a_framing_error(data: bytes) -> None:
    place = 0

    def take(count: int) -> bytes:
        nonlocal place
        place += count
        return data[place - count : place]

    try:
        message = unpack(take, 1000)
    except FramingError:
        return
    assert message is None or isinstance(message.header, dict)


@pytest.mark.parametrize(
    ("stderr", "sentence"),
    [
        (
            b'Traceback (most recent call last):\n  File "/box/program.py", line 7, in f\nValueError: a\n b\nc\n',
            "ended with ValueError in line 7: a\n b\nc",
        ),
        (b'x\n  File "/box/program.py", line 2\n    if\nSyntaxError: invalid syntax\n', "ended with status 1"),
        (
            b'Traceback (most recent call last):\n  File "/box/program.py", line 3, in f\n'
            b'  File "/usr/lib/json.py", line 9, in g\njson.decoder.JSONDecodeError: Expecting\n',
            "ended with JSONDecodeError in line 3: Expecting",
        ),
        (
            b'Traceback (most recent call last):\n  File "/box/program.py", line 1, in <module>\n'
            b"OSError: [Errno 27] File too large\n",
            "ran into the limit of what it may write to files in line 1: [Errno 27] File too large",
        ),
        (b"Traceback (most recent call last):\n", "ended with status 1"),
    ],
)
def test_a_printed_traceback_names_exception_and_line(stderr: bytes, sentence: str) -> None:
    report = {"stopped": None, "status": 1, "cpu": 0.0}
    assert outcome_of(report, [], stderr, 10, python=False).sentence == sentence


def test_what_a_program_says_of_itself_is_taken_with_care() -> None:
    report = {"stopped": None, "status": 1, "cpu": 0.0}
    told = {"exception": {"type": 7, "line": -3, "message": ["x"], "errno": "y"}}
    assert outcome_of(report, [told], b"", 10, python=True).sentence == "ended with an exception"
    assert outcome_of(report | {"status": 0}, [told], b"", 10, python=True).ending is Ending.EXIT_STATUS


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("forks", [False, True])
def test_every_jump_of_the_filter_stays_inside_it(machine: str, forks: bool) -> None:
    code = filter_program(machine, forks)
    assert code is not None
    instructions = [code[place : place + 8] for place in range(0, len(code), 8)]
    assert len(instructions) < 4096
    for place, instruction in enumerate(instructions):
        if instruction[0] & 7 == 5:
            assert place + 1 + max(instruction[2], instruction[3]) < len(instructions)
    assert instructions[-1][0] == 0x06


def test_a_processor_that_is_not_known_has_no_filter() -> None:
    assert filter_program("riscv64", False) is None
