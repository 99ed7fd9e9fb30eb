"""job.wait = false of PREDICT and EVALUATE: the job goes on without its session, and writes the table that the session
would have written.
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess

import harness
import program
import test_workers

ROWS = test_workers.ROWS
EXTRA = ", predict.extra_outputs = 'probability, probabilities, logits'"
PREDICT = "SELECT * FROM t ORDER BY id TO PREDICT {}.p WITH job.wait = false{} USING m"
SLOW = "us=2000"  # a row, until it is hurried

# Values that a text under some setting of a session would lose.
DELICATE = """
    CREATE TYPE pair AS (first float8, second text); CREATE TYPE span AS RANGE (subtype = float8);
    CREATE TABLE delicate AS SELECT g % 2 AS y, sin(g) AS a, 0.1::float4 + g AS f, pi() / g AS d, '1 mon -2 days 03:04:05.6'::interval AS i,
      '2024-07-01 12:00 America/New_York'::timestamptz AS at, '12:00+05:30'::timetz AS t, ROW(1 / 3.0::float8, 'a "b", c\\')::pair AS both,
      span(-g, pi()) AS s, ARRAY[ARRAY['x', NULL], ARRAY['{}', E'tab\\tnew\\nline']] AS words, '12.34'::money AS cash,
      '<a>b</a><c/>'::xml AS x, 'ab'::char(5) AS c, 'tall'::varchar(9) COLLATE "C" AS v, B'101'::bit(3) AS bits, '{"a": 1}'::json AS j,
      '(1,2),(3,4)'::box AS box, NULL::text AS nothing, '10.0.0.1/8'::inet AS net, 'a:1 b:2'::tsvector AS words_of, '\\x00ff'::bytea AS raw,
      repeat('long ', 300000 * (g / 30)::int) AS long, 1.10::numeric AS "a ""quoted"" name"
    FROM generate_series(1, 30) g
