"""A probe as text with a line for each of its pieces: what is edited, what it says, and what can stand there next."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

from auditor.audit.probe_runs import DIMENSIONS, KINDS, ProbeRun, Wanted
from auditor.errors import InputError
from auditor.store.changes import OwnProbe
from auditor.text import visible_line

PIECES = ("kind", "line", "n", "variable", "dimensions", "question")
"""In their order; the question has all that follows."""
_WITHOUT_VARIABLE = ("branch", "loop-count", "first-time")
_WITHOUT_TIME = ("loop-count", "first-time")
_MOST_TIMES = 100
"""Times that are tried for the next one with an answer."""


class Written(NamedTuple):
    """What a text says."""

    wanted: Wanted
    dimensions: tuple[str, ...]
    """None given: by our rules."""
    question: str
    """Empty: in our words."""


def text_of(probe: OwnProbe) -> str:
    """Return a probe as text."""
    n = "" if probe.n is None else str(probe.n)
    values = (probe.kind, str(probe.line), n, probe.variable or "", ", ".join(probe.dimensions), probe.question)
    return "\n".join(f"{name}: {value}" for name, value in zip(PIECES, values, strict=True))


def text_for(line: int, variable: str | None) -> str:
    """Return a text to begin with at a line, and at a variable where one is chosen."""
    kind = "value-at-visit" if variable else "branch"
    values = (kind, str(line), "1", variable or "", "", "")
    return "\n".join(f"{name}: {value}" for name, value in zip(PIECES, values, strict=True))


def read_text(text: str) -> Written:
    """Return what a text says; raises InputError, which says what is missing or wrong.

    A kind may be said by its beginning, and a dimension too. What a kind does not have is passed over.
    """
    values = _values(text)
    kind = _one_of(values["kind"], KINDS, "kind")
    line = _whole(values["line"], "line")
    if line is None:
        raise InputError("the line is missing: which line of the program is the probe about?")
    n = None if kind in _WITHOUT_TIME else _whole(values["n"], "n")
    variable = None if kind in _WITHOUT_VARIABLE else values["variable"] or None
    if variable is None and kind not in _WITHOUT_VARIABLE:
        raise InputError(f"the variable is missing: {kind} asks for the value of one.")
    named = [part.strip() for part in values["dimensions"].split(",") if part.strip()]
    chosen = {_one_of(name, DIMENSIONS, "dimension") for name in named}
    dimensions = tuple(name for name in DIMENSIONS if name in chosen)
    return Written(Wanted(kind, line, n, variable), dimensions, values["question"])


def _values(text: str) -> dict[str, str]:
    """Return what stands behind each name; a line that begins with none belongs to the question."""
    values = dict.fromkeys(PIECES, "")
    rest: list[str] = []
    for number, line in enumerate(text.split("\n")):
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if rest or not colon or name not in PIECES:
            if not rest and line.strip():
                raise InputError(f"line {number + 1} is none of {', '.join(f'{one}:' for one in PIECES)}.")
            rest += [line] if rest else []
        elif name == "question":
            rest = [value]
        else:
            values[name] = value.strip()
    values["question"] = "\n".join(rest).strip()
    return values


def _one_of(given: str, known: Collection[str], what: str) -> str:
    if given in known:
        return given
    near = [one for one in known if given and one.lower().startswith(given.lower())]
    if len(near) != 1:
        told = f"there is no {what} {visible_line(given, 40)!r}" if given else f"the {what} is missing"
        raise InputError(f"{told}: it is one of {', '.join(known)}.")
    return near[0]


def _whole(given: str, what: str) -> int | None:
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 10 and int(given) > 0):
        raise InputError(f"{what} is {visible_line(given, 40)!r}, but must be a whole number from 1.")
    return int(given)


# --- the next value of a piece ----------------------------------------------------------------------------------------


def next_value(run: ProbeRun, text: str, piece: str) -> str:
    """Return what can stand in the place of a piece next: after the last of what there is the first.

    Kinds, lines, variables and times of which the run gives no answer beside the other pieces are passed over, unless
    none has one. In the place of the question it is ours. Raises InputError where the other pieces do not say enough.
    """
    values = _values(text)
    if piece == "dimensions":
        every = [", ".join(some) for count in range(1, 5) for some in combinations(DIMENSIONS, count)]
        return _rotated(values[piece], every)[0]
    if piece == "question":
        return run.answered(read_text(text).wanted).question
    known = {
        "kind": list(KINDS),
        "line": [str(line) for line in run.lines()],
        "variable": run.variables(),
        "n": [str(n) for n in range(1, _MOST_TIMES)],
    }[piece]
    following = _rotated(values[piece], known)
    return next((one for one in following if _has_answer(run, values | {piece: one}, piece)), (*following, "")[0])


def _rotated(given: str, known: Sequence[str]) -> list[str]:
    """Return what is known, from what follows on a value, which is the last."""
    after = known.index(given) + 1 if given in known else 0
    return [*known[after:], *known[:after]]


def _has_answer(run: ProbeRun, values: Mapping[str, str], piece: str) -> bool:
    """Say whether the run answers pieces, at their time or at the first, and of any variable where none is said."""
    times = (values["n"],) if piece == "n" else (values["n"], "1")
    variables = [values["variable"]] if values["variable"] or piece == "variable" else ["", *run.variables()]
    for n, variable in product(times, variables):
        lines = "\n".join(f"{name}: {value}" for name, value in {**values, "n": n, "variable": variable}.items())
        try:
            run.answered(read_text(lines).wanted)
        except InputError:
            continue
        return True
    return False


# --- from text to probe --------------------------------------------------------------------------------------------


class Composed(NamedTuple):
    """The probe that a text stands for, with the answer of the run."""

    probe: OwnProbe
    ours: str
    """Our words for the same."""


def compose(run: ProbeRun, text: str, ours: Collection[str] = ()) -> Composed:
    """Return the probe of a text. Words that are `ours` for other pieces give way to ours for these.

    Raises InputError where the text says no probe, or the run gives no answer.
    """
    written = read_text(text)
    plain = run.answered(written.wanted)
    own = written.question if written.question not in ours else ""
    return Composed(run.answered(written.wanted, own, written.dimensions), plain.question)
