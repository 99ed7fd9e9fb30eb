"""Which tables TO PREDICT and EVALUATE replace: those that they made, and no others; and what those keep."""

import os
import subprocess
import threading

import psycopg2

import harness
from harness import run_statement, wait_for
from roles import Roles
from server import BUILD, SUPERUSER

JOB = "WITH job.max_workers = 2"
KINDS = """
    CREATE TABLE customers (id int PRIMARY KEY, name text); INSERT INTO customers VALUES (1, 'Ann');
    CREATE VIEW a_view AS SELECT 1 AS x; CREATE MATERIALIZED VIEW materialized AS SELECT 1 AS x;
    CREATE SEQUENCE a_sequence; CREATE INDEX an_index ON customers (name); CREATE TYPE a_type AS (x int);
    CREATE TABLE partitioned (x int) PARTITION BY RANGE (x);
    CREATE TABLE a_part PARTITION OF partitioned FOR VALUES FROM (0) TO (10);
    CREATE TABLE a_child () INHERITS (customers);
    CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
    CREATE FOREIGN TABLE far_away (x int) SERVER nowhere"""
NO_TABLES = ("a_view", "materialized", "a_sequence", "an_index", "a_type", "partitioned", "far_away")


class Replacing(Roles):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        run_statement(cursor, "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m")
        cursor.execute("GRANT SELECT ON m TO PUBLIC; GRANT USAGE, CREATE ON SCHEMA public TO alice, bob")

    def by_session(self, sql, user=SUPERUSER):
        return run_statement(self.session(user), sql)

    def by_program(self, sql, user=SUPERUSER):
        done = subprocess.run([BUILD / "totrain", "postgres://", "--progress=none", "-c", sql], check=False, capture_output=True, text=True,
                              env={**os.environ, "TOTRAIN_STATE": str(self.server.folder / "program-state"),
                                   **self.server.variables(self.database, user)})
        if done.returncode != 0:
            raise psycopg2.Error(done.stderr)
        return done.stdout

    def doors(self):
        return (self.by_session, self.by_program)

    def refuses(self, run, sql, pattern, user=SUPERUSER):
        with self.assertRaisesRegex(psycopg2.Error, pattern) as refused:
            run(sql, user)
        return str(refused.exception)

    def check_customers(self):
        self.assertEqual(self.execute("SELECT id, name FROM ONLY customers"), [(1, "Ann")])

    def test_what_the_user_made_stays_through_both_doors(self):
        self.execute(KINDS)
        for run in self.doors():
            for attributes in ("", JOB, "WITH predict.bad_rows = 'quarantine'"):
                said = self.refuses(run, f"SELECT * FROM iris TO PREDICT customers.class {attributes} USING m",
                                    'table "customers" exists, and no PREDICT or FORECAST made it')
                self.assertRegex(said, r"LINE 1: .*\n +\^")
                self.assertIn("predict.replace = true", said)
                self.check_customers()
            self.refuses(run, "SELECT * FROM iris TO EVALUATE m INTO customers", 'table "customers" exists, and no EVALUATE or EXPLAIN made it')
            self.refuses(run, "EXPLAIN SELECT * FROM iris TO PREDICT customers.class USING m", 'table "customers" exists')
            self.check_customers()

    def test_what_is_no_ordinary_table_stays_even_with_permission(self):
        self.execute(KINDS)
        replace = "WITH predict.replace = true"
        for name in NO_TABLES:
            self.refuses(self.by_session, f"SELECT * FROM iris TO PREDICT {name}.class {replace} USING m", f'"{name}" exists and is no ordinary table')
        for name in ("a_part", "a_child", "customers"):
            self.refuses(self.by_session, f"SELECT * FROM iris TO PREDICT {name}.class {replace} USING m", "is a part of another table, or has")
        self.execute("DROP TABLE a_child; CREATE TABLE copy AS TABLE m")
        self.refuses(self.by_session, f"SELECT * FROM iris TO PREDICT copy.class {replace} USING m", 'table "copy" is a model')
        self.by_session(f"SELECT * FROM iris TO PREDICT customers.class {replace} USING m")
        for run in self.doors():
            run("SELECT * FROM iris TO PREDICT customers.class USING m")
            self.assertEqual(self.execute("SELECT count(*) FROM customers"), [(150,)])

    def test_a_table_of_metrics_is_not_one_of_predictions(self):
        for run in self.doors():
            run("SELECT * FROM iris TO PREDICT p.class USING m")
            run("SELECT * FROM iris TO EVALUATE m INTO e")
            run(f"SELECT * FROM iris TO EVALUATE m {JOB} INTO e")
            self.refuses(run, "SELECT * FROM iris TO PREDICT e.class USING m", "no PREDICT or FORECAST made it")
            self.refuses(run, "SELECT * FROM iris TO EVALUATE m INTO p", "no EVALUATE or EXPLAIN made it")
        self.by_session("SELECT * FROM iris TO EVALUATE m WITH evaluate.replace = true INTO p")
        self.assertEqual(self.execute("SELECT count(*) FROM p"), [(1,)])

    def test_the_mark_goes_with_the_table_and_not_with_its_copies(self):
        self.by_session("SELECT * FROM iris TO PREDICT p.class USING m")
        self.execute("CREATE TABLE copy AS TABLE p; CREATE TABLE alike (LIKE p INCLUDING ALL); ALTER TABLE p RENAME TO q; "
                     "CREATE SCHEMA other; ALTER TABLE q SET SCHEMA other; ALTER TABLE other.q RENAME COLUMN class TO guess")
        self.by_session("SELECT * FROM iris TO PREDICT other.q.class USING m")
        for name in ("copy", "alike"):
            self.refuses(self.by_session, f"SELECT * FROM iris TO PREDICT {name}.class USING m", f'table "{name}" exists')
        self.execute("ALTER TABLE other.q ADD COLUMN note text DEFAULT 'called'")
        self.refuses(self.by_session, "SELECT * FROM iris TO PREDICT other.q.class USING m", 'table "other.q" exists')
        self.assertEqual(self.execute("SELECT count(*) FROM other.q WHERE note = 'called'"), [(150,)])

    def test_a_dump_keeps_the_mark(self):
        self.by_session("SELECT * FROM iris TO PREDICT p.class USING m")
        variables = {**os.environ, **self.server.variables(self.database)}
        dump = subprocess.run(["pg_dump", "-t", "p"], env=variables, capture_output=True, text=True, check=True).stdout
        self.execute("DROP TABLE p")
        self.check_psql(dump)
        self.by_session("SELECT * FROM iris TO PREDICT p.class USING m")

    def test_nobody_marks_the_table_of_another(self):
        self.execute("CREATE TABLE alice.t AS SELECT 1 AS x; ALTER TABLE alice.t OWNER TO alice; GRANT ALL ON alice.t TO bob; "
                     "GRANT ALL ON SCHEMA alice TO bob")
        mark = "written by TO PREDICT of ToTrain into 1 columns"
        with self.assertRaises(psycopg2.errors.InsufficientPrivilege):
            self.session("bob").execute(f"COMMENT ON TABLE alice.t IS '{mark}'")
        self.refuses(self.by_session, "SELECT * FROM iris TO PREDICT alice.t.class USING m", "must be owner", "bob")
        self.refuses(self.by_session, "SELECT * FROM iris TO PREDICT alice.t.class USING m", 'table "alice.t" exists', "alice")

    def rights(self, name="p"):
        """Everybody's rights, from the catalog; without the grantors."""
        return self.execute(f"""
            SELECT 'table', x.grantee::regrole::text, x.privilege_type, x.is_grantable, relowner::regrole::text FROM pg_class, aclexplode(relacl) x
            WHERE oid = '{name}'::regclass UNION ALL SELECT attname::text, x.grantee::regrole::text, x.privilege_type, x.is_grantable, ''
            FROM pg_attribute, aclexplode(attacl) x WHERE attrelid = '{name}'::regclass ORDER BY 1, 2, 3""")

    def comments(self, name="p"):
        return self.execute(f"SELECT objsubid, description FROM pg_description WHERE objoid = '{name}'::regclass ORDER BY 1")

    def test_grants_and_comments_are_there_after_the_next_run(self):
        self.execute("ALTER DEFAULT PRIVILEGES GRANT DELETE ON TABLES TO mallory")
        statement = "SELECT * FROM iris TO PREDICT p.class {} USING m"
        self.by_session(statement.format(""))
        self.execute("GRANT SELECT ON p TO alice WITH GRANT OPTION; GRANT SELECT ON p TO PUBLIC; GRANT UPDATE (class, petal_width) ON p TO bob; "
                     "REVOKE DELETE ON p FROM mallory; COMMENT ON COLUMN p.class IS E'a \\\\ guess'; "
                     "DO $$ BEGIN EXECUTE format('COMMENT ON TABLE p IS %L', obj_description('p'::regclass) || E'\\nIt''s read each night.'); END $$")
        before = self.rights(), self.comments()
        self.assertIn("It's read each night.", before[1][0][1])
        self.assertFalse([row for row in before[0] if row[1] == "mallory"])
        for run in self.doors():
            for attributes in ("", JOB):
                run(statement.format(attributes))
                self.assertEqual((self.rights(), self.comments()), before, (run, attributes))
        self.by_session("SELECT petal_width, petal_length, sepal_width, sepal_length, 1 AS more FROM iris TO PREDICT p.class USING m")
        self.by_session(statement.format(""))  # known with other columns, too
        self.assertEqual((self.rights(), self.comments()), before)

    def test_metrics_keep_their_grants(self):
        self.by_session("SELECT * FROM iris TO EVALUATE m INTO e")
        self.execute("GRANT SELECT ON e TO alice")
        before = self.rights("e")
        for run in self.doors():
            run("SELECT * FROM iris TO EVALUATE m INTO e")
            self.assertEqual(self.rights("e"), before)

    def test_a_member_of_the_owner_leaves_the_table_to_the_owner(self):
        self.execute("CREATE ROLE team IN ROLE totrain_user; GRANT team TO alice, bob; GRANT SELECT ON iris TO team; GRANT CREATE ON SCHEMA public TO team")
        self.by_session("SELECT * FROM iris TO PREDICT public.p.class USING m", "alice")
        self.execute("ALTER TABLE p OWNER TO team; GRANT SELECT ON p TO bob; GRANT UPDATE ON p TO mallory")
        before = self.rights()
        self.by_session("SELECT * FROM iris TO PREDICT public.p.class USING m", "bob")
        self.assertEqual(self.rights(), before)
        self.execute("REVOKE CREATE ON SCHEMA public FROM team")
        self.refuses(self.by_session, "SELECT * FROM iris TO PREDICT public.p.class USING m", 'the owner of table public.p may not create tables', "bob")
        self.by_session("SELECT * FROM iris TO PREDICT public.p.class USING m")  # a superuser leaves it to them, too
        self.assertEqual(self.rights(), before)
        self.execute("DROP OWNED BY team; DROP ROLE team")

    def test_rows_that_a_policy_hides_are_not_shown_by_a_new_table(self):
        self.by_session("SELECT * FROM iris TO PREDICT p.class USING m")
        self.execute("GRANT SELECT ON p TO alice; CREATE POLICY a_few ON p USING (class = 0)")
        for attributes in ("", "WITH predict.replace = true", JOB):
            self.refuses(self.by_session, f"SELECT * FROM iris TO PREDICT p.class {attributes} USING m", 'table public.p has row-level security')
        self.execute("DROP POLICY a_few ON p; ALTER TABLE p ENABLE ROW LEVEL SECURITY")
        self.refuses(self.by_session, "SELECT * FROM iris TO PREDICT p.class USING m", 'table public.p has row-level security')

    def exchange_while_it_waits(self, statement, name):
        """While a statement waits for the table that it is to replace, somebody puts another one in its place."""
        other = self.connect()
        other.autocommit = False
        cursor = other.cursor()
        cursor.execute(f"DROP TABLE {name}; CREATE TABLE {name} AS SELECT 7 AS mine")
        errors = []

        def run():
            try:
                self.by_session(statement)
            except psycopg2.Error as error:
                errors.append(str(error))
        thread = threading.Thread(target=run)
        thread.start()
        wait_for(lambda: self.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"),
                 "the statement at the lock")
        other.commit()
        thread.join(4 * harness.DEADLINE)
        self.assertEqual(len(errors), 1, statement)
        self.assertEqual(self.execute(f"SELECT * FROM {name}"), [(7,)])
        self.execute(f"DROP TABLE {name}")
        return errors[0]

    def test_a_table_that_came_in_the_place_of_an_old_one_stays(self):
        for attributes in ("", JOB):
            self.by_session("SELECT * FROM iris TO PREDICT p.class USING m")
            said = self.exchange_while_it_waits(f"SELECT * FROM iris TO PREDICT p.class {attributes} USING m", "p")
            self.assertIn('table "public.p" exists, and no PREDICT or FORECAST made it', said)
            self.by_session("SELECT * FROM iris TO EVALUATE m INTO e")
            said = self.exchange_while_it_waits(f"SELECT * FROM iris TO EVALUATE m {attributes} INTO e", "e")
            self.assertIn('table "public.e" exists, and no EVALUATE or EXPLAIN made it', said)
        self.by_session("SELECT * FROM iris TO PREDICT p.class WITH predict.bad_rows = 'quarantine' USING m")
        said = self.exchange_while_it_waits("SELECT * FROM iris TO PREDICT p.class WITH predict.bad_rows = 'quarantine' USING m", "p_bad_rows")
        self.assertIn('table "public.p_bad_rows" exists and holds no bad rows', said)

    def test_two_that_replace_one_table_at_once_follow_each_other(self):
        self.by_session("SELECT * FROM iris TO PREDICT p.class USING m")
        first = self.connect()
        first.autocommit = False
        run_statement(first.cursor(), "SELECT * FROM iris TO PREDICT p.class USING m")
        second = threading.Thread(target=self.by_session, args=("SELECT * FROM iris LIMIT 7 TO PREDICT p.class USING m",))
        second.start()
        wait_for(lambda: self.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"),
                 "the second statement at the lock")
        first.commit()
        second.join(4 * harness.DEADLINE)
        self.assertEqual(self.execute("SELECT count(*) FROM p"), [(7,)])


if __name__ == "__main__":
    harness.main()
