"""job.read = 'direct': workers read the table themselves, under a snapshot that the session holds."""

import contextlib

from psycopg2 import errors

import staged
from staged import harness, statement

DIRECT = statement(job__read="'direct'")
ROWS = 40_000


class Case(staged.Case):
    by_server = False  # the login may have the server stage the rows

    def setUp(self):
        super().setUp()
        self.execute(f"GRANT SELECT ON iris TO {staged.POD}")
        if self.by_server:
            self.execute(f"GRANT USAGE ON SCHEMA totrain TO {staged.POD}; "
                         f"GRANT EXECUTE ON FUNCTION totrain.stage_shard TO {staged.POD}")

    def check_way(self):
        """Some worker has staged, and none in the other way."""
        ways = [line.partition("info ")[2].strip() for role in self.roles for line in role.log.lines
                if "the rows are sent here" in line or "stages the rows itself" in line]
        self.assertEqual(set(ways), {"the database stages the rows itself" if self.by_server
                                     else "the rows are sent here to be staged"})
        # A backend whose worker was killed ends by itself, and its file with it.
        harness.wait_for(lambda: not list((self.server.folder / "data" / "base").glob("pgsql_tmp/*.totrain")),
                         "the end of the server's files")

    def expected(self, text=None):
        return super().expected((text or statement()).replace(", job.read = 'direct'", ""))

    @contextlib.contextmanager
    def held(self, user="alice"):
        """A snapshot, as the session holds it while its job runs."""
        connection = self.connect(user, autocommit=False)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_export_snapshot()")
            yield cursor.fetchone()[0]
        connection.close()

    def reader(self, job, index, master, snapshot, **more):
        return self.worker(job, index, master.address(), snapshot=snapshot, **more)

    def try_to_read(self, job, master, snapshot):
        """A worker that ends and is started again, until the job has ended."""
        for incarnation in range(3):
            reader = self.reader(job, 0, master, snapshot, incarnation=incarnation)
            harness.wait_for(lambda: any(role.process.poll() is not None for role in (reader, master)), "its end")
            if master.process.poll() is not None:
                break

    def train(self, text, workers=2):
        """The digest of the job's model, by so many workers."""
        job = self.stage(text)
        with self.held() as snapshot:
            master = self.master(job)
            for index in range(workers):
                self.reader(job, index, master, snapshot)
            self.assertEqual(master.end(), 0, master.log.text())
        self.check_way()
        self.collect(job)
        return self.digest()


