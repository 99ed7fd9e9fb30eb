"""%load_ext totrain: the magics of IPython.

    %totrain shop.db              the connection of the cells below: a file of SQLite, an address of PostgreSQL or
                                  another of SQLAlchemy's, or a variable with a connection or an engine
    %%totrain                     statements, each ended by ;   The rows of each are shown, those of the last one as the
                                  cell's result, whose to_pandas() and to_polars() make a DataFrame of it
    %%totrain result <<           the same; they go into the variable `result` as a DataFrame
    %totrain                      which connection that is

Without %totrain it is jupysql's current one (%sql). With totrain loaded, %sql and %%sql on SQLite know the
statements, too.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
from typing import Any, Iterator

from ._errors import Error
from ._files import program_path
from ._progress import watched
from ._result import Result
from ._run import Session
from ._show import Display, Line
from ._sqlite import connect, load


class StatementError(Exception):
    """A statement failed: the message of the database, with caret and hint. Shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class _State:
    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.connection: Any = None
        self.name = ""
        self.matcher: Any = None


_state: _State | None = None
_STATEMENT = re.compile(r"(select|with|train|predict|evaluate|explain|show|export|import|report|drop|create|insert|update|"
                        r"delete|alter|pragma)\b(?!\.)", re.IGNORECASE)


# ----- the connection -----

def _open(address: str) -> Any:
    if re.match(r"postgres(ql)?://", address):
        return _open_postgres(address)
    if "://" in address:
        import sqlalchemy
        return sqlalchemy.create_engine(address)
    if _STATEMENT.match(address) and not os.path.exists(address):
        raise Error("%totrain takes a database; statements stand below %%totrain, in a cell of their own")
    return connect(address, isolation_level=None)  # BEGIN is what the user types, and nothing else


def _open_postgres(address: str) -> Any:
    try:
        import psycopg as driver
    except ImportError:
        try:
            import psycopg2 as driver  # type: ignore[no-redef]
        except ImportError:
            raise Error("PostgreSQL needs a driver: pip install 'psycopg[binary]'") from None
    connection = driver.connect(address)
    connection.autocommit = True
    return connection


def _jupysql() -> Any:
    module = sys.modules.get("sql.connection")
    current = getattr(getattr(module, "ConnectionManager", None), "current", None)
    given = getattr(current, "connection_sqlalchemy", None) or getattr(current, "_connection", None)
    return None if getattr(given, "closed", False) else given


def connection_of(state: _State) -> Any:
    """The connection that %totrain named, else jupysql's. Error where there is none."""
    given = state.connection if state.connection is not None else _jupysql()
    if given is None:
        raise Error("no connection: %totrain shop.db opens a file of SQLite, %totrain postgresql://host/name a "
                    "database of PostgreSQL")
    return given


def choose(state: _State, words: str) -> str:
    """%totrain WORDS: what is said about it."""
    if words:
        variable = state.shell.user_ns.get(words) if words.isidentifier() else None
        state.connection = variable if variable is not None else _open(words)
        state.name = words
        with Session(state.connection):
            pass  # checks what it is, and whether it can be used
    connection_of(state)
    return f"totrain: {state.name or 'the connection of %sql'}"


# ----- statements -----

def pieces_of(text: str) -> Iterator[tuple[str, bool]]:
    """The statements of a cell, as the program tells them apart, and whether each is ToTrain's."""
    done = subprocess.run([program_path(), "parse", "--color=never"], input=text.encode(), capture_output=True,
                          check=False)
    data, end = text.encode(), 0
    for line in done.stdout.splitlines():
        statement = json.loads(line)
        start, end = statement["span"]
        yield data[start:end].decode(), statement["statement"] != "SQL"
    if done.returncode != 0:
        rest = data[end:].decode().lstrip("; \n\t")
        if rest:
            yield rest, True  # a wrong one: the database says why


def _run_elsewhere(session: Session, sql: str) -> Result:
    """On PostgreSQL: in a thread, so that a Ctrl-C comes to this one, which cancels what the server does."""
    outcome: dict[str, Any] = {}

    def work() -> None:
        try:
            outcome["result"] = session.run(sql)
        except BaseException as error:  # pylint: disable=broad-exception-caught
            outcome["error"] = error
    thread = threading.Thread(target=work, name="totrain-statement", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.05)
    except KeyboardInterrupt:
        session.driver.cancel()
        thread.join()
        raise
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]


def _run_here(session: Session, sql: str) -> Result:
    """In SQLite. After a Ctrl-C the statement ends with an error of the driver's, and KeyboardInterrupt is raised
    when Python code runs again (extension/sqlite/api/python_signals.h): here, and not in what cleans up."""
    try:
        return session.run(sql)
    except Exception:
        for _ in range(1000):
            pass
        raise


def _run_one(session: Session, sql: str, is_ours: bool, shown: Any) -> Result:
    run = _run_here if session.kind == "sqlite" else _run_elsewhere
    if not is_ours:
        return run(session, sql)
    with watched(session.driver, session.kind, shown):
        return run(session, sql)


def _shown(state: _State) -> Any:
    return Display() if getattr(state.shell, "kernel", None) is not None else Line()


