"""Errors: ToTrain's own, and what the drivers' look like to whoever called a function of the package."""

from __future__ import annotations

import contextlib
import functools
import re
from typing import Any, Callable, Iterator, TypeVar


class Error(Exception):
    """Errors of totrain itself. Those of a statement are those of the database's driver."""


_FAMILIES = {"totrain", "sqlite3", "pysqlite3", "psycopg", "psycopg2"}
_PLACE = re.compile(r"^LINE (\d+): (.*)\n( *)\^[^\n]*\n?", re.MULTILINE)

Function = TypeVar("Function", bound=Callable[..., Any])


def is_told(error: BaseException) -> bool:
    """Is it an error of a statement, or of ToTrain's, whose message says all?"""
    return any(base.__module__.split(".")[0] in _FAMILIES for base in type(error).__mro__)


def brief(function: Function) -> Function:
    """`function`, whose errors of statements come without the lines of this package that they went through."""
    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True  # pylint: disable=unused-variable
        try:
            return function(*arguments, **options)
        except Exception as error:
            if not is_told(error):
                raise
            raise error.with_traceback(None) from None
    return called  # type: ignore[return-value]


def _moved(found: re.Match, first: int, last: int) -> str:
    number = int(found[1])
    if not first <= number <= last:
        return ""
    shown = str(number - first + 1)
    indent = found[3][len(found[1]) - len(shown):]
    return f"LINE {shown}: {found[2]}\n{indent}^\n"


@contextlib.contextmanager
def lines_of(first: int, last: int) -> Iterator[None]:
    """Errors of a statement of which the user wrote the lines `first` to `last`, from 1: they count from the user's
    first line, and show none of the others."""
    try:
        yield
    except Exception as error:
        if is_told(error) and error.args and isinstance(error.args[0], str):
            text = _PLACE.sub(lambda found: _moved(found, first, last), error.args[0])
            error.args = (text.rstrip("\n"), *error.args[1:])
        raise
