"""What is pasted reaches the app as it is, however the terminal cuts the input into pieces; escape is a key soon."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import constants
from textual.events import Key, Paste
from textual.message import Message

from auditor.tui.driver import EscapeParser, PasteReader, escape_delay

BEGINS, ENDS = "\x1b[200~", "\x1b[201~"
PASTES = st.text(st.sampled_from("a\x1b[201~31m\r\n é")).filter(lambda text: ENDS not in text)
TYPED = st.text(st.sampled_from("xyz"), max_size=3)


def read(pieces: Iterable[str]) -> list[str]:
    """Return what was typed, key by key, and what was pasted, in order."""

    def parse(text: str) -> Iterable[Message]:
        return (Key(character, character) for character in text)

    reader = PasteReader(parse)
    messages = [message for piece in pieces for message in reader.feed(piece)]
    return [
        f"pasted {m.text}" if isinstance(m, Paste) else f"key {m.key}" for m in messages if isinstance(m, Paste | Key)
    ]


@given(st.lists(st.tuples(TYPED, PASTES), max_size=4), TYPED, st.data())
def test_pastes_are_whole_and_in_order(parts: list[tuple[str, str]], last: str, data: st.DataObject) -> None:
    stream = "".join(f"{typed}{BEGINS}{pasted}{ENDS}" for typed, pasted in parts) + last
    expected = [each for typed, pasted in parts for each in [*(f"key {key}" for key in typed), f"pasted {pasted}"]]
    # A terminal writes the mark that begins a paste at once; any other place can be the end of what one read returns.
    inside = {at + n for at in range(len(stream)) if stream.startswith(BEGINS, at) for n in range(1, len(BEGINS))}
    places = [at for at in range(1, len(stream)) if at not in inside]
    cuts = sorted(data.draw(st.sets(st.sampled_from(places)))) if places else []
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(pieces) == [*expected, *(f"key {key}" for key in last)]


@pytest.mark.parametrize(
    ("environ", "waits"), [({}, False), ({"SSH_TTY": "/dev/pts/1"}, True), ({"ESCDELAY": "100"}, True)]
)
def test_an_escape_is_waited_for_as_long_as_the_terminal_needs(environ: dict[str, str], waits: bool) -> None:
    delay = escape_delay(environ)
    assert (delay == constants.ESCAPE_DELAY) is waits
    parser = EscapeParser(delay, False)
    assert not list(parser.feed("\x1b"))
    assert parser._awaiting.timeout == delay
    assert [message.key for message in parser.feed("[A") if isinstance(message, Key)] == ["up"]
