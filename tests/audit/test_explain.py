"""`grade --execute --diagnose`: what is found stands among the computed modes, and is looked for once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.execute import Executing, Progress
from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.diagnosis.case import Budget
from auditor.execution.protection import RefusedError, strongest_protection
from auditor.store.file import open_for_reading
from auditor.store.wrong_predictions import wrong_predictions
from tests.runs import response, task, write_run
from tests.walls import need_cpp

LOOP = """\
import json
total = 0
count = 0
for n in map(int, input().split()):
    count += 1
    if count == 3:
        print(json.dumps({"n": n, "total": total}))
        raise SystemExit
    total += n
print(total)
"""
SUM = "print(sum(n * n for n in map(int, input().split()) if n > 40))\n"
STATE = {"line": 7, "when": "before-iteration", "iteration": 3, "fields": ["n", "total"]}


@pytest.fixture(scope="module", autouse=True)
def wall() -> Iterator[None]:
    try:
        strongest_protection(unsafe=False)
    except RefusedError as error:
        pytest.skip(f"untrusted programs cannot be contained here: {error}")
    yield


def audit_of(folder: Path, tasks: list[dict[str, Any]], replies: list[tuple[str, str]]) -> Path:
    responses = [response(case, setting=f"m{n}", response=reply) for n, (case, reply) in enumerate(replies)]
    load(folder / "a.db", [write_run(folder / "run", tasks, responses)], LoadOptions())
    return folder / "a.db"


def modes(path: Path) -> list[tuple[str, list[str], str]]:
    connection = open_for_reading(path)
    try:
        return [
            (grade.finding.mode, [each.mode for each in grade.others], grade.finding.evidence)
            for _, _, _, grade in wrong_predictions(connection)
        ]
    finally:
        connection.close()


def diagnosed(path: Path, *, workers: int = 1, progress: Progress | None = None) -> None:
    executing = Executing(workers=workers, diagnose=Budget(programs=60, seconds=20))
    grade_file(path, execute=executing, progress=progress)


def test_a_single_fault_is_told_as_a_computed_mode(tmp_path: Path) -> None:
    tasks = [task("c1", source=SUM, input="40 71 83\n", oracle=f"{71**2 + 83**2}\n")]
    path = audit_of(tmp_path, tasks, [("c1", f"{40**2 + 71**2 + 83**2}\n")])
    diagnosed(path)
    ((mode, others, evidence),) = modes(path)
    assert mode == "counterfactual" and "wrong_value" in others
    assert "line 1's `>` were `>=`" in evidence


def test_states_of_other_iterations_and_stale_fields_come_first(tmp_path: Path) -> None:
    given: dict[str, Any] = {"source": LOOP, "input": "31 52 73 14\n", "target": "state", "checkpoint": STATE}
    tasks = [task("c1", oracle='{"n":73,"total":83}\n', **given)]
    replies = [("c1", '{"n":52,"total":31}'), ("c1", '{"n":73,"total":31}')]
    path = audit_of(tmp_path, tasks, replies)
    diagnosed(path)
    assert [mode for mode, _, _ in modes(path)] == ["other_iteration", "stale_value"]


def test_nothing_is_looked_for_twice_and_grading_again_keeps_it(tmp_path: Path) -> None:
    tasks = [task("c1", source="print(7 * 9)\n", oracle="63\n")]
    path = audit_of(tmp_path, tasks, [("c1", "70\n"), ("c1", "70\n"), ("c1", "63\n")])
    diagnosed(path)
    first = modes(path)
    steps: list[tuple[str, int]] = []
    diagnosed(path, progress=lambda label, done, total: steps.append((label, total)))
    assert ("explaining", 0) in steps
    grade_file(path)
    assert modes(path) == first and json.dumps(first).count("counterfactual") == 2


def several(folder: Path) -> Path:
    """Return a file with several wrong predictions of each of two programs."""
    folder.mkdir()
    names = ("c1", "c2")
    tasks = [task(name, source=f"print(7 * 9 + {n})\n", oracle=f"{63 + n}\n") for n, name in enumerate(names)]
    replies = [(name, f"{given + n}\n") for n, name in enumerate(names) for given in (70, 16, 56, 999)]
    return audit_of(folder, tasks, replies)


def test_what_is_found_is_the_same_however_many_programs_run_side_by_side(tmp_path: Path) -> None:
    one, three = several(tmp_path / "one"), several(tmp_path / "three")
    diagnosed(one)
    diagnosed(three, workers=3)
    assert modes(one) == modes(three)
    assert json.dumps(modes(one)).count('"counterfactual"') == 6


def test_an_interrupted_search_keeps_whole_tasks_and_goes_on(tmp_path: Path) -> None:
    path = several(tmp_path / "one")

    def interrupt(label: str, done: int, total: int) -> None:
        if label == "explaining" and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        diagnosed(path, progress=interrupt)
    steps: list[tuple[str, int]] = []
    diagnosed(path, progress=lambda label, done, total: steps.append((label, total)))
    assert ("explaining", 4) in steps
    whole = several(tmp_path / "whole")
    diagnosed(whole)
    assert modes(path) == modes(whole)


def test_weak_evidence_stands_behind_what_the_text_shows(tmp_path: Path) -> None:
    source = "n = 0\nfor each in input().split():\n    if int(each) > 4:\n        n += 1\nprint(n)\n"
    path = audit_of(tmp_path, [task("c1", source=source, input="3 9 8 1\n", oracle="2\n")], [("c1", "3\n")])
    diagnosed(path)
    ((mode, others, _),) = modes(path)
    assert mode == "off_by_one" and others[-1] == "counterfactual"


def test_what_cannot_run_is_left_alone(tmp_path: Path) -> None:
    tasks = [task("c1", source="int main() { return 0; }", language="cstar"), task("c2", source="print(", oracle="2\n")]
    path = audit_of(tmp_path, tasks, [("c1", "5\n"), ("c2", "4\n")])
    diagnosed(path)
    assert all(mode != "counterfactual" for mode, _, _ in modes(path))


def test_a_state_of_a_cpp_program_is_explained_too(tmp_path: Path) -> None:
    need_cpp()
    source = (
        "#include <cstdio>\n#include <cstdlib>\nint main() {\n    int total = 0, count = 0, n;\n"
        '    while (std::scanf("%d", &n) == 1) {\n        if (++count == 4) {\n'
        r"""            std::printf("{\"n\":%d,\"total\":%d}\n", n, total);"""
        "\n            std::exit(0);\n        }\n        total += n * n;\n    }\n"
        '    std::printf("%d\\n", total);\n}\n'
    )
    point = {"line": 7, "when": "before-iteration", "iteration": 4, "fields": ["n", "total"]}
    cpp = task("c1", language="cpp", source=source, input="5 7 9 4", oracle='{"n":4,"total":155}\n', target="state")
    replies = [("c1", '{"n":9,"total":74}'), ("c1", '{"n":4,"total":42}')]
    path = audit_of(tmp_path, [{**cpp, "checkpoint": point}], replies)
    diagnosed(path)
    found = {mode: (others, evidence) for mode, others, evidence in modes(path)}
    assert "1 iteration before the checkpoint (iteration 4)" in found.pop("other_iteration")[1]
    ((mode, (others, _)),) = found.items()
    assert "counterfactual" in (mode, *others)
