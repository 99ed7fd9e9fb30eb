"""Rows and models for programs that predict as the extension does, and the comparison with it."""

import math
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "formulas"))
import formula_rows as rows  # noqa: E402  pylint: disable=wrong-import-position
import word_rows as words  # noqa: E402  pylint: disable=wrong-import-position


def driver(name, count):
    """A program that reads cells as bytes (pack) and writes a line of numbers for each row."""
    return f"""
#include <stdio.h>
#include <string.h>
#include "{name}.c"
static char texts[{count}][4096];
int main(void)
{{
    struct {name}_cell cells[{count}];
    double outputs[64];
    for (;;) {{
        for (int i = 0; i < {count}; i++) {{
            int type = getchar();
            unsigned int size = 0;
            if (type == EOF)
                return 0;
            memset(&cells[i], 0, sizeof cells[i]);
            if (type == 'n')
                cells[i].type = {name}_MISSING;
            else if (type == 'd') {{
                cells[i].type = {name}_NUMBER;
                if (fread(&cells[i].number, 8, 1, stdin) != 1)
                    return 1;
            }} else {{
                cells[i].type = {name}_TEXT;
                if (fread(&size, 4, 1, stdin) != 1 || size > 4096 || fread(texts[i], 1, size, stdin) != size)
                    return 1;
                cells[i].text = texts[i];
                cells[i].size = size;
            }}
        }}
        int refused = {name}_predict(cells, outputs);
        printf("%d", refused);
        for (int i = 0; {name}_outputs[i]; i++)
            printf(" %.17g", outputs[i]);
        printf("\\n");
    }}
}}
"""


def pack(cell):
    if cell is None:
        return b"n"
    if isinstance(cell, (int, float)):
        return b"d" + struct.pack("=d", float(cell))
    data = cell if isinstance(cell, bytes) else cell.encode()
    return b"t" + struct.pack("=I", len(data)) + data


