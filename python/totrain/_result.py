"""The rows of a statement, as they are, as a table or as a DataFrame."""

from __future__ import annotations

import html
import itertools
from typing import Any, Iterator, Sequence

from ._errors import Error

ROWS_SHOWN = 60


def quoted(name: str) -> str:
    """An identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def _aligned(value: Any) -> str:
    return f' style="text-align:{"right" if isinstance(value, (int, float)) else "left"}"'


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"{len(value)} bytes"
    return str(value)


class Result:
    """The result of a statement: `columns` (names) and `rows` (tuples, in their order).

    Iterates over its rows. to_pandas(), to_polars() and to_arrow() need these packages; frame() takes what
    there is. A notebook shows it as a table.
    """

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self.columns = list(columns)
        self.rows = [tuple(row) for row in rows]

    def __iter__(self) -> Iterator[tuple]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, column: str) -> list[Any]:
        """The values of a column. KeyError where there is none of that name."""
        if column not in self.columns:
            raise KeyError(column)
        at = self.columns.index(column)
        return [row[at] for row in self.rows]

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict a row."""
        return [dict(zip(self.columns, row)) for row in self.rows]

    def to_arrow(self) -> Any:
        """A pyarrow.Table. ImportError without pyarrow; Error where a column has values of several kinds, as numbers
        beside texts."""
        import pyarrow
        arrays = []
        for name, values in zip(self.columns, zip(*self.rows) if self.rows else [()] * len(self.columns)):
            try:
                arrays.append(pyarrow.array(values))
            except (TypeError, ValueError, OverflowError, NotImplementedError) as error:
                raise Error(f'column "{name}": {error}') from None
        return pyarrow.Table.from_arrays(arrays, names=self.columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """For packages that take tables of Arrow: polars.DataFrame(result), duckdb's FROM result."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _as_arrow(self) -> Any:
        """None where pyarrow is not installed, or there is no table of Arrow like this."""
        try:
            return self.to_arrow() if self.rows else None
        except (ImportError, Error):
            return None

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, through Arrow where that is installed. ImportError without pandas."""
        import pandas
        table = self._as_arrow()
        return pandas.DataFrame(self.rows, columns=self.columns) if table is None else table.to_pandas()

    def to_polars(self) -> Any:
        """A polars.DataFrame, through Arrow where that is installed. ImportError without polars."""
        import polars
        table = self._as_arrow()
        return (polars.DataFrame(self.rows, schema=self.columns, orient="row", infer_schema_length=None)
                if table is None else polars.from_arrow(table))

    def frame(self) -> Any:
        """A DataFrame of pandas, else of polars, where one is installed; else this result."""
        for make in (self.to_pandas, self.to_polars):
            try:
                return make()
            except ImportError:
                pass
        return self

    def _shown(self) -> tuple[list[tuple], str]:
        if len(self.rows) <= ROWS_SHOWN:
            return self.rows, ""
        half = ROWS_SHOWN // 2
        gap = ("…",) * len(self.columns)
        return [*self.rows[:half], gap, *self.rows[-half:]], f"{len(self.rows)} rows, of which {ROWS_SHOWN} are shown"

    def __repr__(self) -> str:
        rows, note = self._shown()
        table = [self.columns, *([_cell(value) for value in row] for row in rows)]
        widths = [max(len(row[i]) for row in table) for i in range(len(self.columns))]
        lines = ["  ".join(value.ljust(width) for value, width in zip(row, widths)).rstrip() for row in table]
        lines.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join([*lines, note] if note else lines)

    def _repr_html_(self) -> str:
        rows, note = self._shown()
        first = [next((value for value in column if value is not None), None) for column in zip(*rows)]
        head = "".join(f"<th{_aligned(value)}>{html.escape(name)}</th>"
                       for name, value in itertools.zip_longest(self.columns, first))
        body = "".join("<tr>" + "".join(f"<td{_aligned(value)}>{html.escape(_cell(value))}</td>" for value in row) + "</tr>"
                       for row in rows)
        caption = f"<p>{note}</p>" if note else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{caption}"