class Trains(Case):
    def test_the_model_is_the_local_one_and_no_row_is_copied(self):
        job = self.stage(DIRECT)
        self.assertEqual(self.execute(f"SELECT file FROM totrain_jobs.input_{job}"), [("direct.json",)])
        self.execute(f"SELECT totrain.discard({job})", "alice")
        self.assertEqual(self.train(DIRECT), self.expected())

    def test_rows_that_come_and_go_meanwhile_are_none_of_its_rows(self):
        digest = self.expected()
        job = self.stage(DIRECT)
        with self.held() as snapshot:
            self.execute("INSERT INTO iris SELECT * FROM iris; UPDATE iris SET sepal_length = 9; "
                         "DELETE FROM iris WHERE petal_width > 1")
            master = self.master(job)
            self.reader(job, 0, master, snapshot)
            self.execute("DELETE FROM iris")
            self.reader(job, 1, master, snapshot)
            self.check_done(job, master, digest)

    def test_a_worker_that_comes_late_reads_the_same_rows(self):
        self.role_pace = "us=200"
        text = statement(epochs=6000, batch=16, job__read="'direct'", job__min_workers=1)
        digest = self.expected(text)
        job = self.stage(text)
        with self.held() as snapshot:
            master = self.master(job)
            first = self.reader(job, 0, master, snapshot)
            master.wait_step(20)
            self.execute("DELETE FROM iris WHERE sepal_width > 3")
            self.reader(job, 1, master, snapshot)
            self.kill(first)
            self.reader(job, 0, master, snapshot, incarnation=1)
            self.check_done(job, master, digest)

    def make_large(self):
        """Partitions of two levels, one with its columns in another order, one far larger than the others."""
        self.execute(f"""
            CREATE TABLE large (part int, "Class" text, "v x" float8[], more numeric, unused json, day date)
                PARTITION BY LIST (part);
            CREATE TABLE large_0 PARTITION OF large FOR VALUES IN (0);
            CREATE TABLE large_1 PARTITION OF large FOR VALUES IN (1) PARTITION BY LIST ("Class");
            CREATE TABLE large_1_a PARTITION OF large_1 FOR VALUES IN ('a');
            CREATE TABLE large_1_b (day date, more numeric, "v x" float8[], "Class" text, unused json, part int);
            ALTER TABLE large_1 ATTACH PARTITION large_1_b FOR VALUES IN ('b', 'c');
            CREATE TABLE large_rest PARTITION OF large DEFAULT;
            INSERT INTO large SELECT CASE WHEN g % 50 = 0 THEN g % 3 ELSE 7 END, substr('abc', g % 3 + 1, 1),
                CASE WHEN g % 17 > 0 THEN ARRAY[sin(g), cos(g), g % 3] END, g / 7.0, '{{}}', date '2020-01-01' + g % 99
                FROM generate_series(1, {ROWS}) g;
            GRANT SELECT ON large TO alice, bob, {staged.POD}""")

    def test_partitions_vectors_and_the_types_of_columns(self):
        self.make_large()
        text = ("SELECT * FROM large TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 2, "
                "job.lanes = 8, job.max_workers = 2, job.read = 'direct', validation.select = 'SELECT day, \"v x\", more, "
                "\"Class\", part FROM large_rest', validation.metrics = 'Accuracy' "
                "COLUMN \"v x\", more, day LABEL Class INTO iris_model;")
        self.execute(f"GRANT SELECT ON large_rest TO alice, bob, {staged.POD}")
        job = self.stage(text)
        self.execute(f"SELECT totrain.discard({job})", "alice")
        self.assertEqual(self.train(text), self.expected(text))

    def test_trees_of_rows_with_weights_and_of_rows_in_groups(self):
        for kind, role, other in (("XGBClassifier", "train.sample_weight = 'petal_width'", "eta = 0.3"),
                                  ("XGBRanker", "train.group = 'petal_width'", "train.group = 'sepal_length'")):
            text = (f"SELECT * FROM iris TO TRAIN {kind} WITH {role}, job.lanes = 8, job.max_workers = 2, "
                    "job.read = 'direct' COLUMN sepal_width, petal_length LABEL class INTO iris_model;")
            with self.subTest(role=role):
                digest = self.expected(text)
                self.assertEqual(self.train(text), digest)
                self.assertNotEqual(self.expected(text.replace(role, other)), digest)

    def test_offsets_of_rows_come_along(self):
        for kind, role, other in (("XGBRegressor", "objective = 'count:poisson', exposure = 'petal_width'",
                                   "objective = 'count:poisson'"),
                                  ("LinearRegressor", "train.offset = 'petal_width'", "train.seed = 0")):
            text = (f"SELECT * FROM iris TO TRAIN {kind} WITH {role}, job.lanes = 8, job.max_workers = 2, "
                    "job.read = 'direct' COLUMN sepal_width, petal_length LABEL sepal_length INTO iris_model;")
            with self.subTest(role=role):
                digest = self.expected(text)
                self.assertEqual(self.train(text), digest)
                self.assertNotEqual(self.expected(text.replace(role, other)), digest)

    def test_a_row_without_exposure_is_refused(self):
        for value, why in (("NULL", 'exposure column "petal_width" is NULL in 1 of 150 rows'),
                           ("0", 'exposure column "petal_width" has the number 0, and exposures are above 0')):
            self.execute(f"UPDATE iris SET petal_width = 1 WHERE petal_width IS NULL; UPDATE iris SET petal_width = {value} "
                         "WHERE ctid = (SELECT min(ctid) FROM iris)")
            job = self.stage("SELECT * FROM iris TO TRAIN XGBRegressor WITH objective = 'count:poisson', exposure = "
                             "'petal_width', job.max_workers = 2, job.read = 'direct' COLUMN sepal_width, petal_length "
                             "LABEL sepal_length INTO iris_model;")
            with self.subTest(value), self.held() as snapshot:
                master = self.master(job)
                self.try_to_read(job, master, snapshot)
                self.assertIn(master.end(), (1, 2), master.log.text())
            with self.assertRaisesRegex(errors.DatabaseError, why):
                self.collect(job)
            self.execute(f"SELECT totrain.discard({job})", "alice")

    def test_a_partition_that_is_attached_meanwhile_adds_no_row(self):
        self.make_large()
        text = DIRECT.replace("* FROM iris", 'more, day, "Class" FROM large').replace("LABEL class", "LABEL Class")
        text = text.replace("train.epoch = 60", "train.epoch = 2")
        digest = self.expected(text)
        self.execute('CREATE TABLE late AS SELECT 8 AS part, "Class", "v x", more, unused, day FROM large LIMIT 1000')
        job = self.stage(text)
        with self.held() as snapshot:
            self.execute("ALTER TABLE large DETACH PARTITION large_rest; ALTER TABLE large ATTACH PARTITION large_rest "
                         "FOR VALUES IN (2, 7); ALTER TABLE large ATTACH PARTITION late FOR VALUES IN (8)")
            master = self.master(job)
            self.reader(job, 0, master, snapshot)
            self.check_done(job, master, digest)


