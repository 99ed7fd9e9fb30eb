"""The definitions that come with ToTrain, each on rows that it is for; words in order; SQLFlow's names."""

import math
import pathlib
import random
import struct
import zlib

import harness

DIGITS = pathlib.Path(__file__).resolve().parent / "digits.txt"


def png(width, height, raw):
    """The PNG of pixels in three channels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + raw[at:at + 3 * width] for at in range(0, len(raw), 3 * width))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines, 1)) + chunk(b"IEND", b""))


class Zoo(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def right(self, answers):
        return sum(wanted == given for wanted, given in answers) / len(answers)

    # ----- words in order -----

    def make_words(self, rows=500, form=" ".join):
        """1 where an a comes before the only b: no sum of words tells it."""
        draw = random.Random(7)
        self.run_all("CREATE TABLE t (words TEXT, y INTEGER)")
        for _ in range(rows):
            line = [draw.choice("cdef") for _ in range(draw.randrange(3, 8))]
            first, second = sorted(draw.sample(range(len(line)), 2))
            y = draw.randrange(2)
            line[first], line[second] = ("a", "b") if y else ("b", "a")
            self.run_all("INSERT INTO t VALUES (?, ?)", form(line), y)

    def train_words(self, model, settings, into="m", rows="t", column="VOCABULARY(SEQUENCE(words, 8))"):
        return self.run_all(f"SELECT words, y FROM {rows} TO TRAIN {model} WITH {settings} "
                            f"COLUMN {column} LABEL y INTO {into}")

    def accuracy_of_words(self):
        return self.right(self.run_all("SELECT y, totrain_predict('m', words) FROM t"))

    def test_layers_see_words_in_order(self):
        self.make_words()
        for model, settings in (("sqlflow_models.StackedBiLSTMClassifier", "model.stack_units = [12], model.dim = 8"),
                                ("StackedRNNClassifier", "model.stack_units = [12], model.model_type = 'gru', "
                                 "model.bidirectional = True, model.dim = 8"),
                                ("TextCNN", "model.dim = 8, model.filters = 24, model.dropout = 0.1"),
                                ("zoo/transformer_small", "model.dim = 16, model.heads = 2, model.layers = 1, "
                                 "model.hidden = 24, model.dropout = 0")):
            self.train_words(model, f"{settings}, train.epoch = 20, train.batch_size = 32, "
                             "optimizer.learning_rate = 0.01")
            self.assertGreater(self.accuracy_of_words(), 0.9, model)

    def test_a_sum_of_words_sees_no_order(self):
        self.make_words(400)
        self.train_words("zoo/mlp", "train.epoch = 10", column="INDICATOR(SEQUENCE(words, 8))")
        self.assertLess(self.accuracy_of_words(), 0.7)

    def test_lists_and_arrays_are_the_same_words(self):
        self.make_words(200)
        settings = "model.stack_units = [4], model.dim = 4, train.epoch = 2"
        self.train_words("zoo/bilstm_stacked", settings, "m")
        wanted = self.run_all("SELECT y, totrain_predict('m', words) FROM t")
        for begin, between, end in (("[", ",", "]"), ("{", ",", "}")):
            rows = (f"(SELECT '{begin}' || CASE WHEN '{begin}' = '[' THEN '\"' || replace(words, ' ', '\",\"') || '\"' "
                    f"ELSE replace(words, ' ', '{between}') END || '{end}' AS words, y FROM t)")
            self.train_words("zoo/bilstm_stacked", settings, "other", rows)
            given = self.run_all(f"SELECT y, totrain_predict('other', words) FROM {rows}")
            self.assertEqual(sorted(given), sorted(wanted))

    def test_words_in_order_have_the_same_bits_with_any_number_of_workers(self):
        self.make_words(300)
        self.check_workers_and_order(lambda settings, into, rows: self.train_words(
            "zoo/transformer_small", f"model.dim = 8, model.heads = 2, train.epoch = 2, {settings}", into, rows))

    def test_ids_of_sqlflow_are_in_order(self):
        self.make_words(400, lambda line: ",".join(str(ord(word)) for word in line))
        self.train_words("sqlflow_models.StackedBiLSTMClassifier",
                         "model.n_classes = 2, model.stack_units = [12], train.epoch = 12, train.batch_size = 32, "
                         "optimizer.learning_rate = 0.01",
                         column="EMBEDDING(SEQ_CATEGORY_ID(words, 1600, COMMA), 16, mean)")
        self.assertGreater(self.accuracy_of_words(), 0.9)

    def test_what_is_no_sequence_is_refused_at_its_place(self):
        self.make_words(20)
        with self.assertRaisesRegex(Exception, r"zoo/lstm, line 2, column .*: sequence: \"words\" is no sequence"):
            self.run_all("SELECT words, y FROM t TO TRAIN zoo/lstm WITH model.series = 'words' LABEL y INTO m")
        with self.assertRaisesRegex(Exception, "zoo/bilstm_stacked, line .*: concat takes"):
            self.run_all("SELECT words, y FROM t TO TRAIN StackedBiLSTMClassifier LABEL y INTO m")

    # ----- numbers -----

    def make_numbers(self):
        """Two numbers and two categories whose product and pair count."""
        draw = random.Random(3)
        self.run_all("CREATE TABLE t (a REAL, b REAL, plan TEXT, city TEXT, y REAL)")
        for _ in range(800):
            a, b, plan, city = draw.uniform(-1, 1), draw.uniform(-1, 1), draw.randrange(4), draw.randrange(6)
            self.run_all("INSERT INTO t VALUES (?, ?, ?, ?, ?)", a, b, f"p{plan}", f"c{city}",
                         3 * a * b + (plan == city) + 0.1 * draw.random())

    def test_products_of_columns(self):
        self.make_numbers()
        for model, settings in (("dcn_v2", ""), ("tabular_transformer", "model.dim = 8, model.heads = 2,"),
                                ("deepfm", "model.dropout = 0.05,")):
            self.run_all(f"SELECT * FROM t TO TRAIN zoo/{model} WITH {settings} train.epoch = 30, "
                         "optimizer.learning_rate = 0.01 LABEL y INTO m")
            rows = self.run_all("SELECT y, totrain_predict('m', a, b, plan, city) FROM t")
            mean = sum(y for y, _ in rows) / len(rows)
            left = sum((y - guess) ** 2 for y, guess in rows) / sum((y - mean) ** 2 for y, _ in rows)
            self.assertLess(left, 0.15, model)

    def test_numbers_and_categories_alone(self):
        self.make_numbers()
        for columns in ("a, b", "plan, city"):
            self.run_all(f"SELECT {columns}, y FROM t TO TRAIN zoo/tabular_transformer WITH model.dim = 4, "
                         "model.heads = 1, train.epoch = 1 LABEL y INTO m")

    def make_series(self):
        """Seven values of a wave, and the next one."""
        draw = random.Random(9)
        self.run_all("CREATE TABLE t (" + ", ".join(f"y{i} REAL" for i in range(7)) + ", s TEXT, y REAL)")
        for _ in range(600):
            phase, size = draw.uniform(0, 6.28), draw.uniform(0.5, 2)
            wave = [size * math.sin(phase + i) for i in range(8)]
            self.run_all("INSERT INTO t VALUES (" + ", ".join("?" * 9) + ")", *wave[:7],
                         ",".join(f"{x:.4f}" for x in wave[:7]), wave[7])

    def check_series(self, columns, model, settings, column=""):
        self.run_all(f"SELECT {columns}, y FROM t TO TRAIN {model} WITH {settings}, train.epoch = 20, "
                     f"optimizer.learning_rate = 0.01 {column} LABEL y INTO m")
        rows = self.run_all(f"SELECT y, totrain_predict('m', {columns}) FROM t")
        self.assertLess(sum((y - guess) ** 2 for y, guess in rows) / sum(y * y for y, _ in rows), 0.05, model)

    def test_the_next_value_of_a_series(self):
        self.make_series()
        lags = ", ".join(f"y{i}" for i in range(7))
        self.check_series(lags, "zoo/nbeats", "model.units = 32")
        self.check_series(lags, "sqlflow_models.RNNBasedTimeSeriesModel",
                          "model.stack_units = [16, 16], model.n_in = 7, model.model_type = 'gru'")
        self.check_series("s", "zoo/tcn", "model.filters = 16, model.levels = 2", "COLUMN SEQUENCE(s, 7)")
        self.check_series("s", "zoo/lstm", "model.series = 's', model.units = 16", "COLUMN SEQUENCE(s, 7)")

    # ----- pictures -----

    def make_digits(self, count):
        self.run_all("CREATE TABLE t (id INTEGER, picture TEXT, y INTEGER)")
        lines = DIGITS.read_text(encoding="ascii").split()[:count]
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)", [
            (number, ",".join(str(ord(letter) - ord("a")) for letter in line[1:]), int(line[0]))
            for number, line in enumerate(lines)])

    def train_digits(self, settings, into, rows):
        return self.run_all(f"SELECT picture, y FROM {rows} TO TRAIN zoo/resnet_small WITH model.filters = [4, 8], "
                            f"{settings} COLUMN DENSE(picture, 64) LABEL y INTO {into}")

    def test_norms_over_rows_have_the_same_bits_with_any_number_of_workers(self):
        self.make_digits(300)
        self.check_workers_and_order(lambda settings, into, rows: self.train_digits(
            f"train.epoch = 2, {settings}", into, rows))

    def test_a_model_with_norms_answers_by_its_running_numbers(self):
        self.make_digits(400)
        self.train_digits("train.epoch = 20, optimizer.learning_rate = 0.01", "m", "t")
        rows = self.run_all("SELECT y, totrain_predict('m', picture) FROM t")
        self.assertGreater(self.right(rows), 0.95)
        alone = self.run_all("SELECT y, totrain_predict('m', picture) FROM t WHERE id = 5")
        self.assertEqual(alone, rows[5:6])

    def test_pictures_are_bytes(self):
        """Pictures as BLOBs train the model that their texts train; another size is a bad row."""
        self.make_digits(300)
        self.run_all("CREATE TABLE blobs (id INTEGER, picture BLOB, y INTEGER)")
        self.database.executemany("INSERT INTO blobs VALUES (?, ?, ?)", [
            (number, bytes(map(int, picture.split(","))), y)
            for number, picture, y in self.run_all("SELECT id, picture, y FROM t")])
        self.run_all("DEFINE MODEL zoo/small (p = 'picture') AS "
                     "'return dense(flatten(max_pool(relu(conv2d(image(p, 8, 8), 4, 3)), 2)), outputs)'")
        self.check_workers(lambda settings, into: self.run_all(
            f"SELECT picture, y FROM blobs TO TRAIN zoo/small WITH train.epoch = 4, {settings} "
            f"COLUMN IMAGE(picture, 8, 8) LABEL y INTO {into}"))
        self.run_all("SELECT picture, y FROM t TO TRAIN zoo/small WITH train.epoch = 4 COLUMN DENSE(picture, 64) "
                     "LABEL y INTO texts")
        self.assertEqual(self.run_all("SELECT totrain_probability('one', picture) FROM blobs"),
                         self.run_all("SELECT totrain_probability('texts', picture) FROM t"))
        for wrong, message in (("x'0102'", 'column "picture" holds 2 bytes, where 64 were expected'),
                               ("'a text'", "column \"picture\" holds 'a text', where a blob of 64 bytes")):
            with self.assertRaisesRegex(Exception, message):
                self.run_all(f"SELECT totrain_predict('one', {wrong})")
        self.run_all("INSERT INTO blobs VALUES (1000, x'0102', 1)")
        with self.assertRaisesRegex(Exception, "holds 2 bytes, where 64 were expected"):
            self.run_all("SELECT picture, y FROM blobs TO TRAIN zoo/small COLUMN IMAGE(picture, 8, 8) LABEL y INTO m")

    def make_pictures(self, count):
        """Noise of 64 x 64 pixels in three channels, in half of the pictures redder, as raw bytes and as PNG."""
        draw = random.Random(5)
        self.run_all("CREATE TABLE pictures (id INTEGER, raw BLOB, png BLOB, red INTEGER)")
        for number in range(count):
            noise = bytearray(draw.randbytes(64 * 64 * 3))
            noise[number % 2::3] = bytes(byte // 2 for byte in noise[number % 2::3])
            self.database.execute("INSERT INTO pictures VALUES (?, ?, ?, ?)",
                                  (number, bytes(noise), png(64, 64, bytes(noise)), number % 2))
        self.run_all("DEFINE MODEL zoo/red (p = 'png') AS "
                     "'return dense(flatten(mean_pool(relu(conv2d(image(p, 64, 64, 3), 4, 2, stride = 4)), 8)), outputs)'")

    def test_large_pictures_in_colour_as_png(self):
        """A PNG is the picture of its raw bytes, for training and prediction, with any number of workers."""
        self.make_pictures(40)
        train = ("SELECT {} AS png, red FROM pictures TO TRAIN zoo/red WITH train.epoch = 2, {} "
                 "COLUMN IMAGE(png, 64, 64, 3) LABEL red INTO {}")
        self.run_all(train.format("raw", "job.max_workers = 1", "one"))
        self.run_all(train.format("png", "job.min_workers = 2, job.max_workers = 2", "several"))
        self.assertEqual(self.digest(self.database, "several"), self.digest(self.database, "one"))
        self.assertEqual(self.run_all("SELECT totrain_probability('one', png) FROM pictures"),
                         self.run_all("SELECT totrain_probability('one', raw) FROM pictures"))
        self.run_all("INSERT INTO pictures SELECT -1, raw, substr(png, 1, 200), 1 FROM pictures WHERE id = 3")
        with self.assertRaisesRegex(Exception, 'row 41.*column "png" holds a PNG that is damaged'):
            self.run_all(train.format("png", "seed = 1", "m"))
        with self.assertRaisesRegex(Exception, "the pictures of a row have 12288 numbers, and LinearClassifier takes"):
            self.run_all("SELECT png, red FROM pictures TO TRAIN LinearClassifier COLUMN IMAGE(png, 64, 64, 3) LABEL red INTO m")


harness.main()
