"""Scoring in the session: order and bits of many rows, a model replaced, an interrupted statement."""

import sqlite3
import struct
import threading

import harness

TRAIN = "SELECT x, y FROM t TO TRAIN LinearRegressor WITH train.epoch = {} LABEL y INTO m"
ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x{} FROM r"


def bits(number):
    return struct.pack("d", number)


class Scoring(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None, check_same_thread=False)
        self.run_all("CREATE TABLE t (x REAL, y REAL)")
        # Squares of very different size: their sum depends on their order.
        self.run_all("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000) "
                     "INSERT INTO t SELECT i, 3.7 * i + (i % 7) * (i % 11) * 1.3 FROM r")
        self.run_all(TRAIN.format(3))

    def loss_in_order(self, order):
        rows = self.run_all(f"SELECT totrain_predict('m', x), y FROM t {order}")
        total = 0.0
        for predicted, actual in rows:
            total += (predicted - actual) * (predicted - actual)
        return total / len(rows)

    def test_evaluate_adds_in_the_order_of_the_query(self):
        losses = set()
        for order in ("", "ORDER BY y", "ORDER BY y DESC", "ORDER BY x % 17, x"):
            loss = self.run_all(f"SELECT x, y FROM t {order} TO EVALUATE m")[0][0]
            self.assertEqual(bits(loss), bits(self.loss_in_order(order)), order)
            losses.add(loss)
        self.assertGreater(len(losses), 1, "the order makes no difference in this table")

    def test_evaluate_takes_any_number_of_rows(self):
        for count in (1, 191, 192, 193, 384, 385):
            loss = self.run_all(f"SELECT x, y FROM t LIMIT {count} TO EVALUATE m")[0][0]
            self.assertEqual(bits(loss), bits(self.loss_in_order(f"LIMIT {count}")))

    def test_queries_of_every_form_are_evaluated(self):
        expected = self.run_all("SELECT x, y FROM t TO EVALUATE m")
        self.run_all("CREATE TABLE totrain_cells AS SELECT * FROM t")
        for select in ("SELECT * FROM totrain_cells", "SELECT x, y FROM t -- all of them\n",
                       "WITH c0 AS (SELECT * FROM t) SELECT * FROM c0",
                       "SELECT x, y FROM t WHERE x < 500 UNION ALL SELECT x, y FROM t WHERE x >= 500",
                       "SELECT x, y" + ", 0" * 200 + " FROM t"):
            self.assertEqual(self.run_all(f"{select} TO EVALUATE m"), expected, select)

    def test_an_error_in_the_middle_names_its_row(self):
        self.run_all("UPDATE t SET y = NULL WHERE x = 700")
        with self.assertRaisesRegex(Exception, 'row 700: label column "y" is NULL'):
            self.run_all("SELECT x, y FROM t TO EVALUATE m")
        self.run_all("UPDATE t SET y = 1, x = 'tall' WHERE x = 700")
        with self.assertRaisesRegex(Exception, "'tall'"):
            self.run_all("SELECT x, y FROM t TO EVALUATE m")
        with self.assertRaisesRegex(Exception, "integer overflow"):
            self.run_all("SELECT x, abs(-9223372036854775807 - 1) AS y FROM t TO EVALUATE m")

    def test_the_function_behind_it_takes_no_rows_from_others(self):
        for arguments in ("", "1", "NULL, 2, 3", "x'00', y"):
            with self.assertRaisesRegex(Exception, "not for statements of your own"):
                self.run_all(f"SELECT totrain_each_row({arguments}) FROM t")

    def test_a_running_statement_keeps_its_model_and_the_next_has_the_new_one(self):
        select = "SELECT x, totrain_predict('m', x) FROM t"
        self.run_all("PRAGMA journal_mode = WAL")
        old = self.run_all(select)
        cursor = self.database.execute(select)
        seen = [cursor.fetchone() for _ in range(10)]
        self.connect(isolation_level=None).execute(TRAIN.format(1)).fetchall()
        self.assertEqual(seen + cursor.fetchall(), old)
        # The same text: Python runs the very statement again.
        new = self.run_all(select)
        self.assertNotEqual(new, old)
        self.run_all("ROLLBACK MODEL m TO 1")
        self.assertEqual(self.run_all(select), old)
        self.run_all("BEGIN")
        self.run_all("ROLLBACK MODEL m TO 2")
        self.assertEqual(self.run_all(select), new)
        self.run_all("ROLLBACK")
        self.assertEqual(self.run_all(select), old)

    def interrupted(self, sql):
        raised = []

        def run():
            try:
                self.run_all(sql)
            except Exception as error:
                raised.append(str(error))

        thread = threading.Thread(target=run)
        thread.start()

        def is_over():
            self.database.interrupt()  # it may not have begun yet
            thread.join(0.02)
            return not thread.is_alive()

        harness.wait_for(is_over, "the end of an interrupted statement")
        return raised

    def test_statements_without_an_end_can_be_interrupted(self):
        self.run_all("CREATE TABLE p AS SELECT 'before' AS y")
        for sql in (ENDLESS.format("") + " TO PREDICT p.y WITH predict.replace = true USING m",
                    ENDLESS.format(", 2.0 AS y") + " TO EVALUATE m",
                    f"SELECT avg(totrain_predict('m', x)) FROM ({ENDLESS.format('')})"):
            ends = self.interrupted(sql)
            self.assertEqual(len(ends), 1, sql)
            self.assertRegex(ends[0], r"^(totrain_predict: )?interrupted", sql)
            self.assertFalse(self.database.in_transaction)
            self.assertEqual(self.run_all("SELECT * FROM p"), [("before",)])

    def run_interrupted(self, sql, instructions, interrupt):
        """How the statement ends, "" for well, when it is interrupted behind so many of SQLite's
        instructions; and whether it was."""
        left = [instructions]

        def count():
            left[0] -= 1
            return interrupt() if left[0] == 0 else 0

        self.database.set_progress_handler(count, 1)
        try:
            self.run_all(sql)
            end = ""
        except sqlite3.Error as error:
            end = str(error).splitlines()[0]
        finally:
            self.database.set_progress_handler(None, 1)
        return end, left[0] <= 0

    def check_interrupts(self, sql, after=lambda: None):
        """At each instruction; the ends that are no interrupts must be the undisturbed one."""
        for interrupt in (self.database.interrupt, lambda: 1):  # lasts, and comes once
            ends, instructions, was_interrupted = set(), 0, True
            while was_interrupted:
                instructions += 1
                end, was_interrupted = self.run_interrupted(sql, instructions,
                                                            lambda: interrupt() or 0)
                ends.add(end)
                self.assertFalse(self.database.in_transaction, (sql, instructions))
                after()
            others = {other for other in ends if "interrupted" not in other}
            self.assertEqual(others, {end}, sql)
            self.assertGreater(len(ends), 1, sql)

    def test_an_interrupt_at_any_instruction_never_shows_a_part(self):
        for sql in ("SHOW VERSIONS m", "SHOW TRAIN m"):
            whole = self.run_all(sql)
            shown = []
            run_all = self.run_all
            self.run_all = lambda statement: shown.append(run_all(statement))
            self.check_interrupts(sql)
            self.run_all = run_all
            self.assertEqual([rows for rows in shown if rows != whole], [], sql)

    def test_an_interrupt_at_any_instruction_leaves_no_transaction_open(self):
        self.run_all("CREATE TABLE p AS SELECT 'before' AS y")

        def check_whole():
            rows = self.run_all("SELECT * FROM p")
            self.assertEqual(len(rows), 1)
            if rows != [("before",)]:
                self.run_all("DROP TABLE p")
                self.run_all("CREATE TABLE p AS SELECT 'before' AS y")

        self.check_interrupts("SELECT x FROM t LIMIT 1 TO PREDICT p.y WITH predict.replace = true USING m", check_whole)

    def test_an_interrupt_at_any_instruction_never_takes_a_model_for_a_table(self):
        self.run_all("CREATE TABLE kept AS SELECT * FROM m")
        self.run_all("CREATE TABLE p AS SELECT 'before' AS y")
        before = self.run_all("SELECT * FROM kept")
        self.check_interrupts("SELECT x FROM t LIMIT 1 TO PREDICT kept.y WITH predict.replace = true USING m")
        self.check_interrupts("SELECT x FROM t LIMIT 1 TO PREDICT p.y WITH predict.replace = true USING p")
        self.assertEqual(self.run_all("SELECT * FROM kept"), before)
        self.assertEqual(self.run_all("SELECT * FROM p"), [("before",)])


if __name__ == "__main__":
    harness.main()
