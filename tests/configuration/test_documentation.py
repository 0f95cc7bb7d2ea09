"""docs/configuration.md is true: it lists every setting and every action, and its examples load."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from auditor.configuration.configuration import load_configuration
from auditor.configuration.keymap_file import keymap_of
from auditor.configuration.settings import choices_of, setting_fields
from auditor.configuration.toml_file import TomlFile
from auditor.tui.actions import SCREENS
from auditor.tui.actions.key_names import shown_key
from auditor.tui.actions.keymap import map_keys

TEXT = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
SETTINGS, KEYMAP = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)


def test_every_setting_is_listed_with_its_default_and_nothing_else_is() -> None:
    listed = re.findall(r"^\| `(\w+)` \| `(.*)` \| (.*) \|$", TEXT, re.MULTILINE)
    assert [(name, about) for name, _, about in listed] == [
        (name, one.metadata["about"]) for name, one in setting_fields().items()
    ]
    for (_, text, _), one in zip(listed, setting_fields().values(), strict=True):
        value = tomllib.loads(f"x = {text}")["x"]
        assert one.default == (tuple(value) if isinstance(value, list) else value)
    for name in setting_fields():
        for word in choices_of(name):
            assert f"`{word}`" in TEXT


def test_the_example_of_the_settings_loads(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(SETTINGS)
    loaded = load_configuration(path, environ={})
    assert {name: getattr(loaded.settings, name) for name in loaded.sources} == tomllib.loads(SETTINGS)


def test_the_example_of_the_key_map_can_be_used() -> None:
    entries = keymap_of(TomlFile(Path("keymap.toml"), KEYMAP)).entries
    mapped = map_keys(entries, SCREENS, {})
    assert mapped.problems == ()
    actions = {action.id: action for screen in mapped.screens.values() for action in screen}
    assert len(entries) == 5
    for entry in entries:
        assert [shown_key(key) for key in actions[entry.action].keys] == list(entry.keys)
