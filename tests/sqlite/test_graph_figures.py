"""How well definitions learn: scikit-learn's digits by convolutions, and a copy by a recurrent layer."""

import pathlib
import random

import harness

DIGITS = pathlib.Path(__file__).resolve().parent / "digits.txt"  # all 1,797 of UCI's, as scikit-learn has them


class Figures(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def right(self, query):
        rows = self.run_all(query)
        return sum(wanted == given for wanted, given in rows) / len(rows)

    def test_convolutions_read_the_held_out_fifth_of_the_digits(self):
        self.run_all("CREATE TABLE t (id INTEGER, picture TEXT, digit INTEGER)")
        lines = DIGITS.read_text(encoding="ascii").split()
        self.assertEqual(len(lines), 1797)
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)", [
            (number, ",".join(str(ord(letter) - ord("a")) for letter in line[1:]), int(line[0]))
            for number, line in enumerate(lines)])
        self.run_all("SELECT picture, digit FROM t WHERE id % 5 > 0 TO TRAIN zoo/mnist_cnn "
                     "WITH model.filters = [32, 64], train.epoch = 30 COLUMN DENSE(picture, 64) LABEL digit INTO m")
        self.assertGreaterEqual(
            self.right("SELECT digit, totrain_predict('m', picture) FROM t WHERE id % 5 = 0"), 0.985)

    def test_recurrent_layers_copy_what_they_have_seen_first(self):
        """The first of five words, of rows that they have not seen."""
        draw = random.Random(11)
        lines = [[draw.choice("abcd") for _ in range(5)] for _ in range(2500)]
        self.run_all("CREATE TABLE t (id INTEGER, words TEXT, first TEXT)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)", [
            (i, " ".join(line), line[0]) for i, line in enumerate(lines)])
        self.run_all("""DEFINE MODEL zoo/copy (cell = 'gru') AS $$
            return dense(apply(cell, embedding(sequence(words), 8), 24), outputs) $$""")
        for cell in ("gru", "lstm"):
            self.run_all(f"SELECT words, first FROM t WHERE id % 5 > 0 TO TRAIN zoo/copy WITH model.cell = '{cell}', "
                         "train.epoch = 12, train.batch_size = 32, optimizer.learning_rate = 0.01 "
                         "COLUMN VOCABULARY(SEQUENCE(words, 5)) LABEL first INTO m")
            self.assertGreaterEqual(
                self.right("SELECT first, totrain_predict('m', words) FROM t WHERE id % 5 = 0"), 0.99, cell)


harness.main()
