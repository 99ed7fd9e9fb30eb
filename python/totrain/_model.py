"""A model of a database as an object, and training on a DataFrame."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any, Iterator

from ._errors import Error, brief, lines_of
from ._frames import table
from ._result import Result, quoted
from ._run import Session, statements_of
from ._sqlite import connect

FRAME_NAME = "df"
MODEL_NAME = "model"  # where nobody names it
PLACE = "totrain_frame_rows"


def literal(value: Any) -> str:
    """A value behind WITH. Error for one that no attribute takes."""
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(one) for one in value) + "]"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    raise Error(f"a {type(value).__name__} is no value of an attribute: numbers, texts, booleans and lists of them are")


def with_clause(prefix: str, options: dict[str, Any]) -> str:
    """WITH of a statement: options of a function, where `_` stands for the dot; None is left out."""
    given = [f"{prefix}.{name} = {literal(value)}" for name, value in options.items() if value is not None]
    return " WITH " + ", ".join(given) if given else ""


@contextlib.contextmanager
def _rows(session: Session, rows: Any) -> Iterator[str]:
    """A SELECT of `rows` and the end of its line: itself where it is a text, else one of the frame. Errors within show
    the lines that the user wrote, which are those of a SELECT alone."""
    if isinstance(rows, str):
        text = rows.strip().rstrip(";")
        is_query = re.match(r"(?is)\s*(select|with|values)\b", text)
        with lines_of(1, text.count("\n") + 1 if is_query else 0):
            yield text + "\n" if is_query else f"SELECT * FROM {text}\n"
        return
    with table(session, rows, PLACE) as place, lines_of(1, 0):
        yield f"SELECT * FROM {place}\n"


def _named(session: Session, model: str, rows: Any) -> Any:
    """An array of numpy of two dimensions as a frame: its columns are the model's inputs, in their order."""
    if type(rows).__module__.split(".")[0] != "numpy" or getattr(rows, "ndim", 0) == 0:
        return rows
    if rows.ndim != 2:
        raise Error(f"the array has {rows.ndim} dimension{'s' * (rows.ndim > 1)}, where rows and columns are 2: "
                    "values.reshape(1, -1) is one row")
    function = "totrain_call" if session.kind == "sqlite" else "totrain.call"
    with lines_of(1, 0):
        call = session.run(f"SELECT {function}('{model.replace(chr(39), 2 * chr(39))}')").rows[0][0]
    call = re.sub(r"^[\w.]+\(E?'(?:[^']|'')*'", "", call)
    names = [name.replace('""', '"') for name in re.findall(r'"((?:[^"]|"")*)"', call)]
    if rows.shape[1] != len(names):
        raise Error(f"the array has {rows.shape[1]} columns, where the model takes {len(names)}: {', '.join(names)}")
    return {name: rows[:, at] for at, name in enumerate(names)}


