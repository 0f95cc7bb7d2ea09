"""The agreement screen: numbers that are those of the command, cells that open their items, and empty states."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from shutil import copy

import pytest
from rich.cells import cell_len
from textual.color import Color
from textual.pilot import Pilot
from textual.screen import Screen

from auditor.agreement.coefficient import Options
from auditor.agreement.measure import measure_agreement
from auditor.audit.again import parse_again
from auditor.audit.agree import ratings_from_audit
from auditor.audit.agreement_overview import read_kept
from auditor.audit.review import MarkReviewed, QueueWish, ReviewSession, ToggleTag, open_session
from auditor.tui.colors import contrast
from auditor.tui.parts.measuring import KeptRead
from auditor.tui.screens.agreement import AgreementScreen
from auditor.tui.screens.queue import QueueScreen
from auditor.tui.screens.review import ReviewScreen
from auditor.tui.setup import Setup
from auditor.tui.themes import load_themes
from auditor.tui.widgets.agreement_rows import ShownRow
from auditor.tui.widgets.number_grid import GridCell, shades
from tests.hostile import HOSTILE
from tests.tui.agreement_audit import ROUND, agreed_audit
from tests.tui.driving import press, resize, reviewing, screen_of, screen_text, settle, widget_text

SIZES = [(80, 24), (120, 40), (160, 50)]
ALL = QueueWish(where="", order="import")
Compare = Callable[[str, str], None]
Opened = Callable[..., ReviewSession]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file in which ana, ben and a model reviewed the same items; tests work on copies."""
    return agreed_audit(tmp_path_factory.mktemp("agreed") / "agreed.db")


@pytest.fixture
def path(template: Path, tmp_path: Path) -> Path:
    return Path(copy(template, tmp_path / "agreed.db"))


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Return a function that opens a session, which is closed at the end."""
    sessions = []

    def open_one(path: Path, annotator: str = "ana", wish: QueueWish = ALL) -> ReviewSession:
        sessions.append(open_session(path, annotator, wish))
        return sessions[-1]

    yield open_one
    for session in sessions:
        session.close()


def is_on(pilot: Pilot[int], kind: type[Screen[None]]) -> bool:
    return isinstance(pilot.app.screen, kind)


def agreement_of(pilot: Pilot[int]) -> AgreementScreen:
    screen = pilot.app.screen
    assert isinstance(screen, AgreementScreen)
    return screen


# --- numbers ---------------------------------------------------------------------------------------------------------


async def test_the_numbers_are_those_of_the_command(path: Path, opened: Opened) -> None:
    ratings = ratings_from_audit(path, annotators=["ana", "ben"])
    usual = {(one.tag, one.statistic): one for one in measure_agreement(ratings, Options()) if one.scope == "pair"}
    async with reviewing(opened(path), (160, 50)) as pilot:
        await press(pilot, "percent_sign")
        numbers = agreement_of(pilot).numbers
        assert numbers is not None and numbers.report is not None and numbers.pair == ("ana", "ben")
        assert [row.tag for row in numbers.report.rows] == [None, *ratings.categories]
        for row in numbers.report.rows:
            kappa = usual[row.tag, "cohen_kappa"]
            assert (row.kappa.value, row.kappa.ci_low, row.kappa.ci_high) == (kappa.value, kappa.ci_low, kappa.ci_high)
            for name, other in row.beside.items():
                assert row.tag is None or other.value == usual[row.tag, name].value
        shown = screen_text(pilot)
        value = usual["copying", "cohen_kappa"].value
        assert value is not None and f"{value:.2f}" in next(line for line in shown.split("\n") if "copying" in line)


async def test_the_matrix_follows_the_tag_and_the_tags_follow_the_pair(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (160, 50)) as pilot:
        await press(pilot, "percent_sign")
        assert "kappa, (whole set)" in screen_text(pilot) and "ana and ben" in screen_text(pilot)
        await press(pilot, "tab", "j", "j", "j")
        assert "kappa, control flow" in screen_text(pilot)
        await press(pilot, "shift+tab", "right")
        shown = screen_text(pilot)
        assert "ana and judge" in shown and "judge (model)" in shown and "rows ana, columns judge" in shown
        await press(pilot, "down", "down")
        assert "judge reviewed 30 items." in screen_text(pilot)


async def test_no_confusion_stands_under_the_names_of_others(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (160, 50)) as pilot:
        await press(pilot, "percent_sign")
        grid = agreement_of(pilot).tables.confusion
        assert "rows ana, columns ben" in screen_text(pilot) and "arithmetic" in "\n".join(widget_text(grid))
        await press(pilot, "down")
        assert "rows ben, columns ben" in screen_text(pilot) and not "".join(widget_text(grid)).strip()
        await press(pilot, "up")
        assert "rows ana, columns ben" in screen_text(pilot) and "arithmetic" in "\n".join(widget_text(grid))


async def test_how_it_was_computed_is_a_key_away(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (120, 40)) as pilot:
        await press(pilot, "percent_sign")
        await press(pilot, "i")
        shown = " ".join(screen_text(pilot).split())  # where a line breaks depends on the length of the file's path
        for words in ("cluster bootstrap, percentile, 10,000 replicates", "Gwet 2008", "--confusion ana,ben"):
            assert words in shown
        await press(pilot, "escape")
        assert is_on(pilot, AgreementScreen) and "cluster bootstrap" not in screen_text(pilot)
        await press(pilot, "escape")
        assert is_on(pilot, ReviewScreen)


# --- the items behind a number ---------------------------------------------------------------------------------------


def said(path: Path, annotator: str) -> dict[int, set[str]]:
    """Return what an annotator said of each reviewed item, from the file's own tables."""
    sql = (
        "SELECT w.response_id, k.name FROM reviews w JOIN annotators a ON a.id = w.annotator_id"
        " LEFT JOIN applied_tags p ON p.response_id = w.response_id AND p.annotator_id = w.annotator_id"
        " LEFT JOIN tags k ON k.id = p.tag_id"
        " WHERE a.name = ? AND w.state = 'reviewed'"
    )
    found: dict[int, set[str]] = {}
    with closing(sqlite3.connect(path)) as connection:
        for item, tag in connection.execute(sql, (annotator,)):
            found.setdefault(item, set()).update({tag} - {None})
    return found


