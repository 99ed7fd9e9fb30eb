"""A model of a database as an object, and training on a DataFrame."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any, Iterator

from ._errors import Error
from ._frames import table
from ._result import Result, quoted
from ._run import Session
from ._sqlite import connect

FRAME_NAME = "df"


def literal(value: Any) -> str:
    """A value behind WITH."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(one) for one in value) + "]"
    return "'" + str(value).replace("'", "''") + "'"


def with_clause(prefix: str, options: dict[str, Any]) -> str:
    """WITH of a statement: options of a function, where `_` stands for the dot; None is left out."""
    given = [f"{prefix}.{name} = {literal(value)}" for name, value in options.items() if value is not None]
    return " WITH " + ", ".join(given) if given else ""


@contextlib.contextmanager
def _rows(session: Session, rows: Any) -> Iterator[str]:
    """A SELECT of `rows`: itself where it is a text, else one of the frame."""
    if isinstance(rows, str):
        text = rows.strip().rstrip(";")
        yield text if re.match(r"(?is)\s*(select|with|values)\b", text) else f"SELECT * FROM {text}"
        return
    with table(session, rows, "totrain_frame_rows") as place:
        yield f"SELECT * FROM {place}"


class Model:
    """A model by its name (`m`, `schema.m`, `"my model"`), which is a table of the connection's database.

    `rows` of the methods are a DataFrame (pandas, polars, pyarrow, a dict of columns), a SELECT, or the name
    of a table. Errors are the driver's, with the place in the statement and a hint.
    """

    def __init__(self, connection: Any, name: str) -> None:
        self.connection, self.name = connection, name
        self.result: Result | None = None

    def __repr__(self) -> str:
        return f"totrain.Model({self.name})"

    def _run(self, rows: Any, clause: str) -> Result:
        with Session(self.connection) as session, _rows(session, rows) as select:
            return session.run(f"{select} {clause}")

    def predict(self, rows: Any, *, outputs: list[str] | None = None, threshold: float | None = None) -> Any:
        """Predicts for each row, in its order: a Series of pandas with the frame's index, of polars, else a list.
        With `outputs` ('probability', 'probabilities', 'score', 'logits', 'leaf', 'shap') a DataFrame of it and of
        these; 'probabilities', 'logits', 'leaf' and 'shap' are lists or dicts by class. A PCA gives a DataFrame of
        its components."""
        options = {"extra_outputs": outputs, "threshold": threshold}
        clause = f"TO PREDICT totrain_guess{with_clause('predict', options)} USING {self.name}"
        with Session(self.connection) as session, _rows(session, rows) as select:
            result = session.run_from(f"{select} {clause}", "totrain_guess")
        has_components = result.columns[0] != "totrain_guess"
        names = [name.replace("totrain_guess", "component" if has_components else "prediction") for name in result.columns]
        kept = Result(names, [[_decoded(value) for value in row] for row in result.rows] if outputs else result.rows)
        return _like(rows, kept, bool(outputs) or has_components)

    def evaluate(self, rows: Any, *, report: str | None = None, metrics: list[str] | None = None,
                 threshold: float | None = None) -> Result:
        """The metrics of the model on these rows, which have its label; with `report` ('confusion', 'classes', 'roc',
        'pr', 'thresholds', 'gain', 'calibration', 'residuals') the rows of that report."""
        options = {"report": report, "threshold": threshold}
        clause = with_clause("evaluate", options)
        if metrics:
            clause += (", " if clause else " WITH ") + f"validation.metrics = {literal(metrics)}"
        return self._run(rows, f"TO EVALUATE {self.name}{clause}")

    def explain(self, rows: Any, *, using: str | None = None) -> Result:
        """By how much the model's metric falls when an input is dealt out anew: input, importance, deviation. With
        `using` another explanation: 'SHAP' of trees and linear models, 'coefficients', 'fit' or 'likelihoods' of
        models that have them."""
        return self._run(rows, f"TO EXPLAIN {self.name}" + (f" USING {using}" if using else ""))

    def forecast(self, steps: int | None = None, *, level: float | None = None) -> Result:
        """Forecasts the next `steps` of each series, by default all that were trained, with bounds that hold a share
        `level` of the values to come. Columns are those of its history, and the bounds."""
        clause = ("" if steps is None else f" FOR {literal(steps)}") + with_clause("forecast", {"level": level})
        with Session(self.connection) as session:
            return session.run(f"FORECAST {self.name}{clause}")

    def history(self) -> Result:
        """How it was trained, a row an epoch or round: loss of training and held-out rows, seconds."""
        with Session(self.connection) as session:
            return session.run(f"SHOW TRAIN {self.name}")

    def describe(self) -> Result:
        """Facts about the model and its making: item, detail."""
        with Session(self.connection) as session:
            return session.run(f"SHOW MODEL {self.name}")


def _decoded(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value[:1] in "[{" and value[-1:] in "]}" else value


def _like(rows: Any, result: Result, is_frame: bool) -> Any:
    """The result as the package of `rows` has it."""
    package = type(rows).__module__.split(".")[0]
    if package == "pandas":
        frame = result.to_pandas()
        frame.index = rows.index
        return frame if is_frame else frame["prediction"]
    if package == "pyarrow":
        return result.to_arrow() if is_frame else result.to_arrow()["prediction"]
    if package == "polars":
        return result.to_polars() if is_frame else result.to_polars()["prediction"]
    return result if is_frame else result["prediction"]


def train(frame: Any, statement: str, *, connection: Any = None, name: str = FRAME_NAME) -> Model:
    """Trains on a DataFrame: a Model, whose `result` has the rows that TRAIN returns.

        model = totrain.train(df, "TO TRAIN DNNClassifier LABEL species INTO flowers")
        model = totrain.train(df, "SELECT a, b, y FROM df WHERE a > 0 TO TRAIN LinearRegressor LABEL y INTO m")

    In SQLite the frame is read where it lies; on PostgreSQL it is a temporary table while the statement runs. A
    statement that begins with TO takes all of its columns; in others it is the table `name`. The model becomes a table
    of `connection`, by default of a new database of SQLite in memory that lives as long as the Model. Error where a column cannot be trained on; errors of the statement are the
    driver's.
    """
    if connection is None:
        connection = connect(":memory:")
    with Session(connection) as session:
        with table(session, frame, name) as place:
            if re.match(r"(?is)\s*to\s+train\b", statement):
                statement = f"SELECT * FROM {place} {statement.strip()}"
            result = session.run(statement)
    model = Model(connection, _target(statement))
    model.result = result
    return model


def _target(statement: str) -> str:
    """The name behind INTO, as the program reads it."""
    from ._run import statements_of
    into = statements_of(statement)[0].get("into")
    if not into:
        raise Error("the statement trains no model: it has no INTO")
    return ".".join(quoted(part) for part in into[0]["name"].split(".")) if "." in into[0]["name"] else \
        quoted(into[0]["name"])
