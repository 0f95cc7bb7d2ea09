"""Actions that decide tags of the item, and take that back. What a decision means is in `auditor.audit.rulings`."""

from __future__ import annotations

from collections.abc import Callable

from auditor.audit.review import Decide, Intent, Pending, Redo, Refused, Saved, Undo
from auditor.audit.rulings import Case, NoteNeededError, TagRow, decide_tags, take_set, withdraw
from auditor.text import counted, visible_line
from auditor.tui.parts.adjudication_desk import AdjudicationDesk
from auditor.tui.parts.decision_note import DecisionNote
from auditor.tui.review_sentences import short_key

Made = Callable[["str | None"], Decide]
"""Makes a decision, given the note; raises NoteNeededError when it needs one."""


class Deciding:
    """Saves decisions one after the other, and shows what each did."""

    def __init__(self, desk: AdjudicationDesk, note: DecisionNote) -> None:
        self._desk = desk
        self._note = note
        self._left: tuple[int, str, int] | None = None
        """Where a decision moved the cursor on by itself: the item, the tag decided, and the row gone to."""

    async def action_decide(self, verdict: str) -> None:
        tag, case, book = self._row.tag.id, self._case, self._desk.adjudication.book
        await self._make(lambda note: decide_tags(book, case, [(tag, verdict)], note), tag)

    async def action_take_set(self, number: str) -> None:
        case, names, at = self._case, self._desk.names(), int(number)
        if at >= len(case.voices):
            self._desk.say(f"This item has {counted(len(names), 'annotator')}: {', '.join(names)}.", refused=True)
            return
        if not any(not row.is_agreed for row in case.rows):
            self._desk.say("All agree on this item; there is nothing to take.", refused=True)
            return
        book = self._desk.adjudication.book
        await self._make(lambda note: take_set(book, case, at, note), None)

    async def action_withdraw(self) -> None:
        row = self._row
        if row.decision is None:
            self._desk.say(f"Nothing is decided of {visible_line(row.tag.name, 60)}.", refused=True)
        elif row.decision.adjudicator != self._desk.session.annotator:
            by = visible_line(row.decision.adjudicator, 60)
            self._desk.say(f"{by} decided this; decide otherwise, which holds then.", refused=True)
        else:
            await self._save(withdraw(self._case, [row.tag.id]), row.tag.id)

    async def action_write_note(self) -> None:
        row = self._desk.rows.nearest_tag
        assert row is not None
        row = self._just_decided(row)
        if row.decision is None:
            await self._write_before(row)
            return
        ruling, case, book = row.decision.ruling, self._case, self._desk.adjudication.book
        verdicts = [(row.tag.id, ruling.verdict)]
        await self._ask(
            lambda note: decide_tags(book, case, verdicts, note),
            row.tag.id,
            ruling.note,
            f"Note on {visible_line(row.tag.name, 40)}",
        )

    async def _write_before(self, row: TagRow) -> None:
        """Have a note written on a tag that is not decided yet: it waits for the decision, which takes it along."""
        desk, response_id, tag = self._desk, self._case.response_id, row.tag.id
        name = visible_line(row.tag.name, 40)

        async def save(note: str) -> bool:
            is_kept = await desk.work.call(desk.session.keep_waiting, response_id, tag, note)
            desk.show_case(await desk.work.call(desk.adjudication.case, response_id), tag)
            desk.say(self._told_waiting(name, note, is_kept=is_kept), refused=not is_kept)
            return True

        await self._note.open(response_id, tag, row.waiting, f"Note on {name}, for the decision to come", save)

    def _told_waiting(self, name: str, note: str, *, is_kept: bool) -> str:
        keys = self._desk.keys
        if not note.strip():
            return f"No note waits for the decision on {name}."
        if not is_kept:
            return f"The note on {name} is kept in memory only: nothing can be written beside the file. Decide now."
        how = f"{keys['decide.yes']} yes, {keys['decide.no']} no, {keys['decide.unresolved']} unresolved"
        return f"The note waits for the decision on {name}, which takes it along: {how}."

    async def action_undo(self) -> None:
        await self._save(Undo(), None)

    async def action_redo(self) -> None:
        await self._save(Redo(), None)

    # --- inside ----------------------------------------------------------------------------------------------------

    @property
    def _case(self) -> Case:
        case = self._desk.case
        assert case is not None
        return case

    @property
    def _row(self) -> TagRow:
        """Return the tag that the keys act on; on a row that is none these actions are not done."""
        line = self._desk.rows.line
        assert line is not None and line.row is not None
        return line.row

    def _just_decided(self, row: TagRow) -> TagRow:
        """Return the tag that a note is for: the one just decided, where the cursor has gone on to an open one.

        Once it has its note, the next one is for the tag at the cursor.
        """
        if row.decision is None and not row.waiting and self._left is not None:
            response_id, tag, index = self._left
            decided = (
                self._case.row_of(tag)
                if (response_id, index) == (self._case.response_id, self._desk.rows.index)
                else None
            )
            if decided is not None and decided.decision is not None and not decided.decision.ruling.note:
                return decided
        return row

    async def _make(self, made: Made, tag: str | None) -> None:
        """Save a decision; one that overrides everyone is asked why first."""
        try:
            decision = made(None)
        except NoteNeededError:
            await self._ask(made, tag, "", "Nobody marked it so. Why?")
            return
        await self._save(decision, tag)

    async def _ask(self, made: Made, tag: str | None, text: str, title: str) -> None:
        async def save(note: str) -> bool:
            return await self._save(made(note), tag)

        await self._note.open(self._case.response_id, tag, text, title, save)

    async def _save(self, intent: Intent, tag: str | None) -> bool:
        """Make an act durable, and show what became of the item; say whether it was made."""
        desk, response_id = self._desk, self._case.response_id
        outcome = await desk.work.submit(response_id, intent)
        if isinstance(outcome, Refused):
            desk.say(outcome.message, refused=True)
            return False
        if outcome.response_id != response_id:
            await desk.go_to(outcome.response_id)
        else:
            case = await desk.work.call(desk.adjudication.case, response_id)
            row = None if tag is None else case.row_of(tag)
            desk.show_case(case, tag if row is not None and not case.needing else None)
            self._left = None if tag is None else (response_id, tag, desk.rows.index)
        if isinstance(outcome, Pending):
            desk.say(desk.work.words_on(outcome), refused=True)
        else:
            desk.say(self._told(outcome, intent))
        return True

    def _told(self, outcome: Saved, intent: Intent) -> str:
        """Say what an act did, and what is left; of what is taken back or done again also on which item."""
        case, keys = self._case, self._desk.keys
        counts = self._desk.adjudication.counts()
        left, did = len(case.needing), outcome.message.rstrip(".")
        if isinstance(intent, Undo | Redo) and self._desk.item is not None:
            did = f"{did}, on {short_key(self._desk.item.key)}"
        if left:
            return f"{did}. {counted(left, 'tag')} to decide here."
        open_items = counts["open"] + counts["stale"]
        on = (
            f"{keys['case.next_open']}: the next of {counted(open_items, 'open item')}"
            if open_items
            else "Nothing is open any more"
        )
        return f"{did}. {on}."
