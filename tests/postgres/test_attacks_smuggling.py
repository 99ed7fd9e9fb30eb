"""Attacks on the protocol: nothing gets past the splitter, and the server says what its transaction is."""

import pathlib

import psycopg2
from psycopg2 import extensions

import harness
from attacks import Attacks, add_tests

OURS = "SELECT * FROM public.iris TO EVALUATE honest"
# {0} is read as a constant, a name or a comment by one of both readers, and as statements by the other.
WAYS = {
    "a_continued_escape_string": "SELECT E'a'\n'\\''; {0}; SELECT E'a'\n'\\''; ",
    "a_continued_escape_string_with_a_comment": "SELECT E'a' -- comment\n'\\''; {0}; SELECT E'a' -- comment\n'\\''; ",
    "a_continued_escape_string_over_blank_lines": "SELECT e'a' \n\n \n'\\''; {0}; SELECT e'a' \n\n\t\n'\\''; ",
    "a_bracket_behind_a_blank": "SELECT ARRAY ['a]', 'b']; {0}; SELECT 1 /* ' */; ",
    "a_bracket_in_a_string": "SELECT '[', ']'; {0}; SELECT 1 /* ' */; ",
    "strings_with_backslashes": "SET standard_conforming_strings = off; SELECT '\\''; {0}; SELECT '\\''; ",
    "a_dollar_string": "SELECT $a$ ' $a$; {0}; SELECT $b$ ' $b$; ",
    "a_dollar_string_in_another": "SELECT $a$ $b$ ; $a$; {0}; SELECT '$b$'; ",
    "a_dollar_in_a_name": "SELECT 1 AS a$a$; {0}; SELECT 1 AS b$a$; ",
    "a_nested_comment": "SELECT 1 /* /* ' */ */; {0}; SELECT 1 /* ' */; ",
    "a_line_comment": "SELECT 1 -- '\n; {0}; SELECT 1 -- '\n; ",
    "a_backquote": "SELECT '`'; {0}; SELECT '`'; ",
    "a_quoted_name": "SELECT 1 AS \"a'\"; {0}; SELECT 1 AS \"b'\"; ",
    "a_doubled_quote": "SELECT 'a'''; {0}; SELECT 'a'''; ",
    "a_unicode_string": "SELECT U&'\\0027'; {0}; SELECT U&'\\0027'; ",
    "a_unicode_name": "SELECT 1 AS U&\"\\0027\"; {0}; SELECT 1 AS U&\"\\0027\"; ",
    "a_bit_string": "SELECT B'1'; {0}; SELECT X'1f'; ",
    "an_operator_that_looks_like_a_comment": "SELECT 1 +-+ 1; {0}; SELECT 3 */* ' */ 2; ",
    "a_carriage_return": "SELECT E'a'\r'\\''; {0}; SELECT E'a'\r'\\''; ",
    "a_form_feed": "SELECT E'a'\f\n'\\''; {0}; SELECT E'a'\f\n'\\''; ",
    "an_empty_statement": ";;; {0};;; ",
    "a_function_body": "CREATE OR REPLACE FUNCTION pg_temp.f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END; {0}; ",
    "a_rule_with_two_actions": "CREATE TEMP TABLE IF NOT EXISTS r (a int); CREATE OR REPLACE RULE r AS ON INSERT TO r DO ALSO (SELECT 1; SELECT 2); {0}; ",
    "a_quote_in_a_copy": "SELECT 1 /* COPY x FROM stdin; ' */; {0}; SELECT ';' /* ' */; ",
    "nothing": "{0}; ",
}
COMMANDS = ("BEGIN", "START TRANSACTION", "begin isolation level serializable", "/**/BEGIN", "-- c\nBEGIN", "SAVEPOINT s", "COMMIT AND CHAIN",
            "ROLLBACK AND CHAIN", "PREPARE TRANSACTION 'p'", "ABORT; BEGIN", "BEGIN; SELECT 1; COMMIT; BEGIN", "END; BEGIN")