class Model:
    """A model by its name (`m`, `schema.m`, `"my model"`), which is a table of the connection's database.

    `rows` of the methods are a DataFrame (pandas, polars, pyarrow, DuckDB's relations and whatever else has the Arrow
    PyCapsule interface), a dict of columns or of one row, a list of such rows, an array of numpy of two dimensions,
    whose columns are the model's inputs in their order, a SELECT, or the name of a table. Errors are the driver's, with
    a hint.
    """

    def __init__(self, connection: Any, name: str) -> None:
        self.connection, self.name = connection, name
        self.result: Result | None = None

    def __repr__(self) -> str:
        return f"totrain.Model({self.name})"

    def __reduce__(self) -> Any:
        """A copy or a pickle has the file and the name, and opens the file anew. Error where there is no file."""
        path = _file_of(self.connection)
        if path is None:
            raise Error(f"{self!r} cannot be pickled: its database is no file of sqlite3. Give its statement a "
                        "connection of totrain.connect('models.db'), and pickle that Model, or the file's path and "
                        "the model's name")
        return _opened, (path, self.name, self.result)

    def _run(self, rows: Any, clause: str) -> Result:
        with Session(self.connection) as session, _rows(session, _named(session, self.name, rows)) as select:
            return session.run(select + clause)

    @brief
    def predict(self, rows: Any, *, outputs: list[str] | None = None, threshold: float | None = None) -> Any:
        """Predicts for each row, in its order: a Series of pandas with the frame's index, of polars, else a list.
        With `outputs` ('probability', 'probabilities', 'score', 'logits', 'leaf', 'shap') a DataFrame of it and of
        these; 'probabilities', 'logits', 'leaf' and 'shap' are lists or dicts by class. A PCA gives a DataFrame of
        its components."""
        options = {"extra_outputs": outputs, "threshold": threshold}
        clause = f"TO PREDICT totrain_guess{with_clause('predict', options)} USING {self.name}"
        with Session(self.connection) as session, _rows(session, _named(session, self.name, rows)) as select:
            result = session.run_from(select + clause, "totrain_guess")
        has_components = result.columns[0] != "totrain_guess"
        names = [name.replace("totrain_guess", "component" if has_components else "prediction") for name in result.columns]
        kept = Result(names, [[_decoded(value) for value in row] for row in result.rows] if outputs else result.rows)
        return _like(rows, kept, bool(outputs) or has_components)

    @brief
    def evaluate(self, rows: Any, *, report: str | None = None, metrics: list[str] | None = None,
                 threshold: float | None = None) -> Result:
        """The metrics of the model on these rows, which have its label; with `report` ('confusion', 'classes', 'roc',
        'pr', 'thresholds', 'gain', 'calibration', 'residuals') the rows of that report."""
        options = {"report": report, "threshold": threshold}
        clause = with_clause("evaluate", options)
        if metrics:
            clause += (", " if clause else " WITH ") + f"validation.metrics = {literal(metrics)}"
        return self._run(rows, f"TO EVALUATE {self.name}{clause}")

    @brief
    def explain(self, rows: Any, *, using: str | None = None) -> Result:
        """By how much the model's metric falls when an input is dealt out anew: input, importance, deviation. With
        `using` another explanation: 'SHAP' of classifiers and regressors, 'coefficients', 'fit' or 'likelihoods' of
        models that have them."""
        return self._run(rows, f"TO EXPLAIN {self.name}" + (f" USING {using}" if using else ""))

    @brief
    def forecast(self, steps: int | None = None, *, level: float | None = None) -> Result:
        """Forecasts the next `steps` of each series, by default all that were trained, with bounds that hold a share
        `level` of the values to come. Columns are those of its history, and the bounds."""
        clause = ("" if steps is None else f" FOR {literal(steps)}") + with_clause("forecast", {"level": level})
        with Session(self.connection) as session, lines_of(1, 0):
            return session.run(f"FORECAST {self.name}{clause}")

    @brief
    def history(self) -> Result:
        """How it was trained, a row an epoch or round: loss of training and held-out rows, seconds."""
        with Session(self.connection) as session, lines_of(1, 0):
            return session.run(f"SHOW TRAIN {self.name}")

    @brief
    def describe(self) -> Result:
        """Facts about the model and its making: item, detail."""
        with Session(self.connection) as session, lines_of(1, 0):
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


def _file_of(connection: Any) -> str | None:
    try:
        session = Session(connection)
        rows = session.run("PRAGMA database_list").rows if session.kind == "sqlite" else []
    except Exception:  # pylint: disable=broad-exception-caught  # closed, or no connection
        return None
    return next((row[2] for row in rows if row[1] == "main" and row[2]), None)


def _opened(path: str, name: str, result: Result | None) -> Model:
    model = Model(connect(path), name)
    model.result = result
    return model


def _clauses(model: str, label: str | None, columns: Any, using: str | None, into: str,
             attributes: dict[str, Any]) -> str:
    """TO TRAIN ... INTO, of the keywords of train()."""
    if not isinstance(model, str) or not re.fullmatch(r"[\w.:]+", model):
        raise Error(f"model={model!r} is not a valid name of a model, as 'XGBClassifier' is: SHOW ATTRIBUTES lists them")
    given = [f"{name} = {literal(value)}" for name, value in attributes.items() if value is not None]
    columns = [columns] if isinstance(columns, str) else list(columns or [])
    parts = [f"TO TRAIN {model}", "WITH " + ", ".join(given) if given else "",
             "COLUMN " + ", ".join(columns) if columns else "", f"LABEL {quoted(label)}" if label is not None else "",
             f"USING {using}" if using else "", f"INTO {into}"]
    return " ".join(part for part in parts if part)


