"""Models of XGBoost and LightGBM in SQLite: as files by EXPORT and IMPORT MODEL, as blobs by functions.

tests/exchange has what their programs made, the rows and the sums that they predict.
"""

import json
import math
import pathlib
import sqlite3

import harness

STORED = pathlib.Path(__file__).resolve().parents[1] / "exchange"
FILES = sorted(path for path in STORED.iterdir() if path.suffix in (".json", ".ubj", ".txt") and path.stem != "rows")
FORMATS = {".json": "xgboost", ".ubj": "xgboost_ubj", ".txt": "lightgbm"}


class Exchange(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("PRAGMA synchronous = OFF")  # hundreds of models are written
        self.run_all("CREATE TABLE rows (a TEXT, b TEXT, c TEXT, d TEXT, colour TEXT)")
        with open(STORED / "rows.txt", encoding="utf-8", newline="\n") as file:
            lines = [line.rstrip("\n").split("\t") for line in file]
        self.database.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)",
                                  ([cell or None for cell in line] for line in lines))

    def value(self, sql, *values):
        return self.run_all(sql, *values)[0][0]

    def refused(self, pattern, sql, *values):
        with self.assertRaisesRegex(sqlite3.Error, pattern):
            self.run_all(sql, *values)

    def models(self):
        found = self.run_all("SELECT name FROM sqlite_master WHERE name = 'totrain_models'")
        return self.run_all("SELECT name, version FROM totrain_models") if found else []

    def import_stored(self, name="xgboost_two.json", model="m"):
        return self.value("SELECT totrain_import_model(?, ?)", model, (STORED / name).read_bytes())

    def test_a_blob_makes_the_model_that_the_file_makes(self):
        for path in FILES:
            with self.subTest(path.name):
                self.run_all(f"IMPORT MODEL from_file FROM '{path}' FORMAT {FORMATS[path.suffix]}")
                self.value("SELECT totrain_import_model('m', ?, ?)", path.read_bytes(), FORMATS[path.suffix])
                self.assertEqual(self.model_digest(), self.model_digest("from_file"))

    def test_their_sums_are_what_totrain_predict_gives(self):
        for name in ("xgboost_number", "lightgbm_number"):
            with self.subTest(name):
                self.import_stored(next(path.name for path in FILES if path.stem == name))
                sums = [float(line) for line in (STORED / f"{name}.sums").read_text().split()]
                found = self.run_all("SELECT totrain_predict('m', a, b, c, d, colour) FROM rows ORDER BY rowid")
                self.assertEqual(len(found), len(sums))
                for (value,), expected in zip(found, sums):
                    self.assertLessEqual(abs(value - expected), 1e-6 * max(1, abs(expected)))

    def probabilities(self, model="m"):
        return [value for (value,) in
                self.run_all(f"SELECT totrain_probability('{model}', a, b, c, d, colour) FROM rows ORDER BY rowid")]

    def import_json(self, document, model="m"):
        self.value("SELECT totrain_import_model(?, ?)", model, json.dumps(document).encode())

    def test_trees_behind_the_best_round_are_left_out_with_a_notice(self):
        document = json.loads((STORED / "xgboost_two.json").read_text())
        trees = document["learner"]["gradient_booster"]["model"]
        self.import_json(document, "whole")
        document["learner"]["attributes"]["best_iteration"] = "2"
        self.import_json(document)
        kept = json.loads(json.dumps(document))
        model = kept["learner"]["gradient_booster"]["model"]
        end = trees["iteration_indptr"][3]
        model["trees"], model["tree_info"] = model["trees"][:end], model["tree_info"][:end]
        model["iteration_indptr"] = model["iteration_indptr"][:4]
        model["gbtree_model_param"]["num_trees"] = str(end)
        self.import_json(kept, "kept")
        self.assertEqual(self.probabilities(), self.probabilities("kept"))
        self.assertNotEqual(self.probabilities(), self.probabilities("whole"))
        notices = [row for row in self.run_all("SHOW MODEL m") if "best_iteration" in str(row)]
        self.assertEqual(len(notices), 1)
        self.assertFalse([row for row in self.run_all("SHOW MODEL whole") if "best_iteration" in str(row)])

    def test_a_softmax_of_two_classes_is_the_logistic_of_their_difference(self):
        document = json.loads((STORED / "xgboost_two.json").read_text())
        self.import_json(document, "one")
        learner = document["learner"]
        model = learner["gradient_booster"]["model"]
        base = float(learner["learner_model_param"]["base_score"].strip("[]"))
        trees = []
        for tree in model["trees"]:
            for sign in (-.5, .5):
                half = json.loads(json.dumps(tree))
                for node, child in enumerate(tree["left_children"]):
                    if child < 0:
                        half["split_conditions"][node] *= sign
                half["id"] = len(trees)
                trees.append(half)
        logit = math.log(base / (1 - base))
        for objective in ("multi:softprob", "multi:softmax"):
            with self.subTest(objective):
                learner["objective"] = {"name": objective, "softmax_multiclass_param": {"num_class": "2"}}
                learner["learner_model_param"].update(num_class="2", base_score=f"[{-logit / 2:.9E},{logit / 2:.9E}]")
                model["trees"], model["tree_info"] = trees, [0, 1] * (len(trees) // 2)
                model["iteration_indptr"] = list(range(0, len(trees) + 1, 2))
                model["gbtree_model_param"]["num_trees"] = str(len(trees))
                self.import_json(document)
                for one, two in zip(self.probabilities("one"), self.probabilities()):
                    self.assertLessEqual(abs(one - two), 1e-6)

    def test_a_file_of_lightgbm_2_ends_with_its_importances(self):
        text = (STORED / "lightgbm_two.txt").read_text()
        self.import_stored("lightgbm_two.txt", "new")
        before, after = text.split("end of trees\n")
        start = min(at for at in (after.find("feature_importances:"), after.find("feature importances:")) if at >= 0)
        self.value("SELECT totrain_import_model('m', ?)", (before.replace("version=v4", "version=v2") + after[start:]).encode())
        self.assertEqual(self.model_digest(), self.model_digest("new"))
        self.refused("ends before", "SELECT totrain_import_model('m', ?)", before.encode())

    def test_dumps_are_told_from_models(self):
        self.refused("XGBoost's dump_model", "SELECT totrain_import_model('m', ?)", b'[{"nodeid": 0, "leaf": 1}]')
        self.refused("XGBoost's dump_model", "SELECT totrain_import_model('m', ?)", b'booster[0]:\n0:leaf=1\n')
        self.refused("LightGBM's dump_model", "SELECT totrain_import_model('m', ?)", b'{"name": "tree", "tree_info": []}')

    def test_a_blob_has_the_bytes_of_the_file(self):
        self.import_stored("lightgbm_three.txt")
        for ending, name in FORMATS.items():
            path = self.folder / f"exported{ending}"
            row = self.run_all(f"EXPORT MODEL m TO '{path}'")[0]
            blob = self.value("SELECT totrain_export_model('m', ?)", name)
            self.assertIsInstance(blob, bytes)
            self.assertEqual(blob, path.read_bytes())
            self.assertEqual(row, ("m", str(path), len(blob)))

    def test_what_is_trained_here_goes_out_and_comes_back_with_the_same_predictions(self):
        self.run_all("CREATE TABLE t AS SELECT CAST(a AS REAL) AS a, CAST(b AS REAL) AS b, colour, "
                     "abs(coalesce(a, 0)) < 1e-3 AS y FROM rows")
        self.run_all("SELECT * FROM t TO TRAIN XGBRegressor WITH n_estimators = 20 LABEL y INTO m")
        for name in FORMATS.values():
            self.run_all("SELECT totrain_import_model('back', totrain_export_model('m', ?), ?)", name, name)
            far = self.value("SELECT max(abs(totrain_predict('m', a, b, colour) - totrain_predict('back', a, b, colour)) "
                             "/ max(1, abs(y))) FROM t")
            self.assertLessEqual(far, 1e-6)
        # Evaluated with the label that no file says the name of, and explained.
        measured = self.database.execute("SELECT a, b, colour, y AS label FROM t TO EVALUATE back")
        row = measured.fetchone()
        self.assertGreater(dict(zip((column[0] for column in measured.description), row))["R2"], .9)
        measured.fetchall()
        self.assertEqual(len(self.run_all("SELECT a, b, colour, y AS label FROM t TO EXPLAIN back")), 3)

    def test_boosting_goes_on_from_a_model_of_theirs(self):
        """New rounds are added to the sums of the old model: with a rate of nearly nothing the predictions are these
        sums."""
        for name in ("xgboost_number.ubj", "lightgbm_number.txt"):
            with self.subTest(name):
                self.import_stored(name, "theirs")
                self.run_all("SELECT a, b, c, d, colour, coalesce(abs(b) < 0.3, 0) AS label FROM rows TO TRAIN XGBRegressor "
                             "WITH n_estimators = 3, eta = 1e-9 LABEL label USING theirs INTO longer")
                far, same = self.run_all(
                    "SELECT max(abs(totrain_predict('longer', a, b, c, d, colour) - totrain_predict('theirs', a, b, c, d, colour)) "
                    "/ max(1, abs(totrain_predict('theirs', a, b, c, d, colour)))), count(*) FROM rows")[0]
                self.assertEqual(same, 300)
                self.assertLessEqual(far, 1e-6)
                trees = {model: len(json.loads(self.value(f"SELECT totrain_leaf('{model}', a, b, c, d, colour) FROM rows")))
                         for model in ("theirs", "longer")}
                self.assertEqual(trees["longer"], trees["theirs"] + 3)

    def test_a_model_of_the_name_becomes_an_older_version(self):
        self.assertEqual(self.import_stored(), 1)
        first = self.model_digest()
        self.assertEqual(self.import_stored("lightgbm_two.txt"), 2)
        self.assertNotEqual(self.model_digest(), first)
        self.run_all("ROLLBACK MODEL m TO 1")
        self.assertEqual(self.model_digest(), first)
        self.assertIn(("statement", "IMPORT MODEL m"), self.run_all("SHOW MODEL m"))

    def test_an_import_is_part_of_the_transaction(self):
        self.run_all("BEGIN")
        self.import_stored()
        self.run_all("ROLLBACK")
        self.assertEqual(self.models(), [])
        self.run_all("BEGIN")
        self.import_stored()
        self.run_all("COMMIT")
        self.assertEqual(self.models(), [("m", 1)])

    def test_models_are_imported_out_of_a_table_of_blobs(self):
        self.run_all("CREATE TABLE files (name TEXT, content BLOB)")
        for path in FILES:
            self.run_all("INSERT INTO files VALUES (?, ?)", path.name.replace(".", "_"), path.read_bytes())
        self.assertEqual(self.run_all("SELECT totrain_import_model(name, content) FROM files"), [(1,)] * len(FILES))
        self.assertEqual(sorted(name for name, _ in self.models()), sorted(path.name.replace(".", "_") for path in FILES))

    def test_a_model_of_an_attached_database_has_its_name(self):
        self.run_all("ATTACH ? AS other", str(self.folder / "other.db"))
        self.import_stored(model="other.m")
        self.assertEqual(self.value("SELECT count(*) FROM sqlite_master WHERE name = 'm'"), 0)
        self.assertGreater(len(self.value("SELECT totrain_export_model('other.m', 'lightgbm')")), 1000)

    def test_nothing_is_done_with_null(self):
        for sql in ("SELECT totrain_import_model('m', NULL)", "SELECT totrain_import_model(NULL, x'00')",
                    "SELECT totrain_export_model(NULL, 'xgboost')", "SELECT totrain_export_model('m', NULL)"):
            self.assertIsNone(self.value(sql))
        self.assertEqual(self.models(), [])
        self.assertEqual(self.value("SELECT totrain_import_model('m', ?, NULL)",
                                    (STORED / "xgboost_two.ubj").read_bytes()), 1)

    def test_mistakes_with_blobs_say_what_is_wrong(self):
        content = (STORED / "xgboost_two.json").read_bytes()
        take = "SELECT totrain_import_model(?, ?, ?)"
        self.refused('there is no format "pmml"\nHINT:  Formats are xgboost', take, "m", content, "pmml")
        self.refused('there is no format ""', take, "m", content, "")
        self.refused('no model of the format "lightgbm"', take, "m", content, "lightgbm")
        self.refused('the name "totrain_m" is reserved', take, "totrain_m", content, None)
        self.refused('no schema "nowhere"', take, "nowhere.m", content, None)
        self.refused("is not a valid name of a model", take, "a.b.c", content, None)
        self.refused("a name is empty|is not a valid name of a model", take, "", content, None)
        self.refused("is not a valid name of a model|the file's content, a blob", take, "m", 7, None)
        self.refused("it is not a model of XGBoost, LightGBM or ONNX", take, "m", b"", None)
        self.refused("no JSON at byte 300", take, "m", content[:300], None)
        self.refused("rows", take, "rows", content, None)
        self.refused('there is no model "m"', "SELECT totrain_export_model('m', 'xgboost')")
        self.run_all("SELECT a, b, a + b AS y FROM rows WHERE a IS NOT NULL AND b IS NOT NULL "
                     "TO TRAIN LinearRegressor WITH epochs = 1 LABEL y INTO line")
        self.refused("has no trees that could be exported", "SELECT totrain_export_model('line', 'xgboost')")
        self.refused("wrong number of arguments", "SELECT totrain_import_model('m')")
        self.assertEqual(self.models(), [("line", 1)])

    def test_mistakes_with_files_have_their_place(self):
        self.import_stored()
        broken = self.folder / "broken.json"
        broken.write_bytes((STORED / "xgboost_two.json").read_bytes()[:300])
        for pattern, sql in (("cannot read .*nothing.json", f"IMPORT MODEL n FROM '{self.folder}/nothing.json'"),
                             ("is no ordinary file", f"IMPORT MODEL n FROM '{self.folder}'"),
                             ("no JSON at byte 300", f"IMPORT MODEL n FROM '{broken}'"),
                             ('no model of the format "lightgbm"', f"IMPORT MODEL n FROM '{broken}' FORMAT lightgbm"),
                             ("does not show its format", f"EXPORT MODEL m TO '{self.folder}/m'"),
                             ("there is no format", f"EXPORT MODEL m TO '{self.folder}/m.json' FORMAT pmml"),
                             ("cannot write", f"EXPORT MODEL m TO '{self.folder}/no/m.json'"),
                             ("is no ordinary file", f"EXPORT MODEL m TO '{self.folder}' FORMAT xgboost"),
                             ("exists|no model", f"IMPORT MODEL rows FROM '{STORED}/xgboost_two.json'")):
            with self.subTest(sql):
                self.refused(f"(?s){pattern}.*\nLINE 1: .*\n *\\^", sql)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith("m")], [])
        self.assertEqual(self.models(), [("m", 1)])

    def test_no_view_of_anybodys_imports_or_exports(self):
        self.import_stored()
        for call in ("totrain_import_model('n', x'00')", "totrain_export_model('m', 'xgboost')"):
            self.run_all(f"CREATE VIEW trap AS SELECT {call}")
            self.refused("unsafe use of", "SELECT * FROM trap")
            self.run_all("DROP VIEW trap")

    def test_damaged_bytes_are_refused_or_make_a_whole_model(self):
        """Cut, and with a byte changed: whatever comes of it, the model that was there can be read."""
        taken = 0
        for path in FILES:
            content = path.read_bytes()
            step = max(1, len(content) // 15)
            damaged = [content[:size] for size in range(0, len(content), step)]
            damaged += [content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1:]
                        for at in range(0, len(content), step)]
            for i, bad in enumerate(damaged):
                try:
                    self.value("SELECT totrain_import_model('m', ?)", bad)
                    taken += 1
                except sqlite3.Error as error:
                    self.assertRegex(str(error), "^totrain_import_model: .+", f"{path.name} {i}")
                    continue
                self.run_all("SELECT totrain_import_model('again', totrain_export_model('m', 'xgboost'))")
        self.assertGreater(taken, 0)
        self.assertEqual(sorted(name for name, _ in self.models()), ["again", "m"])


harness.main()