class FormulaCase(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        columns = ", ".join(f"{rows.quoted(name)} {kind}" for name, kind in zip(rows.COLUMNS, rows.TYPES))
        self.run_all("BEGIN")
        self.run_all(f"CREATE TABLE t ({columns}, number REAL, two TEXT, three INTEGER, positive REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows.training())
        plain = ", ".join(map(rows.quoted, rows.COLUMNS))
        self.run_all(f"CREATE TABLE hostile (id INTEGER PRIMARY KEY, {plain})")
        self.database.executemany("INSERT INTO hostile VALUES (NULL, ?, ?, ?, ?, ?, ?)", rows.hostile())
        self.run_all(f"CREATE TABLE refused ({plain})")
        self.database.executemany("INSERT INTO refused VALUES (?, ?, ?, ?, ?, ?)", rows.refused())
        self.run_all("COMMIT")

    def train(self, model):
        self.run_all(rows.statement(model))

    def inputs(self, name):
        """The columns of the model, in its order, without those that are labels."""
        call = self.run_all(f"SELECT totrain_call('{name}')")[0][0]
        return [column.replace('""', '"') for column in re.findall(r'"((?:[^"]|"")+)"', call)]

    def wanted(self, model, table="hostile"):
        """The extension's answer for each row: the prediction, and a number that tells how sure it is."""
        name, _, _, label, _ = model
        inputs = ", ".join(map(rows.quoted, self.inputs(name)))
        if name in rows.COMPONENTS:
            second = f"totrain_distance('{name}', {inputs})"
            first = f"totrain_component('{name}', {inputs}, 1)"
        else:
            first = f"totrain_predict('{name}', {inputs})"
            second = (f"totrain_distance('{name}', {inputs})" if not label else "0" if label in ("number", "positive") else
                      f"totrain_probability('{name}', {inputs})")
        return self.run_all(f"SELECT {first}, {second} FROM {table} ORDER BY id")

    def check(self, model, found, wanted):
        """found: the same of a program."""
        name, _, _, label, _ = model
        self.assertEqual(len(found), len(wanted))
        for i, (mine, other) in enumerate(zip(found, wanted)):
            with self.subTest(model=name, row=self.run_all("SELECT * FROM hostile WHERE id = ?", i + 1)):
                self.assertTrue(rows.near(mine[1], other[1]), (mine, other))
                if name in rows.COMPONENTS or label in ("number", "positive"):
                    self.assertTrue(rows.near(mine[0], other[0]), (mine, other))
                elif (label != "two" or abs(other[1] - 0.5) > 1e-5) and (
                        name not in rows.DETECTORS or abs(other[1]) > 1e-5) and other[1] < rows.FAR.get(name, math.inf):
                    self.assertEqual(mine[0], other[0])

    def export(self, name, kind):
        path = self.folder / f"{name}.{'c' if kind == 'c' else 'sql'}"
        self.run_all(f"EXPORT MODEL {name} TO '{path}' FORMAT {kind}")
        return path

    def compiled(self, name):
        path = self.export(name, "c")
        (self.folder / "main.c").write_text(driver(name, len(self.inputs(name))))
        for arguments in (["-c", str(path), "-o", "/dev/null"], ["main.c", "-o", f"{name}.run"]):
            done = subprocess.run(["cc", "-O1", "-std=c11", "-Wall", "-Wextra", "-Werror", *arguments], text=True,
                                  capture_output=True, cwd=self.folder, timeout=4 * harness.DEADLINE)
            self.assertEqual((done.stderr, done.returncode), ("", 0))
        return self.folder / f"{name}.run"

    def run_c(self, name, table):
        inputs = ", ".join(map(rows.quoted, self.inputs(name)))
        cells = b"".join(pack(cell) for row in self.run_all(f"SELECT {inputs} FROM {table} ORDER BY rowid") for cell in row)
        done = subprocess.run([str(self.compiled(name))], input=cells, capture_output=True, check=True,
                              timeout=4 * harness.DEADLINE)
        return [[float(word) for word in line.split()] for line in done.stdout.decode().splitlines()]

    def word_tables(self, strange):
        """Rows to train from, and those to predict, also in a database without the extension."""
        plain = sqlite3.connect(":memory:")
        self.addCleanup(plain.close)
        plain.execute("CREATE TABLE strange (id INTEGER PRIMARY KEY, note, c, k, n REAL, y REAL, two TEXT)")
        self.run_all("CREATE TABLE w (note, c, k, n REAL, y REAL, two TEXT)")
        self.run_all("CREATE TABLE strange (note, c, k, n REAL, y REAL, two TEXT)")
        self.database.executemany("INSERT INTO w VALUES (?, ?, ?, ?, ?, ?)", words.rows(300, 1))
        self.database.executemany("INSERT INTO strange VALUES (?, ?, ?, ?, ?, ?)", strange)
        plain.executemany("INSERT INTO strange VALUES (NULL, ?, ?, ?, ?, ?, ?)", strange)
        return plain

    def check_word_model(self, name, label, plain, counts):
        inputs = ", ".join(self.inputs(name))
        function, column = ("predict", "prediction") if label == "y" else ("probability", "probability")
        wanted = [row[0] for row in self.run_all(f"SELECT totrain_{function}('{name}', {inputs}) FROM strange ORDER BY rowid")]
        plain.execute(f"CREATE VIEW {name}_rows AS SELECT * FROM strange WHERE id <= {counts[0]}")
        plain.executescript(self.run_all(f"SELECT totrain_export_text('{name}', 'sqlite')")[0][0])
        in_sqlite = [row[0] for row in plain.execute(f"SELECT {column} FROM {name}_predictions ORDER BY id")]
        in_c = self.run_c(name, "strange")
        self.assertEqual((len(in_sqlite), len(in_c)), counts)
        for i, found in enumerate(in_sqlite):
            with self.subTest(model=name, row=i + 1):
                self.assertTrue(rows.near(found, wanted[i]), (found, wanted[i]))
        for i, (refused, *outputs) in enumerate(in_c):
            with self.subTest(model=name, row=i + 1, language="c"):
                self.assertEqual(refused, 0)
                self.assertTrue(rows.near(outputs[0 if label == "y" else 1], wanted[i]), (outputs, wanted[i]))
