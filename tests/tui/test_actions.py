"""The action registry: every key is real, resolves to a method, is free for no tag, and is in the help."""

from __future__ import annotations

import inspect
from collections import Counter

import pytest
from textual.keys import Keys

from auditor.audit.adjudication import AdjudicationWish, Overview
from auditor.audit.consistency import Consistency, Repetition
from auditor.audit.cstar_replay import cstar_subject
from auditor.audit.implementations import Implementation, Implementations
from auditor.audit.probe_runs import ProbeCase
from auditor.audit.replay import subject_of
from auditor.audit.review import ReviewSession
from auditor.codebook import RESERVED_KEYS
from auditor.tui.actions import ACTIONS, SCREENS, TAG, key_range, key_table, textual_key
from auditor.tui.actions.key_names import shown_key
from auditor.tui.parts.agreeing import Place
from auditor.tui.parts.overviewing import FiguresShelf
from auditor.tui.parts.probing import AskedRuns
from auditor.tui.parts.replaying import Shelf
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.screens.adjudication import AdjudicationScreen
from auditor.tui.screens.agreement import AgreementScreen
from auditor.tui.screens.arms import ArmsScreen
from auditor.tui.screens.codebook import CodebookScreen
from auditor.tui.screens.consistency import ConsistencyScreen
from auditor.tui.screens.copying import CopyScreen
from auditor.tui.screens.core import CoreScreen
from auditor.tui.screens.cstar_replay import CStarReplayScreen
from auditor.tui.screens.help import _DOES, HelpScreen
from auditor.tui.screens.other_settings import OtherSettingsScreen
from auditor.tui.screens.overview import OverviewScreen
from auditor.tui.screens.probes import ProbesScreen
from auditor.tui.screens.queue import QueueScreen
from auditor.tui.screens.replay import ReplayScreen
from auditor.tui.screens.review import ReviewScreen
from auditor.tui.screens.sides import SidesScreen
from auditor.tui.setup import Setup
from auditor.tui.work import Work

REAL_KEYS = {key.value for key in Keys} | {textual_key(char) for char in map(chr, range(33, 127))}


def test_every_key_is_a_real_key() -> None:
    for action in ACTIONS:
        for key in action.keys:
            assert key in REAL_KEYS, f"{action.id}: {key}"


async def _stay(*given: object) -> None:
    """Do nothing when a screen is closed."""


@pytest.mark.parametrize("name", SCREENS)
def test_every_action_is_a_method_that_takes_its_arguments(session: ReviewSession, name: str) -> None:
    setup, work, related = Setup(), Work(session), session.related()
    cases = session.adjudication(AdjudicationWish(), Overview("execution", Counter(), [1], {1: ("open", 1)}))
    rules = next(item for item in map(session.item, range(len(session))) if item.task.language == "cstar")
    sides = Implementations("p", None, Implementation("a", "python", ""), [], "")
    strip = Consistency("p", [Repetition(1, "a", 0)], 0, [], [], [], None)
    asked = ProbeCase(session.item(0).task, "f()")
    screens: dict[str, ActingScreen | CopyScreen] = {
        "review": ReviewScreen(session, setup),
        "adjudication": AdjudicationScreen(session, setup, cases),
        "copy": CopyScreen(session.item(0), setup, "reply", lambda message: None),
        "queue": QueueScreen(session, work, setup, 0, _stay),
        "arms": ArmsScreen(session, work, SCREENS["arms"], related, related.case_arms(1), _stay),
        "settings": OtherSettingsScreen(session, work, SCREENS["settings"], related, related.task_answers(1), _stay),
        "consistency": ConsistencyScreen(session, work, SCREENS["consistency"], related, strip, 1, _stay, setup),
        "sides": SidesScreen(session, work, SCREENS["sides"], related, sides, _stay),
        "replay": ReplayScreen(session, work, SCREENS["replay"], session.item(0), subject_of(session.item(0)), Shelf()),
        "rules": CStarReplayScreen(session, work, SCREENS["rules"], rules, cstar_subject(rules), Shelf()),
        "codebook": CodebookScreen(session, work, SCREENS["codebook"], _stay),
        "agreement": AgreementScreen(session, work, setup, _stay, Place()),
        "overview": OverviewScreen(session, work, setup, _stay, FiguresShelf(), FiguresShelf()),
        "probes": ProbesScreen(session, work, SCREENS["probes"], session.item(0), asked, AskedRuns(), None),
        "core": CoreScreen(session, work, setup, _stay, FiguresShelf()),
    }
    for action in SCREENS[name]:
        arguments = len(inspect.signature(screens[name].method_of(action)).parameters)
        assert arguments == len(action.arguments) + (action is TAG), action.id
        assert action.description.endswith(".") and action.short_name, action.id
    related.close()
    cases.close()


def test_ids_and_keys_are_unique() -> None:
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)


def test_no_key_is_one_that_legacy_terminals_confuse() -> None:
    confused = {"ctrl+i", "ctrl+m", "ctrl+h", "ctrl+j", "ctrl+left_square_bracket"}
    assert not confused & {key for action in ACTIONS for key in action.keys}


def test_no_tag_can_take_the_key_of_an_action() -> None:
    reserved = {textual_key(key) for key in RESERVED_KEYS}
    plain = {key for action in ACTIONS for key in action.keys if not key.startswith(("ctrl+", "shift+", "f1"))}
    assert plain <= reserved


def test_the_screen_binds_every_action_and_every_tag(session: ReviewSession) -> None:
    bound = ReviewScreen(session, Setup())._bindings.key_to_bindings
    for action in ACTIONS:
        for key in action.keys:
            assert f"perform({action.id!r})" in [binding.action for binding in bound[key]]
    for index, choice in enumerate(session.choices):
        assert [binding.action for binding in bound[textual_key(choice.key)]] == [f"perform({TAG.id!r}, {index})"]


def test_the_help_is_moved_and_closed_by_the_keys_of_actions() -> None:
    assert set(_DOES) <= {action.id for action in ACTIONS}
    for does in _DOES.values():
        assert callable(getattr(HelpScreen, f"action_{does.partition('(')[0]}"))


def test_every_key_is_shown_as_it_is_called() -> None:
    for action in ACTIONS:
        assert action.shown_key == (shown_key(action.keys[0]) if action.keys else "tag keys")


def test_every_action_has_a_short_name_of_its_own() -> None:
    names = [action.short_name for action in ACTIONS]
    assert all(names) and len(set(names)) == len(names)


def test_the_key_table_names_every_action() -> None:
    assert len(key_table()) == len(ACTIONS)
    assert all(key and description.endswith(".") for key, description in key_table())


def test_tag_keys_are_shown_in_short() -> None:
    assert key_range(["1", "2", "3", "4"]) == "1-4"
    assert key_range(["1", "2", "b", "4", "9", "z"]) == "1-2 b 4 9 z"
    assert key_range([]) == ""
