"""Theme files: what they give, what each mistake is told, and that every text can be read on its ground."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from textual.app import App, ComposeResult
from textual.color import Color
from textual.theme import Theme
from textual.widgets import Static

from auditor.resources import data_folder
from auditor.text import has_invisible
from auditor.tui.styled import role_styles
from auditor.tui.themes import (
    DEFAULT_THEME,
    THEME_VARIABLES,
    LoadedThemes,
    ThemeError,
    load_theme,
    load_themes,
    theme_variable_defaults,
)

BUNDLED = (
    "auditor-16",
    "auditor-colorblind-dark",
    "auditor-colorblind-light",
    "auditor-contrast",
    "auditor-dark",
    "auditor-light",
)
IN_256 = [name for name in BUNDLED if name != "auditor-16"]
GROUNDS = ("background", "surface", "panel")
LEAST_RATIO = {"auditor-contrast": 7.0}
TEXTS = [variable for variable in THEME_VARIABLES if not variable.carries and not variable.name.endswith("-text")]


def themes() -> dict[str, Theme]:
    return {theme.name: theme for theme in load_themes().themes}


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2.2, from 1 to 21, computed from its definition."""

    def luminance(color: str) -> float:
        channels = [channel / 255 for channel in Color.parse(color).rgb]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def at_256(color: str) -> str:
    """Return what a terminal of 256 colours shows for a colour."""
    return RichColor.parse(color).downgrade(ColorSystem.EIGHT_BIT).get_truecolor().hex


def pairs(theme: Theme) -> list[tuple[str, str, str, str]]:
    """Return name and colour of each text of a theme with name and colour of each ground that it stands on."""
    colors = {name: getattr(theme, name) for name in (*GROUNDS, "foreground", "accent", "success", "warning", "error")}
    colors |= theme.variables
    texts = [variable.name for variable in TEXTS] + ["foreground", "accent", "success", "warning", "error"]
    found = [(text, colors[text], ground, colors[ground]) for text in texts for ground in GROUNDS]
    for variable in THEME_VARIABLES:
        for text in variable.carries:
            found.append((text, colors[text], variable.name, colors[variable.name]))
    return found


SEEN = {
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}
"""Linear RGB as dichromats see it: Machado, Oliveira and Fernandes 2009, table 1, severity 1."""


def seen_distance(one: str, other: str, kind: str) -> float:
    """Return the distance of two colours in CIELAB (CIE 1976, D65) as a kind of colour blindness sees them."""

    def lab(color: str) -> tuple[float, float, float]:
        channels = [channel / 255 for channel in Color.parse(color).rgb]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        red, green, blue = (
            min(1.0, max(0.0, sum(weight * value for weight, value in zip(row, linear, strict=True))))
            for row in SEEN[kind]
        )
        x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
        y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
        fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
        return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)

    return math.dist(lab(one), lab(other))


def test_the_contrast_of_black_and_white_is_21() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


# --- bundled -------------------------------------------------------------------------------------------------------


def test_the_bundled_themes_load_without_a_problem_and_set_every_variable() -> None:
    loaded = load_themes()
    assert loaded.problems == ()
    assert tuple(sorted(theme.name for theme in loaded.themes)) == BUNDLED
    assert DEFAULT_THEME in BUNDLED
    for theme in loaded.themes:
        assert set(theme.variables) == {variable.name for variable in THEME_VARIABLES}


@pytest.mark.parametrize("name", BUNDLED)
def test_every_text_of_a_bundled_theme_can_be_read_on_its_grounds(name: str) -> None:
    least = LEAST_RATIO.get(name, 4.5)
    weak = [
        f"{text} {color} on {ground} {under}: {contrast(color, under):.2f}"
        for text, color, ground, under in pairs(themes()[name])
        if contrast(color, under) < least
    ]
    assert weak == []


@pytest.mark.parametrize("name", IN_256)
def test_a_bundled_theme_is_made_of_xterm_colours_and_can_be_read_in_256(name: str) -> None:
    cube, greys = (0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF), range(0x08, 0xEF, 10)
    palette = {f"#{r:02x}{g:02x}{b:02x}" for r in cube for g in cube for b in cube} | {
        f"#{grey:02x}{grey:02x}{grey:02x}" for grey in greys
    }
    used = pairs(themes()[name])
    assert {color for pair in used for color in (pair[1], pair[3])} <= palette
    # Rich shows the lighter greys one step darker than they are, so the contrast is computed again.
    weak = [
        f"{text} {color} on {ground} {under}: {contrast(at_256(color), at_256(under)):.2f}"
        for text, color, ground, under in used
        if contrast(at_256(color), at_256(under)) < 4.5
    ]
    assert weak == []


