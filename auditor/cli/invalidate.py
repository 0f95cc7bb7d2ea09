"""`auditor invalidate`: predictions that were asked wrongly count nowhere, until they are asked again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.listing import first_records
from auditor.cli.output import Progress, print_json, print_table, print_text
from auditor.cli.tags import given_text
from auditor.errors import InputError
from auditor.text import counted

if TYPE_CHECKING:
    from auditor.audit.invalidate import Invalidated, InvalidItem

_SHOWN = 5
_LISTED = 200


@click.command("invalidate")
@options.audit_file
@options.where(text="Which predictions, e.g. 'study:loops arm:post-loop-state'; with --list all by default.")
@click.option("--reason", metavar="TEXT", callback=given_text, help="Why; it stays in the history.")
@click.option("--annotator", metavar="NAME", callback=given_text, help="Who says so; default: the setting `annotator`.")
@click.option("--restore", is_flag=True, help="Say that they count again.")
@click.option("--undo", is_flag=True, help="Take back the annotator's last act of this command.")
@click.option("--list", "listed", is_flag=True, help="List what is invalid, why, by whom and since when.")
@click.option("--codebook", metavar="C", help="Whose codebook the history names; default: the one of the study.")
@click.option("--dry-run", is_flag=True, help="Say what would happen and change nothing.")
@options.as_json
@options.quiet
@options.config_file
def invalidate_command(
    file: Path,
    where: str,
    reason: str | None,
    annotator: str | None,
    restore: bool,
    undo: bool,
    listed: bool,
    codebook: str | None,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    config_path: Path | None,
) -> int:
    """Say that predictions of FILE are invalid: their task, oracle or prompt turned out to be wrong.

    They stay in the file with their tags, but are left out of accuracy, agreement, taxonomy and queue; each of these
    says how many. `invalid:yes` in a filter leaves them. What to ask again is written by `auditor export requests`, and
    `auditor import --recollected` lets the new replies take their place.

    \b
    auditor invalidate audit.db --where 'case:t17 arm:post-loop-state' --reason 'wrong checkpoint'
    auditor invalidate audit.db --list
    auditor invalidate audit.db --undo
    auditor invalidate audit.db --restore --where case:t17 --reason 'the checkpoint was right'
    """
    if listed:
        if restore or undo or dry_run or reason is not None:
            raise InputError("--list changes nothing.", hint="Leave the other options out.")
        return _list(file, where, as_json)
    from auditor.audit.invalidate import set_validity, take_back

    if undo and (restore or where or dry_run or reason is not None):
        raise InputError("--undo takes back a whole act.", hint="Leave the other options out.")
    who = _who(annotator, config_path)
    with Progress(quiet or as_json) as progress:
        if undo:
            found = take_back(file, who)
        else:
            _check(where, reason)
            found = set_validity(
                file,
                who,
                where,
                reason or "",
                restore=restore,
                codebook=codebook,
                dry_run=dry_run,
                progress=progress,
            )
    if as_json:
        print_json(_json(found, dry_run))
        return 0
    _tell(found, file, "taken back" if undo else "count again" if restore else "invalid now", dry_run=dry_run)
    return 0


def _check(where: str, reason: str | None) -> None:
    if not where.strip():
        raise InputError("nothing says which predictions.", hint="Give --where EXPR, or --list to see what is invalid.")
    if reason is None or not reason.strip():
        raise InputError("nothing says why.", hint="Give --reason TEXT; it stays in the history.")


def _who(annotator: str | None, config_path: Path | None) -> str:
    from auditor.configuration.configuration import load_configuration

    who = load_configuration(config_path, {"annotator": annotator}).settings.annotator
    if not who:
        hint = "Give --annotator NAME, or once and for all: auditor config set annotator NAME"
        raise InputError("nothing says who says so.", hint=hint)
    return who


def _tell(found: Invalidated, file: Path, what: str, *, dry_run: bool) -> None:
    from auditor.store.file import shell_path

    changed = len(found.changed)
    print_text(f"{counted(changed, 'prediction')} on {counted(found.tasks, 'task')} {_be(changed, what)}.")
    if found.already and what == "invalid now":
        print_text(f"{found.already:,} that the filter leaves were invalid before.")
    if found.reviewed and what == "invalid now":
        was = "was" if found.reviewed == 1 else "were"
        print_text(f"{found.reviewed:,} {was} reviewed or begun: the tags stay, and count nowhere.")
    for key in found.changed[:_SHOWN]:
        print_text(f"  {key}")
    if changed > _SHOWN:
        print_text(f"  … and {changed - _SHOWN:,} more; --json lists all.")
    if dry_run:
        print_text("Dry run: nothing was changed.")
    elif what == "invalid now":
        print_text("To ask them again:")
        print_text(f"  auditor export requests {shell_path(file)} --where invalid:yes -o requests.jsonl", wrap=False)
    else:
        print_text(f"Invalid in all: {found.invalid:,}.")


def _be(count: int, what: str) -> str:
    if what == "count again":
        return "counts again" if count == 1 else "count again"
    if what == "taken back":
        return "is what it was before" if count == 1 else "are what they were before"
    return f"{'is' if count == 1 else 'are'} {what}"


def _json(found: Invalidated, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "changed": [str(key) for key in found.changed],
        "tasks": found.tasks,
        "reviewed": found.reviewed,
        "already": found.already,
        "invalid": found.invalid,
    }


def _list(file: Path, where: str, as_json: bool) -> int:
    from auditor.audit.invalidate import list_invalid

    shown, more = first_records(file, lambda connection: list_invalid(connection, where), None if as_json else _LISTED)
    if as_json:
        print_json({"invalid": [_item_json(item) for item in shown]})
        return 0
    if not shown:
        print_text("Nothing that the filter leaves is invalid." if where else "Nothing is invalid.")
        return 0
    rows = [[str(key), why.reason, why.annotator, f"{why.at[:10]} {why.at[11:16]}"] for key, why in shown]
    print_table(["item", "reason", "by", "at"], rows, folds={"item": "/", "at": ""})
    print_text(f"{counted(len(shown) + more, 'prediction')}{'; --json lists all' if more else ''}.")
    return 0


def _item_json(item: InvalidItem) -> dict[str, Any]:
    key, why = item
    return {"item": str(key), **key._asdict(), **why._asdict()}
