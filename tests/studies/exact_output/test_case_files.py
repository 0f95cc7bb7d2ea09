"""Cases are read from folders, TOML and JSON lines; what cannot be used is named with its place, the rest is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.errors import InputError
from auditor.studies.exact_output.case import Case
from auditor.studies.exact_output.case_files import read_cases
from tests.hostile import HOSTILE
from tests.studies.exact_output.programs import TOTAL

ABOUT = 'short = "1\\n"\nlong = """\n1 2\n3\n"""\n'


def test_a_folder_has_a_program_and_its_description_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "add_all.py").write_bytes(TOTAL.replace("\n", "\r\n").encode())
    (tmp_path / "add_all.toml").write_text(
        ABOUT + 'loop = "for word in input().split():"\niteration = 2\nfields = ["total"]\ntopic = "sums"\nrank = 3\n'
    )
    (tmp_path / "other.cpp").write_text("int main() {}\n")
    (tmp_path / "other.toml").write_text(ABOUT + 'study = "s"\n')
    cases, refusals = read_cases(tmp_path)
    assert refusals == []
    assert cases == [
        Case(
            "add-all",
            TOTAL.replace("\n", "\r\n"),
            "1\n",
            "1 2\n3\n",
            loop="for word in input().split():",
            iteration=2,
            fields=("total",),
            facets={"topic": "sums", "rank": 3},
        ),
        Case("other", "int main() {}\n", "1\n", "1 2\n3\n", language="cpp", study="s"),
    ]


def test_json_lines_and_toml_tables_say_the_same(tmp_path: Path) -> None:
    values = {"name": "n", "program": TOTAL, "short": "1\n", "long": "1 2\n", "loop": 2, "difficulty": "hard"}
    lines, tables = tmp_path / "c.jsonl", tmp_path / "c.toml"
    lines.write_text(json.dumps(values) + "\n\n")
    tables.write_text("[[case]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()))
    wanted = [Case("n", TOTAL, "1\n", "1 2\n", loop=2, facets={"difficulty": "hard"})]
    assert read_cases(lines) == read_cases(tables) == (wanted, [])


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"program": None}, "it needs either program (the source) or file (the path of the source)."),
        ({"file": "a.py"}, "it needs either program (the source) or file (the path of the source)."),
        ({"program": None, "file": "nowhere.py"}, "its program cannot be read: No such file or directory."),
        ({"program": None, "file": "bytes.py"}, "its program is not UTF-8."),
        ({"program": None, "file": "/dev/zero"}, "its file is no plain file."),
        ({"program": None, "file": "."}, "its file is no plain file."),
        ({"program": None, "file": "a\0b"}, "its file has no name that a file can have."),
        ({"short": None}, "it has no short."),
        ({"long": 3}, "long is the number 3, but must be text."),
        ({"name": " "}, "it has no name."),
        ({"short": "\ud800"}, "short holds what cannot be given to a program: a lone surrogate or a stray byte."),
        ({"iteration": 0}, "iteration is the number 0, but must be a whole number from 1."),
        ({"loop": True}, "loop is true, but must be a whole number from 1."),
        ({"fields": []}, "fields must be a list of one or more names of variables."),
        ({"fields": ["a.b"]}, "the field 'a.b' is not the name of a variable."),
        ({"fields": ["a", "a"]}, "fields names a variable twice."),
        ({"topic": [1]}, "topic is a list, but a facet is a number or a text."),
    ],
)
def test_a_case_that_cannot_be_used_is_named_and_the_others_are_read(
    tmp_path: Path, values: dict[str, object], reason: str
) -> None:
    (tmp_path / "bytes.py").write_bytes(b"\xff")
    good = {"name": "n", "program": TOTAL, "short": "1\n", "long": "1 2\n"}
    bad = {key: value for key, value in {**good, **values}.items() if value is not None}
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps(bad) + "\nnot JSON\n" + json.dumps(good))
    cases, refusals = read_cases(path)
    assert [case.name for case in cases] == ["n"]
    assert [refusal.where for refusal in refusals] == [f"{path}:1", f"{path}:2"]
    assert refusals[0].reason == reason


def test_a_program_without_its_description_is_refused_with_both_names(tmp_path: Path) -> None:
    (tmp_path / "alone.py").write_text(TOTAL)
    (tmp_path / "broken.py").write_text(TOTAL)
    (tmp_path / "broken.toml").write_text("short = \n")
    cases, refusals = read_cases(tmp_path)
    assert cases == [] and len(refusals) == 2
    assert refusals[0].where.endswith("alone.py") and "alone.toml" in refusals[0].reason
    assert refusals[1].where.endswith("broken.toml") and refusals[1].reason.startswith("this is not TOML")


@pytest.mark.parametrize(("name", "text"), [("a.txt", ""), ("a.toml", "x = 1"), ("a.jsonl", "\n"), ("a.toml", "[[")])
def test_a_file_that_holds_no_cases_is_unusable(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=name):
        read_cases(path)


def test_an_empty_folder_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no program"):
        read_cases(tmp_path)


def test_hostile_names_and_texts_are_read_exactly(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    good = [
        text for text in HOSTILE.values() if text.strip() and not any(0xD800 <= ord(char) < 0xE000 for char in text)
    ]
    path.write_text(
        "".join(json.dumps({"name": t, "program": t, "short": t, "long": t}) + "\n" for t in good), encoding="ascii"
    )
    cases, refusals = read_cases(path)
    assert refusals == []
    assert [(case.name, case.source, case.short) for case in cases] == [(text, text, text) for text in good]
