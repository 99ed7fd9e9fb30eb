"""DataFrames as tables of a connection: in SQLite without a copy of their numbers, on PostgreSQL by COPY.

A frame is one of pandas or polars, a table of pyarrow or what gives one by the Arrow PyCapsule interface (DuckDB's
relations), a dict of sequences (numpy arrays, Series, lists) or of one row's values, or a list of such rows. Each of its
columns becomes an array in memory that the extension reads where it lies (extension/sqlite/frames/frame.h,
whose struct and kinds stand here again):

    whole numbers, reals, booleans     as they are; a mask of missing values beside them
    texts, categories, dates           words: a code a row, and each different text once
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import datetime
import decimal
from typing import Any, Iterator

from ._files import extension_path
from ._result import quoted
from ._errors import Error


class _Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("values", ctypes.c_void_p), ("stride", ctypes.c_int64),
                ("valid", ctypes.c_void_p), ("bytes", ctypes.c_char_p), ("offsets", ctypes.c_void_p),
                ("texts", ctypes.c_int64), ("kind", ctypes.c_int32), ("unused", ctypes.c_int32)]


_KINDS = {"f8": 0, "f4": 1, "i8": 2, "i4": 3, "i2": 4, "i1": 5, "u8": 6, "u4": 7, "u2": 8, "u1": 9, "b1": 10}
_WORDS = 11
COLUMNS_MAX = 2000  # FRAME_COLUMNS_MAX


class Column:
    """Values in memory: a number of `kind` each, or a code of `words`. What they lie in is kept."""

    def __init__(self, kind: int, values: Any, size: int, valid: Any = None, words: list[str] | None = None) -> None:
        self.kind, self.size = kind, size
        self.values, self.valid, self.words = values, valid, words

    def fill(self, into: _Column, name: str, keep: list) -> None:
        """`into` has addresses of what `keep` keeps."""
        address, stride = _memory(self.values)
        into.name, into.kind = name.encode(), self.kind
        into.values, into.stride = address, stride
        if self.valid is not None:
            into.valid = _memory(self.valid)[0]
        keep += [self.values, self.valid]
        if self.words is not None:
            data = [word.encode("utf-8", "surrogatepass") for word in self.words]
            offsets = array.array("q", [0])
            for text in data:
                offsets.append(offsets[-1] + len(text))
            into.bytes, into.texts = b"".join(data), len(data)
            into.offsets = offsets.buffer_info()[0]
            keep.append(offsets)


def _memory(values: Any) -> tuple[int, int]:
    if isinstance(values, array.array):
        return values.buffer_info()[0], values.itemsize
    return values.ctypes.data, values.strides[0]


# ----- columns of what there is -----

def _of_numpy(values: Any, valid: Any = None) -> Column:
    import numpy
    if values.ndim != 1:
        raise Error(f"it has {values.ndim} dimensions")
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if valid is not None:
        valid = numpy.ascontiguousarray(valid, dtype=numpy.uint8)
    name = values.dtype.str[1:]
    if values.dtype.kind == "f" and name not in _KINDS:  # f2, f16
        values, name = values.astype(numpy.float64), "f8"
    if name in _KINDS:
        return Column(_KINDS[name], values, len(values), valid)
    if values.dtype.kind == "M":
        texts = numpy.datetime_as_string(values.astype("datetime64[us]"), unit="us")
        missing = numpy.isnat(values)
        return _of_texts([None if no else _date(text) for text, no in zip(texts.tolist(), missing)])
    return _of_list(values.tolist())


def _date(text: str) -> str:
    """2024-05-01T00:00:00.000000 as SQLite's functions write it: without what is nothing."""
    text = text.replace("T", " ")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text[:10] if text.endswith(" 00:00:00") else text


def _of_texts(values: list) -> Column:
    words: dict[str, int] = {}
    codes = array.array("i", (-1 if value is None else words.setdefault(value, len(words)) for value in values))
    return Column(_WORDS, codes, len(codes), words=list(words))


