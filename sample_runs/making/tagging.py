"""Example tags of two invented annotators, drawn from the planted faults with known noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from making.chance import between, pick, share, shuffled
from making.replies import Reply

TAG_OF_CAUSE = {
    "iteration": "wrong-checkpoint",
    "bound": "control-flow",
    "comparison": "control-flow",
    "operator": "arithmetic",
    "slip": "arithmetic",
    "stale": "state-transition",
    "input": "input-reading",
    "copy": "copying",
    "format": "output-formatting",
    "cut": "truncated",
    "length": "truncated",
    "none": "no-attempt",
}
MISTAKEN_FOR = {
    "wrong-checkpoint": ("control-flow", "state-transition"),
    "control-flow": ("state-transition", "wrong-checkpoint"),
    "state-transition": ("control-flow", "arithmetic"),
    "arithmetic": ("state-transition", "copying"),
    "input-reading": ("state-transition", "copying"),
    "copying": ("arithmetic", "output-formatting"),
    "output-formatting": ("copying",),
    "truncated": ("no-attempt", "control-flow"),
    "no-attempt": ("truncated",),
    "other": ("state-transition", "arithmetic"),
}
NOTES = {
    "wrong-checkpoint": "values belong to another iteration",
    "control-flow": "the loop does not run as often as it should",
    "state-transition": "one variable lags behind",
    "arithmetic": "the steps are right, the number is not",
    "input-reading": "would be right for another input",
    "copying": "right values, written down wrong",
    "output-formatting": "only the layout differs",
    "truncated": "stops in the middle",
    "no-attempt": "gives no answer",
    "other": "cannot say from the reply alone",
}


@dataclass(frozen=True)
class Annotator:
    """How an example annotator errs."""

    name: str
    confuses: float
    """Share of items whose tag is mistaken for a neighbouring one."""
    sees_both: float
    """Share of broken envelopes on which output-formatting is tagged beside the cause."""
    passes_over: float
    """Share of items reviewed without a tag."""
    notes: float
    begins: datetime


ANNOTATORS = (
    Annotator("example-ana", 0.12, 0.75, 0.03, 0.3, datetime(2026, 3, 2, 9, 0, tzinfo=UTC)),
    Annotator("example-ben", 0.2, 0.6, 0.04, 0.15, datetime(2026, 3, 3, 13, 30, tzinfo=UTC)),
)
Item = tuple[str, str, str, str]
"""Study, case, arm and setting."""


def chosen(replies: Sequence[tuple[Item, Reply]], per_setting: int) -> list[tuple[Item, Reply]]:
    """Choose wrong replies: as many of each setting, spread over the cases, with every cause that occurs."""
    wrong = [(item, reply) for item, reply in replies if reply.wrong and reply.text is not None]
    used: dict[str, int] = {}
    taken: list[tuple[Item, Reply]] = []
    for setting in dict.fromkeys(item[3] for item, _ in wrong):
        pool = shuffled([entry for entry in wrong if entry[0][3] == setting], "chosen", setting)
        causes: dict[str | None, int] = {}
        for _ in range(min(per_setting, len(pool))):
            best = min(pool, key=lambda entry: (used.get(entry[0][1], 0), causes.get(entry[1].cause, 0)))
            pool.remove(best)
            taken.append(best)
            used[best[0][1]] = used.get(best[0][1], 0) + 1
            causes[best[1].cause] = causes.get(best[1].cause, 0) + 1
    return taken


def tags_on(annotator: Annotator, item: Item, reply: Reply) -> list[str]:
    """Return what an annotator puts on an item; an empty list when it was reviewed and got none."""
    names = (annotator.name, *item)
    if share(*names, "passes over") < annotator.passes_over:
        return []
    tag = TAG_OF_CAUSE[reply.cause or "none"]
    if reply.cause in ("input", "operator", "slip") and share(*item, "opaque") < 0.25:
        # what happened is hard to tell from the reply: mostly both say so
        tag = "other" if share(*names, "opaque") < 0.8 else tag
    if share(*names, "confuses") < annotator.confuses:
        tag = pick(MISTAKEN_FOR[tag], *names)
    tags = [tag]
    if reply.cause in ("operator", "slip") and share(*item, "spreads") < 0.3 and share(*names, "follows") < 0.7:
        tags.append("state-transition")
    if reply.answer is not None and not reply.enveloped and share(*names, "both") < annotator.sees_both:
        tags.append("output-formatting")
    return list(dict.fromkeys(tags))


def tag_rows(replies: Sequence[tuple[Item, Reply]], per_setting: int, alone: int) -> Iterator[list[str]]:
    """Give the rows of `tags.csv` without its header.

    Both annotators review the same items; each of them reviews `alone` more that the other one has not seen.
    """
    common = chosen(replies, per_setting)
    seen = {item for item, _ in common}
    rest = [entry for entry in chosen(replies, per_setting + 4) if entry[0] not in seen]
    for index, annotator in enumerate(ANNOTATORS):
        extra = shuffled(rest, "alone")[index * alone : (index + 1) * alone]
        at = annotator.begins
        for item, reply in shuffled(common, annotator.name, "order") + extra:
            at += timedelta(seconds=between(20, 140, annotator.name, *item))
            tags = tags_on(annotator, item, reply)
            for tag in tags or [""]:
                noted = tag != "" and tag == tags[0] and share(annotator.name, *item, "notes") < annotator.notes
                note = NOTES[tag] if noted else ""
                yield [*item, "0", annotator.name, tag, note, at.strftime("%Y-%m-%dT%H:%M:%SZ")]
