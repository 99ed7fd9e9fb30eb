"""The code of docs/python.md is run, block after block, in a folder of its own."""

import contextlib
import io
import os
import pathlib
import re

import harness
from kernel import Kernel, errors, text_of

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


def blocks_of(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)


class Page(harness.Case):
    def test_every_block_runs(self):
        blocks = blocks_of("python")
        self.assertGreater(len(blocks), 4)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        names, out = {}, io.StringIO()
        with contextlib.redirect_stdout(out):
            for block in blocks:
                exec(compile(block, str(PAGE), "exec"), names)
        self.addCleanup(names["connection"].close)
        self.check_cells()
        self.assertIn("Accuracy", out.getvalue())
        self.assertEqual(names["model"].predict("visits WHERE minutes IN (1, 30)"), [0, 1])

    def check_cells(self):
        kernel = Kernel()
        self.addCleanup(kernel.close)
        self.assertEqual(errors(kernel.run(f"import os; os.chdir({str(self.folder)!r})")), [])
        for cell in blocks_of("ipython"):
            outputs = kernel.run(cell)
            self.assertEqual(errors(outputs), [])
        self.assertIn("Accuracy", text_of(outputs))


harness.main()
