"""One line of `tasks.jsonl`, both ways: the checks of a task and the order of its keys."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.formats.fields import (
    Fields,
    take_facets,
    take_measures,
    take_object,
    take_optional_text,
    take_optional_whole,
    take_required,
    take_text,
    take_texts,
    take_whole,
    wrong,
)
from auditor.formats.json_text import UnusableError
from auditor.model import TARGETS, TEXT_TARGETS, Checkpoint, JsonValue, Task
from auditor.text import visible_line

WHEN = ("before-iteration", "after-loop", "after-line")


def read_task(fields: Fields) -> Task:
    """Take a task out of its JSON object, leaving it empty of known keys; raises UnusableError."""
    study, case, arm = take_text(fields, "study"), take_text(fields, "case"), take_text(fields, "arm")
    language, source, shown = take_text(fields, "language"), take_text(fields, "source"), take_text(fields, "input")
    target = take_text(fields, "target")
    if target not in TARGETS:
        raise UnusableError(f'target is "{visible_line(target, 60)}", but must be one of {", ".join(TARGETS)}.')
    oracle = take_required(fields, "oracle")
    if target in TEXT_TARGETS and not (oracle is None or isinstance(oracle, str)):
        raise wrong("oracle", oracle, f"text where the target is {target}")
    clean_source = take_optional_text(fields, "clean_source")
    checkpoint, unknown = _take_checkpoint(fields, source, source if clean_source is None else clean_source)
    task = Task(
        study,
        case,
        arm,
        language,
        source,
        shown,
        target,
        oracle,
        clean_source=clean_source,
        problem=take_optional_text(fields, "problem"),
        implementation=take_optional_text(fields, "implementation"),
        test=take_optional_text(fields, "test"),
        checkpoint=checkpoint,
        prompt=_take_prompt(fields),
        question=take_optional_text(fields, "question"),
        answer_type=take_optional_text(fields, "answer_type"),
        dimensions=take_texts(fields, "dimensions"),
        measures=take_measures(fields),
        facets=take_facets(fields),
        extra=fields,
    )
    if unknown:
        fields["checkpoint"] = unknown
    return task


def _take_checkpoint(fields: Fields, source: str, clean_source: str) -> tuple[Checkpoint | None, Fields]:
    """Take the checkpoint and its unknown keys."""
    given = take_object(fields, "checkpoint")
    if given is None:
        return None, {}
    try:
        line = take_whole(given, "line", least=1)
        when = take_text(given, "when")
        iteration = take_optional_whole(given, "iteration")
        names, clean_line = take_texts(given, "fields"), take_optional_whole(given, "clean_line", least=1)
    except UnusableError as err:
        raise UnusableError(f"in its checkpoint, {err}") from err
    if when not in WHEN:
        raise UnusableError(f'in its checkpoint, when is "{visible_line(when, 60)}", but must be {_either(WHEN)}.')
    _check_line(line, source, "line", "source")
    _check_line(clean_line, clean_source, "clean_line", "clean source")
    return Checkpoint(line, when, iteration, names, clean_line), given


def _either(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _check_line(line: int | None, text: str, name: str, where: str) -> None:
    count = text.count("\n") + (not text.endswith("\n"))
    if line is not None and line > count:
        raise UnusableError(f"in its checkpoint, {name} is {line}, but the {where} ends at line {count}.")


def _take_prompt(fields: Fields) -> Mapping[str, JsonValue] | None:
    prompt = take_object(fields, "prompt")
    for name in ("system", "user"):
        if not isinstance(value := (prompt or {}).get(name), str | None):
            raise wrong(f"prompt.{name}", value, "text or null")
    return prompt


def task_line(task: Task) -> dict[str, JsonValue]:
    """Return the JSON object of a task, keys in their fixed order, absent ones left out."""
    extra = dict(task.extra)
    unknown = extra.pop("checkpoint", None) if task.checkpoint else None
    optional: dict[str, JsonValue] = {
        "clean_source": task.clean_source,
        "problem": task.problem,
        "implementation": task.implementation,
        "test": task.test,
        "checkpoint": _checkpoint_object(task.checkpoint, unknown) if task.checkpoint else None,
        "prompt": task.prompt,
        "question": task.question,
        "answer_type": task.answer_type,
        "dimensions": list(task.dimensions) or None,
        "measures": dict(task.measures) or None,
        "facets": dict(task.facets) or None,
    }
    return {
        "study": task.study,
        "case": task.case,
        "arm": task.arm,
        "language": task.language,
        "source": task.source,
        "input": task.input,
        "target": task.target,
        "oracle": task.oracle,
        **{name: value for name, value in optional.items() if value is not None},
        **extra,
    }


def _checkpoint_object(checkpoint: Checkpoint, unknown: JsonValue) -> dict[str, JsonValue]:
    value: dict[str, JsonValue] = {"line": checkpoint.line, "when": checkpoint.when}
    if checkpoint.iteration is not None:
        value["iteration"] = checkpoint.iteration
    if checkpoint.fields:
        value["fields"] = list(checkpoint.fields)
    if checkpoint.clean_line is not None:
        value["clean_line"] = checkpoint.clean_line
    return {**value, **unknown} if isinstance(unknown, Mapping) else value