STANDARD_PALETTES = {
    "of Linux and VGA": "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa"
    " 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    "of xterm": "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5"
    " 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    "of Tango": "2e3436 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf"
    " 555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec",
    "of Windows": "0c0c0c c50f1f 13a10e c19c00 0037da 881798 3a96dd cccccc"
    " 767676 e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 f2f2f2",
}
"""What terminals show for colours 0 to 15."""


@pytest.mark.parametrize("palette", STANDARD_PALETTES)
def test_the_theme_for_16_colours_can_be_read_in_every_palette(palette: str) -> None:
    shown = [f"#{color}" for color in STANDARD_PALETTES[palette].split()]

    def at_16(color: str) -> str:
        number = RichColor.parse(color).downgrade(ColorSystem.STANDARD).number
        assert number is not None
        return shown[number]

    weak = [
        f"{text} on {ground}: {contrast(at_16(color), at_16(under)):.2f}"
        for text, color, ground, under in pairs(themes()["auditor-16"])
        if contrast(at_16(color), at_16(under)) < 3
    ]
    assert weak == []
    # Rules and what cannot be done now are mixtures with black, which must not become black.
    theme = themes()["auditor-16"]
    roles = role_styles(theme.to_color_system().generate() | theme.variables)
    for role in ("rule", "off"):
        color = roles[role].color
        assert color is not None and color.downgrade(ColorSystem.STANDARD).number != 0


@pytest.mark.parametrize("name", ["auditor-colorblind-dark", "auditor-colorblind-light"])
@pytest.mark.parametrize("kind", ["deuteranopia", "protanopia"])
def test_what_belongs_apart_is_apart_for_eyes_that_do_not_tell_red_from_green(name: str, kind: str) -> None:
    variables = themes()[name].variables
    apart = [("oracle", "prediction"), ("diff-oracle", "diff-prediction"), ("verdict-ok", "verdict-bad")]
    apart += [("saved", "unsaved"), ("state-reviewed", "state-deferred"), ("state-reviewed", "state-begun")]
    close = [
        f"{one} {other}: {distance:.0f}"
        for one, other in apart
        if (distance := seen_distance(variables[one], variables[other], kind)) < 20
    ]
    assert close == []


def test_the_dark_theme_is_what_the_colour_blind_one_is_for() -> None:
    variables = themes()["auditor-dark"].variables
    assert seen_distance(variables["state-reviewed"], variables["state-deferred"], "deuteranopia") < 20


@pytest.mark.parametrize("dark", [True, False])
def test_the_defaults_can_be_read_in_themes_that_set_nothing(dark: bool) -> None:
    plain = Theme("plain", primary="#87afd7", dark=dark).to_color_system().generate()
    defaults = theme_variable_defaults(dark)
    weak = [
        f"{variable.name} {defaults[variable.name]}: {contrast(defaults[variable.name], plain['background']):.2f}"
        for variable in TEXTS
        if contrast(defaults[variable.name], plain["background"]) < 4.5
    ]
    assert weak == []


def test_each_variable_is_described_once_and_what_it_carries_is_a_variable() -> None:
    names = [variable.name for variable in THEME_VARIABLES]
    assert len(set(names)) == len(names)
    taken = Theme("plain", primary="#87afd7").to_color_system().generate()
    for variable in THEME_VARIABLES:
        assert variable.description.endswith(".")
        assert variable.name not in taken
        assert set(variable.carries) <= set(names)


class EveryVariable(App[None]):
    """Uses each variable once, as the screens do."""

    CSS = "\n".join(
        f"#{variable.name} {{ color: ${variable.name}; background: ${variable.name} 18%; }}"
        for variable in THEME_VARIABLES
    )

    def __init__(self, loaded: LoadedThemes) -> None:
        super().__init__()
        for theme in loaded.themes:
            self.register_theme(theme)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme_variable_defaults(self.current_theme.dark)

    def compose(self) -> ComposeResult:
        for variable in THEME_VARIABLES:
            yield Static(variable.name, id=variable.name, markup=False)


