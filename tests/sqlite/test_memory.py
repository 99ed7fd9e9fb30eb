"""job.memory: what a worker may use. It decides whether a model fits, and nothing of the model."""

import sqlite3

import harness

WORDS = 2000


class Memory(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.database.execute("BEGIN")
        self.database.execute("CREATE TABLE words (word TEXT, number REAL, y INTEGER)")
        self.database.executemany("INSERT INTO words VALUES (?, ?, ?)",
                                  ((f"word {i // 2}", i % 7, i % 2) for i in range(2 * WORDS)))
        self.database.execute("COMMIT")

    def train(self, settings, units=512):
        self.database.execute(f"SELECT * FROM words TO TRAIN DNNClassifier WITH model.hidden_units = [{units}], "
                              f"train.epoch = 1, train.test_size = 0{settings} LABEL y INTO m").fetchall()
        return self.database.execute("SELECT digest FROM totrain_models").fetchone()

    def refused(self, settings, *messages, units=512):
        with self.assertRaises(sqlite3.Error) as raised:
            self.train(settings, units)
        for message in messages:
            self.assertIn(message, str(raised.exception))
        self.assertEqual(self.database.execute("SELECT name FROM sqlite_master WHERE name = 'm'").fetchall(), [])

    def test_a_state_that_does_not_fit_is_refused_when_its_words_are_counted(self):
        for workers in (1, 2):
            self.refused(f", job.memory = '16Mi', job.min_workers = {workers}",
                         "1024512 of them for words, needs ", "and a worker here has at most 16777216",
                         "Raise job.memory.")

    def test_a_state_that_cannot_fit_is_refused_before_a_row_is_read(self):
        self.refused(", job.memory = '16Mi'", "a model of ", " bytes) to train, and job.memory is 16777216 bytes",
                     "Raise job.memory.", units="1024, 1024")
        self.assertEqual(self.database.execute("SHOW JOBS").fetchall(), [])

    def test_the_model_is_the_same_whatever_a_worker_may_use(self):
        digest = self.train("", units=16)
        for settings in (", job.memory = '16Mi'", ", job.memory = '16Mi', job.min_workers = 2", ", job.memory = '4Gi'"):
            self.assertEqual(self.train(settings, units=16), digest, settings)


if __name__ == "__main__":
    harness.main()
