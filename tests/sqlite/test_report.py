"""totrain report and REPORT MODEL: the model card of a model, as HTML and as Markdown."""

import html.parser
import json
import sqlite3

import harness

VOID = {"meta", "link", "br"}


class Page(html.parser.HTMLParser):
    """Sections by id: their headings, tables as lists of rows, and pictures; refuses elements that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.sections, self.links = [], {}, []
        self.section = self.text = None
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert tag not in ("script", "iframe", "object", "img", "link"), tag
        assert not any(name.startswith("on") or name in ("src", "srcset") for name in attributes), attributes
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.section = self.sections[attributes["id"]] = {"rows": [], "pictures": 0, "items": [], "title": ""}
        elif tag == "a":
            self.links.append(attributes["href"])
        elif self.section and tag == "tr":
            self.section["rows"].append([])
        elif self.section and tag == "svg":
            self.section["pictures"] += 1
        self.text = ""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
        if self.section and tag in ("td", "th"):
            self.section["rows"][-1].append(self.text)
        elif self.section and tag == "li":
            self.section["items"].append(self.text)
        elif self.section and tag == "h2":
            self.section["title"] = self.text
        elif tag == "section":
            self.section = None

    def handle_startendtag(self, tag, attributes):
        """Shapes of a picture."""

    def handle_data(self, data):
        self.text = (self.text or "") + data


class Report(harness.Case):
    def setUp(self):
        super().setUp()
        with sqlite3.connect(self.path) as database:
            for name in ("titanic", "boston"):
                harness.load_csv(database, name)
        database.close()

    def train(self, statement):
        self.assertEqual(self.run_program(self.path, "-c", statement).returncode, 0)

    def write(self, model, *words, name="card.html"):
        done = self.run_program("report", self.path, model, *words, "-o", str(self.folder / name))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return (self.folder / name).read_text(encoding="utf-8")

    def answer(self, statement):
        return json.loads(self.run_program(self.path, "--format=json", "-c", statement).stdout)

    def test_a_classifier_has_all_sections_and_the_numbers_of_its_statements(self):
        self.train("SELECT * FROM titanic TO TRAIN XGBClassifier WITH train.num_boost_round = 5 LABEL survived INTO m")
        page = Page(self.write("m", "-c", "SELECT * FROM titanic WHERE age = 'adults'"))
        self.assertEqual(list(page.sections), ["quality", "training", "confusion", "classes", "roc", "pr", "thresholds", "gain",
                                               "calibration", "importance", "shap", "dependence", "drift", "model", "versions", "origin"])
        self.assertEqual({name for name, section in page.sections.items() if section["pictures"]},
                         {"training", "confusion", "roc", "pr", "gain", "calibration", "importance", "shap", "dependence"})
        self.assertEqual(page.links, [f"#{name}" for name in page.sections if name != "origin"])
        rows = "SELECT * FROM titanic WHERE age = 'adults'"
        metrics = self.answer(f"{rows} TO EVALUATE m WITH evaluate.interval = 0.95")[0]
        shown = {row[0]: row[1:] for row in page.sections["quality"]["rows"][1:]}
        for name in ("Accuracy", "AUC", "LogLoss", "F1"):
            for value, column in zip(shown[name], (name, f"{name}_lower", f"{name}_upper")):
                self.assertAlmostEqual(float(value), metrics[column], places=4)
        self.assertEqual(shown["loss"][1:], ["", ""])
        confusion = self.answer(f"{rows} TO EVALUATE m WITH evaluate.report = 'confusion'")
        self.assertEqual(page.sections["confusion"]["rows"][1:],
                         [[row["actual"], row["predicted"], str(row["rows"])] for row in confusion])
        self.assertEqual({row[0] for row in page.sections["drift"]["rows"][1:]}, {"(prediction)", "class", "age", "sex"})
        facts = {row[0]: row[1] for row in page.sections["model"]["rows"][1:]}
        self.assertEqual((facts["kind"], facts["label"]), ("XGBClassifier", "survived"))
        self.assertFalse({"statement", "digest", "notice"} & facts.keys())

    def test_a_regressor_has_residuals_and_its_notices(self):
        self.train("SELECT * FROM boston TO TRAIN LinearRegressor WITH train.epoch = 5 LABEL medv INTO m")
        page = Page(self.write("m", "--theme=dark"))
        self.assertEqual(page.sections["residuals"]["pictures"], 1)
        self.assertTrue(any("rad" in item for item in page.sections["notices"]["items"]), page.sections["notices"])
        self.assertEqual([row[0] for row in page.sections["quality"]["rows"]], ["metric", "loss", "RMSE", "MAE", "R2"])
        self.assertNotIn("confusion", page.sections)

    def test_a_forecast_has_what_is_expected_next(self):
        with sqlite3.connect(self.path) as database:
            database.execute("CREATE TABLE days AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
                             "SELECT date('2024-01-01', i || ' days') AS day, 10.0 * (i % 7) + i % 5 AS sales FROM n")
        database.close()
        self.train("SELECT * FROM days TO TRAIN AutoETS WITH forecast.time = 'day', forecast.horizon = 3 LABEL sales INTO f")
        text = self.write("f")
        self.assertIn("Its metrics are those of the backtest", text)
        rows = Page(text).sections["forecast"]["rows"]
        self.assertEqual([row[0] for row in rows], ["day", "2024-02-11", "2024-02-12", "2024-02-13"])

    def test_a_date_leaves_the_dependence_of_the_other_columns(self):
        with sqlite3.connect(self.path) as database:
            database.execute("CREATE TABLE days AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 400) "
                             "SELECT date('2024-01-01', i || ' days') AS day, i % 7 AS n, 10.0 * (i / 30 % 12) + i % 7 AS y FROM n")
        database.close()
        self.train("SELECT * FROM days TO TRAIN XGBRegressor WITH train.num_boost_round = 20 LABEL y INTO m")
        page = Page(self.write("m"))
        self.assertEqual(page.sections["importance"]["rows"][1][0], "day")
        self.assertEqual({row[0] for row in page.sections["dependence"]["rows"][1:]}, {"n"})
        self.assertEqual(page.sections["shap"]["pictures"], 1)
        self.assertEqual(page.sections["shap"]["rows"][0], ["input", "importance", "direction", "base"])  # points are not read

    def test_what_a_kind_does_not_have_is_said_with_the_reason(self):
        self.train("SELECT * FROM boston TO TRAIN KMeans WITH model.n_clusters = 3 INTO m")
        page = Page(self.write("m"))
        self.assertEqual([item.split(":")[0] for item in page.sections["gaps"]["items"]], ["SHAP values", "Partial dependence"])
        self.assertIn("Silhouette", {row[0] for row in page.sections["quality"]["rows"]})

    def test_names_of_tables_and_columns_are_no_markup(self):
        with sqlite3.connect(self.path) as database:
            database.execute('CREATE TABLE "<script>x</script>" AS SELECT *, age || "<b>" AS "<img src=x>" FROM titanic')
        database.close()
        self.train('SELECT * FROM "<script>x</script>" TO TRAIN LogisticRegression LABEL survived INTO "m<i>&"')
        page = Page(self.write('"m<i>&"'))  # which refuses elements of other kinds
        self.assertIn("<img src=x>", {row[0] for row in page.sections["importance"]["rows"]})
        self.assertIn("| &lt;img src=x&gt; |", self.write('"m<i>&"', name="card.md"))

    def test_the_statement_and_the_function_give_the_page_of_the_command(self):
        self.train("SELECT * FROM titanic TO TRAIN LogisticRegression LABEL survived INTO m")
        for name in ("card.html", "card.md"):
            page, path = self.write("m", name=name), self.folder / f"second_{name}"
            self.assertEqual(self.shell(f"REPORT MODEL main.m TO '{path}'"), (f"model|file|bytes\nm|{path}|{len(page.encode())}\n", ""))
            self.assertEqual(path.read_text(encoding="utf-8"), page)
            self.assertEqual(self.answer(f"REPORT MODEL m TO '{path}' FORMAT html"),
                             [{"model": "m", "file": str(path), "bytes": len(self.write("m").encode())}])
        self.database = self.connect(isolation_level=None)
        self.assertEqual(self.run_all("SELECT totrain_report('m'), totrain_report('main.m', 'markdown'), totrain_report(NULL)"),
                         [(self.write("m"), self.write("m", name="card.md"), None)])
        adults = "SELECT * FROM titanic WHERE age = 'adults'"
        self.assertEqual(self.run_all("SELECT totrain_report('m', NULL, ?)", adults), [(self.write("m", "-c", adults),)])

    def test_the_page_names_the_versions_that_are_kept(self):
        for rounds in (2, 3):
            self.train(f"SELECT * FROM titanic TO TRAIN XGBClassifier WITH train.num_boost_round = {rounds} "
                       "LABEL survived INTO m")
        rows = Page(self.write("m")).sections["versions"]["rows"]
        self.assertEqual(rows[0], ["version", "digest", "created at", "state"])
        self.assertEqual([(row[0], row[3]) for row in rows[1:]], [("2", "current"), ("1", "kept")])

    def test_mistakes_in_the_statement_leave_the_old_page(self):
        self.train("SELECT * FROM titanic TO TRAIN LogisticRegression LABEL survived INTO m")
        self.database, path = self.connect(isolation_level=None), self.folder / "card.html"
        path.write_text("before")
        for sql, error in ((f"REPORT MODEL m TO '{path}' FORMAT pdf", 'no format "pdf" of reports(?s:.*)html and markdown'),
                           ("REPORT MODEL m TO 'card.pdf'", 'ending of "card.pdf" names no format(?s:.*)html and .md'),
                           (f"REPORT MODEL n TO '{path}'", 'no model "n"'), ("REPORT MODEL m TO ''", "file is empty"),
                           (f"REPORT MODEL m INTO '{path}'", "expected TO"),
                           ("SELECT totrain_report('m', 'pdf')", 'no format "pdf"'), ("SELECT totrain_report('n')", 'no model "n"'),
                           ("SELECT totrain_report('m', 'html', 'SELECT 1; DROP TABLE titanic')", "a second statement"),
                           (f"REPORT MODEL m TO '{self.folder}/no/card.html'", "No such file")):
            with self.assertRaisesRegex(sqlite3.Error, error):
                self.run_all(sql)
        self.run_all("CREATE VIEW theirs AS SELECT totrain_report('m')")
        with self.assertRaisesRegex(sqlite3.Error, "unsafe use"):
            self.run_all("SELECT * FROM theirs")
        self.run_all("DROP TABLE titanic")
        with self.assertRaisesRegex(sqlite3.Error, "nothing can be measured: no such table: titanic"):
            self.run_all(f"REPORT MODEL m TO '{path}'")
        self.assertEqual(path.read_text(), "before")

    def test_mistakes_are_told_and_an_old_page_stays(self):
        self.train("SELECT * FROM titanic TO TRAIN LogisticRegression LABEL survived INTO m")
        before = self.write("m")
        old = str(self.folder / "card.html")
        for words, error in (((self.path,), "takes a database and a model"), ((self.path, "nosuch"), 'no model "nosuch"'),
                             ((self.path, "m", "-c", "SELECT * FROM nosuch"), "nothing can be measured: no such table: nosuch"),
                             ((self.path, "m", "-c", "SELECT * FROM titanic WHERE 0"), "returns no rows"),
                             ((self.path, "m", "-c", "SELECT 1; DROP TABLE titanic"), "a second statement"),
                             (("nothing.db", "m"), "nothing.db: No such file")):
            done = self.run_program("report", *words, "-o", old)
            self.assertIn(error, done.stderr)
            self.assertNotEqual(done.returncode, 0)
        self.assertEqual((self.folder / "card.html").read_text(encoding="utf-8"), before)
        self.train("DROP TABLE titanic")
        self.assertIn("no such table: titanic", self.run_program("report", self.path, "m").stderr)


if __name__ == "__main__":
    harness.main()
