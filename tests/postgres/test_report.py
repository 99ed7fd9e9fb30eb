"""REPORT MODEL and totrain.report: a page about a model, which runs no statement that another role wrote."""

import pathlib

import psycopg2
from psycopg2 import errors

import harness
import program
import roles

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 3 LABEL class INTO {}"


class Functions(harness.Case):
    def test_the_function_returns_the_page_and_no_file_of_the_server_is_written(self):
        self.check_psql(TRAIN.format("m"))
        page = self.check_psql("SELECT totrain.report('m')")
        self.assertTrue(page.startswith("<!DOCTYPE html>"), page[:80])
        for section in ("quality", "confusion", "importance", "drift", "versions", "origin"):
            self.assertIn(f'<section id="{section}"', page)
        few = self.check_psql("SELECT totrain.report('public.m', 'markdown', 'SELECT * FROM iris WHERE sepal_length > 5')")
        self.assertTrue(few.startswith("# Model card: m"), few[:80])
        self.assertIn("    SELECT * FROM iris WHERE sepal_length > 5\n", few)
        self.assertEqual(self.check_psql("SELECT totrain.report(NULL) IS NULL"), "t\n")
        for sql in ("REPORT MODEL m TO 'card.html'", "SELECT totrain.rows($$REPORT MODEL m TO 'card.html'$$)"):
            done = self.psql(sql)
            self.assertIn("no statement reads or writes files", done.stderr)
            self.assertIn("totrain.report('model') returns the page", done.stderr)

    def test_mistakes_are_told_and_the_transaction_may_go_on(self):
        self.check_psql(TRAIN.format("m"))
        cursor = self.connect().cursor()
        for sql, error in (("SELECT totrain.report('n')", 'no model "n"'), ("SELECT totrain.report('m', 'pdf')", 'no format "pdf"'),
                           ("SELECT totrain.report('m', 'html', 'SELECT 1; DROP TABLE iris')", "a second statement"),
                           ("SELECT totrain.report('m', 'html', 'SELECT * FROM nosuch')", "nosuch")):
            with self.assertRaisesRegex(psycopg2.Error, error):
                cursor.execute(sql)
        cursor.execute("SELECT count(*) FROM iris")
        self.assertEqual(cursor.fetchone(), (150,))


class Rights(roles.Roles):
    def report(self, user, *arguments):
        cursor = self.session(user)
        cursor.execute(f"SELECT totrain.report({', '.join(['%s'] * len(arguments))})", arguments)
        return cursor.fetchone()[0]

    def test_no_statement_of_another_role_is_run(self):
        self.train("alice", model="alice.m")
        self.assertIn("Model card: m", self.report("alice", "alice.m"))
        with self.assertRaisesRegex(errors.InsufficientPrivilege, "another role's, whose statement is not run"):
            self.report(harness.SUPERUSER, "alice.m")
        self.assertIn("Model card: m", self.report(harness.SUPERUSER, "alice.m", "html", "SELECT * FROM iris"))

    def test_who_may_not_read_gets_nothing(self):
        self.train("alice", model="alice.m")
        with self.assertRaises(errors.InsufficientPrivilege):
            self.report("bob", "alice.m")
        with self.assertRaisesRegex(errors.InsufficientPrivilege, "function report|schema totrain"):
            self.report("mallory", "alice.m")


class Program(program.Case):
    def test_the_program_writes_a_file_of_its_user(self):
        path = pathlib.Path(self.folder) / "card.md"
        self.check(TRAIN.format("m"))
        self.check(f"REPORT MODEL m TO '{path}'")
        self.assertEqual(path.read_text(encoding="utf-8"), self.execute("SELECT totrain.report('m', 'markdown')")[0][0])


harness.main()
