"""ToTrain's models with the interface of scikit-learn.

    TotrainClassifier(kind="DNNClassifier", hidden_units=[32, 16]).fit(X, y).predict_proba(X)

A fit is a TRAIN statement on a database in memory; what is learned is the model's rows, so an estimator can be
pickled, cloned and cross-validated as any other. scikit-learn itself is needed; the package does not bring it.
"""

from __future__ import annotations

import json
from typing import Any

import numpy
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ._model import Model, literal, train
from ._result import Result, quoted
from ._run import run
from ._sqlite import connect

_MODEL = "model"
_LABEL = "label"
_COLUMNS = ("part", "name", "position", "value", "data")


class _TotrainEstimator(BaseEstimator):
    """`kind`: the model's name in TO TRAIN. `attributes`: what stands behind WITH, by name (names without a prefix
    as in SQL). Equal rows, attributes and seed give the same model, bit by bit."""

    def __init__(self, kind: str, attributes: dict[str, Any] | None = None) -> None:
        self.kind = kind
        self.attributes = attributes

    def _frame(self, X: Any) -> dict[str, Any]:
        return {f"x{i}": numpy.ascontiguousarray(X[:, i]) for i in range(X.shape[1])}

    def _train(self, X: Any, label: Any) -> None:
        names = ", ".join(f"NUMERIC(x{i})" for i in range(X.shape[1]))
        attributes = {"train.test_size": 0, **(self.attributes or {})}  # what is held out scikit-learn decides
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
        X = validate_data(self, X, reset=False, dtype="numeric")
        model = self._model()
        try:
            return model.predict(self._frame(X.astype(numpy.float64, copy=False)), outputs=outputs)
        finally:
            model.connection.close()


class TotrainClassifier(ClassifierMixin, _TotrainEstimator):
    """A classifier of ToTrain: DNNClassifier, LinearClassifier, XGBClassifier, RandomForestClassifier, ..."""

    def __init__(self, kind: str = "LinearClassifier", attributes: dict[str, Any] | None = None) -> None:
        super().__init__(kind, attributes)

    def fit(self, X: Any, y: Any) -> "TotrainClassifier":
        """X: (rows, inputs) of numbers; y: (rows) of classes, at least two of them. ValueError for others."""
        X, y = validate_data(self, X, y, dtype="numeric")
        check_classification_targets(y)
        self.classes_, codes = numpy.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("a classifier needs samples of at least 2 classes, and the data has 1 class")
        self._train(X.astype(numpy.float64, copy=False), codes.astype(numpy.int64))
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
        """X: (rows, inputs) of numbers; y: (rows) of numbers. ValueError for others."""
        X, y = validate_data(self, X, y, dtype="numeric", y_numeric=True)
        self._train(X.astype(numpy.float64, copy=False), numpy.asarray(y, dtype=numpy.float64))
        return self

    def predict(self, X: Any) -> Any:
        """(rows) of numbers."""
        return numpy.array(self._predicted(X), dtype=numpy.float64)
