"""done means that the model is there: whatever ends the publishing, the job says what became of its model, and
totrain.publish(job) writes it without a step being trained again."""

import concurrent.futures
import os
import signal

import psycopg2

import harness
from harness import wait_for

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 3 LABEL class INTO {}"
HINT = r"totrain\.publish\("


class Case(harness.Case):
    settings = {**harness.BARE, "max_prepared_transactions": "5"}

    def jobs(self):
        return self.execute("SELECT state, error FROM totrain.jobs ORDER BY id DESC")

    def job(self):
        """The newest one."""
        return self.execute("SELECT max(id) FROM totrain.jobs")[0][0]

    def check_state(self, state, pattern=""):
        found, error = self.jobs()[0]
        self.assertEqual(found, state, error)
        self.assertRegex(error or "", pattern or "^$")
        shown = self.execute("SELECT * FROM totrain.rows('SHOW JOBS')")[0][0]
        self.assertEqual((shown["state"], shown["error"]), (found, error))

    def hold_metrics(self):
        """Publishing gets as far as the table of metrics, and waits there for this session's lock."""
        session = self.connect(autocommit=False)
        session.cursor().execute("LOCK TABLE totrain.kept_metrics IN ACCESS EXCLUSIVE MODE")
        return session

    def wait_until_publishing(self):
        wait_for(lambda: self.execute("SELECT 1 FROM pg_locks WHERE relation = 'totrain.kept_metrics'::regclass AND NOT granted"),
                 "one who writes the model")

    def check_publish(self, model="m"):
        """The job keeps the model that the session would have made."""
        self.assertNotIn(model, self.tables())
        rows = harness.facts(self.execute(f"SELECT * FROM totrain.publish({self.job()})"))
        self.assertEqual((rows["version"], rows["rows"], rows["job"]), (1, 150, self.job()))
        self.check_state("done")
        self.assertEqual(self.digest(model), self.whole_digest())
        with self.assertRaisesRegex(psycopg2.Error, "is done"):
            self.execute(f"SELECT totrain.publish({self.job()})")

    def whole_digest(self):
        self.execute(TRAIN.format("whole"))
        return self.digest("whole")


class Interrupted(Case):
    """The publisher is ended while it writes the model."""

    def train_held(self, statement=None):
        pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)  # after the connections are closed
        holder = self.hold_metrics()
        trainer = self.connect()
        done = pool.submit(trainer.cursor().execute, statement or TRAIN.format("m"))
        self.wait_until_publishing()
        self.check_state("publishing")
        return holder, trainer, done

    def test_a_cancel_keeps_the_trained_model(self):
        holder, trainer, done = self.train_held()
        trainer.cancel()
        with self.assertRaises(psycopg2.errors.QueryCanceled) as caught:
            done.result()
        holder.rollback()
        self.assertRegex(caught.exception.diag.message_hint, HINT)
        self.assertIsNone(caught.exception.diag.context)  # no SQL that the user has not written
        self.check_state("unpublished", "the model could not be written: ")
        self.check_publish()

    def test_a_terminated_backend(self):
        holder, trainer, done = self.train_held()
        self.execute(f"SELECT pg_terminate_backend({trainer.info.backend_pid})")
        with self.assertRaises(psycopg2.Error):
            done.result()
        holder.rollback()
        wait_for(lambda: self.jobs()[0][0] != "publishing", "the end of the publisher")
        self.check_state("unpublished", "its session ended|could not be written")
        self.check_publish()

    def restart(self):
        starts = self.server.log().count("reinitializing")
        return lambda: wait_for(lambda: self.server.log().count("reinitializing") > starts and self.accepts(), "the restart")

    def accepts(self):
        try:
            return self.execute("SELECT 1")
        except psycopg2.OperationalError:
            return None

    def test_a_killed_backend(self):
        _, trainer, done = self.train_held()
        restarted = self.restart()
        os.kill(trainer.info.backend_pid, signal.SIGKILL)
        with self.assertRaises(psycopg2.Error):
            done.result()
        restarted()
        self.check_state("unpublished", "its session ended")
        self.check_publish()

    def test_an_immediate_shutdown(self):
        _, _, done = self.train_held()
        self.server.stop(signal.SIGQUIT)
        with self.assertRaises(psycopg2.Error):
            done.result()
        self.server.start()
        self.check_state("unpublished", "its session ended")
        self.check_publish()

    def submit_held(self):
        holder = self.hold_metrics()
        self.execute(f"SELECT totrain.submit($${TRAIN.format('m')}$$)")
        self.wait_until_publishing()
        self.check_state("publishing")
        return holder, self.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'totrain job'")[0][0]

    def test_a_killed_background_worker(self):
        _, worker = self.submit_held()
        restarted = self.restart()
        os.kill(worker, signal.SIGKILL)
        restarted()
        self.check_state("unpublished", "its session ended")
        self.check_publish()

    def test_a_cancelled_background_worker(self):
        holder, worker = self.submit_held()
        self.execute(f"SELECT pg_cancel_backend({worker})")
        self.execute(f"SELECT pg_terminate_backend({worker})")
        wait_for(lambda: self.jobs()[0][0] != "publishing", "the end of the publisher")
        holder.rollback()
        self.check_state("unpublished", "its session ended|could not be written")
        self.check_publish()


