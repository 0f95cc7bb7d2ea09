"""`auditor config` and `auditor themes`: what they print, what they write, and how they exit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from auditor.cli.main import main
from auditor.configuration.settings import Settings, setting_fields
from tests.builders import make_audit
from tests.hostile import HOSTILE

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the settings of a person who has none yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "auditor"
    folder.mkdir()
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


def test_show_prints_each_setting_with_where_it_comes_from(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "config.toml").write_text('theme = "auditor-light"\n')
    monkeypatch.setenv("AUDITOR_MOUSE", "off")
    code, out, _ = run("config", "show", "--json")
    shown = json.loads(out)
    assert code == 0 and shown["file"] == str(home / "config.toml") and shown["exists"] is True
    assert {row["name"]: (row["value"], row["source"]) for row in shown["settings"]} == {
        # JSON has no tuples.
        **{name: (json.loads(json.dumps(one.default)), "default") for name, one in setting_fields().items()},
        "theme": ("auditor-light", f"{home / 'config.toml'}:1"),
        "mouse": (False, "AUDITOR_MOUSE"),
    }
    code, out, _ = run("config", "show")
    assert code == 0 and all(name in out for name in setting_fields())


def test_path_says_where_the_file_would_be(run: Run, home: Path, tmp_path: Path) -> None:
    assert run("config", "path") == (0, f"{home / 'config.toml'}\n", "")
    other = tmp_path / "other.toml"
    other.touch()
    assert run("config", "path", "--config", other) == (0, f"{other}\n", "")


def test_set_writes_the_file_that_show_reads(run: Run, home: Path) -> None:
    assert run("config", "set", "theme", "auditor-light")[0] == 0
    assert run("config", "set", "mouse", "off") == (0, f"{home / 'config.toml'}: mouse = false\n", "")
    shown = json.loads(run("config", "show", "--json")[1])
    values = {row["name"]: row["value"] for row in shown["settings"]}
    assert (values["theme"], values["mouse"]) == ("auditor-light", False)


def test_a_named_file_that_is_not_there_yet_is_made_by_setting_something(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, other = tmp_path / "new" / "mine.toml", tmp_path / "other.toml"
    monkeypatch.setenv("AUDITOR_CONFIG", str(named))
    assert run("config", "path") == (0, f"{named}\n", "")
    code, _, err = run("config", "show")
    assert code == 2 and "there is no such file. `auditor config set` makes it." in err
    assert run("config", "set", "annotator", "ana") == (0, f'{named}: annotator = "ana"\n', "")
    assert run("config", "set", "mouse", "off", "--config", other) == (0, f"{other}: mouse = false\n", "")
    assert (named.read_text(), other.read_text()) == ('annotator = "ana"\n', "mouse = false\n")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("theme", "auditor-drak", "there is no theme 'auditor-drak'. Did you mean auditor-dark?"),
        ("theem", "x", "theem: there is no such setting. Did you mean theme?"),
        ("animations", "x", "animations: this is auto, on or off, not 'x'."),
        *[("theme", text, "theme") for text in HOSTILE.values() if "\x00" not in text][:8],
    ],
)
def test_what_cannot_be_set_is_told_and_nothing_is_written(
    run: Run, home: Path, name: str, value: str, sentence: str
) -> None:
    code, out, err = run("config", "set", "--", name, value)
    assert (code, out) == (2, "")
    assert sentence in err
    assert not (home / "config.toml").exists()


def test_check_names_everything_that_is_wrong(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("config", "check") == (0, "Nothing is wrong.\n", "")
    (home / "keymap.toml").write_text("[review\n")
    assert run("config", "check")[1].endswith("\n1 mistake.\n")
    (home / "config.toml").write_text('theem = "x"\nmouse = 3\n')
    (home / "keymap.toml").write_text('item.defer = "u"\nitem.note = 3\n')
    (home / "themes").mkdir()
    (home / "themes" / "mine.toml").write_text('name = "mine"\n')
    monkeypatch.setenv("AUDITOR_THEME", "min")
    code, out, err = run("config", "check")
    assert (code, err) == (1, "")
    for words in (
        "config.toml:1: theem",
        "config.toml:2: mouse",
        "keymap.toml:1: item.defer",
        "keymap.toml:2: item.no",
    ):
        assert words in out
    assert "mine.toml: colors.primary" in out and "There is no theme 'min'" in out
    assert out.endswith("6 mistakes.\n")


def test_a_broken_settings_file_stops_what_uses_it(run: Run, home: Path, tmp_path: Path) -> None:
    audit = make_audit(tmp_path / "a.db")
    (home / "config.toml").write_text('theem = "x"\n')
    for words in (("review", audit, "--annotator", "ana"), ("config", "show"), ("demo", "--file", tmp_path / "d.db")):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert "config.toml:1: theem: there is no such setting. Did you mean theme?" in err
    assert not (tmp_path / "d.db").exists()
    assert run("accuracy", audit)[0] == 0


def test_a_review_asks_whose_tags_these_are_when_nothing_says_it(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = make_audit(tmp_path / "a.db")
    code, _, err = run("review", audit)
    assert code == 2 and "whose tags will these be? Give --annotator NAME" in err
    monkeypatch.setenv("AUDITOR_ANNOTATOR", "ana")
    code, _, err = run("review", audit)
    assert code == 2 and "a review needs a terminal" in err


def test_themes_are_listed_with_their_files(run: Run, home: Path) -> None:
    (home / "themes").mkdir()
    (home / "themes" / "mine.toml").write_text('name = "mine"\ndark = false\n[colors]\nprimary = "#005f87"\n')
    code, out, _ = run("themes", "list", "--json")
    listed = {row["name"]: row for row in json.loads(out)["themes"]}
    assert code == 0
    assert listed["mine"] == {"name": "mine", "dark": False, "from": str(home / "themes" / "mine.toml")}
    assert Settings().theme in listed and listed["nord"]["from"] == "Textual"
    (home / "themes" / "bad.toml").write_text("name = 3\n")
    code, out, _ = run("themes", "list")
    assert code == 1 and "mine" in out and "bad.toml: name: this is a text, not 3." in out


def test_a_theme_is_checked_for_what_is_hard_to_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\n[colors]\nprimary = "#87afd7"\nbackground = "#121212"\n[variables]\nsaved = "#444444"\n'
    )
    code, out, _ = run("themes", "check", path)
    assert code == 1
    assert "saved #444444 on background #121212: 1.9 to 1" in out
    assert "The theme 'mine' can be used." in out
    path.write_text("name = 3\n")
    code, out, err = run("themes", "check", path)
    assert (code, out) == (2, "") and "name: this is a text, not 3." in err
