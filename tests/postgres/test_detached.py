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

import psycopg2

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


class Helpers:
    """The tests of both doors: detach(statement, before, user) gives the job's id, `ends` waits for how it ends."""

    def train(self):
        self.train_on("SELECT a, n, v, w, b FROM t", "b")

    def train_on(self, rows, label):
        self.check(f"{rows} TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 3 LABEL {label} INTO m")

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


class Shared(Helpers):
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
        """Types of the kept rows are not looked up in the caller's schemas before pg_catalog."""
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
                self.assertIn(f"\nrows,,,{rows}\n", waited.stdout)
                self.assertNotIn("NULL", waited.stderr)

    def test_one_of_which_all_was_killed_goes_on_where_it_was(self):
        self.train()
        self.alone(PREDICT.format("alone", ""))
        job = self.detach_slowly(PREDICT.format("away", ""))
        store = pathlib.Path(self.folder, "jobs", str(job), "job.db")
        settled = "SELECT count(*) FROM shards WHERE state = 'done'"

        def count():
            try:
                with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as database:
                    return database.execute(settled).fetchone()[0]
            except sqlite3.OperationalError:  # it is being made
                return 0
        harness.wait_for(count, "a shard that is done")
        for pid in harness.processes_of(self.folder):
            with contextlib.suppress(ProcessLookupError):  # it ended with those before it
                os.kill(pid, signal.SIGKILL)
        _, error = harness.eventually(lambda: self.state(job), lambda found: found[0] == "lost", "the job")
        self.assertIn("none of them again", error)
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
        self.ends(int(re.search(r"^(\d+),away$", shown.stdout, re.M)[1]), "done")
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


