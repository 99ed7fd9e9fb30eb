"""EXPORT MODEL ... FORMAT sql and c in SQLite: views of the stock shell and programs of cc, which predict as the
extension does, on rows of any kind.
"""

import re
import sqlite3
import subprocess

import harness
from formula_case import FormulaCase, rows, words

TREES = next(model for model in rows.MODELS if model[0] == "trees")


class Formulas(FormulaCase):
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

    def test_words_by_their_hash_and_free_text(self):
        counts = (25, 600)
        plain = self.word_tables(list(words.rows(counts[1], 2)))
        for model in words.MODELS:
            self.check_words(model, plain, counts)

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
