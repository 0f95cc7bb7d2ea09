"""What the agreement screen says in words: of a number, of how all were computed, of why there are none."""

from __future__ import annotations

from auditor.agreement.coefficient import DEFINITIONS, GENERATOR, Coefficient
from auditor.agreement.confusion import Confusion
from auditor.agreement.plan import ALPHA
from auditor.audit.agreement_overview import AC1, NEGATIVE, POSITIVE, Ground, PairReport, TagRow
from auditor.model import AnnotatorKind, person_of_pass
from auditor.text import counted, visible_line, visible_name
from auditor.tui.widgets.agreement_rows import UNDEFINED, ShownRow

WHOLE_SETS = "(whole set)"
NOTHING_REVIEWED = (
    "Nobody has reviewed anything under this codebook yet, so there is nothing to compare: in the review, space makes"
    " an item reviewed."
)
_NAME_CELLS = 40
_BESIDE = {AC1: "AC1", POSITIVE: "positive agreement", NEGATIVE: "negative agreement", ALPHA: "alpha (MASI)"}


def shown_name(name: str) -> str:
    """Return a name in a sentence."""
    return visible_name(name, _NAME_CELLS)


def kind_words(name: str, kind: AnnotatorKind) -> str:
    """Return an annotator with what it is, where it is no person."""
    return name if kind is AnnotatorKind.PERSON else f"{name} ({kind.value})"


def tag_name(ground: Ground, tag: str | None) -> str:
    """Return what a tag is called; None = whole sets."""
    if tag is None:
        return WHOLE_SETS
    return next((one.name for one in ground.audit.codebook.tags if one.id == tag), tag)


def row_of_value(ground: Ground, tag: str | None, kappa: Coefficient) -> ShownRow:
    """Return a row whose interval is not measured yet."""
    note = kappa.reason or "" if kappa.value is None else ""
    return ShownRow(
        tag_name(ground, tag),
        kappa.n_items,
        kappa.n_clusters,
        kappa.prevalence,
        kappa.observed,
        kappa.value,
        note=note,
        is_tag=tag is not None,
    )


def row_of_report(ground: Ground, row: TagRow) -> ShownRow:
    """Return a row with its interval."""
    ac1 = row.beside.get(AC1)
    plain = row_of_value(ground, row.tag, row.kappa)
    return plain._replace(low=row.kappa.shown_low, high=row.kappa.shown_high, ac1=ac1.value if ac1 else None)


def describe_pair(
    ground: Ground, first: str, second: str, tag: str | None, kappa: Coefficient, row: TagRow | None
) -> str:
    """Say all that is known of one number."""
    about = "whole sets of tags" if tag is None else shown_name(tag_name(ground, tag))
    head = f"{shown_name(first)} and {shown_name(second)} on {about}: "
    one = row.kappa if row is not None else kappa
    said = [head + (_value_words(one) if one.value is not None else (one.reason or "undefined"))]
    if one.value is None and one.observed is not None:
        said.append(f"They agree on {100 * one.observed:.3g} % of {counted(one.n_items, 'item')}.")
    if row is not None:
        beside = [
            f"{_BESIDE[name]} {found.value:z.3f}" for name, found in row.beside.items() if found.value is not None
        ]
        if beside:
            said.append(f"{', '.join(beside)}.")
        said += one.warnings
        if one.value is not None and one.reason and one.reason not in " ".join(said):
            said.append(one.reason)
    late = sum(ground.late.get(tag or "", {}).get(name, 0) for name in (first, second))
    if late:
        said.append(f"{counted(late, 'review')} of theirs are older than the tag, which counts as absent there.")
    if person_of_pass(second) == first or person_of_pass(first) == second:
        said.append("Both are passes of one person: it is how far that person agrees with itself.")
    return visible_line(" ".join(said), 1500)


def _value_words(one: Coefficient) -> str:
    words = f"kappa {one.value:z.3f}"
    if one.shown_low is not None and one.shown_high is not None:
        words += f" [{one.shown_low:z.3f}, {one.shown_high:z.3f}]"
    if one.observed is not None and one.expected is not None:
        words += f"; they agree on {100 * one.observed:.3g} %, by chance they would on {100 * one.expected:.3g} %"
    over = counted(one.n_items, "item")
    if one.n_clusters is not None:
        over += f" of {counted(one.n_clusters, 'cluster')}"
    return f"{words}; {over}."


