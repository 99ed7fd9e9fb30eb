"""train.bad_rows and evaluate.bad_rows put rows aside as the SELECT gave them, through both doors."""

import program

ROWS = 60000  # more pages than are read alone
BAD = 3
QUARANTINE = "{}.bad_rows = 'quarantine'"


class BadRows(program.Case):
    settings = {"session_preload_libraries": "totrain", "totrain.progress_interval": "-1"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        connection.cursor().execute(f"""
            CREATE TABLE good AS SELECT i AS id, sin(i) AS a, ARRAY[cos(i), i % 3] AS v, '2020-01-01'::date + i AS day,
              (i / 7.0)::numeric(40, 25) AS n, jsonb_build_object('i', i) AS j, repeat('x', 60) AS filler, i % 2 AS y
            FROM generate_series(1, {ROWS}) i;
            CREATE TABLE t AS SELECT id, CASE WHEN id = 7 THEN 'infinity' ELSE a END AS a, CASE WHEN id = 1007 THEN ARRAY[1] ELSE v END AS v,
              day, n, j, filler, CASE WHEN id = 40000 THEN NULL ELSE y END AS y FROM good""")

    def doors(self):
        yield "inside", lambda sql: self.check_psql(sql, "-o", "/dev/null")
        yield "outside", self.check

    def train(self, table, model, extra=QUARANTINE.format("train")):
        return (f"SELECT id, a, v, day, n, j, y FROM {table} TO TRAIN LinearClassifier WITH train.epoch = 1, train.batch_size = 4096, "
                f"{extra} COLUMN a, v LABEL y INTO {model};")

    def check_put_aside(self, table, source, columns, ids=(7, 1007, 40000)):
        """The columns of the SELECT, of their types and with their values, and the reason."""
        self.assertEqual(self.execute("SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
                                      f"WHERE attrelid = '{table}'::regclass AND attnum > 0 ORDER BY attnum")[:-1],
                         self.execute(f"SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute, unnest('{{{columns}}}'::text[]) "
                                      f"WITH ORDINALITY AS c (name, n) WHERE attrelid = '{source}'::regclass AND attname = name ORDER BY n"))
        self.assertEqual(self.execute(f"SELECT array_agg(id ORDER BY id) FROM {table} JOIN {source} q USING (id) "
                                      f"WHERE {table}.n = q.n AND {table}.j = q.j AND {table}.day = q.day AND {table}.v = q.v"),
                         [(list(ids) if ids else None,)])

    def test_train(self):
        for way, run in self.doors():
            with self.subTest(way):
                run(self.train("t", way))
                self.check_put_aside(f"{way}_bad_rows", "t", "id,a,v,day,n,j,y")
                self.assertEqual(self.execute(f"SELECT id, totrain_reason FROM {way}_bad_rows ORDER BY id"),
                                 [(7, 'column "a" holds an infinite number'),
                                  (1007, 'column "v" holds an array of 1 element, where 2 were expected'),
                                  (40000, 'label column "y" is NULL')])
                # The good ones give the model that they give alone.
                self.execute(f"CREATE TABLE {way}_rest AS SELECT * FROM t WHERE id NOT IN (7, 1007, 40000)")
                run(self.train(f"{way}_rest", f"{way}_alone", "train.bad_rows = 'error'"))
                self.assertEqual(self.digest(way), self.digest(f"{way}_alone"))

    def test_rows_that_are_all_good_leave_an_empty_table(self):
        """Read in parallel, in no order that could be numbered."""
        for way, run in self.doors():
            with self.subTest(way):
                run(self.train("t", way))
                run(self.train("good", way))
                self.check_put_aside(f"{way}_bad_rows", "good", "id,a,v,day,n,j,y", ids=())

    def test_evaluate(self):
        self.check_psql(self.train("good", "m"), "-o", "/dev/null")
        reasons = []
        for way, run in self.doors():
            for job in ("", ", job.max_workers = 2"):
                with self.subTest(way + job):
                    run(f"SELECT * FROM t TO EVALUATE m WITH {QUARANTINE.format('evaluate')}{job} INTO {way};")
                    self.check_put_aside(f"{way}_bad_rows", "t", "id,a,v,day,n,j,filler,y")
                    reasons.append(self.execute(f"SELECT id, totrain_reason FROM {way}_bad_rows"))
                    run(f"SELECT * FROM t WHERE id NOT IN (7, 1007, 40000) TO EVALUATE m INTO {way}_alone;")
                    self.assertEqual(self.execute(f"SELECT * FROM {way}"), self.execute(f"SELECT * FROM {way}_alone"))
        self.assertEqual(reasons, 4 * reasons[:1])

    def test_nothing_is_left_of_what_fails(self):
        connection = self.connect()
        cursor = connection.cursor()
        with self.assertRaisesRegex(Exception, "division by zero"):
            cursor.execute(self.train("(SELECT *, 1 / (id - 59999) AS z FROM t) q", "m").replace("j, y", "z AS j, y"))
        cursor.execute("SELECT relname FROM pg_class WHERE relname IN ('m', 'm_bad_rows', 'totrain_kept', 'totrain_scores')")
        self.assertEqual(cursor.fetchall(), [])
        cursor.execute(self.train("t", "m"))
        cursor.execute("SELECT relname FROM pg_class WHERE relname LIKE 'totrain\\_%' AND relnamespace = pg_my_temp_schema()")
        self.assertEqual(cursor.fetchall(), [])
        connection.close()

    def test_in_a_transaction_that_is_rolled_back(self):
        self.check_psql(f"BEGIN; UPDATE t SET a = 'infinity' WHERE id = 8; SELECT * FROM totrain.run($${self.train('t', 'm')}$$); "
                        "CREATE TABLE counted AS SELECT count(*) AS n FROM m_bad_rows; DROP TABLE m_bad_rows, m; COMMIT;", "-o", "/dev/null")
        self.assertEqual(self.execute("SELECT n FROM counted"), [(BAD + 1,)])

    def test_a_table_that_holds_none_is_not_replaced(self):
        self.execute("CREATE TABLE m_bad_rows (x int)")
        done = self.psql(self.train("t", "m"))
        self.assertIn('table "m_bad_rows" exists and holds no bad rows', done.stderr)

    def test_rows_for_validation_are_not_put_aside(self):
        done = self.psql(self.train("t", "m", QUARANTINE.format("train") + ", validation.select = 'SELECT * FROM good'"))
        self.assertIn("validation.select and rows that are put aside are not supported together here yet", done.stderr)
        self.check_psql(self.train("t", "m", "train.bad_rows = 'skip', validation.select = 'SELECT * FROM t'"), "-o", "/dev/null")


if __name__ == "__main__":
    program.harness.main()
