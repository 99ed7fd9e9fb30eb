"""SQLite connections that know the statements of ToTrain.

Three kinds of Python builds are served:

    links libsqlite3, loads extensions      Debian's, Fedora's: enable_load_extension()
    links libsqlite3, loads no extensions   pyenv's: SQLite's own function is called in its place
    has SQLite inside                       pysqlite3-binary, standalone builds: nothing of the
                                            interpreter leads to a shared SQLite, so that bare
                                            statements are recognised by the connection of connect()
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import threading
from typing import Any

from ._errors import Error
from ._files import extension_path


# ----- a connection's address in SQLite, where Python does not load extensions -----

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_lock = threading.Lock()
_library: Any = None


def _address(connection: sqlite3.Connection) -> int:
    # sqlite3.Connection's first member, in CPython from 3.6 on; _find_library() checks that it is.
    return ctypes.c_void_p.from_address(id(connection) + object.__basicsize__).value or 0


def _find_library() -> Any:
    """SQLite as _sqlite3 calls it. Error where it cannot be reached."""
    global _library
    with _lock:
        if _library is None:
            library = _open_library()
            _check_address(library)
            _library = library
    return _library


def _open_library() -> Any:
    import _sqlite3
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    try:
        library.sqlite3_load_extension.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p,
                                                   ctypes.POINTER(ctypes.c_void_p)]
        library.sqlite3_enable_load_extension.argtypes = [ctypes.c_void_p, ctypes.c_int]
        library.sqlite3_free.argtypes = [ctypes.c_void_p]
        library.sqlite3_auto_extension.argtypes = [_CALLBACK]
        library.sqlite3_cancel_auto_extension.argtypes = [_CALLBACK]
    except AttributeError:
        raise Error(_REFUSED) from None
    return library


_REFUSED = ("this Python loads no extensions of SQLite, and hides its SQLite: install pysqlite3-binary and give "
            "totrain.load() its connection, or use the program: python -m totrain")


def _check_address(library: Any) -> None:
    """SQLite itself says which address a new connection has: is it the one that is read?"""
    opened = []
    thread = threading.get_ident()

    def note(database: Any, _message: Any, _api: Any) -> int:
        if threading.get_ident() == thread:
            opened.append(database)
        return 0
    callback = _CALLBACK(note)
    library.sqlite3_auto_extension(callback)
    try:
        connection = sqlite3.connect(":memory:")
    finally:
        library.sqlite3_cancel_auto_extension(callback)
    try:
        if opened != [_address(connection)]:
            raise Error(_REFUSED)
    finally:
        connection.close()


def _load_by_address(connection: sqlite3.Connection) -> None:
    library = _find_library()
    database = _address(connection)
    if not database:
        raise sqlite3.ProgrammingError("Cannot operate on a closed database.")
    message = ctypes.c_void_p()
    library.sqlite3_enable_load_extension(database, 1)
    try:
        code = library.sqlite3_load_extension(database, os.fsencode(extension_path()), None, ctypes.byref(message))
        if code != 0:
            text = ctypes.string_at(message.value).decode() if message.value else f"SQLite's code {code}"
            library.sqlite3_free(message)
            raise sqlite3.OperationalError(text)
    finally:
        library.sqlite3_enable_load_extension(database, 0)


# ----- where bare statements cannot be recognised by SQLite's callers -----

class _Cursor(sqlite3.Cursor):
    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        try:
            return super().execute(sql, parameters)
        except sqlite3.OperationalError:
            query = translated(self.connection, sql)
            if query is None:
                raise
        return super().execute(query, parameters)


class _Connection(sqlite3.Connection):
    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        return self.cursor().execute(sql, parameters)


def translated(connection: Any, sql: str) -> str | None:
    """The query that runs this statement of ours; None where it is none of ours."""
    return connection.cursor().execute("SELECT totrain_sql(?)", (sql,)).fetchone()[0]


_bare: bool | None = None


def serves_bare_statements() -> bool:
    """Does this Python's sqlite3 module reach SQLite in a way that bare statements are seen?"""
    global _bare
    if _bare is None:
        connection = sqlite3.connect(":memory:")
        try:
            load(connection)
            connection.execute("SHOW MODELS").close()
            _bare = True
        except sqlite3.OperationalError:
            _bare = False
        finally:
            connection.close()
    return _bare


# ----- what users call -----

def load(connection: Any) -> None:
    """The statements and functions of ToTrain, on this connection of sqlite3 (or pysqlite3).

    Again for one that has them: nothing. Error where this build of Python hides its SQLite;
    OperationalError of the driver where the extension cannot be loaded, which needs SQLite 3.34.
    """
    if not hasattr(connection, "enable_load_extension"):
        if not isinstance(connection, sqlite3.Connection):
            raise Error(f"totrain.load() takes a connection of sqlite3, not {type(connection).__name__}")
        _load_by_address(connection)
        return
    connection.enable_load_extension(True)
    try:
        connection.load_extension(extension_path())
    finally:
        connection.enable_load_extension(False)


def connect(database: Any = ":memory:", **options: Any) -> sqlite3.Connection:
    """Connects like sqlite3.connect(), with the statements and functions of ToTrain.

    Where Python has SQLite inside, the connection recognises bare statements in execute() itself,
    unless a `factory` is given; executescript() knows none of them there.

    No statement is kept prepared (`cached_statements` is 0 unless it is given): what one with a model returns was
    settled when it was prepared, and the model may have been trained anew since.
    """
    options.setdefault("cached_statements", 0)
    if "factory" not in options and not serves_bare_statements():
        options["factory"] = _Connection
    connection = sqlite3.connect(database, **options)
    try:
        load(connection)
    except BaseException:
        connection.close()
        raise
    return connection