"""
ODD_SETTINGS = ("SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'sql_standard'; SET extra_float_digits = -10; SET TimeZone = 'Asia/Kathmandu'; "
                "SET xmloption = 'document'; SET bytea_output = 'escape'; ")


class Shared:
    """Of both doors: detach(statement, before, user) gives the job's id, `ends` waits for how it ends."""

    def train(self):
        self.train_on("SELECT a, n, v, w, b FROM t", "b")

    def train_on(self, rows, label):
        self.check_psql(f"{rows} TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 3 LABEL {label} INTO m;", "-o", "/dev/null")

    def alone(self, statement):
        """The same by the session."""
        for words in (", job.wait = false", "job.wait = false, ", " WITH job.wait = false"):
            statement = statement.replace(words, "")
        self.check_psql(statement + ";", "-o", "/dev/null")

    def comment(self, table):
        return self.execute(f"SELECT obj_description('{table}'::regclass, 'pg_class')")[0][0]

    def shape(self, table):
        return self.execute("SELECT attname, format_type(atttypid, atttypmod), attcollation FROM pg_attribute "
                            f"WHERE attrelid = '{table}'::regclass AND attnum > 0 ORDER BY attnum")

    def check_same(self, one, other, rows=ROWS):
        self.assertEqual(self.shape(one), self.shape(other))
        found, = self.execute(f"SELECT (SELECT count(*) FROM {one}), (SELECT count(*) FROM "
                              f"(SELECT md5(q::text) FROM {one} q INTERSECT ALL SELECT md5(q::text) FROM {other} q) x)")
        self.assertEqual(found, (rows, rows))

    def test_the_table_is_the_one_that_the_session_would_write(self):
        self.train()
        for i in range(2):  # the second one replaces the first
            job = self.detach(PREDICT.format("away", EXTRA))
            self.ends(job, "done")
            self.alone(PREDICT.format("alone", EXTRA))
            self.check_same("away", "alone")
            self.assertEqual(self.execute("SELECT count(*) FROM (SELECT id, lag(id) OVER () AS before FROM away) q WHERE id <= before"), [(0,)])
            self.assertEqual(self.comment("away").split("\n")[0], self.comment("alone"))
            self.assertEqual(len(re.findall("totrain job", self.comment("away"))), self.marks, i)
        self.alone(PREDICT.format("away", ""))
        self.assertEqual(self.comment("away").split("\n"), [self.comment("alone").replace("into 17", "into 14")])

    def test_metrics(self):
        self.train()
        evaluate = "SELECT * FROM t TO EVALUATE m WITH job.wait = false, validation.metrics = 'Accuracy, AUC' LABEL b INTO {}"
        self.ends(self.detach(evaluate.format("away")), "done")
        self.alone(evaluate.format("alone"))
        self.assertEqual(self.shape("away"), self.shape("alone"))
        self.assertEqual(self.execute("TABLE away"), self.execute("TABLE alone"))

    def test_no_value_loses_anything_whatever_the_settings(self):
        self.execute(DELICATE)
        self.train_on("SELECT a, y FROM delicate", "y")
        predict = "SELECT * FROM delicate TO PREDICT {}.p WITH job.wait = false USING m"
        self.ends(self.detach(predict.format("away"), ODD_SETTINGS), "done")
        self.alone(predict.format("alone"))
        self.check_same("away", "alone", 30)

    def test_no_rows(self):
        self.train_on("SELECT a, n, w, b FROM t", "b")
        self.ends(self.detach("SELECT * FROM t WHERE id > 1000000 TO PREDICT away.p WITH job.wait = false USING m"), "done")
        self.assertEqual(self.execute("SELECT count(*) FROM away"), [(0,)])
        self.assertEqual([row[0] for row in self.shape("away")][-1], "p")

    def test_bad_rows_go_aside_with_the_reasons_of_the_session(self):
        self.train()
        self.execute("UPDATE t SET v = ARRAY[1] WHERE id % 1000 = 7")
        predict = PREDICT.replace("{}.p WITH", "{}.p WITH predict.bad_rows = 'quarantine',")
        self.ends(self.detach(predict.format("away", "")), "done")
        self.alone(predict.format("alone", ""))
        self.check_same("away", "alone", ROWS - 3)
        self.check_same("away_bad_rows", "alone_bad_rows", 3)
        self.assertEqual(self.execute("SELECT count(DISTINCT totrain_reason) FROM away_bad_rows"), [(1,)])

    def test_a_target_that_cannot_be_written_is_tried_again(self):
        self.train()
        for statement, table in ((PREDICT.format("away", ""), "away"),
                                 ("SELECT * FROM t TO EVALUATE m WITH job.wait = false LABEL b INTO measured", "measured")):
            with self.subTest(table):
                job = self.detach_slowly(statement)
                self.execute(f"CREATE VIEW {table} AS SELECT 1 AS x")
                self.hurry(job)
                self.assertIn("could not be written", self.ends(job, "unpublished"))
                self.assertEqual(self.publish(job, fails=True), False)
                self.execute(f"DROP VIEW {table}")
                self.sweep()
                self.assertTrue(self.publish(job))
                self.ends(job, "done")
                self.alone(statement.replace(table, "alone"))
                self.check_same(table, "alone", ROWS if table == "away" else 1)
                self.execute("DROP TABLE alone")

    def test_the_model_may_go_meanwhile(self):
        self.train()
        job = self.detach_slowly(PREDICT.format("away", ""))
        self.alone(PREDICT.format("alone", ""))
        self.execute("DROP TABLE m; ALTER TABLE t RENAME TO elsewhere")
        self.hurry(job)
        self.ends(job, "done")
        self.execute("ALTER TABLE elsewhere RENAME TO t")
        self.check_same("away", "alone")

    def test_rights_are_those_of_the_day(self):
        self.train()
        self.execute("CREATE SCHEMA work; GRANT CREATE, USAGE ON SCHEMA work TO alice; GRANT SELECT ON m, t TO alice")
        job = self.detach_slowly(PREDICT.format("work.away", ""), user="alice")
        self.execute("REVOKE CREATE ON SCHEMA work FROM alice")
        self.hurry(job)
        self.assertIn("permission denied for schema work", self.ends(job, "unpublished", user="alice"))
        self.execute("GRANT CREATE ON SCHEMA work TO alice")
        self.assertTrue(self.publish(job, user="alice"))
        self.assertEqual(self.execute("SELECT relowner::regrole::text FROM pg_class WHERE oid = 'work.away'::regclass"), [("alice",)])

    def test_a_neighbours_domain_is_not_read_back(self):
        """Its check would run as the caller, who only reads."""
        self.train()
        self.execute("""
            SET ROLE mallory;
            CREATE FUNCTION mallory.log() RETURNS boolean LANGUAGE plpgsql AS $$BEGIN
              IF current_user = 'alice' THEN ALTER ROLE alice RENAME TO stolen; END IF; RETURN true; END$$;
            CREATE DOMAIN mallory.d AS integer CHECK (mallory.log()); CREATE TYPE mallory.c AS (x mallory.d);
            CREATE TYPE mallory.e AS ENUM ('one');
            CREATE TABLE mallory.bait AS SELECT *, 1::mallory.d AS domain, ARRAY[1::mallory.d] AS ds, ROW(1)::mallory.c AS c, 'one'::mallory.e AS e FROM public.t;
            RESET ROLE;
            GRANT USAGE ON SCHEMA mallory TO alice; GRANT SELECT ON ALL TABLES IN SCHEMA mallory TO alice; GRANT SELECT ON m, t TO alice""")
        for column, type_of_it in (("domain", "mallory.d"), ("ds", "mallory.d"), ("c", "mallory.c")):
            said = self.refused_to(f"SELECT a, n, v, w, {column} FROM mallory.bait TO PREDICT alice.away.p WITH job.wait = false USING m", user="alice")
            self.assertIn(f"type {type_of_it} of the SELECT belongs to another role", said)
            self.assertIn("leave job.wait out", said)
        self.ends(self.detach("SELECT a, n, v, w, e, domain::integer AS domain FROM mallory.bait TO PREDICT alice.away.p WITH job.wait = false USING m",
                              user="alice"), "done", user="alice")
        self.assertEqual(self.execute("SELECT count(*) FROM alice.away WHERE e = 'one' AND domain = 1"), [(ROWS,)])

    def test_names_of_types_are_not_anothers(self):
        """What is in front of pg_catalog for the caller is not where the kept rows' types are looked up."""
        self.train()
        self.execute("CREATE SCHEMA front; CREATE DOMAIN front.jsonb AS text; CREATE TYPE front.mood AS ENUM ('x'); GRANT USAGE ON SCHEMA front TO PUBLIC")
        before = "SET search_path = front, pg_catalog, public; "
        job = self.detach("SELECT * FROM public.t TO PREDICT public.away.p WITH job.wait = false USING public.m", before)
        self.ends(job, "done")
        self.alone(PREDICT.format("alone", ""))
        self.check_same("away", "alone")

    def test_a_temporary_target_is_refused(self):
        self.train()
        self.assertIn("would be made in memory or as a temporary table", self.refused_to(PREDICT.format("pg_temp.away", "")))


