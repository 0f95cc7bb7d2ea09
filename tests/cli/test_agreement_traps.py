"""Situations in which other tools print a wrong number, nothing, or a traceback: what `auditor agreement` says."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.tags import TagImportOptions, import_tags
from auditor.cli.main import main
from tests.agreement.references import Case, cases, options_of, statistic_of
from tests.builders import make_audit

Found = list[dict[str, Any]]
Row = tuple[str, ...]
BY_ID = {str(case["id"]): case for case in cases()}


class Cli:
    """The command on a CSV of ratings."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self._capsys = path, capsys

    def write(self, rows: Iterable[Row], head: str = "item,annotator,label") -> None:
        with self.path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head.split(","), *rows])

    def json(self, *options: str) -> Found:
        assert main(["agreement", "--ratings", str(self.path), "--json", *options]) == 0
        shown = self._capsys.readouterr()
        assert shown.err == ""
        found: Found = json.loads(shown.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))[
            "coefficients"
        ]
        return found

    def text(self, *options: str) -> str:
        assert main(["agreement", "--ratings", str(self.path), *options]) == 0
        shown = self._capsys.readouterr()
        assert shown.err == ""
        return " ".join(shown.out.split())

    def refused(self, *options: str) -> str:
        assert main(["agreement", "--ratings", str(self.path), *options]) == 2
        return self._capsys.readouterr().err

    def of(self, case: Case) -> dict[str, Any]:
        """Write a reference case and measure the one coefficient that it asks for."""
        given = case.get("ratings") or []
        multi = bool(given) and "labels" in given[0]
        if given:
            self.write(
                (row["item"], row["annotator"], "|".join(row["labels"]) if multi else str(row["label"]))
                for row in given
            )
        else:
            self.write(
                (
                    (f"i{at}", who, str(label), str(pattern["count"]))
                    for at, pattern in enumerate(case["ratings_compact"])
                    for who, label in pattern["labels"].items()
                ),
                "item,annotator,label,count",
            )
        how = options_of(case)
        options = ["--statistic", statistic_of(case), *(["--multi"] if multi else [])]
        for name, values in (
            ("--category", case["params"].get("categories", ())),
            ("--tag", how.tags),
            ("--score", how.scores or ()),
            ("--weights", filter(None, [how.weights])),
            ("--metric", filter(None, [how.metric])),
            ("--annotators", filter(None, [",".join(how.annotators or ())])),
        ):
            for value in values:
                options += [name, str(value)]
        scope = "pair" if how.annotators else "all"
        (found,) = (one for one in self.json(*options) if one["scope"] == scope)
        return found


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(tmp_path / "r.csv", capsys)


def pairs(*labels: str) -> list[Row]:
    """Make rows of A and B from two-letter words, an item each."""
    return [(f"i{at}", who, label) for at, both in enumerate(labels) for who, label in zip("AB", both, strict=True)]


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in BY_ID if name.startswith(("one-category-", "zero-overlap-", "one-annotator-"))),
        *("single-item-agree-kappa", "pairwise-missing-kappa", "ben-gerry-kappa", "pairable-single-value-alpha"),
        *(name for name in BY_ID if name.startswith(("magic-strings-", "lexicographic-", "gap-scores-", "paradox1-"))),
        *(name for name in BY_ID if name.startswith(("gwet-125-", "large-", "multilabel-", "unicode-"))),
        *(
            "one-disagreement-ordinal",
            "perfect-disagree-alpha",
            "one-constant-rater-ac1",
            "unequal-raters-fleiss_kappa",
        ),
    ],
)
def test_the_value_is_the_reference_through_the_command(cli: Cli, name: str) -> None:
    case = BY_ID[name]
    found, expected = cli.of(case), case["expected"]
    if expected["status"] == "undefined":
        assert found["value"] is None and found["reason"].endswith(".") and found["ci_low"] is None
    else:
        assert found["value"] == pytest.approx(expected["value"], abs=case["tolerance"])
    if "n_corated" in expected:
        assert found["n_items"] == expected["n_corated"]


