"""`auditor cstar`: check, run, print, respell and break programs in C*, list its rules, and make random ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.cstar_ask import prompt_command, translate_command
from auditor.cli.cstar_make import fuzz_command, obfuscate, plant_command, swap
from auditor.cli.cstar_results import execution_json, print_execution, print_trace, step_json
from auditor.cli.cstar_text import (
    notation_option,
    program_file,
    read_program,
    read_text,
    shown_name,
    strict_option,
    write_program,
)
from auditor.cli.output import print_json, print_table, print_text
from auditor.errors import InputError
from auditor.studies.prex.cstar.notation import NOTATIONS, SYMBOL_KINDS, notation_called
from auditor.studies.prex.cstar.rules import Formalism, rule, rules_of, semantics_text
from auditor.studies.prex.cstar.syntax_kind import Syntax
from auditor.text import counted

if TYPE_CHECKING:
    from auditor.studies.prex.cstar.machine import Step

MOST_STEPS = 100_000_000

_formalism = click.option(
    "--formalism",
    type=click.Choice(("S", "K"), case_sensitive=False),
    default="S",
    show_default=True,
    help="The semantics: S (small-step) or K (rewriting).",
)


@click.group("cstar")
def cstar() -> None:
    """Work with programs in C*, the language of PrEx: a small part of C with two formal semantics.

    FILE is a program; - reads it from the standard input.

    \b
    auditor cstar run program.imp --trace
    auditor cstar swap program.imp | auditor cstar run - --notation swap
    auditor cstar rules K 7
    """


@cstar.command("check")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True), metavar="FILE...")
@notation_option
@strict_option
@options.as_json
def check(files: tuple[Path, ...], notation: str, strict: bool, as_json: bool) -> int:
    """Say of each program whether it is one, and where it is not (exit code 1)."""
    from auditor.studies.prex.cstar.syntax_tree import every_statement

    rows: list[dict[str, Any]] = []
    for file in files:
        row: dict[str, Any] = {"file": str(file), "ok": True}
        try:
            source = read_text(file)
            depths = [depth for _, depth, _ in every_statement(read_program(source, file, notation, strict))]
            row |= {"lines": len(source.splitlines()), "statements": len(depths), "depth": max(depths, default=0)}
        except InputError as error:
            row |= {"ok": False, "error": str(error), **_position(error)}
        rows.append(row)
    if as_json:
        print_json({"programs": rows})
    else:
        for row in rows:
            if row["ok"]:
                size = f"{counted(row['lines'], 'line')}, {counted(row['statements'], 'statement')}"
                print_text(f"{shown_name(Path(row['file']))}: a program of {size}, nested to depth {row['depth']}.")
            else:
                print_text(row["error"])
    return int(not all(row["ok"] for row in rows))


@cstar.command("run")
@program_file
@_formalism
@notation_option
@strict_option
@click.option(
    "--steps",
    type=click.IntRange(1, MOST_STEPS),
    metavar="N",
    default=1_000_000,
    show_default=True,
    help="Stop after so many steps.",
)
@click.option("--trace", is_flag=True, help="List the rules that are applied, step by step.")
@click.option(
    "--limit", type=options.COUNT, metavar="N", default=1000, show_default=True, help="Steps that are listed."
)
@options.as_json
def run_command(
    file: Path,
    formalism: str,
    notation: str,
    strict: bool,
    steps: int,
    trace: bool,
    limit: int,
    as_json: bool,
) -> int:
    """Run a program: its verdict, the violated rule and the final state.

    The exit code is 0 whether or not the program violates a rule, and 1 when there is no verdict: the steps did not
    suffice, or no rule applies.

    \b
    auditor cstar run program.imp
    auditor cstar run program.imp --formalism K --trace
    """
    from auditor.studies.prex.cstar.machine import Stepper, run

    program = read_program(read_text(file), file, notation, strict)
    listed: list[Step] = []
    if trace:
        stepper = Stepper(program, Formalism(formalism), steps)
        listed = [step for step in stepper if step.number <= limit]
        assert stepper.execution is not None
        execution = stepper.execution
    else:
        execution = run(program, Formalism(formalism), steps)
    if as_json:
        print_json(execution_json(execution) | ({"trace": [step_json(step) for step in listed]} if trace else {}))
    else:
        if trace:
            print_trace(listed, execution)
        print_execution(execution)
    return int(execution.verdict is None)


@cstar.command("print")
@program_file
@notation_option
@strict_option
@click.option(
    "--as", "wanted", type=click.Choice(tuple(NOTATIONS)), help="The notation to print; else that of the program."
)
@click.option("--parentheses", is_flag=True, help="Print in the strict syntax: two pairs around every condition.")
def print_command(file: Path, notation: str, strict: bool, wanted: str | None, parentheses: bool) -> int:
    """Print a program in one layout, every operation in parentheses."""
    from auditor.studies.prex.cstar.printing import print_program

    program = read_program(read_text(file), file, notation, strict)
    syntax = Syntax.STRICT if parentheses else Syntax.LIBERAL
    write_program(print_program(program, notation_called(wanted or notation), syntax))
    return 0


@cstar.command("rules")
@click.argument("formalism", type=click.Choice(("S", "K"), case_sensitive=False))
@click.argument("numbers", nargs=-1, type=int, metavar="[RULE]...")
@notation_option
@click.option("--words", is_flag=True, help="Print the rules in words.")
@click.option("--full", is_flag=True, help="Print the whole semantics as a text, with how to read it.")
@options.as_json
def rules(formalism: str, numbers: tuple[int, ...], notation: str, words: bool, full: bool, as_json: bool) -> int:
    """List the rules of S or K, or only those of these numbers, which are printed in full."""
    home, spelled = Formalism(formalism), notation_called(notation)
    listed = [rule(home, number) for number in numbers] or list(rules_of(home))
    if as_json:
        fields = [
            {"number": one.number, "name": one.name, "group": one.group, "error": one.error}
            | {"formal": one.formal(spelled), "text": one.words(spelled)}
            for one in listed
        ]
        print_json({"formalism": home.value, "notation": notation, "rules": fields})
    elif full:
        print_text(semantics_text(home, spelled), wrap=False)
    elif numbers:
        for one in listed:
            error = f"; an error: {one.error}" if one.error else ""
            print_text(f"{one.label} of {home.value}: {one.name} ({one.group}{error})")
            print_text(f"\n{one.formal(spelled)}\n", wrap=False)
            print_text(one.words(spelled) + "\n")
    else:
        column = "rule in words" if words else "rule"
        rows = [
            (
                one.number,
                one.group,
                "error" if one.error else "",
                one.words(spelled) if words else one.formal_line(spelled),
            )
            for one in listed
        ]
        print_table(("number", "group", "", column), rows)
    return 0


def _position(error: InputError) -> dict[str, Any]:
    """Return where a text stops being a program, for programs."""
    from auditor.studies.prex.cstar.parsing import CStarSyntaxError

    if not isinstance(error, CStarSyntaxError):
        return {}
    return {"line": error.line, "column": error.column, "found": error.found, "expected": list(error.expected)}


@cstar.command("grammar")
@notation_option
@click.option("--liberal", is_flag=True, help="The liberal syntax, else the strict one.")
def grammar(notation: str, liberal: bool) -> int:
    """Print the grammar in EBNF."""
    from auditor.studies.prex.cstar.ebnf import grammar_text

    write_program(grammar_text(Syntax.LIBERAL if liberal else Syntax.STRICT, notation_called(notation)))
    return 0


@cstar.command("differences")
@options.as_json
def differences(as_json: bool) -> int:
    """List where S, K and C differ, each with a small program that shows it."""
    from auditor.studies.prex.cstar.differences import DIFFERENCES

    if as_json:
        print_json({"differences": [one._asdict() for one in DIFFERENCES]})
        return 0
    for one in DIFFERENCES:
        print_text(f"{one.program}\n  S: {one.small_step}\n  K: {one.k}\n  C: {one.c}\n")
    return 0


@cstar.command("symbols")
@options.as_json
def symbols(as_json: bool) -> int:
    """List how each symbol is written in each notation, as in the paper's Table 3."""
    rows = [
        (kind, symbol, *(one.spell(symbol) for one in list(NOTATIONS.values())[1:]))
        for kind, some in SYMBOL_KINDS.items()
        for symbol in some
    ]
    if as_json:
        names = ("kind", *NOTATIONS)
        print_json({"symbols": [dict(zip(names, row, strict=True)) for row in rows]})
        return 0
    print_table(("kind", *NOTATIONS), rows)
    return 0


for _command in (swap, obfuscate, plant_command, fuzz_command, translate_command, prompt_command):
    cstar.add_command(_command)
