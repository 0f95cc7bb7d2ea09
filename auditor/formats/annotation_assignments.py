"""The lines that say how items are shared out: one for each cluster of an annotator, one for each item of a sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeGuard

from auditor.formats.annotation_lines import item_of, line_of, time_of
from auditor.formats.annotation_records import AssignmentRecord, SampleDraw
from auditor.formats.json_text import UnusableError
from auditor.model import ResponseKey


class Draw(NamedTuple):
    """What all lines of one assignment say alike; of two draws for one codebook the greater one is the later."""

    codebook: str
    made_at: str
    where: str
    overlap: int
    seed: int
    sample: SampleDraw | tuple[()] = ()


def assignment_lines(assignments: Iterable[AssignmentRecord]) -> list[bytes]:
    """Return the lines of assignments, sorted."""
    lines = []
    for one in assignments:
        about: dict[str, object] = {
            "codebook": one.codebook,
            "made_at": one.made_at,
            "where": one.where,
            "overlap": one.overlap,
            "seed": one.seed,
        }
        if one.draw is not None:
            about |= {"take": one.draw.take, "per": list(one.draw.per), "order": one.draw.order}
        what: list[dict[str, object]] = [{"cluster": cluster, "annotator": who} for cluster, who in one.shares]
        what += [{"item": list(item)} for item in one.items]
        lines += [line_of(about | line) for line in what]
    return sorted(lines)


def read_assignment(value: Mapping[str, Any]) -> tuple[Draw, tuple[str, str] | ResponseKey]:
    """Read a line: the draw, and a cluster with its annotator or an item; raises UnusableError with the reason."""
    book, where, overlap, seed = (value.get(key) for key in ("codebook", "where", "overlap", "seed"))
    if not (isinstance(book, str) and isinstance(where, str) and _is_number(overlap) and _is_number(seed)):
        raise _unusable()
    draw = Draw(book, time_of(value, "made_at"), where, overlap, seed, _sample(value))
    if draw.sample and "item" in value:
        return draw, item_of(value["item"])
    cluster, annotator = value.get("cluster"), value.get("annotator")
    if not isinstance(cluster, str) or not isinstance(annotator, str) or not annotator.strip():
        raise _unusable()
    return draw, (cluster, annotator)


def _sample(value: Mapping[str, Any]) -> SampleDraw | tuple[()]:
    if "take" not in value:
        return ()
    take, per, order = value["take"], value.get("per"), value.get("order")
    if not (_is_number(take) and take >= 1 and isinstance(per, list) and isinstance(order, str)):
        raise UnusableError('of a sample "take" must be a number, "per" a list of names and "order" text.')
    if not all(isinstance(name, str) for name in per):
        raise UnusableError('"per" must be a list of names.')
    return SampleDraw(take, tuple(per), order)


def _is_number(value: object) -> TypeGuard[int]:
    return type(value) is int and -(2**63) <= value < 2**63


def _unusable() -> UnusableError:
    return UnusableError("it must name codebook, made_at, where, overlap, seed, cluster and annotator.")
