"""SQLAlchemy: the statements of ToTrain on every connection of an engine."""

from __future__ import annotations

from typing import Any

from ._errors import Error
from ._sqlite import load


def enable(engine: Any) -> Any:
    """Loads ToTrain into every connection that this engine of SQLite opens from now on; returns the engine.

    Statements go by `connection.exec_driver_sql("SELECT ... TO TRAIN ...")` (text() takes `:name` for a parameter),
    or by totrain.run(engine, ...). An engine of PostgreSQL needs nothing: Error says so for others than SQLite's.
    """
    from sqlalchemy import event
    if engine.dialect.name != "sqlite":
        raise Error(f"an engine of {engine.dialect.name} needs no enable(): there the extension is the server's. "
                    "totrain.run(engine, ...) runs statements")

    @event.listens_for(engine, "connect")
    def loaded(connection: Any, _record: Any) -> None:
        load(connection)
    engine.dispose()  # those that are open already
    return engine
