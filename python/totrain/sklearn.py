"""ToTrain's models with the interface of scikit-learn.

    TotrainClassifier(kind="DNNClassifier", hidden_units=[32, 16]).fit(X, y).predict_proba(X)

X is an array of numbers, or a DataFrame whose columns are numbers, texts, categories, dates and booleans: they are what
the statement makes of a table's columns. Missing values are NULL. A fit is a TRAIN statement on a database in memory; what is learned is the model's rows, so an estimator can be
pickled, cloned and cross-validated as any other. scikit-learn itself is needed; the package does not bring it.
"""

from __future__ import annotations

import json
from typing import Any

import numpy
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from ._model import Model, literal, train
from ._result import Result, quoted
from ._run import run
from ._sqlite import connect

_MODEL = "model"
_LABEL = "label"
_COLUMNS = ("part", "name", "position", "value", "data")


def _is_number(dtype: Any) -> bool:
    return getattr(dtype, "kind", "O") in "iuf"


def _has_other_columns(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "dtypes") and not all(map(_is_number, X.dtypes))


class _TotrainEstimator(BaseEstimator):
    """`kind`: the model's name in TO TRAIN. `attributes`: what stands behind WITH, by name (names without a prefix
    as in SQL). Equal rows, attributes and seed give the same model, bit by bit."""

    def __init__(self, kind: str, attributes: dict[str, Any] | None = None) -> None:
        self.kind = kind
        self.attributes = attributes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _checked(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        """X, or X and y, as arrays of numbers; X stays a DataFrame where not all of its columns are numbers."""
        if not _has_other_columns(X):
            return validate_data(self, X, y, dtype="numeric", ensure_all_finite="allow-nan", **options)
        validate_data(self, X, skip_check_array=True, reset=options.get("reset", True))
        if isinstance(y, str) and y == "no_validation":
            return X
        return X, column_or_1d(y, warn=True)

    def _frame(self, X: Any) -> dict[str, Any]:
        if hasattr(X, "iloc"):
            return {f"x{i}": X.iloc[:, i] for i in range(X.shape[1])}
        X = X.astype(numpy.float64, copy=False)
        return {f"x{i}": numpy.ascontiguousarray(X[:, i]) for i in range(X.shape[1])}

    def _train(self, X: Any, label: Any) -> None:
        is_frame = hasattr(X, "iloc")
        names = ", ".join(f"x{i}" if is_frame and not _is_number(X.dtypes.iloc[i]) else f"NUMERIC(x{i})"
                          for i in range(X.shape[1]))
        attributes = {"train.test_size": 0, **(self.attributes or {})}  # scikit-learn decides which rows are held out
        options = ", ".join(f"{name} = {literal(value)}" for name, value in attributes.items())
        model = train({**self._frame(X), _LABEL: label}, f"TO TRAIN {self.kind} WITH {options} COLUMN {names} "
                      f"LABEL {_LABEL} INTO {_MODEL}")
        self.model_rows_ = run(model.connection, f"SELECT {', '.join(_COLUMNS)} FROM {_MODEL}").rows
        self.n_iter_ = max(1, len(model.history()))
        model.connection.close()

    def _model(self) -> Model:
        """The model in a database of its own, from the rows that were learned."""
        connection = connect(":memory:")
        connection.execute(f"CREATE TABLE {_MODEL} ({', '.join(map(quoted, _COLUMNS))})")
        connection.executemany(f"INSERT INTO {_MODEL} VALUES (?, ?, ?, ?, ?)", self.model_rows_)
        return Model(connection, _MODEL)

    def _predicted(self, X: Any, outputs: list[str] | None = None) -> Any:
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        model = self._model()
        try:
            return model.predict(self._frame(X), outputs=outputs)
        finally:
            model.connection.close()


class TotrainClassifier(ClassifierMixin, _TotrainEstimator):
    """A classifier of ToTrain: DNNClassifier, LinearClassifier, XGBClassifier, RandomForestClassifier, ..."""

    def __init__(self, kind: str = "LinearClassifier", attributes: dict[str, Any] | None = None) -> None:
        super().__init__(kind, attributes)

    def fit(self, X: Any, y: Any) -> "TotrainClassifier":
        """X: (rows, inputs); y: (rows) of classes, at least two of them. ValueError for others."""
        X, y = self._checked(X, y)
        check_classification_targets(y)
        self.classes_, codes = numpy.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("a classifier needs samples of at least 2 classes, and the data has 1 class")
        self._train(X, codes.astype(numpy.int64))
        return self

    def predict(self, X: Any) -> Any:
        """(rows) of classes."""
        codes = self._predicted(X)
        return self.classes_[numpy.array(codes, dtype=int)]

    def predict_proba(self, X: Any) -> Any:
        """(rows, classes), in the order of classes_."""
        result: Result = self._predicted(X, ["probabilities"])
        names = [str(code) for code in range(len(self.classes_))]
        return numpy.array([[row.get(name, 0.0) for name in names] for row in result["probabilities"]])


class TotrainRegressor(RegressorMixin, _TotrainEstimator):
    """A regressor of ToTrain: DNNRegressor, LinearRegressor, XGBRegressor, RandomForestRegressor, ..."""

    def __init__(self, kind: str = "LinearRegressor", attributes: dict[str, Any] | None = None) -> None:
        super().__init__(kind, attributes)

    def fit(self, X: Any, y: Any) -> "TotrainRegressor":
        """X: (rows, inputs); y: (rows) of numbers. ValueError for others."""
        X, y = self._checked(X, y, y_numeric=True)
        self._train(X, numpy.asarray(y, dtype=numpy.float64))
        return self

    def predict(self, X: Any) -> Any:
        """(rows) of numbers."""
        return numpy.array(self._predicted(X), dtype=numpy.float64)
