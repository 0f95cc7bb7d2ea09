"""`auditor agreement --against` and `--confusion`: JSON, tables at any width, and hostile names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.agreement.coefficient import Options
from auditor.agreement.confusion import confusion
from auditor.agreement.judges import measure_judges
from auditor.agreement.ratings import ratings_from_columns
from auditor.audit.tags import put_tags
from auditor.cli.agreement_judges import confusion_lines, judge_lines
from auditor.cli.main import main
from auditor.model import AnnotatorKind
from auditor.text import visible_line
from tests.builders import make_audit
from tests.hostile import HOSTILE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file in which ana, ben and a model have tagged the same items."""
    path = make_audit(tmp_path / "audit.db")
    for case, (ana, ben, judge) in enumerate(
        [
            ("copying", "copying", "copying"),
            ("copying", "other", "other"),
            ("other", "other", "other"),
            ("other", "other", ""),
        ]
    ):
        item = f"demo/case-{case}/output/model-a/0"
        for name, tag, kind in (
            ("ana", ana, AnnotatorKind.PERSON),
            ("ben", ben, AnnotatorKind.PERSON),
            ("judge", judge, AnnotatorKind.MODEL),
        ):
            put_tags(path, name, item, [tag] if tag else [], none=not tag, kind=kind)
    return path


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["agreement", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_judge_is_measured_tag_by_tag(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    found = document(capsys, str(path), "--against", "ana", "--tag", "copying", "--replicates", "50")
    counts = {"found": 1, "missed": 1, "made_up": 0, "left_out": 2}
    assert found["judged"] == [{"judge": "judge", "reference": "ana", "tag": "copying", **counts}]
    values = {one["statistic"]: one["value"] for one in found["coefficients"]}
    assert values == {
        "sensitivity": 0.5,
        "specificity": 1.0,
        "balanced_accuracy": 0.75,
        "precision": 1.0,
        "cohen_kappa": pytest.approx(0.5),
    }
    assert all(one["annotators"] == ["judge", "ana"] for one in found["coefficients"])


def test_several_references_and_the_computed_modes_have_a_table_each(
    capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    assert main(["agreement", str(path), "--against", "ana,ben", "--computed", "--replicates", "50"]) == 0
    shown = capsys.readouterr().out
    for title in ("judge against ana:", "judge against ben:", "computed modes against ana:"):
        assert title in shown
    modes = "oracle-disputed: oracle_disputed; truncated: truncated"
    assert f"Computed modes by the tag that they stand for: {modes}." in shown
    assert "The reference is taken as right." in shown


def test_confusion_counts_what_was_put_instead(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    found = document(capsys, str(path), "--confusion", "ana,ben")["confusion"]
    assert (found["first"], found["second"], found["n_items"]) == ("ana", "ben", 4)
    assert {(cell["first"], cell["second"]): cell["items"] for cell in found["cells"]} == {
        ("copying", "copying"): 1,
        ("copying", "other"): 1,
        ("other", "other"): 2,
    }
    assert main(["agreement", str(path), "--confusion", "ana,judge"]) == 0
    shown = capsys.readouterr().out
    assert "ana put  judge put instead  items" in shown and "other    (none)                 1" in shown


def test_ratings_of_a_csv_are_judged_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    csv = tmp_path / "r.csv"
    csv.write_text("item,annotator,label\n1,A,x\n1,B,x\n2,A,x\n2,B,y\n")
    found = document(capsys, "--ratings", str(csv), "--against", "A", "--tag", "x")
    assert found["judged"] == [
        {"judge": "B", "reference": "A", "tag": "x", "found": 1, "missed": 1, "made_up": 0, "left_out": 0}
    ]
    swapped = document(capsys, "--ratings", str(csv), "--confusion", "A,B")["confusion"]["cells"]
    assert {"first": "x", "second": "y", "items": 1} in swapped


def test_one_person_alone_is_told_what_can_be_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db")
    for name in ("ana", "ana#2"):
        put_tags(path, name, "demo/case-0/output/model-a/0", ["copying"])
    assert main(["agreement", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "only ana has reviewed anything" in shown and "ana#2 is a later pass of the same person" in shown
    assert main(["agreement", str(path), "--annotators", "ana,ana#2"]) == 0
    assert "how far that person agrees with itself" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--computed"], "--computed needs somebody"),
        (["--against", "ana", "--confusion", "ana,ben"], "two different questions"),
        (["--against", "ana", "--category", "x"], "--category does not go with --against"),
        (["--against", "ana", "--multi"], "--multi concerns --ratings"),
        (["--against", "ana,,"], "--against holds an empty name"),
        (["--confusion", "ana"], "--confusion takes two annotators"),
        (["--confusion", "ana,ana"], "--confusion takes two annotators"),
        (["--confusion", "ana,ben", "--tag", "other"], "shows all tags"),
    ],
)
def test_unusable_calls_are_one_sentence(
    capsys: pytest.CaptureFixture[str], path: Path, options: list[str], sentence: str
) -> None:
    assert main(["agreement", str(path), *options]) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err and not shown.out and shown.err.count("\n") == 1


@pytest.mark.parametrize("width", [40, 80, 120, None])
def test_hostile_names_and_tags_are_shown_visibly_at_any_width(width: int | None) -> None:
    for text in HOSTILE.values():
        ratings = ratings_from_columns(
            [1, 1, 2, 2], [text, "other one"] * 2, [text, "else", "else", "else"], clusters=[1, 1, 2, 2]
        )
        found = measure_judges(ratings, ["other one"], [text], Options(replicates=20))
        lines = judge_lines(found, ratings, {text: ("wrong_value",)}, Options(), "", width)
        lines += confusion_lines(confusion(ratings, text, "other one"), "", width)
        assert all(line == visible_line(line) for line in lines)
        assert any(visible_line(text, 40).strip()[:8] in line for line in lines)
