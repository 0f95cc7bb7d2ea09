"""What is pasted reaches the app as it is, however the terminal cuts the input into pieces."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key, Paste
from textual.message import Message

from auditor.tui.driver import PasteReader

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
