"""eve puts one object in the place of another while a superuser and bob use their names: none of them ever runs anything of hers.

TOTRAIN_RACE_TURNS says how many statements meet her, over all tests of this file; `make test-full` makes 10,000."""

import contextlib
import os
import threading

import psycopg2

import harness
from attacks import COLUMNS, ROW, TRAIN, Attacks

TURNS = int(os.environ.get("TOTRAIN_RACE_TURNS", "300"))
SHARES = 7 + .1 + .2 + .5  # shares of ten tests; some of them alternate with slow statements
FILL = "INSERT INTO {0} SELECT * FROM public.honest; GRANT SELECT ON {0} TO PUBLIC"
MODEL = f"CREATE TABLE yard.m ({COLUMNS}); " + FILL.format("yard.m")
TRAPPED = MODEL + "; CREATE INDEX ON yard.m ((eve.immutable(1))); CREATE TRIGGER t BEFORE INSERT OR DELETE ON yard.m FOR EACH ROW EXECUTE FUNCTION eve.trap()"
VIEW = ("CREATE VIEW yard.m AS SELECT part, name, position, value, data FROM public.honest WHERE eve.catch() = 1; "
        "GRANT SELECT ON yard.m TO PUBLIC")
READ = [f"SELECT totrain.predict('yard.m', {ROW})", "SHOW MODELS", "SHOW TRAIN yard.m", "SELECT * FROM public.iris TO PREDICT USING yard.m",
        "SELECT count(*) FROM totrain.model_rows((SELECT to_regclass('yard.m')), true, true)", "SHOW VERSIONS yard.m"]