class Refused(Case):
    """Somebody has changed the target while the job was trained."""

    def setUp(self):
        super().setUp()
        self.execute(TRAIN.format("m"))

    def train_with(self, change, revert, why="the model could not be written: "):
        """The sample of the SELECT is read before, and its rows after the check of the target."""
        with self.assertRaises(psycopg2.Error) as caught:
            self.execute(change + TRAIN.format("m").replace("epoch = 3", "epoch = 4"))
        self.assertRegex(caught.exception.diag.message_hint, HINT)
        self.check_state("unpublished", why)
        with self.assertRaises(psycopg2.Error):
            self.execute(f"SELECT totrain.publish({self.job()})")  # with the same checks
        self.check_state("unpublished", why)
        self.execute(revert)
        self.execute(f"SELECT totrain.publish({self.job()})")
        self.check_state("done")
        self.assertEqual(self.execute("SELECT version FROM totrain.models"), [(2,)])

    def test_a_check_that_is_violated(self):
        self.train_with("ALTER TABLE m ADD CONSTRAINT small CHECK (part <> 'meta') NOT VALID; ", "ALTER TABLE m DROP CONSTRAINT small")

    def test_a_trigger_that_refuses(self):
        self.train_with("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no rows today'; END $$; "
                        "CREATE TRIGGER refuse BEFORE INSERT ON m FOR EACH ROW EXECUTE FUNCTION refuse(); ",
                        "DROP TRIGGER refuse ON m")

    SWALLOWED = "public.m changes rows of the model as they are written"

    def test_a_trigger_or_rule_that_changes_rows(self):
        """The job was `done`, and the model damaged, or the old one."""
        cases = [(f"CREATE RULE change AS ON {event} TO m DO INSTEAD NOTHING; ", "DROP RULE change ON m") for event in ("INSERT", "DELETE")]
        for event, body in (("INSERT", "IF new.part = 'tensor' THEN RETURN NULL; END IF; RETURN new"), ("INSERT", "IF new.part = 'meta' THEN RETURN NULL; END IF; RETURN new"),
                            ("INSERT", "IF new.part = 'tensor' THEN new.name := 'another'; END IF; RETURN new"), ("DELETE", "RETURN NULL")):
            cases.append((f"CREATE OR REPLACE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}; END $$; "
                          f"CREATE TRIGGER change BEFORE {event} ON m FOR EACH ROW EXECUTE FUNCTION change(); ", "DROP TRIGGER change ON m"))
        for version, (change, revert) in enumerate(cases, 2):
            with self.subTest(change):
                before = self.digest("m")
                with self.assertRaisesRegex(psycopg2.Error, self.SWALLOWED):
                    self.execute(change + TRAIN.format("m").replace("epoch = 3", f"epoch = {version + 2}"))
                self.check_state("unpublished", self.SWALLOWED)
                with self.assertRaisesRegex(psycopg2.Error, "changes rows of the model|no version"):
                    self.execute("SELECT * FROM totrain.rows('ROLLBACK MODEL m TO 1')")
                self.assertEqual(self.digest("m"), before)
                self.execute(revert)
                self.execute(f"SELECT totrain.publish({self.job()})")
                self.assertEqual(self.execute("SELECT version FROM totrain.models"), [(version,)])

    def test_a_trigger_that_changes_nothing(self):
        self.execute("CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN coalesce(new, old); END $$; "
                     "CREATE TRIGGER note BEFORE INSERT OR DELETE ON m FOR EACH ROW EXECUTE FUNCTION note()")
        self.execute(TRAIN.format("m"))
        self.execute("SELECT * FROM totrain.rows('ROLLBACK MODEL m TO 1')")
        self.check_state("done")

    def test_what_fails_at_the_commit(self):
        self.train_with("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not at the end'; END $$; "
                        "CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON m DEFERRABLE INITIALLY DEFERRED "
                        "FOR EACH ROW EXECUTE FUNCTION refuse(); ", "DROP TRIGGER refuse ON m",
                        why="the transaction that wrote the model was rolled back")