class Door(program.Case):
    """psql: a background worker follows the job as the caller."""

    settings = harness.BARE
    pace = SLOW
    marks = 0

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        test_workers.make_rows(connection)
        connection.cursor().execute("GRANT SELECT ON t TO PUBLIC")

    def setUp(self):
        super().setUp()
        self.pace = None  # pace of the program
        make_roles(self)
        self.addCleanup(self.check_nothing_runs)

    def detach(self, statement, before="", user=harness.SUPERUSER):
        shown = self.check_psql(f"{before}{statement};", "-At", user=user)
        return int(shown.splitlines()[-1].split("|")[0])

    detach_slowly = detach

    def refused_to(self, statement, user=harness.SUPERUSER):
        done = self.psql(statement + ";", user=user)
        self.assertIn("ERROR", done.stderr)
        return done.stderr

    def hurry(self, job):
        def has_ended():
            harness.hurry(self.server.state)
            return self.state(job)[0] not in ("waiting", "running")
        harness.wait_for(has_ended, "the end of the job")

    def state(self, job, user=harness.SUPERUSER):
        return self.execute(f"SELECT state, error FROM totrain.jobs WHERE id = {job}", user)[0]

    def ends(self, job, state, user=harness.SUPERUSER):
        def ended():
            harness.hurry(self.server.state)
            found = self.state(job, user)
            return found[0] not in ("waiting", "running", "publishing", "lost") and found
        found = harness.wait_for(ended, "the job's end")
        self.assertEqual(found[0], state, found[1])
        return found[1]

    def publish(self, job, fails=False, user=harness.SUPERUSER):
        try:
            self.execute(f"SELECT * FROM totrain.publish({job})", user)
            self.assertFalse(fails)
        except psycopg2.Error:
            self.assertTrue(fails)
        return not fails

    def sweep(self):
        """Another job looks at what others have left."""
        self.ends(self.detach("SELECT * FROM t LIMIT 5 TO PREDICT swept.p WITH job.wait = false USING m"), "done")

    def workers(self):
        return [pid for pid, in self.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'totrain job'")]


class Server(Shared, Door):
    """From psql."""

    def heard(self, connection, jobs):
        """Payloads about these jobs."""
        def all_of_them():
            connection.poll()
            found = {told["id"]: told for told in map(json.loads, (notify.payload for notify in connection.notifies))}
            return set(jobs) <= set(found) and [found[job] for job in jobs]
        return harness.wait_for(all_of_them, "a word about the jobs")

    def test_the_end_of_a_job_is_told_to_who_listens(self):
        self.train()
        listener = self.connect()
        listener.cursor().execute("LISTEN totrain_jobs")
        done = self.detach(PREDICT.format("away", ""))
        self.ends(done, "done")
        shown = self.check_psql("SELECT a, n, v, w, b FROM t TO TRAIN DNNClassifier WITH train.require = 'LogLoss < 0', "
                                "job.wait = false LABEL b INTO never;", "-At")
        failed = int(re.search(r"job\D+(\d+)", shown)[1])
        self.assertIn("train.require asks for LogLoss < 0", self.ends(failed, "unpublished"))
        owner = self.execute("SELECT current_user")[0][0]
        self.assertEqual(self.heard(listener, [done, failed]), [{"id": done, "state": "done", "owner": owner},
                                                                {"id": failed, "state": "unpublished", "owner": owner}])
        self.assertIsNone(self.execute("SELECT to_regclass('never')")[0][0])

    def command(self, name, text):
        path = self.server.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def test_a_command_of_the_administrators_list_is_told_of_failures(self):
        told = self.server.folder / "told"
        told.mkdir()
        told.chmod(0o777)
        page = self.command("page", f'(echo "$# $1 $2"; env | sort; cat) > {told}/$1.new; mv {told}/$1.new {told}/$1')
        fails = self.command("fails", "exit 7")
        for wrong in ("page", "page=relative/path", "=/bin/true", "page=/bin/true,"):
            with self.subTest(wrong), self.assertRaisesRegex(psycopg2.Error, "invalid value|Invalid value"):
                self.execute(f"ALTER SYSTEM SET totrain.failure_commands = '{wrong},x'")
        self.execute(f"ALTER SYSTEM SET totrain.failure_commands = 'page={page}, fails = {fails}, gone=/no/such'")
        self.addCleanup(lambda: [self.execute(undo) for undo in ("ALTER SYSTEM RESET totrain.failure_commands",
                                                                 "SELECT pg_reload_conf()")])
        self.execute("SELECT pg_reload_conf()")
        harness.wait_for(lambda: "fails" in self.execute("SHOW totrain.failure_commands")[0][0], "the list to be read")
        with self.assertRaisesRegex(psycopg2.Error, "no command of this name"):
            self.execute("SET totrain.failure_command = '/bin/sh'")
        with self.assertRaisesRegex(psycopg2.Error, "cannot be changed now"):
            self.execute("SET totrain.failure_commands = 'page=/bin/sh'")
        self.train()
        owner = self.execute("SELECT current_user")[0][0]
        never = ("SELECT a, n, v, w, b FROM t TO TRAIN DNNClassifier WITH train.require = 'LogLoss < 0', job.wait = false "
                 "LABEL b INTO never;")
        choice = "SET totrain.failure_command = '{}'; "

        def run(command):
            job = int(re.search(r"job\D+(\d+)", self.check_psql(choice.format(command) + never, "-At"))[1])
            self.ends(job, "unpublished")
            return job

        done = self.detach(PREDICT.format("away", ""), before=choice.format("page"))
        failed = run("page")
        harness.wait_for((told / str(failed)).exists, "the command to be told")
        first, *variables, line = (told / str(failed)).read_text().splitlines()
        self.assertEqual(first, f"2 {failed} unpublished")
        self.assertEqual([one for one in variables if not re.match("(PWD|SHLVL|_|OLDPWD)=", one)], ["PATH=/usr/bin:/bin"])
        self.assertEqual(json.loads(line), {"id": failed, "state": "unpublished", "owner": owner})
        self.ends(done, "done")
        for command, expected in (("fails", "fails failed with exit code 7"), ("gone", "/no/such")):
            job = run(command)
            harness.wait_for(lambda: re.search(f"job {job}: .*{expected}", self.server.log()),  # pylint: disable=cell-var-from-loop
                             expected)
        self.assertFalse((told / str(done)).exists())
        self.execute("CREATE DATABASE beside")
        wait = self.command("fails", f'sleep 3600 & echo $! > {told}/child; wait')
        self.addCleanup(lambda: os.kill(int((told / "child").read_text()), signal.SIGKILL))
        job = int(re.search(r"job\D+(\d+)", self.check_psql(choice.format("fails") + never, "-At"))[1])
        self.addCleanup(wait.unlink)
        harness.wait_for(lambda: harness.hurry(self.server.state) or (told / "child").exists(), "the command")
        self.assertEqual(self.state(job)[0], "unpublished")  # settled: written before the command begins
        self.check_psql(None, "-c", "SET statement_timeout = '20s'", "-c", "DROP DATABASE beside")


class Followed(Helpers, Door):
    """Ends of a job's session, worker, server and role."""

    def check_written(self, job):
        self.ends(job, "done")
        self.alone(PREDICT.format("alone", ""))
        self.check_same("away", "alone")
        harness.wait_for(lambda: not list(self.server.state.rglob("*.spool")), "the rows to go")
        self.execute("DROP TABLE away, alone")

    def run_one(self, statement=PREDICT.format("away", ""), **options):
        """A job of which something is scored, and something is not."""
        job = self.detach(statement, **options)
        harness.wait_for(lambda: self.execute(f"SELECT 1 FROM totrain.shards WHERE job = {job} AND state = 'done'"), "a shard that is done")
        self.assertEqual(self.state(job), ("running", None))
        return job

    def leases(self, job):
        """Counts how often each row was scored."""
        return self.execute(f"SELECT DISTINCT count(*) FROM totrain.shards WHERE job = {job} AND state = 'done' GROUP BY first")

    def test_a_worker_that_is_ended_is_replaced(self):
        self.train()
        for end in ("SELECT pg_terminate_backend({})", None):
            with self.subTest(end):
                job = self.run_one()
                worker, = harness.wait_for(self.workers, "a worker")
                if end:
                    self.execute(end.format(worker))
                else:
                    self.kill(worker)
                harness.wait_for(lambda: self.workers() not in ([], [worker]), "the next worker")  # pylint: disable=cell-var-from-loop
                self.check_written(job)

    def kill(self, process):
        """With kill -9, and so the sessions of all others."""
        session = self.connect().cursor()
        os.kill(process, signal.SIGKILL)
        harness.wait_for(lambda: not self.works(session.execute), "the end of all sessions")
        harness.wait_for(lambda: self.works(self.execute), "sessions")

    def works(self, execute):
        try:
            execute("SELECT 1")
            return True
        except psycopg2.Error:
            return False

    def test_a_restart_of_the_server_goes_by(self):
        self.train()
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            with self.subTest(number):
                job = self.run_one()
                self.server.stop(number)
                self.check_nothing_runs()
                self.server.start()
                self.check_written(job)
                self.assertEqual(self.leases(job), [(1,)])

    def test_a_supervisor_that_is_killed_is_replaced(self):
        self.train()
        job = self.run_one()
        supervisor, = [pid for pid in self.job_processes() if b"\0supervise\0" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()]
        os.kill(supervisor, signal.SIGKILL)
        self.check_written(job)

    def test_it_is_cancelled(self):
        self.train()
        for statement in ("SELECT totrain.cancel({})", "CANCEL JOB {}"):
            with self.subTest(statement):
                job = self.run_one()
                self.check_psql(statement.format(job) + ";")
                self.ends(job, "cancelled")
                self.check_cancelled(job)

    def check_cancelled(self, job):
        self.check_nothing_runs()
        harness.wait_for(lambda: not self.workers(), "the worker's end")
        self.assertIsNone(self.execute("SELECT to_regclass('away')")[0][0])
        self.assertEqual(self.state(job)[0], "cancelled")
        self.assertEqual(list(self.server.state.rglob("*.spool")), [])

    def test_it_is_cancelled_when_nobody_follows_it(self):
        self.train()
        job = self.run_one()
        self.server.stop(signal.SIGQUIT)
        self.server.start()
        self.execute(f"SELECT totrain.cancel({job})")
        self.ends(job, "cancelled")
        self.check_cancelled(job)

    def test_it_is_the_callers_with_his_role_and_his_settings(self):
        self.train()
        self.execute("CREATE SCHEMA work AUTHORIZATION mallory; GRANT mallory TO alice; GRANT SELECT ON m TO mallory")
        job = self.detach(PREDICT.format("away", ""), "SET ROLE mallory; SET search_path = work, public; SET default_table_access_method = heap; ", user="alice")
        self.assertIn(self.state(job, "mallory")[0], ("waiting", "running"))
        self.ends(job, "done", "mallory")
        self.assertEqual(self.execute("SELECT relowner::regrole::text, relnamespace::regnamespace::text FROM pg_class WHERE relname = 'away'"),
                         [("mallory", "work")])

    def test_a_role_that_may_no_longer_act_as_another_writes_nothing_for_it(self):
        self.train()
        self.execute("GRANT mallory TO alice; GRANT SELECT ON m TO mallory")
        job = self.run_one(PREDICT.format("mallory.away", ""), before="SET ROLE mallory; ", user="alice")
        self.execute("REVOKE mallory FROM alice")
        self.server.stop(signal.SIGQUIT)
        self.server.start()
        self.assertIn('may not act as role "mallory"', self.ends(job, "failed"))
        self.assertIsNone(self.execute("SELECT to_regclass('mallory.away')")[0][0])
        harness.wait_for(lambda: not list(self.server.state.rglob("*.spool")), "the rows to go")

    def test_neighbours_see_and_change_nothing(self):
        self.train()
        self.execute("GRANT SELECT ON m TO alice")
        job = self.run_one(PREDICT.format("alice.away", ""), user="alice")
        self.assertEqual(self.execute("SELECT count(*) FROM totrain.jobs", "mallory"), [(0,)])
        for attack in (f"SELECT totrain.cancel({job})", f"SELECT totrain.cancel({job}, 'alice'::regrole)", f"SELECT * FROM totrain.publish({job})",
                       f"SELECT pg_terminate_backend({self.workers()[0]})", f"SELECT pg_cancel_backend({self.workers()[0]})"):
            with self.assertRaises(psycopg2.Error):
                self.execute(attack, "mallory")
        self.ends(job, "done", "alice")
        with self.assertRaises(psycopg2.Error):
            self.execute("SELECT * FROM alice.away", "mallory")

    def blocked(self):
        """A job whose worker waits to replace its target, and the session that holds it."""
        self.ends(self.detach(PREDICT.format("away", "")), "done")
        holder = self.connect(autocommit=False)
        holder.cursor().execute("SELECT * FROM away")
        job = self.detach(PREDICT.format("away", EXTRA))
        self.hurry(job)
        harness.wait_for(lambda: self.execute("SELECT 1 FROM pg_stat_activity WHERE backend_type = 'totrain job' AND wait_event_type = 'Lock'"),
                         "a worker that writes")
        self.assertEqual(self.state(job), ("publishing", None))
        return job, holder

    def test_what_was_not_committed_is_written_by_the_next_worker(self):
        self.train()
        job, holder = self.blocked()
        with self.assertRaisesRegex(psycopg2.Error, "is being written"):
            self.execute(f"SELECT totrain.cancel({job})")
        worker, = self.workers()
        self.execute(f"SELECT pg_terminate_backend({worker})")
        harness.wait_for(lambda: self.workers() not in ([], [worker]), "the next worker")
        holder.rollback()
        self.ends(job, "done")
        self.alone(PREDICT.format("alone", EXTRA))
        self.check_same("away", "alone")

    def test_what_was_committed_is_not_written_again(self):
        """Its worker died between the commit and what comes after it."""
        self.train()
        job, _ = self.blocked()
        before = self.shape("away")
        self.execute("CREATE TABLE witness AS SELECT pg_current_xact_id()::text AS number")
        number = self.execute("TABLE witness")[0][0]
        self.server.stop(signal.SIGQUIT)
        file, = self.server.state.rglob("unpublished.json")
        noted = json.loads(file.read_text())
        self.assertEqual((noted["transaction"], noted["is_table"]), ("", True))
        file.write_text(json.dumps({**noted, "transaction": number}))
        self.server.start()
        self.ends(job, "done")
        harness.wait_for(lambda: not self.workers(), "the worker's end")
        self.assertEqual(self.shape("away"), before)
        self.assertEqual(list(self.server.state.rglob("unpublished.json")), [])

    def test_publishing_is_part_of_a_transaction(self):
        self.train()
        job = self.detach(PREDICT.format("away", ""))
        self.execute("CREATE VIEW away AS SELECT 1 AS x")
        self.ends(job, "unpublished")
        self.execute("DROP VIEW away")
        connection = self.connect(autocommit=False)
        connection.cursor().execute(f"SELECT * FROM totrain.publish({job})")
        self.assertIn("the table is written in a transaction", self.state(job)[1])
        connection.rollback()
        self.assertEqual(self.state(job), ("unpublished", "the transaction that wrote the table was rolled back"))
        rows = harness.facts(self.execute(f"SELECT * FROM totrain.publish({job})"))
        self.assertEqual((rows["job"], rows["rows"]), (job, ROWS))
        self.sweep()
        self.check_written(job)

    def test_a_refusal_says_what_writes_the_table(self):
        self.train()
        self.execute("CREATE SCHEMA work; GRANT CREATE, USAGE ON SCHEMA work TO alice; GRANT SELECT ON m TO alice")
        job = self.detach(PREDICT.format("work.away", ""), user="alice")
        self.execute("CREATE TABLE work.away AS SELECT 1 AS x")
        self.assertEqual(self.ends(job, "unpublished", "alice"), "the table could not be written: must be owner of table work.away to replace it")
        said = self.psql(f"SELECT * FROM totrain.publish({job});", user="alice").stderr
        self.assertIn(f"The scored table is kept with job {job}: SELECT * FROM totrain.publish({job}); writes it.", said)

    def test_a_table_that_is_unpublished_can_be_given_up(self):
        self.train()
        job = self.detach(PREDICT.format("away", ""))
        self.execute("CREATE VIEW away AS SELECT 1 AS x")
        self.ends(job, "unpublished")
        self.execute(f"SELECT totrain.cancel({job}); DROP VIEW away")
        self.check_cancelled(job)

    def test_a_part_of_a_transaction_is_refused_with_what_to_do(self):
        self.train()
        statement = PREDICT.format("away", "")
        for text, hint in ((f"SELECT * FROM totrain.run($${statement}$$);", "SELECT totrain.submit"),
                           (f"SELECT totrain.submit($${statement}$$);", "Leave job.wait out")):
            said = self.psql(text).stderr
            self.assertIn("job.wait = false", said)
            self.assertIn(hint, said)
        self.assertEqual(self.execute("SELECT count(*) FROM totrain.jobs"), [(0,)])

    def test_a_model_too(self):
        train = "SELECT a, n, v, w, b FROM t TO TRAIN LinearClassifier WITH job.wait = false, train.epoch = 2 LABEL b INTO {}"
        shown = self.check_psql(train.format("away") + ";", "-At")
        job = int(shown.splitlines()[0].split("|")[3])
        self.ends(job, "done")
        self.check(train.format("alone").replace("job.wait = false, ", ""))
        self.assertEqual(self.digest("away"), self.digest("alone"))
        self.assertEqual(self.execute("SELECT version FROM totrain.models WHERE relation = 'away'::regclass"), [(1,)])

    # At its pace it would take hours: nothing below hurries it.
    LONG = "SELECT a, b FROM t TO TRAIN LinearClassifier WITH train.epoch = 1000, train.batch_size = 8, job.wait = false LABEL b INTO {}"

    def check_ended(self, owner, state, error):
        found = f"SELECT state, error FROM totrain.jobs WHERE owner = {owner} AND state NOT IN ('waiting', 'running', 'lost')"
        self.assertEqual(harness.wait_for(lambda: self.execute(found), "the job's end"), [(state, error)])
        self.check_nothing_runs()
        harness.wait_for(lambda: not self.workers(), "the worker's end")
        self.assertEqual(list(self.server.state.rglob("*.spool")), [])

    def make_carol(self):
        self.execute("CREATE ROLE carol LOGIN IN ROLE totrain_user; CREATE SCHEMA carol AUTHORIZATION carol")
        return self.execute("SELECT 'carol'::regrole::oid")[0][0]

    def drop_carol(self):
        self.wait_until_training()
        self.execute("DROP OWNED BY carol; REVOKE totrain_user FROM carol; DROP ROLE carol")

    def test_one_whose_role_is_dropped_is_ended(self):
        for workers in (1, 2):  # in the supervisor, and in processes of their own
            with self.subTest(workers):
                carol = self.make_carol()
                wanted = f"job.max_workers = {workers}, job.min_workers = {workers}, job.wait"
                self.check_psql(self.LONG.format("carol.m").replace("job.wait", wanted) + ";", user="carol")
                self.drop_carol()
                self.check_ended(carol, "failed", "the role that submitted the job was dropped")

    def test_so_is_one_that_a_session_waits_for(self):
        carol = self.make_carol()
        number = self.execute(f"SELECT totrain.submit($${self.LONG.format('carol.m').replace(', job.wait = false', '')}$$)", "carol")
        self.assertEqual(len(number), 1)
        self.drop_carol()
        self.check_ended(carol, "cancelled", "the job was cancelled")

    def test_so_is_one_whose_role_is_no_longer_the_sessions_to_take(self):
        self.execute("GRANT mallory TO alice")
        self.check_psql("SET ROLE mallory; " + self.LONG.format("mallory.m") + ";", user="alice")
        self.wait_until_training()
        self.execute("REVOKE mallory FROM alice")
        self.check_ended("'mallory'::regrole", "failed", 'role "alice" may not act as role "mallory" any more')

    def test_limits_hold(self):
        self.train()
        self.execute("GRANT SELECT ON m TO alice; ALTER ROLE alice SET totrain.max_jobs_per_role = 1")
        job = self.run_one(PREDICT.format("alice.away", ""), user="alice")
        self.assertIn("this role has 1 jobs already", self.refused_to(PREDICT.format("alice.more", ""), "alice"))
        self.ends(job, "done", "alice")


class Full(program.Case):
    settings = {**harness.BARE, "max_worker_processes": "0"}

    def test_without_a_worker_nothing_begins(self):
        self.check("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL class INTO m")
        done = self.psql("SELECT * FROM iris TO PREDICT away.class WITH job.wait = false USING m;")
        self.assertIn("there is no background worker left for the job", done.stderr)
        self.assertEqual(list(self.server.state.glob("*/*/jobs/[0-9]*")), [])


def make_roles(case):
    for role in ("alice", "mallory"):
        case.server.execute(f"CREATE ROLE {role} LOGIN IN ROLE totrain_user")
        case.addCleanup(case.server.execute, f"DROP ROLE {role}")
        case.addCleanup(case.execute, f"DROP OWNED BY {role} CASCADE")
        case.execute(f"CREATE SCHEMA {role} AUTHORIZATION {role}")


if __name__ == "__main__":
    harness.main()
