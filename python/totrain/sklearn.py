"""ToTrain's models with the interface of scikit-learn.

    TotrainClassifier("DNNClassifier", {"hidden_units": [32, 16]}).fit(X, y).predict_proba(X)

X is an array of numbers, or a DataFrame whose columns are numbers, texts, categories, dates and booleans: they are what
the statement makes of a table's columns. Missing values are NULL. A fit is a TRAIN statement on a database in memory;
what is learned is the model's rows, so an estimator can be pickled, cloned and cross-validated as any other. Searches
try attributes one by one as attributes__NAME. scikit-learn itself is needed; the package does not bring it.
"""

from __future__ import annotations

import re
import sqlite3
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

    def set_params(self, **params: Any) -> "_TotrainEstimator":
        """Sets parameters as scikit-learn does; attributes__NAME is one attribute, beside those that are there."""
        front = "attributes__"
        nested = {name[len(front):]: value for name, value in params.items() if name.startswith(front)}
        super().set_params(**{name: value for name, value in params.items() if not name.startswith(front)})
        if nested:
            self.attributes = {**(self.attributes or {}), **nested}
        return self

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
        self._learned = (X, label)  # for importances by permutation

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())  # from Python 3.11 on that is the estimator's own dict
        state.pop("_learned", None)  # a pickled estimator has the model, and no rows
        return state

    def _model(self) -> Model:
        """The model in a database of its own, from the rows that were learned."""
        connection = connect(":memory:")
        connection.execute(f"CREATE TABLE {_MODEL} ({', '.join(map(quoted, _COLUMNS))})")
        connection.executemany(f"INSERT INTO {_MODEL} VALUES (?, ?, ?, ?, ?)", self.model_rows_)
        return Model(connection, _MODEL)

    def _rows_of(self, part: str) -> list[tuple[str, int, float]]:
        """The model's rows of a part: name, position, value. AttributeError before fit() where there are none."""
        if not hasattr(self, "model_rows_"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return [(name, position, value) for one, name, position, value, _ in self.model_rows_ if one == part]

    def _weights(self) -> tuple[Any, Any]:
        """(outputs, inputs) and (outputs): a linear model in the units of its columns. AttributeError of others."""
        names = ["(intercept)", *(f"x{i}" for i in range(getattr(self, "n_features_in_", 0)))]
        weights = {(name, position): value for name, position, value in self._rows_of("weight")}
        outputs = sorted({position for _, position in weights})
        if not weights or {name for name, _ in weights} != set(names):
            raise AttributeError(f"a {self.kind} of these columns has no coefficient for each of them"
                                 + ": some are categories, dates or have missing values" * bool(weights))
        table = numpy.array([[weights[name, output] for name in names] for output in outputs])
        return table[:, 1:], table[:, 0]

    @property
    def feature_importances_(self) -> Any:
        """(inputs): of a model of trees the share of each input in the gain of all splits; of others how much the metric
        falls on the rows of fit() when the input is dealt out anew (TO EXPLAIN). AttributeError before fit(), and of
        those that were unpickled."""
        importances = numpy.zeros(getattr(self, "n_features_in_", 0))
        gains = self._splits() if self._rows_of("tensor") else None
        for name, share in self._permuted() if gains is None else gains:
            importances[int(re.match(r"x(\d+)", name)[1])] += share  # type: ignore[index]
        return importances if gains is None or importances.sum() <= 0 else importances / importances.sum()

    def _permuted(self) -> Any:
        """The name and importance of each input, on the rows of fit()."""
        if not hasattr(self, "_learned"):
            raise AttributeError(f"a {self.kind} that was unpickled has no importances, as it has no rows: "
                                 "sklearn.inspection.permutation_importance takes some")
        X, label = self._learned
        model = self._model()
        try:
            return [(row["input"], row["importance"]) for row in
                    model.explain({**self._frame(X), _LABEL: label}).to_dicts()]
        finally:
            model.connection.close()

    def _splits(self) -> Any:
        """The input's name and the gain of each split, as LightGBM's file of the model has them; None: it has none."""
        model = self._model()
        try:
            text = run(model.connection, f"SELECT totrain_export_text('{_MODEL}', 'lightgbm')").rows[0][0]
        except sqlite3.Error:
            return None
        finally:
            model.connection.close()
        lines = [line.split("=", 1) for line in text.splitlines() if "=" in line]
        names = next(value.split() for key, value in lines if key == "feature_names")
        features = [int(one) for key, value in lines if key == "split_feature" for one in value.split()]
        gains = [float(one) for key, value in lines if key == "split_gain" for one in value.split()]
        return zip((names[feature] for feature in features), gains)

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

    @property
    def coef_(self) -> Any:
        """(1, inputs) of two classes, else (classes, inputs): the weights of a linear model of numbers, in the columns'
        units. AttributeError of others."""
        return self._weights()[0]

    @property
    def intercept_(self) -> Any:
        """(1) of two classes, else (classes)."""
        return self._weights()[1]

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

    @property
    def coef_(self) -> Any:
        """(inputs): the weights of a linear model of numbers, in the columns' units. AttributeError of others."""
        return self._weights()[0][0]

    @property
    def intercept_(self) -> Any:
        """A number."""
        return float(self._weights()[1][0])
