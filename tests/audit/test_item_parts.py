"""The texts of an item: exactly as stored, in files that are whole or not there, and no word of what is hidden."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.audit.item_parts import (
    PARTS,
    TakenError,
    part_file_name,
    part_text,
    read_item,
    save_part,
    why_no_part,
)
from auditor.audit.review import QueueWish, Reveal, ReviewItem, ReviewSession, open_session
from auditor.errors import InputError
from auditor.model import JsonValue
from auditor.store.file import open_for_reading
from auditor.store.queue import load_evidence
from auditor.text import to_bytes
from tests.audit.hostile_run import RAW, TEXTS, hostile_audit
from tests.builders import make_audit


@pytest.fixture(scope="module")
def hostile_items(tmp_path_factory: pytest.TempPathFactory) -> list[ReviewItem]:
    path = hostile_audit(tmp_path_factory.mktemp("hostile"))
    with closing(open_for_reading(path)) as connection:
        return [load_evidence(connection, row + 1) for row in range(len(TEXTS))]


def test_every_text_is_written_byte_for_byte(hostile_items: list[ReviewItem], tmp_path: Path) -> None:
    for number, (item, text) in enumerate(zip(hostile_items, TEXTS, strict=True)):
        wanted = {"input": text or None, "oracle": text, "reply": None if number % 7 == 3 else text}
        for part, expected in wanted.items():
            found = part_text(item, part)
            assert found == expected, item.key
            if found is not None:
                path = tmp_path / f"{number}-{part_file_name(item, part)}"
                assert save_part(path, found) == len(to_bytes(text))
                assert path.read_bytes() == to_bytes(text)
    assert to_bytes(RAW) == b"raw \xff\xfe caf\xe9"


def test_names_of_files_hold_plain_letters_only_and_are_short(hostile_items: list[ReviewItem]) -> None:
    for item in hostile_items:
        for part in PARTS:
            name = part_file_name(item, part.id)
            assert all(char.isalnum() or char in "._-" for char in name), name
            assert name[0] not in ".-" and len(name.encode()) < 255
    assert part_file_name(hostile_items[0], "source").endswith("-0-source.py")


def test_the_whole_item_says_what_there_is_and_what_is_not(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db", cases=1)
    item = read_item(path, "demo/case-0/output/model-a/0")
    assert part_text(item, "item") == (
        "demo / case-0 / output / model-a / sample 0\n"
        "language: python\n"
        "status: wrong-valid, answer found by: reply\n"
        "computed: wrong_value: Nothing more specific holds.\n"
        "\n── oracle, 5 characters ──\nright\n"
        "\n── prediction, 5 characters ──\nwrong\n"
        "\n── raw reply, 5 characters ──\nwrong\n"
        "\n── reasoning: none was recorded ──\n"
        "\n── source, 9 characters ──\nprint(x)\n"
        "\n── input: this task has none ──\n"
        "\n── prompt: none was recorded ──\n"
    )
    assert [part.id for part in PARTS if why_no_part(item, part.id)] == ["reasoning", "input", "prompt"]


def test_replies_of_earlier_rounds_stand_before_the_recorded_reasoning(tmp_path: Path) -> None:
    item = read_item(make_audit(tmp_path / "a.db", cases=1), "demo/case-0/output/model-a/0")
    cases: tuple[tuple[JsonValue, str | None, str | None], ...] = (
        (["first", "second\n"], None, "── reply of round 1 ──\nfirst\n── reply of round 2 ──\nsecond\n"),
        (["first", 7], "So.", "── reply of round 1 ──\nfirst\n── reasoning ──\nSo.\n"),
        ([], "So.", "So."),
        ("no list", None, None),
    )
    for turns, reasoning, expected in cases:
        response = replace(item.response, reasoning=reasoning, extra={"turns": turns})
        assert part_text(replace(item, response=response), "reasoning") == expected


def test_a_blind_review_tells_nothing_of_what_it_hides(tmp_path: Path) -> None:
    session: ReviewSession = open_session(make_audit(tmp_path / "a.db", cases=2), "ana", QueueWish(blind=True))
    with closing(session):
        item = session.item(0)
        told = [*(part_text(item, part.id) or "" for part in PARTS), *(part_file_name(item, part.id) for part in PARTS)]
        told += [why_no_part(item, part.id) or "" for part in PARTS]
        for word in ("model", "state", "wrong_value", "wrong-valid", "Nothing more", "answer found by", "-output-"):
            assert not any(word in text for text in told), word
        assert why_no_part(item, "prompt") == "hidden in this review"
        session.submit(item.response_id, Reveal())
        revealed = session.item_by_id(item.response_id)
        assert "model" in part_file_name(revealed, "reply") and "status: wrong-valid" in (
            part_text(revealed, "item") or ""
        )


def test_nothing_is_overwritten_unless_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "taken.txt"
    path.write_text("mine")
    with pytest.raises(TakenError, match=r"taken\.txt: it exists already\."):
        save_part(path, "new")
    assert path.read_text() == "mine"
    assert save_part(path, "new", replace=True) == 3
    assert path.read_text() == "new" and [one.name for one in tmp_path.iterdir()] == ["taken.txt"]
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(TakenError):
        save_part(link, "new")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "it is a folder"),
        ("no-folder/x.txt", "there is no folder"),
        ("a\0b", "this cannot be the name of a file"),
        ("a\ud800b", "this cannot be the name of a file"),
        ("x" * 300, "File name too long"),
        ("../../../../../../../../../../dev/full", "it is no ordinary file"),
        ("../../../../../../../../../../proc/new.txt", "writing it failed"),
    ],
)
def test_what_cannot_be_written_is_said_in_a_sentence(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        save_part(tmp_path / name, "text", replace=True)


def test_an_item_that_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db", cases=1)
    for key in ("demo/case-9/output/model-a/0", "case-9", "demo/case-0/output/model-a/x", ""):
        with pytest.raises(InputError, match="there is no item"):
            read_item(path, key)


def test_a_part_of_a_key_names_the_items_that_have_it(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db", cases=2)
    for key, items in (("case-0", 4), ("demo/case-0", 4), ("state", 4), ("output/model-a/0", 2), ("model-b", 4)):
        with pytest.raises(InputError, match=rf"not the whole key of an item. Name one of these \({items} items"):
            read_item(path, key)


def test_a_full_disk_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "from pathlib import Path; from auditor.audit.item_parts import save_part\n"
        "try: save_part(Path('x.txt'), 'x' * 1000)\n"
        "except Exception as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout == "x.txt: writing it failed (File too large).\n"
    assert list(tmp_path.iterdir()) == []
