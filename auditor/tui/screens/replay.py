"""Replay: the program step by step beside its variables, its output so far, and what was predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.app import ComposeResult

from auditor.audit import replay_moves as moves
from auditor.audit.asked_probe import marked_place
from auditor.audit.probe_window import window
from auditor.audit.replay import Replay, Subject, subject_of
from auditor.audit.replay_words import claim_sentence, predicted_text, step_sentence
from auditor.audit.review import ReviewItem, ReviewSession
from auditor.execution.claims import holds
from auditor.execution.cut_values import cut_of
from auditor.execution.trace import State
from auditor.text import counted, from_bytes, visible_line
from auditor.tui.actions import Action, Situation
from auditor.tui.parts.probing import Probing, may_have_probes
from auditor.tui.parts.recording import Recorded, Recording, RecordingFailed
from auditor.tui.parts.replaying import Shelf
from auditor.tui.parts.stepping import Stepping
from auditor.tui.screens.run_screen import RunScreen
from auditor.tui.widgets.around_view import AroundView
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.claim_view import ClaimRow, ClaimView
from auditor.tui.widgets.item_text import joined_words
from auditor.tui.widgets.pane import Divider, Pane
from auditor.tui.widgets.replay_source import ReplaySource
from auditor.tui.widgets.text_view import TextView
from auditor.tui.widgets.variable_rows import VariableRow
from auditor.tui.work import Work

_OUTPUT_BYTES = 8_000
"""Bytes of the output so far that are shown: its end."""


_AROUND = 12
"""Steps before and behind the one that is shown that stand around it, where a probe asks about one."""


class ReplayScreen(RunScreen[Subject, Replay]):
    """One recorded run of an item's program, and other arms of its case; nothing is marked here."""

    _recording: Recording
    _stepping: Stepping

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal")]  # noqa: RUF012 (Textual's declaration)
    DEFAULT_CSS = """
    ReplayScreen {
        layout: vertical;
        background: $background;

        #replay { layout: horizontal; height: 1fr; layers: panes over; }
        #replay-right { width: 1fr; height: 1fr; layout: vertical; }
        #replay-variables { height: 2fr; }
        #replay-claim { height: 1fr; min-height: 5; }
        #replay-output { height: 1fr; max-height: 9; min-height: 3; }
        #replay-notes { layer: over; width: 100%; height: 100%; display: none; background: $background; }
        #replay-around { height: 11; display: none; }
        &.-asked #replay-claim { height: 2fr; min-height: 7; }
        &.-asked #replay-around { display: block; }
        &.-asked #replay-output { height: 3; min-height: 3; }
        &.-narrow #replay { layout: vertical; }
        &.-narrow #replay-source { height: 3fr; }
        &.-narrow #replay-right { height: 5fr; }
        &.-narrow #replay-output { min-height: 2; max-height: 4; }
        &.-narrow.-asked #replay-source { height: 6; }
        &.-narrow.-asked #replay-right { height: 1fr; }
        &.-narrow.-asked #replay-variables { height: 3fr; min-height: 3; }
        &.-narrow.-asked #replay-claim { height: 4fr; min-height: 4; }
        &.-narrow.-asked #replay-around { height: 5; }
        &.-narrow.-asked #replay-output { display: none; }
        &.-narrow Divider { display: none; }
    }
    """

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        item: ReviewItem,
        subject: Subject,
        shelf: Shelf[Replay],
        *,
        unsafe: bool = False,
    ) -> None:
        """As every run; `unsafe` runs the program also where no wall keeps it from harm."""
        super().__init__(session, work, actions, item, subject, shelf)
        self.source = ReplaySource()
        self._claim, self._output, self._around = ClaimView(), TextView(), AroundView()
        self._source_pane = Pane("Source", self.source, id="replay-source")
        self._claim_pane = Pane("Prediction", self._claim, id="replay-claim")
        self._around_pane = Pane("Around this step", self._around, id="replay-around")
        self._output_pane = Pane("Output so far", self._output, id="replay-output")
        self._recording = Recording(self, unsafe=unsafe)
        self._stepping = Stepping(self, self._message)
        self._views = (self.variables, self._claim, self._around, self._output, self.source)
        self._wrapped = (self.source, self._output, self._notes)
        self._written = -1
        self.probing: Probing | None = None
        """What opens the probes of the run."""
        self.parts = (self._stepping,)

    def compose(self) -> ComposeResult:
        with Box(id="replay"):
            yield self._source_pane
            yield Divider()
            with Box(id="replay-right"):
                yield self._variable_pane
                yield self._claim_pane
                yield self._around_pane
                yield self._output_pane
            yield self._notes_pane
        yield self._slider
        yield self._message
        yield self.footer

    # --- recording -------------------------------------------------------------------------------------------------

    def _begin(self, item: ReviewItem, subject: Subject) -> None:
        """Show an item's run: one that was recorded before, or else a new one once it is there."""
        self._keep()
        self.item, self.subject, self.replay, self._problem = item, subject, None, ""
        self._show_source(subject.source, joined_words(item.key.case, item.key.arm))
        self._show_question()
        kept = self._shelf.take(subject)
        if kept is not None:
            self._show_run(kept.replay, kept.step)
            return
        self._slider.show_run((), (), {})
        self.variables.show_rows(())
        self._claim.show_claim((), "")
        self._output.show_text(None, "")
        self._written = -1
        self._recording.begin(subject)
        if self._ticking is not None:
            self._ticking.resume()
        self._tick()
        self.show_situation()

    def on_recorded(self, message: Recorded) -> None:
        message.stop()
        if message.subject is self._recording.subject:
            self._recording.stop()
            self._show_run(message.replay, message.replay.opening)

    def on_recording_failed(self, message: RecordingFailed) -> None:
        message.stop()
        if message.subject is self._recording.subject:
            self._recording.stop()
            self._fail(message.words)

    # --- showing ---------------------------------------------------------------------------------------------------

    def _show_source(self, source: str, words: str) -> None:
        self.source.show_source(source, "python", marked_place(self.item.task))
        self._source_pane.title.show(detail=words)

    def _show_question(self) -> None:
        """Give the pane with the prediction the name and the room that a question needs, where one is asked."""
        asked = self.subject.probe
        self.set_class(asked is not None, "-asked")
        whose = "Probe to be judged" if asked is not None and asked.is_judged else "Probe and prediction"
        self._claim_pane.title.show(name="Prediction" if asked is None else whose)

    def _show_run(self, replay: Replay, at: int) -> None:
        self.replay, self._written, self._lacks = replay, -1, moves.lacking(replay)
        version, marks = replay.version, replay.marks
        named = {"◆": replay.checkpoint, "✗": replay.contradiction, "✓": replay.last_true}
        with self.app.batch_update():
            if version.is_clean:
                self.source.show_source(version.source, "python", version.checkpoint)
                words = joined_words("clean program", self.item.key.case, self.item.key.arm)
                self._source_pane.title.show(detail=words)
            self.source.show_reached(marks.reached)
            gaps = [part.start for part in replay.trace.kept[1:]]
            span = replay.probe.span if replay.probe is not None else None
            shown = {mark: step for mark, step in named.items() if step is not None}
            self._slider.show_run(marks.numbers, gaps, shown, span)
            if replay.probe is not None and replay.probe.names:
                self.variables.choose(replay.probe.names[0])
            self.show_step(at)
        if not replay.is_contained:
            self.say(replay.protection, refused=True)

    def show_step(self, at: int) -> None:
        """Show another kept step; everything changes in one paint."""
        replay = self.replay
        assert replay is not None
        state = replay.trace.state(at)
        before = moves.neighbour(replay.marks, at, -1)
        past = replay.trace.state(before) if before is not None else None
        self.at = at
        with self.app.batch_update():
            self.source.show_step(at, state.step.line)
            named = [one.name for one in replay.state.fields] if replay.state is not None else []
            asked = replay.probe.names if replay.probe is not None else ()
            self.variables.show_rows(variable_rows(state, past, [*asked, *named], asked))
            self._show_claim(replay, state)
            self._show_output(replay, state.step.output)
            if replay.probe is not None:
                rows = window(replay, at, before=_AROUND, after=_AROUND)
                self._around.show_rows(rows, at)
            self._slider.show_step(at, step_sentence(replay, state.step), _ticks(replay, at))
        doubts = counted(len(replay.notes), "note") if replay.notes else ""
        function = state.step.function if state.step.depth > 1 else ""
        self._variable_pane.title.show(
            detail=joined_words(function, f"{doubts}: {self.keys['replay.notes']}" if doubts else "")
        )
        self.show_situation()

    def _show_claim(self, replay: Replay, state: State) -> None:
        rows = []
        if replay.state is not None:
            seen = state.variables
            for one in replay.state.fields:
                now = seen.get(one.name)
                right = holds(now, one.predicted) if one.comparable else None
                rows.append(ClaimRow(one.name, now, predicted_text(one), right))
        question = replay.probe.question.question if replay.probe is not None else ""
        self._claim.show_claim(rows, claim_sentence(replay), question)

    def _show_output(self, replay: Replay, written: int) -> None:
        if written == self._written:
            return
        self._written = written
        shown = replay.trace.run.stdout[max(0, written - _OUTPUT_BYTES) : written]
        self._output.show_text(from_bytes(shown) if written else None, "(nothing before this step)")
        self._output.scroll_by("end")
        self._output_pane.title.show(detail=counted(written, "byte"))

    # --- keys and clicks -------------------------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        return Situation(
            items=0 if self.replay is None else 1,
            writing_note=self._stepping.is_open,
            lacks=self._lacks,
            hidden=self.item.hidden,
            has_run=self.probing is not None and may_have_probes(self.item),
        )

    async def action_replay_arm(self) -> None:
        """Show the run of the next arm of the case that has an answer."""
        item = await self.work.call(self._next_arm)
        if item is None:
            self.say("No other arm of this case has a response.", refused=True)
            return
        self._begin(item, subject_of(item))

    async def action_show_probes(self) -> None:
        """Show the probes of the run, at the step's line and the chosen variable."""
        assert self.probing is not None
        step, row = self.replay.trace.state(self.at).step if self.replay else None, self.variables.chosen
        place = (step.line if step else 0, row.name if row else None)
        await self.probing.open(self, self.item, *place, wraps=self.wraps)

    def _note_lines(self) -> list[str]:
        replay = self.replay
        if replay is None:
            return [self._problem or self._recording.words]
        outcome, row = replay.trace.run.outcome, self.variables.chosen
        # Of a run that ended otherwise the notes say how.
        ended = [f"The program {outcome.sentence.rstrip('.')}."] if outcome.finished else []
        lines = [*ended, claim_sentence(replay), *replay.notes, replay.protection]
        if row is not None:
            cut = cut_of(row.text)
            lines += ["", f"{row.name} =" if cut is None else f"{row.name} = ({cut.words})", row.text]
        return [visible_line(line) for line in lines]


