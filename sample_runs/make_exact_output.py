#!/usr/bin/env python3
"""Make the sample run `exact-output` from the programs beside this script: the same bytes each time.

Oracles come from running every program with this Python; the replies come from an interpreter with one planted fault a
setting, and those of a real model from its record. Measures are those of `auditor`, taken in its sandbox. `README.md`
says more.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from auditor.execution.measures import measure
from auditor.execution.program import Program
from auditor.execution.sandbox import Sandbox
from auditor.execution.tracing import trace
from auditor.studies.exact_output.propose import BUDGET, arcs_of
from auditor.studies.exact_output.static_measures import cyclomatic, nesting

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from making.admission import STATES, Admitted, admit  # noqa: E402
from making.cases import ARMS, INSIDE, LONG, SHORT, read_cases  # noqa: E402
from making.faults import Question  # noqa: E402
from making.replies import SETTINGS, Reply, Simulated, reply_to  # noqa: E402
from making.tagging import Item, tag_rows  # noqa: E402
from making.worked_examples import prompt_of  # noqa: E402

SYSTEM = """\
You are given a program and the text on its standard input. Work out what the program writes to its standard output, \
character by character. You cannot run it.

<program>
{source}</program>

<input>
{input}</input>

Answer with one JSON object and nothing else. Its only key is "output", its value the exact text as a string:
{{"output": "<exact text>"}}
"""
USER = "Give the exact output."

RUN = """\
[run]
name = "exact-output"
description = "Sample run: final output and checkpoint state of {cases} small programs, with planted faults"
provenance = "Simulated, but for one setting: under simulated/ no language model was asked, and every reply was made \
by an interpreter of the programs that has one planted fault a setting. The replies of gemma-3-270m/three-examples are \
what that model wrote. The tags of example-ana and example-ben are example data, drawn from the planted faults with \
noise; they are not the judgement of people."
python = "{python}"
"""
STUDY = """
[[study]]
name = "{name}"
policy = "{policy}"
envelope = "output-json"
cluster = "program"
codebook = "execution"
samples = 1
"""
KEY = ("study", "case", "arm")
RECORDED = HERE / "recorded" / "gemma-3-270m.jsonl"
"""Replies as `ask_gemma.py` wrote them down."""
REAL = {
    "setting": "gemma-3-270m/three-examples",
    "model": "gemma-3-270m",
    "mode": "direct",
    "prompting": "three-shot",
    "facets": {"weights": "Q4_K_M", "temperature": 0},
}
POLICIES = {"classic": "json-or-tokens", "text": "bytes"}
TAG_COLUMNS = ("study", "case", "arm", "setting", "sample", "annotator", "tag", "note", "at")
TAGGED_PER_SETTING = 12
TAGGED_BY_ONE = 8


def branches_preserved(sandbox: Sandbox, made: Admitted) -> bool | None:
    """Say whether the same lines follow each other with both inputs; None where a trace is too long to tell."""
    program = Program.python(made.case.source)
    short, long = (
        arcs_of(trace(sandbox, program, stdin=made.case.input_of(arm).encode(), budget=BUDGET)) for arm in (SHORT, LONG)
    )
    return None if short is None or long is None else short == long


def task_record(sandbox: Sandbox, made: Admitted, arm: str, preserved: bool | None) -> dict[str, Any]:
    """Return one line of tasks.jsonl."""
    case = made.case
    source, text = made.sources[arm], case.input_of(arm)
    record: dict[str, Any] = {
        "study": case.study,
        "case": case.name,
        "arm": arm,
        "language": "python",
        "source": source,
        "clean_source": case.source,
        "input": text,
        "target": "state" if arm in STATES else "output",
        "oracle": made.oracles[arm],
    }
    if arm in STATES:
        record["checkpoint"] = {
            "line": made.lines[arm],
            "when": "before-iteration" if arm == INSIDE else "after-loop",
            "iteration": made.iterations[arm],
            "fields": list(case.fields),
            "clean_line": case.loop_line,
        }
    record["prompt"] = {"system": SYSTEM.format(source=source, input=text), "user": USER}
    found = measure(sandbox, Program.python(source), stdin=text.encode())
    record["measures"] = {
        "cyclomatic": cyclomatic(source),
        "nesting": nesting(source),
        "trace_length": found.trace_length,
        "peak_state": found.peak_state,
        "state_load": found.state_load,
        "answer_length": len(made.oracles[arm].rstrip("\n")),
    }
    loc = sum(bool(line.strip()) for line in case.source.splitlines())
    record["facets"] = {"loc": loc, "topic": case.topic, "difficulty": case.difficulty}
    if preserved is not None:
        record["facets"]["branches_preserved"] = preserved
    return record


def response_record(item: Item, reply: Reply, fault: str) -> dict[str, Any]:
    """Return one line of responses.jsonl; `planted` says what the interpreter did wrong, null when nothing."""
    study, case, arm, setting = item
    record: dict[str, Any] = {"study": study, "case": case, "arm": arm, "setting": setting, "sample": 0}
    record["response"] = reply.text
    if reply.reasoning is not None:
        record["reasoning"] = reply.reasoning
    record["finish"] = reply.finish
    if reply.error is not None:
        record["error"] = reply.error
    record["planted"] = f"{fault}: {reply.detail}" if reply.detail else None
    return record


def setting_record(setting: Simulated) -> dict[str, Any]:
    """Return one line of settings.jsonl."""
    return {
        "setting": setting.name,
        "model": "simulated-interpreter",
        "mode": "reasoning" if setting.reasons else "direct",
        "prompting": "zero-shot",
        "facets": {"fault": setting.fault},
    }


def recorded_replies(tasks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the real model wrote, after checking that it was asked exactly these tasks.

    Raises ValueError when a task or its prompt is another by now: then the model has to be asked again.
    """
    asked = {
        tuple(task[name] for name in KEY): sha256(prompt_of(task["source"], task["input"]).encode()).hexdigest()
        for task in tasks
    }
    records = [json.loads(line) for line in RECORDED.read_text(encoding="ascii").splitlines()]
    if {tuple(record[name] for name in KEY): record["prompt_sha256"] for record in records} != asked:
        raise ValueError(f"{RECORDED.name} answers other prompts than those of these tasks; run ask_gemma.py again.")
    return records


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write records as JSON lines."""
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def make(out: Path) -> None:
    """Write the run directory and the example tags."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        admitted = [admit(case, Path(folder)) for case in read_cases(HERE / "programs")]
    admitted.sort(key=lambda made: (made.case.study, made.case.name))
    replies: list[tuple[Item, Reply]] = []
    faults: dict[str, str] = {}
    for setting in SETTINGS:
        faults[setting.name] = setting.fault
        for made in admitted:
            case = made.case
            for arm in ARMS:
                question = Question(case, arm, case.input_of(arm), made.oracles[arm], made.right[arm])
                replies.append(((case.study, case.name, arm, setting.name), reply_to(setting, question)))
    studies = "".join(STUDY.format(name=name, policy=policy) for name, policy in POLICIES.items())
    # Opcodes are those of a minor version of Python.
    text = RUN.format(cases=len(admitted), python=".".join(map(str, sys.version_info[:2]))) + studies
    (out / "run.toml").write_text(text, encoding="ascii", newline="\n")
    with Sandbox() as sandbox:
        tasks = []
        for made in admitted:
            preserved = branches_preserved(sandbox, made)
            tasks += [task_record(sandbox, made, arm, preserved) for arm in ARMS]
    simulated = [response_record(i, reply, faults[i[3]]) for i, reply in replies]
    write_lines(out / "tasks.jsonl", tasks)
    write_lines(out / "responses.jsonl", simulated + recorded_replies(tasks))
    write_lines(out / "settings.jsonl", [*map(setting_record, SETTINGS), REAL])
    with (out / "tags.csv").open("w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(TAG_COLUMNS)
        writer.writerows(tag_rows(replies, TAGGED_PER_SETTING, TAGGED_BY_ONE))


def main() -> None:
    """Read the command line and make the run."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=Path, help="the run directory to write")
    make(parser.parse_args().out)


if __name__ == "__main__":
    main()
