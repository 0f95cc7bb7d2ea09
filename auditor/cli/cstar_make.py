"""The commands of `auditor cstar` that make programs: respelled ones, invalid ones, random ones."""

from __future__ import annotations

from pathlib import Path

import click

from auditor.cli import options
from auditor.cli.cstar_results import execution_json
from auditor.cli.cstar_text import notation_option, program_file, read_program, read_text, write_program
from auditor.cli.output import print_json, say
from auditor.errors import InputError
from auditor.studies.prex.cstar.error_kinds import PlantedError
from auditor.studies.prex.cstar.fuzzing import DEEPEST, LONGEST
from auditor.text import counted, visible_line

_ERRORS = tuple(error.value for error in PlantedError)

_seed = click.option("--seed", default="0", metavar="SEED", show_default=True, help="The same seed gives the same.")


@click.command("swap")
@program_file
def swap(file: Path) -> int:
    """Exchange + and -, * and /, < and >, <= and >=, == and !=, && and ||; again, and the program is as it was."""
    return _respell(file, "standard", "swap")


@click.command("obfuscate")
@program_file
@click.option(
    "--alphabet",
    type=click.Choice(("letters", "tokens")),
    default="letters",
    show_default=True,
    help="Letters of an old script, or signs that are one token each.",
)
@click.option("--back", is_flag=True, help="Turn a program that is written so into the symbols of C.")
def obfuscate(file: Path, alphabet: str, back: bool) -> int:
    """Write a program in symbols that nobody has seen in programs; layout, names and numbers stay."""
    obscure = "obf" if alphabet == "letters" else "obf-token"
    return _respell(file, obscure, "standard") if back else _respell(file, "standard", obscure)


@click.command("plant")
@program_file
@click.option(
    "--error", type=click.Choice(_ERRORS), metavar="KIND", required=True, help=f"One of {', '.join(_ERRORS)}."
)
@_seed
@options.as_json
def plant_command(file: Path, error: str, seed: str, as_json: bool) -> int:
    """Make a valid program invalid: put in one error, where the execution comes by."""
    from auditor.studies.prex.cstar.planting import Field

    field = Field(read_program(read_text(file), file, "standard", strict=False))
    planted = field.plant(PlantedError(error), seed_of(seed))
    if as_json:
        told = {formalism.value: execution_json(one) for formalism, one in planted.executions.items()}
        print_json({"error": error, "program": planted.source, "line": planted.place.line, "executions": told})
    else:
        write_program(planted.source)
        rules = " and ".join(f"Rule {one.rule} of {formalism.value}" for formalism, one in planted.executions.items())
        say(f"Line {planted.place.line} violates {rules}.")
    return 0


@click.command("fuzz")
@click.option("--lines", type=click.IntRange(4, LONGEST), default=100, show_default=True, help="Lines of a program.")
@click.option("--depth", type=click.IntRange(0, DEEPEST), default=5, show_default=True, help="The deepest nesting.")
@_seed
@click.option("--count", type=click.IntRange(1, 100_000), default=1, show_default=True, help="How many programs.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help="Write them here."
)
@notation_option
def fuzz_command(lines: int, depth: int, seed: str, count: int, out: Path | None, notation: str) -> int:
    """Print a random program that is valid and ends; or write many, fuzz_SEED.imp and so on, into a folder."""
    from auditor.studies.prex.cstar.fuzzing import Shape, fuzz
    from auditor.studies.prex.cstar.notation import notation_called
    from auditor.studies.prex.cstar.printing import print_program

    shape, spelled = Shape(lines, depth), notation_called(notation)
    if out is None and count > 1:
        raise InputError("several programs need a place to go to.", hint="Give -o FOLDER.")
    if out is None:
        write_program(print_program(fuzz(seed_of(seed), shape), spelled))
        return 0
    first = seed_of(seed)
    if not isinstance(first, int):
        raise InputError(
            "programs in a folder are numbered.", hint="Give --seed a number; it is that of the first one."
        )
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / f"fuzz_{number}.imp" for number in range(first, first + count)]
    if there := next((path for path in paths if path.exists()), None):
        raise InputError(f"{visible_line(str(there))} is there already.", hint="Give another folder or --seed.")
    for number, path in enumerate(paths, first):
        path.write_text(print_program(fuzz(number, shape), spelled), encoding="utf-8")
    say(f"{counted(count, 'program')} written to {visible_line(str(out))}.")
    return 0


def _respell(file: Path, written: str, wanted: str) -> int:
    from auditor.studies.prex.cstar.notation import notation_called
    from auditor.studies.prex.cstar.respelling import respell

    source = read_text(file)
    read_program(source, file, written, strict=False)
    write_program(respell(source, notation_called(written), notation_called(wanted)))
    return 0


def seed_of(seed: str) -> int | str:
    """Return a seed as random numbers take it: a whole number as such, and bytes that are no text written out."""
    return int(seed) if seed.isdecimal() and len(seed) < 20 else seed.encode("utf-8", "backslashreplace").decode()
