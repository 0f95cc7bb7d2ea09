"""Programs in C* for the command line: reading them from files, and writing them exactly."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from auditor.errors import InputError
from auditor.studies.prex.cstar.notation import NOTATIONS, notation_called
from auditor.studies.prex.cstar.syntax_kind import Syntax
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.studies.prex.cstar.syntax_tree import Program

program_file = click.argument("file", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE")
notation_option = click.option(
    "--notation",
    type=click.Choice(tuple(NOTATIONS)),
    default="standard",
    show_default=True,
    help="How the symbols are written: as in C, swapped, in unseen letters, or in unseen signs.",
)
strict_option = click.option("--strict", is_flag=True, help="Take the strict syntax only: the paper's Figure 2.")


def read_text(file: Path) -> str:
    """Return the text of a program without a byte order mark; raises InputError when there is none."""
    name = shown_name(file)
    if str(file) == "-":
        data = sys.stdin.buffer.read()
    elif not file.exists():
        raise InputError(f"there is no file {name}.")
    elif file.is_dir():
        raise InputError(f"{name} is a folder, not a program.")
    else:
        data = file.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("this is not UTF-8.", where=f"{name}, line {line}") from None


def read_program(source: str, file: Path, notation: str, strict: bool) -> Program:
    """Read a program; raises InputError with the name of its file."""
    from auditor.studies.prex.cstar.parsing import parse

    try:
        return parse(source, notation_called(notation), Syntax.STRICT if strict else Syntax.LIBERAL)
    except InputError as error:
        error.message = f"{shown_name(file)}, {error.message}"
        raise


def write_program(text: str) -> None:
    """Write a program exactly; it holds nothing that a terminal would act on, since it has been read as one."""
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def shown_name(file: Path) -> str:
    """Return how messages name a program's file."""
    return "the standard input" if str(file) == "-" else visible_line(str(file))
