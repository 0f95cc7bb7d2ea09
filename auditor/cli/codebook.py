"""`auditor codebook`: look at the codebook of an audit file and change it, one revision a change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auditor.cli import options
from auditor.cli.codebook_tables import print_book, print_change, print_outdated
from auditor.cli.output import print_text
from auditor.cli.tags import given_text
from auditor.errors import InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.codebook_changes import Step

F = TypeVar("F", bound=Callable[..., Any])

_codebook = click.option("--codebook", metavar="C", help="Which codebook; default: the only one in use.")
_tag = click.argument("tag", metavar="TAG")


@click.group("codebook")
def codebook() -> None:
    """Look at the codebook of FILE and change it.

    Every change is a revision. A tag's id is its identity: renamed, merged, split or retired, what was tagged with it
    stays, and is stamped with the revision under which it was tagged. Changes say whose work they touch; --dry-run says
    it without changing anything. What needs another look after a change is listed by `codebook stale` and reviewed with
    `auditor review FILE --annotator NAME --stale`.
    """


def _changing(name: str, line: str) -> Callable[[Callable[..., Step]], click.Command]:
    """Make a command of a function that returns a change; the change is made, or only tried, and printed."""

    def decorate(function: Callable[..., Step]) -> click.Command:
        def run(file: Path, codebook: str | None, dry_run: bool, as_json: bool, **arguments: Any) -> int:
            from auditor.audit.codebook_revising import revise_codebook

            report = revise_codebook(file, function(**arguments), codebook=codebook, dry_run=dry_run)
            print_change(report, file, dry_run=dry_run, as_json=as_json)
            return 0

        run.__doc__ = function.__doc__
        run.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]  # click's own
        for option in (options.as_json, _dry_run, _codebook, options.audit_file):
            run = option(run)
        parameters = run.__click_params__  # type: ignore[attr-defined]
        # FILE is the first argument of every command, whatever else one takes.
        parameters.sort(key=lambda parameter: parameter.name == "file")
        return codebook.command(name, short_help=line)(run)

    return decorate


_dry_run = click.option("--dry-run", is_flag=True, help="Say what it would touch and change nothing.")
_settled = click.option("--settled", is_flag=True, help="What carries it needs no other look.")


@codebook.command("show", short_help="Print the tags, who uses them, and the revisions.")
@options.audit_file
@_codebook
@click.option("--revision", type=options.COUNT, metavar="N", help="As this revision had it.")
@click.option("--annotator", metavar="NAME", callback=given_text, help="Only this annotator's uses.")
@options.as_json
def show_command(file: Path, codebook: str | None, revision: int | None, annotator: str | None, as_json: bool) -> int:
    """Print the tags of FILE's codebook with their keys, groups and uses, and what each revision changed.

    \b
    auditor codebook show audit.db
    auditor codebook show audit.db --revision 1 --json
    """
    from auditor.audit.codebook_revising import view_codebook

    print_book(view_codebook(file, codebook, revision=revision, annotator=annotator), as_json=as_json)
    return 0


@_changing("add", "Add a tag.")
@click.argument("name")
@click.option("--definition", metavar="TEXT", required=True, help="What is meant, in a sentence.")
@click.option("--rule", metavar="TEXT", default="", help="When this tag and when another.")
@click.option("--example", metavar="TEXT", default="", help="A case that is clearly in.")
@click.option("--id", "tag_id", metavar="ID", help="Its identity; default: made of the name.")
@click.option("--key", metavar="KEY", default="", help="Default: the first free one.")
@click.option("--group", metavar="GROUP", help="A group that is there, by id or name.")
@click.option("--alone", is_flag=True, help="An item that has it has no other tag.")
@click.option("--again", is_flag=True, help="What was reviewed before it was there needs another look.")
def add_command(
    name: str,
    definition: str,
    rule: str,
    example: str,
    tag_id: str | None,
    key: str,
    group: str | None,
    alone: bool,
    again: bool,
) -> Step:
    """Add the tag NAME to the codebook of FILE.

    An id or a name that a retired tag has is refused: `codebook restore` takes that tag into use again.

    \b
    auditor codebook add audit.db 'lost digit' --definition 'A digit of a right value is missing.'
    """
    from auditor.codebook_changes import add_tag

    return lambda book: add_tag(
        book,
        name,
        definition,
        tag_id=tag_id,
        key=key,
        group=group,
        exclusive=alone,
        decision_rule=rule,
        example=example,
        again=again,
    )


@_changing("rename", "Give a tag another name, or another id.")
@_tag
@click.argument("name", required=False)
@click.option("--id", "tag_id", metavar="ID", help="Another id too; the old one counts as it from then on.")
def rename_command(tag: str, name: str | None, tag_id: str | None) -> Step:
    """Call the tag TAG of FILE's codebook NAME; what was tagged with it stays.

    \b
    auditor codebook rename audit.db copying 'copied wrongly'
    auditor codebook rename audit.db copying --id transcription
    """
    from auditor.codebook_changes import rename_tag

    if name is None and tag_id is None:
        raise InputError("a tag is renamed to something.", hint="Give a NAME, or --id ID.")
    return lambda book: rename_tag(book, tag, name, tag_id)


@_changing("define", "Change what is written of a tag.")
@_tag
@click.option("--definition", metavar="TEXT", help="What is meant, in a sentence.")
@click.option("--rule", metavar="TEXT", help="When this tag and when another.")
@click.option("--example", metavar="TEXT", help="A case that is clearly in.")
@click.option("--alone/--beside", default=None, help="Whether an item that has it has no other tag.")
@click.option(
    "--meaning/--wording",
    default=None,
    help="It means something else now, so that what carries it needs another look; or only the words changed.",
)
def define_command(
    tag: str,
    definition: str | None,
    rule: str | None,
    example: str | None,
    alone: bool | None,
    meaning: bool | None,
) -> Step:
    """Change the definition, rule or example of the tag TAG in FILE's codebook.

    \b
    auditor codebook define audit.db copying --rule 'Tag only what the working has right.' --meaning
    """
    from auditor.codebook_changes import define_tag

    if definition is None and rule is None and example is None and alone is None:
        raise InputError("nothing is given to be changed.", hint="Give --definition, --rule, --example or --alone.")
    if meaning is None:
        raise InputError(
            "does the tag mean something else now, or did only the words change?", hint="Give --meaning or --wording."
        )
    texts: dict[str, Any] = {"definition": definition, "decision_rule": rule, "example": example, "exclusive": alone}
    return lambda book: define_tag(book, tag, **texts, meaning=meaning)


@_changing("merge", "Count a tag as another one.")
@_tag
@click.argument("into", metavar="INTO")
@_settled
def merge_command(tag: str, into: str, settled: bool) -> Step:
    """Retire the tag TAG of FILE's codebook and count what carries it as INTO; an item that has both counts once.

    Marks stay as they were made: `codebook restore` takes the merge back.

    \b
    auditor codebook merge audit.db copying truncated --dry-run
    """
    from auditor.codebook_changes import merge_tags

    return lambda book: merge_tags(book, tag, into, again=not settled)


@_changing("split", "Retire a tag in favour of narrower ones.")
@_tag
@click.option(
    "--into",
    "parts",
    metavar="NAME=DEFINITION",
    multiple=True,
    required=True,
    help="A new tag, or the id of one that is there; at least two.",
)
def split_command(tag: str, parts: tuple[str, ...]) -> Step:
    """Retire the tag TAG of FILE's codebook in favour of others, between which each item is decided anew.

    \b
    auditor codebook split audit.db copying --into 'lost=A part is gone.' --into truncated
    """
    from auditor.codebook_changes import Part, split_tag

    given = [Part(name.strip(), definition.strip()) for name, _, definition in (part.partition("=") for part in parts)]
    return lambda book: split_tag(book, tag, given)


@_changing("retire", "Take a tag out of use; what carries it keeps it.")
@_tag
@_settled
def retire_command(tag: str, settled: bool) -> Step:
    """Take the tag TAG of FILE's codebook out of use: it has no key any more, and what carries it keeps it.

    \b
    auditor codebook retire audit.db copying
    """
    from auditor.codebook_changes import retire_tag

    return lambda book: retire_tag(book, tag, again=not settled)


@_changing("restore", "Take a retired tag into use again.")
@_tag
@click.option("--key", metavar="KEY", default="", help="Default: the first free one.")
def restore_command(tag: str, key: str) -> Step:
    """Take the retired, merged or split tag TAG of FILE's codebook into use again, with all that carries it.

    \b
    auditor codebook restore audit.db copying
    """
    from auditor.codebook_changes import restore_tag

    return lambda book: restore_tag(book, tag, key)


@_changing("move", "Change the order of the tags.")
@_tag
@click.argument("place", type=options.COUNT)
def move_command(tag: str, place: int) -> Step:
    """Put the tag TAG of FILE's codebook at PLACE, counted from 1 among the tags in use.

    \b
    auditor codebook move audit.db copying 1
    """
    from auditor.codebook_changes import move_tag

    return lambda book: move_tag(book, tag, place)


@_changing("key", "Give a tag another key.")
@_tag
@click.argument("key", metavar="KEY")
def key_command(tag: str, key: str) -> Step:
    """Give the tag TAG of FILE's codebook the key KEY; a tag that has it gets TAG's.

    \b
    auditor codebook key audit.db copying b
    """
    from auditor.codebook_changes import set_key

    return lambda book: set_key(book, tag, key)


@_changing("group", "Put a tag into a group, or into none.")
@_tag
@click.argument("group", metavar="[GROUP]", required=False)
@click.option("--none", is_flag=True, help="It belongs to no group.")
@click.option("--one/--several", "exclusive", default=None, help="How many of the group's tags an item can have.")
def group_command(tag: str, group: str | None, none: bool, exclusive: bool | None) -> Step:
    """Put the tag TAG of FILE's codebook into GROUP, by id or name; a group that is not there is made.

    \b
    auditor codebook group audit.db copying 'writing down' --one
    auditor codebook group audit.db copying --none
    """
    from auditor.codebook_changes import set_group

    if none == (group is not None):
        raise InputError("a tag is put into one group, or into none.", hint="Give a GROUP, or --none.")
    if none and exclusive is not None:
        raise InputError("--one and --several are about a group.", hint="Leave them out with --none.")
    return lambda book: set_group(book, tag, group, exclusive=exclusive)


@codebook.command("stale", short_help="List what needs another look since the codebook changed.")
@options.audit_file
@_codebook
@click.option("--annotator", metavar="NAME", callback=given_text, help="Only this annotator's work.")
@options.as_json
def stale_command(file: Path, codebook: str | None, annotator: str | None, as_json: bool) -> int:
    """List whose work on which item of FILE needs another look since the codebook changed, and why.

    An item leaves the list when its annotator tags it or confirms it (space in the review) under the new revision.

    \b
    auditor codebook stale audit.db --annotator ana
    auditor review audit.db --annotator ana --stale
    """
    from auditor.audit.codebook_revising import list_outdated

    book, found = list_outdated(file, annotator, codebook)
    print_outdated(book, found, as_json=as_json)
    return 0


@codebook.command("import", short_help="Let a YAML file be the next revision.")
@options.audit_file
@click.argument("path", type=click.Path(path_type=Path), metavar="BOOK.yaml")
@click.option("--meaning/--wording", default=False, help="Changed definitions and rules mean something else now.")
@_dry_run
@options.as_json
def import_command(file: Path, path: Path, meaning: bool, dry_run: bool, as_json: bool) -> int:
    """Let the codebook of BOOK.yaml follow the one of its name in FILE; tags that it leaves out are retired.

    \b
    auditor codebook export audit.db -o loops.yaml
    auditor codebook import audit.db loops.yaml --dry-run
    """
    from auditor.audit.codebook_revising import import_codebook

    report = import_codebook(file, path, meaning=meaning, dry_run=dry_run)
    print_change(report, file, dry_run=dry_run, as_json=as_json)
    return 0


@codebook.command("export", short_help="Write the codebook as YAML.")
@options.audit_file
@_codebook
@click.option("--revision", type=options.COUNT, metavar="N", help="As this revision had it.")
@click.option("-o", "--output", "target", metavar="PATH", callback=given_text, help="A .yaml file; default: stdout.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def export_command(file: Path, codebook: str | None, revision: int | None, target: str | None, force: bool) -> int:
    """Write the codebook of FILE as YAML, which `codebook import` and --codebook of other commands read.

    \b
    auditor codebook export audit.db -o loops.yaml
    """
    from auditor.audit.codebook_revising import export_codebook
    from auditor.formats.whole_file import whole_file
    from auditor.text import to_bytes

    text = export_codebook(file, codebook, revision)
    if target is None or target == "-":
        print_text(text.rstrip("\n"), wrap=False)
        return 0
    path = Path(target)
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise InputError("a codebook is YAML.", where=visible_line(target), hint="Name it BOOK.yaml.")
    with whole_file(path, force=force) as written:
        written.write(to_bytes(text))
    return 0
