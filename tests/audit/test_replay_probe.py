"""Probes in the runs of their programs: the moment, the visits, the span, the answer, and what is not known of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.audit.asked_probe import asked_probe, marked_place
from auditor.audit.item_parts import part_text, read_item
from auditor.audit.probe_window import window, window_rows
from auditor.audit.replay import Budget, Sandbox, open_sandbox, record, subject_of
from auditor.audit.replay_moves import find_step, lacking, next_visit
from auditor.audit.replay_words import claim_sentence, step_sentence
from auditor.audit.review import QueueWish, open_session
from auditor.audit.subject_card import subject_card
from auditor.audit.subjects import add_subjects
from auditor.text import has_invisible
from tests.hostile import HOSTILE
from tests.probed import INPUT, RUN, SOURCE, WORKED, item, probe_audit, probe_task
from tests.walls import need_wall


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    need_wall()
    with open_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def audit(probe_template: Path) -> Path:
    return probe_template


@pytest.mark.parametrize("name", WORKED)
def test_a_probe_is_found_where_it_was_worked_out(box: Sandbox, audit: Path, name: str) -> None:
    worked = WORKED[name]
    replay = record(subject_of(read_item(audit, item(name))), box)
    assert tuple(step.line for step in replay.trace.steps()) == RUN
    probe = replay.probe
    assert probe is not None
    found = (probe.step, probe.visit, probe.visits, probe.span, probe.agrees)
    assert found == (worked.step, worked.visit, worked.visits, worked.span, worked.agrees)
    assert worked.words in claim_sentence(replay)
    begins = worked.step if worked.step is not None else next(iter(worked.visits), replay.first)
    assert replay.opening == begins and ("checkpoint" in lacking(replay)) == (worked.step is None)
    if worked.step is not None:
        assert find_step(replay, "probe", 0) == worked.step
        assert "◆ what is asked about" in step_sentence(replay, replay.trace.step(worked.step))


def test_a_probe_that_is_judged_is_found_in_the_same_run_and_nobody_answered_it(box: Sandbox, audit: Path) -> None:
    replay = record(subject_of(read_item(audit, item("visit", judged=True))), box)
    assert replay.opening == 14 and replay.state is None
    assert claim_sentence(replay) == "The run answers 3, as is recorded."


def test_visits_are_gone_through_and_the_trace_around_a_moment_is_told(box: Sandbox, audit: Path) -> None:
    replay = record(subject_of(read_item(audit, item("visit"))), box)
    assert [next_visit(replay, step) for step in (0, 9, 13)] == [9, 13, None]
    assert [next_visit(replay, step, backwards=True) for step in (20, 13, 9)] == [13, 9, None]
    assert list(window_rows(window(replay, 14, before=2, after=1))) == [
        ("", "12", "4", "if at and value == values[at - 1]:", "at = 2"),
        ("▸", "13", "5", "run += 1", ""),
        ("◆", "14", "8", "best = max(best, run)", "run = 3"),
        ("", "15", "3", "for at, value in enumerate(values):", "best = 3"),
    ]
    rows = window(replay, replay.last, before=1, after=9)
    assert [row.source for row in rows] == ["returns 3", "returns None"]
    assert window(replay, 0, before=9, after=0)[0].step == 0


def test_a_run_that_is_not_kept_whole_says_so_and_takes_the_checkpoint(box: Sandbox, tmp_path: Path) -> None:
    point = {"line": 5, "when": "after-line", "iteration": 2, "fields": ["run"]}
    path = probe_audit(tmp_path, {"visit": probe_task("visit", WORKED["visit"]) | {"checkpoint": point}})
    subject = subject_of(read_item(path, item("visit")))
    replay = record(subject, box, budget=Budget(steps=4, before=2, after=1))
    assert replay.probe is not None and replay.trace.cut == "steps"
    assert (replay.probe.step, replay.probe.given, replay.probe.agrees) == (14, "3", True)
    assert "not kept whole" in claim_sentence(replay)
    without = record(replace(subject, checkpoint=None), box, budget=Budget(steps=4, before=2, after=1))
    assert without.probe is not None and without.probe.step is None and without.probe.agrees is None


def test_a_program_that_does_more_than_define_is_called_where_its_function_is_named(
    box: Sandbox, tmp_path: Path
) -> None:
    task = probe_task("visit", WORKED["visit"]) | {"source": f"{SOURCE}\n\nALIAS = longest\n"}
    replay = record(subject_of(read_item(probe_audit(tmp_path, {"visit": task}), item("visit"))), box)
    assert replay.probe is not None and replay.probe.agrees


def test_a_blind_review_shows_of_a_probe_what_its_question_says(audit: Path) -> None:
    wish = QueueWish(where="arm:probe/branch target:probe", blind=True)
    with closing(open_session(audit, "ana", wish)) as session:
        veiled = session.item(0)
    full = read_item(audit, item("branch"))
    assert veiled.hidden and "probe" in full.task.extra and veiled.task.extra.keys() == {"probe", "entry_point"}
    assert asked_probe(veiled.task) == asked_probe(full.task)
    shown, known = subject_of(veiled), subject_of(full)
    assert (shown.run, shown.probe) == (known.run, known.probe) and INPUT in shown.run


def test_a_program_that_is_judged_blindly_keeps_the_one_beside_it(tmp_path: Path) -> None:
    one = probe_task("visit", WORKED["visit"])
    outputs = {
        name: one | {"arm": "output", "target": "output", "oracle": "3", "implementation": name, "case": f"p/{name}/t"}
        for name in ("loops", "other")
    }
    path = probe_audit(tmp_path, outputs)
    add_subjects(path)
    with closing(open_session(path, "ana", QueueWish(where="target:subject", blind=True))) as session:
        assert "The nearest other one is" in subject_card(session.item(0).task)


def test_what_is_asked_about_stands_in_program_card_and_text(audit: Path) -> None:
    places = {name: marked_place(read_item(audit, item(name)).task) for name in WORKED}
    words = {name: (place.line, place.when) if place is not None else None for name, place in places.items()}
    assert words["branch"] == (4, "evaluation 3") and words["count"] == (3, "iterations counted")
    assert words["line"] == (5, "asked about") and words["words"] is None
    judged = read_item(audit, item("branch", judged=True))
    assert "\nBoundary: it turns on an end" in subject_card(judged.task)
    text = part_text(read_item(audit, item("visit")), "item")
    assert text is not None and "question: What of visit?" in text
    assert "asked about: line 5, after time 2: `run` (auditor trace goes there)" in text


def test_no_text_of_a_probe_reaches_a_sentence_unseen(box: Sandbox, tmp_path: Path) -> None:
    tasks = {}
    for number, text in enumerate(HOSTILE.values()):
        told = {"kind": text, "line": 4, "n": 10**30, "variable": text or "x", "step": -1}
        tasks[f"h{number}"] = probe_task("visit", WORKED["visit"]) | {
            **{"arm": f"probe/h{number}", "question": text or "none", "oracle": text, "answer_type": text or None},
            "probe": told if number % 2 else text,
        }
    path = probe_audit(tmp_path, tasks)
    for name in tasks:
        replay = record(subject_of(read_item(path, item(name))), box)
        said = [claim_sentence(replay), *replay.notes, step_sentence(replay, replay.trace.step(replay.opening))]
        shown = [cell for row in window_rows(window(replay, replay.opening, before=3, after=3)) for cell in row]
        assert not any(has_invisible(text) or "\n" in text for text in (*said, *shown))
