"""The bundled sample run becomes an audit file that can be reviewed at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.audit.demo import make_demo, sample_runs
from auditor.audit.inspect import info, verify
from auditor.errors import InputError


def test_the_sample_comes_graded_with_its_example_tags(tmp_path: Path) -> None:
    make_demo(tmp_path / "demo.db", "exact-output")
    found = info(tmp_path / "demo.db")
    assert all(study.responses == study.graded > 0 for study in found.studies)
    assert len(found.annotators) >= 2 and found.absent_cells == 0
    assert not any(check.problems for check in verify(tmp_path / "demo.db"))


def test_a_demo_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    make_demo(tmp_path / "demo.db", "exact-output")
    before = (tmp_path / "demo.db").read_bytes()
    make_demo(tmp_path / "demo.db", "exact-output")
    assert (tmp_path / "demo.db").read_bytes() == before


def test_every_bundled_run_has_a_name_that_works() -> None:
    assert "exact-output" in sample_runs()
    assert all((folder / "run.toml").is_file() for folder in sample_runs().values())


def test_an_unknown_sample_is_refused_with_a_known_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Did you mean exact-output"):
        make_demo(tmp_path / "demo.db", "exact-outptu")
    assert list(tmp_path.iterdir()) == []