async def test_enter_on_a_tag_opens_the_items_on_which_the_two_differ(path: Path, opened: Opened) -> None:
    ana, ben = said(path, "ana"), said(path, "ben")
    differ = [
        item
        for item in sorted(ana.keys() & ben.keys())
        if ("control-flow" in ana[item]) != ("control-flow" in ben[item])
    ]
    session = opened(path)
    async with reviewing(session, (120, 40)) as pilot:
        await press(pilot, "percent_sign")
        await press(pilot, "tab", "j", "j", "j", "enter")
        assert is_on(pilot, QueueScreen) and list(session.queue.ids()) == differ
        assert "ana and ben differ on control flow" in screen_text(pilot)
        await press(pilot, "escape")
        assert is_on(pilot, AgreementScreen) and len(session.queue) == 60
        await press(pilot, "enter", "j", "enter")
        item = screen_of(pilot).item
        assert item is not None and item.response_id == differ[1] and list(session.queue.ids()) == differ


async def test_enter_on_a_cell_of_the_confusion_opens_its_items(path: Path, opened: Opened) -> None:
    ana, ben = said(path, "ana"), said(path, "ben")
    swapped = [
        item
        for item in sorted(ana.keys() & ben.keys())
        if "control-flow" in ana[item] - ben[item] and "state-transition" in ben[item] - ana[item]
    ]
    session = opened(path)
    async with reviewing(session, (120, 40)) as pilot:
        await press(pilot, "percent_sign")
        await press(pilot, "tab", "tab", "j", "j", "right")
        assert f"{len(swapped)} items: ana put control flow, ben put state transition instead." in screen_text(pilot)
        await press(pilot, "enter")
        assert list(session.queue.ids()) == swapped and len(swapped) > 3
        await press(pilot, "escape", "right", "right", "enter")
        assert "No item is in this cell." in screen_text(pilot) or len(session.queue) != len(swapped)