def test_one_tag_on_every_item_is_undefined_beside_full_agreement(cli: Cli) -> None:
    cli.write(pairs("xx", "xx", "xx"))
    by_name = {one["statistic"]: one for one in cli.json("--category", "x", "--category", "y") if one["tag"] is None}
    assert by_name["cohen_kappa"]["value"] is None and "only the category 'x'" in by_name["cohen_kappa"]["reason"]
    assert by_name["percent"]["value"] == by_name["gwet_ac1"]["value"] == 1
    (unused,) = cli.json("--category", "x", "--category", "y", "--statistic", "positive_agreement", "--tag", "y")
    assert unused["value"] is None and "Neither annotator used the tag 'y'" in unused["reason"]


@pytest.mark.parametrize("rows", [[("1", "A", "x"), ("2", "B", "x")], [("1", "A", "x"), ("2", "A", "y")]])
def test_nothing_tagged_by_two_people_is_a_sentence_and_no_number(cli: Cli, rows: list[Row]) -> None:
    cli.write(rows)
    assert all(one["value"] is None and one["n_items"] == 0 and one["reason"] for one in cli.json())
    assert ("0 items were rated by" in (shown := cli.text())) or "there is only 'A'" in shown


def test_items_that_only_one_annotator_rated_are_left_out_and_counted(cli: Cli) -> None:
    cli.write([*pairs("xx", "xy", "yy", "yy"), *(("alone", "A", "x"), ("alone too", "A", "x"))])
    assert "between A and B 4 of 6 count" in cli.text()
    (kappa,) = cli.json("--statistic", "cohen_kappa")
    assert (kappa["n_items"], kappa["value"]) == (4, pytest.approx(0.5))


def test_labels_that_look_like_missing_values_are_labels(cli: Cli) -> None:
    cli.write([(str(at), who, label) for at, label in enumerate(["nan", "NA", "None", "null", ""]) for who in "AB"])
    found = cli.json()
    assert {one["tag"] for one in found} == {None, "nan", "NA", "None", "null", ""}
    assert all(one["n_items"] == 5 for one in found)


def test_severities_are_weighed_in_the_declared_order_or_not_at_all(cli: Cli) -> None:
    words = {"l": "low", "m": "mid", "h": "high"}
    cli.write([(item, who, words[label]) for item, who, label in pairs("ll", "lm", "mm", "mh", "hh", "hh", "lh")])
    weighted = ("--statistic", "cohen_kappa", "--weights", "linear")
    assert "categories in their order" in cli.refused(*weighted)
    order = [part for word in ("low", "mid", "high") for part in ("--category", word)]
    (right,) = cli.json(*weighted, *order)
    alphabet = [part for word in ("high", "low", "mid") for part in ("--category", word)]
    (wrong,) = cli.json(*weighted, *alphabet)
    # of seven items two are half the scale apart (lm, mh) and one the whole (lh)
    assert right["observed"] == pytest.approx(1 - (0.5 + 0.5 + 1) / 7) and right["value"] != pytest.approx(
        wrong["value"]
    )


def test_kappa_of_a_skewed_tag_never_stands_alone(cli: Cli) -> None:
    cli.write(pairs(*["xx"] * 118, *["xy"] * 5, *["yx"] * 2))
    found = {one["statistic"]: one["value"] for one in cli.json() if one["tag"] == "x"}
    assert found["cohen_kappa"] == pytest.approx(-4 / 171) and found["percent"] == pytest.approx(0.944)
    assert set(found) == {
        *("cohen_kappa", "percent", "gwet_ac1", "positive_agreement", "negative_agreement"),
        *("prevalence_index", "bias_index"),
    }
    assert all(heading in cli.text() for heading in ("kappa", "agree", "AC1", "positive", "negative", "prev. index"))


def test_an_annotator_who_never_varies_has_kappa_0_without_an_interval(cli: Cli) -> None:
    cli.write(pairs("xx", "xy", "xx", "xx"))
    for bootstrap in ("none", "item"):
        (kappa,) = cli.json("--statistic", "cohen_kappa", "--bootstrap", bootstrap)
        assert (kappa["value"], kappa["ci_low"], kappa["ci_high"]) == (0, None, None)
        assert "annotator 'A' used one category only" in kappa["reason"]