async def test_styles_follow_every_theme_also_those_that_set_no_variable() -> None:
    app = EveryVariable(load_themes())
    async with app.run_test(size=(60, 45)) as pilot:
        for name in (*BUNDLED, "nord", "textual-light", "textual-ansi"):
            app.theme = name if name in app.available_themes else "textual-dark"
            await pilot.pause()
            theme = app.current_theme
            for variable in THEME_VARIABLES:
                wanted = theme.variables.get(variable.name, variable.dark if theme.dark else variable.light)
                assert app.query_one(f"#{variable.name}").styles.color == Color.parse(wanted)


# --- a user's folder -----------------------------------------------------------------------------------------------

MINIMAL = 'name = "mine"\n[colors]\nprimary = "#87afd7"\n'


def write(folder: Path, text: str | bytes, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_theme_needs_only_a_name_and_a_primary_colour(tmp_path: Path) -> None:
    theme = load_theme(write(tmp_path, b"\xef\xbb\xbf" + MINIMAL.encode()))
    assert theme == Theme("mine", primary="#87afd7")


def test_everything_that_a_file_sets_arrives(tmp_path: Path) -> None:
    text = (
        'name = "My theme 2"\ndark = false\nluminosity_spread = 0.2\ntext_alpha = 1\n'
        '[colors]\nprimary = "rgb(1,2,3)"\nboost = "#ffffff10"\naccent = "ansi_blue"\n'
        '[variables]\nsaved = "green"\ntext-muted = "auto 50%"\nlink-style = "bold not underline"\n'
        'scrollbar = "#ff0000 20%"\nprimary-darken-2 = "#000"\n'
    )
    assert load_theme(write(tmp_path, text)) == Theme(
        "My theme 2",
        primary="rgb(1,2,3)",
        boost="#ffffff10",
        accent="ansi_blue",
        dark=False,
        luminosity_spread=0.2,
        text_alpha=1.0,
        variables={
            "saved": "green",
            "text-muted": "auto 50%",
            "link-style": "bold not underline",
            "scrollbar": "#ff0000 20%",
            "primary-darken-2": "#000",
        },
    )


async def test_what_the_loader_accepts_the_screens_can_show(tmp_path: Path) -> None:
    text = (
        '[variables]\nsaved = "hsl(10,20%,30%)"\noracle = "rgba(1,2,3,0.5)"\ntext-muted = "auto 50%"\n'
        'link-style = "bold not underline"\nscrollbar = "#ff0000 20%"\nlink-style-hover = "none"\nborder = "ansi_red"\n'
    )
    write(tmp_path, MINIMAL + text)
    app = EveryVariable(load_themes(tmp_path))
    async with app.run_test(size=(60, 45)) as pilot:
        app.theme = "mine"
        await pilot.pause()
        assert app.query_one("#saved").styles.color == Color.parse("hsl(10,20%,30%)")


MISTAKES: list[tuple[str | bytes, str]] = [
    ("", "name: a theme needs a name"),
    ('name = ""\n', "name: a theme needs a name"),
    ('name = "a/b"\n', "name: a theme needs a name"),
    ("name = 3\n", "name: this is a text, not 3."),
    ('name = "mine"\n', "colors.primary: a theme needs this colour."),
    ('name = "mine"\ncolors = "red"\n', "colors: this is a table, [colors], not 'red'."),
    ('name = "mine"\n[colors]\naccent = "red"\n', "colors.primary: a theme needs this colour."),
    (MINIMAL + 'accnt = "red"\n', "colors.accnt: themes have no such key. Did you mean colors.accent?"),
    (MINIMAL + 'zzz = "red"\n', "colors.zzz: themes have no such key."),
    ("drak = true\n" + MINIMAL, "drak: themes have no such key. Did you mean dark?"),
    ('dark = "yes"\n' + MINIMAL, "dark: this is true or false, not 'yes'."),
    ("text_alpha = 7\n" + MINIMAL, "text_alpha: 7 is not between 0 and 1."),
    ("text_alpha = nan\n" + MINIMAL, "text_alpha: nan is not between 0 and 1."),
    ("text_alpha = true\n" + MINIMAL, "text_alpha: this is a number, not True."),
    (MINIMAL + 'accent = "blu"\n', "colors.accent: 'blu' is not a colour."),
    (MINIMAL + "accent = 7\n", "colors.accent: this is a text, not 7."),
    (MINIMAL + 'accent = "auto"\n', "colors.accent: 'auto' is not a colour."),
    (MINIMAL + 'accent = "#fff\\n"\n', "colors.accent: '#fff␊' is not a colour."),
    (MINIMAL + 'accent = "red; } * { color: red"\n', "colors.accent: 'red; } * { color: red' is not a colour."),
    (MINIMAL + '[variables]\nsavd = "red"\n', "variables.savd: themes have no such key. Did you mean variables.saved?"),
    (MINIMAL + '[variables]\nsaved = "rde"\n', "variables.saved: 'rde' is not a colour."),
    (MINIMAL + '[variables]\nsaved = "red 40%"\n', "variables.saved: 'red 40%' is not a colour."),
    (MINIMAL + "[variables]\nsaved = [1]\n", "variables.saved: this is a text, not [1]."),
    (MINIMAL + '[variables]\ntext-muted = "auto"\n', "variables.text-muted: 'auto' is not a colour."),
    (MINIMAL + '[variables]\nlink-style = "bolt"\n', "variables.link-style: 'bolt' is not a text style."),
    (MINIMAL + '"a\\u001bb" = "red"\n', "colors.a␛b: themes have no such key."),
    (MINIMAL + "accent = \n", "this is not TOML: Invalid value (at line 4, column 10)."),
    (MINIMAL + 'primary = "red"\n', "this is not TOML: Cannot overwrite a value"),
    (b"# caf\xe9\n", "line 1 is not UTF-8."),
    (b"\xff\xfen\x00", "line 1 is not UTF-8."),
    ("x = " + "[" * 5000, "this is not TOML: "),
    ("#" * 70_000, "the theme is larger than 64 KiB."),
]


@pytest.mark.parametrize(("text", "sentence"), MISTAKES)
def test_a_mistake_is_told_with_the_file_and_the_key(tmp_path: Path, text: str | bytes, sentence: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ThemeError) as caught:
        load_theme(path)
    assert str(caught.value).startswith(f"{path}: {sentence}")
    assert "\n" not in str(caught.value) and not has_invisible(str(caught.value))


def test_broken_files_are_collected_and_the_others_load(tmp_path: Path) -> None:
    write(tmp_path, MINIMAL)
    write(tmp_path, MINIMAL, "twin.toml")
    write(tmp_path, "nonsense", "bad.toml")
    (tmp_path / "folder.toml").mkdir()
    write(tmp_path, "not a theme", "readme.txt")
    loaded = load_themes(tmp_path)
    assert {theme.name for theme in loaded.themes} == {*BUNDLED, "mine"}
    assert [Path(problem.split(": ")[0]).name for problem in loaded.problems] == [
        "bad.toml",
        "folder.toml",
        "twin.toml",
    ]
    assert "'mine' is already the name of mine.toml" in loaded.problems[2]


def test_a_users_theme_wins_over_the_bundled_one_of_its_name(tmp_path: Path) -> None:
    write(tmp_path, MINIMAL.replace("mine", DEFAULT_THEME))
    loaded = load_themes(tmp_path)
    assert loaded.problems == ()
    assert {theme.name: theme.foreground for theme in loaded.themes}[DEFAULT_THEME] is None


def test_a_folder_that_is_missing_holds_no_themes_and_a_file_in_its_place_is_told(tmp_path: Path) -> None:
    assert load_themes(tmp_path / "none") == load_themes()
    loaded = load_themes(write(tmp_path, MINIMAL))
    assert len(loaded.themes) == len(BUNDLED)
    assert loaded.problems == (f"{tmp_path / 'mine.toml'}: the themes cannot be listed: Not a directory.",)


def test_the_bundled_files_describe_what_they_set_since_people_copy_them() -> None:
    for path in data_folder("themes").glob("*.toml"):
        text = path.read_text()
        for variable in THEME_VARIABLES:
            assert f"# {variable.description}" in text


def test_the_defaults_are_the_colours_of_the_bundled_themes() -> None:
    assert themes()["auditor-dark"].variables == theme_variable_defaults(dark=True)
    assert themes()["auditor-light"].variables == theme_variable_defaults(dark=False)


def test_the_documentation_lists_every_variable_with_its_colours_and_its_example_loads(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "themes.md").read_text()
    for variable in THEME_VARIABLES:
        assert f"| `{variable.name}` | {variable.description} | `{variable.dark}` | `{variable.light}` |" in text
    example = text.split("```toml\n")[1].split("```")[0]
    assert load_theme(write(tmp_path, example)).variables == {"oracle": "#005f00"}