class Smuggling(Attacks):
    def check(self, way):
        self.execute("CREATE TABLE public.kept (who text)")
        connection = self.connect()
        for command in COMMANDS if way in ("nothing", "a_continued_escape_string", "strings_with_backslashes") else COMMANDS[:2]:
            for text in (WAYS[way].format(command) + OURS, OURS + "; " + WAYS[way].format(command), WAYS[way].format(command) + OURS + "; SELECT 1"):
                self.check_string(connection, text)

    def check_string(self, connection, text):
        cursor = connection.cursor()
        try:
            cursor.execute(text)
        except psycopg2.Error:
            pass
        with self.subTest(text):
            self.assertEqual(connection.info.transaction_status, self.real_status(connection), text)
            if connection.info.transaction_status != extensions.TRANSACTION_STATUS_IDLE:  # said openly: the client can end it
                cursor.execute("ROLLBACK")
            cursor.execute("RESET standard_conforming_strings")
            cursor.execute("INSERT INTO public.kept VALUES ('next client')")
            self.assertEqual(self.execute("DELETE FROM public.kept RETURNING who"), [("next client",)])

    @staticmethod
    def real_status(connection):
        """Looks at the server's answer to the next statement."""
        try:
            connection.cursor().execute("SELECT 1")
        except psycopg2.Error:
            pass
        return connection.info.transaction_status

    def test_a_procedure_that_commits(self):
        self.execute("CREATE OR REPLACE PROCEDURE public.p() LANGUAGE plpgsql AS $$ BEGIN COMMIT; PERFORM 1; ROLLBACK; END $$")
        self.execute("CREATE TABLE public.kept (who text)")
        connection = self.connect()
        self.check_string(connection, f"CALL public.p(); {OURS}")
        self.check_string(connection, f"DO $$ BEGIN COMMIT; END $$; {OURS}")
        self.execute("DROP PROCEDURE public.p()")

    def test_an_error_in_the_string_leaves_the_connection_idle(self):
        connection = self.connect()
        for text in (f"{OURS}; SELECT 1/0", f"SELECT 1/0; {OURS}", f"{OURS}; nonsense", f"{OURS} nonsense; SELECT 1"):
            with self.subTest(text), self.assertRaises(psycopg2.Error):
                connection.cursor().execute(text)
            self.assertEqual(connection.info.transaction_status, extensions.TRANSACTION_STATUS_IDLE)

    def test_strings_that_both_read_alike_go_on_working(self):
        cursor = self.connect().cursor()
        for way in ("a_dollar_string", "a_nested_comment", "a_line_comment", "a_doubled_quote", "a_quoted_name", "a_unicode_string"):
            with self.subTest(way):
                cursor.execute(WAYS[way].format("SELECT 5") + OURS)
                self.assertTrue(cursor.fetchall())


add_tests(Smuggling, WAYS, lambda way: lambda self: self.check(way))


class Strings(Attacks):
    """psql -c 'select 1; SHOW MODELS': ours are found in any place of a string that would parse."""

    def test_show_models_behind_another_statement(self):
        done = self.psql(None, "-qAt", "-c", "SELECT 4; SHOW MODELS")
        self.assertEqual((done.stdout.splitlines()[0], done.stderr), ("4", ""))
        self.assertIn("honest|LinearClassifier", done.stdout)

    def test_show_models_before_another_statement(self):
        done = self.psql(None, "-qAt", "-c", "SHOW MODELS; SELECT 4")
        self.assertIn("honest|LinearClassifier", done.stdout)
        self.assertEqual((done.stdout.splitlines()[-1], done.stderr), ("4", ""))

    def test_statements_before_it_run_once_and_are_kept(self):
        self.check_psql(None, "-c", "CREATE TABLE public.once AS SELECT 1 AS a; INSERT INTO public.once SELECT 2; SHOW JOBS; INSERT INTO public.once SELECT 3")
        self.assertEqual(self.execute("SELECT a FROM public.once ORDER BY a"), [(1,), (2,), (3,)])

    def test_in_a_transaction_block_the_hint_names_the_function(self):
        done = self.psql("BEGIN;\nSELECT 1 \\; SHOW MODELS;\nROLLBACK;")
        self.assertIn("totrain.run", done.stderr)

    def test_settings_are_shown_as_before(self):
        self.assertEqual(self.psql(None, "-qAt", "-c", "SELECT 1; SHOW work_mem; SHOW ALL").stdout.splitlines()[:2], ["1", "4MB"])

    def test_turned_off_nothing_is_looked_at(self):
        done = self.psql("SET totrain.bare_statements = off;\nSELECT 4 \\; SHOW MODELS;", "-qAt")
        self.assertIn('unrecognized configuration parameter "models"', done.stderr)
        self.assertEqual(done.stdout, "4\n")