class InTransactions(Case):
    def setUp(self):
        super().setUp()
        self.session = self.connect(autocommit=False)
        self.cursor = self.session.cursor()

    def run_in_it(self, model="m"):
        self.cursor.execute("SELECT count(*) FROM totrain.run(%s)", (TRAIN.format(model),))

    def test_an_open_transaction_is_said_to_be_one(self):
        self.run_in_it()
        self.check_state("publishing", f"a transaction of process {self.session.info.backend_pid} that is still open")
        with self.assertRaisesRegex(psycopg2.Error, "is being published"):
            self.execute(f"SELECT totrain.publish({self.job()})")
        self.session.commit()
        self.check_state("done")

    def test_rolled_back_it_can_be_published(self):
        self.run_in_it()
        self.session.rollback()
        self.check_state("unpublished", "the transaction that wrote the model was rolled back")
        self.check_publish()

    def test_a_savepoint_that_is_rolled_back(self):
        self.cursor.execute("SAVEPOINT a")
        self.run_in_it()
        self.cursor.execute("ROLLBACK TO a")
        self.check_state("unpublished", "rolled back")
        self.session.commit()
        self.check_publish()

    def test_a_session_that_goes_away(self):
        self.run_in_it()
        self.session.close()
        wait_for(lambda: self.jobs()[0][0] != "publishing", "the end of the session")
        self.check_state("unpublished", "rolled back")
        self.check_publish()

    def test_publishing_that_is_rolled_back_can_be_done_again(self):
        self.run_in_it()
        self.session.rollback()
        self.cursor.execute(f"SELECT totrain.publish({self.job()})")
        self.check_state("publishing", "still open")
        self.session.rollback()
        self.check_state("unpublished", "rolled back")
        self.check_publish()

    def prepare_it(self):
        self.run_in_it()
        self.cursor.execute("PREPARE TRANSACTION 'half'")
        self.session.close()
        self.check_state("publishing", "a prepared transaction")

    def test_a_prepared_transaction_that_is_committed(self):
        self.prepare_it()
        self.execute("COMMIT PREPARED 'half'")
        self.check_state("done")
        self.assertIn("m", self.tables())

    def test_a_prepared_transaction_that_is_rolled_back(self):
        self.prepare_it()
        self.server.stop(signal.SIGINT)  # and it outlives the server
        self.server.start()
        self.check_state("publishing", "a prepared transaction")
        self.execute("ROLLBACK PREPARED 'half'")
        self.check_state("unpublished", "its session ended")
        self.check_publish()


