"""The requests of a round about the tasks of a run: the first for every task, later ones after each reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from auditor.errors import InputError
from auditor.formats.fields import take_optional_text, take_optional_whole, take_text
from auditor.formats.json_text import UnusableError, parse_object
from auditor.formats.records import Refusal
from auditor.formats.run_directory import TASKS
from auditor.formats.task_record import read_task
from auditor.model import TURNS, JsonValue, ResponseKey, Task, TaskKey
from auditor.studies.core.prompts import Prompting, messages_of
from auditor.text import counted, visible_line

Replies = dict[ResponseKey, dict[str, JsonValue]]
"""Lines of a file of responses, by their keys."""


class Round(NamedTuple):
    """What came of asking for a round, or of putting all rounds together."""

    lines: list[dict[str, JsonValue]]
    refused: list[Refusal]


def read_tasks(run: Path) -> dict[TaskKey, Task]:
    """Read the tasks of a run directory; raises InputError."""
    where = visible_line(str(run))
    try:
        rows = (run / TASKS).read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"its {TASKS} cannot be read ({error.strerror}).", where=where) from error
    tasks: dict[TaskKey, Task] = {}
    for number, row in enumerate(rows, 1):
        if row.strip():
            try:
                task = read_task(parse_object(row))
            except UnusableError as error:
                raise InputError(str(error), where=f"{where}/{TASKS}:{number}") from error
            tasks[task.key] = task
    asked = {key: task for key, task in tasks.items() if task.target in ("output", "probe")}
    if not asked:
        raise InputError("there are no outputs or probes to ask for.", where=where, hint="Build a run first.")
    return asked


def read_replies(path: Path, tasks: Mapping[TaskKey, Task], refused: list[Refusal]) -> Replies:
    """Read a file of responses; lines that cannot be used are put among `refused`. Raises InputError."""
    try:
        rows = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"it cannot be read ({error.strerror}).", where=visible_line(str(path))) from error
    found: Replies = {}
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        try:
            values = parse_object(row)
            fields = dict(values)
            study, case, arm, setting = (take_text(fields, name) for name in ("study", "case", "arm", "setting"))
            key = ResponseKey(study, case, arm, setting, take_optional_whole(fields, "sample") or 0)
            take_optional_text(fields, "response")
            if key.task not in tasks:
                raise UnusableError("the run has no such task.")
            if key in found:
                raise UnusableError("a reply to the same came before.")
            if "response" not in values:
                raise UnusableError("it has no response.")
            found[key] = values
        except UnusableError as error:
            refused.append(Refusal(f"{visible_line(path.name, 60)}:{number}", str(error)))
    return found


def first_round(tasks: Mapping[TaskKey, Task], prompting: Prompting, setting: str, samples: int) -> Round:
    """Return the requests of the first round."""
    lines = [
        _request(task, prompting, ResponseKey(*key, setting, sample), ())
        for key, task in tasks.items()
        for sample in range(samples)
    ]
    return Round(lines, [])


def next_round(tasks: Mapping[TaskKey, Task], prompting: Prompting, replies: Sequence[Replies]) -> Round:
    """Return the requests after the replies to all rounds so far, a file of them each.

    Raises InputError when the prompting has no further round.
    """
    if len(replies) > prompting.rounds:
        rounds = counted(prompting.rounds + 1, "round")
        hint = "Put the replies together with --responses."
        raise InputError(f"{prompting.value} has {rounds}, and there are replies to all.", hint=hint)
    refused: list[Refusal] = []
    lines = [_request(tasks[key.task], prompting, key, said) for key, said in _conversations(replies, refused)]
    return Round(lines, refused)


def responses_of(replies: Sequence[Replies]) -> Round:
    """Return the lines of the last round with the earlier replies in `turns`, for `responses.jsonl`."""
    refused: list[Refusal] = []
    lines: list[dict[str, JsonValue]] = []
    earlier = _conversations(replies[:-1], refused) if len(replies) > 1 else ((key, ()) for key in replies[0])
    for key, said in earlier:
        last = replies[-1].get(key)
        if last is None:
            refused.append(Refusal(str(key), "there is no reply to its last round."))
        else:
            lines.append({**last, **({TURNS: list(said)} if said else {})})
    return Round(lines, refused)


def _conversations(replies: Sequence[Replies], refused: list[Refusal]) -> Iterator[tuple[ResponseKey, tuple[str, ...]]]:
    """Yield what was said so far in each conversation; those with a gap are refused."""
    for key in replies[0]:
        said = [one.get(key, {}).get("response") for one in replies]
        texts = tuple(text for text in said if isinstance(text, str))
        if len(texts) == len(said):
            yield key, texts
        else:
            gap = next(number for number, text in enumerate(said, 1) if not isinstance(text, str))
            refused.append(Refusal(str(key), f"there is no reply to its round {gap}, so nothing follows on it."))


def _request(task: Task, prompting: Prompting, key: ResponseKey, said: Sequence[str]) -> dict[str, JsonValue]:
    messages = messages_of(task, prompting, said)
    return {
        **key._asdict(),
        "prompting": prompting.value,
        "round": len(said) + 1,
        "rounds": prompting.rounds + 1,
        "messages": [message._asdict() for message in messages],
    }
