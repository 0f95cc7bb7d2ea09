"""The command `auditor agreement --ratings`: its JSON contract, its tables, its refusals."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from auditor.agreement.coefficient import DEFAULT_SEED, Options
from auditor.agreement.measure import measure_agreement
from auditor.agreement.ratings_csv import read_ratings
from auditor.audit.tabulate import SEED
from auditor.cli.agreement_table import agreement_lines
from auditor.cli.main import main
from auditor.text import visible_line
from tests.hostile import HOSTILE

FIELDS = {
    *("statistic", "scope", "annotators", "tag", "n_items", "n_clusters", "value", "se", "ci_low", "ci_high"),
    *("ci_method", "confidence", "replicates", "replicates_undefined", "seed", "observed", "expected"),
    *("prevalence", "reason"),
}
CLUSTERED = "item,annotator,label,cluster\n" + "".join(
    f"{item},{who},{label},p{item % 25}\n"
    for item in range(75)
    for who, label in (("ann", "xyz"[item % 3]), ("bob", "xyz"[item % 3 if item % 5 else 0]))
)
PLAIN = "item,annotator,label\n" + "".join(
    f"{item},{who},{label}\n"
    for item, pair in enumerate(["xx", "xy", "yy", "yy", "xx"])
    for who, label in zip("AB", pair, strict=True)
)


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    path = tmp_path / "r.csv"
    path.write_text(PLAIN, encoding="utf-8")
    return path


def coefficients(capsys: pytest.CaptureFixture[str], path: Path, *options: str) -> list[dict[str, Any]]:
    assert main(["agreement", "--ratings", str(path), "--json", *options]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    document = json.loads(shown.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert list(document) == ["coefficients"]
    found: list[dict[str, Any]] = document["coefficients"]
    return found


def test_json_has_exactly_the_promised_fields_and_warnings(capsys: pytest.CaptureFixture[str], ratings: Path) -> None:
    found = coefficients(capsys, ratings)
    more = {"warnings", "t_low", "t_high", "interval", "group", "pair_low", "pair_high", "pair_sd", "definition"}
    assert found and all(set(one) == FIELDS | more for one in found)
    assert all(one["definition"] for one in found)
    assert {one["scope"] for one in found} == {"pair"}


def test_one_statistic_of_two_annotators_is_one_coefficient(capsys: pytest.CaptureFixture[str], ratings: Path) -> None:
    (kappa,) = coefficients(capsys, ratings, "--statistic", "cohen_kappa")
    assert kappa["annotators"] == ["A", "B"] and kappa["tag"] is None
    assert kappa["value"] == pytest.approx((0.8 - 0.48) / 0.52)
    assert kappa["observed"] == pytest.approx(0.8) and kappa["expected"] == pytest.approx(0.48)
    assert kappa["ci_method"].endswith("Fleiss-Cohen-Everitt 1969") and kappa["replicates"] is None
    assert kappa["n_clusters"] is None and kappa["confidence"] == 0.95


def test_clusters_are_bootstrapped_by_default_and_options_reach_the_numbers(
    capsys: pytest.CaptureFixture[str], ratings: Path
) -> None:
    ratings.write_text(CLUSTERED, encoding="utf-8")
    options = ("--statistic", "cohen_kappa", "--replicates", "500", "--seed", "11", "--confidence", "0.8")
    (kappa,) = coefficients(capsys, ratings, *options)
    assert kappa["ci_method"] == "cluster bootstrap, percentile"
    assert (kappa["replicates"], kappa["seed"], kappa["confidence"], kappa["n_clusters"]) == (500, 11, 0.8, 25)
    (narrow,) = coefficients(capsys, ratings, "--statistic", "cohen_kappa", "--bootstrap", "none")
    assert narrow["ci_method"].startswith("asymptotic")


def test_weights_scores_tags_and_annotators_are_understood(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text('item,annotator,label\n1,"a, b",10\n1,c,9\n2,"a, b",9\n2,c,9\n3,c,10\n3,d,10\n', encoding="utf-8")
    declared = ("--category", "9", "--category", "10", "--category", "11", "--annotators", '"a, b",c')
    (kappa,) = coefficients(
        capsys, path, *declared, "--statistic", "cohen_kappa", "--weights", "linear", *("--score", "9"),
        *("--score", "10", "--score", "11"),
    )  # fmt: skip
    assert kappa["annotators"] == ["a, b", "c"] and kappa["n_items"] == 2
    found = coefficients(capsys, path, *declared, "--statistic", "positive_agreement", "--tag", "9")
    assert [(one["tag"], one["value"]) for one in found] == [("9", pytest.approx(2 / 3))]


def test_sets_are_read_with_multi(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,annotator,label\n1,A,a|b\n1,B,b\n2,A,\n2,B,\n", encoding="utf-8")
    found = coefficients(capsys, path, "--multi", "--statistic", "percent", "--tag", "a", "--tag", "b")
    values = {(one["tag"], one["scope"]): one["value"] for one in found}
    assert values["a", "pair"] == 0.5 and values["b", "pair"] == 1


def test_an_undefined_coefficient_is_a_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,annotator,label\n1,A,x\n2,B,x\n", encoding="utf-8")
    (kappa,) = coefficients(capsys, path, "--statistic", "cohen_kappa")
    assert kappa["value"] is None and kappa["reason"] == "0 items were rated by both 'A' and 'B'."
    assert main(["agreement", "--ratings", str(path)]) == 0
    assert "0 items were rated by both 'A' and 'B'." in capsys.readouterr().out


FOUR = {"a": "xxxy", "b": "xyxy", "c": "yyxy", "d": "xyyy"}


@pytest.mark.parametrize(
    ("labels", "options", "first"),
    [
        (FOUR, [], "4 annotators, 4 items that at least two rated: Krippendorff's alpha 0.286, 95 % interval"),
        (FOUR, ["--tag", "x"], "x: 4 annotators, 4 items that at least two rated: percent agreement 0.625, 95 %"),
        (FOUR, ["--annotators", "a,b"], "a and b agree on 3 of 4 items; kappa 0.500, 95 % interval -0.235 to 1.000."),
        (FOUR, ["--annotators", "a,b", "--tag", "x", "--tag", "y"], "a and b: kappa of 2 tags from 0.500 (x) to 0.500"),
        (FOUR, ["--annotators", "a,b", "--statistic", "scott_pi"], "a and b, 4 items that both rated: scott_pi 0.467"),
        (
            {"a": "XX", "b": "XX"},
            [],
            "a and b agree on 2 of 2 items. Kappa is undefined: Both annotators used only the category 'X'",
        ),
        ({"a": "xy", "b": "yy"}, [], "a and b agree on 1 of 2 items; kappa 0.000, without an interval."),
        (
            {"a": "123", "b": "223"},
            ["--weights", "linear", "--category", "1", "--category", "2", "--category", "3"],
            "a and b, 3 items that both rated: kappa with linear weights 0.",
        ),
        ({"a": "x ", "b": " x"}, [], "0 items were rated by both 'a' and 'b'."),
        (FOUR, ["--annotators", "a", "--multi"], "Agreement needs two annotators, and there is only 'a'."),
        (FOUR, ["--annotators", "a"], "Agreement needs two annotators, and there is only 'a'."),
    ],
)
def test_a_sentence_on_top_has_the_figures_to_quote_or_why_there_are_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, labels: dict[str, str], options: list[str], first: str
) -> None:
    path = tmp_path / "r.csv"
    rows = [f"{item},{who},{one}" for who, said in labels.items() for item, one in enumerate(said) if one != " "]
    path.write_text("\n".join(["item,annotator,label", *rows]) + "\n", encoding="utf-8")
    assert main(["agreement", "--ratings", str(path), *options]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert " ".join(shown).startswith(first)
    if len(set(labels)) == 4 and not options:
        assert " Kappa of 6 pairs: -0.333 to 0.500." in shown[0]


def test_the_table_says_how_it_was_computed(capsys: pytest.CaptureFixture[str], ratings: Path) -> None:
    ratings.write_text(CLUSTERED, encoding="utf-8")
    assert main(["agreement", "--ratings", str(ratings)]) == 0
    shown = capsys.readouterr().out
    summary = "ann and bob agree on 65 of 75 items; kappa 0.800, 95 % interval 0.640 to 0.960 over 25 clusters."
    below = "Below: the same for each tag, then what limits these numbers, and how they were computed."
    assert shown.startswith(f"{summary}\n{below}\n\nBetween ann, bob:\n")
    heading = next(line for line in shown.splitlines() if line.startswith("tag"))
    for column in ("tag", "items", "clusters", "prevalence", "chance", "agree", "kappa", "AC1", "positive", "negative"):
        assert column in heading.split()
    assert "10,000 replicates, numpy PCG64, seed 20261011." in shown.splitlines()[-1]
    assert main(["agreement", "--ratings", str(ratings), "--statistic", "scott_pi"]) == 0
    assert "scott_pi" in capsys.readouterr().out
    ordered = ("--category", "x", "--category", "y", "--category", "z", "--metric", "ordinal", "--weights", "linear")
    assert main(["agreement", "--ratings", str(ratings), *ordered]) == 0
    how = capsys.readouterr().out.splitlines()[-1]
    assert "3 categories, as declared." in how and "Alpha takes ordinal distances" in how
    assert "Weights are linear in ranks in the declared order." in how


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--statistic", "kappa"], "there is no statistic 'kappa'. Did you mean cohen_kappa?"),
        (["--tag", "q"], "the tag 'q' is not in the ratings. There are: x, y."),
        (["--where", "arm:a"], "--where concerns an audit file"),
        (["--annotators", "A,Q"], "no annotator 'Q'"),
        (["--annotators", "A,"], "empty name"),
        (["--minus-tag", "x"], "--minus-tag needs --tag"),
        (["--minus-where", "arm:a"], "--minus-where needs --where"),
        (["--minus-annotators", "A"], "--minus-annotators needs --annotators"),
        (["--annotators", "A,B", "--minus-annotators", "A"], "2 and 1 annotators, not as many"),
        (["--tag", "x", "--minus-tag", "q"], "the tag 'q' is not in the ratings"),
        (["--where", "arm:a", "--minus-where", "arm:b"], "--where concerns an audit file"),
        (["--category", "x"], "r.csv:5: the label 'y' is not among the declared categories"),
        (["--weights", "linear"], "categories in their order"),
        (["--bootstrap", "cluster"], "clusters are not known"),
        (["--replicates", "many"], "'many' is not a valid integer"),
        (["--codebook", "prex"], "--codebook concerns an audit file"),
        (["other.db"], "either an audit file or a CSV"),
    ],
)
def test_unusable_calls_are_one_sentence_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], ratings: Path, options: list[str], says: str
) -> None:
    assert main(["agreement", "--ratings", str(ratings), *options]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and says in shown.err and shown.err.count("\n") == 1


@pytest.mark.parametrize("width", [60, 80, 100, 120, 160])
def test_the_table_stays_a_table_at_any_width_and_names_what_it_leaves_out(ratings: Path, width: int) -> None:
    ratings.write_text(CLUSTERED, encoding="utf-8")
    rated = read_ratings(str(ratings))
    table = agreement_lines(measure_agreement(rated, Options(replicates=50)), rated, Options(), "", width)[5:]
    table = table[: table.index("")]
    left_out = [line for line in table if line.startswith("No room")]
    table = [line for line in table if not line.startswith("No room")]
    assert max(map(len, table)) <= width
    heading = table[0].split()
    assert {"tag", "items", "kappa", "AC1"} <= set(heading)
    assert [row.split("  ")[0] for row in table[2:]] == ["(all categories)", "x", "y", "z"]
    assert bool(left_out) == (width < 130)
    if left_out:
        told = left_out[0].removeprefix("No room here for ").partition(":")[0].split(", ")
        assert not set(told) & set(heading) and "bias index" in told


def test_clusters_and_undefined_replicates_are_told_whatever_the_width(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    cells = [("x", "x"), ("y", "y"), ("x", "y"), ("x", "x"), ("x", "x"), ("x", "x")]
    rows = [
        f"i{at},{who},{label},p{at}" for at, pair in enumerate(cells) for who, label in zip("AB", pair, strict=True)
    ]
    path.write_text("item,annotator,label,cluster\n" + "\n".join(rows), encoding="utf-8")
    rated = read_ratings(str(path))
    found = measure_agreement(rated, Options())
    kappa = next(one for one in found if one.statistic == "cohen_kappa")
    assert kappa.replicates_undefined
    how = agreement_lines(found, rated, Options(), "", 60)[-1]
    assert "The items come from 6 clusters." in how
    most = max(one.replicates_undefined or 0 for one in found)
    assert f"In up to {most:,} of them a coefficient is undefined; these are left out." in how
    assert main(["agreement", "--ratings", str(path), "--tag", "x", "--minus-tag", "y"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "these are left out. The items come from 6 clusters." in shown


def test_few_clusters_show_the_t_interval(capsys: pytest.CaptureFixture[str], ratings: Path) -> None:
    head, *rows = CLUSTERED.splitlines()
    few = [row.rpartition(",p")[0] + f",p{at // 2 % 6}" for at, row in enumerate(rows)]
    ratings.write_text("\n".join([head, *few]), encoding="utf-8")
    (kappa,) = coefficients(capsys, ratings, "--statistic", "cohen_kappa")
    assert kappa["t_low"] < kappa["ci_low"] and "take the t interval" in kappa["warnings"][0]
    assert main(["agreement", "--ratings", str(ratings)]) == 0
    shown = capsys.readouterr().out
    assert f"{kappa['value']:.3f} [{kappa['t_low']:.3f}, {min(kappa['t_high'], 1):.3f}]" in shown
    assert shown.count("Only 6 clusters: the intervals shown are t intervals") == 1


def test_the_t_interval_is_had_and_named_when_it_is_asked_for(
    capsys: pytest.CaptureFixture[str], ratings: Path
) -> None:
    ratings.write_text(CLUSTERED, encoding="utf-8")
    (kappa,) = coefficients(capsys, ratings, "--statistic", "cohen_kappa", "--interval", "t")
    assert kappa["ci_method"] == "cluster bootstrap, t(G - 1)" and kappa["ci_low"] == kappa["t_low"]
    assert main(["agreement", "--ratings", str(ratings), "--interval", "t"]) == 0
    shown = capsys.readouterr().out
    assert f"{kappa['value']:.3f} [{kappa['t_low']:.3f}, {min(kappa['t_high'], 1):.3f}]" in shown
    assert "Intervals (95 %): cluster bootstrap, t(G - 1), 10,000 replicates" in " ".join(shown.split())


def test_lights_spread_is_told(capsys: pytest.CaptureFixture[str], ratings: Path) -> None:
    with ratings.open("a") as file:
        file.writelines(f"{item},C,{label}\n" for item, label in enumerate("xyyyx"))
    (light,) = coefficients(capsys, ratings, "--statistic", "light_kappa")
    assert main(["agreement", "--ratings", str(ratings), "--statistic", "light_kappa"]) == 0
    told = f"the mean of the pairs' kappas, {light['pair_low']:.3f} to {light['pair_high']:.3f}, standard deviation"
    assert told in " ".join(capsys.readouterr().out.split())


def test_two_tags_and_two_rounds_are_compared(capsys: pytest.CaptureFixture[str], ratings: Path) -> None:
    ratings.write_text(CLUSTERED + CLUSTERED.partition("\n")[2].replace("ann", "ann#2").replace("bob", "bob#2"))
    assert main(["agreement", "--ratings", str(ratings), "--tag", "x", "--minus-tag", "y", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["coefficients", "minus", "minus_coefficients", "differences"]
    assert document["minus"] == {"tags": ["y"]}
    one = next(each for each in document["differences"] if each["statistic"] == "cohen_kappa")
    assert one["value"] == pytest.approx(one["first"]["value"] - one["second"]["value"])
    assert (one["first"]["tag"], one["second"]["tag"], one["n_clusters"]) == ("x", "y", 25)
    assert one["ci_low"] < one["value"] < one["ci_high"] and one["ci_method"] == "cluster bootstrap, percentile"
    rounds = ("--annotators", "ann,bob", "--minus-annotators", "ann#2,bob#2")
    assert main(["agreement", "--ratings", str(ratings), *rounds]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("First: annotators ann, bob.\nSecond: annotators ann#2, bob#2.\n")
    assert "ann, bob / ann#2, bob#2" in shown and "0.000 [" not in shown
    assert "Every defined replicate gives the same value: an interval would have no width" in " ".join(shown.split())
    assert "percent, gwet_ac1: in --json, or when named with --statistic." in shown
    assert "Intervals (95 %): cluster bootstrap, percentile, 10,000 replicates" in " ".join(shown.split())


def test_no_interval_is_shown_beyond_what_the_coefficient_can_be(
    capsys: pytest.CaptureFixture[str], ratings: Path
) -> None:
    labels = [("x", "x"), ("y", "y"), ("x", "x"), ("y", "x"), ("y", "y"), ("x", "x")]
    rows = [
        f"i{at},{who},{label},p{at}" for at, pair in enumerate(labels) for who, label in zip("ab", pair, strict=True)
    ]
    ratings.write_text("item,annotator,label,cluster\n" + "\n".join(rows), encoding="utf-8")
    (kappa,) = coefficients(capsys, ratings, "--statistic", "cohen_kappa")
    assert kappa["t_high"] > 1
    assert main(["agreement", "--ratings", str(ratings)]) == 0
    shown = capsys.readouterr().out
    assert f"[{kappa['t_low']:.3f}, 1.000]" in shown
    assert "An end beyond what the coefficient can be is shown as the bound" in " ".join(shown.split())


def test_each_reason_is_said_once_with_the_tags_it_concerns(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,annotator,label\n" + "".join(f"{n},{who},a|b|c\n" for n in range(3) for who in "AB"))
    assert main(["agreement", "--ratings", str(path), "--multi"]) == 0
    lines = capsys.readouterr().out.splitlines()
    said = [line for line in lines if ") Both annotators used the tag on every item" in line]
    assert len(said) == 1 and said[0].endswith("(cohen_kappa; negative_agreement: a, b, c)")
    assert any(line.startswith("(whole set)  ") for line in lines)
    numbers = " ".join(line.partition(")")[0] for line in said)
    (row,) = [line for line in lines if line.startswith("b  ")]
    assert row.endswith(f"  {numbers}"), "the row of the table names the notes on it"
    start = "A and B have the same tags on 3 of 3 items. Kappa is undefined: "
    assert lines[0].startswith(start) and lines[0] != start


def test_one_item_and_one_category_are_not_spoken_of_as_many(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,annotator,label\n1,A,x\n1,B,x\n")
    reasons = [one["reason"] or "" for one in coefficients(capsys, path, "--tag", "x")]
    assert any("every one of the 1 item" in reason for reason in reasons)
    assert not any("1 items" in reason for reason in reasons)
    assert main(["agreement", "--ratings", str(path)]) == 0
    assert "; 1 category, in order of appearance." in capsys.readouterr().out
    path.write_text("who\nA\n")
    assert main(["agreement", "--ratings", str(path)]) == 2
    assert "has no columns 'item', 'annotator' and 'label'; it has: who." in capsys.readouterr().err


def test_one_annotator_is_a_sentence_and_items_of_one_are_counted(
    capsys: pytest.CaptureFixture[str], ratings: Path
) -> None:
    with ratings.open("a") as file:
        file.write("9,A,x\n")
    assert main(["agreement", "--ratings", str(ratings), "--annotators", "A"]) == 0
    assert capsys.readouterr().out == "Agreement needs two annotators, and there is only 'A'.\n"
    assert main(["agreement", "--ratings", str(ratings)]) == 0
    told = "Items that one annotator of a pair deferred or did not review are left out: between A and B 5 of 6 count."
    assert told in capsys.readouterr().out.splitlines()


def test_neither_a_file_nor_ratings_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agreement"]) == 2
    assert "either an audit file or a CSV" in capsys.readouterr().err


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_and_labels_are_shown_visibly_and_exactly(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    text = HOSTILE[name]
    path = tmp_path / "r.csv"
    quoted = '"' + text.replace('"', '""') + '"'
    who = quoted if text else "nobody"
    table = f"item,annotator,label\n1,{who},{quoted}\n1,B,{quoted}\n2,{who},x\n2,B,{quoted}\n"
    path.write_bytes(table.encode("utf-8", "surrogatepass"))
    if "surrogate" in name:
        assert main(["agreement", "--ratings", str(path)]) == 2
        assert "r.csv:2: this row is not UTF-8 text." in capsys.readouterr().err
        return
    found = coefficients(capsys, path)
    assert {one["tag"] for one in found} == {None, text, "x"}
    assert main(["agreement", "--ratings", str(path)]) == 0
    shown = capsys.readouterr().out
    assert not any(char in shown for char in "\x1b\x9b\x00\x07\x08\x0e\x0f\x7f\u202e\u2066\u200b")
    if len(text) < 20 and text.strip():
        assert visible_line(text) in shown


@pytest.mark.parametrize("name", [name for name in HOSTILE if "surrogate" not in name])
def test_hostile_names_are_shown_visibly_in_differences(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    text = HOSTILE[name]
    quoted = '"' + text.replace('"', '""') + '"'
    path = tmp_path / "r.csv"
    pairs = [(quoted, quoted), ("x", quoted), ("x", "x"), (quoted, "x"), (quoted, quoted)]
    rows = [f"{at},{who},{label}" for at, pair in enumerate(pairs) for who, label in zip("AB", pair, strict=True)]
    path.write_text("\n".join(["item,annotator,label", *rows]) + "\n", encoding="utf-8", newline="")
    sides = ("--tag", text, "--minus-tag", "x", "--replicates", "50")
    assert main(["agreement", "--ratings", str(path), *sides, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["differences"][0]["first"]["tag"] == text
    assert main(["agreement", "--ratings", str(path), *sides]) == 0
    shown = capsys.readouterr().out
    assert not any(char in shown for char in "\x1b\x9b\x00\x07\x08\x0e\x0f\x7f\u202e\u2066\u200b")


def test_the_process_loads_no_screen_and_no_statistics_package(ratings: Path) -> None:
    ratings.write_text(CLUSTERED, encoding="utf-8")
    code = (
        "import sys; from auditor.cli.main import main; code = main(sys.argv[1:]);"
        "print(code, *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "agreement", "--ratings", str(ratings), "--replicates", "50"],
        capture_output=True,
        text=True,
        check=True,
    )
    code_and_modules = done.stderr.split()
    assert code_and_modules[0] == "0"
    loaded = {name.partition(".")[0] for name in code_and_modules[1:]}
    assert loaded & {"textual", "pandas", "scipy", "statsmodels", "sqlite_utils", "sklearn"} == set()


@pytest.mark.parametrize("option", ["--against", "--annotators", "--confusion", "--minus-annotators"])
def test_names_given_twice_are_refused_and_not_silently_the_last(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agreement", "audit.db", option, "ana", option, "ben"]) == 2
    assert f"give it once, with the names separated by commas: {option} ana,ben" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "value"), [("seed", "3"), ("confidence", "0.9"), ("replicates", "100")])
def test_the_screen_refuses_what_it_does_not_compute_with(
    option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agreement", "audit.db", "--screen", f"--{option}", value]) == 2
    assert f"--{option} concerns the table: the screen computes with --{option}" in capsys.readouterr().err


def test_tags_that_nobody_put_are_named_and_have_no_row(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    rows = [("1", "A", "x"), ("1", "B", "x"), ("2", "A", ""), ("2", "B", "x"), ("3", "A", "x"), ("3", "B", "")]
    path.write_text("item,annotator,label\n" + "".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    call = [
        "agreement",
        "--ratings",
        str(path),
        "--multi",
        "--category",
        "x",
        "--category",
        "never",
        "--category",
        "nor",
    ]
    assert main(call) == 0
    shown = capsys.readouterr().out
    assert "Nobody put these tags, so there is nothing to agree on, and no row: never, nor." in shown
    assert not any(line.startswith("never") for line in shown.splitlines()) and "left out the tag" not in shown
    assert main([*call, "--tag", "never"]) == 0
    assert "Nobody put" not in capsys.readouterr().out
    found = coefficients(capsys, path, *call[3:])
    assert {"x", "never", "nor"} <= {one["tag"] for one in found}


@pytest.mark.parametrize("form", ["md", "tex", "csv", "json"])
def test_agreement_is_written_as_a_table(
    form: str, capsys: pytest.CaptureFixture[str], ratings: Path, tmp_path: Path
) -> None:
    whole = coefficients(capsys, ratings)
    target = tmp_path / f"out.{form}"
    call = ["agreement", "--ratings", str(ratings)]
    assert main([*call, "-o", str(target)]) == 0 and capsys.readouterr().out == ""
    written = target.read_text(encoding="utf-8")
    kappa = next(one for one in whole if one["statistic"] == "cohen_kappa")
    if form == "json":
        assert json.loads(written)["coefficients"] == whole
    elif form == "csv":
        rows = list(csv.DictReader(written.splitlines()))
        assert len(rows) == len(whole) and [float(row["value"]) for row in rows] == [one["value"] for one in whole]
    else:
        assert f"{kappa['value']:.3f}" in written and "Below:" not in written
        assert ("\\toprule" if form == "tex" else "| kappa |") in written
    assert main([*call, "-o", str(target)]) == 2 and "exists already" in capsys.readouterr().err
    assert main([*call, "--format", form]) == 0 and capsys.readouterr().out == written


def test_other_questions_are_not_written_as_tables(
    capsys: pytest.CaptureFixture[str], ratings: Path, tmp_path: Path
) -> None:
    call = ["agreement", "--ratings", str(ratings), "-o", str(tmp_path / "a.md")]
    assert main([*call, "--confusion", "A,B"]) == 2
    assert "write agreement itself" in capsys.readouterr().err
    ratings.write_text("item,annotator,label\n1,A,x\n", encoding="utf-8")
    assert main(call) == 2 and not (tmp_path / "a.md").exists()
    assert "needs two annotators" in capsys.readouterr().err


def test_every_command_resamples_from_the_same_seed_unasked() -> None:
    assert DEFAULT_SEED == SEED


def test_a_pair_without_a_common_item_is_told_once_and_has_no_rows(
    capsys: pytest.CaptureFixture[str], ratings: Path
) -> None:
    ratings.write_text(PLAIN + "alone,C,x\n", encoding="utf-8")
    assert main(["agreement", "--ratings", str(ratings)]) == 0
    out = capsys.readouterr().out
    assert "No item was rated by both, so there is no row: A and C; B and C." in out
    assert "Between A, B:" in out and "0 items were rated by both" not in out
    assert {tuple(one["annotators"]) for one in coefficients(capsys, ratings)} >= {("A", "C"), ("B", "C")}
    assert main(["agreement", "--ratings", str(ratings), "--statistic", "cohen_kappa"]) == 0
    assert "0 items were rated by both 'A' and 'C'." in capsys.readouterr().out
