"""`auditor build core-requests`: what to ask a model about the tasks of a CoRE run, round by round."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from auditor.cli import options
from auditor.cli.output import say, say_refused
from auditor.errors import InputError
from auditor.text import counted, json_line

if TYPE_CHECKING:
    from auditor.formats.records import Refusal
    from auditor.studies.core.prompts import Prompting
    from auditor.studies.core.rounds import Round


@click.command("core-requests")
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN_DIR")
@click.option(
    "--prompting",
    type=click.Choice(("io", "cot", "coc", "rhda-1", "rhda-2")),
    default="io",
    show_default=True,
    help="Direct, chain of thought, chain of code, or one and two rounds of reflection.",
)
@click.option("--setting", metavar="NAME", help="The setting that the replies will be of.")
@click.option("--samples", type=options.COUNT, default=1, show_default=True, metavar="N", help="Replies to a task.")
@click.option(
    "--replies",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Replies to the rounds so far, one file a round in their order.",
)
@click.option("--responses", is_flag=True, help="Put the replies of all rounds together, in place of asking.")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The file to write.")
@click.option("--force", is_flag=True, help="Write over a file that exists.")
def core_requests(
    run: Path,
    prompting: str,
    setting: str | None,
    samples: int,
    paths: tuple[Path, ...],
    responses: bool,
    out: Path,
    force: bool,
) -> int:
    """Write what to ask a model about the tasks of RUN_DIR, one request a line.

    Without --replies these are the requests of the first round. Reflection asks again: give the replies to the rounds
    so far, each file as the lines of responses.jsonl, and the requests of the next round follow from each reply. When
    all rounds are there, --responses writes the last replies with the earlier ones in their key `turns`.

    \b
    auditor build core-requests core --prompting rhda-1 --setting my-model+rhda-1 -o first.jsonl
    auditor build core-requests core --prompting rhda-1 --replies replies-1.jsonl -o second.jsonl
    auditor build core-requests core --prompting rhda-1 --replies replies-1.jsonl \\
        --replies replies-2.jsonl --responses -o core/responses.jsonl --force
    """
    from auditor.formats.whole_file import whole_file
    from auditor.studies.core.prompts import Prompting

    found = _found(run, Prompting(prompting), setting, samples, paths, responses)
    with whole_file(out, force=force) as file:
        for line in found.lines:
            file.write(json_line(line) + b"\n")
    say(f"{counted(len(found.lines), 'response' if responses else 'request')} written to {out}.")
    say_refused(found.refused, "record")
    return int(bool(found.refused))


def _found(
    run: Path, prompting: Prompting, setting: str | None, samples: int, paths: tuple[Path, ...], responses: bool
) -> Round:
    from auditor.studies.core.rounds import Round, first_round, next_round, read_replies, read_tasks, responses_of

    tasks = read_tasks(run)
    if not paths:
        if responses:
            raise InputError("there are no replies to put together.", hint="Give them with --replies.")
        if setting is None:
            raise InputError("the requests need a setting.", hint="Give it with --setting NAME.")
        return first_round(tasks, prompting, setting, samples)
    if setting is not None:
        raise InputError("the replies say of which setting they are; leave --setting out.")
    unusable: list[Refusal] = []
    replies = [read_replies(path, tasks, unusable) for path in paths]
    if responses and len(replies) != prompting.rounds + 1:
        rounds, files = counted(prompting.rounds + 1, "round"), counted(len(replies), "file")
        raise InputError(
            f"{prompting.value} has {rounds}, but {files} of replies.",
            hint="Give one file of replies for each round, in their order.",
        )
    made = responses_of(replies) if responses else next_round(tasks, prompting, replies)
    return Round(made.lines, [*unusable, *made.refused])
