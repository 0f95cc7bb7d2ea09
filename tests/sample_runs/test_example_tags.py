"""The example tags: two invented annotators who reviewed the same wrong replies and agree well, not fully."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime

from tests.sample_runs.run_directory import Record, enveloped_answer, is_right, responses, tag_rows, task_of

TAGS = {
    "arithmetic",
    "state-transition",
    "control-flow",
    "input-reading",
    "copying",
    "output-formatting",
    "truncated",
    "wrong-checkpoint",
    "no-attempt",
    "oracle-disputed",
    "other",
}
Item = tuple[str, ...]


def marks() -> dict[str, dict[Item, set[str]]]:
    """Return each annotator's tags by item; an empty set = reviewed, none."""
    given: dict[str, dict[Item, set[str]]] = defaultdict(dict)
    for row in tag_rows():
        item = tuple(row[name] for name in ("study", "case", "arm", "setting", "sample"))
        given[row["annotator"]].setdefault(item, set()).update({row["tag"]} - {""})
    return given


def kappa(one: dict[Item, set[str]], two: dict[Item, set[str]], tag: str) -> float:
    items = one.keys() & two.keys()
    observed = sum((tag in one[item]) == (tag in two[item]) for item in items) / len(items)
    first, second = (sum(tag in given[item] for item in items) / len(items) for given in (one, two))
    expected = first * second + (1 - first) * (1 - second)
    return (observed - expected) / (1 - expected)


def test_the_columns_are_those_that_tags_import_reads() -> None:
    columns = ["study", "case", "arm", "setting", "sample", "annotator", "tag", "note", "at"]
    assert list(tag_rows()[0]) == columns
    assert {row["tag"] for row in tag_rows()} - {""} <= TAGS
    assert {row["annotator"] for row in tag_rows()} == {"example-ana", "example-ben"}


def test_both_annotators_reviewed_the_same_replies_of_many_cases_and_all_settings() -> None:
    ana, ben = marks().values()
    both = ana.keys() & ben.keys()
    assert len(both) >= 60
    assert len({item[1] for item in both}) >= 24
    per_setting = Counter(item[3] for item in both)
    assert len(per_setting) == len({response["setting"] for response in responses()})
    assert min(per_setting.values()) >= 6
    assert ana.keys() - both and ben.keys() - both


def test_only_wrong_replies_are_tagged() -> None:
    by_item: dict[Item, Record] = {
        (r["study"], r["case"], r["arm"], r["setting"], str(r["sample"])): r for r in responses()
    }
    for given in marks().values():
        for item in given:
            response = by_item[item]
            answer = enveloped_answer(response["response"])
            assert response["response"] is not None and response["planted"]
            assert answer is None or not is_right(task_of(response), answer)


def test_some_items_have_two_tags_and_some_have_none() -> None:
    for given in marks().values():
        sizes = Counter(map(len, given.values()))
        assert sizes[0] >= 1
        assert sizes[2] >= 3
        assert sizes[1] > 0.7 * sizes.total()


def test_agreement_per_tag_is_good_but_not_perfect() -> None:
    ana, ben = marks().values()
    used = Counter(tag for given in (ana, ben) for tags in given.values() for tag in tags)
    for tag, count in used.items():
        assert count >= 6, tag
        assert 0.35 <= kappa(ana, ben, tag) <= 0.95, (tag, kappa(ana, ben, tag))


def test_times_are_fixed_utc_and_in_order_of_review() -> None:
    for annotator in marks():
        times = [row["at"] for row in tag_rows() if row["annotator"] == annotator]
        assert times == sorted(times)
        assert all(datetime.strptime(at, "%Y-%m-%dT%H:%M:%SZ").year == 2026 for at in times)
