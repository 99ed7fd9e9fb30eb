"""The display of a notebook while a statement runs: by updates of one output; on a terminal one line."""

from __future__ import annotations

import html
import sys
from typing import Any

from ._progress import State

WIDTH, HEIGHT = 420, 90


def _path(points: list, least: float, greatest: float, steps: float) -> str:
    spread = (greatest - least) or 1.0
    return "M" + " L".join(f"{4 + step / steps * (WIDTH - 8):.1f},{HEIGHT - 4 - (loss - least) / spread * (HEIGHT - 8):.1f}"
                           for step, loss in points)


def curve(state: State) -> str:
    """The losses so far as SVG; empty before there are two."""
    if len(state.train) < 2:
        return ""
    losses = [loss for _, loss in state.train + state.held_out]
    steps = max(state.train[-1][0], 1)  # those so far: all of a long job would be a stroke at the left
    paths = [f'<path d="{_path(state.train, min(losses), max(losses), steps)}" fill="none" stroke="#0072b2" '
             'stroke-width="1.8"/>']
    if len(state.held_out) > 1:
        paths.append(f'<path d="{_path(state.held_out, min(losses), max(losses), steps)}" fill="none" '
                     'stroke="#d55e00" stroke-width="1.8" stroke-dasharray="5 3"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" role="img" '
            f'aria-label="loss by step"><rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#8888" />'
            f'{"".join(paths)}</svg>')


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
        line, drawn = state.line() if state.event else "", curve(state)
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
