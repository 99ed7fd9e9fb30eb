"""The magics in a real kernel, over the protocol that front ends speak: progress, results, errors, interrupts,
completion, jupysql."""

import harness
from kernel import Kernel, errors, text_of


class Notebook(harness.Case):
    """One kernel for all tests: each has a folder of its own, and nothing is connected when it begins."""

    @classmethod
    def setUpClass(cls):
        cls.kernel = Kernel()
        cls.addClassCleanup(cls.kernel.close)

    def setUp(self):
        super().setUp()
        harness.load_iris(self.connect())
        self.run_cell(f"import os\nos.chdir({str(self.folder)!r})\n"
                      f"os.environ['TOTRAIN_STATE'] = {str(self.state)!r}\n%reload_ext totrain")

    def run_cell(self, code):
        outputs = self.kernel.run(code)
        self.assertEqual(errors(outputs), [])
        return outputs

    def train(self):
        self.run_cell("%totrain test.db")
        return self.run_cell(f"%%totrain\nSELECT * FROM iris {harness.TRAIN};")

    def test_a_cell_shows_the_rows_of_all_statements_and_gives_those_of_the_last(self):
        self.assertIn("totrain: test.db", text_of(self.run_cell("%totrain test.db")))
        outputs = self.run_cell(f"""
            %%totrain
            CREATE TABLE few AS SELECT * FROM iris WHERE class < 2;
            SELECT * FROM few {harness.TRAIN};
            SELECT * FROM few TO EVALUATE m;
            SELECT class, count(*) AS flowers FROM few GROUP BY class;
            """)
        self.assertEqual(outputs[-1]["output_type"], "execute_result")
        self.assertRegex(text_of(outputs[-1:]), r"class +flowers\n-+ +-+\n0 +50\n1 +50")
        self.assertIn("<table", text_of(outputs[-1:], "text/html"))
        shown = text_of(outputs[:-1])
        self.assertRegex(shown, r"Accuracy +1 +training")
        self.assertRegex(shown, r"loss +Accuracy")
        self.run_cell("%%totrain found <<\nSELECT count(*) AS n FROM few")
        self.assertIn("100", text_of(self.run_cell("print(type(found).__name__, found['n'][0])")))
        self.assertIn("DataFrame", text_of(self.run_cell("print(type(found).__name__)")))

    def test_notices_are_shown_in_full(self):
        self.run_cell("%totrain test.db")
        outputs = self.run_cell("%%totrain\nCREATE TABLE same AS SELECT 'always the same long text' AS c, * FROM iris;\n"
                                f"SELECT * FROM same {harness.TRAIN};")
        notices = [line for line in text_of(outputs[-1:]).split("\n") if line.startswith("notice")]
        self.assertTrue(any(len(line) > 80 and "..." not in line for line in notices), notices)

    def test_a_statement_is_no_database(self):
        outputs = self.kernel.run("%totrain SELECT 1")
        self.assertIn("statements stand below %%totrain", str(errors(outputs)))
        self.assertFalse((self.folder / "SELECT 1").exists())

    def test_the_end_of_training_is_shown_with_its_curve(self):
        outputs = self.train()
        self.assertRegex(text_of(outputs[:1]), r"epoch 20/20  step .*loss ")
        self.assertEqual(outputs[-1]["output_type"], "execute_result")

    def test_the_first_output_comes_before_the_first_row_and_others_while_it_trains(self):
        self.run_cell("%totrain test.db")
        updates, is_interrupted = [], False
        for message in self.kernel.messages(f"%%totrain\nSELECT * FROM iris {harness.TRAIN_LONG}"):
            if message["msg_type"] == "display_data":
                self.assertIn("reading rows", message["content"]["data"]["text/plain"])
            if message["msg_type"] == "update_display_data":
                updates.append(message["content"]["data"])
            if not is_interrupted and len(updates) >= 3 and "<path" in updates[-1]["text/html"]:
                is_interrupted = True
                self.kernel.manager.interrupt_kernel()
        self.assertIn("<path", updates[-1]["text/html"])
        self.assertRegex(updates[-1]["text/plain"], "step .* loss ")

    def test_an_interrupt_ends_the_statement_and_leaves_the_old_model(self):
        self.train()
        before = self.digest(self.connect())
        ended, is_interrupted = [], False
        for message in self.kernel.messages(f"%%totrain\nSELECT * FROM iris {harness.TRAIN_LONG}"):
            if (not is_interrupted and message["msg_type"] == "update_display_data"
                    and "step" in message["content"]["data"]["text/plain"]):
                is_interrupted = True  # a second one would meet Python's own code
                self.kernel.manager.interrupt_kernel()
            if message["msg_type"] == "error":
                ended.append(message["content"])
        self.assertEqual([error["evalue"].splitlines()[0] for error in ended], ["interrupted"])
        self.assertNotIn("Traceback", "\n".join(ended[0]["traceback"]))
        self.check_nothing_runs()
        self.assertEqual(self.digest(self.connect()), before)
        self.assertIn("150", text_of(self.run_cell("%%totrain\nSELECT count(*) AS n FROM iris")))

    def test_an_error_has_its_caret_and_no_traceback(self):
        self.run_cell("%totrain test.db")
        for statement, expected in (
                ("SELECT * FROM iris TO TRAIN LinearClassifier LABEL klass INTO m", "Did you mean class?"),
                ("SELECT * FROM iris TO TRAYN LinearClassifier LABEL class INTO m", "TRAYN"),
                ("SELECT nope FROM iris", "no such column: nope")):
            with self.subTest(statement):
                error = errors(self.kernel.run(f"%%totrain\nSELECT 1;\n{statement};"))[0]
                shown = "\n".join(error["traceback"])
                self.assertIn(expected, shown)
                self.assertNotIn("Traceback", shown)
                self.assertNotIn(".py", shown)
                if "iris TO" in statement:
                    self.assertIn("^\n", shown)

    def test_without_a_connection_the_cell_says_what_to_do(self):
        error = errors(self.kernel.run("%%totrain\nSELECT 1"))[0]
        self.assertIn("%totrain shop.db opens a file of SQLite", error["traceback"][0])
        error = errors(self.kernel.run("%totrain /nowhere/shop.db"))[0]
        self.assertEqual(error["traceback"], ["ERROR:  unable to open database file"])

    def test_a_variable_is_a_connection(self):
        self.run_cell("import totrain\ndatabase = totrain.connect('test.db')\n%totrain database")
        self.assertIn("150", text_of(self.run_cell("%%totrain\nSELECT count(*) AS n FROM iris")))

    def test_completion_knows_keywords_tables_columns_and_models(self):
        self.train()
        for typed, expected in (("SELECT * FROM iris TO TR", "TRAIN"), ("SELECT * FROM ir", "iris"),
                                ("SELECT * FROM iris TO TRAIN DNNC", "DNNClassifier"),
                                ("SELECT * FROM iris TO TRAIN DNNClassifier LABEL cl", "class"),
                                ("SELECT * FROM iris TO EVALUATE ", "m"),
                                ("SELECT 'größe'; SELECT * FROM iris TO TR", "TRAIN")):
            with self.subTest(typed):
                cell = f"%%totrain\n{typed}"
                found = self.kernel.complete(cell)
                self.assertIn(expected, found["matches"])
                self.assertEqual(cell[found["cursor_start"]:found["cursor_end"]],
                                 typed[len(typed) - (found["cursor_end"] - found["cursor_start"]):])
        self.assertIn("import", self.kernel.complete("impo")["matches"])

    def test_cells_of_jupysql_know_the_statements(self):
        self.run_cell("%load_ext sql")
        self.run_cell("%sql sqlite:///test.db")
        self.run_cell("%config SqlMagic.autopandas = True")
        self.run_cell("%config SqlMagic.displaycon = False")
        outputs = self.run_cell(f"%%sql\nSELECT * FROM iris {harness.TRAIN}")
        self.assertIn("Accuracy", text_of(outputs))
        outputs = self.run_cell("%sql SELECT * FROM iris LIMIT 2 TO PREDICT guess USING m")
        self.assertIn("guess", text_of(outputs))
        outputs = self.run_cell("%%totrain\nSELECT * FROM iris TO EVALUATE m")
        self.assertIn("Accuracy", text_of(outputs))
        self.run_cell("%sql --close sqlite:///test.db")

    def test_it_can_be_loaded_and_unloaded(self):
        self.train()
        self.run_cell("%unload_ext totrain")
        self.assertIn("not found", text_of(self.kernel.run("%totrain test.db")) +
                      str(errors(self.kernel.run("%%totrain\nSELECT 1"))))


harness.main()