def describe_cell(ground: Ground, found: Confusion, put: str | None, instead: str | None) -> str:
    """Say what a cell of the confusion counts."""
    one, other = shown_name(found.first), shown_name(found.second)
    mine, theirs = ("" if tag is None else shown_name(tag_name(ground, tag)) for tag in (put, instead))
    if not mine and not theirs:
        words = "both put no tag"
    elif put == instead:
        words = f"both put {mine}"
    elif not mine:
        words = f"{other} put {theirs}, {one} no other tag instead"
    elif not theirs:
        words = f"{one} put {mine}, {other} no other tag instead"
    else:
        words = f"{one} put {mine}, {other} put {theirs} instead"
    return f"{counted(found.at(put, instead), 'item')}: {words}."


def why_no_numbers(ground: Ground | None, command: str) -> str:
    """Say why there is nothing to show, and what to do; empty where there is. `command` opens a review."""
    if ground is None:
        return NOTHING_REVIEWED
    if len(ground.names) > 1:
        return ""
    who = shown_name(ground.names[0])
    return (
        f"Only {who} has reviewed anything. Agreement needs two who review the same items: somebody else, with"
        f" {command} --annotator NAME, or {who} once more, with {command} --annotator {who} --again 5%."
    )


def how_lines(ground: Ground, first: str, second: str, report: PairReport | None, path: str) -> list[str]:
    """Say how the numbers on the screen were computed, a paragraph a line."""
    kappas = [row.kappa for row in report.rows] if report is not None else []
    drawn = next((one for one in kappas if one.ci_method and one.replicates), None)
    lines = [
        f"Codebook {shown_name(ground.audit.name)}: {counted(len(ground.tags), 'tag')}, of"
        f" {counted(len(ground.names), 'annotator')}. Two are compared on the items that both have reviewed; what one"
        " of them has deferred, begun or not reviewed is left out, and never counts as a no.",
        *_doubts(ground),
        "",
        f"kappa: {DEFINITIONS['cohen_kappa']}. Of a tag: the tag against the rest. Of whole sets: two sets agree when"
        " they are equal. The matrix of annotators shows the kappa of the row that is chosen among the tags.",
        "prevalence (prev): the share of the tag among what both said. observed (obs): the share of items on which they"
        " agree.",
        f"AC1: {DEFINITIONS['gwet_ac1']}; it stays high where a tag is rare, where kappa falls.",
        f"{UNDEFINED} stands where a number is undefined; the lines below the tables say why.",
        "",
    ]
    if drawn is not None:
        lines.append(
            f"Intervals ({100 * (drawn.confidence or 0):g} %): {drawn.ci_method}, {drawn.replicates:,} replicates,"
            f" {GENERATOR}, seed {drawn.seed}; of fewer than 20 clusters a t interval from the same replicates. A"
            " cluster is a source program or a problem: its items are not independent of each other."
        )
    elif any(one.ci_method for one in kappas):
        lines.append(f"Intervals: {next(one.ci_method for one in kappas if one.ci_method)}.")
    else:
        lines.append("Intervals are not measured yet, or cannot be.")
    lines += [
        "",
        "Confusion: a tag that both put counts on the diagonal. Of the other tags of an item, each that only one put is"
        " held against each that only the other put, or against none where the other put no other tag; an item with"
        " several can count in several cells.",
        "",
        "The same as a table or as JSON:",
        f"  auditor agreement {path} --annotators {_both(first, second)}",
        f"  auditor agreement {path} --confusion {_both(first, second)}",
    ]
    return [visible_line(line, 2000) for line in lines]


def _doubts(ground: Ground) -> list[str]:
    """Say of how many reviewed items the reader has to know; nothing where there are none."""
    lines = []
    if ground.doubts.invalid:
        reviewed = counted(ground.doubts.invalid, "reviewed item")
        lines.append(f"Left out as invalid: {reviewed} (invalid:yes).")
    if ground.doubts.disputed:
        reviewed = counted(ground.doubts.disputed, "reviewed item")
        lines.append(f"Counted in, though running the program disputes the oracle: {reviewed} (executed:disputed).")
    return lines


def _both(first: str, second: str) -> str:
    import csv
    import io
    import shlex

    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([first, second])
    return shlex.quote(out.getvalue())