class Ends(Case):
    def check_fails(self, job, snapshot, text):
        master = self.master(job)
        self.try_to_read(job, master, snapshot)
        self.assertIn(master.end(), (1, 2), master.log.text())
        with self.assertRaisesRegex(errors.DatabaseError, text):
            self.collect(job)
        self.execute(f"SELECT totrain.discard({job})", "alice")
        self.assertEqual(self.tables_of_jobs(), set())

    def test_without_its_snapshot_no_worker_reads(self):
        job = self.stage(DIRECT)
        with self.held() as snapshot:
            pass
        self.check_fails(job, snapshot, "the job's rows can be read no more: ")

    def test_without_the_name_of_a_snapshot_no_worker_reads(self):
        self.check_fails(self.stage(DIRECT), None, "no snapshot of it is named")

    def test_a_worker_that_comes_after_the_snapshot_reads_what_was_staged(self):
        self.role_pace = "us=200"
        text = statement(epochs=6000, batch=16, job__read="'direct'", job__min_workers=1)
        digest = self.expected(text)
        job = self.stage(text)
        with self.held() as snapshot:
            master = self.master(job)
            self.reader(job, 0, master, snapshot)
            master.wait_step(5)
        self.execute("DELETE FROM iris")
        self.reader(job, 1, master, snapshot)
        master.log.wait_for(lambda line: "worker 1 joined: incarnation 0, phase 0" in line, "the late one")
        self.check_done(job, master, digest)

    def test_an_order_for_a_table_that_its_owner_may_not_read(self):
        """The login may read more than who owns the job, who may write what he likes into his tables."""
        self.execute(f"CREATE TABLE secret AS SELECT * FROM iris; GRANT SELECT ON secret TO {staged.POD}")
        self.execute(f"CREATE TABLE guarded AS SELECT * FROM iris; ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; "
                     f"GRANT SELECT ON guarded TO {staged.POD}, alice; CREATE VIEW seen AS SELECT * FROM secret; "
                     f"GRANT SELECT ON seen TO {staged.POD}, alice")
        for table, text in (("secret", "the owner of the job may not read public.secret"),
                            ("guarded", "public.guarded is no table without row security"),
                            ("seen", "public.seen is no table without row security")):
            job = self.stage(DIRECT)
            self.rewrite(job, "regexp_replace(order_, '\"table\":\\d+', '\"table\":' || '{table}'::regclass::oid)".format(
                table=table))
            with self.held() as snapshot:
                self.check_fails(job, snapshot, text)

    def test_a_column_is_a_name_and_no_sql(self):
        job = self.stage(DIRECT)
        self.rewrite(job, """replace(order_, '"petal_width"', '"1 FROM iris; DROP TABLE iris; --"')""")
        with self.held() as snapshot:
            self.check_fails(job, snapshot, 'column "1 FROM iris; DROP TABLE iris; --" does not exist')

    def rewrite(self, job, how):
        """By the owner of the tables; as many bytes as are said, and no checksum, which stands in blanks at the end."""
        table = f"totrain_jobs.input_{job}"
        self.execute(f"UPDATE {table} SET bytes = convert_to({how.replace('order_', 'convert_from(bytes, $$UTF8$$)')}, "
                     "'UTF8')", "alice")
        size = self.execute(f"SELECT length(bytes) FROM {table}", "alice")[0][0]
        self.execute(f"UPDATE totrain_jobs.result_{job} SET body = convert_to(regexp_replace(regexp_replace(convert_from("
                     f"body, 'UTF8'), '\"bytes\":\\d+', '\"bytes\":{size}'), '\\s+$', ''), 'UTF8') WHERE number = 2",
                     "alice")

    def test_a_bad_row_is_an_error(self):
        self.execute("UPDATE iris SET petal_width = 'infinity' WHERE ctid = '(0,7)'")
        job = self.stage(DIRECT)
        with self.held() as snapshot:
            master = self.master(job)
            self.try_to_read(job, master, snapshot)
            self.assertEqual(master.end(), 2, master.log.text())
        self.assertIn('column "petal_width" holds an infinite number', master.log.text())


