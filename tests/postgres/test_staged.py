"""Jobs in tables: the same model as on one machine, whoever dies, and nobody else's business."""

import pathlib
import signal

from psycopg2 import errors

import staged
from staged import harness, statement

PACE = "us=1000"  # a row: a job that lasts as long as what is done to it


class Runs(staged.Case):
    def check_workers(self, count):
        job = self.stage(statement(job__min_workers=count))
        master = self.master(job)
        workers = [self.worker(job, i, master.address()) for i in range(count)]
        self.check_done(job, master, self.expected())
        for worker in workers:
            self.assertEqual(worker.end(), 0, worker.log.text())

    def test_one_worker(self):
        self.check_workers(1)

    def test_nobody_reads_the_journal_but_its_master(self):
        """A worker needs what was submitted, and that are the first two entries, however long it is."""
        self.execute(f"ALTER ROLE {staged.POD} SET log_statement = 'all'")
        self.addCleanup(self.execute, f"ALTER ROLE {staged.POD} RESET log_statement")
        before = len(self.server.log())
        self.check_workers(2)
        reads = [line for line in self.server.log()[before:].splitlines() if "SELECT number, master" in line]
        self.assertEqual(sum("LIMIT 2" in line for line in reads), 3)
        masters = {line.split()[0] for line in reads if "LIMIT 64" in line}
        self.assertEqual(len(masters), 1, reads)

    def test_two_workers(self):
        self.check_workers(2)

    def test_four_workers(self):
        self.check_workers(4)


class Using(staged.Case):
    """The model that a job goes on from lies in its tables, beside the rows."""

    def test_workers_of_tables_go_on_from_the_old_model(self):
        old = "SELECT * FROM iris TO TRAIN XGBClassifier WITH train.num_boost_round = 3 LABEL class INTO {}"
        for user, name in (("alice", "old_of_alice"), ("bob", "old_of_bob")):
            with self.connect(user).cursor() as cursor:
                cursor.execute("SELECT count(*) FROM totrain.run(%s)", (old.format(name),))
        more = ("SELECT * FROM iris TO TRAIN XGBClassifier WITH train.num_boost_round = 3, job.min_workers = 2, "
                "job.max_workers = 2 LABEL class USING {} INTO iris_model;")
        job = self.stage(more.format("old_of_alice"))
        master = self.master(job)
        for i in range(2):
            self.worker(job, i, master.address())
        self.check_done(job, master, self.expected(more.format("old_of_bob")))


class Deaths(staged.Case):
    """Roles are killed, and start again in other empty folders."""

    LONG = statement(epochs=2000, batch=16, job__checkpoint_seconds=0.2, job__min_workers=2)
    role_pace = PACE

    def start(self):
        self.job = self.stage(self.LONG)
        master = self.master(self.job)
        self.address = master.address()
        self.port = int(self.address.rsplit(":", 1)[1])
        return master, [self.worker(self.job, i, self.address) for i in range(2)]

    def wait_for_checkpoint(self, more=0):
        harness.wait_for(lambda: len(self.journal(self.job, "number", "kind = 'checkpoint'")) > more, "a checkpoint")

    def test_a_master_that_is_killed_has_a_successor_in_an_empty_folder(self):
        master, workers = self.start()
        for _ in range(3):
            before = len(self.journal(self.job, "number", "kind = 'metric'"))
            harness.wait_for(lambda: len(self.journal(self.job, "number", "kind = 'metric'")) > before, "a metric")
            self.kill(master)
            master = self.master(self.job, self.port)
        self.check_done(self.job, master, self.expected(self.LONG))
        for worker in workers:
            self.assertEqual(worker.end(), 0, worker.log.text())

    def test_all_are_killed_and_continue_from_the_checkpoint(self):
        master, workers = self.start()
        self.wait_for_checkpoint()
        master.wait_step(300)
        self.wait_for_checkpoint(len(self.journal(self.job, "number", "kind = 'checkpoint'")))
        self.kill(master, *workers)
        master = self.master(self.job, self.port)
        for i in range(2):
            self.worker(self.job, i, self.address, incarnation=1)
        line = master.log.lines[master.wait_log("restored: from the checkpoint of step ")]
        self.assertGreater(int(line.split(" of step ")[1].split()[0]), 100)
        self.check_done(self.job, master, self.expected(self.LONG))

    def test_a_master_that_comes_after_the_end_ends(self):
        master, _ = self.start()
        self.assertEqual(self.finish(master), 0)
        after = self.master(self.job)
        self.assertEqual(after.end(), 0, after.log.text())
        self.assertIn("the job is done already", after.log.text())

    def test_of_two_masters_the_older_one_ends(self):
        master, workers = self.start()
        master.wait_step(10)
        second = self.master(self.job)
        self.assertEqual(master.end(), 1)
        self.assertIn("leads the job now", master.log.text())
        self.assertNotIn('"failed"', master.said.text())
        self.kill(*workers)
        for i in range(2):
            self.worker(self.job, i, second.address(), incarnation=1)
        self.check_done(self.job, second, self.expected(self.LONG))


