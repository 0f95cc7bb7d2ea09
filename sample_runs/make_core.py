#!/usr/bin/env python3
"""Make the sample run `core` from some of the problems in `core_problems`: the same bytes each time.

Tasks and oracles are those that `auditor build core` makes; the replies are written by simulated settings with the
faults of `core_faults.toml`. `README.md` says more. It takes the package `auditor` with the extra `core`.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from making.chance import between, pick, share, shuffled  # noqa: E402
from making.core_faults import RIGHT, Plan, Simulated, read_plan, right_answer, struck, wrong_answer  # noqa: E402

from auditor.formats.plan import KEY, plan_value  # noqa: E402
from auditor.formats.records import Planned, RunInfo  # noqa: E402
from auditor.formats.run_writer import write_run_directory  # noqa: E402
from auditor.model import JsonValue, Response, ResponseKey, Setting, Task  # noqa: E402
from auditor.studies.core.building import BuildOptions, build_all  # noqa: E402
from auditor.studies.core.problem_files import read_problems  # noqa: E402
from auditor.studies.core.tasks import study_named  # noqa: E402
from auditor.studies.exact_output.executors import local_processes  # noqa: E402

PROBLEMS, FAULTS = "core_problems", "core_faults.toml"
PROVENANCE = (
    "Simulated: no language model was asked. Every reply was written by a program that is right but for the planted"
    " faults of its setting. The tags of example-ana and example-ben are example data, drawn from the planted faults"
    " with noise; they are not the judgement of people."
)
TAG_COLUMNS = ("study", "case", "arm", "setting", "sample", "annotator", "tag", "note", "at")
TAGS = ("arithmetic", "state-transition", "control-flow", "copying")
TAGGED = 48
THOUGHTS = ("Going through the call line by line.", "Following the variables of the call.", "Step by step.")


def tasks_of(plan: Plan, workers: int = 2) -> list[Task]:
    """Build the tasks."""
    problems, unreadable = read_problems([HERE / PROBLEMS / name.replace("-", "_") for name in plan.problems])
    assert not unreadable, unreadable
    options = BuildOptions(at_least=plan.tests)
    with local_processes(workers) as executor:
        built = sorted(build_all(problems, options, executor), key=lambda one: one.problem)
    assert not any(one.refusals for one in built), built
    return [task for one in built for task in one.tasks]


# --- the replies ---------------------------------------------------------------------------------------------------


def replies_of(setting: Simulated, tasks: Sequence[Task]) -> Iterator[Response]:
    """Yield what a setting answers, sample by sample; nothing where a reply is absent."""
    for sample in range(setting.samples):
        for task, does in struck(setting, tasks, sample):
            if does != "absent":
                yield _reply(setting, task, sample, does)


def _reply(setting: Simulated, task: Task, sample: int, does: str) -> Response:
    key = ResponseKey(*task.key, setting.name, sample)
    planted: dict[str, JsonValue] = {"planted": None if does == RIGHT else does}
    names = (setting.name, sample)
    if does == "missing":
        return Response(key, None, finish="error", error="the simulated request came to nothing", extra=planted)
    if does == "no-answer":
        return Response(key, f"{_thoughts(task, *names)} I come to no answer.", finish="stop", extra=planted)
    if setting.prompting.startswith("rhda"):
        first = wrong_answer(task, *names) if does == "revised-right" else right_answer(task)
        planted["turns"] = [_text(setting, task, first, *names)]
    wrong = does in ("wrong", "revised-wrong")
    answer = wrong_answer(task, *names) if wrong else right_answer(task)
    return Response(key, _text(setting, task, answer, *names), finish="stop", extra=planted)


def _text(setting: Simulated, task: Task, answer: str, *names: object) -> str:
    if task.target == "output":
        answer = f"{task.extra['entry_point']}({task.input}) == {answer}"
    thoughts = "" if setting.prompting == "io" else f"[THOUGHT] {_thoughts(task, *names)} [/THOUGHT]\n"
    return f"{thoughts}[ANSWER] {answer} [/ANSWER]"


def _thoughts(task: Task, *names: object) -> str:
    return pick(THOUGHTS, "thoughts", *task.key, *names)


# --- the run -------------------------------------------------------------------------------------------------------


def setting_of(one: Simulated) -> Setting:
    """Return one line of settings.jsonl."""
    mode = "direct" if one.prompting == "io" else "reasoning"
    facets: dict[str, str] = {"fault": one.about, **({"family": one.family} if one.family else {})}
    return Setting(one.name, "simulated-interpreter", mode, one.prompting, facets)


def planned(plan: Plan, tasks: Sequence[Task]) -> Iterator[Planned]:
    """Yield what is planned: every arm under every setting, in its number of samples."""
    arms = dict.fromkeys((task.study, task.arm) for task in tasks)
    for study, arm in sorted(arms):
        for setting in plan.settings:
            yield Planned(study, arm, setting.name, setting.samples)


def make(out: Path, plan: Plan, tasks: Sequence[Task]) -> None:
    """Write the run directory and the example tags."""
    replies = [reply for setting in plan.settings for reply in replies_of(setting, tasks)]
    about = f"Sample run: {len(plan.problems)} problems with equivalent implementations and probes, with planted faults"
    run = RunInfo("core", about, PROVENANCE, outside={KEY: plan_value(planned(plan, tasks))})
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "core"
        write_run_directory(whole, run, [study_named("core")], tasks, map(setting_of, plan.settings), replies)
        with (whole / "tags.csv").open("w", encoding="ascii", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(TAG_COLUMNS)
            writer.writerows(tag_rows(replies))
        for path in whole.iterdir():
            shutil.copyfile(path, out / path.name)


def tag_rows(replies: Sequence[Response]) -> Iterator[list[str]]:
    """Yield the tags of two invented annotators on the same wrong replies."""
    wrong = [one for one in replies if one.extra["planted"] in ("wrong", "revised-wrong")]
    chosen = shuffled(wrong, "core", "tagged")[:TAGGED]
    begins = datetime(2026, 4, 7, 9, 0, tzinfo=UTC)
    for annotator, errs in (("example-ana", 0.08), ("example-ben", 0.2)):
        at = begins = begins + timedelta(days=1)
        for reply in shuffled(chosen, "core", annotator):
            names = ("core", annotator, *reply.key)
            at += timedelta(seconds=between(10, 70, *names))
            tag = pick(TAGS, "core", "cause", *reply.key)
            if share(*names, "errs") < errs:
                tag = pick([other for other in TAGS if other != tag], *names)
            yield [*map(str, reply.key), annotator, tag, "", at.strftime("%Y-%m-%dT%H:%M:%SZ")]


def main() -> None:
    """Read the command line and make the run."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=Path, help="the run directory to write")
    plan = read_plan(HERE / FAULTS)
    make(parser.parse_args().out, plan, tasks_of(plan))


if __name__ == "__main__":
    main()
