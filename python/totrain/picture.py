"""Pictures of a model as SVG: the program draws them, and needs no other library.

    totrain.picture.roc(model, "SELECT * FROM unseen")      in a notebook the cell shows it
    totrain.picture.history(model).save("loss.svg")

`model` is a totrain.Model; `rows` are a DataFrame, a SELECT or a table, on which it is measured. `theme` is
'light', 'dark', or 'auto', which follows what the reader's system prefers. Colours are told apart by all
kinds of colour vision.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

from ._files import program_path
from ._result import Result
from ._errors import Error, brief


class Picture:
    """An SVG: `svg` is its text. A notebook shows it; save() writes a file."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str) -> None:
        """Writes the file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<totrain.picture.Picture, {len(self.svg)} bytes of SVG>"


@brief
def draw(kind: str, result: Result, *, model: str = "model", theme: str = "auto") -> Picture:
    """The rows of a report, of SHOW TRAIN or of TO EXPLAIN as a picture of this kind. Error where they are others."""
    rows = [[value if isinstance(value, (int, float)) or value is None else str(value) for value in row]
            for row in result.rows]
    given = json.dumps({"model": model, "columns": result.columns, "rows": rows}, allow_nan=False)
    done = subprocess.run([program_path(), "picture", "-", kind, f"--theme={theme}", "--color=never"],
                          input=given.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        raise Error(done.stderr.decode().strip().replace("ERROR:  ", "", 1))
    return Picture(done.stdout.decode())


def _report(kind: str, model: Any, rows: Any, theme: str) -> Picture:
    return draw(kind, model.evaluate(rows, report=kind), model=model.name, theme=theme)


@brief
def history(model: Any, *, theme: str = "auto") -> Picture:
    """The loss of training and of held-out rows by epoch or round."""
    return draw("history", model.history(), model=model.name, theme=theme)


@brief
def confusion(model: Any, rows: Any, *, theme: str = "auto") -> Picture:
    """How many rows of each class are taken for which; at most 40 classes."""
    return _report("confusion", model, rows, theme)


@brief
def roc(model: Any, rows: Any, *, theme: str = "auto") -> Picture:
    """The curve of true against false positives over all thresholds, and the area below, for two classes."""
    return _report("roc", model, rows, theme)


@brief
def pr(model: Any, rows: Any, *, theme: str = "auto") -> Picture:
    """The curve of precision against recall over all thresholds, and the area below, for two classes."""
    return _report("pr", model, rows, theme)


@brief
def gain(model: Any, rows: Any, *, theme: str = "auto") -> Picture:
    """The share of the positive rows that is found in the tenths of the rows with the best scores, for two classes."""
    return _report("gain", model, rows, theme)


@brief
def residuals(model: Any, rows: Any, *, theme: str = "auto") -> Picture:
    """How far predictions are from the label: a histogram, for numbers."""
    return _report("residuals", model, rows, theme)


@brief
def calibration(model: Any, rows: Any, *, theme: str = "auto") -> Picture:
    """The share of predictions that come true, by bins of the probability, for two classes."""
    return _report("calibration", model, rows, theme)


@brief
def forecast(model: Any, rows: Any, *, theme: str = "auto") -> Picture:
    """The values of one series, those that the model expects, and their bounds. The last two columns of `rows` are the
    time and the value, in the order of time; a value that is still to come is NULL."""
    return draw("forecast", model._run(rows, f"TO PREDICT USING {model.name}"), model=model.name, theme=theme)


@brief
def importance(model: Any, rows: Any, *, theme: str = "auto") -> Picture:
    """By how much the metric falls when an input is dealt out anew, with its deviation; the first 40 inputs."""
    return draw("importance", model.explain(rows), model=model.name, theme=theme)


@brief
def shap(model: Any, rows: Any, *, theme: str = "auto") -> Picture:
    """How far each input moves the prediction of a row: a point for each of up to 200 rows; the first 20 inputs."""
    rows = model._run(rows, f"TO EXPLAIN {model.name} WITH summary.plot_type = 'points' USING shap")
    return draw("shap", rows, model=model.name, theme=theme)


@brief
def dependence(model: Any, rows: Any, *, theme: str = "auto") -> Picture:
    """The mean prediction by the values of each input; the first 12 inputs."""
    rows = model._run(rows, f"TO EXPLAIN {model.name} USING partial_dependence")
    return draw("dependence", rows, model=model.name, theme=theme)