def run_cell(state: _State, text: str) -> Result | None:
    """The rows of the last statement; those of the others, with their notices, are displayed as they come."""
    result: Result | None = None
    with Session(connection_of(state)) as session:
        for sql, is_ours in pieces_of(text):
            if result is not None and result.columns:
                _display(result)
            result = _run_one(session, sql, is_ours, _shown(state))
    return result if result is not None and result.columns else None


def _display(result: Result) -> None:
    from IPython.display import display
    display(result)


def _message(error: Exception) -> str:
    text = str(error).strip()
    return text if text.startswith(("ERROR", "interrupted")) else f"ERROR:  {text}"


def magic(state: _State, line: str, cell: str | None = None) -> Any:
    """%totrain LINE and %%totrain LINE."""
    try:
        return _magic(state, line.strip(), cell)
    except StatementError:
        raise
    except Exception as error:  # a database that cannot be opened, in its driver's words
        raise StatementError(_message(error)) from None
    except KeyboardInterrupt:
        raise StatementError("interrupted") from None


def _magic(state: _State, line: str, cell: str | None) -> Any:
    if cell is None:
        print(choose(state, line))
        return None
    into = re.match(r"(\w+)\s*<<\s*(.*)", line)
    words = into.group(2) if into else line
    if words:
        choose(state, words)
    result = run_cell(state, cell)
    if into:
        result = None if result is None else result.frame()
        state.shell.user_ns[into.group(1)] = result
    return result


# ----- completion -----

def _names(session: Session) -> dict[str, Any]:
    """Tables with their columns, and models, as `totrain complete` takes them."""
    if session.kind == "sqlite":
        rows = session.run("SELECT m.name, m.type, group_concat(i.name, char(1)) FROM sqlite_master AS m "
                           "JOIN pragma_table_info(m.name) AS i WHERE m.type IN ('table', 'view') AND m.name NOT LIKE "
                           "'sqlite~_%' ESCAPE '~' AND m.name <> 'totrain_versions' GROUP BY m.name").rows
    else:
        rows = session.run("SELECT c.relname, 'table', string_agg(a.attname, chr(1) ORDER BY a.attnum) FROM pg_class c "
                           "JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND "
                           "a.attnum > 0 AND NOT a.attisdropped AND pg_table_is_visible(c.oid) AND c.relnamespace <> "
                           "'pg_catalog'::regnamespace GROUP BY c.relname").rows
    tables = {name: columns.split("\x01") for name, _, columns in rows}
    models = [name for name, columns in tables.items() if columns == ["part", "name", "position", "value", "data"]]
    return {"tables": {name: columns for name, columns in tables.items() if name not in models}, "models": models}


def completions(state: _State, text: str, cursor: int) -> tuple[int, list[str]]:
    """Where the word begins that is completed, and what it may become. Nothing where anything fails: completion
    must not disturb."""
    try:
        with Session(connection_of(state)) as session:
            asked = {"text": text, "cursor": len(text[:cursor].encode()), **_names(session)}
        done = subprocess.run([program_path(), "complete"], input=json.dumps(asked).encode(), capture_output=True,
                              check=True)
        found = json.loads(done.stdout)
        return len(text.encode()[:found["start"]].decode()), [one["text"] for one in found["candidates"]]
    except Exception:  # pylint: disable=broad-exception-caught
        return cursor, []


def _matcher(state: _State) -> Any:
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher(identifier="totrain")
    def totrain_matcher(context: Any) -> dict:
        text = context.full_text
        head = re.match(r"\s*%%totrain[^\n]*\n", text)
        at = sum(len(line) + 1 for line in text.split("\n")[:context.cursor_line]) + context.cursor_position
        if not head or at < head.end():
            return {"completions": [], "suppress": False}
        start, words = completions(state, text[head.end():], at - head.end())
        fragment = text[head.end() + start:at]
        return {"completions": [SimpleCompletion(text=word, type="totrain") for word in words], "suppress": True,
                "ordered": True, "matched_fragment": fragment}
    return totrain_matcher


# ----- installing -----

def _hook_alchemy(_info: Any = None) -> None:
    """Connections that SQLAlchemy opens to SQLite from now on, as jupysql's, know the statements."""
    event = sys.modules.get("sqlalchemy.event")
    if event is None:
        return
    from sqlalchemy.pool import Pool
    if not event.contains(Pool, "connect", _loaded):
        event.listen(Pool, "connect", _loaded)


def _loaded(connection: Any, _record: Any) -> None:
    if isinstance(connection, sqlite3.Connection):
        load(connection)


def install(shell: Any) -> None:
    """%load_ext totrain."""
    global _state
    state = _state = _State(shell)
    shell.register_magic_function(lambda line, cell=None: magic(state, line, cell), "line_cell", "totrain")
    shell.events.register("pre_run_cell", _hook_alchemy)
    _hook_alchemy()
    state.matcher = _matcher(state)
    shell.Completer.custom_matchers.append(state.matcher)


def uninstall(shell: Any) -> None:
    """%unload_ext totrain."""
    global _state
    if _state is None:
        return
    shell.events.unregister("pre_run_cell", _hook_alchemy)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("totrain", None)
    if _state.matcher in shell.Completer.custom_matchers:
        shell.Completer.custom_matchers.remove(_state.matcher)
    _state = None
