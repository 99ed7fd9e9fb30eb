"""A notebook of jupysql's is what it was: each of its cells has the same output with totrain loaded beside it.

jupysql's package on PyPI comes without its tests, so these cells are ours: one of each thing that its magics do.
"""

import re

import harness
from kernel import Kernel, errors

CELLS = [
    "%load_ext sql",
    "%sql sqlite:///test.db --alias shop",
    "%sql SELECT count(*) AS n FROM iris",
    "%%sql\nSELECT class, count(*) AS n, avg(sepal_length) AS length\nFROM iris\nGROUP BY class",
    "%sql shop\n",
    "%%sql found <<\nSELECT * FROM iris LIMIT 3",
    "print(found)",
    "list(found.dict())",
    "found.DataFrame()",
    "limit = 2",
    "%sql SELECT * FROM iris LIMIT {{limit}}",
    "%%sql --save few --no-execute\nSELECT * FROM iris WHERE class = 0",
    "%%sql --with few\nSELECT count(*) AS n FROM few",
    "%sqlcmd snippets",
    "%sqlcmd tables",
    "%sqlcmd columns --table iris",
    "%%sql\nCREATE TABLE other (a INTEGER, b TEXT);\nINSERT INTO other VALUES (1, 'x'), (2, NULL);\nSELECT * FROM other",
    "%%sql\nSELECT 'a TO TRAIN b' AS text -- TO TRAIN c\n",
    "%config SqlMagic.autopandas = True",
    "frame = %sql SELECT * FROM iris",
    "print(type(frame).__name__, len(frame))",
    "%sql --persist sqlite:///test.db frame",
    "%sql SELECT sum(class) AS s FROM frame",
    "%config SqlMagic.autopandas = False",
    "%config SqlMagic.displaylimit = 2",
    "%sql SELECT sepal_length FROM iris",
    "%sql SELECT nope FROM iris",
    "%sql SELEC 1",
    "%sql SELECT * FROM nowhere",
    "%sql --connections",
    "%sqlcmd test --table iris --column class --less-than 5",
    "%sql --close shop",
    "%sql SELECT 1",
]
ADDRESS = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)? ?m?s\b")


def plain(output):
    """An output as a reader sees it, without addresses and times."""
    if output["output_type"] == "error":
        shown = f"{output['ename']}: {output['evalue']}"
    elif output["output_type"] == "stream":
        shown = output["text"]
    else:
        shown = "\n".join(f"{kind}: {output['data'][kind]}" for kind in sorted(output["data"]))
    return ADDRESS.sub("...", shown)


class Beside(harness.Case):
    def outputs(self, first):
        """Outputs of each cell of a notebook that begins with `first`."""
        for file in self.folder.glob("test.db*"):
            file.unlink()
        harness.load_iris(self.connect())
        kernel = Kernel()
        self.addCleanup(kernel.close)
        self.assertEqual(errors(kernel.run(f"import os\nos.chdir({str(self.folder)!r})")), [])
        self.assertEqual(errors(kernel.run(first)), [])
        return [[plain(output) for output in kernel.run(cell)] for cell in CELLS]

    def test_each_cell_of_jupysql_has_the_output_that_it_has_without_totrain(self):
        alone, beside = self.outputs("pass"), self.outputs("%load_ext totrain")
        for cell, without, with_it in zip(CELLS, alone, beside):
            with self.subTest(cell):
                self.assertEqual(with_it, without)
        self.assertGreater(sum(bool(outputs) for outputs in alone), 20)
        self.assertIn("150", "".join(alone[2]))
        self.assertIn("no such column: nope", "".join(alone[CELLS.index("%sql SELECT nope FROM iris")]))


harness.main()
