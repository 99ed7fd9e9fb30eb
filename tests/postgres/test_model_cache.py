"""The models that a session holds between statements: each statement has the one that its snapshot and its rights lead to."""

import contextlib
import pathlib
import re
import shutil
import signal
import threading

import psycopg2
from psycopg2 import errors

import harness
import server
from harness import wait_for

# A prediction tells which of two models with other labels made it.
TRAIN = ("SELECT sepal_length AS a, petal_width AS b, '{0}' || (class > 0)::int AS y FROM iris "
         "TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL y INTO {1}")
PREDICT = "SELECT totrain.predict('m', ROW(5.1, 0.2))"


def train(label, model="m"):
    return f"SELECT * FROM totrain.run($${TRAIN.format(label, model)}$$)"


class Case(harness.Case):
    """`m` predicts one0 or one1 and is in the cache of `session`; `two` is another model."""

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        with connection.cursor() as cursor:
            cursor.execute("""DO $$BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN
                CREATE ROLE reader LOGIN IN ROLE totrain_user; END IF; END$$""")
            cursor.execute(train("one"))
            cursor.execute(train("two", "two"))

    def setUp(self):
        super().setUp()
        self.session = self.connect()
        self.assertEqual(self.said(), "one")

    def run_here(self, sql):
        with self.session.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else None

    def said(self, sql=PREDICT):
        """one, two ... of the model that the session uses."""
        return re.fullmatch("(.*?)[01]", self.run_here(sql)[0][0])[1]

    def refused(self, error, pattern, sql=PREDICT):
        with self.assertRaisesRegex(error, pattern):
            self.run_here(sql)


