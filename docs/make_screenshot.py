"""Draw docs/review.svg anew: the review screen on the bundled sample, at 120x40."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from auditor.audit.demo import make_demo
from auditor.audit.review import QueueWish, ToggleTag, open_session
from auditor.tui.app import ReviewApp

WHERE = "arm:inside-loop-state setting:simulated/off-by-one status:wrong language:python"


async def draw(folder: Path) -> str:
    """Return the screen as SVG."""
    path = folder / "audit.db"
    make_demo(path, "exact-output")
    session = open_session(path, "ana", QueueWish(where=WHERE))
    session.submit(session.item(session.start_index()).response_id, ToggleTag("control-flow"))
    app = ReviewApp(session)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(0.5)
        return app.export_screenshot(title="auditor review")


def main() -> None:
    """Write the picture beside this file."""
    with TemporaryDirectory() as folder:
        picture = asyncio.run(draw(Path(folder)))
    (Path(__file__).parent / "review.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