class Program(Shared, program.Case):
    """From a client: a supervisor of its own machine, and a publisher with a connection of its own."""

    settings = harness.BARE
    marks = 1
    fault = None

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        test_workers.make_rows(connection)
        connection.cursor().execute("GRANT SELECT ON t TO PUBLIC")

    def setUp(self):
        super().setUp()
        make_roles(self)

    def environment(self, user=harness.SUPERUSER):
        return {**super().environment(user), **({"TOTRAIN_FAULT": self.fault} if self.fault else {})}

    def detach(self, statement, before="", user=harness.SUPERUSER, pace=None):
        self.pace = pace
        return self.check(f"{before}{statement}", user=user)[0]["job"]

    def detach_slowly(self, statement, user=harness.SUPERUSER):
        return self.detach(statement, user=user, pace=SLOW)

    def refused_to(self, statement, user=harness.SUPERUSER):
        done = self.run_program("-c", statement, user=user)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def hurry(self, job):
        def has_ended():
            harness.hurry(self.folder)
            return self.state(job)[0] not in ("waiting", "running")
        harness.wait_for(has_ended, "the end of the job")

    def state(self, job):
        rows = json.loads(self.command("jobs", "--format=json").stdout)
        return next((row["state"], row["error"]) for row in rows if row["id"] == job)

    def command(self, *words, user=harness.SUPERUSER):
        return subprocess.run([program.PROGRAM, *words], text=True, capture_output=True, check=False, timeout=4 * harness.DEADLINE,
                              env=self.environment(user))

    def ends(self, job, state, user=harness.SUPERUSER):
        found = harness.wait_for(lambda: self.state(job)[0] not in ("waiting", "running", "publishing") and self.state(job), "the job's end")
        self.assertEqual(found[0], state, found[1])
        return found[1]

    def publish(self, job, fails=False, user=harness.SUPERUSER):
        done = self.command("publish", str(job), user=user)
        self.assertEqual(done.returncode != 0, fails, done.stderr)
        return not fails

    def test_a_publisher_that_was_killed_when_all_was_written_has_written_it(self):
        self.train()
        for statement, table, rows in ((PREDICT.format("away", ""), "away", ROWS),
                                       ("SELECT * FROM t TO EVALUATE m WITH job.wait = false LABEL b INTO measured", "measured", 1)):
            with self.subTest(table):
                self.fault = "role=publisher,point=delivered,attempt=0,action=stop"
                job = self.detach(statement)
                self.fault = None
                stopped, = harness.wait_for(lambda: [pid for pid in harness.processes_of(self.folder) if harness.state_of(pid) == "T"],
                                            "the publisher at its point")
                self.execute(f"ALTER TABLE {table} ADD COLUMN mine int DEFAULT 7")
                os.kill(stopped, signal.SIGKILL)
                self.ends(job, "done")
                self.assertEqual(self.execute(f"SELECT sum(mine) FROM {table}"), [(7 * rows,)])
                waited = self.command("wait", str(job), "--format=csv")
                self.assertIn(f"\nrows,{rows},", waited.stdout)
                self.assertNotIn("NULL", waited.stderr)

    def test_one_of_which_all_was_killed_goes_on_where_it_was(self):
        self.train()
        self.alone(PREDICT.format("alone", ""))
        job = self.detach_slowly(PREDICT.format("away", ""))
        store = pathlib.Path(self.folder, "jobs", str(job), "job.db")
        settled = "SELECT count(*) FROM shards WHERE state = 'done'"

        def count():
            with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as database:
                return database.execute(settled).fetchone()[0]
        harness.wait_for(count, "a shard that is done")
        for pid in harness.processes_of(self.folder):
            os.kill(pid, signal.SIGKILL)
        harness.wait_for(lambda: self.state(job)[0] == "lost", "a job that is lost")
        self.assertIn("none of them again", self.state(job)[1])
        self.pace = None
        self.assertEqual(self.command("wait", str(job)).returncode, 0)
        self.check_same("away", "alone")

    def test_it_is_cancelled_and_leaves_no_rows(self):
        self.train()
        job = self.detach_slowly(PREDICT.format("away", ""))
        self.assertEqual(self.command("cancel", str(job)).returncode, 0)
        self.ends(job, "cancelled")
        harness.wait_for(lambda: not list(pathlib.Path(self.folder).rglob("*.spool")), "the rows to go")
        self.assertIsNone(self.execute("SELECT to_regclass('away')")[0][0])

    def test_in_a_transaction_it_sees_what_is_not_committed_and_is_no_part_of_it(self):
        self.train()
        self.pace = None
        shown = self.run_program("--format=csv", "-c", "BEGIN; UPDATE t SET w = 'mine'; " + PREDICT.format("away", "") + "; SELECT w FROM t LIMIT 1; ROLLBACK")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.ends(1, "done")
        self.assertEqual(self.execute("SELECT (SELECT count(*) FROM away WHERE w = 'mine'), (SELECT count(*) FROM t WHERE w = 'mine')"), [(ROWS, 0)])

    def test_settings_of_the_session_stay(self):
        self.train()
        names = ("search_path", "DateStyle", "TimeZone", "IntervalStyle", "extra_float_digits", "bytea_output", "lc_monetary", "xmloption")
        show = "SELECT " + ", ".join(f"current_setting('{name}') AS {name}" for name in names)
        for begin in ("", "BEGIN; "):
            before = self.check(ODD_SETTINGS + show)
            self.assertEqual(self.check(ODD_SETTINGS + begin + PREDICT.format("away", "") + "; " + show), before)

    def sweep(self):
        """Another job looks at what others have left."""
        self.ends(self.detach("SELECT * FROM t LIMIT 5 TO PREDICT swept.p WITH job.wait = false USING m"), "done")


def make_roles(case):
    for role in ("alice", "mallory"):
        case.server.execute(f"CREATE ROLE {role} LOGIN IN ROLE totrain_user")
        case.addCleanup(case.server.execute, f"DROP ROLE {role}")
        case.addCleanup(case.execute, f"DROP OWNED BY {role} CASCADE")
        case.execute(f"CREATE SCHEMA {role} AUTHORIZATION {role}")


if __name__ == "__main__":
    harness.main()