@pytest.mark.parametrize("clusters", [1, 6, 30])
def test_many_items_of_a_program_are_resampled_with_it(cli: Cli, clusters: int) -> None:
    labels = ["xx", "xy", "yy", "yy", "yx", "xx", "yy"]
    rows = [
        (f"{copy}-{at}", who, label, f"p{at % clusters}")
        for copy in range(5)
        for at in range(60)
        for who, label in zip("AB", labels[at % 7], strict=True)
    ]
    cli.write(rows, "item,annotator,label,cluster")
    (kappa,) = cli.json("--statistic", "cohen_kappa")
    assert kappa["n_clusters"] == clusters and kappa["n_items"] == 300
    if clusters == 1:
        assert kappa["ci_low"] is None and "one cluster" in kappa["reason"] and kappa["value"] is not None
        return
    (as_items,) = cli.json("--statistic", "cohen_kappa", "--bootstrap", "none")
    assert kappa["ci_method"].startswith("cluster bootstrap") and kappa["se"] != as_items["se"]
    assert any(f"Only {clusters} clusters" in warning for warning in kappa["warnings"]) == (clusters < 20)


def test_two_empty_sets_agree_and_a_missing_row_is_no_set(cli: Cli) -> None:
    cli.write([("1", "A", ""), ("1", "B", ""), ("2", "A", "a|b"), ("2", "B", "a|b"), ("3", "A", ""), ("4", "A", "a")])
    for metric in ("masi", "jaccard"):
        (alpha,) = cli.json("--multi", "--statistic", "krippendorff_alpha", "--metric", metric)
        assert (alpha["value"], alpha["n_items"]) == (1, 2)


def test_masi_is_passonneaus_and_is_named(cli: Cli) -> None:
    cli.write([("1", "A", "a|b"), ("1", "B", "a|b|c|d"), ("2", "A", "e"), ("2", "B", "e")])
    (alpha,) = cli.json("--multi", "--statistic", "krippendorff_alpha")
    assert 1 - alpha["observed"] == pytest.approx((2 / 3) / 2)
    assert "Alpha takes the MASI distance, unsquared." in cli.text("--multi")


def test_one_annotator_twice_on_an_item_is_refused_with_its_line(cli: Cli) -> None:
    cli.write([("1", "A", "x"), ("1", "B", "x"), ("1", "A", "y")])
    assert "r.csv:4: this annotator has rated this item before" in cli.refused()


def test_tags_that_are_imported_twice_count_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audit, tags = make_audit(tmp_path / "audit.db"), tmp_path / "tags.csv"
    rows = [
        f"demo,case-{case},output,model-a,0,{who},{tag}"
        for who, tag in (("ana", "copying"), ("ben", "copying"))
        for case in range(3)
    ]
    tags.write_text(
        "\n".join(["study,case,arm,setting,sample,annotator,tag", *rows, rows[0].replace("copying", "other")])
    )

    def measured() -> object:
        assert main(["agreement", str(audit), "--tag", "copying", "--statistic", "percent", "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    import_tags(audit, tags, TagImportOptions())
    once = measured()
    import_tags(audit, tags, TagImportOptions())
    assert measured() == once


def test_counts_of_ten_digits_do_not_overflow(cli: Cli) -> None:
    many = 10**10
    cells = (("x", "x", 8 * many), ("x", "y", many), ("y", "x", many), ("y", "y", 10 * many))
    rows = [
        (f"{one}{other}", who, label, str(count))
        for one, other, count in cells
        for who, label in (("A", one), ("B", other))
    ]
    cli.write(rows, "item,annotator,label,count")
    (kappa,) = cli.json("--statistic", "cohen_kappa")
    assert kappa["value"] == pytest.approx((0.9 - 0.505) / 0.495) and kappa["n_items"] == 20 * many
    assert 0 < kappa["se"] < 1e-5


def test_one_deviating_rating_gives_alpha_0_with_an_explanation(cli: Cli) -> None:
    cli.write([*pairs(*["xx"] * 20), ("last", "A", "x"), ("last", "B", "y")])
    (alpha,) = cli.json("--statistic", "krippendorff_alpha")
    assert alpha["value"] == pytest.approx(0, abs=1e-12)
    assert any("no variation to be reliable about" in warning for warning in alpha["warnings"])
    assert "no variation to be reliable about" in cli.text("--statistic", "krippendorff_alpha")
