"""What docs/python.md shows is run, block after block, in a folder of its own."""

import contextlib
import io
import os
import pathlib
import re

import harness

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


class Page(harness.Case):
    def test_every_block_runs(self):
        blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)
        self.assertGreater(len(blocks), 4)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        names, out = {}, io.StringIO()
        with contextlib.redirect_stdout(out):
            for block in blocks:
                exec(compile(block, str(PAGE), "exec"), names)
        self.addCleanup(names["connection"].close)
        self.assertIn("Accuracy", out.getvalue())
        self.assertEqual(names["model"].predict("visits WHERE minutes IN (1, 30)"), [0, 1])


harness.main()
