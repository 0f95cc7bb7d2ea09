"""Lines of keys in a TOML file, whatever way the file is written, and sentences for files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.configuration.toml_file import MAX_BYTES, TomlFile, read_toml
from auditor.errors import InputError
from auditor.text import has_invisible

TEXT = '''# theme = "not this one"
about = """
theme = "nor this"
"""
words = [
  "theme",
  "mouse",
]

theme = "dark"   # here
[item]
"defer" = "x"
note = ["n",
  "N"]
[queue.more]
next = 1
'''


@pytest.mark.parametrize(
    ("key", "lines"),
    [
        (("about",), (2, 4)),
        (("words",), (5, 8)),
        (("theme",), (10, 10)),
        (("item",), (11, 11)),
        (("item", "defer"), (12, 12)),
        (("item", "note"), (13, 14)),
        (("queue", "more", "next"), (16, 16)),
        (("mouse",), None),
        (("item", "next"), None),
    ],
)
def test_a_key_is_found_where_its_statement_begins_and_ends(
    key: tuple[str, ...], lines: tuple[int, int] | None
) -> None:
    assert TomlFile(Path("x.toml"), TEXT).statement_of(*key) == lines


def test_dots_and_tables_lead_to_the_same_names() -> None:
    dotted = TomlFile(Path("x.toml"), 'item.defer = "x"\nitem.note = "y"\n')
    tables = TomlFile(Path("x.toml"), '[item]\ndefer = "x"\nnote = "y"\n')
    assert list(dotted.flat()) == list(tables.flat()) == [(("item", "defer"), "x"), (("item", "note"), "y")]
    assert (dotted.line_of("item", "note"), tables.line_of("item", "note")) == (2, 3)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"theme = dark\n", ":1: this is not TOML: invalid value. Texts stand in quotes."),
        (b'a = 1\ntheme = "dark\n', ":2: this is not TOML: illegal character '\\n'."),
        (b"a = 1\na = 2\n", ":2: this is not TOML: cannot overwrite a value."),
        (b"a = [1,\n", ":1: this is not TOML: invalid value."),
        (b"a = 1\n# caf\xe9\n", ":2: this is not UTF-8. Save the file as UTF-8."),
        (b"x = " + b"[" * 5000, ": this is nested too deep."),
        (b"#" * (MAX_BYTES + 1), ": this is larger than 64 KiB."),
        (b"a\x1b = 1\n", ":1: this is not TOML: "),
    ],
)
def test_what_is_not_toml_is_told_with_its_line(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_toml(path)
    assert str(caught.value).startswith(f"{path}{told}")
    assert "\n" not in str(caught.value) and not has_invisible(str(caught.value))


def test_no_file_is_none_and_a_folder_is_told(tmp_path: Path) -> None:
    assert read_toml(tmp_path / "none.toml") is None
    with pytest.raises(InputError, match="Is a directory"):
        read_toml(tmp_path)


def test_a_byte_order_mark_and_carriage_returns_are_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b'\xef\xbb\xbftheme = "dark"\r\nmouse = false\r\n')
    file = read_toml(path)
    assert file is not None and file.values == {"theme": "dark", "mouse": False}
    assert file.place_of("mouse") == f"{path}:2"
