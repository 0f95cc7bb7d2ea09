"""`auditor places`: list bookmarks and memos, put one on an item, bring a file of them in."""

from __future__ import annotations

from pathlib import Path

import click

from auditor.cli import options
from auditor.cli.listing import first_records
from auditor.cli.output import print_json, print_table, print_text
from auditor.cli.row_imports import tell_rows
from auditor.cli.tags import given_text
from auditor.errors import InputError
from auditor.text import counted

_SHOWN_ROWS = 200


@click.group("places")
def places() -> None:
    """List bookmarks and memos, put one on an item, or bring a file of them in.

    A bookmark is on an item, a memo on a line of its source or on a difference between oracle and prediction. Each
    annotator has their own; they are no part of the review, and change neither its state nor its tags.
    """


@places.command("list", short_help="Print who put a bookmark or a memo where.")
@options.audit_file
@click.option("--annotator", metavar="NAME", callback=given_text, help="Only those of this annotator.")
@options.where()
@options.as_json
def list_command(file: Path, annotator: str | None, where: str, as_json: bool) -> int:
    """Print who put a bookmark or a memo where in FILE.

    \b
    auditor places list audit.db --annotator ana
    auditor places list audit.db --where 'bookmarked:ana status:wrong' --json
    """
    from auditor.audit.places import list_places

    shown, more = first_records(
        file, lambda connection: list_places(connection, where, annotator), None if as_json else _SHOWN_ROWS
    )
    if as_json:
        print_json({"places": [record._asdict() for record in shown]})
        return 0
    if not shown:
        narrowed = where or annotator is not None
        print_text(
            "Nothing is left by the filter and the options." if narrowed else "There are no bookmarks and no memos yet."
        )
        return 0
    rows = [
        [one.item, one.annotator, "bookmark" if one.number is None else f"{one.place} {one.number}", one.text]
        for one in shown
    ]
    print_table(["item", "annotator", "place", "memo"], rows, folds={"item": "/"})
    if more:
        print_text(f"… and {more:,} more: --json or `auditor export places` gives all.")
    return 0


@places.command("put", short_help="Put a bookmark or a memo on one item.")
@options.audit_file
@click.option("--annotator", metavar="NAME", required=True, callback=given_text, help="Whose it is.")
@click.option("--item", metavar="KEY", required=True, callback=given_text, help="As `tags list` prints it.")
@click.option("--bookmark/--no-bookmark", default=None, help="Put a bookmark on the item, or take it off.")
@click.option("--line", type=options.COUNT, metavar="N", help="The line of the source that the memo is on.")
@click.option("--difference", type=options.COUNT, metavar="N", help="The difference that the memo is on.")
@click.option("--memo", metavar="TEXT", callback=given_text, help="What the memo says; '' takes it away.")
@click.option("--codebook", metavar="C", help="Instead of the one that the study declares.")
@options.as_json
def put_command(
    file: Path,
    annotator: str,
    item: str,
    bookmark: bool | None,
    line: int | None,
    difference: int | None,
    memo: str | None,
    codebook: str | None,
    as_json: bool,
) -> int:
    """Put a bookmark on one item of FILE, or a memo on a line of its source or on a difference.

    \b
    auditor places put audit.db --annotator ana --item demo/c/output/m/0 --bookmark
    auditor places put audit.db --annotator ana --item demo/c/output/m/0 --line 12 --memo 'too early'
    """
    from auditor.audit.places import put_place
    from auditor.audit.review_answers import describe_change

    places = [(name, number) for name, number in (("line", line), ("difference", difference)) if number is not None]
    if (bookmark is None) == (memo is None):
        raise InputError("either a bookmark or a memo is put.", hint="Give --bookmark, or --memo TEXT with --line N.")
    if memo is None and places:
        raise InputError("a bookmark is on the item as a whole.", hint="A memo is on a line: give --memo TEXT.")
    if memo is not None and len(places) != 1:
        raise InputError("a memo is on one line or on one difference.", hint="Give --line N or --difference N.")
    pinned = None if memo is None else (*places[0], memo)
    done = put_place(file, annotator, item, memo=pinned, bookmark=bookmark, codebook=codebook)
    if as_json:
        print_json({"changed": done is not None})
    else:
        print_text(f"{item}: {describe_change(done.action, done.change, {})}" if done else "It was so already.")
    return 0


@places.command("import", short_help="Bring in a file of bookmarks and memos.")
@options.audit_file
@click.argument("path", type=click.Path(path_type=Path), metavar="PATH")
@click.option("--annotator", metavar="NAME", callback=given_text, help="Whose they are where PATH does not say it.")
@click.option("--codebook", metavar="C", help="For rows that name no codebook, by name or file.")
@options.as_json
def import_command(file: Path, path: Path, annotator: str | None, codebook: str | None, as_json: bool) -> int:
    """Bring the bookmarks and memos of PATH, a CSV or a JSON lines file, into FILE.

    Columns: study, case, arm, setting, sample (or item, the key that `places list --json` prints), annotator, place
    (item = a bookmark; line or difference = a memo), number, text; optionally quote, at, kind, codebook, revision,
    blind. The same file again changes nothing; a row that cannot be used is listed, and the others are brought in (exit
    code 1).

    \b
    auditor places import audit.db places-of-ana.csv
    """
    from auditor.audit.places import import_places

    report = import_places(file, path, annotator, codebook)
    read = f"{counted(report.rows, 'row')} read"
    summary = f"{read}: {report.changed:,} brought in, {report.unchanged:,} as before"
    return tell_rows(report, ("changed", report.changed), summary, as_json=as_json)
