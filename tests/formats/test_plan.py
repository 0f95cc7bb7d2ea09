"""What `run.toml` says was planned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auditor.errors import InputError
from auditor.formats.json_text import UnusableError
from auditor.formats.plan import plan_value, read_plan
from auditor.formats.records import Planned
from auditor.formats.run_directory import RunDirectory

CELLS = [Planned("s", "x", "m", None), Planned("s", "y", "[/]", 3)]


def test_a_plan_reads_back_as_it_was_written() -> None:
    assert read_plan({"planned": plan_value(CELLS)}) == CELLS
    assert read_plan({"other": 1}) is None and read_plan({"planned": []}) == []


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, "planned is the number 3, but must be a list of tables"),
        ([3], "number 1 is the number 3, but must be a table"),
        ([{"study": "s", "arm": "x"}], "number 1, it has no setting"),
        ([{"study": "s", "arm": "x", "setting": "m", "samples": 0}], "samples is the number 0"),
        ([{"study": "s", "arm": "x", "setting": "m", "sample": 1}], "there is no sample: it has study"),
    ],
)
def test_a_bad_plan_says_what_is_wrong(value: Any, words: str) -> None:
    with pytest.raises(UnusableError) as caught:
        read_plan({"planned": value})
    assert words in str(caught.value)


def test_a_run_directory_plans_what_it_declares_and_a_bad_plan_makes_it_unusable(tmp_path: Path) -> None:
    toml = '[[study]]\nname = "s"\nsamples = 2\n[[planned]]\nstudy = "s"\narm = "x"\nsetting = "m"\n'
    (tmp_path / "run.toml").write_text(toml)
    (tmp_path / "tasks.jsonl").write_text("")
    assert list(RunDirectory(tmp_path).planned()) == [Planned("s", "x", "m", 2)]
    (tmp_path / "run.toml").write_text(toml.replace("setting", "settings"))
    with pytest.raises(InputError, match=r"run\.toml: in \[\[planned\]\] number 1"):
        RunDirectory(tmp_path)
