"""The parts that SVG plots are made of: an element list, marks told apart by shape and colour, ticks, text widths."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from auditor.documents.markup import escaped, escaped_line
from auditor.documents.plots import Axis
from auditor.text import visible_line

_NARROW, _WIDE, _WIDEST = frozenset(" !'()*,-./:;I[]`fijlrt|"), frozenset("+<=>~"), frozenset("%@MWmw")
MARKS = 8
"""How many marks can be told apart."""

STYLE = """
.plot{font:13px/1.2 var(--sans,system-ui,sans-serif);fill:var(--ink,#1c1e21)}
.plot text{paint-order:stroke;stroke:var(--page,#fff);stroke-width:3px;stroke-linejoin:round}
.plot .soft{fill:var(--soft,#5a6068)}
.plot .head{font-weight:600}
.plot .small{font-size:11.5px}
.plot .grid{stroke:var(--rule,#d9dce1);stroke-width:1}
.plot .zero{stroke:var(--soft,#5a6068);stroke-width:1.2}
.plot .range{stroke-width:2;fill:none}
.plot .line{stroke-width:2;fill:none}
.plot .area{fill-opacity:.18;stroke-width:2}
.plot .spoke{stroke:var(--rule,#d9dce1);fill:none}
.plot .cell{fill:var(--s0,#1f5fa8)}
.plot .over{stroke:none}
.plot .frame{fill:none;stroke:var(--rule,#d9dce1)}
.plot .part{stroke:var(--page,#fff);stroke-width:1.5}
.plot .inside{stroke:none;fill:var(--on,#fff);font-weight:600}
.plot .faint{fill-opacity:var(--faint,.6)}
.plot .deep{fill:#14161a}
""" + "".join(
    f".plot .f{n}{{fill:var(--s{n},{colour})}}.plot .l{n}{{stroke:var(--s{n},{colour})}}\n"
    for n, colour in enumerate(("#1f5fa8", "#a8480c", "#1b7a4b", "#8a2f86", "#7a5c00", "#0f7285", "#b0294a", "#5b5fc7"))
)
DARK = (
    "--ink:#e8e6e1;--soft:#a8adb5;--rule:#383d45;--page:#14161a;--on:#14161a;--faint:.75;--s0:#7fb2f0;--s1:#f0a070;--s2:#74cc9c;"
    "--s3:#dd9bd9;--s4:#d9bb5c;--s5:#6fc7d8;--s6:#f28fa6;--s7:#b0b3f5"
)
"""The colours that plots take from a page, for a dark ground."""
DASHES = ("", "7 4", "2 3", "9 3 2 3", "4 2", "12 4", "1 4", "6 2 1 2")


class Drawing:
    """Elements of one picture, in pixels from its upper left corner."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.height = 0.0
        self._elements: list[str] = []

    def add(self, element: str) -> None:
        """Add an element as it stands."""
        self._elements.append(element)

    def text(self, x: float, y: float, text: str, *, kind: str = "", anchor: str = "start", room: float = 0) -> None:
        """Write text on a base line; what does not fit into `room` pixels is cut in its middle."""
        shown = fitted(text, room) if room else visible_line(text)
        classes = f' class="{kind}"' if kind else ""
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.add(f'<text x="{number(x)}" y="{number(y)}"{classes}{where}>{escaped(shown)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Draw a straight line."""
        ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
        self.add(f'<line {ends} class="{kind}"/>')

    def verticals(self, x: float, bands: Sequence[tuple[float, float]], kind: str) -> None:
        """Draw an upright line that is seen within bands only, each from its upper to its lower end."""
        path = "".join(f"M{number(x)} {number(top)}V{number(bottom)}" for top, bottom in bands)
        self.add(f'<path d="{path}" class="{kind}"/>')

    def box(self, x: float, y: float, width: float, height: float, kind: str, opacity: float | None = None) -> None:
        """Draw a rectangle."""
        see = "" if opacity is None else f' fill-opacity="{opacity:.2f}"'
        size = f'width="{number(width)}" height="{number(height)}"'
        self.add(f'<rect x="{number(x)}" y="{number(y)}" {size} class="{kind}"{see}/>')

    def curve(self, points: Sequence[tuple[float, float]], kind: str, *, closed: bool = False, dash: str = "") -> None:
        """Connect points."""
        tag = "polygon" if closed else "polyline"
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.add(f'<{tag} points="{places}" class="{kind}"{dashes}/>')

    def mark(self, x: float, y: float, which: int, size: float = 5) -> None:
        """Draw a mark; each has a shape of its own, so that nobody needs to tell colours apart."""
        which %= MARKS
        if which == 0:
            self.add(f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(size)}" class="f0"/>')
            return
        points = " ".join(f"{number(x + size * dx)},{number(y + size * dy)}" for dx, dy in _SHAPES[which])
        self.add(f'<polygon points="{points}" class="f{which}"/>')

    def written(self, ident: str, title: str, description: str, *, kind: str = "") -> str:
        """Return the picture as an SVG element with its name and description."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="plot{kind and " " + kind}" role="img"'
            f' viewBox="0 0 {self.width} {number(self.height)}" width="{self.width}" height="{number(self.height)}"'
            f' aria-labelledby="{ident}-t {ident}-d">'
        )
        name = f'<title id="{ident}-t">{escaped_line(title)}</title>'
        told = f'<desc id="{ident}-d">{escaped_line(description)}</desc>'
        return "\n".join([head, name, told, *self._elements, "</svg>"])


_PLUS = (
    *((-1.2, -0.4), (-0.4, -0.4), (-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4)),
    *((1.2, 0.4), (0.4, 0.4), (0.4, 1.2), (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4)),
)
_SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.15), (1.1, 0.85), (-1.1, 0.85)),
    ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    ((0, 1.15), (1.1, -0.85), (-1.1, -0.85)),
    _PLUS,
    ((-1.1, 0), (0.85, -1.1), (0.85, 1.1)),
    ((1.1, 0), (-0.85, -1.1), (-0.85, 1.1)),
)
"""The corners of each mark, in its size; the first is a circle."""


def number(value: float) -> str:
    """Return a coordinate, as short as a tenth of a pixel allows."""
    return f"{value:.1f}".removesuffix(".0") if value else "0"


def text_width(text: str) -> float:
    """Return about how many pixels a line of text takes, on the safe side for the usual sans-serif fonts."""
    return sum(map(_char_width, visible_line(text)))


def _char_width(char: str) -> float:
    if char in _NARROW:
        return 5.5
    if char in _WIDEST:
        return 12.5
    if char in _WIDE:
        return 11.0
    return 9.2 if char.isupper() else 8.2 * cell_len(char)


def fitted(text: str, room: float) -> str:
    """Return one line that takes about `room` pixels at most; what is cut out is its middle.

    Names of settings differ at their ends as often as at their beginnings. Where marks of what does not show would be
    cut, the end is, so that none is left in part.
    """
    shown = visible_line(text)
    if text_width(text) <= room:
        return shown
    most = int(room / (text_width(text) / len(shown)))
    for kept in range(min(most + 8, len(shown)), 2, -1):
        cut = visible_line(text, kept) if shown != text else f"{text[: kept - kept // 2 - 1]}…{text[-(kept // 2) :]}"
        if text_width(cut) <= room:
            return cut
    return visible_line(text, 2)


def ticks(axis: Axis, most: int = 6) -> list[float]:
    """Return round values along an axis, its ends among them where these are round."""
    span = axis.high - axis.low
    for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0):
        if span / step <= most:
            first = round(axis.low / step)
            found = [step * at for at in range(first, int(axis.high / step + 1e-9) + 1)]
            return [value for value in found if value >= axis.low - 1e-9]
    return [axis.low, axis.high]


def tick_words(axis: Axis, value: float) -> str:
    """Return a tick's label."""
    if axis.percent:
        return f"{100 * value:.0f}"
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-", "−") if abs(value) > 1e-9 else "0"
