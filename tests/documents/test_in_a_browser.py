"""What a hostile reply can do on a page in a real browser: nothing; and the page asks nobody for anything."""

from __future__ import annotations

from pathlib import Path

from auditor.audit.report.make import make_report
from auditor.audit.report.subject import ReportOptions
from auditor.audit.report.write import write_report
from auditor.cli.main import main
from auditor.model import join_key
from tests.builders import make_audit
from tests.documents.browser import check_opened, listening, opened, require_browser

FIVE_MB = 5_000_000


def hostile(address: str) -> str:
    """Return a reply that tries to run, to load, to leave and to break the page; then five megabytes."""
    tries = [
        *("</style></script></title></svg></pre>", "<script>document.title = 'OWNED'</script>", "-->", "]]>"),
        f'<img src="{address}/img" onerror="document.title=\'OWNED\'">',
        f'<link rel="stylesheet" href="{address}/css"><style>@import "{address}/import"; * {{ display: none }}</style>',
        f'<iframe src="{address}/frame"></iframe><object data="{address}/object"></object>',
        f'<meta http-equiv="refresh" content="0;url={address}/refresh"><base href="{address}/">',
        f'<svg><image href="{address}/svg"/><script>document.title = 1</script></svg>',
        f'"><script src="{address}/script"></script>',
        "\u202e\u2066 bidi \u200b \x1b[2J \x00 \ud83d",
    ]
    return "\n".join(tries) + "x" * FIVE_MB


def test_a_hostile_reply_stays_text_and_nothing_is_asked_for(tmp_path: Path) -> None:
    require_browser()
    with listening() as (address, asked):
        text = hostile(address)
        arm = text[:900]
        path = make_audit(tmp_path / "a.db", cases=1, arms=(arm,), replies={(0, arm, "model-a"): text})
        key = join_key(("demo", "case-0", arm, "model-a", 0))
        for who in ("ana", "<b>ben</b>"):
            put = [
                "tags",
                "put",
                str(path),
                "--annotator",
                who,
                "--item",
                key,
                "--tag",
                "other",
                "--note",
                text[:2_000],
            ]
            assert main(put) == 0
        target = tmp_path / "report.html"
        write_report(make_report(path, ReportOptions(replicates=100, title="Mine")), target)
        check_opened(target, "Mine")
        assert f"4,000 of {len(text):,} characters are shown" in target.read_text(encoding="utf-8")
        assert target.stat().st_size < FIVE_MB / 5
        assert asked == []
        # The same things unescaped are asked for, so nobody who asks goes unseen.
        control = tmp_path / "control.html"
        control.write_text(f'<!DOCTYPE html><title>c</title><img src="{address}/control">')
        opened(control)
        assert asked == ["/control"]
