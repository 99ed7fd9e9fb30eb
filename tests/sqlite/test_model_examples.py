"""The examples on the site's page for each model (tools/site/examples.py): each model that docs/models.md lists has a
statement that plans, and with TOTRAIN_EVERY_EXAMPLE=1, as `make test-full` has it, that trains and is used.
"""

import os
import pathlib
import sys
import unittest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools" / "site"))
from examples import TABLES, example_of  # noqa: E402  pylint: disable=wrong-import-position
from model_pages import models  # noqa: E402  pylint: disable=wrong-import-position
from program import Program  # noqa: E402  pylint: disable=wrong-import-position

RUNS = os.environ.get("TOTRAIN_EVERY_EXAMPLE") == "1"


class ModelExamples(harness.Case):
    def test_each_model_has_an_example(self):
        program = Program(harness.BUILD.resolve(), self.folder)
        for table in TABLES:
            program.run(f".import {ROOT}/examples/data/{table}.csv {table}", "csv")
        named = models()
        self.assertGreater(len(named), 50)
        statements = []
        for model in named:
            train, use = example_of(model.name, model.kind, model.tasks[0])
            statements += ["DROP TABLE IF EXISTS m", train, use] if RUNS else [f"EXPLAIN {train}"]
        program.run(";\n".join(filter(None, statements)), "csv")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