class Cuts(staged.Case):
    """The server goes away, and comes back."""

    LONG = statement(epochs=2000, batch=16, job__checkpoint_seconds=0.1, job__min_workers=2)
    role_pace = PACE

    def start(self):
        self.job = self.stage(self.LONG)
        master = self.master(self.job)
        for i in range(2):
            self.worker(self.job, i, master.address())
        master.wait_step(10)
        return master

    def check_whole(self):
        numbers = [row[0] for row in self.journal(self.job, "number")]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        metrics = self.journal(self.job, "convert_from(body, 'UTF8')", "kind = 'metric'")
        self.assertEqual(len(metrics), len(set(metrics)))

    def test_connections_are_cut_again_and_again(self):
        master = self.start()
        cuts = 0
        while master.process.poll() is None and cuts < 40:
            cuts += self.execute("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                                 f"WHERE usename = '{staged.POD}'")[0][0]
        self.assertGreaterEqual(cuts, 40)
        self.assertEqual(self.finish(master), 0, master.log.text())
        self.check_whole()
        self.collect(self.job)
        self.assertEqual(self.digest(), self.expected(self.LONG))

    def test_the_server_crashes_and_restarts(self):
        master = self.start()
        for number in (signal.SIGINT, signal.SIGQUIT):
            steps = len(self.journal(self.job, "number"))
            self.server.stop(number)
            self.server.start()
            harness.wait_for(lambda: master.process.poll() is not None
                             or len(self.journal(self.job, "number")) > steps, "news of the job")
        self.assertEqual(self.finish(master), 0, master.log.text())
        self.check_whole()
        self.collect(self.job)
        self.assertEqual(self.digest(), self.expected(self.LONG))


class Damage(staged.Case):
    """A bit of the journal is not what it was when the model is published."""

    def finished(self):
        job = self.stage()
        master = self.master(job)
        self.worker(job, 0, master.address())
        self.assertEqual(self.finish(master), 0, master.log.text())
        return job

    def invert(self, job, kind, text):
        """The lowest bit of the character behind the text, in the last entry of the kind."""
        body, number = self.journal(job, "convert_from(body, 'UTF8'), number", f"kind = '{kind}'")[-1]
        bit = 8 * (body.encode().index(text) + len(text))
        self.execute(f"UPDATE totrain_jobs.result_{job} SET body = set_bit(body, {bit}, 1 - get_bit(body, {bit})) "
                     f"WHERE number = {number}")

    def check_refused(self, job, before):
        with self.assertRaisesRegex(errors.DataException, "is damaged: it is not what was written"):
            self.collect(job)
        self.assertEqual(self.tables(), before)

    def test_a_model_is_not_published_under_another_name(self):
        job, before = self.finished(), self.tables()
        self.invert(job, "input", b'"table":"iris_mode')
        self.check_refused(job, before)
        self.assertNotEqual(self.master(job).end(), 0)

    def test_metrics_are_not_shown_that_nobody_measured(self):
        job, before = self.finished(), self.tables()
        self.invert(job, "result", b'"train":0.')
        self.check_refused(job, before)


class Rights(staged.Case):
    """The rights of the roles' login, and the session's refusals."""

    def pod(self, sql):
        connection = self.server.connect(self.database, staged.POD)
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall() if cursor.description else None
        finally:
            connection.close()

    def check_refused(self, sql):
        with self.assertRaises(errors.InsufficientPrivilege, msg=sql):
            self.pod(sql)

    def test_the_login_reads_its_tables_and_nothing_else(self):
        job = self.stage()
        self.assertEqual(self.pod(f"SELECT count(*) FROM totrain_jobs.result_{job}"), [(2,)])
        self.pod(f"SELECT file, piece, bytes FROM totrain_jobs.input_{job}")
        self.pod(f"INSERT INTO totrain_jobs.checkpoint_{job} VALUES (1, 2, 'x')")
        for sql in ("SELECT * FROM iris", "SELECT * FROM totrain.models", "SELECT totrain.discard(1)",
                    "SELECT totrain.stage('x')", "SELECT nextval('totrain.job_number')",
                    "CREATE TABLE totrain_jobs.mine (a int)", "SELECT pg_read_file('PG_VERSION')",
                    "SET ROLE alice", f"DROP TABLE totrain_jobs.input_{job}",
                    f"INSERT INTO totrain_jobs.input_{job} VALUES ('x', 1, 'x')"):
            self.check_refused(sql)
        for table in ("input", "checkpoint", "result"):
            for sql in ("DELETE FROM {}", "TRUNCATE {}", "ALTER TABLE {} ADD a int",
                        "CREATE TRIGGER t BEFORE INSERT ON {} EXECUTE FUNCTION suppress_redundant_updates_trigger()",
                        "BEGIN; LOCK TABLE {} IN ACCESS EXCLUSIVE MODE"):
                self.check_refused(sql.format(f"totrain_jobs.{table}_{job}"))
        self.check_refused(f"UPDATE totrain_jobs.result_{job} SET body = 'x'")
        self.check_refused(f"UPDATE totrain_jobs.checkpoint_{job} SET bytes = 'x'")

    def test_another_user_neither_reads_nor_collects_nor_drops_them(self):
        job = self.stage()
        for sql in (f"SELECT * FROM totrain_jobs.input_{job}", f"SELECT * FROM totrain.collect({job})",
                    f"SELECT totrain.discard({job})"):
            with self.assertRaises(errors.InsufficientPrivilege, msg=sql):
                self.execute(sql, "bob")
        self.execute("SELECT totrain.sweep_jobs('0 s')", "bob")
        self.assertEqual(len(self.tables_of_jobs()), 3)

    def test_a_superuser_collects_as_who_submitted(self):
        job = self.stage(statement(epochs=1))
        with self.assertRaisesRegex(errors.InsufficientPrivilege, f'job {job} belongs to role "alice"'):
            self.execute(f"SELECT * FROM totrain.collect({job})")
        with self.assertRaisesRegex(errors.InvalidParameterValue, "the job has not ended"):
            self.execute(f"SET ROLE alice; SELECT * FROM totrain.collect({job})")
        self.execute(f"SELECT totrain.discard({job})")

    def test_a_login_that_may_do_more_is_refused(self):
        for give, take in ((f"ALTER ROLE {staged.POD} SUPERUSER", f"ALTER ROLE {staged.POD} NOSUPERUSER"),
                           (f"GRANT alice TO {staged.POD}", f"REVOKE alice FROM {staged.POD}"),
                           (f"GRANT CREATE ON SCHEMA totrain_jobs TO {staged.POD}",
                            f"REVOKE CREATE ON SCHEMA totrain_jobs FROM {staged.POD}"),
                           (f"REVOKE USAGE ON SCHEMA totrain_jobs FROM {staged.POD}",
                            f"GRANT USAGE ON SCHEMA totrain_jobs TO {staged.POD}")):
            self.execute(give)
            try:
                with self.assertRaises(errors.InsufficientPrivilege, msg=give):
                    self.stage()
            finally:
                self.execute(take)
        self.assertEqual(self.tables_of_jobs(), set())

    def test_what_is_rolled_back_was_never_staged(self):
        connection = self.connect("alice", autocommit=False)
        connection.cursor().execute("SELECT totrain.stage(%s)", (statement(),))
        connection.rollback()
        self.assertEqual(self.tables_of_jobs(), set())
        self.assertEqual(self.execute("SELECT id FROM totrain.jobs"), [])

    def test_a_sweep_takes_what_nobody_has_written_to_and_nobody_uses(self):
        self.stage()
        job = self.stage()
        self.assertEqual(self.execute("SELECT totrain.sweep_jobs()", "alice"), [(0,)])
        reader = self.connect("alice", autocommit=False)
        reader.cursor().execute(f"SELECT count(*) FROM totrain_jobs.result_{job}")
        self.assertEqual(self.execute("SELECT totrain.sweep_jobs('0 s')", "alice"), [(1,)])
        reader.rollback()
        self.assertEqual(len(self.tables_of_jobs()), 3)
        self.execute(f"SELECT totrain.discard({job})", "alice")
        self.assertEqual(self.tables_of_jobs(), set())

    def test_a_job_that_has_not_ended_is_not_collected(self):
        job = self.stage()
        with self.assertRaisesRegex(errors.DatabaseError, "has not ended: it is waiting"):
            self.collect(job)
        self.assertEqual(len(self.tables_of_jobs()), 3)
        self.assertEqual(self.execute("SELECT id FROM totrain.jobs"), [])

    def test_only_training_is_staged(self):
        for text in ("SHOW MODELS", "SELECT * FROM iris TO PREDICT out.class USING m", "EXPLAIN " + statement()):
            with self.assertRaises(errors.FeatureNotSupported):
                self.stage(text)


class Logins(staged.Case):
    """A fault of a login is told at once, and no password with it."""

    def check_fails(self, code, text, **changes):
        job = self.stage()
        master = self.master(job, login=self.write_login("other", **changes))
        self.assertEqual(master.end(), code, master.log.text())
        self.assertIn(text, master.log.text())
        self.assertNotIn("s3cret", master.log.text())

    def test_a_wrong_password(self):
        self.check_fails(4, "password authentication failed", password="s3cret no")

    def test_no_such_database(self):
        self.check_fails(4, 'database "nowhere" does not exist', dbname="nowhere")

    def test_a_server_without_tls(self):
        self.check_fails(4, "does not support SSL", sslmode="require")

    def test_a_file_that_everybody_may_read(self):
        self.check_fails(4, "all users may read", mode=0o644)

    def test_a_file_that_is_no_login(self):
        job = self.stage()
        path = self.folder / "garbage"
        path.write_text("s3cret")
        path.chmod(0o600)
        master = self.master(job, login=path)
        self.assertEqual(master.end(), 2)
        self.assertIn("is no connection string", master.log.text())
        self.assertNotIn("s3cret", master.log.text())

    def test_no_such_job(self):
        job = self.stage()
        master = self.master(job, folder=self.folder / "999")
        self.assertEqual(master.end(), 2)
        self.assertIn('"totrain_jobs.result_999" does not exist', master.log.text())

    def test_the_password_is_nowhere_to_be_seen(self):
        self.role_pace = PACE
        job = self.stage(statement(epochs=2000, job__min_workers=1))
        master = self.master(job)
        worker = self.worker(job, 0, master.address())
        master.wait_step(1)
        for role in (master, worker):
            for name in ("cmdline", "environ"):
                self.assertNotIn(b"s3cret", (pathlib.Path("/proc") / str(role.process.pid) / name).read_bytes())
            self.assertNotIn("s3cret", role.log.text())
        for path in self.folder.glob("own*/*/*"):
            self.assertNotIn(b"s3cret", path.read_bytes())


class Poison(staged.Case):
    """Rows that no master of ours has written."""

    def train(self, text=None):
        job = self.stage(text)
        master = self.master(job)
        self.worker(job, 0, master.address())
        self.assertEqual(master.end(), 0, master.log.text())
        return job

    def check_refused(self, job, text):
        with self.assertRaisesRegex(errors.DatabaseError, text):
            self.collect(job)
        self.assertEqual(self.execute("SELECT to_regclass('iris_model')"), [(None,)])
        self.assertEqual(len(self.tables_of_jobs()), 3)

    def test_a_model_behind_the_end(self):
        job = self.train()
        self.execute(f"INSERT INTO totrain_jobs.result_{job} (number, master, kind, body, data) SELECT "
                     f"(SELECT max(number) + 1 FROM totrain_jobs.result_{job}), master, kind, body, data "
                     f"FROM totrain_jobs.result_{job} WHERE kind = 'model' LIMIT 1", staged.POD)
        self.check_refused(job, "the job had ended before")

    def test_rows_that_were_changed(self):
        job = self.train()
        table = f"totrain_jobs.result_{job}"
        self.execute(f"UPDATE {table} SET data = set_byte(data, 12, get_byte(data, 12) # 1) "
                     "WHERE kind = 'model' AND convert_from(body, 'UTF8') LIKE '%tensor%'")
        self.check_refused(job, "")
        self.execute(f"DELETE FROM {table} WHERE number = 5")
        self.check_refused(job, "entry 6 of the job's journal is refused")

    def test_a_gap_and_garbage_in_the_journal_of_a_job_that_begins(self):
        for values, text in (("4, 1, 'claim', '{}'", "it follows entry 2"), ("3, 7, 'job', '{}'", "of master 7"),
                             ("3, 1, 'nonsense', '{}'", "no kind is named"), ("3, 1, 'claim', '{'", "no JSON")):
            job = self.stage()
            self.execute(f"INSERT INTO totrain_jobs.result_{job} VALUES ({values})", staged.POD)
            master = self.master(job)
            self.assertEqual(master.end(), 1, master.log.text())
            self.assertIn(text, master.log.text())

    def test_a_checkpoint_that_was_changed_is_not_used(self):
        self.role_pace = PACE
        text = statement(epochs=2000, batch=16, job__checkpoint_seconds=0.1, job__min_workers=1)
        job = self.stage(text)
        master = self.master(job)
        worker = self.worker(job, 0, master.address())
        harness.wait_for(lambda: self.journal(job, "number", "kind = 'checkpoint'"), "a checkpoint")
        self.kill(master, worker)
        self.execute(f"UPDATE totrain_jobs.checkpoint_{job} SET bytes = set_byte(bytes, 9, get_byte(bytes, 9) # 1)")
        master = self.master(job)
        self.worker(job, 0, master.address(), incarnation=1)
        master.wait_log("checkpoint_refused: the checkpoint is not used")
        self.check_done(job, master, self.expected(text))

    def test_an_input_that_was_changed(self):
        job = self.stage()
        self.execute(f"UPDATE totrain_jobs.input_{job} SET bytes = set_byte(bytes, 999, get_byte(bytes, 999) # 1) "
                     "WHERE octet_length(bytes) > 999")
        master = self.master(job)
        for incarnation in range(3):  # its supervisor starts it again
            worker = self.worker(job, 0, master.address(), incarnation=incarnation)
            harness.wait_for(lambda: any(role.process.poll() is not None for role in (worker, master)), "its end")
        self.assertEqual(master.end(), 1)
        with self.assertRaises(errors.DatabaseError):
            self.collect(job)


class Hints(harness.Case):
    """A refusal names SQL that can be copied, whatever the names are."""

    settings = {**staged.SETTINGS, "totrain.job_schema": "Jobs of us", "totrain.job_login": 'the "Pod"'}

    def refusal(self):
        """Message and hint."""
        with self.assertRaises(errors.InsufficientPrivilege) as refused:
            self.execute(f"SELECT totrain.stage($${statement()}$$)")
        return refused.exception.diag.message_primary, refused.exception.diag.message_hint

    def test_each_leads_to_the_next(self):
        login = '"the ""Pod"""'
        self.server.execute(f"CREATE ROLE {login} LOGIN")
        self.addCleanup(self.server.execute, f"DROP ROLE {login}")
        self.addCleanup(self.execute, f"DROP OWNED BY {login}")
        said, hint = self.refusal()
        self.assertIn("the jobs' tables cannot be made in schema", said)
        self.execute(hint.partition("(")[0])
        said, hint = self.refusal()
        self.assertIn("cannot reach schema", said)
        self.execute(hint)
        self.execute(f'GRANT CREATE ON SCHEMA "Jobs of us" TO {login}')
        said, hint = self.refusal()
        self.assertIn("may create tables in schema", said)
        self.execute(hint.partition(": ")[2])
        self.assertEqual(self.execute(f"SELECT totrain.stage($${statement()}$$) > 0"), [(True,)])


if __name__ == "__main__":
    harness.main()
