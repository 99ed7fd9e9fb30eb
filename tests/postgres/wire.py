"""The server's messages, one by one, as libpq traces them (PQtrace).

psycopg2 shows an error's fields but not the bytes, and speaks only the simple
query protocol; here both protocols end in text that two servers' answers can be
compared by.
"""

import ctypes
import ctypes.util
import os
import tempfile

SUPPRESS_TIMESTAMPS = 1
CONNECTION_OK = 0

libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
libc.fopen.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
libc.fclose.argtypes = [ctypes.c_void_p]
libpq = ctypes.CDLL("libpq.so.5")
for name, result, arguments in (
        ("PQconnectdb", ctypes.c_void_p, [ctypes.c_char_p]),
        ("PQstatus", ctypes.c_int, [ctypes.c_void_p]),
        ("PQerrorMessage", ctypes.c_char_p, [ctypes.c_void_p]),
        ("PQfinish", None, [ctypes.c_void_p]),
        ("PQtrace", None, [ctypes.c_void_p, ctypes.c_void_p]),
        ("PQuntrace", None, [ctypes.c_void_p]),
        ("PQsetTraceFlags", None, [ctypes.c_void_p, ctypes.c_int]),
        ("PQexec", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]),
        ("PQexecParams", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p,
                                           ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]),
        ("PQprepare", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]),
        ("PQclear", None, [ctypes.c_void_p])):
    function = getattr(libpq, name)
    function.restype, function.argtypes = result, arguments


class Wire:
    """A connection whose answers are kept as text. `conninfo`: libpq's, by keyword."""

    def __init__(self, **conninfo):
        text = " ".join(f"{name}='{value}'" for name, value in conninfo.items())
        self.connection = libpq.PQconnectdb(text.encode())
        if libpq.PQstatus(self.connection) != CONNECTION_OK:
            raise ConnectionError(libpq.PQerrorMessage(self.connection).decode())

    def close(self):
        libpq.PQfinish(self.connection)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def traced(self, call, *arguments):
        """The messages from the server ("B") that answer the call."""
        path = tempfile.mktemp(prefix="totrain-wire-")
        file = libc.fopen(path.encode(), b"w")
        libpq.PQtrace(self.connection, file)
        libpq.PQsetTraceFlags(self.connection, SUPPRESS_TIMESTAMPS)
        libpq.PQclear(call(self.connection, *arguments))
        libpq.PQuntrace(self.connection)
        libc.fclose(file)
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as lines:
                return "".join(line for line in lines if line.startswith("B"))
        finally:
            os.unlink(path)

    def simple(self, sql):
        return self.traced(libpq.PQexec, sql.encode())

    def extended(self, sql):
        return self.traced(libpq.PQexecParams, sql.encode(), 0, None, None, None, None, 0)

    def prepare(self, name, sql):
        return self.traced(libpq.PQprepare, name.encode(), sql.encode(), 0, None)
