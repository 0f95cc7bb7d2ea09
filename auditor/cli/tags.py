"""`auditor tags`: list tags, take an item, put some on one, bring a file of them in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.listing import first_records
from auditor.cli.output import Progress, print_json, print_table, print_text, say
from auditor.cli.row_imports import tell_rows
from auditor.model import FIRST
from auditor.text import UNDECODABLE, UndecodedText, counted, visible_line

if TYPE_CHECKING:
    from auditor.audit.tags import TagImportReport, TagRecord
    from auditor.store.reviews import ReviewView

_SHOWN_ROWS = 200
_SHOWN_NAMES = 12
_KINDS = ("person", "model", "computed")


def given_text(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Say of each argument whose bytes are not UTF-8 that it stands for these bytes."""
    if isinstance(value, tuple):
        return tuple(given_text(context, parameter, one) for one in value)
    return UndecodedText(value) if isinstance(value, str) and UNDECODABLE.search(value) else value


def _kind(text: str) -> Callable[[options.F], options.F]:
    return click.option("--kind", type=click.Choice(_KINDS), help=text)


@click.group("tags")
def tags() -> None:
    """List tags, take an item, put some on one, or bring a file of them in.

    An item is a response, named study/case/arm/setting/sample. Each annotator reviews it apart from the others: not
    reviewed, reviewed with these tags, or reviewed with none.
    """


@tags.command("list", short_help="Print who put which tag on what, and when.")
@options.audit_file
@click.option("--annotator", metavar="NAME", callback=given_text, help="Only what this annotator said.")
@click.option(
    "--tag",
    "tag_ids",
    metavar="T",
    multiple=True,
    callback=given_text,
    help="Only tags of this id; repeat for several.",
)
@options.where("", "Only the items that this filter leaves, with all of their tags, e.g. 'status:wrong loc<20'.")
@options.as_json
def list_command(file: Path, annotator: str | None, tag_ids: tuple[str, ...], where: str, as_json: bool) -> int:
    """Print who put which tag on which item of FILE, and when.

    An item that was reviewed and has no tag is listed once, with a dash; the tag that came first has a ¹. A filter
    picks items: `--where tag:copying` lists every tag of the items that somebody tagged so, `--tag copying` that tag
    alone. Times are UTC; --json has them to the millisecond, and all other fields.

    \b
    auditor tags list audit.db --annotator ana
    auditor tags list audit.db --where arm:output --tag copying --json
    """
    from auditor.audit.tags import list_tags

    shown, more = first_records(
        file, lambda connection: list_tags(connection, where, annotator, tag_ids), None if as_json else _SHOWN_ROWS
    )
    if as_json:
        print_json({"tags": [record._asdict() for record in shown]})
        return 0
    if not shown:
        print_text(_nothing(where, annotator, tag_ids))
        return 0
    print_table(*_tag_table(shown), folds={"item": "/", "at": ""})
    if more:
        print_text(f"… and {more:,} more: --json or `auditor export tags` gives all.")
    return 0


def _nothing(where: str, annotator: str | None, tag_ids: Sequence[str]) -> str:
    narrowed = where or annotator is not None or tag_ids
    return "Nothing is left by the filter and the options." if narrowed else "Nobody has tagged anything here yet."


def _tag_table(records: Sequence[TagRecord]) -> tuple[list[str], list[list[str | None]]]:
    """Return columns and rows; a column that would say the same everywhere and is taken for granted is left out."""
    columns: dict[str, list[str | None]] = {
        "item": [r.item for r in records],
        "annotator": [r.annotator for r in records],
        "kind": [r.kind for r in records],
        "tag": [f"{r.tag}{FIRST}" if r.first_cause else r.tag for r in records],
        "state": [r.state for r in records],
        "at": [r.at[:16].replace("T", " ") for r in records],
        "note": [r.note for r in records],
    }
    for name, granted in (("kind", "person"), ("state", "reviewed"), ("note", "")):
        if set(columns[name]) == {granted}:
            del columns[name]
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


@tags.command("put", short_help="Mark one item as reviewed, with tags.")
@options.audit_file
@click.option("--annotator", metavar="NAME", required=True, callback=given_text, help="Who says so.")
@click.option("--item", metavar="KEY", required=True, callback=given_text, help="As `tags list` prints it.")
@click.option("--tag", "tag_names", metavar="T", multiple=True, callback=given_text, help="A tag's id or name; repeat.")
@click.option("--first", metavar="T", callback=given_text, help="A tag to put as the one that came first.")
@click.option("--none", is_flag=True, help="Reviewed, and no tag applies: those on it are taken off.")
@click.option("--note", metavar="TEXT", callback=given_text, help="Replace the note.")
@click.option("--codebook", metavar="C", help="Instead of the one that the study declares.")
@_kind("What the annotator is; person when it is new.")
@options.as_json
def put_command(
    file: Path,
    annotator: str,
    item: str,
    tag_names: tuple[str, ...],
    first: str | None,
    none: bool,
    note: str | None,
    codebook: str | None,
    kind: str | None,
    as_json: bool,
) -> int:
    """Mark one item of FILE as reviewed, with tags beside those that it has.

    \b
    auditor tags put audit.db --annotator ana --item demo/case-1/output/model-a/0 --tag copying
    auditor tags put audit.db --annotator ana --item demo/c/output/m/0 --tag copying --first loops
    auditor tags put audit.db --annotator judge --kind model --item demo/case-1/output/m/0 --none
    """
    from auditor.audit.tags import put_tags
    from auditor.model import AnnotatorKind

    done = put_tags(
        file,
        annotator,
        item,
        tag_names,
        first=first,
        note=note,
        none=none,
        kind=AnnotatorKind(kind) if kind else None,
        codebook=codebook,
    )
    if as_json:
        view = done.view if done else None
        tags, first_cause = (list(view.tags), view.first_cause or None) if view else (None, None)
        print_json({"changed": done is not None, "tags": tags, "first_cause": first_cause})
    else:
        print_text(f"{item}: {_tags_of(done.view)}" if done else "It was so already.")
    return 0