def _plain(value: Any) -> Any:
    """The value as SQLite has it: int, float, str or None. Error for any other type."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return None if isinstance(value, float) and value != value else value
    if isinstance(value, datetime.datetime):
        return None if value != value else _date(value.isoformat(" "))
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return None if value.is_nan() else float(value)
    if hasattr(value, "item"):  # a scalar of numpy
        return _plain(value.item())
    if value != value or type(value).__name__ == "NAType":
        return None
    raise Error(f"it has a {type(value).__name__}, where numbers, texts, dates and None can be trained on")


def _of_list(values: list) -> Column:
    plain = [_plain(value) for value in values]
    kinds = {type(value) for value in plain if value is not None}
    if kinds <= {str}:
        return _of_texts(plain)
    if str in kinds:
        return _of_texts([None if value is None else value if isinstance(value, str) else repr(value)
                          for value in plain])
    is_whole = float not in kinds and all(-2**63 <= value < 2**63 for value in plain if value is not None)
    valid = None
    if None in plain:
        valid = array.array("B", (value is not None for value in plain))
        plain = [0 if value is None else value for value in plain]
    code, kind = ("q", "i8") if is_whole else ("d", "f8")
    return Column(_KINDS[kind], array.array(code, plain), len(plain), valid)


def _of_pandas(series: Any) -> Column:
    import pandas
    if isinstance(series.dtype, pandas.SparseDtype):
        series = series.sparse.to_dense()
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype) and all(isinstance(word, str) for word in dtype.categories):
        return Column(_WORDS, series.cat.codes.to_numpy("int32"), len(series), words=list(dtype.categories))
    if isinstance(dtype, pandas.DatetimeTZDtype):
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        return _of_numpy(series.to_numpy("datetime64[us]"))
    kind = getattr(dtype, "kind", "O")
    if not hasattr(dtype, "na_value"):
        if kind in "fiubM":
            return _of_numpy(series.to_numpy())
    elif kind in "fiub":  # beside a mask
        valid = series.notna().to_numpy()
        filled = series.to_numpy(dtype=f"{kind}{dtype.itemsize}" if kind != "b" else "bool",
                                 na_value=float("nan") if kind == "f" else 0)
        return _of_numpy(filled, None if valid.all() else valid)
    try:
        codes, words = pandas.factorize(series)
    except TypeError:  # lists, dicts: they have no hash, and _of_list has the words for them
        return _of_list(series.astype(object).tolist())
    if all(isinstance(word, str) for word in words):
        return Column(_WORDS, codes.astype("int32"), len(series), words=list(words))
    return _of_list(series.astype(object).tolist())


def _of_polars(series: Any) -> Column:
    import polars
    dtype = series.dtype
    if dtype.is_temporal() and dtype != polars.Duration:
        return _of_list(series.to_list())
    if dtype.is_numeric() and not dtype.is_decimal() or dtype == polars.Boolean:
        try:
            valid = None if series.null_count() == 0 else series.is_not_null().to_numpy()
            return _of_numpy((series if valid is None else series.fill_null(0 if dtype != polars.Boolean else False))
                             .to_numpy(), valid)
        except ImportError:  # numpy
            pass
    return _of_list(series.to_list())


def _of_array(array_of: Any) -> Column | None:
    """A column that lies in memory as it is read; None: another one."""
    import pyarrow
    types = pyarrow.types
    if types.is_dictionary(array_of.type):
        words = array_of.dictionary.to_pylist()
        if all(isinstance(word, str) for word in words):
            return Column(_WORDS, array_of.indices.cast("int32").fill_null(-1).to_numpy(), len(array_of), words=words)
    if types.is_integer(array_of.type) or types.is_floating(array_of.type):
        missing = array_of.null_count > 0
        valid = array_of.is_valid().to_numpy(zero_copy_only=False) if missing else None
        return _of_numpy((array_of.fill_null(0) if missing else array_of).to_numpy(), valid)
    return None


def _of_arrow(column: Any) -> Column:
    import pyarrow
    types = pyarrow.types
    if types.is_string(column.type) or types.is_large_string(column.type):
        column = column.dictionary_encode()
    array_of = column.combine_chunks()
    try:
        return _of_array(array_of) or _of_list(column.to_pylist())
    except ImportError:  # numpy
        return _of_list(column.to_pylist())


def _of_any(values: Any) -> Column:
    if type(values).__module__.split(".")[0] == "pandas":
        return _of_pandas(values)
    if hasattr(values, "dtype") and getattr(values, "ndim", 1) > 0:
        return _of_numpy(values)
    return _of_list([values] if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__") else list(values))


def _rows_as_columns(rows: list[dict]) -> dict[str, list]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def columns_of(frame: Any) -> dict[str, Column]:
    """The columns of a frame by their names, all of one length. Error that names the column."""
    package = type(frame).__module__.split(".")[0]
    if isinstance(frame, list) and frame and all(isinstance(row, dict) for row in frame):
        frame = _rows_as_columns(frame)
    elif package not in ("pandas", "polars", "pyarrow") and hasattr(frame, "__arrow_c_stream__"):
        import pyarrow
        frame, package = pyarrow.table(frame), "pyarrow"
    if package == "pandas":
        pairs = [(str(name), frame.iloc[:, i], _of_pandas) for i, name in enumerate(frame.columns)]
    elif package == "polars":
        pairs = [(series.name, series, _of_polars) for series in frame.get_columns()]
    elif package == "pyarrow" and hasattr(frame, "column_names"):
        pairs = [(name, frame.column(i), _of_arrow) for i, name in enumerate(frame.column_names)]
    elif isinstance(frame, dict):
        pairs = [(str(name), values, _of_any) for name, values in frame.items()]
    else:
        raise Error(f"a {type(frame).__name__} is no frame: those of pandas and polars, pyarrow's tables, dicts of columns "
                    "and lists of dicts are")
    columns: dict[str, Column] = {}
    for name, values, convert in pairs:
        if name in columns:
            raise Error(f'two columns are called "{name}"')
        try:
            columns[name] = convert(values)
        except (Error, TypeError, ValueError) as error:
            raise Error(f'column "{name}": {error}') from error
    if not columns:
        raise Error("the frame has no columns")
    sizes = {name: column.size for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise Error(f"the columns differ in length: {sizes}")
    return columns


# ----- in SQL -----

def _library() -> Any:
    library = ctypes.CDLL(extension_path())
    library.totrain_frame_add.argtypes = [ctypes.POINTER(_Column), ctypes.c_int32, ctypes.c_int64]
    library.totrain_frame_add.restype = ctypes.c_int64
    library.totrain_frame_copy.argtypes = [ctypes.c_int64, ctypes.POINTER(ctypes.c_int64), ctypes.c_void_p,
                                           ctypes.c_int64]
    library.totrain_frame_copy.restype = ctypes.c_int64
    library.totrain_frame_remove.argtypes = [ctypes.c_int64]
    library.totrain_frame_remove.restype = ctypes.c_bool
    return library


@contextlib.contextmanager
def _shown(columns: dict[str, Column]) -> Iterator[int]:
    """The key by which the extension finds the columns while the `with` lasts."""
    structs = (_Column * len(columns))()
    keep: list = []
    for struct, (name, column) in zip(structs, columns.items()):
        column.fill(struct, name, keep)
    library = _library()
    key = library.totrain_frame_add(structs, len(columns), next(iter(columns.values())).size)
    if key == 0:
        raise Error(f"the frame has {len(columns)} columns, where {COLUMNS_MAX} can be read" if len(columns) > COLUMNS_MAX
                    else "there is no memory for the frame's columns")
    try:
        yield key
    finally:
        library.totrain_frame_remove(key)
        del keep


def _taken(name: str) -> Error:
    return Error(f'there is a temporary table "{name}": give the frame another name (name="...")')


@contextlib.contextmanager
def _in_sqlite(driver: Any, frame: Any, name: str) -> Iterator[str]:
    place = "temp." + quoted(name)
    with _shown(columns_of(frame)) as key:
        if driver.execute("SELECT 1 FROM temp.sqlite_master WHERE name = ? COLLATE NOCASE", (name,)).fetchone():
            raise _taken(name)
        driver.execute(f"CREATE VIRTUAL TABLE {place} USING totrain_frame({key})")
        try:
            yield place
        finally:
            driver.execute(f"DROP TABLE {place}")


@contextlib.contextmanager
def table(session: Any, frame: Any, name: str) -> Iterator[str]:
    """The frame as a temporary table `name` of this Session (_run.py), while the `with` lasts: its name in SQL.
    Error where a temporary table has the name."""
    if session.kind == "sqlite":
        with _in_sqlite(session.driver, frame, name) as place:
            yield place
    else:
        from ._copy import on_server
        with on_server(session.driver, frame, name) as place:
            yield place