class Tables(Case):
    """A table that workers score."""

    PREDICT = "SELECT * FROM iris TO PREDICT guessed.kind WITH job.max_workers = 1 USING m"

    def setUp(self):
        super().setUp()
        self.execute(TRAIN.format("m"))
        self.execute(self.PREDICT)
        self.check_state("done")

    def predict_held(self):
        """All is scored, and the session waits until nobody reads the table that it replaces."""
        pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        holder = self.connect(autocommit=False)
        holder.cursor().execute("SELECT count(*) FROM guessed")
        scorer = self.connect()
        done = pool.submit(scorer.cursor().execute, self.PREDICT)
        wait_for(lambda: self.execute("SELECT 1 FROM pg_locks WHERE relation = 'guessed'::regclass AND NOT granted"),
                 "one who writes the table")
        self.check_state("publishing")
        return holder, scorer, done

    def check_again(self):
        with self.assertRaisesRegex(psycopg2.Error, "has no model to publish"):
            self.execute(f"SELECT totrain.publish({self.job()})")
        self.execute(self.PREDICT)
        self.check_state("done")
        self.assertEqual(self.execute("SELECT count(*) FROM guessed"), [(150,)])

    def test_a_killed_backend(self):
        _, scorer, done = self.predict_held()
        starts = self.server.log().count("reinitializing")
        os.kill(scorer.info.backend_pid, signal.SIGKILL)
        with self.assertRaises(psycopg2.Error):
            done.result()
        wait_for(lambda: self.server.log().count("reinitializing") > starts and self.accepts(), "the restart")
        self.check_state("failed", "^its session ended before the table was written$")
        self.check_again()

    def accepts(self):
        try:
            return self.execute("SELECT 1")
        except psycopg2.OperationalError:
            return None

    def test_a_cancel(self):
        holder, scorer, done = self.predict_held()
        scorer.cancel()
        with self.assertRaises(psycopg2.errors.QueryCanceled):
            done.result()
        holder.rollback()
        self.check_state("failed", "^the table could not be written: ")
        self.check_again()

    def test_an_open_transaction(self):
        session = self.connect(autocommit=False)
        before = self.job()
        run = "SELECT count(*) FROM totrain.run(%s)"
        session.cursor().execute(run, (self.PREDICT,))
        self.check_state("publishing", f"the table is written in a transaction of process {session.info.backend_pid} that is still open")
        session.rollback()
        self.assertEqual(self.job(), before)  # nobody ever had the table
        session.cursor().execute(run, (self.PREDICT,))
        session.commit()
        self.check_state("done")

    def test_a_backend_that_is_killed_before_the_commit(self):
        session = self.connect(autocommit=False)
        session.cursor().execute("SELECT count(*) FROM totrain.run(%s)", (self.PREDICT,))
        starts = self.server.log().count("reinitializing")
        os.kill(session.info.backend_pid, signal.SIGKILL)
        wait_for(lambda: self.server.log().count("reinitializing") > starts and self.accepts(), "the restart")
        self.check_state("failed", "^the transaction that wrote the table was rolled back$")
        self.check_again()


class Kept(Case):
    def test_others_cannot_publish_it_and_its_owner_can_give_it_up(self):
        self.execute("CREATE ROLE stranger LOGIN IN ROLE totrain_user")
        self.addCleanup(self.server.execute, "DROP ROLE stranger")
        session = self.connect(autocommit=False)
        session.cursor().execute("SELECT totrain.run(%s)", (TRAIN.format("m"),))
        session.rollback()
        job = self.job()
        with self.assertRaisesRegex(psycopg2.Error, f"there is no job {job}"):
            self.execute(f"SELECT totrain.publish({job})", "stranger")
        with self.assertRaisesRegex(psycopg2.Error, "there is no job"):
            self.execute("SELECT totrain.publish(-1)")
        self.execute(f"SELECT totrain.cancel({job})")
        self.check_state("cancelled", "the job was cancelled")
        with self.assertRaisesRegex(psycopg2.Error, "it is cancelled"):
            self.execute(f"SELECT totrain.publish({job})")


if __name__ == "__main__":
    harness.main()
