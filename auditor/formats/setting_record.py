"""One line of `settings.jsonl`, both ways."""

from __future__ import annotations

from auditor.formats.fields import Fields, take_facets, take_optional_text, take_text
from auditor.model import JsonValue, Setting


def read_setting(fields: Fields) -> Setting:
    """Take a setting out of its JSON object; raises UnusableError."""
    return Setting(
        take_text(fields, "setting"),
        model=take_optional_text(fields, "model"),
        mode=take_optional_text(fields, "mode"),
        prompting=take_optional_text(fields, "prompting"),
        facets=take_facets(fields),
        extra=fields,
    )


def setting_line(setting: Setting) -> dict[str, JsonValue]:
    """Return the JSON object of a setting, absent keys left out."""
    optional: dict[str, JsonValue] = {
        "model": setting.model,
        "mode": setting.mode,
        "prompting": setting.prompting,
        "facets": dict(setting.facets) or None,
    }
    given = {name: value for name, value in optional.items() if value is not None}
    return {"setting": setting.name, **given, **setting.extra}
