"""Jobs as rows, whose they are, their limits, and what a rollback leaves of them."""

import contextlib
import os
import pathlib
import shutil
import threading

import psycopg2
from psycopg2 import errors

import harness

SMALL = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL class INTO m"


class Jobs(harness.Case):
    settings = {**harness.BARE, "totrain.progress_interval": "-1"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        for role in ("ann", "bob", "eve"):
            cursor.execute(f"CREATE ROLE {role} LOGIN; GRANT SELECT ON iris TO {role}; "
                           f"GRANT CREATE ON SCHEMA public TO {role}")
        cursor.execute("GRANT totrain_user TO ann, bob; GRANT totrain_monitor TO eve")

    @contextlib.contextmanager
    def running(self, user):
        """A long job of this user; it is cancelled in the end."""
        done = []
        sql = harness.TRAIN_LONG.replace("iris_model", f"{user}_model")
        thread = threading.Thread(target=lambda: done.append(self.psql(sql, user=user)))
        thread.start()
        try:
            jobs = harness.wait_for(lambda: self.execute(
                f"SELECT id, statement FROM totrain.jobs WHERE owner = '{user}'::regrole AND state = 'running'"),
                "a running job")
            yield jobs[0][0]
        finally:
            self.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = %s" % f"'{user}'")
            thread.join()
        self.assertEqual(len(done), 1)

    def folders(self):
        return {path.name for path in pathlib.Path(self.server.state).glob(
            f"{self.execute('SELECT oid FROM pg_database WHERE datname = current_database()')[0][0]}/*/jobs/*")}

    def test_everybody_sees_his_own_and_a_monitor_all(self):
        with self.running("ann") as job:
            self.assertEqual(self.execute("SELECT id, owner::text FROM totrain.jobs", "ann"), [(job, "ann")])
            self.assertEqual(self.execute("SELECT id FROM totrain.jobs", "bob"), [])
            self.assertEqual(self.execute("SELECT id, model FROM totrain.jobs", "eve"), [(job, "ann_model")])
            self.assertEqual(self.check_psql("SHOW JOBS;", user="bob"), "")
            self.assertIn("running", self.check_psql("SHOW JOBS;", user="ann"))
            self.assertGreater(len(self.execute("SELECT * FROM totrain.events", "eve")), 0)
            for table in ("workers", "job_metrics", "shards"):
                self.execute(f"SELECT * FROM totrain.{table}", "ann")
            with self.assertRaises(errors.InsufficientPrivilege):
                self.execute("SELECT totrain.cancel(1)", "eve")

    def test_a_log_is_read_by_lines_with_the_rights_of_its_job(self):
        self.check_psql(SMALL, user="ann")
        job, = self.execute("SELECT id FROM totrain.jobs", "ann")[0]
        path = next(self.server.state.glob(f"*/*/jobs/{job}/log"))
        written = path.read_text()
        path.write_text(f"{written}in {self.server.state} \xe4\n{'x' * 300000}\n")
        with open(path, "ab") as log:
            log.write(b"\xff\0 cut")
        lines = self.execute(f"SELECT next, line FROM totrain.job_log({job})", "ann")
        first = written.splitlines()
        self.assertEqual([line for _, line in lines[:len(first)]],
                         [line.replace(str(self.server.state), "totrain.state_directory") for line in first])
        self.assertEqual(lines[len(first)][1], "in totrain.state_directory \xe4")
        self.assertEqual("".join(line for _, line in lines[len(first) + 1:]), "x" * 300000 + "?? cut")
        self.assertEqual(lines[-1][0], path.stat().st_size)
        self.assertIn((f"in {self.server.state} \xe4",), self.execute(f"SELECT line FROM totrain.job_log({job}, 'ann')"))
        start = lines[1][0]
        self.assertEqual(self.execute(f"SELECT next, line FROM totrain.job_log({job}, 'ann', {start})", "eve"), lines[2:])
        self.assertEqual(self.execute(f"SELECT * FROM totrain.job_log({job}, start => {start}, most => {lines[2][0] - start})", "ann"),
                         lines[2:3])
        within = path.read_bytes().rindex(bytes(self.server.state)) + 1  # a path that is hidden goes on here
        for bounds in (f"start => {within}", f"start => {lines[len(first) - 1][0]}, most => {within - lines[len(first) - 1][0] + 9}"):
            shown = self.execute(f"SELECT line FROM totrain.job_log({job}, {bounds})", "ann")
            self.assertNotIn(str(self.server.state)[1:9], "".join(line for line, in shown))
        self.assertEqual(self.execute("SELECT * FROM totrain.job_log(NULL)", "ann"), [])
        with self.assertRaisesRegex(errors.InsufficientPrivilege, "logs of jobs of role \"ann\""):
            self.execute(f"SELECT * FROM totrain.job_log({job}, 'ann')", "bob")
        with self.assertRaisesRegex(errors.UndefinedObject, f"no job {job}"):
            self.execute(f"SELECT * FROM totrain.job_log({job})", "bob")
        with self.assertRaises(errors.InvalidParameterValue):
            self.execute(f"SELECT * FROM totrain.job_log({job}, start => -1)", "ann")
        path.unlink()
        with self.assertRaisesRegex(errors.UndefinedObject, f"job {job} has no log: none of its processes ran"):
            self.execute(f"SELECT * FROM totrain.job_log({job})", "ann")
        (path.parent / "cluster.json").write_text("{}")
        with self.assertRaisesRegex(errors.UndefinedObject, "on a cluster(.|\n)*kubectl logs"):
            self.execute(f"SELECT * FROM totrain.job_log({job})", "ann")

    def test_a_list_of_columns_that_do_not_fit_is_refused(self):
        """A text taken for a number shows an address, a number taken for a text is one."""
        self.check_psql(SMALL, user="ann")
        right = {"owner": "oid", "job": "bigint", "role": "text", "index": "bigint", "state": "text",
                 "lanes": "bigint", "rows_per_second": "float8"}
        for name, wrong in (("owner", "text"), ("role", "bigint"), ("role", "float8"), ("role", "varchar"),
                            ("state", "name"), ("job", "int"), ("rows_per_second", "bigint"), ("lanes", "numeric")):
            columns = ", ".join(f'"{column}" {kind}' for column, kind in {**right, name: wrong}.items())
            with self.subTest(name, type=wrong), self.assertRaises(errors.DatatypeMismatch):
                self.execute(f"SELECT * FROM totrain.job_table('workers') AS ({columns})", "ann")
        columns = ", ".join(f'"{column}" {kind}' for column, kind in {**right, "lanes": "text"}.items())
        self.assertEqual(self.execute(f"SELECT lanes FROM totrain.job_table('workers') AS ({columns})", "ann"),
                         [(str(lanes),) for lanes, in self.execute("SELECT lanes FROM totrain.workers", "ann")])

    def test_only_who_may_act_as_the_owner_ends_a_job(self):
        with self.running("ann") as job:
            with self.assertRaises(errors.UndefinedObject):
                self.execute(f"SELECT totrain.cancel({job})", "bob")
            with self.assertRaises(errors.InsufficientPrivilege):
                self.execute(f"SELECT totrain.cancel({job}, 'ann')", "bob")
            self.assertIn("there is no job", self.psql(f"CANCEL JOB {job};", user="bob").stderr)
            self.assertEqual(self.execute(f"SELECT totrain.cancel({job}, 'ann')"), [("cancelled",)])
            harness.wait_for(lambda: self.execute("SELECT state FROM totrain.jobs", "ann") == [("cancelled",)],
                             "the job's end")
        self.check_nothing_runs()

    def test_limits_are_the_administrators(self):
        many = SMALL.replace("train.epoch = 1", "train.epoch = 1, job.max_workers = 3")
        self.execute("SET totrain.max_workers = 4")
        for setting in ("max_workers = 1000", "max_jobs_per_role = 1000"):
            with self.assertRaises(errors.InsufficientPrivilege):
                self.execute(f"SET totrain.{setting}", "ann")
        for setting in ("program = '/bin/true'", "state_directory = '/tmp'"):
            with self.assertRaises(errors.CantChangeRuntimeParam):
                self.execute(f"SET totrain.{setting}")
        self.execute(f"ALTER ROLE ann IN DATABASE \"{self.database}\" SET totrain.max_workers = 2")
        done = self.psql(many + ";", user="ann")
        self.assertIn("job.max_workers is 3, and at most 2 are allowed here", done.stderr)
        done = self.psql(SMALL.replace("train.epoch = 1", "job.metrics = '0'") + ";", user="ann")
        self.assertIn("would open a port", done.stderr)

    def test_a_role_has_no_more_jobs_than_it_may(self):
        self.execute(f"ALTER ROLE ann IN DATABASE \"{self.database}\" SET totrain.max_jobs_per_role = 1")
        with self.running("ann"):
            done = self.psql(SMALL + ";", user="ann")
            self.assertIn("this role has 1 jobs already", done.stderr)
            self.check_psql(SMALL + ";", user="bob")
        self.execute("DROP TABLE m")
        self.check_psql(SMALL + ";", user="ann")

    def test_a_job_has_no_more_memory_than_it_may(self):
        wide = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [4000, 4000], train.epoch = 1 "
                "LABEL class INTO m;")
        done = self.psql("SET totrain.max_memory = '100MB'; " + wide)
        self.assertRegex(done.stderr, "ERROR:  .*memory")
        self.check_nothing_runs()
        self.assertEqual(self.tables(), {"iris"})
        self.check_psql("SET totrain.max_memory = '100MB'; " + SMALL + ";")
        with self.assertRaises(errors.InsufficientPrivilege):
            self.execute("SET totrain.max_memory = 0", "ann")

    def test_what_is_rolled_back_was_trained_and_is_unpublished(self):
        def states():
            return [state for state, in self.execute("SELECT state FROM totrain.jobs ORDER BY id")]
        connection = self.connect(autocommit=False)
        cursor = connection.cursor()
        cursor.execute(f"SELECT totrain.run($${SMALL}$$)")
        self.assertEqual(len(self.folders()), 1)
        cursor.execute("SAVEPOINT inner_one")
        cursor.execute(f"SELECT totrain.run($${SMALL}$$)")
        cursor.execute("ROLLBACK TO inner_one")
        self.assertEqual(states(), ["publishing", "unpublished"])
        cursor.execute("SAVEPOINT outer_one; SAVEPOINT inner_one")
        cursor.execute(f"SELECT totrain.run($${SMALL}$$)")
        cursor.execute("RELEASE inner_one; ROLLBACK TO outer_one")
        self.assertEqual(states(), ["publishing", "unpublished", "unpublished"])
        connection.rollback()
        self.assertEqual(states(), ["unpublished"] * 3)
        cursor.execute(f"SELECT totrain.run($${SMALL}$$)")
        connection.commit()
        self.assertEqual(states(), ["unpublished"] * 3 + ["done"])

    def test_the_books_of_jobs_that_ended_are_read_once(self):
        for _ in range(3):
            self.execute(f"SELECT totrain.run($${SMALL}$$)")
        seen = self.execute("SELECT * FROM totrain.jobs")
        jobs = next(self.server.state.glob("*/*/jobs/ended")).parent

        def change(job, moves_clock):
            for books in (jobs / job).glob("job.db*"):
                times = books.stat()
                books.write_bytes(b"\0" * times.st_size)
                os.utime(books, ns=(times.st_atime_ns, times.st_mtime_ns + moves_clock))
        change("1", 0)
        self.assertEqual(self.execute("SELECT * FROM totrain.jobs"), seen)
        change("2", 1)  # the changed rows are read
        self.assertEqual(self.execute("SELECT * FROM totrain.jobs"), [seen[0], seen[2]])
        shutil.rmtree(jobs / "1")
        self.assertEqual(self.execute("SELECT * FROM totrain.jobs"), [seen[2]])
        self.assertEqual(len(self.execute("SELECT * FROM totrain.rows('SHOW JOBS')")), 1)
        (jobs / "ended").write_bytes(b"no file of ours")
        self.assertEqual(self.execute("SELECT * FROM totrain.jobs"), [seen[2]])

    def test_folders_of_dropped_databases_go(self):
        self.execute(f"SELECT totrain.run($${SMALL}$$)")
        database = self.execute("SELECT oid FROM pg_database WHERE datname = current_database()")[0][0]
        self.assertTrue((self.server.state / str(database)).is_dir())
        other = f"other_{os.getpid()}"
        self.server.execute(f"CREATE DATABASE {other} TEMPLATE prepared")
        self.server.execute(f'DROP DATABASE "{self.database}" WITH (FORCE)')
        self.server.execute(f"SELECT totrain.run($${SMALL}$$)", other)
        self.assertFalse((self.server.state / str(database)).exists())
        self.server.execute(f"DROP DATABASE {other} WITH (FORCE)")
        self.server.execute(f'CREATE DATABASE "{self.database}"')

    def test_the_seed_of_the_session_is_used(self):
        digests = set()
        for setting, attribute in (("0", "train.epoch = 10, train.seed = 7"), ("7", "train.epoch = 10"), ("8", "train.epoch = 10")):
            self.check_psql(f"SET totrain.seed = {setting}; " + SMALL.replace("train.epoch = 1", attribute) + ";")
            digests.add(self.digest("m"))
        self.assertEqual(len(digests), 2)

    def test_a_detached_job_inside_of_a_transaction_is_a_function(self):
        done = self.psql("SELECT * FROM totrain.run($$" + SMALL.replace("train.epoch = 1", "job.wait = false") + "$$);")
        self.assertIn("job.wait = false", done.stderr)
        self.assertIn("totrain.submit", done.stderr)

    def test_setting_names_are_reserved(self):
        with self.assertRaises(psycopg2.Error):
            self.execute("SET totrain.max_wokers = 1")


if __name__ == "__main__":
    harness.main()
