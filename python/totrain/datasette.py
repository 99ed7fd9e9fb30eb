"""A plugin of Datasette: pages and its API score rows with the models of the databases that are served.

    pip install datasette totrain
    datasette shop.db          ?sql=SELECT *, totrain_predict('m', x, y) FROM t
                               ?sql=SELECT * FROM t TO PREDICT guess USING m

Datasette finds it by itself, as an entry point of the package. A page's readers may score, and may not train: on
connections that only read, and on those of databases in memory that are nobody's, statements that start processes
(TRAIN, EVALUATE, EXPLAIN and the others, bare or by totrain()) are refused as SQLite refuses a function that is not
authorized. They run where Datasette writes, by its execute_write(), so never on an immutable database. Where pysqlite3
is installed Datasette takes it, which has SQLite inside: there are functions, as totrain('...'), and no bare statements.
"""

from __future__ import annotations

from typing import Any

from datasette import hookimpl
from datasette.utils.sqlite import sqlite3  # pysqlite3 where that is installed

from ._sqlite import load

ACTING = {"totrain", "totrain_exec", "totrain_import_model", "totrain_config"}  # functions
OF_JOBS = {"totrain_jobs", "totrain_workers", "totrain_events", "totrain_job_metrics", "totrain_shards"}  # tables


def _authorized(action: int, table: str | None, name: str | None, _schema: str | None, _source: str | None) -> int:
    """Refuses what acts, and the jobs of whoever serves the pages."""
    is_refused = (action == sqlite3.SQLITE_FUNCTION and str(name).lower() in ACTING
                  or action == sqlite3.SQLITE_READ and str(table).lower() in OF_JOBS)
    return sqlite3.SQLITE_DENY if is_refused else sqlite3.SQLITE_OK


def _is_reader(connection: Any) -> bool:
    connection.execute("BEGIN")  # IMMEDIATE would be answered as a reader's BEGIN
    try:
        connection.execute("PRAGMA main.user_version = 0")
    except sqlite3.OperationalError as error:
        return "readonly" in str(error)  # else another writer has the lock
    finally:
        connection.execute("ROLLBACK")
    return False


def _is_nobodys(datasette: Any, database: str) -> bool:
    """Does each connection have a database in memory of its own, as that of the page _memory?"""
    found = datasette.databases.get(database)
    return found is not None and found.is_memory and not found.memory_name


@hookimpl
def prepare_connection(conn: Any, database: str, datasette: Any) -> None:
    """Datasette has opened a connection of a database of this name."""
    load(conn)
    if _is_nobodys(datasette, database) or _is_reader(conn):
        conn.set_authorizer(_authorized)
