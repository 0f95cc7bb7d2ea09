#!/usr/bin/env python3
"""Make the sample run `prex` from C* programs: the same bytes each time.

Tasks and oracles are those that `auditor build prex` makes; the replies are written by simulated settings, each with
one planted way of being wrong. `README.md` says more. It takes the package `auditor`.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from making.chance import between, pick, share, shuffled  # noqa: E402

from auditor.formats.records import RunInfo  # noqa: E402
from auditor.formats.run_writer import write_run_directory  # noqa: E402
from auditor.model import JsonValue, Response, ResponseKey, Setting, Study, Task  # noqa: E402
from auditor.studies.prex.cstar.error_kinds import VIOLATED  # noqa: E402
from auditor.studies.prex.cstar.fuzzing import Shape, fuzz  # noqa: E402
from auditor.studies.prex.cstar.machine import run  # noqa: E402
from auditor.studies.prex.cstar.parsing import parse  # noqa: E402
from auditor.studies.prex.cstar.printing import print_program  # noqa: E402
from auditor.studies.prex.cstar.rules import Formalism  # noqa: E402
from auditor.studies.prex.grid import GridOptions, Shift, tasks_of  # noqa: E402
from auditor.studies.prex.grid_files import PROMPTS, prompt_records  # noqa: E402
from auditor.studies.prex.prompts import Strategy  # noqa: E402
from auditor.studies.prex.splits import (  # noqa: E402
    HAND_WRITTEN_FOLDER,
    PYTHON_FOLDER,
    Split,
    ValidProgram,
    hand_written,
    translated,
)

HAND_WRITTEN = ("square", "exchange", "leap-year", "sum-to", "gcd-remainders", "prime-trial", "water-jugs")
TRANSLATED = ("stern-diatomic", "balanced-ternary", "zeckendorf")
FUZZED = {"fuzz-short": 40, "fuzz-long": 75}
"""Random programs by their lines: far below those of the paper's, so that the run is small."""
STEPS = 100_000
"""A reading that takes more steps is taken for one that ends well."""
PROVENANCE = (
    "Simulated: no language model was asked. Every reply was written by a program that follows the rules but for one"
    " planted fault a setting. The tags of example-ana and example-ben are example data, drawn from the planted faults"
    " with noise; they are not the judgement of people."
)
TAG_COLUMNS = ("study", "case", "arm", "setting", "sample", "annotator", "tag", "note", "at")
TAG_OF = {
    "false_success": "false-success",
    "false_error": "false-error",
    "wrong_rule": "wrong-rule",
    "malformed": "malformed-output",
    "unparsed_rule": "malformed-output",
}
TAGGED_PER_SETTING = 12


class Reply(NamedTuple):
    """One reply, and what was planted in it."""

    text: str
    mode: str | None
    """How it is wrong; None when it is right."""
    detail: str | None = None
    finish: str = "stop"


def answer(rule: int | None) -> str:
    """Write an answer down as the prompt wants it."""
    return "<ans>##success##</ans>" if rule is None else f"<ans>##error##</ans><rule>{rule}</rule>"


def rule_of(task: Task) -> int | None:
    """Return the rule that the program violates."""
    assert isinstance(task.oracle, dict)
    rule = task.oracle.get("rule")
    return None if rule is None else int(str(rule).removeprefix("Rule "))


# --- the simulated settings ----------------------------------------------------------------------------------------


def follow_rules(task: Task) -> Reply:
    """Do everything right, and say a reason."""
    rule = rule_of(task)
    why = "no rule that states an error applies" if rule is None else f"Rule {rule} applies"
    return Reply(f"<reason>Executed step by step, {why}.</reason>\n{answer(rule)}", None)


def follow_priors(task: Task) -> Reply:
    """Take symbols of C for what they mean in C, whatever the rules say, and others for what the rules say."""
    rule = rule_of(task)
    if task.facets["shift"] != Shift.SWAP.value:
        return Reply(answer(rule), None)
    read = run(parse(task.source), Formalism(task.facets["semantics"]), STEPS)
    return _compared(rule, read.rule, "the swapped symbols are read as those of C")


def cite_the_next_rule(task: Task) -> Reply:
    """See every error, and cite the rule after the one that is violated."""
    rule = rule_of(task)
    return _compared(rule, None if rule is None else rule + 1, "the number of the rule is one too high")


def cite_the_other_semantics(task: Task) -> Reply:
    """See every error, and cite the number that its rule has in the semantics that were not given."""
    rule = rule_of(task)
    other = Formalism.K if task.facets["semantics"] == "S" else Formalism.S
    numbers = {error.value: rules[other] for error, rules in VIOLATED.items()}
    cited = None if rule is None else numbers[str(task.facets["error_type"])]
    return _compared(rule, cited, f"the number of the rule is that of {other.value}")


def always_say_success(task: Task) -> Reply:
    """Find every program fine."""
    return _compared(rule_of(task), None, "success, whatever the program does")


