"""What the overview says of each piece that is counted, and which figures it makes of it."""

from __future__ import annotations

from typing import NamedTuple

from auditor.audit.inspect import StudyInfo
from auditor.audit.overview import InState, Overview, Tagged
from auditor.audit.progress import AnnotatorProgress
from auditor.audit.tabulate import AccuracyCell, AccuracyTable, Rate, label
from auditor.model import ReviewState
from auditor.text import counted
from auditor.tui.overview_lines import (
    Figure,
    Filtered,
    Line,
    OtherScreen,
    Row,
    Section,
    Span,
    matching,
    said,
    shown,
    table,
    told,
)
from auditor.tui.overview_warnings import warnings

_COUNTING = "counting …"
_STOPPED = "not counted: it was stopped"
_NONE = "\N{EN DASH}"
_STATES = (ReviewState.REVIEWED, ReviewState.IN_PROGRESS, ReviewState.DEFERRED)


class Here(NamedTuple):
    """What the review knows of itself, beside the file."""

    name: str
    """Of the file."""
    annotator: str
    codebook: str
    tags: int
    """Of the codebook, those that can be put."""
    queue: str
    """The queue in words."""
    counts: dict[ReviewState, int]
    """Of the queue's items."""
    growing: bool = False
    """Whether more items of the queue are on their way."""
    unsaved: int = 0
    hidden: frozenset[str] = frozenset()
    blind: bool = False
    again: bool = False
    stopped: bool = False


def sections(found: Overview, here: Here, width: int) -> tuple[list[Section], list[Section]]:
    """Return what is in the file and how far everybody is, and what the responses are like."""
    first = [_file(found, here), _warnings(found, here, width), _queue(here)]
    if not here.hidden:
        first.append(_progress(found, here, width))
    first.append(_studies(found, here, width))
    if "setting" not in here.hidden:
        first.append(_settings(found, here, width))
    second: list[Section] = []
    if "status" not in here.hidden:
        second += _core(found)
        second += _accuracy(found, here, width)
        second.append(_modes(found, here, width))
    if not here.hidden:
        second += _tags(found, here, width)
    else:
        why = "while the review is blind" if here.blind else "while own items come back as fresh ones"
        what = "settings, accuracy, modes, progress and tags" if here.blind else "progress and tags"
        second.append(Section("Hidden", [said(f"{what.capitalize()} are not shown {why}.")]))
    return first, second


def _waiting(here: Here) -> list[Line]:
    return [said(_STOPPED if here.stopped else _COUNTING)]


def _of_before(found: Overview, here: Here, *pieces: str) -> str:
    """Say that figures which some pieces tell are older than the file is; empty where they are not."""
    if found.stale.isdisjoint(pieces):
        return ""
    return "of before, not counted again" if here.stopped else "of before, counting again …"


def _file(found: Overview, here: Here) -> Section:
    book = Figure(
        "codebook",
        f"{shown(here.codebook, 30)}, {counted(here.tags, 'tag')}",
        OtherScreen("codebook"),
        f"The codebook {shown(here.codebook)} of this review has {counted(here.tags, 'tag')}.",
    )
    lines: list[Line] = [(Span("  codebook "), Span(book.text, "", book))]
    facts = found.facts
    if facts is None:
        return Section("File", [*lines, *_waiting(here)], shown(here.name, 40))
    made = f"made {facts.created_at[:10]} with {shown(facts.created_with, 30)}"
    lines.append(said(f"{_size(facts.bytes)}, file version {facts.version}, {made}"))
    if facts.executed:
        verdicts = (("agrees", "give their oracle"), ("disputed", "dispute it"), ("failed", "fail or vary"))
        spans = [Span("  run: ")]
        for verdict, words in verdicts:
            count = facts.executed.get(verdict, 0)
            what = f"{counted(count, 'task')} {words}, as running their programs says; these are their responses."
            figure = Figure(f"executed {verdict}", f"{count:,}", matching(("executed", verdict)), what)
            spans += [Span(figure.text, "", figure), Span(f" {words}  ", "muted")]
        lines.append(tuple(spans))
    return Section("File", lines, shown(here.name, 40))


def _size(size: int) -> str:
    units = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
    return next((f"{size / unit:.3g} {name}" for unit, name in units if size >= unit), f"{size} bytes")


def _warnings(found: Overview, here: Here, width: int) -> Section:
    lines = [told(figure, "warning") for figure in warnings(found, here.unsaved, here.codebook, width - 2)]
    detail = _of_before(found, here, "progress", "reviewing", "clusters", "unlike", "doubtful")
    if found.complete:
        return Section("Warnings", lines or [said("none")], detail)
    return Section("Warnings", lines if detail else [*lines, *_waiting(here)], detail)


