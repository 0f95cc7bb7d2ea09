from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import InputError
from auditor.formats.records import RunInfo
from auditor.formats.run_toml import read_run_toml, run_toml
from auditor.formats.toml_text import toml_pair
from auditor.model import JsonValue, Study
from tests.hostile import HOSTILE

STUDY = '[[study]]\nname = "s"\n'
BROKEN: dict[bytes, str] = {
    b"": "it declares no study: each needs a table [[study]] with a name.",
    b"study = []": "it declares no study: each needs a table [[study]] with a name.",
    b"[run": "it is not TOML: expected ']' at the end of a table declaration (at end of document).",
    b'[run]\nname = "a"\nname = "b"': "it is not TOML: cannot overwrite a value (at end of document).",
    b'[run]\nname = "\xff"': "byte 15 is not UTF-8, which TOML must be.",
    b"run = 3\n" + STUDY.encode(): "run must be a table, written [run].",
    b"[run]\nname = 3\n" + STUDY.encode(): "in [run], name is the number 3, but must be text or null.",
    b"[run]\nx = nan\n" + STUDY.encode(): "[run] holds the number nan, which cannot be kept.",
    b"x = " + b"9" * 5000: "it holds a whole number with too many digits.",
    b"x = " + b"[" * 5000: "it is nested more than 100 levels deep.",
    b"x = " + b"[" * 100 + b"]" * 100: "it is nested more than 100 levels deep.",
    b'[study]\nname = "s"': "study must be a list of tables, each written [[study]].",
    b"study = [1]": "study must be a list of tables, each written [[study]].",
    b"[[study]]\npolicy = 'bytes'": "in [[study]] number 1, it has no name.",
    b"[[study]]\nname = true": "in [[study]] number 1, name is true, but must be text.",
    STUDY.encode() + b"policy = 1": "in [[study]] number 1, policy is the number 1, but must be text or null.",
    STUDY.encode()
    + b"samples = 0": "in [[study]] number 1, samples is the number 0, but must be a whole number from 1.",
    STUDY.encode() + b"samples = '2'": "in [[study]] number 1, samples is text, but must be a whole number from 1.",
    STUDY.encode() + b"cluster = '[/]'": 'in [[study]] number 1, cluster is "[/]", but must be program or problem.',
    (STUDY + STUDY).encode(): 'it declares the study "s" twice.',
}


def write(folder: Path, text: str | bytes) -> Path:
    (folder / "run.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


@pytest.mark.parametrize("data", BROKEN, ids=lambda data: repr(data[-40:]))
def test_what_is_wrong_in_it_is_said_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read_run_toml(write(tmp_path, data))
    assert caught.value.message == f"{tmp_path}/run.toml: {BROKEN[data]}"


def test_a_file_that_cannot_be_read_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "run.toml").mkdir()
    with pytest.raises(InputError, match=r"run.toml: it cannot be read \(Is a directory\)\."):
        read_run_toml(tmp_path)


def test_everything_it_says_is_read(tmp_path: Path) -> None:
    text = (
        '\ufeffformat = 1\n[run]\nname = "n"\ndescription = "d"\nprovenance = "p"\nby = "me"\non = 2025-05-01\n'
        '[[study]]\nname = "a"\npolicy = "no-such-policy"\nenvelope = "ans-tags"\ncluster = "problem"\n'
        'codebook = "prex"\nsamples = 3\nnote = ["x", {y = 1.5}]\n[[study]]\nname = "b"\n[tool]\nx = true\n'
    )
    info, studies = read_run_toml(write(tmp_path, text))
    assert info == RunInfo("n", "d", "p", {"by": "me", "on": "2025-05-01"}, {"format": 1, "tool": {"x": True}})
    assert studies == [
        Study("a", "no-such-policy", "ans-tags", "problem", "prex", 3, {"note": ["x", {"y": 1.5}]}),
        Study("b"),
    ]


def test_a_run_without_a_name_takes_that_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "my-run"
    folder.mkdir()
    info, _ = read_run_toml(write(folder, STUDY))
    assert info.name == "my-run"


def as_written(info: RunInfo, studies: list[Study], folder: Path) -> str:
    """Return what is written after reading what was written, having checked that it is read as the same."""
    assert read_run_toml(write(folder, run_toml(info, studies))) == (info, studies)
    return run_toml(*read_run_toml(folder))


@pytest.mark.parametrize("name", [name for name in HOSTILE if "surrogate" not in name])
def test_any_text_is_read_back_as_it_was(tmp_path: Path, name: str) -> None:
    text = HOSTILE[name]
    info = RunInfo(text, text, text, {text: text}, {text: {text: [text]}})
    studies = [Study(text, text, text, "program", text, 1, {f"x{text}": text}), Study(f"x{text}")]
    assert as_written(info, studies, tmp_path) == run_toml(info, studies)


@pytest.mark.parametrize("text", ["hello \ud83d", "\udc80", "a\udfff"])
def test_a_lone_surrogate_is_refused_since_toml_has_none(text: str) -> None:
    with pytest.raises(InputError) as caught:
        run_toml(RunInfo("r"), [Study(text)])
    assert str(caught.value) == (
        '"name" holds a lone surrogate or a byte that is not UTF-8, which a TOML file cannot hold.'
    )
    with pytest.raises(InputError, match="which a TOML file cannot hold"):
        run_toml(RunInfo("r", extra={text: 1}), [])


@pytest.mark.parametrize(("value", "shown"), [(None, "null"), (float("nan"), "nan"), (float("-inf"), "-inf")])
def test_values_that_toml_lacks_are_refused(value: JsonValue, shown: str) -> None:
    with pytest.raises(InputError) as caught:
        toml_pair("k", [1, value])
    assert str(caught.value) == f'"k" holds {shown}, which a TOML file cannot hold.'


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
)


@given(st.dictionaries(texts, values, max_size=4))
def test_tomllib_reads_back_any_table(table: dict[str, Any]) -> None:
    read = tomllib.loads("\n".join(toml_pair(key, value) for key, value in table.items()))
    assert read == table
    assert repr(read) == repr(table)
