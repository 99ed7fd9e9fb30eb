"""One statement on a connection of any kind.

    sqlite3, pysqlite3, SQLAlchemy on them     the extension is loaded where it is not
    psycopg, psycopg2, SQLAlchemy on them      bare where the connection commits by itself, else
                                               totrain.rows(...) inside of the transaction
"""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
import subprocess
from typing import Any

from ._errors import Error, brief
from ._files import program_path
from ._result import Result, quoted
from ._sqlite import load, translated


_MODEL_TEXT = re.compile(r"\bTO\s+(PREDICT|EVALUATE|EXPLAIN)\b|\bFORECAST\s", re.IGNORECASE)
_numbers = itertools.count(1)


def kind_of(connection: Any) -> str:
    """'sqlite' or 'postgres', of a driver's connection. Error for others."""
    module = type(connection).__module__.split(".")[0]
    if isinstance(connection, sqlite3.Connection) or module in ("pysqlite3", "sqlite3"):
        return "sqlite"
    if any(base.__module__.split(".")[0] in ("psycopg", "psycopg2") for base in type(connection).__mro__):
        return "postgres"
    raise Error(f"{type(connection).__module__}.{type(connection).__name__} is no connection that totrain knows: it "
                "takes those of sqlite3, psycopg, psycopg2 and SQLAlchemy")


class Session:
    """A driver's connection out of what the user has: itself, a SQLAlchemy Connection, or an Engine, from
    which one is borrowed until close(). With `with` it is closed, and committed where it was borrowed."""

    def __init__(self, given: Any) -> None:
        self.borrowed: Any = None
        self.alchemy: Any = None
        if hasattr(given, "raw_connection") and hasattr(given, "dialect"):
            self.borrowed = given.raw_connection()
            self.driver = self.borrowed.driver_connection
        elif hasattr(given, "exec_driver_sql"):
            self.alchemy = given
            self.driver = given.connection.driver_connection
        else:
            self.driver = given
        self.kind = kind_of(self.driver)
        if self.kind == "sqlite":
            load(self.driver)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: Any, _value: Any, _trace: Any) -> None:
        if self.borrowed is not None:
            if kind is None:
                self.borrowed.commit()
            self.borrowed.close()

    def run(self, sql: str, parameters: Any = ()) -> Result:
        cursor = self.driver.cursor()
        try:
            if self.kind == "sqlite":
                _execute_sqlite(self.driver, cursor, sql, parameters)
            elif not self._execute_postgres(cursor, sql, parameters):
                return _result_of_objects(cursor.fetchall())
            return Result([column[0] for column in cursor.description or ()],
                          cursor.fetchall() if cursor.description else [])
        finally:
            cursor.close()

    def run_from(self, sql: str, first: str) -> Result:
        """A PREDICT without a table, of whose columns those from `first` on are wanted, or of components from `first`_1
        on: in SQLite no others are made."""
        if self.kind != "sqlite":
            result = self.run(sql)
            start = _place(result.columns, first)
            return Result(result.columns[start:], [row[start:] for row in result.rows])
        query = translated(self.driver, sql)
        described = self.driver.execute(f"SELECT * FROM ({query}) LIMIT 0\n-- {next(_numbers)}").description
        names = [column[0] for column in described]
        wanted = names[_place(names, first):]
        chosen = f"SELECT {', '.join(quoted(name) for name in wanted)} FROM ({query})"
        return self.run(f"{chosen}\n-- {next(_numbers)}")

    def _execute_postgres(self, cursor: Any, sql: str, parameters: Any) -> bool:
        """False: the rows are objects of JSON. Bare is what needs no transaction and has no values."""
        if is_ours(sql) and (parameters or not self.driver.autocommit):
            marks = "".join(", %s" for _ in parameters)
            cursor.execute(f"SELECT t.row FROM totrain.rows(%s{marks}) AS t(row)", (sql.strip().rstrip(";"), *parameters))
            return False
        # A statement that a driver prepares by itself, having seen it often, comes by the extended protocol.
        options = {"prepare": False} if type(self.driver).__module__.split(".")[0] == "psycopg" else {}
        cursor.execute(sql, parameters or None, **options)
        return True


def _place(names: list[str], first: str) -> int:
    return max(place for place, name in enumerate(names) if name in (first, f"{first}_1"))


def _never_cached(sql: str) -> str:
    """Python keeps prepared statements by their text, and what one with a model returns was settled when it was
    prepared: a text of its own has the model as it is now, which may have been trained anew since."""
    return f"{sql}\n-- {next(_numbers)}" if _MODEL_TEXT.search(sql) else sql


def _execute_sqlite(driver: Any, cursor: Any, sql: str, parameters: Any) -> None:
    sql = _never_cached(sql)
    try:
        cursor.execute(sql, parameters)
    except Exception as error:
        # Only where Python has SQLite inside: elsewhere a statement of ours has been seen by now.
        if "syntax error" not in str(error):
            raise
        query = translated(driver, sql)
        if query is None:
            raise
        cursor.execute(query, parameters)


def _result_of_objects(rows: list) -> Result:
    objects = [row[0] if isinstance(row[0], dict) else json.loads(row[0]) for row in rows]
    columns = list(objects[0]) if objects else []
    return Result(columns, [[row.get(name) for name in columns] for row in objects])


def statements_of(sql: str) -> list[dict]:
    """The statements, as `totrain parse` reads them: a dict each, with "statement" and byte positions. Error where
    one is wrong."""
    done = subprocess.run([program_path(), "parse"], input=sql.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        raise Error(done.stderr.decode().strip())
    return [json.loads(line) for line in done.stdout.splitlines()]


def is_ours(sql: str) -> bool:
    """Is it a statement of ToTrain? A wrong one is: whoever runs it says why."""
    try:
        return any(statement.get("statement") != "SQL" for statement in statements_of(sql))
    except Error:
        return True


@brief
def run(connection: Any, sql: str, parameters: Any = ()) -> Result:
    """Runs one statement, ToTrain's or any other, and returns its rows.

    `connection`: of sqlite3, psycopg, psycopg2, or SQLAlchemy's (also an engine, of which a connection is taken
    and committed). On PostgreSQL a statement of ToTrain on a connection that does not commit by itself is part of
    its transaction: the model is there when you commit. `parameters` are those of the SELECT: `?` or `:name` in
    SQLite, `$1` in PostgreSQL. Errors are the driver's.
    """
    with Session(connection) as session:
        return session.run(sql, parameters)
