"""How a statement goes, while it runs: one line, and the curve of its loss.

In SQLite the extension writes its events into a pipe (totrain_config('progress', FD)), which a thread reads; on
PostgreSQL with psycopg the server's notices come to a handler. An object with update(state) and finish(state) shows
them.
"""

from __future__ import annotations

import contextlib
import contextvars
import json
import os
import re
import threading
import time
from typing import Any, Callable, Iterator

POINTS_MAX = 400
UPDATE_SECONDS = 0.2


class State:
    """The state of a statement that runs: the last event, the curve so far, notices."""

    def __init__(self) -> None:
        self.event: dict[str, Any] = {}
        self.notices: list[str] = []
        self.train: list[tuple[float, float]] = []
        self.held_out: list[tuple[float, float]] = []
        self.first_epoch = 0  # the curve's
        self.began = time.monotonic()

    def take(self, event: dict[str, Any]) -> None:
        """An event of extension/engine/jobs/progress.h, as it is read from JSON."""
        if event.get("event") == "notice":
            self.notices.append(str(event.get("message", "")))
            return
        if event.get("event") == "failed":  # the statement's error says more
            return
        self.event = event
        for values, name in ((self.train, "loss"), (self.held_out, "validation_loss")):
            loss = event.get(name)
            if isinstance(loss, (int, float)) and not self.train:
                self.first_epoch = event.get("epoch", 0)
            if isinstance(loss, (int, float)) and (not values or values[-1] != (event.get("step", 0), loss)):
                values.append((event.get("step", 0), loss))
                if len(values) > POINTS_MAX:
                    del values[1:-1:2]

    def last_line(self) -> str:
        """The line of a statement that is over; empty where nothing was learned."""
        seconds = self.event.get("seconds")
        took = [f"{seconds:.1f} s"] if isinstance(seconds, (int, float)) else []
        return "  ".join([*self._words(), *took]) if self.event else ""

    def line(self) -> str:
        """A line like the program's."""
        event = self.event
        if not event:
            return f"reading rows  {time.monotonic() - self.began:.1f} s"
        words = self._words()
        if event.get("rows_per_second"):
            words.append(f"{event['rows_per_second']:,.0f} rows/s")
        if event.get("workers", 0) > 1:
            words.append(f"{event['workers']} workers")
        left = event.get("seconds_left")
        if isinstance(left, (int, float)) and left >= 0:
            words.append(f"{int(left) // 60}:{int(left) % 60:02} left")
        return "  ".join(words) or "training"

    def _words(self) -> list[str]:
        event = self.event
        words = []
        if event.get("epochs"):
            words.append(f"epoch {event['epoch']}/{event['epochs']}")
        if event.get("steps"):
            words.append(f"step {event['step']:,}/{event['steps']:,}")
        for name, word in (("loss", "loss"), ("validation_loss", "validation")):
            if isinstance(event.get(name), (int, float)):
                words.append(f"{word} {event[name]:.4g}")
        return words


class _Updates:
    """A thread that shows the state until it is stopped, in the context of whoever started it."""

    def __init__(self, state: State, shown: Any) -> None:
        self.state, self.shown = state, shown
        self.over = threading.Event()
        context = contextvars.copy_context()
        self.thread = threading.Thread(target=context.run, args=(self._run,), name="totrain-progress", daemon=True)

    def _run(self) -> None:
        while not self.over.wait(UPDATE_SECONDS):
            self.shown.update(self.state)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        self.shown.update(self.state)
        self.thread.start()
        try:
            yield
        finally:
            self.over.set()
            self.thread.join()
            self.shown.finish(self.state)


def _read(descriptor: int, take: Callable[[dict], None]) -> None:
    with os.fdopen(descriptor, "r", encoding="utf-8") as lines:
        for line in lines:
            with contextlib.suppress(ValueError):
                take(json.loads(line))


@contextlib.contextmanager
def _of_sqlite(driver: Any, state: State) -> Iterator[None]:
    reading, writing = os.pipe()
    reader = threading.Thread(target=_read, args=(reading, state.take), name="totrain-events", daemon=True)
    reader.start()
    try:
        driver.execute("SELECT totrain_config('progress', ?)", (writing,)).fetchall()
        try:
            yield
        finally:
            driver.execute("SELECT totrain_config('progress', -1)").fetchall()
    finally:
        os.close(writing)
        reader.join()


_EVENT = re.compile(r"epoch (\d+)(?:/(\d+))?  step (\d+)/(\d+)(?:  loss (\S+))?(?:  validation (\S+))?")


def event_of(line: str) -> dict[str, Any] | None:
    """The event in a line of progress that a server sends as a notice; None in any other notice."""
    found = _EVENT.match(line)
    if not found:
        return None
    epoch, epochs, step, steps, loss, held_out = found.groups()
    return {"event": "progress", "epoch": int(epoch), "epochs": int(epochs or 0), "step": int(step),
            "steps": int(steps), "loss": loss and float(loss), "validation_loss": held_out and float(held_out)}


@contextlib.contextmanager
def _of_postgres(driver: Any, state: State) -> Iterator[None]:
    def take(diagnostic: Any) -> None:
        message = diagnostic.message_primary or ""
        state.take(event_of(message) or {"event": "notice", "message": message})
    if hasattr(driver, "add_notice_handler"):
        driver.add_notice_handler(take)
        try:
            yield
        finally:
            driver.remove_notice_handler(take)
    else:  # psycopg2 has them when the statement is over
        before = len(driver.notices)
        try:
            yield
        finally:
            for notice in driver.notices[before:]:
                take(type("", (), {"message_primary": notice.split(":", 1)[-1].strip()}))


@contextlib.contextmanager
def watched(driver: Any, kind: str, shown: Any) -> Iterator[State]:
    """Shows the progress of the statements that run in the `with` on this connection of a driver."""
    state = State()
    source = _of_sqlite if kind == "sqlite" else _of_postgres
    with _Updates(state, shown).running(), source(driver, state):
        yield state