class TrainsByServer(Trains):
    by_server = True
    test_a_worker_that_comes_late_reads_the_same_rows = None  # staged rows are the same for all workers

    def test_a_server_of_another_version_sends_the_rows(self):
        """A server with another form of spools refuses to stage, and the workers stage the rows."""
        self.execute("""
            CREATE OR REPLACE FUNCTION totrain.stage_shard(format integer, job bigint, schema text, spec text, "order" text,
                spool integer, shard integer) RETURNS void LANGUAGE plpgsql AS
            $$ BEGIN RAISE feature_not_supported USING MESSAGE = 'this server makes other spools'; END $$""")
        job = self.stage(DIRECT)
        with self.held() as snapshot:
            master = self.master(job)
            worker = self.reader(job, 0, master, snapshot)
            self.assertEqual(master.end(), 0, master.log.text())
        worker.log.wait_for(lambda line: "this server makes other spools: the rows are sent here" in line, "the reason")
        self.collect(job)
        self.assertEqual(self.digest(), self.expected())

    def test_a_function_that_is_not_the_extensions_own_is_not_called(self):
        """A function there that is not the extension's is not called: its owner would get the login's rights."""
        self.execute("ALTER EXTENSION totrain DROP FUNCTION totrain.stage_shard")
        self.by_server = False
        self.assertEqual(self.train(DIRECT), self.expected())

    def test_what_is_called_with_nonsense_is_refused(self):
        for arguments, error in (("0, 1, 's', '{}', '[]', 0, 0", "stages rows in version"),
                                 ("{}, 1, 's', '{}', '[]', 0, 0", "(?i)member|spec|missing|expected"),
                                 ("{}, 1, 's', 'x', '[]', 0, 0", "JSON")):
            arguments = arguments.replace("{}", str(staged.STAGED_VERSION), 1) if arguments.startswith("{}") else arguments
            with self.assertRaisesRegex(errors.DatabaseError, error):
                self.execute(f"SELECT totrain.stage_shard({arguments})", staged.POD)
        self.assertEqual(list((self.server.folder / "data" / "base").glob("pgsql_tmp/*.totrain")), [])


class EndsByServer(Ends):
    by_server = True
    test_a_worker_that_comes_after_the_snapshot_reads_what_was_staged = None