async def test_a_number_without_items_says_so(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (120, 40)) as pilot:
        await press(pilot, "percent_sign")
        await press(pilot, "tab", "end", "k", "enter")
        assert "ana and ben agree on oracle disputed on every item that both reviewed." in screen_text(pilot)
        await press(pilot, "tab", "tab", "left", "enter")
        assert "There is no number here that stands for items." in screen_text(pilot)


async def test_from_the_queue_it_goes_back_to_the_queue(path: Path, opened: Opened) -> None:
    session = opened(path)
    async with reviewing(session, (120, 40)) as pilot:
        await press(pilot, "o", "percent_sign")
        await press(pilot, "enter")
        assert is_on(pilot, QueueScreen) and len(session.queue) < 60
        await press(pilot, "escape")
        assert is_on(pilot, AgreementScreen)
        await press(pilot, "q")
        assert is_on(pilot, QueueScreen) and len(session.queue) == 60
        await press(pilot, "percent_sign")
        await press(pilot, "enter", "enter")
        assert is_on(pilot, ReviewScreen) and len(session.queue) < 60


async def test_where_one_was_is_where_one_is_again(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (120, 40)) as pilot:
        await press(pilot, "percent_sign")
        await press(pilot, "right", "tab", "j", "j", "escape", "percent_sign")
        numbers = agreement_of(pilot).numbers
        assert numbers is not None and numbers.pair == ("ana", "judge") and numbers.place.tag == "state-transition"


# --- what changes meanwhile ------------------------------------------------------------------------------------------


async def test_a_mark_made_below_or_elsewhere_moves_the_numbers(path: Path, opened: Opened) -> None:
    session = opened(path)
    async with reviewing(session, (120, 40)) as pilot:
        await press(pilot, "percent_sign")
        before = agreement_of(pilot).numbers
        other = open_session(path, "ben", ALL)
        for index in range(6):
            other.submit(other.item(index).response_id, ToggleTag("other"))
            other.submit(other.item(index).response_id, MarkReviewed())
        other.close()
        agreement_of(pilot).follow_file()
        await settle(pilot)
        after = agreement_of(pilot).numbers
        assert before is not None and before.kappa is not None and after is not None and after.kappa is not None
        assert before.kappa.value != after.kappa.value and after.report is not None
        assert after.report.rows[0].kappa.value == after.kappa.value
        await press(pilot, "enter", "enter", "1", "space", "percent_sign")
        last = agreement_of(pilot).numbers
        assert last is not None and last.report is not None
        assert last.report.rows[1].tag == "arithmetic" and last.report.rows[1] != after.report.rows[1]


async def test_what_the_file_keeps_is_there_before_the_reviews_are_read(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (160, 50)) as pilot:
        await press(pilot, "percent_sign")
        screen = agreement_of(pilot)
        whole = screen.numbers
        kept = read_kept(path, "execution")
        assert kept is not None and whole is not None
        screen._ground, screen._report = None, None
        screen.on_kept_read(KeptRead(kept))
        await press(pilot, "tab", "j", "enter")
        shown = screen_text(pilot)
        assert "There is no number here" in shown and "Reading the reviews" in shown
        line = next(line for line in shown.split("\n") if "▸ arithmetic" in line)
        value = whole.values[frozenset(("ana", "ben"))]["arithmetic"].value
        assert value is not None and f"{value:.2f}" in line and "├" not in line
        screen._read()
        await settle(pilot)
        numbers = screen.numbers
        assert numbers is not None and numbers.report is not None and numbers.place.tag == "arithmetic"
        assert "├" in next(line for line in screen_text(pilot).split("\n") if "▸ arithmetic" in line)


async def test_what_changes_nothing_leaves_the_numbers(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (120, 40)) as pilot:
        await press(pilot, "percent_sign")
        screen = agreement_of(pilot)
        before = screen.numbers
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("INSERT INTO facts (name, value) VALUES ('seen', '1')")
            connection.commit()
        screen.follow_file()
        await settle(pilot)
        after = screen.numbers
        assert before is not None and after is not None and after.ground is before.ground


# --- nothing to show -------------------------------------------------------------------------------------------------


