"""Replay of a C* program, rule by rule: the construct, the rule that applies to it, and the variables after it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from auditor.audit import cstar_replay as moves
from auditor.audit.cstar_item import standard_source
from auditor.audit.cstar_replay import Claim, CStarReplay, CStarSubject, cstar_subject
from auditor.audit.review import ReviewItem, ReviewSession
from auditor.studies.prex.cstar.notation import STANDARD, Notation
from auditor.text import counted, visible_line
from auditor.tui.actions import Action, Situation
from auditor.tui.parts.cstar_recording import CStarRecording, RulesNotRecorded, RulesRecorded
from auditor.tui.parts.cstar_stepping import CStarStepping
from auditor.tui.parts.replaying import Shelf
from auditor.tui.screens.run_screen import RunScreen
from auditor.tui.spelling import NEVER_SHOWN, OTHER_SPELLING
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.claim_view import ClaimRow, ClaimView
from auditor.tui.widgets.cstar_source import CStarSource
from auditor.tui.widgets.item_text import joined_words
from auditor.tui.widgets.pane import Divider, Pane
from auditor.tui.widgets.rule_view import RuleView
from auditor.tui.widgets.variable_rows import VariableRow
from auditor.tui.work import Work

_MARK = "✗"


class CStarReplayScreen(RunScreen[CStarSubject, CStarReplay]):
    """One recorded run of an item's program under its semantics; nothing is marked here."""

    _recording: CStarRecording
    _stepping: CStarStepping

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal")]  # noqa: RUF012 (Textual's declaration)
    DEFAULT_CSS = """
    CStarReplayScreen {
        layout: vertical;
        background: $background;

        #replay { layout: horizontal; height: 1fr; layers: panes over; }
        #replay-right { width: 1fr; height: 1fr; layout: vertical; }
        #replay-rule { height: 1fr; min-height: 9; }
        #replay-variables { height: 2fr; }
        #replay-claim { height: 1fr; min-height: 4; max-height: 9; }
        #replay-notes { layer: over; width: 100%; height: 100%; display: none; background: $background; }
        &.-narrow #replay { layout: vertical; }
        &.-narrow #replay-source { height: 2fr; }
        &.-narrow #replay-right { height: 3fr; }
        &.-narrow #replay-rule { height: 6; min-height: 6; }
        &.-narrow #replay-claim { height: 3; min-height: 3; }
        &.-narrow Divider { display: none; }
    }
    """

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        item: ReviewItem,
        subject: CStarSubject,
        shelf: Shelf[CStarReplay],
    ) -> None:
        """As every run."""
        super().__init__(session, work, actions, item, subject, shelf)
        self.is_standard = False
        """Whether program and rules are shown in standard symbols."""
        self.source = CStarSource()
        self._rule, self._claim = RuleView(), ClaimView()
        self._source_pane = Pane("Source", self.source, id="replay-source")
        self._rule_pane = Pane("Rule", self._rule, id="replay-rule")
        self._claim_pane = Pane("Outcome", self._claim, id="replay-claim")
        self._recording = CStarRecording(self)
        self._stepping = CStarStepping(self, self._message)
        self._views = (self.variables, self._claim, self.source, self._rule)
        self._wrapped = (self.source, self._notes)
        self.parts = (self._stepping,)

    def compose(self) -> ComposeResult:
        with Box(id="replay"):
            yield self._source_pane
            yield Divider()
            with Box(id="replay-right"):
                yield self._rule_pane
                yield self._variable_pane
                yield self._claim_pane
            yield self._notes_pane
        yield self._slider
        yield self._message
        yield self.footer

    # --- recording -------------------------------------------------------------------------------------------------

    def _begin(self, item: ReviewItem, subject: CStarSubject) -> None:
        """Show an item's run: one that was recorded before, or else a new one once it is there."""
        self._keep()
        self.item, self.subject, self.replay, self._problem = item, subject, None, ""
        self._show_program()
        kept = self._shelf.take(subject)
        if kept is not None:
            self._show_run(kept.replay, kept.step)
            return
        self.at = 0
        self._slider.show_run((), (), {})
        self.variables.show_rows(())
        self._rule.show_rule(None, self.notation, "")
        self._claim.show_claim((), "")
        self._recording.begin(subject)
        if self._ticking is not None:
            self._ticking.resume()
        self._tick()
        self.show_situation()

    def on_rules_recorded(self, message: RulesRecorded) -> None:
        message.stop()
        if message.subject is self._recording.subject:
            self._recording.stop()
            self._show_run(message.replay, message.replay.opening)

    def on_rules_not_recorded(self, message: RulesNotRecorded) -> None:
        message.stop()
        if message.subject is self._recording.subject:
            self._recording.stop()
            self.source.show_mark(message.mark)
            self._fail(message.words)

    # --- showing ---------------------------------------------------------------------------------------------------

    @property
    def notation(self) -> Notation:
        """The notation in which program and rules are shown."""
        return STANDARD if self.is_standard else self.subject.program.notation

    @property
    def _is_other(self) -> bool:
        return self.notation is not self.subject.program.notation

    def _text(self) -> str:
        program = self.subject.program
        if not self._is_other:
            return program.source
        return (
            self.replay.standard_source
            if self.replay is not None
            else standard_source(program.source, program.notation)
        )

    def _show_program(self) -> None:
        self.source.show_text(self._text(), f"cstar:{self.notation.key}")
        self._show_titles()

    def _show_titles(self) -> None:
        key, shown = self.item.key, f", {NEVER_SHOWN}" if self._is_other else ""
        before = f"{OTHER_SPELLING} " if self._is_other else ""
        self._source_pane.title.show(
            name=f"{before}{'source' if before else 'Source'}{shown}", detail=joined_words(key.case, key.arm)
        )
        formalism = self.subject.program.formalism
        self._rule_pane.title.show(name=f"{before}rule" if before else "Rule", detail=f"semantics {formalism.value}")

    def _show_run(self, replay: CStarReplay, at: int) -> None:
        self.replay, self._lacks = replay, moves.lacking(replay)
        violation = replay.recording.violation
        with self.app.batch_update():
            self.source.show_mark(replay.mark)
            self.source.show_reached(replay.recording.reached)
            marks = {_MARK: violation} if violation is not None else {}
            self._slider.show_run(range(replay.last + 1), (), marks)
            self.show_step(at)

    def show_step(self, at: int) -> None:
        """Show another step; everything changes in one paint."""
        replay = self.replay
        assert replay is not None
        self.at = at
        with self.app.batch_update():
            self.source.show_construct(at, replay.place(at, standard=self._is_other))
            self._rule.show_rule(replay.rule(at), self.notation, moves.rules_around(replay, at))
            self.variables.show_rows(_variable_rows(replay, at))
            # Its row may be outside the pane: a program can have hundreds of variables.
            self._variable_pane.title.show(detail=moves.change_words(replay, at))
            claims = [_claim_row(one) for one in replay.claims(at)]
            self._claim.show_claim(claims, " ".join(replay.sentences))
            loop = moves.loop_at(replay, at)
            ticks = replay.recording.turns[loop] if loop is not None else ()
            self._slider.show_step(at, moves.step_words(replay, at), ticks)
        self.show_situation()

    # --- keys and clicks -------------------------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        return Situation(
            items=0 if self.replay is None else 1,
            writing_note=self._stepping.is_open,
            lacks=self._lacks,
            has_other_symbols=self.subject.program.notation is not STANDARD,
            hidden=self.item.hidden,
        )

    async def action_replay_arm(self) -> None:
        """Show the run of the next arm of the case that has an answer: other semantics, other symbols."""
        item = await self.work.call(self._next_arm)
        if item is None:
            self.say("No other arm of this case has a response.", refused=True)
            return
        self._begin(item, cstar_subject(item))

    def action_show_standard(self) -> None:
        """Show program and rules in standard symbols, or as the model was shown them."""
        self.is_standard = not self.is_standard
        with self.app.batch_update():
            self.source.show_other_text(self._text(), f"cstar:{self.notation.key}")
            self._show_titles()
            if self.replay is not None:
                self.show_step(self.at)

    def _note_lines(self) -> list[str]:
        replay = self.replay
        if replay is None:
            return [self._problem or self._recording.words]
        lines = [*replay.sentences, "", *moves.rules_to(replay, self.at, self.notation)]
        row = self.variables.chosen
        if row is not None:
            lines += ["", f"{visible_line(row.name)}, {counted(len(row.text.lstrip('-')), 'digit')}:", row.text]
        return lines


def _variable_rows(replay: CStarReplay, at: int) -> list[VariableRow]:
    """Return the variables after a step, in the order of their declaration; what it set is marked."""
    change = replay.recording.step(at).change if at else None
    rows = []
    for name, value in replay.recording.state(at).items():
        changed = change is not None and change.name == name
        before = str(change.old) if change is not None and changed and change.old is not None else None
        rows.append(VariableRow(name, str(value), changed, before))
    return rows


def _claim_row(claim: Claim) -> ClaimRow:
    return ClaimRow(claim.name, claim.given, claim.predicted, claim.holds)