def _written(statement: Any, is_own: bool) -> str:
    """The statement as it runs: with the name of a model where nobody looks for it."""
    if not isinstance(statement, str):
        raise Error(f"the statement is a {type(statement).__name__}, where a text is expected: "
                    "\"TO TRAIN LinearClassifier LABEL y\"")
    if re.match(r"(?is)\s*train\b", statement):
        raise Error("the statement begins with TRAIN: of a frame it begins with TO TRAIN")
    text = statement.strip().rstrip(";").rstrip()
    if is_own and not _is_statement(text) and _is_statement(f"{text}\nINTO {MODEL_NAME}"):
        return f"{text}\nINTO {MODEL_NAME}"
    return text


def _is_statement(text: str) -> bool:
    try:
        return bool(statements_of(text if not re.match(r"(?is)to\b", text) else f"SELECT 1\n{text}"))
    except Error:
        return False


@brief
def train(frame: Any, statement: str | None = None, *, connection: Any = None, name: str = FRAME_NAME,
          model: str | None = None, label: str | None = None, columns: Any = None, using: str | None = None,
          into: str | None = None, **attributes: Any) -> Model:
    """Trains on a DataFrame: a Model, whose `result` has the rows that TRAIN returns.

        model = totrain.train(df, model="XGBClassifier", label="species", max_depth=4)
        model = totrain.train(df, "TO TRAIN DNNClassifier LABEL species INTO flowers")
        model = totrain.train(df, "SELECT a, b, y FROM df WHERE a > 0 TO TRAIN LinearRegressor LABEL y INTO m")

    By keywords: `model` is the name in TO TRAIN, `label` a column, `columns` what stands behind COLUMN, a text or a
    list, `using` the model to go on from, `into` the name of the model's table, and all others are attributes as behind
    WITH, by their short names (hidden_units=[16]) or whole ones (**{"train.epoch": 5}); None is left out.

    In SQLite the frame is read where it lies; on PostgreSQL it is a temporary table while the statement runs. A
    statement that begins with TO takes all of its columns; in others it is the table `name`. The model becomes a table
    of `connection`, by default of a new database of SQLite in memory that lives as long as the Model; there it needs no
    name. Error where a column cannot be trained on; errors of the statement are the driver's, with the place in the
    text that was given.
    """
    is_own = connection is None
    others = {"label": label, "columns": columns, "using": using, **attributes}
    text, shown = _asked(statement, model, is_own, into, others)
    if is_own:
        connection = connect(":memory:")
    with Session(connection) as session:
        with table(session, frame, name) as place:
            is_whole = not re.match(r"(?is)to\s+train\b", text)
            sql = text if is_whole else f"SELECT * FROM {place}\n{text}"
            with lines_of(1 if is_whole else 2, shown + (not is_whole)):
                result = session.run(sql)
    trained = Model(connection, _target(sql))
    trained.result = result
    return trained


def _asked(statement: str | None, model: str | None, is_own: bool, into: str | None,
           others: dict[str, Any]) -> tuple[str, int]:
    """The statement that train() was asked for, and how many lines of it the user wrote. Error where it was asked for
    two or for none."""
    given = [name for name, value in others.items() if value is not None]
    if statement is None and model is None:
        raise Error("train() takes a statement, \"TO TRAIN LinearClassifier LABEL y\", or keywords: "
                    "model='LinearClassifier', label='y'")
    if statement is not None:
        if model is not None or into is not None or given:
            first = "model" if model is not None else "into" if into is not None else given[0]
            raise Error(f"a statement and {first}=: what the keywords say stands in the statement, or all of it in "
                        "keywords")
        written = _written(statement, is_own)
        return written, written.count("\n") + 1
    if into is None and not is_own:
        raise Error("into='name' is needed with connection=: the model becomes a table of that database")
    options = dict(others)
    return _clauses(str(model), options.pop("label"), options.pop("columns"), options.pop("using"),
                    _name_of(into or MODEL_NAME), options), 0


def _name_of(into: str) -> str:
    """A name as in SQL (m, shop.m, "my model") as it is; any other text is one name."""
    return into if re.fullmatch(r'(\w+|"([^"]|"")+")(\.(\w+|"([^"]|"")+"))?', into) else quoted(into)


def _target(statement: str) -> str:
    """The name behind INTO, as the program reads it."""
    into = statements_of(statement)[0].get("into")
    if not into:
        raise Error("the statement trains no model: it has no INTO")
    return ".".join(quoted(part["name"]) for part in into)
