"""The program on a database of PostgreSQL: totrain postgres://... -c SQL."""

import concurrent.futures
import pathlib
import re
import subprocess
import unittest

import harness
import program
from harness import DATA, DEADLINE, TRAIN_IRIS, TRAIN_LONG
from proxy import AnswerOfCommit


class Program(program.Case):

    # ----- statements of ours -----

    def test_a_model_is_trained_measured_and_shown(self):
        rows = harness.facts(self.check(TRAIN_IRIS))
        self.assertGreater(rows["Accuracy"], 0.9)
        self.assertEqual((rows["version"], rows["rows"]), (1, 150))
        self.assertEqual(self.check("SELECT * FROM iris TO EVALUATE iris_model")[0]["Accuracy"], rows["Accuracy"])
        self.assertEqual([(row["name"], row["version"]) for row in self.check("SHOW MODELS FULL")], [("iris_model", 1)])
        items = {row["name"]: row["value"] for row in self.check("SHOW MODEL iris_model")}
        self.assertEqual((items["rows"], items["train.epoch"], items["epochs"]), (150, "60", 60))
        epochs = self.check("SHOW TRAIN iris_model")
        self.assertEqual([row["epoch"] for row in epochs], list(range(1, 61)))
        self.assertGreater(epochs[0]["train_loss"], epochs[-1]["train_loss"])

    def test_the_epoch_that_is_kept_is_shown(self):
        self.check("CREATE TABLE noise AS SELECT sin(i * 12.9898) AS a, sin(i * 78.233) AS b, sin(i * 37.719) AS c, "
                   "sin(i * 93.989) AS d, sin(i * 55.27) AS e, sin(i * i * 3.7) + sin(i * 12.9898) / 3 AS y "
                   "FROM generate_series(1, 700) i")
        train = "SELECT * FROM noise TO TRAIN DNNRegressor"
        self.check(f"{train} WITH model.l2 = 0 LABEL y INTO m")
        items = {row["name"]: row["value"] for row in self.check("SHOW MODEL m")}
        self.assertLess(items["kept epoch"], items["epochs"])
        self.assertEqual([row["epoch"] for row in self.check("SHOW TRAIN m") if row["kept"] == 1], [items["kept epoch"]])
        self.check(f"{train} WITH model.l2 = 0, train.early_stopping = 0 LABEL y INTO last")
        self.assertNotIn("kept", self.check("SHOW TRAIN last")[0])

    def test_forecasts_are_rows_and_tables(self):
        self.check("CREATE TABLE history AS SELECT s AS store, date '2024-01-01' + i AS day, s * 10 + i % 7 + 0.5 AS sales "
                   "FROM generate_series(7, 8) s, generate_series(0, 27) i")
        self.check("SELECT * FROM history TO TRAIN SeasonalNaive WITH forecast.time = 'day', forecast.group = 'store', "
                   "forecast.horizon = 3, forecast.season = 7, forecast.backtest = 0 LABEL sales INTO m")
        first = [(row["store"], row["day"], row["sales"]) for row in self.check("FORECAST m FOR 1")]
        self.assertEqual(first, [(7, "2024-01-29", 70.5), (8, "2024-01-29", 80.5)])
        made, = self.check("FORECAST m INTO coming")
        self.assertEqual((made["table"], made["rows"]), ("coming", 6))
        self.assertEqual(self.check("SELECT pg_typeof(day)::text AS day, count(*) AS rows FROM coming GROUP BY 1"), [{"day": "date", "rows": 6}])
        self.refused("FORECAST m FOR 4", 2, "1 to 3 steps, not 4", "forecast.horizon: 4")

    def test_a_file_becomes_a_table(self):
        path = pathlib.Path(self.folder) / "rows.csv"
        path.write_text("id,price,code,mixed\n1,1.5,01,1\n2,2,02,n/a\n3,,03,\n")
        self.assertEqual(self.check(f".import {path} rows"), [{"table": "rows", "rows": 3}])
        self.assertEqual(self.check("SELECT column_name AS c, data_type AS t FROM information_schema.columns "
                                    "WHERE table_name = 'rows' ORDER BY ordinal_position"),
                         [{"c": "id", "t": "bigint"}, {"c": "price", "t": "double precision"},
                          {"c": "code", "t": "text"}, {"c": "mixed", "t": "text"}])
        self.assertEqual(self.check("SELECT id, price, code, mixed FROM rows ORDER BY id"),
                         [{"id": 1, "price": 1.5, "code": "01", "mixed": "1"},
                          {"id": 2, "price": 2, "code": "02", "mixed": "n/a"},
                          {"id": 3, "price": None, "code": "03", "mixed": None}])
        self.refused(f".import {path} rows", 2, 'relation "rows" already exists', "\\copy")
        path.write_text("id\n1\n2,3\n")
        self.refused(f".import {path} other", 2, "line 3 has 2 cells")
        self.refused("SELECT * FROM other", 2, "does not exist")

    def test_the_digest_is_that_of_sqlite(self):
        self.check(TRAIN_IRIS)
        file = f"{self.folder}/iris.db"
        columns = "sepal_length REAL, sepal_width REAL, petal_length REAL, petal_width REAL, class INTEGER"
        rows = "".join(f"INSERT INTO iris VALUES ({line});" for line in
                       (DATA / "iris.csv").read_text().splitlines()[1:])
        done = self.run_program("-c", f"CREATE TABLE iris ({columns}); {rows}", "-c", TRAIN_IRIS, "--format", "json",
                                "-c", "SHOW MODELS FULL", address=file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(self.digest(), done.stdout)

    def test_versions_are_kept_and_come_back(self):
        self.check(TRAIN_IRIS)
        first = self.digest()
        self.check("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO IRIS_Model")
        versions = self.check("SHOW VERSIONS iris_model")
        self.assertEqual([(row["version"], row["state"]) for row in versions], [(2, "current"), (1, "kept")])
        self.assertEqual(self.check("ROLLBACK MODEL iris_model TO 1"), [{"model": "iris_model", "version": 1}])
        self.assertEqual(self.digest(), first)
        self.check(f"ROLLBACK MODEL iris_model TO '{versions[0]['digest'][:12]}'")
        self.check(TRAIN_IRIS)
        self.assertEqual([row["version"] for row in self.check("SHOW VERSIONS iris_model")], [3, 2, 1])
        self.refused("ROLLBACK MODEL iris_model TO 9", 2, 'no version "9" of the model is kept')
        self.check("DROP TABLE iris_model")
        for table in ("models", "versions", "metrics"):
            self.assertEqual(self.execute(f"SELECT * FROM totrain.{table}"), [], table)

    def test_metrics_go_with_the_versions_that_are_kept_no_more(self):
        self.check(TRAIN_IRIS * 2)
        for table in ("versions", "metrics"):  # made to look as if it had been trained thirty times more
            self.execute(f"INSERT INTO totrain.kept_{table} SELECT (jsonb_populate_record(k, jsonb_build_object("
                         f"'version', k.version - g))).* FROM totrain.kept_{table} k, generate_series(1, 30) g WHERE version = 1")
        self.execute("INSERT INTO totrain.kept_metrics SELECT relation, -40 FROM totrain.kept_versions LIMIT 1")
        self.check(TRAIN_IRIS)
        kept = [row[0] for row in self.execute("SELECT DISTINCT version FROM totrain.kept_versions ORDER BY 1 DESC")]
        self.assertEqual(kept, list(range(2, -18, -1)))
        self.assertEqual(self.execute("SELECT count(*) FROM totrain.kept_metrics WHERE version < -17"), [(0,)])
        self.assertNotEqual(self.execute("SELECT count(*) FROM totrain.kept_metrics WHERE version = 3"), [(0,)])

    def test_a_copied_model_becomes_one_of_its_own(self):
        self.check(TRAIN_IRIS)
        self.check("CREATE TABLE copied AS TABLE iris_model; "
                   "SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO copied")
        self.assertEqual([row["version"] for row in self.check("SHOW VERSIONS copied")], [1])
        self.assertEqual([row["version"] for row in self.check("SHOW VERSIONS iris_model")], [1])

    def test_two_that_publish_under_one_name(self):
        kinds = ("LinearClassifier", "DNNClassifier WITH model.hidden_units = [3]")
        running = [self.started("-c", f"SELECT * FROM iris TO TRAIN {kinds[i % 2]} LABEL class INTO m") for i in range(6)]
        for one in running:
            _, errors = one.communicate(timeout=4 * DEADLINE)
            self.assertEqual(one.returncode, 0, errors)
        self.assertEqual([row["version"] for row in self.check("SHOW VERSIONS m")], [6, 5, 4, 3, 2, 1])
        self.check("SELECT * FROM iris TO EVALUATE m")

    def test_workers_evaluate(self):
        self.check(TRAIN_IRIS)
        plain = self.check("SELECT * FROM iris TO EVALUATE iris_model")
        self.assertEqual(self.check("SELECT * FROM iris TO EVALUATE iris_model WITH job.min_workers = 2"), plain)

    def test_names_are_those_of_the_database(self):
        self.check('CREATE SCHEMA "Odd ""one"; SELECT * FROM iris TO TRAIN LinearClassifier LABEL class '
                   'INTO "Odd ""one"."My @Model"; CREATE TABLE "My @Model" (a int)')
        self.assertEqual([row["name"] for row in self.check("SHOW MODELS")], ['"Odd ""one"."My @Model"'])
        self.check('SET search_path = "Odd ""one", public; SELECT * FROM iris TO EVALUATE "My @Model"')
        self.refused('SELECT * FROM iris TO EVALUATE "My @Model"', 1, 'table "My @Model" is no model')
        self.refused("SELECT * FROM iris TO EVALUATE nowhere.m", 2, 'no schema "nowhere"')

    def test_columns_of_all_kinds(self):
        self.check("CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN small AS int CHECK (value < 1000); "
                   "CREATE TABLE kinds AS SELECT i::int2 a, i::int8 b, (i * .5)::float4 c, (i / 3.0)::numeric(20, 10) d, "
                   "i % 2 = 0 e, (ARRAY['sad', 'glad'])[1 + i % 2]::mood f, ('w' || i % 3)::char(5) g, "
                   "DATE '2020-01-01' + i h, TIMESTAMPTZ '1969-12-31 23:59:59.5+00' + i * INTERVAL '1 hour' k, "
                   "i::small l, CASE WHEN i % 7 = 0 THEN NULL ELSE i END m, "
                   "md5((i % 3)::text)::uuid n, (i % 3)::text y FROM generate_series(1, 300) i")
        details = {row["item"]: row["detail"] for row in self.check(
            "EXPLAIN SELECT * FROM kinds TO TRAIN LinearClassifier LABEL y INTO m")}
        numeric = {column for column in "abcdelm" if details[f"input {column}"].startswith("numeric")}
        self.assertEqual(numeric, set("abcdelm"))
        for part in ("h.age", "h.month", "h.weekday", "k.age", "k.hour"):  # dates and times are their parts
            self.assertIn(f"input {part}", details)
        self.assertTrue(all(details[f"input {column}"].startswith("categor") for column in "fgn"), details)
        self.check("SELECT * FROM kinds TO TRAIN LinearClassifier LABEL y INTO m")
        words = self.execute("SELECT name, convert_from(data, 'UTF8') FROM m WHERE part = 'vocabulary' "
                             "AND name <> 'n' ORDER BY name, 2 LIMIT 3")
        self.assertEqual(words, [("f", "glad"), ("f", "sad"), ("g", "w0   ")])

    def test_a_type_that_no_model_reads_is_named(self):
        self.refused("SELECT ARRAY['a', 'b'] AS pair, class FROM iris TO TRAIN LinearClassifier LABEL class INTO m", 2,
                     'column "pair" has type text[], which no model reads', "pair[1] AS pair_1")
        self.refused("SELECT '{}'::json AS doc, class FROM iris TO TRAIN LinearClassifier LABEL class INTO m", 2,
                     'column "doc" has type json, which no model reads', "doc ->> 'key' AS key")

    def test_a_database_of_another_encoding(self):
        train = ("CREATE TABLE t AS SELECT (ARRAY['größe', 'weite', 'übel'])[1 + i % 3] AS \"größe\", i % 5 AS n, "
                 "CASE WHEN i % 3 = 0 THEN 'süß' ELSE 'nicht' END AS y FROM generate_series(1, 300) i; "
                 "SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO \"möd\"; SHOW MODELS FULL")
        digest = self.check(train)[0]["digest"]
        self.server.execute(f"DROP DATABASE \"{self.database}\" WITH (FORCE)")
        self.server.execute(f"CREATE DATABASE \"{self.database}\" ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C' "
                            "TEMPLATE template0")
        self.check("CREATE EXTENSION totrain")
        model = self.check(train)[0]
        self.assertEqual((model["name"], model["digest"]), ('"möd"', digest))
        self.check('SELECT * FROM t TO PREDICT p.y USING "möd"')
        self.assertEqual(self.check('SELECT DISTINCT y FROM p ORDER BY y'), [{"y": "nicht"}, {"y": "süß"}])
        done = self.run_program("-c", "SELECT 'größe', nix FROM t TO EVALUATE \"möd\"")
        line, caret = done.stderr.splitlines()[1:3]
        self.assertEqual(line[len(caret) - 1:][:3], "nix")

    def test_evaluate_into_a_table(self):
        self.check(TRAIN_IRIS)
        for _ in range(2):
            self.check("SELECT * FROM iris TO EVALUATE iris_model INTO measured")
        rows = self.execute('SELECT loss, "Accuracy" FROM measured')
        self.assertEqual(len(rows), 1)
        self.assertGreater(rows[0][1], 0.9)

    def test_predictions_as_a_result(self):
        self.check(TRAIN_IRIS)
        rows = self.check("SELECT 5.1 AS petal_width, i AS id, 3.5 AS sepal_width, 1.4 AS petal_length, 5.1 AS sepal_length, "
                          "'it''s' AS q FROM generate_series(1, 2) i TO PREDICT USING iris_model")
        self.assertEqual([list(row) for row in rows],
                         [["petal_width", "id", "sepal_width", "petal_length", "sepal_length", "q", "class"]] * 2)
        self.assertIsInstance(rows[0]["class"], int)

    def test_predictions_into_a_table(self):
        self.check(TRAIN_IRIS)
        predict = ("SELECT * FROM {} TO PREDICT Scored.guess WITH predict.extra_outputs = 'probability,probabilities' "
                   "USING iris_model")
        self.assertEqual(self.check(predict.format("iris"))[0]["rows"], 150)
        columns = self.execute("SELECT attname, format_type(atttypid, -1) FROM pg_attribute WHERE attnum > 0 "
                               "AND attrelid = 'scored'::regclass AND attnum > 5 ORDER BY attnum")
        self.assertEqual(columns, [("guess", "bigint"), ("probability", "double precision"),
                                       ("probabilities", "json")])
        self.assertGreater(self.execute("SELECT count(*) FROM scored WHERE guess = class")[0][0], 130)
        # The query reads the table that it replaces.
        self.check(predict.format("(SELECT sepal_length, sepal_width, petal_length, petal_width FROM scored LIMIT 9) s"))
        self.assertEqual(self.execute("SELECT count(*) FROM scored"), [(9,)])

    def test_bad_rows_are_put_aside(self):
        self.check("CREATE TABLE words AS SELECT 'w' || i % 3 AS word, i % 5 AS n, (i % 3)::text AS y "
                   "FROM generate_series(1, 300) i; "
                   "SELECT * FROM words TO TRAIN LinearClassifier LABEL y INTO m")
        rows = self.check("SELECT word, CASE WHEN n = 0 THEN 'Infinity'::float8 ELSE n END AS n FROM words "
                          "TO PREDICT scored.y WITH predict.bad_rows = 'quarantine' USING m")
        self.assertEqual([(row["table"], row["rows"]) for row in rows], [("scored", 240), ("scored_bad_rows", 60)])
        self.assertEqual(self.execute("SELECT DISTINCT totrain_reason FROM scored_bad_rows"),
                         [('column "n" holds an infinite number',)])
        self.assertEqual(self.execute("SELECT DISTINCT y::text FROM scored WHERE word = 'w1'"), [("1",)])

    # ----- transactions -----

    def test_a_rollback_takes_the_model_back(self):
        self.check("BEGIN; CREATE TABLE uncommitted AS TABLE iris; "
                   "SELECT * FROM uncommitted TO TRAIN LinearClassifier LABEL class INTO m; "
                   "SELECT * FROM uncommitted TO EVALUATE m; ROLLBACK")
        self.assertEqual(self.tables(), {"iris"})
        self.assertEqual(self.execute("SELECT * FROM totrain.models"), [])

    def test_a_refused_statement_leaves_the_transaction_alone(self):
        script = ("BEGIN;\nINSERT INTO iris SELECT * FROM iris LIMIT 1;\n"
                  "SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m;\nCOMMIT;\n")
        done = self.run_program(input=script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.execute("SELECT count(*) FROM iris"), [(151,)])
        self.assertEqual({row["name"]: row["value"] for row in self.check("SHOW MODEL m")}["rows"], 151)

    # ----- errors -----

    def test_errors_show_their_place(self):
        done = self.run_program("-c", "SELECT 'größe', nope FROM iris TO TRAIN LinearClassifier LABEL class INTO m")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.splitlines()[0], 'ERROR:  column "nope" does not exist')
        line, caret = done.stderr.splitlines()[1:3]
        self.assertEqual(line[len(caret) - 1:][:4], "nope")

    def test_errors_of_ordinary_sql_show_their_place_in_the_script(self):
        with open(f"{self.folder}/job.sql", "w", encoding="utf-8") as file:
            file.write("SELECT 1;\nSELECT 2,\n  nope;\n")
        done = self.run_program("-f", file.name)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f'{file.name}:3: ERROR:  column "nope" does not exist', done.stderr)

    def test_a_server_that_is_not_there(self):
        for address in ("postgres:///nowhere", "host=/nowhere"):
            done = self.run_program("-c", "SELECT 1", address=address)
            self.assertEqual(done.returncode, 3, done.stderr)

    def test_a_server_that_ends(self):
        self.refused("SELECT pg_terminate_backend(pg_backend_pid())", 3)

    def test_rights_are_those_of_the_role(self):
        self.execute("CREATE ROLE plain LOGIN; GRANT CREATE ON SCHEMA public TO plain")
        self.addCleanup(self.server.execute, "DROP ROLE plain")
        self.addCleanup(self.execute, "DROP OWNED BY plain")
        train = "SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m"
        self.refused(train, 4, "permission denied for table iris", user="plain")
        self.execute("GRANT SELECT ON iris TO plain")
        self.refused(train, 4, "permission denied to keep models", "GRANT totrain_user", user="plain")
        self.execute("GRANT totrain_user TO plain")
        self.check(train, user="plain")
        self.check(TRAIN_IRIS)
        self.refused("SELECT * FROM iris TO EVALUATE iris_model", 4, "permission denied for table public.iris_model",
                     user="plain")
        self.refused(TRAIN_IRIS, 4, "must be owner of table public.iris_model", user="plain")
        self.assertEqual([row["name"] for row in self.check("SHOW MODELS", user="plain")], ["m"])
        self.assertEqual(self.check("SELECT id FROM totrain.models WHERE kind = 'DNNClassifier'", user="plain"), [])

    def test_pictures_and_reports_run_nothing_that_another_role_wrote(self):
        self.execute("CREATE ROLE plain LOGIN; GRANT CREATE ON SCHEMA public TO plain; GRANT totrain_user TO plain; "
                     "GRANT SELECT ON iris TO plain")
        self.addCleanup(self.server.execute, "DROP ROLE plain")
        self.addCleanup(self.execute, "DROP OWNED BY plain")
        self.check("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 3 LABEL class INTO theirs", user="plain")
        for command in (("picture", "confusion"), ("report",)):
            words = ("postgres://", "theirs", *command[1:])
            done = self.run_program(*words, address=command[0])
            self.assertEqual((done.stdout, done.returncode), ("", 4))
            self.assertIn("is another role's, whose statement is not run", done.stderr)
            self.assertIn("confusion", self.run_program(*words, "-c", "SELECT * FROM iris", address=command[0]).stdout)
        self.check(TRAIN_IRIS)
        self.assertIn("<h2 id=\"confusion-title\">",
                      self.run_program("postgres://", "public.iris_model", address="report").stdout)

    def test_no_extension_in_the_database(self):
        self.execute("DROP EXTENSION totrain")
        self.refused(TRAIN_IRIS, 2, "has no extension totrain", "CREATE EXTENSION totrain")

    def test_what_only_psql_does_is_refused(self):
        self.refused("COPY iris TO STDOUT", 2, "COPY between the server and a program")
        self.refused("COPY iris FROM STDIN", 2, "COPY between the server and a program")
        self.refused("SELECT $1", 2, "there is no parameter $1")

    def test_a_table_is_not_taken_for_a_model(self):
        self.refused("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO iris", 2,
                     'table "iris" exists and is no model')
        self.check(TRAIN_IRIS + "CREATE VIEW seen AS SELECT * FROM iris_model")
        self.refused("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO seen", 2,
                     '"seen" exists and is no ordinary table')
        self.check("SELECT * FROM iris TO EVALUATE seen")
        self.refused("SELECT * FROM iris TO EVALUATE iris_model INTO iris_model", 2, "is the model itself")
        self.refused("SELECT * FROM iris TO EVALUATE seen INTO iris_model", 2, 'table "iris_model" is a model')

    def test_what_writes_is_no_query(self):
        self.refused("WITH gone AS (DELETE FROM iris RETURNING *) SELECT * FROM gone "
                     "TO TRAIN LinearClassifier LABEL class INTO m", 2, "data-modifying")
        self.assertEqual(self.execute("SELECT count(*) FROM iris"), [(150,)])

    # ----- beside the results -----

    def test_notices_and_results_of_ordinary_sql(self):
        done = self.run_program("-c", "DO $$ BEGIN RAISE NOTICE 'a; b'; RAISE WARNING 'c'; END $$; "
                                      "SELECT 1.50::numeric AS n, true AS t, NULL AS e, ARRAY[1, 2] AS a, 'x' AS x, "
                                      "9007199254740993 AS i", "--format", "csv")
        self.assertEqual(done.stdout, 'n,t,e,a,x,i\n1.50,t,,"{1,2}",x,9007199254740993\n')
        self.assertIn("NOTICE:  a; b\n", done.stderr)
        self.assertIn("WARNING: c\n", done.stderr)

    def test_ctrl_c_ends_a_query(self):
        running = self.started("-c", "SELECT pg_sleep(600)")
        harness.wait_for(lambda: self.execute("SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' "
                                              "AND state = 'active'"), "a query that runs")
        self.check_interrupted(running)

    def test_ctrl_c_ends_a_training_and_the_old_model_stays(self):
        self.check(TRAIN_IRIS)
        before = self.digest()
        running = self.started("-c", TRAIN_LONG)
        harness.wait_for(lambda: harness.processes_of(self.folder), "a job that runs")
        self.check_interrupted(running)
        harness.wait_until_nothing_runs(self.folder)
        self.assertEqual(self.digest(), before)

    def test_a_model_is_not_lost_with_the_connection(self):
        self.check("CREATE SCHEMA other")
        long = TRAIN_LONG.replace("1000000", "800")
        self.pace = harness.SLOW
        for before, status in (("SET search_path = other, public; ", 0), ("BEGIN; ", 3)):
            running = self.started("-c", before + long)
            harness.wait_for(lambda: harness.processes_of(self.folder), "a job that runs")
            self.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'totrain'")
            errors = self.hurried(running)
            self.assertEqual(running.returncode, status, errors)
            self.assertIn("the model was written over another one" if status == 0 else "writes it.", errors)
        said = re.search(r"The trained model is kept with job (\d+): totrain publish \1 writes it", errors)
        self.execute("DROP TABLE IF EXISTS public.iris_model")
        published = self.run_program(said[1], address="publish")
        self.assertEqual(published.returncode, 0, published.stderr)
        self.assertRegex(published.stdout, r"version +\|.*\| 1")
        self.assertEqual({row["name"] for row in self.check("SHOW MODELS")}, {"other.iris_model", "iris_model"})

    def test_an_answer_to_commit_that_is_lost(self):
        """The transaction is asked for by its number, and nothing is written twice."""
        self.check(TRAIN_IRIS)
        with AnswerOfCommit(self.server.socket, self.server.port, b"INSERT INTO totrain.models") as proxy:
            done = self.run_program("-c", TRAIN_IRIS, address=f"host={proxy.folder}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(proxy.has_cut)
        self.assertIn("the model was written over another one", done.stderr)
        self.assertEqual([row["version"] for row in self.check("SHOW VERSIONS iris_model")], [2, 1])
        self.assertRegex(done.stdout, r"version +\|.*\| 2")

    def test_models_that_are_locked_and_dropped_while_models_are_shown(self):
        self.check(TRAIN_IRIS + TRAIN_IRIS.replace("iris_model", "other_model"))
        for i, show in enumerate((lambda: self.check_psql("SELECT * FROM totrain.rows('SHOW MODELS');"),
                                  lambda: self.run_program("-c", "BEGIN; SHOW MODELS; SELECT 'still', 'there'").stdout)):
            connection = self.server.connect(self.database, autocommit=False)
            connection.cursor().execute("LOCK TABLE iris_model; DROP TABLE other_model")
            shown = show()  # waits for nobody
            self.assertRegex(shown, "iris_model.*another session has locked it")
            self.assertRegex(shown, "other_model.*another session has locked it")
            self.assertEqual("still" in shown, i == 1)
            connection.commit()
            self.assertNotRegex(show(), "other_model|locked")
            connection.close()
            self.check(TRAIN_IRIS.replace("iris_model", "other_model"))

    def test_a_temporary_model(self):
        self.check(TRAIN_IRIS.replace("iris_model", "pg_temp.m") * 2 + "SELECT * FROM iris TO EVALUATE m; SHOW VERSIONS m")
        self.refused("SELECT * FROM iris TO EVALUATE m", 2, 'there is no model "m"')
        self.refused(TRAIN_IRIS.replace("iris_model", "pg_temp.m").replace("WITH ", "WITH job.wait = false, "), 2,
                     "job.wait = false")

    def test_a_detached_job_publishes_where_it_was_asked_to(self):
        self.execute("CREATE ROLE \"odd \\ role\"; GRANT totrain_user TO \"odd \\ role\"; GRANT SELECT ON iris TO PUBLIC")
        self.addCleanup(self.server.execute, 'DROP ROLE "odd \\ role"')
        self.addCleanup(self.execute, 'DROP OWNED BY "odd \\ role" CASCADE')
        self.check("CREATE SCHEMA \"other place\" AUTHORIZATION \"odd \\ role\"; SET ROLE \"odd \\ role\"; "
                   "SET search_path = \"other place\", public; " + TRAIN_IRIS.replace("WITH ", "WITH job.wait = false, "))
        done = subprocess.run([program.PROGRAM, "wait", "1"], text=True, capture_output=True, check=False,
                              env={**self.environment(), "PGDATABASE": "postgres"}, timeout=4 * DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["name"] for row in self.check("SHOW MODELS")], ['"other place".iris_model'])
        self.assertEqual(self.execute("SELECT relowner::regrole::text FROM pg_class WHERE relname = 'iris_model'"),
                         [('"odd \\ role"',)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
