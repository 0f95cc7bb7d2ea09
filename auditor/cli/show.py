"""`auditor show`: the texts of one item, printed or written byte for byte."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from auditor.cli import options
from auditor.cli.output import print_json, print_text, say
from auditor.errors import AuditorError, InputError
from auditor.text import counted, to_bytes, visible_line


@click.command("show")
@options.audit_file
@click.argument("item", metavar="ITEM")
@click.option(
    "--part",
    type=click.Choice(("oracle", "prediction", "reply", "reasoning", "source", "input", "prompt", "executed", "item")),
    default="item",
    show_default=True,
    help="Which text; `executed` is what running its task gave, `item` all the others under their names.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="PATH", help="Write it into this file.")
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@click.option("--arms", "beside", flag_value="arms", help="List the arms of its case instead.")
@click.option("--settings", "beside", flag_value="settings", help="List all answers to its task instead.")
@click.option(
    "--consistency",
    "beside",
    flag_value="consistency",
    help="Print what its setting made of its problem instead: implementations by tests, probes, measures of CoRE.",
)
@click.option(
    "--side-by-side",
    "beside",
    flag_value="sides",
    help="Print its implementation beside another one of its problem instead, row by row: the nearest, or --with.",
)
@click.option("--with", "other", metavar="IMPLEMENTATION", help="Of --side-by-side: which other implementation.")
@options.as_json
def show_command(
    file: Path,
    item: str,
    part: str,
    output: Path | None,
    force: bool,
    beside: str | None,
    other: str | None,
    as_json: bool,
) -> int:
    """Print a text of ITEM, named by its key as `tags list` prints it, or what stands beside it.

    A terminal gets it with every control character visible; a file or a pipe gets the bytes as they are stored.

    \b
    auditor show audit.db loops/case-1/output/model-a/0
    auditor show audit.db loops/case-1/output/model-a/0 --part reply -o reply.txt
    auditor show audit.db loops/case-1/output/model-a/0 --part source | less
    auditor show audit.db loops/case-1/output/model-a/0 --part executed
    auditor show audit.db loops/case-1/output/model-a/0 --arms
    """
    if other is not None and beside != "sides":
        raise InputError("--with names an implementation for --side-by-side, which is not there.")
    if beside == "sides":
        from auditor.cli.side_by_side import print_side_by_side

        return print_side_by_side(file, item, other, as_json=as_json)
    if beside == "consistency":
        from auditor.cli.consistency import print_consistency

        return print_consistency(file, item, as_json=as_json)
    if beside is not None:
        from auditor.cli.related import print_related

        return print_related(file, item, arms=beside == "arms", as_json=as_json)
    from auditor.audit.item_parts import PARTS, TakenError, executed, part_text, read_item, save_part, why_no_part

    found = read_item(file, item)
    ran = executed(file, found.response_id)
    if as_json:
        texts = {one.id: part_text(found, one.id) for one in PARTS if one.id != "item"}
        invalid = None if found.invalid is None else found.invalid._asdict()
        about = None if ran is None else ran._asdict()
        print_json({"item": str(found.key), "invalid": invalid, "parts": texts, "executed": about})
        return 0
    text = part_text(found, part) if part != "executed" else ran and ran.output
    if text is None and part == "executed":
        why = "its task was not run; auditor grade FILE --execute does that" if ran is None else ran.words
        raise AuditorError(f"{visible_line(item, 200)}: no output: {visible_line(why, 200)}.")
    if text is None:
        name = next(one.name for one in PARTS if one.id == part)
        raise AuditorError(f"{visible_line(item, 200)}: {name}: {why_no_part(found, part)}.")
    if output is None:
        if sys.stdout.isatty():
            print_text(text.removesuffix("\n"), wrap=False)
        else:
            sys.stdout.buffer.write(to_bytes(text))
        return 0
    try:
        written = save_part(output, text, replace=force)
    except TakenError as error:
        raise InputError(str(error), hint="Name another file, or replace it with --force.") from error
    say(f"{output}: {counted(written, 'byte')}.")
    return 0
