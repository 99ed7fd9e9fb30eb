"""Models of the users' own: DEFINE MODEL, TO TRAIN by it, what is kept, what is refused; docs/definitions.md."""

import pathlib
import re
import sqlite3

import harness

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "definitions.md"
TOWER = """DEFINE MODEL zoo/tower (dim = 4, hidden = [8]) AS '
  h = concat(embedding(user_id, dim), embedding(item_id, dim), numbers);
  for n in hidden { h = relu(dense(h, n)) }
  return dense(h, outputs)
'"""
TRAIN = "SELECT * FROM clicks TO TRAIN {} WITH train.epoch = 3{} LABEL {} INTO {}"


class Definitions(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE clicks (user_id TEXT, item_id TEXT, age REAL, clicked INTEGER, spent REAL)")
        self.database.executemany("INSERT INTO clicks VALUES (?, ?, ?, ?, ?)",
                                  [(f"u{i % 7}", f"i{i % 5}", i % 11, (i % 7 + i % 5) % 2, (i % 7) * 1.25)
                                   for i in range(400)])

    def refused(self, pattern, sql):
        with self.assertRaisesRegex(sqlite3.OperationalError, pattern):
            self.run_all(sql)

    def train(self, definition="zoo/tower", settings="", label="clicked", into="m"):
        return harness.facts(self.run_all(TRAIN.format(definition, settings, label, into)))

    def test_a_definition_is_kept_shown_replaced_and_dropped(self):
        self.assertEqual(self.run_all(TOWER), [("zoo/tower", 1)])
        self.refused('there is a definition "zoo/tower" already', TOWER)
        self.assertEqual(self.run_all(TOWER.replace("DEFINE", "DEFINE OR REPLACE")), [("zoo/tower", 2)])
        shown = dict(self.run_all("SHOW DEFINITION zoo/Tower"))
        self.assertEqual((shown["name"], shown["version"], shown["statement"]), ("zoo/tower", 2, TOWER))
        listed = {row[0]: row[1:] for row in self.run_all("SHOW DEFINITIONS")}
        self.assertEqual(listed["zoo/tower"][:2], ("dim = 4, hidden = [8]", 2))
        self.assertEqual(listed["zoo/tower"][3], shown["digest"])
        self.assertEqual(listed["zoo/mlp"][1:3], (None, None))
        self.assertEqual(self.run_all("SHOW MODELS"), [])
        self.assertEqual(self.run_all("DROP DEFINITION zoo/tower"), [("zoo/tower", "dropped")])
        self.refused('there is no definition "zoo/tower"', "DROP DEFINITION zoo/tower")
        self.assertEqual(self.run_all("DROP DEFINITION IF EXISTS zoo/tower"), [("zoo/tower", "not there")])

    def test_other_databases_and_other_tables(self):
        self.run_all("ATTACH ':memory:' AS other")
        self.run_all(TOWER.replace("zoo/tower", "other.zoo/tower"))
        self.assertEqual(dict(self.run_all("SHOW DEFINITION other.zoo/tower"))["version"], 1)
        self.refused('there is no schema "nowhere"', TOWER.replace("zoo/tower", "nowhere.zoo/tower"))
        self.run_all('CREATE TABLE "zoo/rows" (a)')
        self.refused('table "zoo/rows" is no definition', TOWER.replace("zoo/tower", "zoo/rows"))
        self.refused('table "zoo/rows" is no definition', "DROP DEFINITION zoo/rows")
        self.run_all('CREATE TABLE "zoo/model" (part TEXT, name TEXT, position INTEGER, value, data)')
        self.refused('table "zoo/model" is no definition', TOWER.replace("zoo/tower", "zoo/model"))
        self.run_all("INSERT INTO \"zoo/model\" VALUES ('definition', 'zoo/model', 1, 0, 'DEFINE MODEL zoo/other AS ''''')")
        self.refused("zoo/model is damaged", "SHOW DEFINITION zoo/model")
        self.assertNotIn("zoo/model", [row[0] for row in self.run_all("SHOW DEFINITIONS")])

    def test_a_trigger_that_changes_the_text_is_found(self):
        self.run_all(TOWER)
        self.run_all("""CREATE TRIGGER t AFTER INSERT ON "zoo/tower" BEGIN
                        UPDATE "zoo/tower" SET data = 'DEFINE MODEL zoo/tower AS ''return relu(age)''' WHERE part = 'definition';
                        END""")
        self.refused("a trigger", "DEFINE OR REPLACE MODEL zoo/tower AS 'return dense(numbers, outputs)'")
        self.assertEqual(dict(self.run_all("SHOW DEFINITION zoo/tower"))["version"], 1)

    def test_it_trains_and_predicts_classes_and_numbers(self):
        self.run_all(TOWER)
        self.assertIn("loss", self.train())
        rows = self.run_all("SELECT user_id, item_id, age, spent FROM clicks TO PREDICT clicked USING m")
        self.assertEqual({row[-1] for row in rows} - {0, 1}, set())
        self.train("zoo/mlp", label="spent", into="n")
        rows = self.run_all("SELECT user_id, item_id, age, clicked FROM clicks TO PREDICT spent USING n")
        self.assertEqual({type(row[-1]) for row in rows}, {float})

    def test_each_that_comes_with_the_product_trains(self):
        for name in ("logistic", "wide_deep", "two_towers", "deepfm"):
            with self.subTest(name):
                self.assertIn("loss", self.train(f"zoo/{name}"))
        self.run_all("CREATE TABLE series (s TEXT, y REAL)")
        self.database.executemany("INSERT INTO series VALUES (?, ?)",
                                  [(" ".join(str((i * k) % 7) for k in range(1, 6)), i % 7) for i in range(200)])
        self.run_all("SELECT * FROM series TO TRAIN zoo/gru WITH model.series = 's', model.units = 4, train.epoch = 2 "
                     "COLUMN SEQUENCE(s, 5) LABEL y INTO g")
        self.assertEqual(len(self.run_all("SELECT s FROM series TO PREDICT y USING g")), 200)
        pixels = ", ".join(f"p{i}" for i in range(64))
        self.run_all(f"CREATE TABLE pictures ({pixels}, y INTEGER)")
        self.database.executemany(f"INSERT INTO pictures VALUES ({', '.join('?' * 65)})",
                                  [[(i * k) % 17 for k in range(64)] + [i % 3] for i in range(150)])
        self.run_all("SELECT * FROM pictures TO TRAIN zoo/mnist_cnn WITH model.filters = [4], model.units = 8, "
                     "train.epoch = 1 LABEL y INTO p")

    def test_arguments_are_attributes(self):
        self.run_all(TOWER)
        self.train(into="small")
        self.train(settings=", model.dim = 8, model.hidden = [8, 4]", into="large")
        self.assertNotEqual(self.model_digest("small"), self.model_digest("large"))
        self.refused(r'zoo/tower has no argument "dmi"', TRAIN.format("zoo/tower", ", model.dmi = 8", "clicked", "m"))
        self.refused("zoo/tower, line 2, column .*: size of embedding is a whole number .*, not 1.5",
                     TRAIN.format("zoo/tower", ", model.dim = 1.5", "clicked", "m"))
        self.refused("model.dim is a number", TRAIN.format("zoo/tower", ", model.dim = 'a'", "clicked", "m"))
        self.refused("zoo/tower, line 2, column .*: .*size of embedding is a whole number from 1",
                     TRAIN.format("zoo/tower", ", model.dim = 0", "clicked", "m"))
        names = [row[0] for row in self.run_all("SHOW ATTRIBUTES FOR zoo/tower")]
        self.assertEqual(names[:2], ["model.dim", "model.hidden"])
        self.assertIn("optimizer.learning_rate", names)

    def test_a_model_is_whole_without_its_definition(self):
        self.run_all(TOWER)
        self.train()
        digest = dict(self.run_all("SHOW DEFINITION zoo/tower"))["digest"]
        rows = self.run_all("SELECT * FROM clicks TO PREDICT clicked USING m")
        self.run_all("DROP DEFINITION zoo/tower")
        self.assertEqual(self.run_all("SELECT * FROM clicks TO PREDICT clicked USING m"), rows)
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual((shown["kind"], shown["definition"]), ("zoo/tower", digest))
        self.refused('there is no definition "zoo/tower"', TRAIN.format("zoo/tower", "", "clicked", "m"))

    def test_explain_shows_the_graph(self):
        lines = dict(self.run_all("EXPLAIN " + TRAIN.format("zoo/mlp", ", model.hidden = [8]", "clicked", "m")))
        self.assertRegex(lines["dense_1"], r"dense\(concat_1, units = 8\) -> \(8\); \d+ parameters")
        self.assertIn("parameters", lines)
        self.assertIn("multiplications", lines)

    def test_the_page(self):
        blocks = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        self.assertEqual(len(blocks), 5)
        definition = blocks[0][:blocks[0].index("SELECT")]
        output, errors = self.shell(blocks[0] + definition + blocks[4] + "SHOW MODEL tuned;")
        self.assertEqual(errors, "")
        self.assertIn("zoo/tower|dropped", output)
        self.assertIn("DEFINE MODEL zoo/copy AS '", output)
        self.run_all("CREATE TABLE reviews (review TEXT, good INTEGER)")
        self.run_all("CREATE TABLE digits (picture BLOB, digit INTEGER)")
        self.database.executemany("INSERT INTO reviews VALUES (?, ?)", [
            (("not good at all", "good at all")[i % 2], i % 2) for i in range(100)])
        self.database.executemany("INSERT INTO digits VALUES (?, ?)", [
            (bytes((i * k) % 17 for k in range(64)), i % 3) for i in range(100)])
        output, errors = self.shell(blocks[3])
        self.assertEqual(errors, "")
        self.assertIn("zoo/pictures", output)
        output, errors = self.shell(blocks[2])
        self.assertEqual(errors, "")
        self.assertRegex(output, r"spent\|R2\|")
        self.make_iris()
        output, errors = self.shell(blocks[1] + "SELECT z_1, z_2, score FROM coded;")
        self.assertEqual(errors, "")
        self.assertEqual(len(output.split("z_1|z_2|score")[1].split()), 150)

    def test_the_page_names_all_operations(self):
        text = PAGE.read_text(encoding="utf-8")
        operations = (pathlib.Path(__file__).resolve().parents[2] / "graph" / "operations" / "operations.c").read_text()
        hidden = {"numbers", "words", "column"}
        for name in set(re.findall(r"&(\w+)_operation", operations)) - hidden:
            self.assertIn(f"`{name}", text, name)


harness.main()
