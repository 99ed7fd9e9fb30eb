"""Definitions in a server: who may make, read, replace and drop them; that nothing of another role's is run."""

from psycopg2 import errors

import harness
import program
import roles
from harness import run_statement

TOWER = """DEFINE MODEL {} (width = 4) AS $$
  h = relu(dense(numbers, width));
  return dense(h, outputs)
$$"""
TRAIN = "SELECT * FROM iris TO TRAIN {} WITH train.epoch = 2 LABEL class INTO {}"


class Definitions(roles.Roles):
    def rows(self, user, sql):
        cursor = self.session(user)
        cursor.execute(sql)
        return cursor.fetchall()

    def test_who_may_read_it_may_train_by_it(self):
        alice = self.session("alice")
        alice.execute(TOWER.format("alice.zoo/tower"))
        self.assertEqual(alice.fetchall(), [("zoo/tower", 1)])
        self.refused("bob", TRAIN.format("alice.zoo/tower", "bob.m"), errors.Error)
        alice.execute('GRANT USAGE ON SCHEMA alice TO bob; GRANT SELECT ON alice."zoo/tower" TO bob')
        run_statement(self.session("bob"), TRAIN.format("alice.zoo/tower", "bob.m"))
        self.assertIn("alice.\"zoo/tower\"", [row[0] for row in self.rows("bob", "SHOW DEFINITIONS")])
        shown = dict(self.rows("bob", "SHOW DEFINITION alice.zoo/tower"))
        self.assertEqual(shown["statement"], TOWER.format("zoo/tower"))
        for act in (TOWER.format("alice.zoo/tower").replace("DEFINE", "DEFINE OR REPLACE"),
                    "DROP DEFINITION alice.zoo/tower"):
            with self.assertRaises(errors.InsufficientPrivilege):
                self.session("bob").execute(act)
        alice.execute("DROP DEFINITION alice.zoo/tower")
        self.assertEqual(len(self.rows("bob", "SELECT * FROM iris LIMIT 3")), 3)
        self.rows("bob", "SELECT * FROM iris TO PREDICT class USING bob.m")

    def test_roles_without_rights(self):
        with self.assertRaises(errors.InsufficientPrivilege):
            self.session("mallory").execute(TOWER.format("mallory.zoo/tower"))
        with self.assertRaises(errors.InsufficientPrivilege):
            self.session("mallory").execute("SHOW DEFINITIONS")

    def test_nothing_of_another_roles_is_run(self):
        """A table of mallory's that looks like a definition, with a view, a rule and a trigger around it."""
        mallory = self.session("mallory")
        mallory.execute("""
            CREATE TABLE mallory.seen (who text); GRANT INSERT ON mallory.seen TO PUBLIC;
            GRANT USAGE ON SCHEMA mallory TO PUBLIC;
            CREATE FUNCTION mallory.note(text) RETURNS text LANGUAGE sql AS
              'INSERT INTO mallory.seen VALUES (current_user) RETURNING $1';
            CREATE VIEW mallory."zoo/tower" AS SELECT mallory.note('definition') AS part, 'zoo/tower'::text AS name,
              1::bigint AS position, 0::float8 AS value, 'DEFINE MODEL zoo/tower AS ''return numbers'''::bytea AS data;
            GRANT SELECT ON mallory."zoo/tower" TO PUBLIC""")
        for act in ("SHOW DEFINITION mallory.zoo/tower", TRAIN.format("mallory.zoo/tower", "alice.m"),
                    "SHOW DEFINITIONS", "DROP DEFINITION mallory.zoo/tower"):
            try:
                self.session("alice").execute(act)
            except errors.Error:
                pass
        self.assertEqual(self.rows("mallory", "SELECT * FROM mallory.seen"), [])

    def test_a_statement_is_undone_with_its_transaction(self):
        connection = self.connect("alice", autocommit=False)
        run_statement(connection.cursor(), TOWER.format("alice.zoo/undone"))
        connection.rollback()
        with self.assertRaisesRegex(errors.Error, "there is no definition"):
            self.session("alice").execute("SHOW DEFINITION alice.zoo/undone")

    def test_psql_takes_a_definition_as_it_stands(self):
        output = self.check_psql(TOWER.format("zoo/tower") + ";\nSHOW DEFINITION zoo/tower;\n"
                                 "SELECT * FROM iris TO TRAIN zoo/tower WITH train.epoch = 2 LABEL class INTO m;\n"
                                 "SELECT count(*) FROM iris;\nDROP DEFINITION zoo/tower;\n")
        self.assertIn("zoo/tower|1\n", output)
        self.assertIn("zoo/tower|dropped\n", output)
        failed = self.psql("DEFINE MODEL zoo/bad AS 'a = 1;\n  return dens(a)';")
        self.assertIn('ERROR:  line 2, column 10: there is no operation "dens"', failed.stderr)
        self.assertRegex(failed.stderr, r"LINE 2:   return dens\(a\)';\n +\^\nHINT:  Did you mean dense\?")


class Program(program.Case):
    def test_the_program_defines_shows_trains_and_drops(self):
        self.assertEqual(self.check(TOWER.format("zoo/tower")), [{"definition": "zoo/tower", "version": 1}])
        self.check("SELECT * FROM iris TO TRAIN zoo/tower WITH train.epoch = 2 LABEL class INTO m")
        self.check("SELECT * FROM iris TO PREDICT class USING m")
        self.assertEqual(self.check("DROP DEFINITION zoo/tower"), [{"definition": "zoo/tower", "state": "dropped"}])
        self.refused("SHOW DEFINITION zoo/towr", 2, 'there is no definition "zoo/towr"')


harness.main()
