"""The commands of `auditor cstar` around the benchmark: programs translated from Python, and prompts about programs."""

from __future__ import annotations

from pathlib import Path

import click

from auditor.cli import options
from auditor.cli.cstar_text import notation_option, program_file, read_program, read_text, shown_name, write_program
from auditor.cli.output import print_json
from auditor.errors import InputError


@click.command("translate")
@program_file
@click.option(
    "--input",
    "input_file",
    type=click.Path(path_type=Path),
    metavar="TEXT_FILE",
    help="What the program reads: a number in each line.",
)
def translate_command(file: Path, input_file: Path | None) -> int:
    """Translate a Python program of integers, loops and branches to C*; what C* cannot express is refused.

    Numbers that it reads with int(input()) become numbers of the program; what it prints stands in ans, ans2 ...

    \b
    auditor cstar translate program.py | auditor cstar run -
    """
    from auditor.studies.prex.cstar.printing import print_program
    from auditor.studies.prex.from_python import translate

    source, text = read_text(file), read_text(input_file) if input_file else ""
    try:
        write_program(print_program(translate(source, text).program))
    except InputError as error:
        error.message = f"{shown_name(file)}, {error.message}"
        raise
    return 0


@click.command("prompt")
@program_file
@click.option(
    "--formalism",
    type=click.Choice(("S", "K"), case_sensitive=False),
    default="S",
    show_default=True,
    help="The semantics: S (small-step) or K (rewriting).",
)
@notation_option
@click.option(
    "--task",
    type=click.Choice(("verdict", "final-state")),
    default="verdict",
    show_default=True,
    help="Is a rule violated, and which; or what are the variables at the end.",
)
@click.option(
    "--strategy",
    type=click.Choice(("da", "cot")),
    default="da",
    show_default=True,
    help="The answer alone, or the reasons first.",
)
@options.as_json
def prompt_command(file: Path, formalism: str, notation: str, task: str, strategy: str, as_json: bool) -> int:
    """Write what a model is asked about a program: grammar, all rules, the program, and the answer's form.

    --notation says in which symbols the program is written; grammar and rules are written in the same.
    """
    from auditor.studies.prex.cstar.notation import notation_called
    from auditor.studies.prex.cstar.rules import Formalism
    from auditor.studies.prex.prompts import Strategy, executability_prompt, final_state_prompt

    source = read_text(file)
    read_program(source, file, notation, strict=False)
    make = executability_prompt if task == "verdict" else final_state_prompt
    prompt = make(Formalism(formalism.upper()), notation_called(notation), Strategy(strategy)).about(source)
    if as_json:
        print_json(prompt._asdict())
    else:
        write_program(f"{prompt.system}\n\n{prompt.user}")
    return 0
