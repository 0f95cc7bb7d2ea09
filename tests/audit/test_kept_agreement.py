"""Agreement from kept counts is that of the items, and `--quick` shows it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from auditor.agreement.coefficient import PAIR, Options
from auditor.agreement.counts import INDEPENDENT
from auditor.agreement.measure import measure_agreement
from auditor.audit.agree import ratings_from_audit
from auditor.audit.kept_agreement import kept_agreement
from auditor.audit.tags import put_tags
from auditor.cli.main import main
from auditor.errors import AuditFileError, InputError
from auditor.store import file as store_file
from auditor.store.file import migrations
from auditor.store.kept_agreement import kept_differences
from tests.agreement.test_counts import same
from tests.builders import make_audit


def mark(path: Path, who: str, case: int, tags: list[str]) -> None:
    put_tags(path, who, f"demo/case-{case}/output/model-a/0", tags, none=not tags)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file in which two people reviewed four items."""
    file = make_audit(tmp_path / "audit.db")
    for who, tags in (("ana", ["copying", "copying", "other", ""]), ("ben", ["copying", "other", "other", ""])):
        for case, tag in enumerate(tags):
            mark(file, who, case, [tag] if tag else [])
    return file


def test_it_is_what_the_items_give(path: Path) -> None:
    for who, case, tags in (("cem", 0, ["copying", "other"]), ("cem", 2, []), ("ana", 3, ["arithmetic"])):
        mark(path, who, case, tags)
    asked = ("percent", "cohen_kappa", "positive_agreement")
    kept = kept_agreement(path, statistics=asked)
    full = {
        (one.tag, one.annotators, one.statistic): one
        for one in measure_agreement(ratings_from_audit(path), Options(statistics=asked, bootstrap="none"))
        if one.tag is not None and one.scope == PAIR
    }
    assert len(kept.coefficients) == len(full) > 50 and kept.codebook == "execution"
    for one in kept.coefficients:
        assert same(one, full[one.tag or "", one.annotators, one.statistic]), one
        assert (INDEPENDENT in one.warnings) == (one.ci_low is not None)


def test_a_file_from_before_there_were_counts_has_them_once_it_is_migrated(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kept_agreement(path)
    with closing(sqlite3.connect(path)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            if name.startswith("agreement_"):
                connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DROP VIEW compared_tags")
        connection.execute("DROP TABLE agreement_tags")
        connection.execute("DROP TABLE agreement_items")
        (number,) = (one.number for one in migrations() if one.path.name.endswith("_agreement.sql"))
        connection.execute(f"PRAGMA user_version = {number - 1}")
    monkeypatch.setattr(store_file, "migrations", lambda: migrations()[:number])
    with closing(store_file.open_file(path)) as connection:
        assert kept_differences(connection) == []
    assert kept_agreement(path) == before


def test_named_annotators_and_tags_come_in_their_order(path: Path) -> None:
    put_tags(path, "ana#2", "demo/case-0/output/model-a/0", ["other"])
    found = kept_agreement(path, annotators=["ben", "ana"], tags=["other", "copying"], statistics=("bias_index",))
    assert [(one.tag, one.annotators) for one in found.coefficients] == [
        ("other", ("ben", "ana")),
        ("copying", ("ben", "ana")),
    ]
    assert kept_agreement(path).annotators == ("ana", "ben")
    (one,) = kept_agreement(
        path, annotators=["ana#2", "ana"], tags=["copying"], statistics=("cohen_kappa",)
    ).coefficients
    assert (one.n_items, one.observed) == (1, 0)


def test_what_is_not_there_is_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no tag 'copyin'\. Did you mean copying\?"):
        kept_agreement(path, tags=["copyin"])
    with pytest.raises(InputError, match="nobody called 'anna'"):
        kept_agreement(path, annotators=["anna", "ben"])
    with pytest.raises(AuditFileError, match="nobody has reviewed anything"):
        kept_agreement(make_audit(tmp_path / "fresh.db"))


def test_quick_prints_the_table_and_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agreement", str(path), "--quick"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Between ana, ben:\n") and INDEPENDENT in " ".join(shown.split())
    assert "From kept counts of the items that both reviewed; intervals (95 %) by formula." in shown
    assert main(["agreement", str(path), "--quick", "--tag", "copying", "--statistic", "cohen_kappa", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["coefficients"]
    assert (one["tag"], one["n_items"], one["n_clusters"], one["observed"]) == ("copying", 4, None, 0.75)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--where", "arm:output"], "--quick reads no items"),
        (["--bootstrap", "cluster"], "--quick reads no items"),
        (["--tag", "copying", "--minus-tag", "other"], "--quick reads no items"),
        (["--statistic", "fleiss_kappa"], "--quick measures pairs"),
        (["--statistic", "kappa"], "there is no statistic 'kappa'"),
        (["--multi"], "--quick concerns an audit file"),
        (["--confidence", "2"], "the confidence must lie between 0 and 1"),
        (["--confidence", "nan"], "the confidence must lie between 0 and 1"),
        (["--confidence", "0.99999999999999989"], "the confidence must lie between 0 and 1"),
        (["--annotators", "ana,ana"], "an annotator is named twice"),
    ],
)
def test_quick_refuses_what_needs_the_items(
    path: Path, capsys: pytest.CaptureFixture[str], options: list[str], says: str
) -> None:
    assert main(["agreement", str(path), "--quick", *options]) == 2
    assert says in capsys.readouterr().err
