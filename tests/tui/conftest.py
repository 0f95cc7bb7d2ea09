"""A small audit file with one item of every kind, the review app on it, and screens compared as text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.audit.review import QueueWish, ReviewSession, open_session

SNAPSHOTS = Path(__file__).with_name("snapshots")

LOOP = """import sys


def digits(n: int) -> list[int]:
    out = []
    while n:
        out.append(n % 10)  # the last one first
        n //= 10
    return out


total = 0
for i in range(int(sys.stdin.read())):
    total += sum(digits(i * 7)) % 97
print(total)
"""
C_STAR = "int ans;\nint a;\ncontinue;\na = 156;\nans = (a * a);\n"
LINES = "".join(f"line {n}: {n * n % 11}\n" for n in range(40))
RUN = """[run]
name = "screens"
description = "One item of every kind."
provenance = "Made for tests."

[[study]]
name = "loops"
policy = "json-or-tokens"
envelope = "output-json"
codebook = "execution"

[[study]]
name = "rules"
policy = "verdict"
envelope = "ans-tags"
codebook = "execution"
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-snapshots", action="store_true", help="write the screens instead of comparing them")


def _task(case: str, arm: str, **others: object) -> dict[str, object]:
    task = {"study": "loops", "case": case, "arm": arm, "language": "python", "source": LOOP, "input": "40\n"}
    return task | {"target": "output"} | others


def _reply(case: str, arm: str, answer: str, **others: object) -> dict[str, object]:
    reply = {"study": "loops", "case": case, "arm": arm, "setting": "simulated/off-by-one", "sample": 0}
    return reply | {"response": json.dumps({"output": answer})} | others


def write_run(folder: Path, tasks: list[dict[str, object]], responses: list[dict[str, object]]) -> Path:
    """Write a run directory."""
    folder.mkdir()
    (folder / "run.toml").write_text(RUN)
    for name, records in (("tasks.jsonl", tasks), ("responses.jsonl", responses)):
        (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def audit_of(folder: Path, tasks: list[dict[str, object]], responses: list[dict[str, object]]) -> Path:
    """Make a graded audit file of tasks and responses."""
    path = folder / "audit.db"
    report = load(path, [write_run(folder / "run", tasks, responses)], LoadOptions())
    assert not report.refusals
    grade_file(path)
    return path


@pytest.fixture(scope="session")
def audit_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an audit file with an item of every kind; tests work on copies."""
    checkpoint = {"line": 14, "when": "before-iteration", "iteration": 17, "fields": ["total", "i"]}
    state = {"total": 63250, "i": 17, "done": False, "name": "alpha"}
    wrong_state = state | {"total": 63240, "i": 16}
    rule = {"study": "rules", "language": "cstar", "source": C_STAR, "input": "", "target": "verdict"}
    tasks = [
        _task("digit-sums", "output", oracle="63250 17 done\n"),
        _task("digit-sums", "state", target="state", oracle=json.dumps(state), checkpoint=checkpoint),
        _task("long-output", "output", oracle=LINES),
        _task("cut-off", "output", oracle="1 2 3\n"),
        _task("human-042", "S/Standard", oracle={"verdict": "error", "rule": "Rule 76"}, **rule),
        _task("no-reply", "output", oracle="7\n"),
    ]
    responses = [
        _reply("digit-sums", "output", "63240 17 done\n", reasoning="First, total is 0.\nThen it grows.\n"),
        _reply("digit-sums", "state", json.dumps(wrong_state)),
        _reply("long-output", "output", LINES.replace("line 20: 4", "line 20: 5").replace("line 33: 0", "line 33: 10")),
        _reply("cut-off", "output", "", response='{"output": "1 2', finish="length"),
        _reply("no-reply", "output", "", response=None, error="timeout after 60 s"),
        _reply(
            "human-042",
            "S/Standard",
            "",
            study="rules",
            setting="qwen2.5-coder-32b-cot",
            response="<reason>The loop is left at line 3.</reason>\n<ans>##error##</ans><rule>73</rule>",
        ),
    ]
    return audit_of(tmp_path_factory.mktemp("audit"), tasks, responses)


@pytest.fixture
def audit_file(audit_template: Path, tmp_path: Path) -> Path:
    """Return a copy of the audit file of all kinds."""
    return Path(shutil.copy(audit_template, tmp_path / "demo.db"))


@pytest.fixture
def session(audit_file: Path) -> Iterator[ReviewSession]:
    """Return a review of everything in the file, in the order of import."""
    opened = open_session(audit_file, "lm", QueueWish(where="", order="import"))
    yield opened
    opened.close()


@pytest.fixture
def compare_screen(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return a function that compares a screen with its snapshot, or writes it under `--update-snapshots`."""

    def compare(name: str, screen: str) -> None:
        path = SNAPSHOTS / f"{name}.txt"
        if request.config.getoption("--update-snapshots", default=False):
            path.write_text(screen)
        assert path.exists(), f"there is no {path.name}; run pytest tests/tui --update-snapshots and look at it"
        assert screen == path.read_text(), f"the screen differs from {path.name}"

    return compare
