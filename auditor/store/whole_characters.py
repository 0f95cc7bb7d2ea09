"""What a person wrote, without characters in two halves: JSON, in which events are kept, could not tell these apart.

A high surrogate right before a low one, as some programs hand them over, is written by JSON as the one character that
both mean. Surrogates that stand alone stay, and so does text that was read from bytes: there they are these bytes.
"""

from __future__ import annotations

import re
from dataclasses import replace

from auditor.store.reviews import Decide, Intent, PinMemo, PutTags, SetNote, WriteProbe
from auditor.text import UndecodedText

_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def with_whole_characters(intent: Intent) -> Intent:
    """Return an act whose note, memo, reasons or question hold whole characters in place of their halves."""
    if isinstance(intent, SetNote):
        return replace(intent, text=_whole(intent.text))
    if isinstance(intent, PutTags) and intent.note is not None:
        return replace(intent, note=_whole(intent.note))
    if isinstance(intent, PinMemo):
        return replace(intent, quote=_whole(intent.quote), text=_whole(intent.text))
    if isinstance(intent, Decide):
        return replace(intent, rulings=tuple(ruling._replace(note=_whole(ruling.note)) for ruling in intent.rulings))
    if isinstance(intent, WriteProbe):
        return replace(intent, probe=intent.probe._replace(question=_whole(intent.probe.question)))
    return intent


def _whole(text: str) -> str:
    if text.isascii() or isinstance(text, UndecodedText):
        return text
    return _HALVES.sub(lambda both: both[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)