async def test_a_blind_review_and_a_second_pass_do_not_show_what_others_said(path: Path, opened: Opened) -> None:
    for wish, words in (
        (QueueWish(where="", blind=True), "this review is blind"),
        (QueueWish(where="", again=parse_again("3", at_once=True)), "these come back as fresh ones"),
    ):
        async with reviewing(opened(path, "ana", wish), (120, 40)) as pilot:
            await press(pilot, "percent_sign")
            assert is_on(pilot, ReviewScreen) and words in screen_text(pilot)
            await press(pilot, "o", "percent_sign")
            assert is_on(pilot, QueueScreen) and words in screen_text(pilot)


@pytest.mark.parametrize(
    ("annotators", "words"),
    [
        ((), "Nobody has reviewed anything under this codebook yet"),
        (("ana",), "Only ana has reviewed anything. Agreement needs two"),
    ],
)
async def test_too_few_annotators_are_told_what_to_do(
    tmp_path: Path, opened: Opened, annotators: tuple[str, ...], words: str
) -> None:
    path = agreed_audit(tmp_path / "few.db", {name: lambda item: ("other",) for name in annotators}, cases=2)
    async with reviewing(opened(path), (80, 24)) as pilot:
        await press(pilot, "percent_sign")
        assert words in screen_text(pilot)
        await press(pilot, "j", "right", "tab", "j", "tab", "j", "enter", "i", "i")
        assert is_on(pilot, AgreementScreen)


async def test_two_who_share_no_item_have_a_reason_and_no_number(tmp_path: Path, opened: Opened) -> None:
    halves = {
        "ana": lambda item: ("other",) if item % 2 else None,
        "ben": lambda item: None if item % 2 else ("other",),
    }
    async with reviewing(opened(agreed_audit(tmp_path / "apart.db", halves, cases=2)), (120, 40)) as pilot:
        await press(pilot, "percent_sign")
        shown = screen_text(pilot)
        assert "0 items were rated by both 'ana' and 'ben'." in shown and "\N{EN DASH}" in shown


async def test_a_file_that_is_gone_is_a_sentence(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (120, 40)) as pilot:
        path.rename(path.with_name("elsewhere.db"))
        await press(pilot, "percent_sign")
        assert "there is no audit file" in screen_text(pilot)
        await press(pilot, "tab", "j", "enter", "escape")
        path.with_name("elsewhere.db").rename(path)
        assert is_on(pilot, ReviewScreen)


# --- looks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_screen_as_text(path: Path, opened: Opened, compare_screen: Compare, size: tuple[int, int]) -> None:
    async with reviewing(opened(path), size) as pilot:
        await press(pilot, "percent_sign")
        await press(pilot, "tab", "j", "j", "j")
        compare_screen(f"agreement-{size[0]}x{size[1]}", screen_text(pilot))
        if size == (80, 24):
            await press(pilot, "tab", "j", "right")
            compare_screen("agreement-confusion-80x24", screen_text(pilot))


async def test_many_annotators_fit_any_size(tmp_path: Path, opened: Opened) -> None:
    everybody = {f"annotator-{who}": (lambda item, who=who: (ROUND[(item * who) % 5],)) for who in range(12)}
    path = agreed_audit(tmp_path / "many.db", everybody, cases=5)
    async with reviewing(opened(path, "annotator-3")) as pilot:
        await press(pilot, "percent_sign")
        numbers = agreement_of(pilot).numbers
        assert numbers is not None and len(numbers.values) == 66 and numbers.pair == ("annotator-3", "annotator-0")
        await resize_and_move(pilot)


async def test_many_tags_fit_any_size(tmp_path: Path, opened: Opened) -> None:
    book = tmp_path / "many.yaml"
    tags = [f"  - id: t{n}\n    name: a rather long name of tag {n}\n    definition: It is {n}.\n" for n in range(30)]
    book.write_text(f"name: many\ntags:\n{''.join(tags)}")
    both = {who: (lambda item, who=who: (f"t{(item * (1 + (who == 'ben'))) % 30}",)) for who in ("ana", "ben")}
    path = agreed_audit(tmp_path / "many.db", both, cases=16, codebook=str(book))
    async with reviewing(opened(path, "ana", QueueWish(where="", codebook="many"))) as pilot:
        await press(pilot, "percent_sign")
        numbers = agreement_of(pilot).numbers
        assert numbers is not None and numbers.report is not None and len(numbers.report.rows) == 31
        await resize_and_move(pilot)