class Races(Attacks):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        connection.cursor().execute("GRANT CREATE ON DATABASE prepared TO eve")

    def setUp(self):
        super().setUp()
        self.execute("DROP SCHEMA IF EXISTS yard, shed, third CASCADE; CREATE SCHEMA yard AUTHORIZATION eve; CREATE SCHEMA shed AUTHORIZATION eve; "
                     "GRANT USAGE ON SCHEMA yard, shed TO PUBLIC")

    def victim(self, user, statements, is_over, counts):
        """Errors are fine: what is there is somebody's and changes."""
        with contextlib.closing(self.server.connect(self.database, user)) as connection:
            cursor = connection.cursor()
            cursor.execute("SET lock_timeout = '60s'; SET constraint_exclusion = on")
            while not is_over.is_set():
                for statement in statements:
                    counts["done" if self.is_done(cursor, statement) else "refused"] += 1
                    if is_over.is_set():
                        return

    @staticmethod
    def is_done(cursor, statement):
        try:
            cursor.execute(statement)
            return True
        except psycopg2.DatabaseError:
            return False

    def check_calm(self, statements, users, refused):
        """Nothing changes yet: a statement that is refused now, of which nobody says so, would meet nobody later."""
        for user in users:
            with contextlib.closing(self.server.connect(self.database, user)) as connection:
                cursor = connection.cursor()
                rounds = [[self.is_done(cursor, statement) for statement in statements] for _ in range(2)]
            never = [statement for statement, *done in zip(statements, *rounds) if not any(done)]
            self.assertEqual(never, list(refused), user)

    def race(self, statements, alternate, users=(harness.SUPERUSER, "bob"), share=1.0, refused=()):
        """eve executes the lists of `alternate` in turn, each in a transaction, until so many statements have met her.
        `refused`: those that are never done, as long as she does nothing."""
        self.check_calm(statements, users, refused)
        is_over, counts = threading.Event(), {"done": 0, "refused": 0}
        threads = [threading.Thread(target=self.victim, args=(user, statements, is_over, counts)) for user in users]
        for thread in threads:
            thread.start()
        changes, wanted = 0, max(2 * len(statements), int(TURNS * share / SHARES))
        try:
            self.eve.execute("SET lock_timeout = '60s'")
            while counts["done"] + counts["refused"] < wanted:
                self.eve.execute("BEGIN; " + alternate[changes % len(alternate)] + "; COMMIT")
                changes += 1
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        print(f"{changes} changes, {counts['done']} statements done, {counts['refused']} refused", flush=True)
        self.assertGreater(changes, 2)

    def test_a_table_becomes_a_view(self):
        self.eve.execute(MODEL)
        self.arm()
        self.race(READ, ["DROP TABLE yard.m; " + VIEW, "DROP VIEW yard.m; " + MODEL])

    def test_a_table_gets_an_index_on_a_function(self):
        self.eve.execute(MODEL)
        self.race(READ, ["CREATE INDEX i ON yard.m ((eve.immutable(1))); CREATE OR REPLACE FUNCTION eve.immutable(integer) RETURNS integer IMMUTABLE "
                         "LANGUAGE plpgsql AS $$ BEGIN PERFORM eve.catch(); RETURN 1; END $$",
                         "DROP INDEX yard.i; CREATE OR REPLACE FUNCTION eve.immutable(integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1'"])

    def test_a_table_gets_row_security(self):
        self.eve.execute(MODEL + "; CREATE POLICY p ON yard.m USING (eve.catch() = 1)")
        self.race(READ, ["ALTER TABLE yard.m ENABLE ROW LEVEL SECURITY", "ALTER TABLE yard.m DISABLE ROW LEVEL SECURITY"], users=("bob", "alice"))

    def test_schemas_change_their_names(self):
        self.eve.execute(MODEL + "; " + VIEW.replace("yard.", "shed."))
        swap = "ALTER SCHEMA yard RENAME TO third; ALTER SCHEMA shed RENAME TO yard; ALTER SCHEMA third RENAME TO shed"
        self.race(READ, [swap])

    def test_a_view_changes_its_owner(self):
        self.execute("CREATE VIEW yard.m AS SELECT * FROM public.honest; GRANT SELECT ON yard.m TO PUBLIC")
        self.race(READ, ["ALTER SCHEMA yard RENAME TO third; CREATE SCHEMA yard; GRANT USAGE ON SCHEMA yard TO PUBLIC; " + VIEW,
                         "DROP SCHEMA yard CASCADE; ALTER SCHEMA third RENAME TO yard"], refused=["SHOW VERSIONS yard.m"])

    def make_label(self):
        self.become_user()
        self.eve.execute("CREATE TYPE yard.mood AS ENUM ('0', '1', '2'); CREATE TABLE eve.mt AS SELECT petal_width, sepal_width, "
                         "class::text::yard.mood AS class FROM public.iris")
        self.eve.execute(TRAIN.format("eve.mt", "yard.m"))
        self.eve.execute("GRANT SELECT ON yard.m TO PUBLIC; DROP TABLE eve.mt; DROP TYPE yard.mood; CREATE TYPE yard.mood AS ENUM ('0', '1', '2')")

    ENUM = "CREATE TYPE yard.mood AS ENUM ('0', '1', '2')"
    DOMAIN = "CREATE DOMAIN yard.mood AS text CHECK (eve.catch() = 1)"
    PREDICT = ["SELECT petal_width, sepal_width FROM public.own TO PREDICT USING yard.m",
               "SELECT petal_width, sepal_width FROM public.own TO PREDICT pg_temp.p.class USING yard.m",
               "SELECT * FROM totrain.run($$SELECT petal_width, sepal_width FROM public.own TO PREDICT pg_temp.p.class USING yard.m$$)"]

    def test_a_label_type_becomes_a_domain(self):
        self.make_label()
        self.race(self.PREDICT, ["DROP TYPE yard.mood CASCADE; " + self.DOMAIN, "DROP DOMAIN yard.mood CASCADE; " + self.ENUM], users=(harness.SUPERUSER,))

    def test_a_label_type_is_renamed(self):
        self.make_label()
        self.race(self.PREDICT, ["ALTER TYPE yard.mood RENAME TO old; " + self.DOMAIN, "DROP DOMAIN yard.mood CASCADE; ALTER TYPE yard.old RENAME TO mood"],
                  users=(harness.SUPERUSER,))

    def test_a_label_type_gets_a_cast(self):
        self.make_label()
        self.eve.execute("CREATE FUNCTION eve.as_mood(text) RETURNS yard.mood LANGUAGE plpgsql AS $$ BEGIN PERFORM eve.catch(); RETURN '1'; END $$")
        by_workers = [self.PREDICT[1].replace("USING", "WITH job.max_workers = 1 USING")]
        self.race(by_workers, ["CREATE CAST (text AS yard.mood) WITH FUNCTION eve.as_mood(text) AS IMPLICIT", "DROP CAST (text AS yard.mood)"],
                  users=(harness.SUPERUSER,), share=0.1)

    def test_a_target_of_training_changes_places(self):
        """The new table is the superuser's; while it is written its name leads to a table of eve's."""
        self.eve.execute(TRAPPED.replace("yard.", "shed."))
        self.arm()
        swap = "ALTER SCHEMA yard RENAME TO third; ALTER SCHEMA shed RENAME TO yard; ALTER SCHEMA third RENAME TO shed"
        self.race([TRAIN.format("public.iris", "yard.m"), "ROLLBACK MODEL yard.m TO 1", "DROP TABLE IF EXISTS yard.m2"], [swap], users=(harness.SUPERUSER,), share=0.2)

    def test_a_target_of_an_evaluation_changes_places(self):
        self.eve.execute("CREATE TABLE shed.e (metric text, value float8); CREATE TRIGGER t BEFORE INSERT ON shed.e FOR EACH ROW EXECUTE FUNCTION eve.trap()")
        swap = "ALTER SCHEMA yard RENAME TO third; ALTER SCHEMA shed RENAME TO yard; ALTER SCHEMA third RENAME TO shed"
        self.race(["SELECT * FROM public.iris TO EVALUATE honest INTO yard.e",
                   "SELECT * FROM public.iris TO PREDICT yard.p.class USING honest"], [swap], users=(harness.SUPERUSER,), share=0.5)


if __name__ == "__main__":
    harness.main()
