"""The maker of the sample run: the same bytes each time, and bad cases are refused."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sample_runs.run_directory import RUN, SAMPLES
from tests.walls import need_wall

MEASURED_BY = (3, 11)
"""The version of Python whose opcodes the sample run counts."""


@pytest.fixture
def admission(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Import the maker's checks as the script does, and forget them again."""
    monkeypatch.syspath_prepend(str(SAMPLES))
    yield importlib.import_module("making.admission")
    for name in [name for name in sys.modules if name == "making" or name.startswith("making.")]:
        del sys.modules[name]


def case(admission: Any, source: str, **changes: Any) -> Any:
    """Build a case around a small program."""
    about: dict[str, Any] = {
        "name": "tiny",
        "study": "classic",
        "topic": "t",
        "difficulty": "easy",
        "source": source,
        "loop": "for i in range(n):",
        "iteration": 3,
        "fields": ("i", "total"),
        "short": "4\n",
        "long": "9\n",
    }
    return admission.Case(**(about | changes))


SUMMING = "n = int(input())\ntotal = 0\nfor i in range(n):\n    total += i\nprint(total)\n"


def test_a_sound_case_is_admitted_with_executed_oracles(admission: Any, tmp_path: Path) -> None:
    made = admission.admit(case(admission, SUMMING), tmp_path)
    assert list(made.oracles.values()) == ["6\n", "36\n", '{"i":2,"total":1}\n', '{"i":8,"total":36}\n']
    assert made.iterations == {"inside-loop-state": 3, "post-loop-state": 9}
    assert (
        made.sources["inside-loop-state"].splitlines()[made.lines["inside-loop-state"] - 1].startswith("        print(")
    )


@pytest.mark.parametrize(
    ("source", "changes", "reason"),
    [
        (SUMMING, {"short": "9\n", "long": "4\n"}, "statements on the short input"),
        (SUMMING, {"iteration": 40}, "the interpreter gives"),
        (SUMMING.replace("total += i", "print(i)"), {}, "the interpreter gives"),
        (SUMMING.replace("total += i", "total = 0"), {"fields": ("total", "n")}, "no field changes"),
        (SUMMING.replace("total += i", "total = i if i < 5 else 'x'"), {}, "changes its type"),
        (SUMMING.replace("print(total)", "print(hash('a'))"), {}, "two runs differ"),
        (SUMMING.replace("print(total)", "print(1 // 0)"), {}, "the program fails"),
    ],
    ids=["order", "unreached", "prints-before", "unchanged", "types", "random", "crash"],
)
def test_an_unsound_case_is_refused_with_a_reason(
    admission: Any, tmp_path: Path, source: str, changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(admission.NotAdmitted, match=reason):
        admission.admit(case(admission, source, **changes), tmp_path)


@pytest.mark.slow
def test_the_maker_reproduces_the_committed_bytes(tmp_path: Path) -> None:
    need_wall()
    script = SAMPLES / "make_exact_output.py"
    subprocess.run([sys.executable, "-B", str(script), str(tmp_path)], check=True, timeout=300)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in RUN.iterdir()}
    same_python = (tmp_path / "run.toml").read_bytes() == (RUN / "run.toml").read_bytes()
    assert same_python is (sys.version_info[:2] == MEASURED_BY)
    for path in tmp_path.iterdir():
        made, kept = path.read_bytes(), (RUN / path.name).read_bytes()
        if not same_python and path.name in ("run.toml", "tasks.jsonl"):
            made, kept = _without_python(made), _without_python(kept)
        assert made == kept, f"{path.name} is not what make_exact_output.py writes"


def _without_python(text: bytes) -> bytes:
    """Leave out what depends on the version of Python that ran the programs."""
    return re.sub(rb'python = "[^"]*"|"(trace_length|peak_state|state_load)": [0-9]+', b"", text)
