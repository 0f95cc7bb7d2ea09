"""Reading ratings from CSV: strict about form, never about labels."""

from __future__ import annotations

import csv
import os
import threading
from pathlib import Path

import pytest

from auditor.agreement.coefficient import Options
from auditor.agreement.measure import measure_agreement
from auditor.agreement.ratings_csv import read_ratings
from auditor.errors import InputError
from tests.hostile import HOSTILE

GOOD = "item,annotator,label\n1,A,x\n1,B,x\n2,A,y\n2,B,x\n"


@pytest.fixture
def write(tmp_path: Path) -> WriteRatings:
    return WriteRatings(tmp_path / "r.csv")


class WriteRatings:
    """Writes a ratings file and returns its path."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, text: str | bytes) -> Path:
        self._path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self._path


def test_reads_columns_in_any_order_beside_unknown_ones(write: WriteRatings) -> None:
    ratings = read_ratings(write("note,label,cluster,item,annotator\n-,x,p,1,A\n-,y,p,1,B\n-,x,q,2,A\n"))
    assert ratings.annotators == ("A", "B")
    assert ratings.categories == ("x", "y") and not ratings.declared
    assert ratings.n_items == 2
    assert ratings.cluster is not None and ratings.cluster.tolist() == [0, 1]
    assert ratings.of_annotator(1).tolist() == [1, -1]


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_the_data(write: WriteRatings) -> None:
    ratings = read_ratings(write(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()))
    assert ratings.categories == ("x", "y")


def test_blank_lines_are_skipped(write: WriteRatings) -> None:
    assert read_ratings(write(GOOD.replace("\n2,A", "\n\n2,A") + "\n\n")).n_items == 2


@pytest.mark.parametrize("label", ["nan", "NA", "None", "null", "", " ", "01", "1e3", "TRUE"])
def test_labels_are_never_converted(write: WriteRatings, label: str) -> None:
    ratings = read_ratings(write(f"item,annotator,label\n1,A,{label}\n1,B,{label}\n2,A,x\n2,B,x\n"))
    assert ratings.categories == (label, "x")
    (kappa,) = measure_agreement(ratings, Options(statistics=("cohen_kappa",)))
    assert (kappa.value, kappa.n_items) == (1, 2)


def test_every_hostile_text_is_a_label_like_any_other(tmp_path: Path) -> None:
    texts = [text for text in HOSTILE.values() if text.isprintable() or ("\ud83d" not in text and "\udc80" not in text)]
    path = tmp_path / "hostile.csv"
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, quoting=csv.QUOTE_ALL)
        writer.writerow(["item", "annotator", "label"])
        for number, text in enumerate(texts):
            writer.writerows([[number, "A", text], [number, "B", text]])
    assert read_ratings(path).categories == tuple(dict.fromkeys(texts))


def test_sets_are_split_at_bars_and_an_empty_field_is_the_empty_set(write: WriteRatings) -> None:
    ratings = read_ratings(write("item,annotator,label\n1,A,b|a\n1,B,\n2,A,a|b\n2,B,c\n"), multi=True)
    assert ratings.values == (frozenset("ab"), frozenset(), frozenset("c"))
    assert ratings.categories == ("a", "b", "c")


def test_counts_stand_for_identical_items_without_overflow(write: WriteRatings) -> None:
    big = 5_000_000_000
    text = "item,annotator,label,count\n" + "".join(
        f"{i},A,{a},{count}\n{i},B,{b},{count}\n"
        for i, (a, b, count) in enumerate([("x", "x", 2 * big), ("x", "y", big), ("y", "y", big)])
    )
    ratings = read_ratings(write(text))
    found = measure_agreement(ratings, Options(statistics=("cohen_kappa", "gwet_ac1"), bootstrap="item", replicates=50))
    kappa = next(one for one in found if one.statistic == "cohen_kappa")
    # p_o = 3/4, p_e = 3/4 x 1/2 + 1/4 x 1/2
    assert kappa.n_items == 4 * big
    assert kappa.value == pytest.approx(0.5)
    assert kappa.ci_low == pytest.approx(0.5, abs=1e-4) and kappa.ci_high == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "no columns 'item', 'annotator' and 'label'"),
        ("item,label\n1,x\n", 1, "no column 'annotator'; it has: item, label"),
        ("item;annotator;label\n", 1, "no column"),
        ("item,annotator,label,label\n", 1, "column 'label' twice"),
        ("item,annotator,label\n1,A\n", 2, "2 fields where the header has 3"),
        ("item,annotator,label\n1,A,x\n\n1,B,x,y\n", 4, "4 fields where the header has 3"),
        ("item,annotator,label\n1,A,x\n,B,x\n", 3, "the item is empty"),
        ("item,annotator,label\n1,,x\n", 2, "the annotator is empty"),
        ("item,annotator,label,cluster\n1,A,x,\n", 2, "the cluster is empty"),
        ("item,annotator,label\n1,A,x\n1,B,x\n1,A,y\n1,B,y\n", 4, "has rated this item before"),
        ('item,annotator,label\n1,A,"two\nlines"\n1,A,y\n', 4, "has rated this item before"),
        ("item,annotator,label,cluster\n1,A,x,p\n1,B,x,q\n", 3, "other clusters"),
        ("item,annotator,label,count\n1,A,x,2\n1,B,x,3\n", 3, "other counts"),
        ("item,annotator,label,count\n1,A,x,1.5\n", 2, "the count '1.5' is not a whole number"),
        ("item,annotator,label,count\n1,A,x,0\n", 2, "the count '0' is not a whole number"),
        ("item,annotator,label,count\n1,A,x,٣\n", 2, "is not a whole number"),
        ('item,annotator,label\n1,A,"x\n', 2, "not well-formed CSV"),
        ('item,annotator,label\n1,A,"x\ny"\n\n2,A,"x\n3,A,y\n', 5, "not well-formed CSV"),
        ('item,annotator,label\n1,A,"x\r\ny\rz"\n2,A\n', 5, "2 fields"),
        ('item,annotator,label\n1,A,"x"y\n', 2, "not well-formed CSV"),
        (b"item,annotator,label\n1,A,x\n1,B,\xff\n", 3, "not UTF-8"),
    ],
)
def test_unusable_files_are_refused_in_one_sentence_with_the_line(
    write: WriteRatings, text: str | bytes, line: int, says: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_ratings(write(text))
    message = str(caught.value)
    assert f"r.csv:{line}: " in message and says in message
    assert "\n" not in message and caught.value.exit_code == 2


def test_lines_are_found_beyond_the_first_block(write: WriteRatings) -> None:
    rows = "".join(f"{number},A,x\n" for number in range(12_345))
    with pytest.raises(InputError, match=r"r\.csv:12347: this row has 1 fields"):
        read_ratings(write("item,annotator,label\n" + rows + "short\n"))


def test_an_empty_tag_in_a_set_is_refused(write: WriteRatings) -> None:
    with pytest.raises(InputError, match=r"r\.csv:3: the set 'a\|\|b' holds an empty tag"):
        read_ratings(write("item,annotator,label\n1,A,a\n1,B,a||b\n"), multi=True)


def test_a_label_outside_the_declared_categories_is_refused_with_its_line(write: WriteRatings) -> None:
    with pytest.raises(InputError, match=r"r\.csv:4: the label 'y' is not among the declared categories"):
        read_ratings(write(GOOD), categories=["x", "z"])


def test_sums_of_counts_that_would_not_be_exact_are_refused(write: WriteRatings) -> None:
    rows = "".join(f"{item},A,x,{10**15}\n" for item in range(10))
    with pytest.raises(InputError, match="no longer exact"):
        read_ratings(write("item,annotator,label,count\n" + rows))


def test_a_pipe_is_read_once_and_its_lines_are_named(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("item,annotator,label\n1,A,x\n1,A,y\n",))
    writer.start()
    with pytest.raises(InputError, match="pipe:3: this annotator has rated this item before"):
        read_ratings(pipe)
    writer.join()


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_ratings(tmp_path / "none.csv")
    with pytest.raises(InputError, match="cannot read"):
        read_ratings(tmp_path)


def test_free_text_in_the_label_column_is_refused(write: WriteRatings) -> None:
    rows = "".join(f"{number},A,text {number}\n" for number in range(2_001))
    with pytest.raises(InputError, match="2001 different labels"):
        read_ratings(write("item,annotator,label\n" + rows))