def answer_out_of_form(task: Task) -> Reply:
    """Be right, and write it so that half of the answers cannot be read, or not whole."""
    rule = rule_of(task)
    names = ("prex", *task.key)
    if share("out of form", *names) >= 0.5:
        return Reply(answer(rule), None)
    verdict = "runs to its end" if rule is None else f"violates Rule {rule}"
    kind = pick(("no tag", "no verdict", "no rule", "cut off"), *names)
    if kind == "no rule" and rule is not None:
        return Reply("<ans>##error##</ans>", "unparsed_rule", "no rule is cited")
    if kind in ("no tag", "no rule"):
        return Reply(f"The program {verdict}.", "malformed", "the answer stands in no tag")
    if kind == "no verdict":
        return Reply(f"<ans>The program {verdict}.</ans>", "malformed", "the tag holds no verdict")
    return Reply(f"<reason>The program {verdict}, sin", "malformed", "the reply is cut off", "length")


def _compared(rule: int | None, cited: int | None, detail: str) -> Reply:
    if cited == rule:
        return Reply(answer(cited), None)
    mode = "wrong_rule" if rule is not None and cited is not None else "false_error" if cited else "false_success"
    return Reply(answer(cited), mode, detail)


SETTINGS: dict[str, Callable[[Task], Reply]] = {
    "simulated/rule-following": follow_rules,
    "simulated/prior-following": follow_priors,
    "simulated/off-by-one-rule": cite_the_next_rule,
    "simulated/other-semantics": cite_the_other_semantics,
    "simulated/optimist": always_say_success,
    "simulated/malformed": answer_out_of_form,
}


# --- the run -------------------------------------------------------------------------------------------------------


def valid_programs() -> Iterator[ValidProgram]:
    """Yield the programs of the run, split by split."""
    by_hand = {one.name: one for one in hand_written(HERE / HAND_WRITTEN_FOLDER)}
    from_python = {one.name: one for one in translated(HERE / PYTHON_FOLDER)[0]}
    yield from (by_hand[name] for name in HAND_WRITTEN)
    yield from (from_python[name] for name in TRANSLATED)
    for name, lines in FUZZED.items():
        yield ValidProgram(Split.FUZZER_GENERATED, name, print_program(fuzz(name, Shape(lines=lines, depth=4))))


def response_of(task: Task, setting: str, reply: Reply) -> Response:
    """Return one line of responses.jsonl; `planted` says what is wrong with it, null when nothing."""
    planted = f"{reply.mode}: {reply.detail}" if reply.mode else None
    return Response(ResponseKey(*task.key, setting, 0), reply.text, finish=reply.finish, extra={"planted": planted})


def setting_of(name: str) -> Setting:
    """Return one line of settings.jsonl."""
    reasons = name == "simulated/rule-following"
    mode, prompting = ("reasoning", "cot") if reasons else ("direct", "da")
    return Setting(name, "simulated-interpreter", mode, prompting, {"fault": name.removeprefix("simulated/")})


def make(out: Path) -> None:
    """Write the run directory and the example tags."""
    options = GridOptions()
    programs = list(valid_programs())
    tasks = [task for valid in programs for task in tasks_of(valid, options)]
    replies = [(task, name, reply(task)) for name, reply in SETTINGS.items() for task in tasks]
    studies = [Study(f"prex-{split.value}", "verdict", "ans-tags", "program", "prex", 1) for split in Split]
    about = f"Sample run: {len(programs)} valid C* programs and five invalid ones of each, with planted faults"
    prompts: Iterable[dict[str, JsonValue]] = prompt_records(options, (Strategy.DIRECT,))
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "prex"
        write_run_directory(
            whole,
            RunInfo("prex", about, PROVENANCE),
            studies,
            tasks,
            map(setting_of, SETTINGS),
            (response_of(*one) for one in replies),
            {PROMPTS: prompts},
        )
        with (whole / "tags.csv").open("w", encoding="ascii", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(TAG_COLUMNS)
            writer.writerows(tag_rows(replies))
        for path in whole.iterdir():
            shutil.copyfile(path, out / path.name)


def tag_rows(replies: list[tuple[Task, str, Reply]]) -> Iterator[list[str]]:
    """Yield the tags of two invented annotators on the same wrong replies, some of each setting and mode."""
    chosen: list[tuple[Task, str, Reply]] = []
    for name in SETTINGS:
        wrong = [one for one in replies if one[1] == name and one[2].mode]
        chosen += shuffled(wrong, "prex", "tagged", name)[:TAGGED_PER_SETTING]
    begins = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
    for annotator, errs in (("example-ana", 0.06), ("example-ben", 0.14)):
        at = begins = begins + timedelta(days=1)
        for task, setting, reply in shuffled(chosen, "prex", annotator):
            names = ("prex", annotator, *task.key, setting)
            at += timedelta(seconds=between(8, 60, *names))
            tag = TAG_OF[reply.mode or ""]
            if share(*names, "errs") < errs:
                tag = pick([other for other in dict.fromkeys(TAG_OF.values()) if other != tag], *names)
            note = reply.detail or "" if share(*names, "notes") < 0.2 else ""
            yield [*task.key, setting, "0", annotator, tag, note, at.strftime("%Y-%m-%dT%H:%M:%SZ")]


def main() -> None:
    """Read the command line and make the run."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=Path, help="the run directory to write")
    make(parser.parse_args().out)


if __name__ == "__main__":
    main()