async def resize_and_move(pilot: Pilot[int]) -> None:
    """Go to the ends of every table at any size; the screen has its rows, none of them too long."""
    for size in ((80, 24), (40, 15), (160, 50), (20, 8)):
        await resize(pilot, *size)
        await press(pilot, "tab", "end", "pageup", "tab", "end", "right", "right", "tab", "home", "right")
        lines = screen_text(pilot).splitlines()
        assert len(lines) == size[1] and all(cell_len(line) <= size[0] for line in lines)


async def test_hostile_names_are_shown_literally(tmp_path: Path, opened: Opened) -> None:
    names = [HOSTILE[kind] for kind in ("closing tag", "clipboard write", "carriage return", "lone surrogate", "wide")]
    everybody = {name: (lambda item, own=own: ("other",) if (item + own) % 3 else ()) for own, name in enumerate(names)}
    path = agreed_audit(tmp_path / "hostile.db", everybody, cases=4)
    async with reviewing(opened(path, names[0]), (160, 50)) as pilot:
        await press(pilot, "percent_sign")
        await press(pilot, "right", "enter", "escape", "i")
        assert no_control(screen_text(pilot))
        await press(pilot, "escape", "tab", "end", "tab", "enter", "escape")
        assert is_on(pilot, AgreementScreen) and no_control(screen_text(pilot))
        assert "[/]" in screen_text(pilot) and "\N{SYMBOL FOR ESCAPE}]52" in screen_text(pilot)


def no_control(shown: str) -> bool:
    return not [char for char in shown if (ord(char) < 32 and char != "\n") or 127 <= ord(char) < 160]


async def test_every_hostile_text_can_be_a_name_in_a_table(path: Path, opened: Opened) -> None:
    texts = list(HOSTILE.values())
    async with reviewing(opened(path), (120, 40)) as pilot:
        await press(pilot, "percent_sign")
        tables = agreement_of(pilot).tables
        cells = {(row, column): GridCell("0.50", 0.5) for row in range(len(texts)) for column in range(len(texts))}
        for at, text in enumerate(texts):
            tables.matrix.show_grid(texts, texts, cells, (at, at))
            tables.rows.show_rows(
                [ShownRow(text, 3, note=text), ShownRow(text, 3, kappa=0.5, low=0.1, high=0.9)], at % 2
            )
            for widget in (tables.matrix, tables.matrix.head, tables.rows, tables.rows.head):
                assert all(no_control(line) for line in widget_text(widget)), text
                assert all(cell_len(line) <= widget.size.width for line in widget_text(widget)), text
        tables.matrix.show_grid(["jos\u00e9", "jose\u0301"], ["a", "b"], {}, (0, 0))
        assert len({line.split()[-1] for line in widget_text(tables.matrix) if "jos" in line}) == 2
        assert any("jose<U+0301>" in line for line in widget_text(tables.matrix))


def test_numbers_can_be_read_on_every_shade_of_every_theme() -> None:
    for theme in load_themes(None).themes:
        variables = {"background": theme.background or "", "accent": theme.accent or ""}
        text = Color.parse(theme.foreground or "").rgb
        for shade in shades(variables)[1:]:
            assert shade.bgcolor is not None
            ground = tuple(shade.bgcolor.get_truecolor())
            assert contrast(text, (ground[0], ground[1], ground[2])) >= 4.5, theme.name


async def test_a_click_chooses_a_cell(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (160, 50)) as pilot:
        await press(pilot, "percent_sign")
        screen = agreement_of(pilot)
        grid, rows = screen.tables.confusion, screen.tables.rows
        await pilot.click(rows, offset=(5, 4))
        await settle(pilot)
        assert screen.numbers is not None and screen.numbers.place.tag == "input-reading"
        await pilot.click(grid, offset=(grid.name_width + 3 + 2, 1))
        await settle(pilot)
        assert (grid.index, grid.column) == (1, 0) and screen.focused is grid


async def test_begun_with_the_screen_the_program_ends_with_it(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (120, 40), Setup(begins_with_agreement=True)) as pilot:
        assert is_on(pilot, AgreementScreen)
        await press(pilot, "escape")
        assert pilot.app.return_value == 0 and not pilot.app.is_running
