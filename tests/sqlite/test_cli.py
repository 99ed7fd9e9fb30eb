"""The program: arguments, formats, progress, exit codes."""

import csv
import io
import json
import sqlite3
import subprocess

import harness

QUICK = ("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m;")
ODD = ("SELECT 'a,\"b\"' AS text, NULL AS missing, '' AS empty, 1 AS whole, 0.1 AS real, "
       "x'00ff' AS bytes, 'two\nlines' AS \"odd | name\";")


class Program(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()

    def check(self, *arguments, code=0, **options):
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_what_is_meant_as_a_statement_or_a_command_makes_no_database(self):
        before = sorted(self.folder.iterdir())
        for word, hint in (("SELECT 1", "a statement after -c"), ("train", "a statement after -c"), ("wrker", "Did you mean totrain worker?"),
                           ("job", "Did you mean totrain jobs?"), ("nosuch", "written ./nosuch, or with an ending: nosuch.db."),
                           ("SELECT 1 + 0.5", "a statement after -c")):
            with self.subTest(word):
                self.assertIn(hint, self.check(word, code=2, cwd=self.folder).stderr)
        self.assertIn("a statement after -c", self.check(self.path, "SELECT 1", code=2).stderr)
        self.assertIn("a statement after -c", self.check("SELECT", "1", code=2, cwd=self.folder).stderr)
        self.assertIn("usage: totrain DB", self.check("help", cwd=self.folder).stdout)
        self.assertRegex(self.check("version", cwd=self.folder).stdout, r"^totrain \d")
        self.assertEqual(sorted(self.folder.iterdir()), before)
        for name in ("new.db", "./new", "file:newer?mode=rwc"):
            self.check(name, "-c", "CREATE TABLE t (a)", cwd=self.folder)
        self.check("./train", "-c", "CREATE TABLE t (a)", cwd=self.folder)
        self.check("train", "-c", "SELECT * FROM t", cwd=self.folder)

    def test_a_column_named_alone_is_returned_with_the_rows(self):
        self.check(self.path, "-c", QUICK)
        predict = "SELECT * FROM iris ORDER BY rowid LIMIT 3 TO PREDICT guess USING m"
        lines = self.check(self.path, "-c", predict, "--format", "csv").stdout.split()
        self.assertEqual(lines[0], "sepal_length,sepal_width,petal_length,petal_width,class,guess")
        self.assertEqual([line.split(",")[4:] for line in lines[1:]], [["0", "0"]] * 3)
        rows = json.loads(self.check(self.path, "-c", predict, "--format", "json").stdout)
        self.assertEqual([(row["class"], row["guess"]) for row in rows], [(0, 0)] * 3)
        explained = self.check(self.path, "-c", f"EXPLAIN {predict}", "--format", "csv").stdout
        self.assertIn("into,none: the rows are the result\ncolumns added,guess\n", explained)
        self.assertEqual(self.check(self.path, "-c", ".tables").stdout.count("guess"), 0)

    def test_a_metric_that_does_not_say_all_has_a_notice(self):
        evaluate = "SELECT sepal_length, sepal_width, petal_length, petal_width, 7 AS class FROM iris LIMIT {} TO EVALUATE m"
        self.check(self.path, "-c", QUICK)

        def rows_of(*statements):
            done = self.check(self.path, "--format=json", *(part for text in statements for part in ("-c", text)))
            self.assertNotIn("NOTICE", done.stderr)
            return json.loads("[" + ("\n" + done.stdout).rpartition("\n[")[2])

        for more in ("", " WITH job.max_workers = 2", " INTO measured"):
            found = rows_of(evaluate.format(3) + more, *(["SELECT * FROM measured"] if "INTO" in more else []))[-1]
            self.assertEqual(found["notice"], "3 rows have a label that the model has not learned, and count as wrong")
        found = rows_of(evaluate.format(1) + " WITH validation.metrics = 'AUC'")[0]
        self.assertIsNone(found["AUC"])
        self.assertEqual(found["notice"], "1 row has a label that the model has not learned, and counts as wrong; "
                                          "AUC is NULL: all rows have the same class")
        self.assertEqual(rows_of("SELECT * FROM iris TO EVALUATE m")[0]["notice"], "")
        many = ("CREATE TABLE many AS WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 999) "
                "SELECT i % 201 AS class, i % 7 AS x FROM s")
        self.check(self.path, "-c", many)
        trained = rows_of("SELECT * FROM many TO TRAIN LinearClassifier WITH validation.metrics = 'AUC', train.epoch = 1 "
                          "LABEL class INTO many_model")
        self.assertIn("AUC of the validation rows is NULL: it is measured of up to 200 classes, and the model has 201",
                      [row["detail"] for row in trained if row["name"] == "notice"])
        found = rows_of("SELECT * FROM many TO EVALUATE many_model WITH validation.metrics = 'AUC'")[0]
        self.assertEqual(found["notice"], "AUC is NULL: it is measured of up to 200 classes, and the model has 201")

    def test_what_works_is_suggested_for_a_function_of_columns(self):
        done = self.check(self.path, "-c", QUICK.replace("LABEL", "COLUMN VOCABULAR(petal_width) LABEL", 1), code=2)
        self.assertIn("Did you mean VOCABULARY?", done.stderr)
        done = self.check(self.path, "-c", QUICK.replace("LABEL", "COLUMN SQUARE(petal_width) LABEL", 1), code=2)
        self.assertIn("HINT:  There are NUMERIC, DENSE, SPARSE, IMAGE, SEQUENCE, DATE, TEXT, VOCABULARY", done.stderr)

    def test_it_starts_without_the_libraries_of_other_databases(self):
        """Loading them takes twice as long as all the rest of a start (lazy/lazy.h)."""
        linked = subprocess.run(["ldd", harness.PROGRAM], capture_output=True, text=True, check=True,
                                env=harness.plain_environment())
        for library in ("libpq", "libcurl", "krb5", "ldap", "gnutls", "openblas"):
            self.assertNotIn(library, linked.stdout)

    def test_functions_of_the_extension_are_there(self):
        self.check(self.path, "-c", QUICK)
        done = self.check(self.path, "-c", "SELECT totrain('SHOW MODELS') AS models",
                          "--format", "csv")
        self.assertIn("LinearClassifier", done.stdout)

    def test_a_hint_of_a_function_has_its_own_line(self):
        self.check(self.path, "-c", QUICK)
        done = self.check(self.path, "-c", "SELECT totrain_predict('m', 1)", code=2)
        self.assertRegex(done.stderr, r"ERROR:  totrain_predict: .*\nHINT:  They are ")

    def test_a_damaged_model_is_named(self):
        self.check(self.path, "-c", QUICK)
        self.check(self.path, "-c", "UPDATE m SET data = '{' WHERE part = 'meta'")
        done = self.check(self.path, "-c", "SELECT * FROM iris TO PREDICT USING m", code=1)
        self.assertIn('model "m" is damaged: no JSON', done.stderr)

    def test_large_integer_labels_are_told_apart(self):
        rows = "WITH t AS (SELECT 1 x, 9007199254740993 y UNION ALL SELECT 2, 9007199254740992) "
        self.check(self.path, "-c",
                   rows + "SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m")
        done = self.check(self.path, "--format", "json", "-c",
                          rows + "SELECT * FROM t TO EVALUATE m")
        self.assertEqual(json.loads(done.stdout)[0]["Accuracy"], 1)

    def test_attributes_of_a_regressor_are_those_it_takes(self):
        done = self.check(self.path, "--format", "json", "-c", "SHOW ATTRIBUTES FOR DNNRegressor")
        names = {row["name"] for row in json.loads(done.stdout)}
        self.assertIn("model.hidden_units", names)
        self.assertFalse(names & {"model.n_classes", "train.class_weight", "predict.extra_outputs"})

    def test_roles_take_no_address_that_anybody_could_reach(self):
        done = subprocess.run([harness.PROGRAM, "master", "folder", "--listen",
                               "tcp:127.0.0.1:0"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("TCP needs --tls FOLDER", done.stderr)

    def test_the_main_job(self):
        done = self.check(self.path, "-c", harness.TRAIN_IRIS, "-c",
                          "SELECT * FROM iris TO PREDICT p.class USING iris_model; SHOW MODELS;")
        self.assertIn("Accuracy", done.stdout)
        self.assertIn("iris_model", done.stdout)

    def test_json_has_numbers_as_numbers(self):
        done = self.check(self.path, "--format", "json", "-c", QUICK)
        rows = {row["name"]: row for row in json.loads(done.stdout)}
        self.assertEqual(rows["rows"], {"name": "rows", "value": None, "part": None, "detail": "150"})
        done = self.check(self.path, "--format=json", "-c", ODD)
        self.assertEqual(json.loads(done.stdout), [
            {"text": 'a,"b"', "missing": None, "empty": "", "whole": 1, "real": 0.1,
             "bytes": "X'00FF'", "odd | name": "two\nlines"}])
        done = self.check(self.path, "--format=json", "-c", "SELECT 1 AS x WHERE 0;")
        self.assertEqual(json.loads(done.stdout), [])

    def test_people_see_five_digits_and_machines_all(self):
        self.check(self.path, "-c", QUICK)
        evaluate, select = "SELECT * FROM iris TO EVALUATE m;", "SELECT loss FROM measured;"
        exact, = {row["loss"] for row in json.loads(self.check(self.path, "--format=json", "-c", evaluate).stdout)}
        self.assertGreater(len(repr(exact)), 10)
        shown = {form: self.check(self.path, f"--format={form}", "-c", evaluate).stdout for form in ("table", "box", "csv")}
        for form in ("table", "box"):
            self.assertIn(f" {exact:.5g} ", shown[form])
        self.assertIn(f"\n{exact!r},", shown["csv"])
        self.check(self.path, "-c", evaluate.replace(";", " INTO measured;"))
        self.assertIn(f" {exact!r}\n", self.check(self.path, "-c", select).stdout)  # rows of the user's are as they are

    def test_csv_reads_back(self):
        done = self.check(self.path, "--format", "csv", "-c", ODD)
        self.assertEqual(done.stdout, 'text,missing,empty,whole,real,bytes,odd | name\n'
                         '"a,""b""",,"",1,0.1,X\'00FF\',"two\nlines"\n')
        self.assertEqual(list(csv.reader(io.StringIO(done.stdout)))[1][0], 'a,"b"')

    def test_markdown_escapes_bars(self):
        done = self.check(self.path, "--format", "markdown", "-c", ODD)
        self.assertIn(r"| odd \| name |", done.stdout)
        self.assertIn("two<br>lines", done.stdout)

    def test_tables_are_aligned_for_wide_characters(self):
        done = self.check(self.path, "-c", "SELECT '漢字' AS a, 1 AS b UNION ALL SELECT 'é', 23;")
        self.assertEqual(done.stdout, " a    | b \n------+----\n 漢字 |  1\n é    | 23\n"
                         .replace(" a    | b \n", " a    | b\n"))

    def test_control_characters_do_not_reach_the_terminal(self):
        done = self.check(self.path, "-c", "SELECT char(27) || '[31m' AS x;")
        self.assertNotIn("\x1b", done.stdout)

    def test_schema_can_be_copied(self):
        made = "CREATE TABLE odd(a int, -- \x1b[31m\n\tb text)"
        done = self.check(self.path, "-c", made, "-c", ".schema odd")
        self.assertEqual(done.stdout, made.replace("\x1b", "\\x1b") + ";\n")
        again = self.check(self.path, "-c", "DROP TABLE odd", "-c", done.stdout, "-c", ".schema odd")
        self.assertEqual(again.stdout, done.stdout)

    def test_a_header_with_a_line_break_is_one_line(self):
        done = self.check(self.path, "-c", "SELECT 1\n+1, 'x' AS y")
        self.assertEqual(done.stdout.splitlines()[0], " 1\\n+1 | y")

    def test_a_file_and_standard_input(self):
        script = self.folder / "script.sql"
        script.write_text("SELECT 1 AS x;\n" + QUICK)
        self.assertIn("Accuracy", self.check(self.path, "-f", script).stdout)
        self.assertIn("Accuracy", self.check(self.path, input=QUICK).stdout)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def test_an_error_in_a_file_names_the_file_and_the_line(self):
        script = self.write("script.sql", "SELECT 1 AS x;\n\n  SELECT nope;\nSELECT 'never';")
        done = self.check(self.path, "-f", script, code=2)
        self.assertEqual(done.stderr, f"{script}:3: ERROR:  no such column: nope\n"
                         "LINE 3:   SELECT nope;\n                 ^\n")
        self.assertNotIn("never", done.stdout)

    def test_a_file_reads_files_beside_it_and_errors_name_all_of_them(self):
        outer = self.write("outer.sql", "-- first the rows\n.read inner/rows.sql\nSELECT 'never';")
        self.write("inner/rows.sql", "SELECT 'begun';\n.read 'last one.sql'\n")
        inner = self.write("inner/last one.sql", "SELECT 'deep';\n.mode json\n.mode yaml\n")
        done = self.check(self.path, "-f", outer, code=2)
        self.assertIn("begun", done.stdout)
        self.assertIn("deep", done.stdout)
        self.assertNotIn("never", done.stdout)
        self.assertEqual(done.stderr.splitlines(), [
            f"{inner}:3: ERROR:  .mode is table, box, line, csv, tsv, json or markdown, not \"yaml\"",
            "LINE 3: .mode yaml", "        ^",
            f"CONTEXT:  read at {self.folder}/inner/rows.sql:2", f"CONTEXT:  read at {outer}:2"])

    def test_files_that_read_each_other_end_with_an_error(self):
        script = self.write("again.sql", ".read again.sql\n")
        done = self.check(self.path, "-f", script, code=5)
        self.assertIn(f"{script}:1: ERROR:  files read each other more than 16 deep", done.stderr)

    def test_reading_what_is_no_file_is_an_error(self):
        for name, reason in (("", "Is a directory"), ("/nonesuch", "No such file or directory")):
            done = self.check(self.path, "-c", f".read {self.folder}{name}", code=2 if name else 1)
            self.assertIn(f"{self.folder}{name}: {reason}", done.stderr)
        self.assertIn("takes the name of a file", self.check(self.path, "-c", ".read", code=2).stderr)

    def test_quit_ends_all_files_without_an_error(self):
        outer = self.write("outer.sql", ".read inner.sql\nSELECT 'never';")
        self.write("inner.sql", "SELECT 'shown';\n.quit\nSELECT 'never';")
        done = self.check(self.path, "-f", outer, "-c", "SELECT 'never';")
        self.assertIn("shown", done.stdout)
        self.assertNotIn("never", done.stdout)

    def test_a_dot_in_a_statement_is_no_command(self):
        done = self.check(self.path, "--format=csv", "-c", "SELECT 1 +\n.5 AS x")
        self.assertEqual(done.stderr, "")

    def test_a_dot_command_with_too_much_behind_it_is_refused(self):
        done = self.check(self.path, "-c", ".models iris", code=2)
        self.assertIn("it takes nothing behind it", done.stderr)

    def test_errors_are_coloured_when_asked_and_not_into_pipes(self):
        plain = self.check(self.path, "-c", "SELECT nope FROM iris;", code=2).stderr
        self.assertNotIn("\033", plain)
        for option in ("--color=never", "--color=auto"):
            self.assertEqual(self.check(self.path, option, "-c", "SELECT nope FROM iris;",
                                        code=2).stderr, plain)
        done = self.check(self.path, "--color=always", "-c", "SELECT nope FROM iris;", code=2)
        self.assertEqual(done.stderr, "\033[1;31mERROR:\033[0m  \033[1mno such column: nope\033[0m\n"
                         "LINE 1: SELECT nope FROM iris;\n               \033[1;32m^\033[0m\n")
        done = self.check(self.path, "--color", "always", code=2,
                          input="SELECT * FROM iris TO TRAIN DNNClasifier LABEL class INTO m;")
        self.assertIn("\033[1;36mHINT:\033[0m  Did you mean DNNClassifier?", done.stderr)
        for command in (["jobs", "nope"], ["logs", "7"], ["cancel", "7"], ["parse", "-f", "nope"]):
            self.assertIn("\033[1;31mERROR:", self.check(*command, "--color=always", code=2).stderr)

    def test_an_unknown_option_names_the_nearest(self):
        self.assertIn("Did you mean --format?", self.check(self.path, "--fromat", "csv", code=2).stderr)
        self.assertIn("unknown option -x", self.check(self.path, "-x", code=2).stderr)
        self.assertIn("a value is missing after -c", self.check(self.path, "-c", code=2).stderr)
        self.assertIn("--color is one of auto|always|never, not red",
                      self.check(self.path, "--color=red", code=2).stderr)
        self.assertIn("more than one database: b", self.check("a", "b", code=2).stderr)

    def test_the_error_of_a_function_keeps_its_lines(self):
        done = self.check(self.path, "-c", "SELECT totrain('SELECT 1 AS x TO TRAIN Foo LABEL x "
                          "INTO m')", code=2)
        self.assertIn('unknown model "Foo"\nLINE 1: SELECT 1 AS x TO TRAIN Foo LABEL x INTO m\n'
                      '                               ^\nHINT: ', done.stderr)

    def test_the_first_error_stops_it_and_shows_line_and_caret(self):
        done = self.check(self.path, "-c", "SELECT 'one' AS x;\n\nSELECT * FROM iris\nTO TRAIN "
                          "LinearClassifier LABEL klass INTO m;\nSELECT 'never' AS x;", code=2)
        self.assertIn("one", done.stdout)
        self.assertNotIn("never", done.stdout)
        self.assertIn("ERROR:  label column \"klass\"", done.stderr)
        self.assertIn("LINE 4: TO TRAIN LinearClassifier LABEL klass INTO m;\n", done.stderr)

    def test_an_error_of_ordinary_sql_has_line_and_caret(self):
        done = self.check(self.path, "-c", "SELECT 1 AS x;\nSELECT nope FROM iris;", code=2)
        self.assertIn("ERROR:  no such column: nope\nLINE 2: SELECT nope FROM iris;\n"
                      "               ^", done.stderr)

    def test_exit_codes(self):
        self.check(code=2)
        self.check(self.path, "--format", "xml", "-c", "SELECT 1", code=2)
        self.check(self.path, "--nope", "x", code=2)
        self.check("k8s", code=2)
        self.check(str(self.folder / "no" / "such.db"), "-c", "SELECT 1", code=3)
        self.check(f"file:{self.path}?mode=ro", "-c", QUICK, code=4)
        self.check(self.path, "-c", "SELECT * FROM iris TO TRAIN DNNClassifier WITH "
                   "model.hidden_units = [8192, 8192, 8192, 8192], job.lanes = 1000000 "
                   "LABEL class INTO m;", code=2)

    def test_what_is_no_database_is_named_before_any_statement(self):
        script = self.folder / "train.sql"
        script.write_text("SELECT 1; -- and more than the hundred bytes of a header" + " " * 100)
        for name, message in ((str(script), "is no SQLite database"), (str(self.folder), "Is a dir"),
                              (str(self.folder / "no" / "x.db"), "No such file or directory")):
            with self.subTest(name):
                done = self.run_program(name, "-c", "SELECT 1")
                self.assertEqual((done.returncode, done.stdout), (3, ""))
                self.assertIn(name, done.stderr)
                self.assertIn(message, done.stderr)
        self.assertIn(f"-f {script}", self.run_program(script, "-c", "SELECT 1").stderr)

    def test_an_empty_name_is_no_database(self):
        done = self.run_program("", "-c", "SELECT 1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no database is named", done.stderr)

    def test_help_and_version(self):
        self.assertIn("TO TRAIN", self.check("--help").stdout)
        self.assertRegex(self.check("--version").stdout, r"^totrain \d+\.\d+\.\d+$")

    def test_progress_as_json_lines(self):
        done = self.check(self.path, "--progress=json", "-c", harness.TRAIN_IRIS)
        events = [json.loads(line)["event"] for line in done.stderr.splitlines()]
        self.assertEqual(events[-1], "done")
        self.assertIn("started", events)

    def test_progress_can_be_turned_off(self):
        self.assertEqual(self.check(self.path, "--progress=none", "-c", QUICK).stderr, "")

    def test_notices_stay_without_progress(self):
        self.check(self.path, "-c", "SELECT petal_width AS x, petal_length AS y FROM iris TO TRAIN XGBRegressor WITH n_estimators = 2 LABEL y INTO m")
        for option, is_told in (("--progress=none", True), ("--quiet", False)):
            done = self.check(self.path, option, "-c", "SELECT NULL AS x TO PREDICT g USING m")
            self.assertEqual('NOTICE:  column "x" is NULL in 1 of 1 rows' in done.stderr, is_told, done.stderr)

    def test_jobs_and_logs(self):
        self.check(self.path, "-c", QUICK)
        rows = json.loads(self.check("jobs", "--format=json").stdout)
        self.assertEqual([(row["id"], row["state"]) for row in rows], [(1, "done")])
        self.check("logs", "1")
        self.check("logs", "7", code=2)
        self.check("logs", "x", code=2)
        self.check("cancel", "1", code=2)
        self.assertIn("job 1 has ended already", self.check("scale", "1", "2", code=2).stderr)
        self.assertIn("there is no job 7", self.check("scale", "7", "2", code=2).stderr)
        self.assertIn("job 1 has ended already", self.check("scale", "1", "--ps", "2", code=2).stderr)
        for words in ([], ["1"], ["1", "0"], ["1", "two"], ["x", "2"], ["1", "2", "3"], ["--ps", "2"],
                      ["1", "--ps"], ["1", "--ps", "0"], ["1", "--ps=many"]):
            self.check("scale", *words, code=2)

    def test_a_transaction_over_statements(self):
        self.check(self.path, "-c", "BEGIN;" + QUICK + "ROLLBACK;")
        self.assertEqual(self.check(self.path, "-c", "SHOW MODELS;", "--format=csv").stdout,
                         "name,kind,label,rows,metric,value,part,age\n")

    def test_quiet_leaves_results_and_errors(self):
        train = "SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 2, verbose = 2 LABEL class INTO m;"
        self.assertIn("NOTICE", self.check(self.path, "-c", train).stderr)
        for option in ("-q", "--quiet"):
            done = self.check(self.path, option, "-c", train)
            self.assertEqual(done.stderr, "")
            self.assertIn("Accuracy", done.stdout)
        self.assertIn("ERROR", self.check(self.path, "-q", "-c", "SELECT nope", code=2).stderr)

    def test_a_reader_that_goes_is_no_accident(self):
        done = subprocess.run(f"'{harness.PROGRAM}' '{self.path}' --format csv -c 'WITH RECURSIVE "
                              "r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i FROM r;' "
                              "| head -n 2", shell=True, capture_output=True, text=True,
                              timeout=harness.DEADLINE, env=harness.plain_environment())
        self.assertEqual((done.stdout, done.stderr), ("i\n1\n", ""))
        many = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 1000000) SELECT i FROM r"
        done = subprocess.run(["bash", "-c", f"'{harness.PROGRAM}' '{self.path}' -c 'SELECT 1' -c '{many}' -c 'CREATE TABLE no(x)' "
                               "| true; echo ${PIPESTATUS[0]}"], capture_output=True, text=True, timeout=harness.DEADLINE,
                              env=harness.plain_environment(), check=False)
        self.assertEqual((done.stdout, done.stderr), ("141\n", ""))
        self.assertNotIn("no", self.tables(self.connect()))

    def test_a_trigger_body_is_one_statement(self):
        self.check(self.path, "-c", "CREATE TABLE log(x); CREATE TRIGGER t AFTER INSERT ON log "
                   "BEGIN SELECT 1; SELECT 2; END; INSERT INTO log VALUES (1);")

    def test_complete_says_what_may_be_typed(self):
        asked = {"text": "SELECT 'ü'; SELECT * FROM t TO TRAIN A LABEL ", "tables": {"t": ["a", "b c"]}, "models": ["m"]}
        asked["cursor"] = len(asked["text"].encode())
        found = json.loads(self.check("complete", input=json.dumps(asked)).stdout)
        self.assertEqual(found["start"], asked["cursor"])
        self.assertEqual({one["text"] for one in found["candidates"]} & {"a", '"b c"', "b c"}, {"a", '"b c"'})
        for wrong, error in (("", "JSON"), ("{}", "text"), ({**asked, "cursor": 1000}, "cursor"),
                             ({**asked, "tables": {"t": 1}}, "a table is a list"), ({**asked, "models": [1]}, "a name is")):
            done = self.run_program("complete", input=wrong if isinstance(wrong, str) else json.dumps(wrong))
            self.assertIn(error, done.stderr)
            self.assertEqual((done.stdout, done.returncode == 0), ("", False))

    def test_pictures_are_drawn_of_the_training_rows_or_of_others(self):
        harness.load_csv(sqlite3.connect(self.path), "titanic")
        self.check(self.path, "-c", "SELECT * FROM titanic TO TRAIN LinearClassifier WITH epochs = 3 LABEL survived INTO m")
        for kind in ("history", "confusion", "roc", "pr", "calibration", "importance"):
            drawn = self.check("picture", self.path, "m", kind).stdout
            self.assertTrue(drawn.startswith("<svg ") and drawn.endswith("</svg>\n"), drawn)
        few = ("-c", "SELECT * FROM titanic WHERE sex = 'man' OR age = 'child'")
        self.check("picture", self.path, "m", "roc", *few, "-o", str(self.folder / "roc.svg"), "--theme=light")
        drawn = (self.folder / "roc.svg").read_text()
        self.assertIn("m: ROC, area 0.", drawn)
        self.assertNotIn("prefers-color-scheme", drawn)
        self.assertNotEqual(drawn, self.check("picture", self.path, "m", "roc", "--theme=light").stdout)
        for words, error in (((self.path, "m"), "takes a database, a model and a kind"),
                             ((self.path, "m", "rock"), 'there is no picture "rock"'),
                             ((self.path, "n", "roc"), 'there is no model "n"'),
                             (("nothing.db", "m", "roc"), "nothing.db: No such file"),
                             ((self.path, "m", "roc", "-o", "/nowhere/x.svg"), 'cannot write "/nowhere/x.svg": No such file'),
                             ((self.path, "m", "roc", "-c", "SELECT * FROM titanic WHERE survived = 'no'"), "the same class"),
                             ((self.path, "m", "roc", "--theme=pink"), "--theme is one of"),
                             ((self.path, "m", "roc", "-c", "SELECT age FROM titanic"), 'no column "class"')):
            done = self.run_program("picture", *words)
            self.assertIn(error, done.stderr)
            self.assertEqual((done.stdout, done.returncode == 0), ("", False))

    def test_pictures_take_rows_of_json(self):
        rows = {"model": "m", "columns": ["epoch", "train_loss"], "rows": [[1, 0.5], [2, 0.25]]}
        self.assertIn("<path", self.check("picture", "-", "history", input=json.dumps(rows)).stdout)
        for wrong, error in (("", "JSON"), ({**rows, "rows": [[1]]}, "one value a column"),
                             ({**rows, "columns": [1, 2]}, "the name of a column"), ({**rows, "rows": []}, "no rows")):
            done = self.run_program("picture", "-", "history", input=wrong if wrong == "" else json.dumps(wrong))
            self.assertIn(error, done.stderr)
            self.assertNotEqual(done.returncode, 0)

    def test_parse_needs_no_database(self):
        done = self.check("parse", input=QUICK)
        self.assertIn("LinearClassifier", done.stdout)


harness.main()