class Refused(Case):
    def refused(self, text, error, hint="^"):
        with self.assertRaisesRegex(errors.DatabaseError, error) as caught:
            self.stage(text)
        self.assertRegex(caught.exception.diag.message_hint or "", hint)
        self.assertEqual(self.tables_of_jobs(), set())

    def test_what_is_more_than_columns_of_a_table(self):
        for select in ("* FROM iris WHERE petal_width > 1", "petal_width + 1 AS a, class FROM iris",
                       "petal_width AS petal_length, class FROM iris", "* FROM iris LIMIT 9", "a.* FROM iris AS a"):
            self.refused(DIRECT.replace("* FROM iris", select), "the SELECT is more", "this session reads the rows")

    def test_what_is_no_table_for_others(self):
        self.execute("CREATE VIEW seen AS SELECT * FROM iris; CREATE TABLE parent AS SELECT * FROM iris; "
                     "CREATE TABLE child () INHERITS (parent); CREATE TABLE guarded AS SELECT * FROM iris; "
                     "ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; CREATE POLICY all_rows ON guarded USING (true); "
                     f"GRANT SELECT ON seen, parent, guarded TO alice, {staged.POD}")
        for name, why in (("seen", "it is no table"), ("parent", "other tables inherit"), ("guarded", "row security")):
            self.refused(DIRECT.replace("FROM iris", f"FROM {name}"), f"cannot read public.{name}: .*{why}")

    def test_a_temporary_table(self):
        session = self.connect("alice")
        with session.cursor() as cursor:
            cursor.execute("CREATE TEMPORARY TABLE mine AS SELECT * FROM iris")
            with self.assertRaisesRegex(errors.DatabaseError, "for this session alone"):
                cursor.execute("SELECT totrain.stage(%s)", (DIRECT.replace("FROM iris", "FROM mine"),))

    def test_a_login_without_the_right(self):
        self.execute(f"REVOKE SELECT ON iris FROM {staged.POD}")
        self.refused(DIRECT, "the login of the job's processes, may not read public.iris",
                     "GRANT SELECT ON public.iris TO totrain_pod;")
        self.execute("CREATE SCHEMA apart; CREATE TABLE apart.iris AS SELECT * FROM iris; GRANT USAGE ON SCHEMA apart "
                     "TO alice; GRANT SELECT ON apart.iris TO alice")
        self.refused(DIRECT.replace("FROM iris", "FROM apart.iris"), "may not read apart.iris",
                     "GRANT USAGE ON SCHEMA apart TO totrain_pod; GRANT SELECT ON apart.iris TO totrain_pod;")

    def test_a_caller_with_a_right_to_some_columns(self):
        self.execute("CREATE TABLE half AS SELECT * FROM iris; GRANT SELECT (class, petal_width) ON half TO alice; "
                     f"GRANT SELECT ON half TO {staged.POD}")
        self.refused(DIRECT.replace("* FROM iris", "class, petal_width FROM half"), "all columns of public.half")

    def test_words_that_are_columns_in_quotes_alone(self):
        self.execute('CREATE TABLE words AS SELECT 1.5 AS "current_user", sepal_width, class FROM iris; '
                     f"GRANT SELECT ON words TO alice, bob, {staged.POD}")
        text = DIRECT.replace("* FROM iris", "current_user, sepal_width, class FROM words")
        self.refused(text, '"current_user" is not one')
        text = DIRECT.replace("FROM iris", "FROM words")
        self.assertEqual(self.train(text), self.expected(text))

    def test_attributes_that_do_not_go_with_it(self):
        for attribute, value in (("train.bad_rows", "'skip'"), ("train.shuffle", "false"), ("job.wait", "false")):
            self.refused(DIRECT.replace("job.read", f"{attribute} = {value}, job.read"), "does not go together with " +
                         attribute)
        with self.assertRaisesRegex(errors.DatabaseError, "no use with a job on this machine"):
            self.execute("SELECT totrain.run($$" + DIRECT + "$$)", "alice")


if __name__ == "__main__":
    harness.main()