def _queue(here: Here) -> Section:
    counts = here.counts
    words = (
        (ReviewState.NOT_REVIEWED, "open"),
        (ReviewState.IN_PROGRESS, "begun"),
        (ReviewState.REVIEWED, "reviewed"),
        (ReviewState.DEFERRED, "deferred"),
    )
    more = "; more are being found" if here.growing else ""
    spans = [Span("  ")]
    for state, word in words:
        what = f"{counted(counts[state], 'item')} of your queue: {word}{more}."
        figure = Figure(f"queue {word}", f"{counts[state]:,}", OtherScreen("queue"), what)
        spans += [Span(figure.text, "", figure), Span(f" {word}   ", "muted")]
    return Section("Your queue", [tuple(spans), said(shown(here.queue, 70))])


# --- progress --------------------------------------------------------------------------------------------------------


def _progress(found: Overview, here: Here, width: int) -> Section:
    if found.progress is None:
        return Section("Progress", _waiting(here))
    rows = [Row(_who(one, here), _of(one, here)) for one in found.progress]
    heads = ("reviewed", "begun", "deferred", "open", "tags")
    lines = table(heads, rows, width, "auditor progress FILE lists all.")
    for shared in found.shared or ():
        of = f" under {shown(shared.codebook, 30)}" if shared.codebook != here.codebook else ""
        figure = Figure(
            f"shared {shared.codebook}",
            f"{counted(shared.items, 'item')} reviewed by several{of}",
            OtherScreen("agreement"),
            f"At least two people reviewed {counted(shared.items, 'item')}{of}: how far they agree is another screen.",
        )
        lines.append(told(figure))
    detail = _of_before(found, here, "progress", "shared")
    return Section("Progress", lines or [said("Nobody has reviewed anything yet.")], detail)


def _who(one: AnnotatorProgress, here: Here) -> str:
    kind = "" if one.kind == "person" else f" ({one.kind})"
    return f"{one.annotator}{kind}" + ("" if one.codebook == here.codebook else f", {one.codebook}")


def _of(one: AnnotatorProgress, here: Here) -> list[Figure | str]:
    name, key = shown(one.annotator), f"{one.codebook}/{one.annotator}"
    cells: list[Figure | str] = []
    for state, count, word in zip(
        _STATES, (one.reviewed, one.begun, one.deferred), ("reviewed", "begun", "deferred"), strict=True
    ):
        opens = InState(one.annotator, one.codebook, state)
        what = f"{name} has {word} {counted(count, 'item')} under {shown(one.codebook)}."
        cells.append(Figure(f"progress {key} {word}", f"{count:,}", opens, what, count))
    if one.left is None or one.assigned is None:
        cells.append(_NONE)
    else:
        done = f"{one.left:,} of {counted(one.assigned, 'item')} that are assigned to {name} are neither reviewed nor"
        opens_assigned = matching(("assigned", f"{one.codebook}/{one.annotator}"))
        what = f"{done} deferred; these are all that are assigned."
        cells.append(Figure(f"progress {key} open", f"{one.left:,}", opens_assigned, what))
    cells.append(f"{one.tags:,}")
    return cells


# --- studies and settings --------------------------------------------------------------------------------------------


def _studies(found: Overview, here: Here, width: int) -> Section:
    if found.studies is None:
        return Section("Studies", _waiting(here))
    names = ["cases", "clusters", "tasks", "responses", *([] if "status" in here.hidden else ["graded"])]
    rows = [Row(study.name, [_study_figure(found, study, name) for name in names]) for study in found.studies]
    lines = table(names, rows, width, "auditor info FILE lists all.")
    detail = _of_before(found, here, "studies")
    return Section("Studies", lines or [said("There are none: auditor import brings some in.")], detail)


def _study_figure(found: Overview, study: StudyInfo, name: str) -> Figure:
    number: int = getattr(study, name)
    has_invalid = found.doubtful is not None and found.doubtful.invalid > 0
    opens, items = matching(("study", study.name)), number if name == "responses" and not has_invalid else None
    what = f"The study {shown(study.name)} has {number:,} {name}"
    if name == "graded":
        opens = Filtered(f"{opens.where} NOT status:ungraded")
        what, items = f"Of the responses in the study {shown(study.name)} {number:,} are graded", None
    rest = "." if name in ("responses", "graded") else "; their responses are the items."
    return Figure(f"study {study.name} {name}", f"{number:,}", opens, what + rest, items)


def _settings(found: Overview, here: Here, width: int) -> Section:
    if found.settings is None:
        return Section("Settings", _waiting(here))
    has_invalid = found.doubtful is not None and found.doubtful.invalid > 0
    rows = []
    for name, count in found.settings:
        what = f"The setting {shown(name)} gave {counted(count, 'response')}."
        figure = Figure(
            f"setting {name}", f"{count:,}", matching(("setting", name)), what, None if has_invalid else count
        )
        rows.append(Row(name, [figure]))
    lines = table(["responses"], rows, width, "auditor info FILE --json lists all.")
    return Section("Settings", lines or [said("There are none.")], _of_before(found, here, "settings"))


# --- accuracy and modes ----------------------------------------------------------------------------------------------