@tags.command("next", short_help="Take the next item that is free, to put tags on it.")
@options.audit_file
@click.option("--annotator", metavar="NAME", required=True, callback=given_text, help="Who takes it.")
@click.option(
    "--overlap",
    type=options.COUNT,
    metavar="N",
    default=1,
    show_default=True,
    help="Only what fewer than N others have reviewed or hold.",
)
@options.where("status:wrong")
@click.option("--order", metavar="O", help="smallest (the usual one), random, disagreement, computed or import.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random order.")
@click.option("--codebook", metavar="C", help="Instead of the one that the study declares.")
@click.option(
    "--minutes",
    type=options.FiniteRange(0, 24 * 60, min_open=True),
    metavar="M",
    default=5,
    show_default=True,
    help="How long nobody else is given it.",
)
@options.as_json
def next_command(
    file: Path,
    annotator: str,
    overlap: int,
    where: str,
    order: str | None,
    seed: int,
    codebook: str | None,
    minutes: float,
    as_json: bool,
) -> int:
    """Take the next item of FILE that is free for NAME, and print its key; `review --overlap` takes items as well.

    It is NAME's until it is reviewed or the time is over, and no call gives it to NAME twice meanwhile. Where nothing
    is free the reason is printed, and the exit code is 1.

    \b
    auditor tags next audit.db --annotator ana --overlap 2
    """
    from auditor.audit.leased_queue import clock
    from auditor.audit.review_queue import QueueWish
    from auditor.audit.taking import take_item

    wish = QueueWish(where, order, seed, codebook=codebook, overlap=overlap)
    taken = take_item(file, annotator, wish, seconds=60 * minutes)
    if as_json:
        print_json(taken._asdict())
    elif taken.item is not None:
        print_text(taken.item, wrap=False)
        say(f"{annotator} holds it until {clock(taken.until or '')}.")
    else:
        print_text(taken.reason)
    return int(taken.item is None)


def _tags_of(view: ReviewView) -> str:
    """Return the tags of a review, the first cause marked: `copying, loops¹`."""
    words = [f"{tag}{FIRST}" if tag == view.first_cause else tag for tag in view.tags]
    return ", ".join(words) or "nothing to tag"


@tags.command("import", short_help="Bring in a file of tags.")
@options.audit_file
@click.argument("path", type=click.Path(path_type=Path), metavar="PATH")
@click.option(
    "--annotator", metavar="NAME", callback=given_text, help="Whose tags they are where PATH does not say it."
)
@click.option(
    "--codebook",
    metavar="C",
    help="For rows that name no codebook, by name or file; a file is brought in for the rows that name it, too.",
)
@_kind("What the annotators are where PATH does not say it; person when they are new.")
@click.option("--replace", is_flag=True, help="Let PATH's tags, note and state stand instead of those that are there.")
@options.as_json
@options.quiet
def import_command(
    file: Path,
    path: Path,
    annotator: str | None,
    codebook: str | None,
    kind: str | None,
    replace: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Bring the tags of PATH, a CSV or a JSON lines file, into FILE.

    Columns: study, case, arm, setting, sample (or item, the key that `tags list` prints), annotator, tag; optionally
    note, at (a time, UTC), kind (person, model, computed), state, codebook, revision, first_cause (true on the tag that
    came first), seconds. An empty tag says: reviewed, none. All rows of one annotator on one item are one act. The same
    file again changes nothing; a row that cannot be used is listed, and the others are brought in (exit code 1).

    \b
    auditor tags import audit.db tags-of-ana.csv
    auditor tags import audit.db judged.jsonl --annotator judge --kind model
    """
    from auditor.audit.tags import TagImportOptions, import_tags
    from auditor.model import AnnotatorKind

    given = TagImportOptions(annotator, AnnotatorKind(kind) if kind else None, codebook, replace)
    with Progress(quiet or as_json) as progress:
        report = import_tags(file, path, given, progress)
    return tell_rows(report, ("reviews", report.reviews), _summary(report), as_json=as_json)


def _summary(report: TagImportReport) -> str:
    used = report.rows - len(report.refusals)
    if not used:
        return f"{counted(report.rows, 'row')} read, nothing brought in"
    names = sorted(report.annotators)
    shown = [visible_line(name, 60) for name in names[:_SHOWN_NAMES]]
    more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
    read = f"{counted(used, 'row')} of {', '.join(shown)}{more}"
    return f"{read}: {counted(report.reviews, 'review')} changed, {report.unchanged:,} as before"