class Rows(Case):
    """Which rows the table has, and who sees them."""

    def test_a_model_that_was_trained_again_in_this_session_is_used(self):
        self.run_here(TRAIN.format("new", "m"))
        self.assertEqual(self.said(), "new")
        self.run_here("ROLLBACK MODEL m TO 1")
        self.assertEqual(self.said(), "one")

    def test_a_model_that_was_trained_again_in_another_session_is_used(self):
        self.execute(train("new"))
        self.assertEqual(self.said(), "new")

    def test_a_model_that_is_not_committed_is_used_by_its_own_transaction(self):
        self.run_here("BEGIN")
        self.run_here(train("new"))
        self.assertEqual(self.said(), "new")
        self.run_here("ROLLBACK")
        self.assertEqual(self.said(), "one")

    def test_a_model_that_is_not_committed_is_not_used_by_others(self):
        other = self.connect(autocommit=False)
        with other.cursor() as cursor:
            cursor.execute(train("new"))
            self.assertEqual(self.said(), "one")
            other.commit()
        self.assertEqual(self.said(), "new")

    def test_a_savepoint_takes_a_model_back(self):
        self.run_here("BEGIN; SAVEPOINT s")
        self.run_here(train("new"))
        self.assertEqual(self.said(), "new")
        self.run_here("ROLLBACK TO s")
        self.assertEqual(self.said(), "one")
        self.run_here("COMMIT")
        self.assertEqual(self.said(), "one")

    def test_an_exception_takes_a_model_back_within_one_call(self):
        self.run_here("""CREATE FUNCTION said_twice() RETURNS text[] LANGUAGE plpgsql AS $$DECLARE found text[]; said text;
            BEGIN FOR i IN 1..2 LOOP
                BEGIN
                    DELETE FROM m; INSERT INTO m TABLE two;
                    said := totrain.predict('m', ROW(5.1, 0.2)); found := found || said;
                    RAISE division_by_zero;
                EXCEPTION WHEN division_by_zero THEN
                    said := totrain.predict('m', ROW(5.1, 0.2)); found := found || said;
                END;
            END LOOP; RETURN found; END$$""")
        self.assertEqual([text[:3] for text in self.run_here("SELECT said_twice()")[0][0]], ["two", "one"] * 2)

    def test_a_savepoint_takes_a_model_back_under_snapshots_that_are_equal(self):
        """One place of PL/pgSQL. The transaction that ended last is the one inside, before and after."""
        self.run_here("""CREATE TABLE junk (i int);
            CREATE FUNCTION said_twice() RETURNS text[] LANGUAGE plpgsql AS $$DECLARE found text[]; said text;
            BEGIN FOR i IN 1..2 LOOP
                BEGIN
                    IF i = 1 THEN
                        DELETE FROM m; INSERT INTO m TABLE two;
                        BEGIN
                            INSERT INTO junk VALUES (i); RAISE division_by_zero;
                        EXCEPTION WHEN division_by_zero THEN NULL;
                        END;
                    END IF;
                    said := totrain.predict('m', ROW(5.1, 0.2)); found := found || said;
                    RAISE division_by_zero;
                EXCEPTION WHEN division_by_zero THEN NULL;
                END;
            END LOOP; RETURN found; END$$""")
        self.assertEqual([text[:3] for text in self.run_here("SELECT said_twice()")[0][0]], ["two", "one"])

    def test_a_repeatable_read_transaction_keeps_seeing_the_old_model(self):
        self.run_here("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.assertEqual(self.said(), "one")
        self.execute(train("new"))
        for _ in range(2):
            self.assertEqual(self.said(), "one")
        self.run_here("COMMIT")
        self.assertEqual(self.said(), "new")

    def test_a_cursor_keeps_the_model_that_it_was_opened_with(self):
        self.run_here("BEGIN; DECLARE c CURSOR FOR SELECT totrain.predict('m', ROW(sepal_length, petal_width)) FROM iris")
        self.assertEqual(self.said("FETCH c"), "one")
        self.execute(train("new"))
        self.assertEqual((self.said(), self.said("FETCH c"), self.said(), self.said("FETCH c")), ("new", "one", "new", "one"))

    def test_rows_that_are_changed_by_hand_are_noticed(self):
        """By any of them: the meta row and the rest of the chunks are what they were."""
        for change in ("UPDATE m SET data = substr(data, 2) WHERE part = 'tensor' AND ctid = (SELECT max(ctid) FROM m WHERE part = 'tensor')",
                       "DELETE FROM m WHERE ctid = (SELECT max(ctid) FROM m WHERE part = 'tensor')",
                       "INSERT INTO m SELECT * FROM m WHERE part = 'tensor'", "DELETE FROM m", "TRUNCATE m"):
            self.run_here("BEGIN; " + change)
            self.refused(psycopg2.Error, "damaged")
            self.run_here("ROLLBACK")
            self.assertEqual(self.said(), "one")
        self.execute("BEGIN; DELETE FROM m; INSERT INTO m TABLE two; COMMIT")
        self.assertEqual(self.said(), "two")
        self.execute("UPDATE m SET part = part")
        self.assertEqual(self.said(), "two")

    def test_a_table_that_is_truncated_and_filled_in_its_own_transaction_is_noticed(self):
        """Its rows lie where the others lay, in the same file, and are of the same transaction."""
        self.run_here("BEGIN; CREATE TABLE own AS TABLE m")
        own = PREDICT.replace("'m'", "'own'")
        self.assertEqual(self.said(own), "one")
        self.run_here("TRUNCATE own; INSERT INTO own TABLE two")
        self.assertEqual(self.said(own), "two")

    def test_tables_that_are_written_anew_are_right(self):
        for sql in ("VACUUM FREEZE m", "VACUUM FULL m", "UPDATE m SET part = part", "VACUUM m"):
            self.run_here(sql)
            self.assertEqual(self.said(), "one", sql)

    def test_columns_that_change_their_names_are_noticed(self):
        self.run_here("ALTER TABLE m RENAME part TO other; ALTER TABLE m RENAME name TO part; ALTER TABLE m RENAME other TO name")
        self.refused(psycopg2.Error, "damaged|no model")

    def test_temporary_and_unlogged_models_are_noticed(self):
        for kind in ("TEMPORARY", "UNLOGGED"):
            self.run_here(f"CREATE {kind} TABLE mine AS TABLE m")
            mine = PREDICT.replace("'m'", "'mine'")
            self.assertEqual(self.said(mine), "one")
            self.run_here("DELETE FROM mine; INSERT INTO mine TABLE two")
            self.assertEqual(self.said(mine), "two")
            self.run_here("DROP TABLE mine")

    def test_views_are_read_each_time(self):
        self.run_here("CREATE VIEW v AS TABLE m; CREATE MATERIALIZED VIEW w AS TABLE m")
        v, w = (PREDICT.replace("'m'", f"'{name}'") for name in "vw")
        self.assertEqual((self.said(v), self.said(w)), ("one", "one"))
        self.execute(train("new"))
        self.assertEqual((self.said(v), self.said(w)), ("new", "one"))
        self.run_here("REFRESH MATERIALIZED VIEW w")
        self.assertEqual(self.said(w), "new")

    def test_a_damaged_model_that_is_mended_is_used(self):
        self.execute("CREATE TABLE before AS TABLE m; UPDATE m SET data = substr(data, 2) WHERE part = 'tensor'")
        for _ in range(2):
            self.refused(psycopg2.Error, "damaged")
        self.execute("BEGIN; DELETE FROM m; INSERT INTO m TABLE before; COMMIT")
        self.assertEqual(self.said(), "one")


class Names(Case):
    """Where a name leads."""

    def test_a_prepared_statement_sees_each_change(self):
        self.run_here("SET plan_cache_mode = force_generic_plan; PREPARE p AS " + PREDICT)
        self.assertEqual(self.said("EXECUTE p"), "one")
        self.execute(train("new"))
        self.assertEqual(self.said("EXECUTE p"), "new")
        self.execute("ALTER TABLE m RENAME TO old; ALTER TABLE two RENAME TO m")
        self.assertEqual(self.said("EXECUTE p"), "two")
        self.execute("DROP TABLE m")
        self.refused(errors.UndefinedObject, "no model", "EXECUTE p")

    def test_renamed_and_moved_tables_are_followed(self):
        self.execute("ALTER TABLE m RENAME TO old; ALTER TABLE two RENAME TO m")
        self.assertEqual(self.said(), "two")
        self.execute("CREATE SCHEMA s; ALTER TABLE m SET SCHEMA s")
        self.refused(errors.UndefinedObject, "no model")
        self.assertEqual(self.said("SELECT totrain.predict('s.m', ROW(5.1, 0.2))"), "two")
        self.execute("ALTER TABLE old RENAME TO m")
        self.assertEqual(self.said(), "one")

    def test_a_dropped_model_is_no_model(self):
        self.run_here("BEGIN; DROP TABLE m")
        self.refused(errors.UndefinedObject, "no model")
        self.run_here("ROLLBACK")
        self.assertEqual(self.said(), "one")
        self.execute("DROP TABLE m")
        self.refused(errors.UndefinedObject, "no model")
        self.execute("CREATE TABLE m (x int)")
        self.refused(psycopg2.Error, "no model")

    def test_the_search_path_counts(self):
        self.execute("CREATE SCHEMA s; CREATE TABLE s.m AS TABLE two")
        self.run_here("SET search_path = s, public")
        self.assertEqual(self.said(), "two")
        self.run_here("RESET search_path")
        self.assertEqual(self.said(), "one")

    def test_the_search_path_counts_within_one_statement(self):
        """PL/pgSQL of which two functions make use, with paths of their own."""
        self.execute("""CREATE SCHEMA s; CREATE TABLE s.m AS TABLE two;
            CREATE FUNCTION inner_one() RETURNS text STABLE LANGUAGE plpgsql AS
                $$BEGIN RETURN totrain.predict('m', ROW(5.1, 0.2)); END$$;
            CREATE FUNCTION here() RETURNS text STABLE LANGUAGE plpgsql SET search_path = public AS
                $$BEGIN RETURN public.inner_one(); END$$;
            CREATE FUNCTION there() RETURNS text STABLE LANGUAGE plpgsql SET search_path = s AS
                $$BEGIN RETURN public.inner_one(); END$$""")
        self.assertEqual([text[:3] for text in self.run_here("SELECT here(), there(), here()")[0]], ["one", "two", "one"])

    def test_a_temporary_model_is_in_front(self):
        self.run_here("CREATE TEMPORARY TABLE m AS TABLE two")
        self.assertEqual(self.said(), "two")
        self.run_here("DROP TABLE pg_temp.m")
        self.assertEqual(self.said(), "one")


class Rights(Case):
    """They are asked for by each statement, of whoever runs it."""

    def setUp(self):
        super().setUp()
        self.execute("GRANT SELECT ON m TO reader; GRANT SELECT ON iris TO reader")

    def test_rights_that_are_taken_away_are_missed_at_once(self):
        self.session = self.connect("reader")
        self.assertEqual(self.said(), "one")
        self.execute("REVOKE SELECT ON m FROM reader")
        self.refused(errors.InsufficientPrivilege, "permission denied for table public.m")
        self.execute("GRANT SELECT (part, name, position, value, data) ON m TO reader")
        self.assertEqual(self.said(), "one")
        self.execute("REVOKE SELECT (data) ON m FROM reader")
        self.refused(errors.InsufficientPrivilege, "permission denied for table public.m")

    def test_rights_that_are_taken_away_are_missed_in_a_transaction_that_is_open(self):
        self.session = self.connect("reader")
        self.run_here("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.assertEqual(self.said(), "one")
        self.execute("REVOKE SELECT ON m FROM reader")
        self.refused(errors.InsufficientPrivilege, "permission denied for table public.m")

    def test_another_role_of_the_session_has_its_own_rights(self):
        self.execute("REVOKE SELECT ON m FROM reader")
        self.run_here("SET ROLE reader")
        self.refused(errors.InsufficientPrivilege, "permission denied for table public.m")
        self.run_here("RESET ROLE")
        self.assertEqual(self.said(), "one")

    def test_one_place_asks_for_the_rights_of_each_caller(self):
        """inner_one runs as whoever calls it, with one place for both, under one snapshot."""
        self.execute("""REVOKE SELECT ON m FROM reader;
            CREATE FUNCTION inner_one() RETURNS text STABLE LANGUAGE plpgsql AS
                $$BEGIN RETURN totrain.predict('m', ROW(5.1, 0.2)); END$$;
            CREATE FUNCTION as_owner() RETURNS text STABLE SECURITY DEFINER LANGUAGE plpgsql AS
                $$BEGIN RETURN public.inner_one(); END$$;
            CREATE FUNCTION as_caller() RETURNS text STABLE LANGUAGE plpgsql AS
                $$BEGIN RETURN public.inner_one(); END$$""")
        self.session = self.connect("reader")
        self.assertEqual(self.said("SELECT as_owner()"), "one")
        self.refused(errors.InsufficientPrivilege, "permission denied for table public.m", "SELECT as_owner(), as_caller()")

    def test_row_security_that_is_turned_on_holds(self):
        self.session = self.connect("reader")
        self.assertEqual(self.said(), "one")
        self.execute("ALTER TABLE m ENABLE ROW LEVEL SECURITY")
        self.refused(errors.InsufficientPrivilege, "row security guards")

    def test_a_schema_that_is_closed_is_closed(self):
        self.execute("CREATE SCHEMA s; GRANT USAGE ON SCHEMA s TO reader; ALTER TABLE m SET SCHEMA s")
        self.session = self.connect("reader")
        predict = "SELECT totrain.predict('s.m', ROW(5.1, 0.2))"
        self.assertEqual(self.said(predict), "one")
        self.execute("REVOKE USAGE ON SCHEMA s FROM reader")
        self.refused(errors.InsufficientPrivilege, "permission denied for schema s", predict)


class Workers(Case):
    def test_parallel_workers_have_the_statements_model(self):
        count = ("SELECT left(totrain.predict('m', ROW(sepal_length, petal_width)), 3), count(*) FROM iris GROUP BY 1")
        self.run_here(harness.IN_PARALLEL + "SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0")
        self.assertIn("Gather", "".join(row[0] for row in self.run_here("EXPLAIN " + count)))
        self.assertEqual(self.run_here(count), [("one", 150)])
        self.execute(train("new"))
        self.assertEqual(self.run_here(count), [("new", 150)])
        self.run_here("BEGIN")
        self.run_here("DELETE FROM m; INSERT INTO m TABLE two")
        self.assertEqual(self.run_here(count), [("two", 150)])
        self.run_here("ROLLBACK")
        self.assertEqual(self.run_here(count), [("new", 150)])


class Memory(Case):
    """`large` has 80 rows of 256 KiB."""

    LARGE = ("SELECT species, a, y FROM (SELECT 's' || (class * 7) AS species, sepal_length AS a, class > 0 AS y FROM iris) q TO TRAIN "
             "DNNClassifier WITH model.hidden_units = [4], train.epoch = 1, job.max_workers = 1 "
             "COLUMN a, EMBEDDING(CATEGORY_HASH(species, 640000), 8) LABEL y INTO large")
    PREDICT = "SELECT totrain.predict('large', ROW('s7'::text, 5.1::float8))"

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        with connection.cursor() as cursor:
            cursor.execute(cls.LARGE)

    def buffers(self, sql=None):
        """How many pages the statement looks at."""
        plan, = self.run_here("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + (sql or self.PREDICT))[0]
        return plan[0]["Plan"]["Shared Hit Blocks"] + plan[0]["Plan"]["Shared Read Blocks"]

    def check_is_held(self, is_held):
        """Loading a model looks at each of its chunks' 130 pages."""
        (self.assertLess if is_held else self.assertGreater)(self.buffers(), 1000)

    def test_a_model_is_loaded_once(self):
        self.check_is_held(False)
        for _ in range(3):
            self.check_is_held(True)
        self.run_here("UPDATE large SET part = part")
        self.check_is_held(False)
        self.check_is_held(True)

    def test_several_calls_of_a_statement_share_a_model(self):
        alone = self.buffers()
        self.run_here("SET totrain.model_cache = 0; RESET totrain.model_cache")
        together = self.buffers(self.PREDICT.replace(")::text", "") + ", " + self.PREDICT[7:].replace("predict", "probability"))
        self.assertLess(together, 1.5 * alone)

    def test_the_cache_has_a_limit(self):
        self.run_here("SET totrain.model_cache = 0")
        for _ in range(2):
            self.check_is_held(False)
            self.assertEqual(self.said(), "one")
        self.run_here("SET totrain.model_cache = '10MB'")
        for _ in range(2):
            self.check_is_held(False)
        self.run_here("SET totrain.model_cache = '30MB'")
        self.check_is_held(False)
        self.check_is_held(True)
        self.run_here("SET totrain.model_cache = '10MB'; SET totrain.model_cache = '30MB'")
        self.check_is_held(False)

    def test_the_model_that_was_used_least_lately_makes_room(self):
        self.run_here("CREATE TABLE other AS TABLE large; SET totrain.model_cache = '30MB'")
        self.check_is_held(False)
        self.check_is_held(True)
        self.run_here(self.PREDICT.replace("'large'", "'other'"))
        self.check_is_held(False)
        self.assertEqual(self.said(), "one")
        self.check_is_held(True)

    def test_a_limit_that_is_lowered_holds_for_models_that_are_held(self):
        self.check_is_held(False)
        self.run_here("SET totrain.model_memory = '1MB'")
        self.refused(psycopg2.Error, "totrain.model_memory", self.PREDICT)
        self.run_here("RESET totrain.model_memory")
        self.check_is_held(False)
        self.check_is_held(True)

    def test_a_load_that_was_interrupted_leaves_nothing(self):
        """A limit in the midst of the chunks; then the model is whole."""
        self.run_here("SET totrain.max_memory = '8MB'")
        for _ in range(3):
            self.refused(psycopg2.Error, "large", self.PREDICT)
        self.run_here("RESET totrain.max_memory")
        self.check_is_held(False)
        self.check_is_held(True)

    def resident(self):
        """Kilobytes of the session's own memory."""
        status = pathlib.Path(f"/proc/{self.session.info.backend_pid}/status").read_text(encoding="ascii")
        return int(re.search(r"RssAnon:\s+(\d+)", status)[1])

    def predict_often(self, count):
        self.run_here(f"DO $$BEGIN FOR i IN 1..{count} LOOP EXECUTE $q${PREDICT}, {self.PREDICT[7:]}$q$; END LOOP; END$$")

    def test_memory_is_constant_over_10000_predictions(self):
        self.predict_often(1000)
        before = self.resident()
        self.predict_often(9000)
        self.assertLess(self.resident() - before, 1024)

    def test_memory_is_constant_while_models_are_replaced(self):
        def replace_often(count):
            for _ in range(count):
                self.run_here("UPDATE large SET part = part")
                self.run_here(self.PREDICT)
            return self.resident()

        before = replace_often(20)  # some of it is memory that the allocator keeps for itself
        self.assertLess(replace_often(20) - before, 4 * 1024)


class Standby(Case):
    """A server that follows another one. On it all transactions that run are among the snapshot's subtransactions."""

    settings = {**harness.BARE, "wal_level": "replica", "max_wal_senders": "4", "hot_standby": "on"}

    def make_standby(self):
        standby = server.Server(self.settings)
        self.addCleanup(standby.close)
        standby.stop(signal.SIGQUIT)
        data = standby.folder / "data"
        own = (data / "postgresql.conf").read_text(encoding="utf-8")
        shutil.rmtree(data)
        standby.run_as_user([server.pg_config("bindir") / "pg_basebackup", "-D", data, "-c", "fast", "-X", "stream", "--no-sync",
                             "-h", self.server.socket, "-p", str(self.server.port), "-U", harness.SUPERUSER])
        (data / "postgresql.conf").write_text(
            own + f"primary_conninfo = 'host={self.server.socket} port={self.server.port} user={harness.SUPERUSER}'\n", encoding="utf-8")
        (data / "standby.signal").touch()
        standby.start()
        return standby

    def follow_primary(self):
        """From now on the session is the standby's; the one of before."""
        self.standby, primary = self.make_standby(), self.session
        self.session = self.standby.connect(self.database, options="-c statement_timeout=20s")
        self.addCleanup(self.session.close)
        return primary

    def wait_for_standby(self):
        lsn, = self.execute("SELECT pg_current_wal_lsn()")[0]
        harness.eventually(lambda: self.standby.execute(f"SELECT pg_last_wal_replay_lsn() >= '{lsn}'"), [(True,)], "the standby")

    def test_a_standby_sees_each_change(self):
        primary = self.follow_primary()

        def follow(sql):
            with primary.cursor() as cursor:
                cursor.execute(sql)
            self.wait_for_standby()

        self.assertEqual(self.said(), "one")
        follow(train("new"))
        self.assertEqual(self.said(), "new")
        follow("VACUUM FREEZE m")
        self.assertEqual(self.said(), "new")
        follow("BEGIN; DELETE FROM m; INSERT INTO m TABLE two; COMMIT")
        self.assertEqual(self.said(), "two")
        self.run_here("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.assertEqual(self.said(), "two")
        follow("DELETE FROM m WHERE part = 'tensor'")
        self.assertEqual(self.said(), "two")
        self.run_here("COMMIT")
        self.refused(psycopg2.Error, "damaged")

    def test_a_standby_tells_equal_snapshots_apart(self):
        """One place of PL/pgSQL, while the oldest transaction and the one that ended last stay what they are."""
        self.execute("""CREATE TABLE junk (i int); CREATE FUNCTION said_twice() RETURNS text[] LANGUAGE plpgsql AS
            $$DECLARE found text[]; said text; BEGIN FOR i IN 1..2 LOOP
                said := totrain.predict('m', ROW(5.1, 0.2)); found := found || said;
                IF i = 1 THEN PERFORM pg_advisory_lock(1); END IF;
            END LOOP; RETURN found; END$$""")
        self.follow_primary()
        oldest, training = (self.connect(autocommit=False) for _ in range(2))
        oldest.cursor().execute("INSERT INTO junk VALUES (1)")
        training.cursor().execute("DELETE FROM m; INSERT INTO m TABLE two")
        self.execute("INSERT INTO junk VALUES (2)")
        self.wait_for_standby()
        found = []
        with contextlib.closing(self.standby.connect(self.database)) as between:
            between.cursor().execute("SELECT pg_advisory_lock(1)")
            thread = threading.Thread(target=lambda: found.extend(self.run_here("SELECT said_twice()")[0][0]))
            thread.start()
            wait_for(lambda: self.standby.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'"), "the place between")
            training.commit()
            self.wait_for_standby()
        thread.join()
        self.assertEqual([text[:3] for text in found], ["one", "two"])
        oldest.rollback()


if __name__ == "__main__":
    harness.main()
