"""DataFrames on PostgreSQL: a temporary table, filled by COPY in the server's binary format.

The extension writes the rows out of the frame's arrays (extension/sqlite/frames/frame_copy.h); the driver, psycopg or
psycopg2, sends them. Words are text, reals double precision, whole numbers bigint, booleans boolean.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Iterator

from ._frames import _KINDS, _WORDS, Column, _library, _shown, _taken, columns_of
from ._result import quoted
from ._errors import Error

COLUMNS_MAX = 1600  # columns of a table of PostgreSQL
CHUNK_BYTES = 1 << 18
HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)  # no flags, no extension
TRAILER = b"\xff\xff"

IDLE, IN_TRANSACTION = 0, 2  # states of libpq's PGTransactionStatusType, as both drivers have them

_TYPES = {_KINDS["f8"]: "float8", _KINDS["f4"]: "float8", _KINDS["b1"]: "boolean", _WORDS: "text"}


def _prepared(columns: dict[str, Column]) -> dict[str, Column]:
    """Whole numbers above bigint's make a column of reals. Error where there are too many columns."""
    if len(columns) > COLUMNS_MAX:
        raise Error(f"the frame has {len(columns)} columns, where a table of PostgreSQL takes {COLUMNS_MAX}")
    for name, column in columns.items():
        if column.kind == _KINDS["u8"] and column.size > 0 and column.values.max() > 2**63 - 1:
            columns[name] = Column(_KINDS["f8"], column.values.astype("float64"), column.size, column.valid)
    return columns


def _chunks(key: int, rows: int) -> Iterator[bytes]:
    """Chunks for COPY: the rows of the frame with this key, in the order of its arrays."""
    library, row, buffer = _library(), ctypes.c_int64(0), ctypes.create_string_buffer(CHUNK_BYTES)
    yield HEADER
    while row.value < rows:
        size = library.totrain_frame_copy(key, ctypes.byref(row), buffer, len(buffer))
        if size < 0:
            raise Error("the frame was changed while it was read")
        if size == 0:  # one row is larger
            buffer = ctypes.create_string_buffer(2 * len(buffer))
        yield ctypes.string_at(buffer, size)
    yield TRAILER


class _Reader:
    """A file for psycopg2 to read the chunks from."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunks, self.rest = chunks, b""

    def read(self, size: int) -> bytes:
        while not self.rest:
            chunk = next(self.chunks, None)
            if chunk is None:
                return b""
            self.rest = chunk
        given, self.rest = self.rest[:size], self.rest[size:]
        return given


def _send(cursor: Any, place: str, chunks: Iterator[bytes]) -> None:
    sql = f"COPY {place} FROM STDIN (FORMAT binary, ENCODING 'UTF8')"
    if hasattr(cursor, "copy_expert"):
        cursor.copy_expert(sql, _Reader(chunks), CHUNK_BYTES)
        return
    with cursor.copy(sql) as copy:
        for chunk in chunks:
            copy.write(chunk)


def _make(cursor: Any, columns: dict[str, Column], name: str) -> str:
    place = "pg_temp." + quoted(name)
    cursor.execute("SELECT to_regclass(%s) IS NOT NULL", (place,))
    if cursor.fetchone()[0]:
        raise _taken(name)
    declared = ", ".join(f"{quoted(column)} {_TYPES.get(one.kind, 'bigint')}" for column, one in columns.items())
    cursor.execute(f"CREATE TEMPORARY TABLE {quoted(name)} ({declared})")
    return place


def _drop(driver: Any, cursor: Any, place: str) -> None:
    """Where a transaction has failed its rollback does it."""
    if driver.info.transaction_status in (IDLE, IN_TRANSACTION):
        cursor.execute(f"DROP TABLE {place}")


@contextlib.contextmanager
def on_server(driver: Any, frame: Any, name: str) -> Iterator[str]:
    """The frame as the temporary table `name` of this connection of psycopg or psycopg2, while the `with` lasts: its
    name in SQL. Inside of a transaction it is part of that. Error where a temporary table has the name."""
    columns = _prepared(columns_of(frame))
    cursor = driver.cursor()
    try:
        place = _make(cursor, columns, name)
        try:
            with _shown(columns) as key:
                _send(cursor, place, _chunks(key, next(iter(columns.values())).size))
            yield place
        finally:
            _drop(driver, cursor, place)
    finally:
        cursor.close()