def _ticks(replay: Replay, at: int) -> Sequence[int]:
    """Return the steps that are marked of a run: visits of a probe's line, else iterations of the loop at a step."""
    if replay.probe is not None and replay.probe.visits:
        return replay.probe.visits
    loop = moves.loop_at(replay, at)
    return replay.marks.iterations.get(loop, ()) if loop is not None else ()


def variable_rows(
    state: State, past: State | None, first: Sequence[str] = (), asked: Sequence[str] = ()
) -> list[VariableRow]:
    """Return the variables of a step: those of `first`, then those of its function, then the module's.

    `past` is the step before, where there is one; a question is about those in `asked`.
    """
    order = {name: place for place, name in reversed(list(enumerate(first)))}
    rows = sorted(_all_rows(state, past), key=lambda row: order.get(row.name, len(order)))
    return [row._replace(asked=row.name in asked) for row in rows] if asked else rows


def _all_rows(state: State, past: State | None) -> list[VariableRow]:
    module = past.module if past is not None else {}
    if state.step.depth <= 1:
        changed = {change.name for change in state.step.changes}
        return _rows(state.module, module, changed)
    own = state.stack[-1].variables
    same = past is not None and _names(past) == _names(state)
    before = past.stack[-1].variables if same and past is not None else {}
    rows = _rows(own, before, {change.name for change in state.step.changes if not change.of_module})
    changed = {change.name for change in state.step.changes if change.of_module}
    others = {name: text for name, text in state.module.items() if name not in own}
    return rows + _rows(others, module, changed, of_module=True)


def _names(state: State) -> list[tuple[str, int]]:
    return [(frame.function, frame.first_line) for frame in state.stack]


def _rows(
    now: Mapping[str, str], before: Mapping[str, str], changed: set[str], *, of_module: bool = False
) -> list[VariableRow]:
    return [
        VariableRow(name, text, name in changed, before.get(name) if name in changed else None, of_module)
        for name, text in now.items()
    ]
