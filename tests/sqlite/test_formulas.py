"""EXPORT MODEL ... FORMAT sql and c in SQLite: views of the stock shell and programs of cc, which predict as the
extension does, on rows of any kind.
"""

import os
import re
import sqlite3
import struct
import subprocess

import harness
from formula_case import FormulaCase, rows

import word_rows as words  # beside formula_rows, by the path that formula_case adds

TREES = next(model for model in rows.MODELS if model[0] == "trees")


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


class Formulas(FormulaCase):
    def export(self, name, kind):
        path = self.folder / f"{name}.{'c' if kind == 'c' else 'sql'}"
        self.run_all(f"EXPORT MODEL {name} TO '{path}' FORMAT {kind}")
        return path

    def plain_database(self):
        """The rows, in a database of which the extension knows nothing."""
        path = self.folder / "plain.db"
        if not path.exists():
            self.run_all(f"ATTACH '{path}' AS plain")
            self.run_all("CREATE TABLE plain.hostile AS SELECT * FROM hostile")
            self.run_all("CREATE TABLE plain.refused AS SELECT rowid AS id, * FROM refused")
            self.run_all("DETACH plain")
        return path

    def in_shell(self, name, path):
        """The rows of the stock shell's view over the hostile rows."""
        plain = self.plain_database()
        done = subprocess.run(["sqlite3", "-bail", str(plain)],
                              input=f"CREATE VIEW {name}_rows AS SELECT * FROM hostile;\n.read {path}\n", text=True,
                              capture_output=True, timeout=4 * harness.DEADLINE)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        database = sqlite3.connect(plain)
        self.addCleanup(database.close)
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({name}_predictions)")]
        first = "component_1" if name in rows.COMPONENTS else "prediction"
        second = next((column for column in ("distance", "probability") if column in columns), "0")
        return database.execute(f"SELECT {first}, {second} FROM {name}_predictions ORDER BY id").fetchall()

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

    def in_c(self, model):
        name, _, _, label, _ = model
        found = []
        for refused, *outputs in self.run_c(name, "hostile"):
            self.assertEqual(refused, 0)
            if name == "card":  # points are the first
                outputs = outputs[1:]
            first = ("it's no", "yes")[int(outputs[0])] if label == "two" else outputs[0]
            last = outputs[-1] if not label else 0 if label in ("number", "positive") else outputs[1]
            found.append((first, last))
        return found

    def check_model(self, model):
        self.train(model)
        wanted = self.wanted(model)
        self.check(model, self.in_shell(model[0], self.export(model[0], "sql")), wanted)
        self.check(model, self.in_c(model), wanted)

    def test_unknown_kinds_are_refused_with_a_hint(self):
        self.run_all("CREATE TABLE texts AS SELECT 'a ' || two AS words, two FROM t")
        self.run_all("SELECT words, two FROM texts TO TRAIN LinearClassifier WITH train.epoch = 1 COLUMN TEXT(words) "
                     "LABEL two INTO of_texts")
        with self.assertRaisesRegex(sqlite3.Error, 'input "words" is the words of a text, which is not exported'):
            self.run_all("SELECT totrain_export_model('of_texts', 'onnx')")

    def test_what_hints_say_instead_is_exported(self):
        self.run_all("CREATE TABLE rare AS SELECT CASE WHEN rowid % 3 THEN 'c' || rowid % 5 ELSE 'w' || rowid END AS w, 'u' || rowid % 4 "
                     "AS u, two FROM t")
        end = "TO TRAIN LinearClassifier WITH train.epoch = 1"
        self.run_all(f"SELECT w, two FROM rare {end} LABEL two INTO of_rare")
        self.run_all(f"SELECT w, u, two FROM rare {end} COLUMN CROSS([w, u], 9) LABEL two INTO of_crosses")
        hints = []
        for name in ("of_rare", "of_crosses"):
            with self.assertRaisesRegex(sqlite3.Error, "which is not exported") as refused:
                self.run_all(f"SELECT totrain_export_model('{name}', 'onnx')")
            hints.append(str(refused.exception))
        instead = re.search("CASE WHEN .* AS w", hints[0])[0]
        self.assertIn("a || ' ' || b AS a_and_b", hints[1])
        self.run_all(f"SELECT {instead}, two FROM rare {end} LABEL two INTO common")
        self.run_all(f"SELECT pair, two FROM (SELECT substr(w, 1, 1) || ' ' || u AS pair, two FROM rare) {end} LABEL two INTO pairs")
        plain = sqlite3.connect(":memory:")
        self.addCleanup(plain.close)
        for name, column, cells in (("common", "w", ["c1", "other", "w3", None]), ("pairs", "pair", ["c u1", "w u0", "x", None])):
            plain.execute(f"CREATE TABLE {name}_rows ({column})")
            plain.executemany(f"INSERT INTO {name}_rows VALUES (?)", [(cell,) for cell in cells])
            plain.executescript(self.run_all(f"SELECT totrain_export_text('{name}', 'sqlite')")[0][0])
            found = [chance for chance, in plain.execute(f"SELECT probability FROM {name}_predictions")]
            for cell, chance in zip(cells, found, strict=True):
                self.assertAlmostEqual(chance, self.run_all(f"SELECT totrain_probability('{name}', ?)", cell)[0][0], 5)

    def check_words(self, model, plain, counts):
        """A model of words_rows, in plain SQLite and in C, each of so many rows."""
        self.run_all(words.statement(model))
        self.check_word_model(model[0], model[-1], plain, counts)

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

    def test_words_by_their_hash_and_free_text(self):
        counts = (25, 600)
        plain = self.word_tables(list(words.rows(counts[1], 2)))
        for model in words.MODELS:
            self.check_words(model, plain, counts)

    def test_hostile_rows_of_each_kind_with_each_function(self):
        """A sample; with TOTRAIN_HOSTILE_WORDS, as in `make test-full`, all of them, on so many rows each."""
        every = int(os.environ.get("TOTRAIN_HOSTILE_WORDS", "0"))
        counts = (every // 20 or 30, every or 500)
        plain = self.word_tables(list(words.hostile(counts[1], 7)))
        both = [(kind, form) for kind in words.KINDS for form in words.FORMS]
        for i, (kind, form) in enumerate(both if every else both[::20]):
            with self.subTest(kind=kind, form=form):
                self.run_all(words.form_statement(kind, form, f"m{i}"))
                self.check_word_model(f"m{i}", kind[-1], plain, counts)

    def test_words_that_sqlite_cannot_hash_are_refused(self):
        self.run_all("CREATE TABLE w (note, c, k, n REAL, y REAL, two TEXT)")
        self.database.executemany("INSERT INTO w VALUES (?, ?, ?, ?, ?, ?)", words.rows(300, 1))
        plain = sqlite3.connect(":memory:")
        self.addCleanup(plain.close)
        for model, column, cells in (("hashed", "c", ("x" * 241, 1 / 3, b"x")), ("texts", "note", ("a\0b", b"x"))):
            self.run_all(words.statement(next(one for one in words.MODELS if one[0] == model)))
            plain.executescript(self.run_all(f"SELECT totrain_export_text('{model}', 'sqlite')")[0][0])
            plain.execute(f"CREATE TABLE {model}_rows ({column}, n)")
            for cell in cells:
                plain.execute(f"DELETE FROM {model}_rows")
                plain.execute(f"INSERT INTO {model}_rows VALUES (?, 1.0)", (cell,))
                with self.subTest(model=model, cell=cell), self.assertRaisesRegex(sqlite3.Error, f"column {column} holds no"):
                    plain.execute(f"SELECT prediction FROM {model}_predictions").fetchall()

    def test_whole_numbers_that_a_double_cannot_tell_apart_are_refused_in_c(self):
        self.run_all("CREATE TABLE w (note, c, k, n REAL, y REAL, two TEXT)")
        self.database.executemany("INSERT INTO w VALUES (?, ?, ?, ?, ?, ?)", words.rows(300, 1))
        self.run_all(words.statement(next(one for one in words.MODELS if one[0] == "hashed")))
        self.run_all("CREATE TABLE large AS SELECT value AS c, 1.0 AS n FROM json_each('[9007199254740991, 9007199254740992, "
                     "-9007199254740993]')")
        self.assertEqual([row[0] for row in self.run_c("hashed", "large")], [0, 1, 1])

    def test_the_same_model_has_the_same_text(self):
        self.train(TREES)
        for kind in ("sqlite", "postgres", "c"):
            first, second = (self.run_all(f"SELECT totrain_export_model('trees', '{kind}')")[0][0] for _ in range(2))
            self.assertEqual(first, second)
        self.assertEqual(self.run_all("SELECT totrain_export_model('trees', 'SQL') = totrain_export_model('trees', 'sqlite')"),
                         [(1,)])

    def test_text_and_bytes_are_the_same(self):
        self.train(TREES)
        for kind in ("sql", "postgres", "c", "xgboost", "lightgbm"):
            self.assertEqual(self.run_all(f"SELECT CAST(totrain_export_model('trees', '{kind}') AS TEXT) = "
                                          f"totrain_export_text('trees', '{kind}')"), [(1,)])
        with self.assertRaisesRegex(sqlite3.Error, "format xgboost_ubj is bytes, and no text"):
            self.run_all("SELECT totrain_export_text('trees', 'xgboost_ubj')")

    def test_a_name_with_quotes_is_one_name(self):
        self.train(rows.MODELS[0])
        self.run_all(f"ALTER TABLE linear RENAME TO {rows.quoted(rows.MODEL)}")
        text = self.run_all("SELECT totrain_export_model(?, 'sql')", rows.quoted(rows.MODEL))[0][0].decode()
        database = sqlite3.connect(":memory:")
        self.addCleanup(database.close)
        database.executescript(text)
        self.assertEqual(database.execute("SELECT name FROM sqlite_master").fetchall(), [(rows.MODEL + "_predictions",)])

    def test_what_the_extension_refuses_is_refused(self):
        model = TREES
        self.train(model)
        self.in_shell(model[0], self.export(model[0], "sql"))
        database = sqlite3.connect(self.folder / "plain.db")
        self.addCleanup(database.close)
        database.execute(f"DROP VIEW {model[0]}_rows")
        database.execute(f"CREATE VIEW {model[0]}_rows AS SELECT * FROM refused")
        inputs = self.inputs(model[0])
        in_c = self.run_c(model[0], "refused")
        for i, (column, cell) in enumerate(rows.REFUSED):
            if rows.COLUMNS[column] not in inputs:
                continue
            with self.subTest(column=rows.COLUMNS[column], cell=cell):
                named = ", ".join(map(rows.quoted, inputs))
                with self.assertRaises(sqlite3.Error):
                    self.run_all(f"SELECT totrain_predict('{model[0]}', {named}) FROM refused WHERE rowid = ?", i + 1)
                with self.assertRaisesRegex(sqlite3.Error, "JSON path"):
                    database.execute(f"SELECT prediction FROM {model[0]}_predictions WHERE id = ?", (i + 1,)).fetchall()
                if not isinstance(cell, bytes):
                    self.assertEqual(in_c[i][0], inputs.index(rows.COLUMNS[column]) + 1)


def add(model):
    def test(self):
        self.check_model(model)

    setattr(Formulas, f"test_{model[0]}", test)


for each in rows.MODELS:
    add(each)


if __name__ == "__main__":
    harness.main()
