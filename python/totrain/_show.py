"""The display of a notebook while a statement runs: by updates of one output; on a terminal one line."""

from __future__ import annotations

import html
import sys
from typing import Any

from ._progress import State

WIDTH, HEIGHT = 460, 130
LEFT, RIGHT, TOP, BOTTOM = 56, 8, 22, 18  # around the lines
TRAINING, HELD_OUT = "#0072b2", "#d55e00"  # told apart by all kinds of colour vision


class _Scale:
    """The places of losses: the greatest above, the least below, steps from the first to the last one that came."""

    def __init__(self, state: State) -> None:
        losses = [loss for _, loss in state.train + state.held_out]
        self.least, self.greatest = min(losses), max(losses)
        self.first, self.last = state.train[0][0], state.train[-1][0]

    def x(self, step: float) -> float:
        return LEFT + (step - self.first) / ((self.last - self.first) or 1.0) * (WIDTH - LEFT - RIGHT)

    def y(self, loss: float) -> float:
        spread = (self.greatest - self.least) or 1.0
        return TOP + (self.greatest - loss) / spread * (HEIGHT - TOP - BOTTOM)

    def path(self, points: list) -> str:
        return "M" + " L".join(f"{self.x(step):.1f},{self.y(loss):.1f}" for step, loss in points)


def _text(x: float, y: float, words: str, more: str = "") -> str:
    return (f'<text x="{x:.0f}" y="{y:.0f}" font-size="11" font-family="sans-serif" fill="currentColor"{more}>'
            f"{html.escape(words)}</text>")


def _axes(state: State, scale: _Scale) -> str:
    """The frame, the greatest and the least loss at the left, and below the first and the last epoch, or step."""
    above, below, right = scale.y(scale.greatest), HEIGHT - BOTTOM, WIDTH - RIGHT
    end = ' text-anchor="end"'
    if state.event.get("epochs"):
        first, last = f"epoch {state.first_epoch}", f"epoch {state.event['epoch']}"
    else:
        first, last = f"step {scale.first:,}", f"step {scale.last:,}"
    return (f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{below - TOP}" fill="none" stroke="#8888"/>'
            + _text(LEFT - 4, above + 8, f"{scale.greatest:.3g}", end)
            + _text(LEFT - 4, below, f"{scale.least:.3g}", end)
            + _text(LEFT, HEIGHT - 4, first) + _text(right, HEIGHT - 4, last, end))


def _line(scale: _Scale, points: list, word: str, at: int, colour: str, dashes: str) -> str:
    """A line, and in the legend its word and its last value."""
    legend = (f'<path d="M{at},10 h18" stroke="{colour}" stroke-width="1.8"{dashes}/>'
              + _text(at + 24, 14, f"{word} {points[-1][1]:.4g}"))
    return f'<path d="{scale.path(points)}" fill="none" stroke="{colour}" stroke-width="1.8"{dashes}/>{legend}'


def curve(state: State) -> str:
    """The losses so far as SVG, with axes, and a legend that has the last values; empty before there are two."""
    if len(state.train) < 2:
        return ""
    scale = _Scale(state)
    lines = [_line(scale, state.train, "loss", LEFT, TRAINING, "")]
    if len(state.held_out) > 1:
        lines.append(_line(scale, state.held_out, "validation", LEFT + 150, HELD_OUT, ' stroke-dasharray="5 3"'))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" role="img" '
            f'aria-label="loss by step">{_axes(state, scale)}{"".join(lines)}</svg>')


class Display:
    """In a front end: a display that is updated, with the line as plain text beside it for those without HTML."""

    def __init__(self) -> None:
        self.handle: Any = None
        self.last: dict | None = None

    def _show(self, content: dict) -> None:
        from IPython.display import display
        if self.handle is None:
            self.handle = display(content, raw=True, display_id=True)
        elif content != self.last:
            self.handle.update(content, raw=True)
        self.last = content

    def update(self, state: State) -> None:
        line = state.line()
        self._show({"text/plain": line, "text/html":
                    f'<div class="totrain-progress"><code>{html.escape(line)}</code><br>{curve(state)}</div>'})

    def finish(self, state: State) -> None:
        """The last line and the curve stay, with the notices; the rows of the result come next."""
        line, drawn = state.last_line(), curve(state)
        notices = "".join(f"<div>NOTICE:  {html.escape(notice)}</div>" for notice in state.notices)
        plain = "\n".join([line, *(f"NOTICE:  {notice}" for notice in state.notices)]).strip()
        shown = f"<code>{html.escape(line)}</code>{notices}<br>{drawn}" if plain else ""
        self._show({"text/plain": plain, "text/html": f'<div class="totrain-progress">{shown}</div>'})


class Line:
    """On a terminal, as the program draws it."""

    def __init__(self) -> None:
        self.is_drawn = False

    def update(self, state: State) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{state.line()}")
            sys.stderr.flush()
            self.is_drawn = True

    def finish(self, state: State) -> None:
        if self.is_drawn:
            sys.stderr.write("\r\033[K")
        for notice in state.notices:
            print(f"NOTICE:  {notice}", file=sys.stderr)