class Long(Attacks):
    """A string of many statements takes no more than the server itself takes for them."""

    def cost(self, text):
        """Peak memory in kB and processor time in nanoseconds of a backend that runs it."""
        connection = self.connect()
        cursor = connection.cursor()
        cursor.execute("SELECT count(*) FROM totrain.rows('SHOW MODELS')")  # the module and its libraries are loaded
        process = pathlib.Path("/proc") / str(connection.info.backend_pid)
        before = self.processor_ns(process)
        cursor.execute(text)
        peak = next(int(line.split()[1]) for line in (process / "status").read_text().splitlines() if line.startswith("VmHWM"))
        return peak, self.processor_ns(process) - before

    @staticmethod
    def processor_ns(process):
        return int((process / "schedstat").read_text().split()[0])

    def test_twenty_thousand_statements_take_at_most_twice_the_memory_of_the_server(self):
        many = "select 1;" * 20000
        stock, _ = self.cost(many + "select 1")
        ours, _ = self.cost(many + "EXPLAIN " + OURS)
        self.assertLess(ours, 2 * stock)

    def test_time_grows_with_the_length(self):
        _, short = self.cost("select 1;" * 1000 + "EXPLAIN " + OURS)
        _, long = self.cost("select 1;" * 32000 + "EXPLAIN " + OURS)
        self.assertLess(long, 180 * short)  # 32 times the text; with its square it would be 1,024, and both are 5.7 times away

    def test_a_hundred_statements_of_ours_in_one_string(self):
        stock, _ = self.cost("EXPLAIN " + OURS)
        many, _ = self.cost(f"EXPLAIN {OURS};" * 100)
        self.assertLess(many, 2 * stock)


class Values(Attacks):
    """N7: values of totrain.rows and totrain.run. Where both readers disagree about what is in a string or in a comment,
    nothing is written; everywhere else the value is a value."""

    # SELECTs of a developer's that were broken out of, with what is said now.
    BROKEN = {
        "a_backslash_before_a_quote": r"SELECT 1 AS w, '\' $1 \'' || $1 AS t",
        "quotes_around_a_value": r"SELECT 1 AS w, '\'' || $1 || '\'' AS t",
        "a_plain_backslash": r"SELECT 1 AS w, 'C:\\' || $1 AS t",
    }
    DIFFERENT = {
        "a_comment_in_a_comment": "SELECT 1 AS w, $1 AS t /* a /* b */ $1 */",
        "an_escape_string_in_the_next_line": "SELECT 1 AS w, E'a'\n'b\\' $1 \\' ' || $1 AS t",
    }
    KEPT = {
        "a_plain_string": ("SELECT 'it''s $1' || $1 AS t", "it's $1{}"),
        "an_escape_string": (r"SELECT E'\' $1 \\' || $1 AS t", "' $1 \\{}"),
        "a_unicode_string": (r"SELECT U&'\0041 $1' || $1 AS t", "A $1{}"),
        "a_dollar_string": ("SELECT $a$ $1 ' $a$ || $1 AS t", " $1 ' {}"),
        "a_backslash_at_the_end": (r"SELECT 'C:\' || $1 AS t", "C:\\{}"),
        "a_line_comment": ("SELECT $1 -- ' $1\n AS t", "{}"),
        "a_comment": ("SELECT $1 /* ' $1 */ AS t", "{}"),
        "a_quoted_name": ("SELECT $1 AS t, 2 AS \"$1 '\"", "{}"),
        "a_call": ("SELECT repeat($1, 1) AS t", "{}"),
    }
    HOSTILE = ("' || current_user || '", "\\' || current_user || \\'", "*/ || current_user /*", "$a$ || current_user || $a$",
               "\n || current_user --", "TO EVALUATE honest")

    def rows(self, select, value, off=False):
        cursor = self.session("alice")
        if off:
            cursor.execute("SET escape_string_warning = off; SET standard_conforming_strings = off")
        quoted = "E'" + value.replace("\\", "\\\\").replace("'", "''") + "'::text"
        statement = f"SELECT * FROM ({select}\n) v, public.iris LIMIT 1 TO PREDICT USING honest"
        cursor.execute(f"SELECT totrain.rows($statement${statement}$statement$, {quoted}) ->> 't'")
        return cursor.fetchone()[0]

    def check_kept(self, name):
        select, expected = self.KEPT[name]
        for value in self.HOSTILE:
            with self.subTest(value):
                self.assertEqual(self.rows(select, value), expected.replace("{}", value))

    def check_refused(self, select, error, off=False):
        for value in self.HOSTILE:
            with self.subTest(value), self.assertRaisesRegex(psycopg2.Error, error):
                self.rows(select, value, off)

    def test_without_a_backslash_the_setting_is_all_the_same(self):
        for value in self.HOSTILE:
            self.assertEqual(self.rows("SELECT 'it''s $1' || $1 AS t", value, off=True), "it's $1" + value)


add_tests(Values, [f"values_beside_{name}" for name in Values.KEPT], lambda name: lambda self: self.check_kept(name[14:]))
add_tests(Values, [f"values_in_{name}" for name in Values.DIFFERENT],
          lambda name: lambda self: self.check_refused(self.DIFFERENT[name[10:]], "finds other parameters in this SELECT than ToTrain"))
add_tests(Values, [f"backslashes_in_{name}" for name in Values.BROKEN],
          lambda name: lambda self: self.check_refused(self.BROKEN[name[15:]], "a backslash while standard_conforming_strings is off", True))


if __name__ == "__main__":
    harness.main()
