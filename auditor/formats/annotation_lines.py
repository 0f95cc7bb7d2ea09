"""The lines of an annotations bundle: one JSON object each, exact for every text, and nothing in it that may change."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from auditor.formats.annotation_records import EventRecord, OutdatedTag, Revision, RevisionName
from auditor.formats.json_text import UnusableError, parse_json, parse_object
from auditor.formats.row_file import utc_time
from auditor.model import ResponseKey, ReviewState
from auditor.text import UNDECODABLE, UndecodedText, from_bytes, json_line, to_bytes, visible_line

T = TypeVar("T")
_MARKS = ("tag", "untag", "reviewed", "nothing", "defer", "resume", "note", "put", "first")
_ASIDES = ("bookmark", "unbookmark", "memo", "decide", "invalidate", "restore", "probe", "withdraw")
ACTIONS = frozenset((*_MARKS, *_ASIDES, "reveal", "undo", "redo"))
ORIGINS = ("review", "command", "import")
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HEX = re.compile("[0-9a-f]{32}")
_MARKER = re.compile(rb"(<{7}|>{7}|\|{7}) |={7}$")
_RAW = "raw"
"""Bytes that are no text stand in an object with this one key, in base64."""


def is_conflict_marker(line: bytes) -> bool:
    """Say whether a line is one that git leaves where it could not merge."""
    return _MARKER.match(line) is not None


def packed(value: Any) -> Any:
    """Return a value in which JSON can hold every text."""
    if isinstance(value, UndecodedText) and UNDECODABLE.search(value):
        return {_RAW: base64.b64encode(to_bytes(value)).decode("ascii")}
    if isinstance(value, dict):
        return {key: packed(item) for key, item in value.items()}
    return [packed(item) for item in value] if isinstance(value, list | tuple) else value


def unpacked(value: Any) -> Any:
    """Read back what `packed` made."""
    if isinstance(value, dict):
        if value.keys() == {_RAW} and isinstance(value[_RAW], str):
            try:
                return from_bytes(base64.b64decode(value[_RAW], validate=True))
            except binascii.Error as error:
                raise UnusableError(f'"{_RAW}" is no base64.') from error
        return {key: unpacked(item) for key, item in value.items()}
    return [unpacked(item) for item in value] if isinstance(value, list) else value


def line_of(value: Mapping[str, Any]) -> bytes:
    """Return one line, with its newline."""
    return json_line(packed(dict(value))) + b"\n"


def read_line(line: bytes) -> dict[str, Any]:
    """Read one line; raises UnusableError when it is no JSON object."""
    value = parse_object(line)
    if _RAW.encode() in line:
        value = unpacked(value)
    if not isinstance(value, dict):
        raise UnusableError("it must be an object with names.")
    return value


# --- events --------------------------------------------------------------------------------------------------------


def event_line(event: EventRecord, change: Mapping[str, Any]) -> bytes:
    """Return the line of an event; `change` is its change as a JSON value. What says nothing is left out."""
    line: dict[str, Any] = {
        "uuid": event.uuid,
        "at": event.at,
        "item": list(event.item),
        "content": event.content.hex(),
        "codebook": event.codebook,
        "revision": event.revision if isinstance(event.revision, int) else _name(event.revision),
        "action": event.action,
        "change": dict(change),
    }
    for key, value, usual in (
        ("undoes", event.undoes, None),
        ("follows", event.follows, None),
        ("batch", event.batch, None),
        ("origin", event.origin, "review"),
        ("evidence", event.evidence.hex(), line["content"]),
        ("blind", event.blind, False),
        ("aside", event.aside, False),
        ("seconds", event.seconds, None),
    ):
        if value != usual:
            line[key] = value
    return line_of(line)


def read_event(value: Mapping[str, Any], annotator: str, dump: Callable[[Any], str]) -> EventRecord:
    """Read an event; `dump` writes its change as the history keeps it. Raises UnusableError with the reason."""
    content = _hex(value, "content")
    evidence = _hex(value, "evidence") if "evidence" in value else content
    undoes, follows, batch = (_uuid(value, key) if key in value else None for key in ("undoes", "follows", "batch"))
    seconds = value.get("seconds")
    if seconds is not None and not (type(seconds) in (int, float) and 0 <= seconds <= _MOST_SECONDS):
        raise UnusableError('"seconds" must be a number.')
    change, aside = _change(value.get("change")), _flag(value, "aside")
    if aside and not change.keys() <= _BESIDE:
        raise UnusableError('"aside" is said of what changes the review.')
    return EventRecord(
        _uuid(value, "uuid"),
        annotator,
        item_of(value.get("item")),
        content,
        _text(value, "codebook"),
        _revision(value.get("revision")),
        _one_of(value, "action", ACTIONS),
        dump(change),
        undoes,
        follows,
        batch,
        _one_of({"origin": "review", **value}, "origin", ORIGINS),
        evidence,
        time_of(value, "at"),
        _flag(value, "blind"),
        aside,
        None if seconds is None else float(seconds),
    )


def item_of(value: Any) -> ResponseKey:
    """Read the names of an item; raises UnusableError when they are none."""
    if isinstance(value, list) and len(value) == 5 and all(isinstance(name, str) for name in value[:4]):
        sample = value[4]
        if isinstance(sample, int) and not isinstance(sample, bool) and 0 <= sample < 2**63:
            return ResponseKey(*value)
    raise UnusableError('"item" must be a list of study, case, arm, setting and the number of the sample.')


def _is_texts(value: Any, least: int = 0, most: int | None = None) -> bool:
    right = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return right and len(value) >= least and (most is None or len(value) <= most)


def _is_decided(value: Any) -> bool:
    """Say whether a value names tags, each once, with the ruling on it before and after."""
    right = isinstance(value, list) and all(isinstance(one, list) and len(one) == 3 for one in value)
    if not right or not _is_texts([one[0] for one in value]) or len({one[0] for one in value}) < len(value):
        return False
    return all(ruling is None or _is_ruling(ruling, tag) for tag, *rulings in value for ruling in rulings)


def _is_ruling(value: Any, tag: str) -> bool:
    if not (isinstance(value, list) and len(value) == 4 and _is_texts(value[:3])):
        return False
    marks = value[3]
    if value[0] != tag or value[1] not in _VERDICTS or not isinstance(marks, list):
        return False
    if not all(isinstance(one, list) and len(one) == 2 and isinstance(one[1], bool) for one in marks):
        return False
    names = [name for name, _ in marks]
    return _is_texts(names) and names == sorted({*names})


def _is_validity(value: Any) -> bool:
    """Say whether a value is what was said of a prediction before and after, each a verdict and a reason or null."""
    right = isinstance(value, list) and len(value) == 2 and value != [None, None]
    return right and all(one is None or (_is_texts(one, 2, 2) and one[0] in ("invalid", "valid")) for one in value)


def _is_probe_change(value: Any) -> bool:
    """Say whether a value is what was written of a probe before and after, each a probe or null, about one moment."""
    if not (isinstance(value, list) and len(value) == 2 and value != [None, None]):
        return False
    there = [one for one in value if one is not None]
    return all(map(_is_probe, there)) and all(one[:4] == there[0][:4] for one in there)


def _is_probe(value: Any) -> bool:
    if not (isinstance(value, list) and len(value) == 11):
        return False
    kind, line, n, variable, question, dimensions, answer, answer_type, depth, step, withdrawn = value
    numbers = [line, depth, step, *([] if n is None else [n])]
    texts = [kind, question, answer, answer_type, *([] if variable is None else [variable])]
    right = all(type(one) is int and 0 <= one < 2**63 for one in numbers) and isinstance(withdrawn, bool)
    if not (right and _is_texts(texts) and _is_texts(dimensions) and all(map(_WORD.fullmatch, (kind, answer_type)))):
        return False
    try:
        parse_json(answer.encode())
    except (UnusableError, UnicodeEncodeError):
        return False
    return True


_WORD = re.compile(r"[a-z]+(-[a-z]+)*")
"""A kind or an answer type of a probe."""
_STATES = {state.value for state in ReviewState}
_VERDICTS = ("present", "absent", "unresolved")
_PARTS: dict[str, Callable[[Any], bool]] = {
    "state": lambda value: _is_texts(value, 2, 2) and {*value} <= _STATES,
    "add": _is_texts,
    "remove": _is_texts,
    "note": lambda value: _is_texts(value, 2, 2),
    "first": lambda value: _is_texts(value, 2, 2),
    "bookmark": lambda value: (
        isinstance(value, list) and len(value) == 2 and all(isinstance(one, bool) for one in value)
    ),
    "memo": lambda value: (
        isinstance(value, list)
        and len(value) == 5
        and value[0] in ("line", "difference")
        and type(value[1]) is int
        and 1 <= value[1] < 2**63
        and _is_texts(value[2:])
    ),
    "decided": _is_decided,
    "validity": _is_validity,
    "probe": _is_probe_change,
}
"""The parts of a change, and what each must be."""
_BESIDE = {"bookmark", "memo", "decided", "validity", "probe"}
"""The parts that do not touch the review."""
_MOST_SECONDS = 2**53
"""So many that sums stay numbers."""


def _change(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnusableError('"change" must be an object.')
    for name, part in value.items():
        if name not in _PARTS or not _PARTS[name](part):
            raise UnusableError(f'"change" holds {visible_line(str(name), 40)!r}, which is not as it must be.')
    return value


def tags_in(change: Mapping[str, Any]) -> set[str]:
    """Return the ids of all tags that a change names."""
    decided = {
        tag for one in change.get("decided", ()) for tag in (one[0], *(ruling[0] for ruling in one[1:] if ruling))
    }
    return {*change.get("add", ()), *change.get("remove", ()), *filter(None, change.get("first", ()))} | decided


# --- revisions -----------------------------------------------------------------------------------------------------


def revision_line(name: RevisionName, revision: Revision) -> bytes:
    """Return the line of a revision; the codebook itself is in a file of its own."""
    line: dict[str, Any] = {"revision": _name(name), "at": revision.at}
    if revision.action:
        line |= {"action": revision.action, "words": revision.words}
    if revision.follows:
        line["follows"] = sorted(map(list, revision.follows))
    if revision.outdated:
        line["outdated"] = sorted(map(list, revision.outdated))
    return line_of(line)


def read_revision(value: Mapping[str, Any], text: Callable[[str], str]) -> tuple[RevisionName, Revision]:
    """Read a revision; `text` gives the codebook of a hash. Raises UnusableError with the reason."""
    name = _revision(value.get("revision"))
    if isinstance(name, int):
        raise UnusableError('"revision" must be the hash of the codebook.')
    follows, outdated = value.get("follows", []), value.get("outdated", [])
    if not isinstance(follows, list) or not isinstance(outdated, list):
        raise UnusableError('"follows" and "outdated" must be lists.')
    before = frozenset(one for one in map(_revision, follows) if isinstance(one, RevisionName))
    tags = set()
    for one in outdated:
        if not (isinstance(one, list) and len(one) == 3 and _is_texts(one[:2]) and isinstance(one[2], bool)):
            raise UnusableError('"outdated" must hold lists of a tag, a reason and true or false.')
        tags.add(OutdatedTag(*one))
    action, words = (_text({key: "", **value}, key) for key in ("action", "words"))
    return name, Revision(text(name.content), time_of(value, "at"), action, words, before, frozenset(tags))


def _name(name: RevisionName) -> str | list[str | int]:
    return name.content if name.time == 1 else list(name)


def _revision(value: Any) -> RevisionName | int:
    if type(value) is int and 0 < value < 2**63:
        return value
    content, time = value if isinstance(value, list) and len(value) == 2 else (value, 1)
    if isinstance(content, str) and _HEX.fullmatch(content) and type(time) is int and 0 < time < 2**31:
        return RevisionName(content, time)
    raise UnusableError('"revision" must be the hash of a codebook.')


# --- single values -------------------------------------------------------------------------------------------------


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    if not isinstance(found, str):
        raise UnusableError(f'"{key}" must be text.')
    return found


def _one_of(value: Mapping[str, Any], key: str, known: frozenset[str] | tuple[str, ...]) -> str:
    found = _text(value, key)
    if found not in known:
        raise UnusableError(f'"{key}" is {visible_line(found, 40)!r}, which this version does not know.')
    return found


def _flag(value: Mapping[str, Any], key: str) -> bool:
    found = value.get(key, False)
    if not isinstance(found, bool):
        raise UnusableError(f'"{key}" must be true or false.')
    return found


def _uuid(value: Mapping[str, Any], key: str) -> str:
    found = _text(value, key)
    if not _UUID.fullmatch(found):
        raise UnusableError(f'"{key}" must be a UUID.')
    return found


def _hex(value: Mapping[str, Any], key: str) -> bytes:
    found = _text(value, key)
    if not _HEX.fullmatch(found):
        raise UnusableError(f'"{key}" must be a hash: 32 hexadecimal digits.')
    return bytes.fromhex(found)


def time_of(value: Mapping[str, Any], key: str) -> str:
    """Return a time as the audit file writes it; raises UnusableError for anything else."""
    found = _text(value, key)
    try:
        written = utc_time(found)
    except (ValueError, OverflowError):
        written = ""
    # Times are compared as they are written.
    if found != written:
        raise UnusableError(f'"{key}" must be a time such as 2026-03-01T09:30:00.000Z.')
    return found
