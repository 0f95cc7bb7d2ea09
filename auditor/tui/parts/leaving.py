"""Actions that end the review, and what is said before."""

from __future__ import annotations

from auditor.tui.parts.note_writing import NoteWriting
from auditor.tui.parts.review_desk import ReviewDesk
from auditor.tui.review_sentences import tell_leaving, tell_note_keys

_LEAVING = ("program.interrupt", "program.quit")


class Leaving:
    """Ends the review: at once where all is saved, and else when asked twice."""

    def __init__(self, desk: ReviewDesk, note: NoteWriting) -> None:
        self._desk = desk
        self._note = note

    def action_interrupt(self) -> None:
        if self._note.is_open:
            self._desk.say(tell_note_keys(self._desk.keys, self._note.what))
        else:
            self._leave_when_asked_again()

    def action_quit_review(self) -> None:
        if self._desk.session.pending or self._desk.setup.settings.confirm_quit:
            self._leave_when_asked_again()
        else:
            self._desk.screen.app.exit(0)

    def _leave_when_asked_again(self) -> None:
        desk = self._desk
        if desk.previous in _LEAVING:
            desk.screen.app.exit(0)
        else:
            desk.say(tell_leaving(desk.session, desk.keys), refused=bool(desk.session.pending))
