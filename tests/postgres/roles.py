"""Plain roles, for tests of what they can and cannot do."""

import re

from psycopg2 import errors

import harness
from harness import run_statement

TRAIN = "SELECT * FROM {} TO TRAIN LinearClassifier WITH train.epoch = 3 LABEL class INTO {}"


class Roles(harness.Case):
    """alice and bob may train; mallory has no role of ours."""

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        with connection.cursor() as cursor:
            cursor.execute("""
                CREATE ROLE alice LOGIN IN ROLE totrain_user; CREATE ROLE bob LOGIN IN ROLE totrain_user;
                CREATE ROLE mallory LOGIN; CREATE ROLE watcher LOGIN IN ROLE totrain_monitor;
                GRANT SELECT ON iris TO alice, bob, mallory;
                CREATE SCHEMA alice AUTHORIZATION alice; CREATE SCHEMA bob AUTHORIZATION bob;
                CREATE SCHEMA mallory AUTHORIZATION mallory;
                CREATE TABLE secret AS SELECT * FROM iris""")

    def session(self, user, database=None):
        connection = self.server.connect(database or self.database, user)
        self.addCleanup(connection.close)
        return connection.cursor()

    def refused(self, user, sql, error=errors.InsufficientPrivilege, pattern=""):
        """A statement of ours in both of its forms."""
        with self.assertRaisesRegex(error, pattern):
            self.session(user).execute(sql)
        if re.search(" TO (TRAIN|PREDICT|EVALUATE) |^SHOW|^ROLLBACK MODEL", sql) and "totrain." not in sql:
            with self.assertRaisesRegex(error, pattern):
                run_statement(self.session(user), sql)

    def train(self, user, table="iris", model=None):
        rows = run_statement(self.session(user), TRAIN.format(table, model or f"{user}.m"))
        return harness.facts(rows)
