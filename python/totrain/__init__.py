"""Train, judge and use models by SQL: in SQLite, in PostgreSQL, on a DataFrame, in a notebook.

    connect(path)             an sqlite3 connection that knows the statements of ToTrain
    load(connection)          the same for a connection that is there
    run(connection, sql)      one statement on any connection: SQLite, SQLAlchemy, psycopg, psycopg2
    train(frame, statement)   a DataFrame as the FROM of a TRAIN statement: a Model
    define(connection, name, model)   a definition: a function over totrain.nn, a module of PyTorch
    Model(connection, name)   predict, evaluate, explain, history
    totrain.picture           history, confusion, roc, gain, residuals, importance, dependence, ... as SVG
    totrain.nn                Dense, Embedding, Conv2D, GRU, ...: layers with the names of Keras
    totrain.sklearn           TotrainClassifier, TotrainRegressor
    totrain.sqlalchemy        enable(engine)
    %load_ext totrain         %totrain CONNECTION and %%totrain in a notebook

What is asked for is imported when it is first used: `import totrain` itself imports nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._define import define
    from ._errors import Error
    from ._files import extension_path, program_path
    from ._model import Model, train
    from ._result import Result
    from ._run import run
    from ._sqlite import connect, load

__all__ = ["Error", "Model", "Result", "connect", "define", "extension_path", "load", "program_path", "run", "train"]

_HOMES = {"Error": "_errors", "connect": "_sqlite", "load": "_sqlite", "run": "_run", "Result": "_result",
          "Model": "_model", "train": "_model", "define": "_define", "extension_path": "_files", "program_path": "_files"}
_MODULES = ("nn", "picture", "sklearn", "sqlalchemy")


def __getattr__(name: str) -> Any:
    from importlib import import_module
    if name in _HOMES:
        return getattr(import_module("." + _HOMES[name], __name__), name)
    if name in _MODULES:
        return import_module("." + name, __name__)
    if name == "__version__":
        from importlib.metadata import version
        return version("totrain")
    raise AttributeError(f"module 'totrain' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES, "__version__"])


def load_ipython_extension(shell: Any) -> None:
    """%load_ext totrain: the magics %totrain and %%totrain."""
    from ._magic import install
    install(shell)


def unload_ipython_extension(shell: Any) -> None:
    """%unload_ext totrain: the magics are gone, and what was shown for them."""
    from ._magic import uninstall
    uninstall(shell)
