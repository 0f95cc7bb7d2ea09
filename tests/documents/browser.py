"""Opens pages in a headless Chromium, where there is one: what stands in them when their script has run."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.documents.reading_pages import Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_QUIET = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--no-proxy-server"),
    *("--enable-logging=stderr", "--timeout=20000"),
)


class Seen(NamedTuple):
    """A page after its script has run."""

    page: Page
    console: list[str]
    """What the browser said on its console, such as what a policy refused."""


def require_browser() -> str:
    """Return the path of a Chromium; skips the test where there is none."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("there is no Chromium here to open pages in")
    return found


def opened(path: Path) -> Seen:
    """Open a page from its file and return what stands in it then."""
    browser = require_browser()
    with tempfile.TemporaryDirectory(prefix="auditor-browser-") as profile:
        done = subprocess.run(
            [browser, *_QUIET, f"--user-data-dir={profile}", "--dump-dom", path.resolve().as_uri()],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    console = re.findall(r"CONSOLE[^\n]*", done.stderr.decode(errors="replace"))
    return Seen(Page(done.stdout.decode()), console)


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """Serve on this machine; give the address and the paths that anybody has asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def check_opened(path: Path, title: str) -> None:
    """Check that a page stands there whole: its script has run, nothing was refused, no text became an element."""
    seen = opened(path)
    assert seen.console == []
    (button,) = [attributes for attributes in seen.page.named("button") if attributes.get("id") == "theme"]
    assert "hidden" not in button
    assert seen.page.texts_of("title")[0] == title and "Colours: as the system" in seen.page.shown
    assert len(seen.page.named("script")) == 1 and len(seen.page.named("style")) == 1
    written = Page(path.read_text(encoding="utf-8"))
    counts = {tag: len(written.named(tag)) for tag in ("svg", "table", "figure", "pre", "section", "mark", "details")}
    # The browser sees the elements that were written, no more and no fewer.
    assert counts == {tag: len(seen.page.named(tag)) for tag in counts}
