"""Settings: where they come from, which of them wins, and the sentence for each mistake."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from auditor.configuration.configuration import config_file, load_configuration
from auditor.configuration.edit import set_setting
from auditor.configuration.keymap_file import read_keymap
from auditor.configuration.settings import Settings
from auditor.errors import AuditorError, InputError


def write(folder: Path, text: str, name: str = "config.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# --- precedence ----------------------------------------------------------------------------------------------------


def test_command_line_wins_over_environment_over_file_over_default(tmp_path: Path) -> None:
    path = write(tmp_path, '# mine\ntheme = "from-file"\nmouse = false\nannotator = "file"\n')
    environ = {"AUDITOR_THEME": "from-environment", "AUDITOR_ANNOTATOR": "environment", "AUDITOR_MOUSE": ""}
    loaded = load_configuration(path, {"theme": "from-call", "annotator": None, "mouse": None}, environ)
    assert loaded.settings == Settings(theme="from-call", mouse=False, annotator="environment")
    assert loaded.sources == {"theme": "--theme", "mouse": f"{path}:3", "annotator": "AUDITOR_ANNOTATOR"}


def test_without_any_of_them_the_defaults_act(tmp_path: Path) -> None:
    loaded = load_configuration(environ={"XDG_CONFIG_HOME": str(tmp_path)})
    assert (loaded.settings, loaded.sources) == (Settings(), {})
    assert loaded.file == tmp_path / "auditor" / "config.toml"
    assert loaded.keymap_file == tmp_path / "auditor" / "keymap.toml"
    assert loaded.themes_folder == tmp_path / "auditor" / "themes"


def test_the_file_is_the_named_one_or_that_of_the_environment_or_the_person_s(tmp_path: Path) -> None:
    named, other = write(tmp_path, "", "named.toml"), write(tmp_path, "", "other.toml")
    environ = {"AUDITOR_CONFIG": str(other), "HOME": "/somebody", "XDG_CONFIG_HOME": "relative/is/ignored"}
    assert config_file(named, environ) == named
    assert config_file(None, environ) == other
    assert config_file(None, environ | {"AUDITOR_CONFIG": ""}) == Path("/somebody/.config/auditor/config.toml")
    with pytest.raises(InputError, match=r"--config .*none\.toml: there is no such file"):
        config_file(tmp_path / "none.toml", environ)
    with pytest.raises(InputError, match=r"AUDITOR_CONFIG .*none\.toml: there is no such file"):
        config_file(None, {"AUDITOR_CONFIG": str(tmp_path / "none.toml")})


# --- mistakes ------------------------------------------------------------------------------------------------------

IN_FILE = [
    ('theem = "x"', "theem: there is no such setting. Did you mean theme?"),
    ("zzz = 1", "zzz: there is no such setting. See: auditor config show"),
    ("theme = 3", "theme: this is one line of text, not 3."),
    ('theme = "a\\nb"', "theme: this is one line of text, not 'a\\nb'."),
    ('mouse = "yes"', "mouse: this is true or false, not 'yes'."),
    ("mouse = 1", "mouse: this is true or false, not 1."),
    ('animations = "never"', "animations: this is auto, on or off, not 'never'."),
    ('[theme]\nname = "x"', "theme: this is one line of text, not {'name': 'x'}."),
    ('[keys]\nitem.defer = "x"', "keys: there is no such setting. See: auditor config show"),
]


@pytest.mark.parametrize(("text", "sentence"), IN_FILE)
def test_a_mistake_in_the_file_is_told_with_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    path = write(tmp_path, f"confirm_quit = true\n{text}\n")
    with pytest.raises(InputError) as caught:
        load_configuration(path, environ={})
    assert str(caught.value) == f"{path}:2: {sentence}"


def test_of_several_mistakes_the_first_is_told_and_the_others_counted(tmp_path: Path) -> None:
    path = write(tmp_path, 'theme = 3\nmuose = true\nmouse = "on"\n')
    with pytest.raises(InputError, match=r":1: theme: .* 2 more: auditor config check\.$"):
        load_configuration(path, environ={})


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("AUDITOR_MOUSE", "maybe", "AUDITOR_MOUSE in the environment: mouse: this is true or false, not 'maybe'."),
        ("AUDITOR_ANIMATIONS", "x", "AUDITOR_ANIMATIONS in the environment: animations: this is auto, on or off, not"),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(variable: str, value: str, sentence: str) -> None:
    with pytest.raises(AuditorError) as caught:
        load_configuration(environ={variable: value})
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).endswith("Change or unset it.")


@pytest.mark.parametrize(("text", "value"), [("on", True), ("YES", True), ("1", True), ("off", False), ("0", False)])
def test_yes_and_no_have_several_words_in_the_environment(text: str, value: bool) -> None:
    assert load_configuration(environ={"AUDITOR_CONFIRM_QUIT": text}).settings.confirm_quit is value


def test_every_setting_says_what_it_is_for() -> None:
    for one in fields(Settings):
        assert one.metadata["about"].endswith(".")
        assert not one.metadata["choices"] or one.default in one.metadata["choices"]


# --- the key map's file --------------------------------------------------------------------------------------------


def test_a_key_map_is_read_with_the_line_of_each_entry(tmp_path: Path) -> None:
    path = write(tmp_path, 'item.defer = "x"\n[queue]\nnext = ["l", "down"]\nprevious = ""\n', "keymap.toml")
    file = read_keymap(path)
    assert file.problems == ()
    assert [(entry.action, entry.keys, entry.where) for entry in file.entries] == [
        ("item.defer", ("x",), f"{path}:1"),
        ("queue.next", ("l", "down"), f"{path}:3"),
        ("queue.previous", (), f"{path}:4"),
    ]


@pytest.mark.parametrize("value", ["3", "[3]", '["a", ""]', "true", "1979-05-27"])
def test_what_is_no_key_costs_its_entry_only(tmp_path: Path, value: str) -> None:
    path = write(tmp_path, f'item.note = "x"\nitem.defer = {value}\n', "keymap.toml")
    file = read_keymap(path)
    assert [entry.action for entry in file.entries] == ["item.note"]
    assert file.problems[0].startswith(f"{path}:2: item.defer: this is a key or a list of keys, not ")


def test_a_key_map_that_is_no_toml_is_told_and_no_key_map_is_none(tmp_path: Path) -> None:
    path = write(tmp_path, "item.defer = x\n", "keymap.toml")
    assert read_keymap(path).problems == (f"{path}:1: this is not TOML: invalid value. Texts stand in quotes.",)
    assert read_keymap(tmp_path / "none.toml") == ((), ())


# --- writing -------------------------------------------------------------------------------------------------------


def test_setting_one_changes_its_line_and_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path, '# mine\ntheme = "old"   # nice\n\n# the mouse\nmouse = true')
    path.chmod(0o640)
    assert set_setting(path, "theme", 'a "new" one') == 'theme = "a \\"new\\" one"'
    assert set_setting(path, "confirm_quit", "yes") == "confirm_quit = true"
    assert path.read_text() == '# mine\ntheme = "a \\"new\\" one"\n\n# the mouse\nmouse = true\nconfirm_quit = true\n'
    assert path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["config.toml"]


def test_the_line_ends_of_a_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'theme = "old"\r\nmouse = true\r\n')
    set_setting(path, "theme", "new")
    assert path.read_bytes() == b'theme = "new"\r\nmouse = true\r\n'


def test_setting_one_makes_the_file_and_keeps_a_link(tmp_path: Path) -> None:
    path = tmp_path / "new" / "auditor" / "config.toml"
    set_setting(path, "annotator", "ana")
    assert path.read_text() == 'annotator = "ana"\n'
    link = tmp_path / "link.toml"
    link.symlink_to(path)
    set_setting(link, "annotator", "ben")
    assert link.is_symlink() and path.read_text() == 'annotator = "ben"\n'


@pytest.mark.parametrize(
    ("text", "name", "value", "sentence"),
    [
        ("", "theem", "x", "theem: there is no such setting. Did you mean theme?"),
        ("", "mouse", "x", "mouse: this is true or false, not 'x'."),
        ("muose = true\n", "mouse", "on", "Mend the file first; nothing was changed."),
        ("theme = \n", "mouse", "on", "this is not TOML"),
    ],
)
def test_what_cannot_be_set_changes_nothing(tmp_path: Path, text: str, name: str, value: str, sentence: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(AuditorError) as caught:
        set_setting(path, name, value)
    assert sentence in str(caught.value)
    assert path.read_text() == text