def _accuracy(found: Overview, here: Here, width: int) -> list[Section]:
    made = []
    for name, one in (("study", found.by_study), ("arm", found.by_arm)):
        title = f"Accuracy by setting and {name}"
        if one is None:
            made.append(Section(title, _waiting(here)))
        elif one.rows:
            detail = _of_before(found, here, f"by_{name}") or "% of completed / of planned"
            made.append(Section(title, _rates(one, name, width), detail))
    return made


def _rates(found: AccuracyTable, name: str, width: int) -> list[Line]:
    cells = {(cell.row, cell.col): cell for cell in found.cells}
    rows = []
    for row in found.rows:
        figures: list[Figure | str] = []
        for col in found.cols:
            cell = cells.get((row, col))
            figures.append(_NONE if cell is None else _rate_figure(cell, name))
        rows.append(Row(label(row, ("setting",)), figures))
    heads = [label(col, (name,)) for col in found.cols]
    return table(heads, rows, width, f"auditor accuracy FILE --cols {name} has all.")


def _rate_figure(cell: AccuracyCell, name: str) -> Figure:
    setting, other = cell.row[0], cell.col[0]
    completed, planned = cell.completed_accuracy, cell.planned_accuracy
    where = f"{shown(str(setting), 40)}, {name} {shown(str(other), 40)}"
    what = f"{where}: {cell.correct:,} right of {cell.completed:,} completed and {cell.planned:,} planned responses"
    what += f", {counted(cell.clusters, 'cluster')}."
    if completed.value is None and completed.reason:
        what = f"{where}: {completed.reason}"
    opens = Filtered(f"{matching(('setting', setting), (name, other)).where} NOT status:no-response")
    text = f"{_percent(completed)}/{_percent(planned)}"
    items = cell.completed if completed.value is not None else None
    return Figure(f"rate {name} {setting} {other}", text, opens, what, items)


def _percent(rate: Rate) -> str:
    return _NONE if rate.value is None else f"{100 * rate.value:.1f}"


def _core(found: Overview) -> list[Section]:
    """Return what there is of problems with several implementations; nothing where there are none."""
    size = found.core
    if size is None or not size.problems:
        return []
    about = f"{counted(size.problems, 'problem')} with {counted(size.implementations, 'implementation')}"
    asked = f"{counted(size.outputs, 'output')} and {counted(size.probes, 'probe')}"
    figure = Figure(
        "core",
        "heat map, exposure, measures, superficial execution",
        OtherScreen("core"),
        f"{about} are asked for {asked}; CoRE's figures are another screen.",
    )
    return [Section("CoRE", [told(figure)], about)]


def _modes(found: Overview, here: Here, width: int) -> Section:
    title = "Failure modes, computed"
    if found.modes is None:
        return Section(title, _waiting(here))
    total = sum(one.wrong for one in found.modes)
    rows = []
    for one in found.modes:
        what = f"{one.wrong:,} of {counted(total, 'wrong response')} have the computed mode {shown(one.mode)}."
        opens = matching(("mode.computed", one.mode), ("status", "wrong"))
        figure = Figure(f"mode {one.mode}", f"{one.wrong:,}", opens, what, one.wrong)
        rows.append(Row(one.mode, [figure, f"{100 * one.wrong / total:.1f} %"]))
    lines = table(["wrong", "share"], rows, width, "auditor info FILE --json lists all.")
    detail = _of_before(found, here, "modes") or "of wrong responses, the primary one"
    return Section(title, lines or [said("No response is graded as wrong.")], detail)


def _tags(found: Overview, here: Here, width: int) -> list[Section]:
    if found.tags is None:
        return [Section("Tags", _waiting(here))]
    made = []
    for book in dict.fromkeys((here.codebook, *(one.codebook for one in found.tags))):
        of_book = [one for one in found.tags if one.codebook == book]
        people = list(dict.fromkeys(one.annotator for one in of_book))
        by_key = {(one.tag, one.annotator): one for one in of_book}
        totals: dict[str, int] = {}
        for one in of_book:
            totals[one.tag] = totals.get(one.tag, 0) + one.items
        rows = []
        for tag in sorted(totals, key=lambda tag: (-totals[tag], tag)):
            cells: list[Figure | str] = []
            for person in people:
                use = by_key.get((tag, person))
                if use is None:
                    cells.append("0")
                    continue
                what = (
                    f"{shown(person)} put {shown(tag)} on {counted(use.items, 'reviewed item')} from"
                    f" {counted(use.clusters, 'cluster')}."
                )
                opens = Tagged(person, book, tag)
                cells.append(Figure(f"tag {book} {tag} {person}", f"{use.items:,}", opens, what, use.items))
            rows.append(Row(tag, cells))
        title = "Tags" if book == here.codebook else f"Tags of {shown(book, 30)}"
        lines = table(people, rows, width, "auditor export taxonomy FILE has all.")
        detail = _of_before(found, here, "tags") or "reviewed items, by annotator"
        made.append(Section(title, lines or [said("Nothing is tagged yet.")], detail))
    return made
