"""Pictures are what the program draws of the same rows, and a notebook shows them."""

import re
import subprocess
import xml.dom.minidom

import harness
import totrain


class Pictures(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect()
        harness.load_iris(self.database)
        self.database.execute(f"SELECT * FROM iris WHERE class < 2 {harness.TRAIN}").fetchall()
        self.model = totrain.Model(self.database, "m")

    def test_each_is_that_of_the_program_on_the_rows_of_the_training(self):
        for kind in ("history", "confusion", "roc", "pr", "gain", "calibration", "importance", "shap", "dependence"):
            with self.subTest(kind):
                rows = () if kind == "history" else ("SELECT * FROM iris WHERE class < 2",)
                picture = getattr(totrain.picture, kind)(self.model, *rows, theme="dark")
                xml.dom.minidom.parseString(picture.svg)
                drawn = subprocess.run([totrain.program_path(), "picture", self.path, "m", kind, "--theme=dark"],
                                       capture_output=True, text=True, check=True).stdout
                self.assertEqual(picture.svg, drawn)
                self.assertEqual(picture._repr_html_(), drawn)

    def test_a_forecast_of_one_series(self):
        self.database.executescript("CREATE TABLE days AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59) "
                                    "SELECT store, date('2024-01-01', i || ' days') AS day, 10.0 * (i % 7) + i % 5 AS sales "
                                    "FROM n, (SELECT 'north' AS store UNION ALL SELECT 'south')")
        self.database.execute("SELECT * FROM days TO TRAIN AutoETS WITH forecast.time = 'day', forecast.group = 'store', "
                              "forecast.horizon = 7, forecast.history = 30 LABEL sales INTO f").fetchall()
        rows = ("SELECT store, day, sales FROM days WHERE store = 'south' UNION ALL "
                "SELECT series, time, NULL FROM totrain_forecast('f') WHERE series = 'south'")
        picture = totrain.picture.forecast(totrain.Model(self.database, "f"), rows, theme="light")
        xml.dom.minidom.parseString(picture.svg)
        self.assertEqual(len(re.findall(r"<rect [^>]*class=\"a\"", picture.svg)), 37)
        drawn = subprocess.run([totrain.program_path(), "picture", self.path, "f", "forecast", "--theme=light", "-c", rows],
                               capture_output=True, text=True, check=True).stdout
        self.assertEqual(picture.svg, drawn)
        with self.assertRaisesRegex(totrain.Error, "the rows belong to several series"):
            totrain.picture.forecast(totrain.Model(self.database, "f"), "SELECT * FROM days")

    def test_a_frame_will_do_and_a_file_is_written(self):
        frame = {name: [value for value, label in zip(values, harness.read_iris()["class"]) if label < 2]
                 for name, values in harness.read_iris().items()}
        picture = totrain.picture.roc(self.model, frame)
        self.assertEqual(picture.svg, totrain.picture.roc(self.model, "SELECT * FROM iris WHERE class < 2").svg)
        picture.save(str(self.folder / "roc.svg"))
        self.assertEqual((self.folder / "roc.svg").read_text(), picture.svg)

    def test_rows_of_another_kind_are_refused(self):
        with self.assertRaisesRegex(totrain.Error, "the rows have no column actual"):
            totrain.picture.draw("confusion", self.model.history())
        with self.assertRaisesRegex(totrain.Error, 'there is no picture "rock"'):
            totrain.picture.draw("rock", self.model.history())


harness.main()
