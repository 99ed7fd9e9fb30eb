"""A good citizen of a real database: with logical replication, with backups by the owner, with other defaults than
the server's own."""

import concurrent.futures
import os
import pathlib
import subprocess
import tempfile
import unittest.mock

import psycopg2

import harness
import server
import wire
from harness import run_statement

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = {} LABEL class INTO {};"


class Published(harness.Case):
    """Each table of the database is in a publication, as for a replica of all of it."""

    settings = {**harness.BARE, "wal_level": "logical"}

    def setUp(self):
        super().setUp()
        self.execute("CREATE PUBLICATION everything FOR ALL TABLES")

    def test_models_are_trained_again_brought_back_and_dropped(self):
        for epochs in range(1, 4):
            self.check_psql(TRAIN.format(epochs, "m"))
        self.check_psql("ROLLBACK MODEL m TO 1;")
        self.assertEqual(self.execute("SELECT version FROM totrain.models"), [(1,)])
        self.check_psql("SELECT * FROM iris TO PREDICT p.class USING m; SELECT * FROM iris TO PREDICT p.class USING m;")
        self.execute("DROP TABLE m")
        for table in ("models", "versions", "metrics"):
            self.assertEqual(self.execute(f"SELECT count(*) FROM totrain.kept_{table}"), [(0,)], table)

    def test_a_copy_of_a_model_is_trained_again(self):
        self.check_psql(TRAIN.format(1, "m"))
        self.execute("CREATE TABLE copied AS SELECT * FROM m; DROP TABLE m")
        self.check_psql(TRAIN.format(2, "copied"))
        self.assertEqual(self.execute("SELECT version FROM totrain.models"), [(2,)])

    def test_what_its_owner_gave_no_identity_is_refused_before_training(self):
        self.check_psql(TRAIN.format(1, "m"))
        self.execute("ALTER TABLE m REPLICA IDENTITY NOTHING")
        done = self.psql(TRAIN.format(2, "m"))
        self.assertIn('ERROR:  model public.m is part of a publication, and has no replica identity', done.stderr)
        self.assertIn("HINT:  ALTER TABLE \"public\".\"m\" REPLICA IDENTITY FULL;", done.stderr)
        self.assertEqual(len(self.execute("SELECT 1 FROM totrain.jobs")), 1)


class Dumped(harness.Case):
    def setUp(self):
        super().setUp()
        self.execute(f'CREATE ROLE keeper LOGIN; CREATE ROLE reader LOGIN IN ROLE pg_read_all_data; GRANT totrain_user TO keeper; '
                     f'ALTER TABLE iris OWNER TO keeper; ALTER DATABASE "{self.database}" OWNER TO keeper; GRANT CREATE ON SCHEMA public TO keeper')
        self.check_psql(TRAIN.format(1, "m") + TRAIN.format(2, "m"), user="keeper")

    def drop_database(self):
        super().drop_database()
        self.server.execute("DROP ROLE keeper; DROP ROLE reader")

    def dump(self, user):
        done = subprocess.run(["pg_dump"], capture_output=True, check=False,
                              env={**os.environ, **self.server.variables(self.database, user)})
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def test_the_owner_of_the_database_dumps_it(self):
        for user in ("keeper", "reader"):
            dump = self.dump(user)
            self.server.execute("CREATE DATABASE restored")
            self.addCleanup(self.server.execute, "DROP DATABASE IF EXISTS restored WITH (FORCE)")
            done = subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1"], input=dump, capture_output=True, check=False,
                                  env={**os.environ, **self.server.variables("restored")})
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            rows = self.server.execute("SELECT * FROM totrain.rows('SHOW VERSIONS m')", "restored")
            self.assertEqual([row["version"] for row, in rows], [2, 1])
            self.server.execute("DROP DATABASE restored WITH (FORCE)")

    def test_what_is_kept_is_seen_by_its_owner_alone(self):
        self.execute("CREATE ROLE other LOGIN IN ROLE totrain_user")
        self.addCleanup(self.server.execute, "DROP ROLE other")
        self.assertEqual(len(self.execute("SELECT * FROM totrain.models", "keeper")), 1)
        self.assertEqual(self.execute("SELECT * FROM totrain.models", "other"), [])
        for table in ("models", "versions", "metrics"):
            with self.assertRaises(psycopg2.errors.InsufficientPrivilege):
                self.execute(f"SELECT * FROM totrain.kept_{table}", "other")


    def test_nobody_locks_the_catalog_by_a_view(self):
        self.execute("CREATE ROLE other LOGIN IN ROLE totrain_user")
        self.addCleanup(self.server.execute, "DROP ROLE other")
        for table in ("models", "versions", "metrics"):
            session = self.connect("other", autocommit=False)
            try:
                session.cursor().execute(f"LOCK TABLE totrain.{table} IN ACCESS EXCLUSIVE MODE")
            except psycopg2.errors.InsufficientPrivilege:
                pass
            self.assertEqual(self.execute("SELECT relation::regclass::text FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND "
                                          "relation < 16384 AND pid <> pg_backend_pid()"), [])
            session.close()


class Isolated(harness.Case):
    """Two sessions write what a transaction with one snapshot could not write."""

    def train_at_once(self, level, models):
        sql = f"SET default_transaction_isolation = '{level}'; " + "{}"
        holder = self.connect(autocommit=False)
        holder.cursor().execute("LOCK TABLE totrain.kept_metrics IN ACCESS EXCLUSIVE MODE")  # both have trained before one writes
        with concurrent.futures.ThreadPoolExecutor(len(models)) as pool:
            done = [pool.submit(self.check_psql, sql.format(TRAIN.format(2, model))) for model in models]
            harness.wait_for(lambda: self.execute("SELECT count(*) FROM totrain.jobs WHERE state = 'publishing'") == [(len(models),)],
                             "all to write")
            holder.rollback()
            for session in done:
                session.result()

    def test_different_models_at_once_with_serializable(self):
        models = [f"m{i}" for i in range(4)]
        self.train_at_once("serializable", models)
        self.assertEqual(self.execute("SELECT relation::text FROM totrain.models ORDER BY 1"), [(model,) for model in models])

    def test_the_same_model_with_repeatable_read(self):
        self.check_psql(TRAIN.format(1, "m"))
        self.train_at_once("repeatable read", ["m", "m"])
        self.assertEqual(self.execute("SELECT version FROM totrain.models"), [(3,)])

    def test_a_transaction_of_the_users_is_told_before_and_nothing_is_lost(self):
        self.check_psql(TRAIN.format(1, "m"))
        session = self.connect(autocommit=False)
        cursor = session.cursor()
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM iris")
        self.check_psql(TRAIN.format(2, "m"))
        with self.assertRaises(psycopg2.errors.SerializationFailure) as caught:
            cursor.execute("SELECT * FROM totrain.run(%s)", (TRAIN.format(3, "m"),))
        session.rollback()
        self.assertIn("repeatable read or serializable", "".join(session.notices))
        self.assertIn("totrain.publish(3)", caught.exception.diag.message_hint)
        self.execute("SELECT totrain.publish(3)")
        self.assertEqual(self.execute("SELECT version FROM totrain.models"), [(3,)])


class Temporary(harness.Case):
    def test_a_temporary_model_predicts_where_the_planner_wants_workers(self):
        self.check_psql(TRAIN.format(2, "m"))
        self.execute("CREATE TABLE big AS SELECT * FROM iris, generate_series(1, 20)")
        cursor = self.connect().cursor()
        cursor.execute("CREATE TEMP TABLE tm AS TABLE m; CREATE TEMP TABLE \"T.m\" AS TABLE m")
        cursor.execute("SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0")
        count = "SELECT count(*) FROM big b WHERE totrain.predict({}, b) = '1'"

        def plan(sql):
            cursor.execute("EXPLAIN " + sql)
            return "\n".join(line for line, in cursor.fetchall())

        def rows(sql):
            cursor.execute(sql)
            return cursor.fetchall()
        wanted = rows(count.format("'m'"))
        self.assertIn("Workers Planned", plan(count.format("'m'")))
        for name in ("'tm'", "'pg_temp.tm'", "'\"T.m\"'", "(SELECT 'tm')", "CASE WHEN b.class >= 0 THEN 'tm' ELSE 'm' END"):
            self.assertNotIn("Workers Planned", plan(count.format(name)), name)
            self.assertEqual(rows(count.format(name)), wanted, name)
        inner = "SELECT count(*) FROM (SELECT totrain.predict('tm', b) AS p FROM big b OFFSET 0) x WHERE p = '1'"
        self.assertEqual(rows(inner), wanted)
        cursor.execute("PREPARE again(text) AS " + count.format("$1"))
        for _ in range(8):  # with a plan for any name, too
            self.assertEqual(rows("EXECUTE again('tm')"), wanted)


class SetByHosts(harness.Case):
    """Settings that a host, or a careful owner, has for each session."""

    settings = dict(harness.BARE)
    statements = TRAIN.format(1, "public.m") + "SELECT * FROM iris TO EVALUATE m; SELECT * FROM iris LIMIT 1 TO PREDICT g USING m; SELECT 41 + 1;"

    def run_with(self, sql, *settings):
        options = " ".join(f"-c {setting}" for setting in settings)
        with unittest.mock.patch.dict(os.environ, PGOPTIONS=options):
            return self.psql(sql, "-v", "ON_ERROR_STOP=1", "-qAt")

    def test_what_hosts_set_changes_nothing(self):
        for settings in (("row_security=off", "transform_null_equals=on", "array_nulls=off", "quote_all_identifiers=on"),
                         ("default_transaction_deferrable=on", "plan_cache_mode=force_generic_plan", "bytea_output=escape"),
                         ("session_replication_role=replica", "synchronize_seqscans=off", "work_mem=64kB", "jit_above_cost=0"),
                         ("log_min_error_statement=debug5", "client_connection_check_interval=100", "compute_query_id=on"),
                         ("track_activities=off", "allow_system_table_mods=on", "default_toast_compression=pglz")):
            with self.subTest(settings):
                done = self.run_with(self.statements, *settings)
                self.assertEqual((done.returncode, done.stdout.splitlines()[-1:]), (0, ["42"]), done.stderr)

    def test_where_any_error_ends_the_session_it_says_what_to_write(self):
        done = self.run_with("SELECT * FROM iris TO EVALUATE m;", "exit_on_error=on")
        self.assertIn("FATAL:  syntax error", done.stderr)
        self.assertIn("SET exit_on_error = off, or use SELECT * FROM totrain.run", done.stderr)
        done = self.run_with(f"SELECT count(*) > 3 FROM totrain.run($${TRAIN.format(1, 'm')}$$);", "exit_on_error=on")
        self.assertEqual((done.returncode, done.stdout), (0, "t\n"), done.stderr)


class WithoutTitles(harness.Case):
    """A server without the process titles that tell the protocols apart elsewhere."""

    settings = {**harness.BARE, "update_process_title": "off"}

    def wire(self):
        connection = wire.Wire(host=self.server.socket, port=self.server.port, user=harness.SUPERUSER, dbname=self.database)
        self.addCleanup(connection.close)
        return connection

    def test_bare_statements_are_understood(self):
        self.check_psql(TRAIN.format(2, "m"))
        self.assertIn("current", self.check_psql("SHOW VERSIONS m;"))
        self.assertIn("m|1|", self.check_psql("SHOW MODELS FULL;"))

    def test_those_of_the_extended_protocol_are_not_taken_for_simple_ones(self):
        session = self.wire()
        for name in ("", "s", "sevenab", "a name of thirty-one characters"):
            for statement in (TRAIN.format(2, "m"), "SHOW models"):
                answer = session.prepare(name, statement)
                self.assertRegex(answer, 'H ".*totrain', f"{name}: {statement}")
                self.assertNotIn("DataRow", answer)
                self.assertIn("DataRow", session.extended("SELECT 1"))
                self.assertIn("DataRow", session.simple("SELECT 1"))
        self.assertEqual(self.tables(), {"iris"})
        self.assertIn("CommandComplete", session.simple(TRAIN.format(2, "m")))

    def test_of_another_encoding_the_hint_says_why(self):
        self.server.execute("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        self.addCleanup(self.server.execute, "DROP DATABASE latin WITH (FORCE)")
        connection = self.server.connect("latin")
        self.addCleanup(connection.close)
        connection.set_client_encoding("UTF8")
        with self.assertRaises(psycopg2.errors.SyntaxError) as caught:
            connection.cursor().execute("SELECT 1 AS x, 2 AS y TO TRAIN LinearClassifier LABEL y INTO m")
        self.assertIn("update_process_title", caught.exception.diag.message_hint)


class SmallEnvironment(harness.Case):
    """The title lies in the memory of the server's own arguments and environment, which has no room for it."""

    @classmethod
    def make_server(cls):
        with unittest.mock.patch.object(harness.Server, "environment", lambda self: {}):
            return super().make_server()

    def test_bare_statements_of_long_names_are_understood(self):
        self.server.execute(f"CREATE ROLE {'r' * 63} LOGIN SUPERUSER")
        self.server.execute(f"CREATE DATABASE {'d' * 63} TEMPLATE prepared")
        self.addCleanup(self.server.execute, f"DROP ROLE {'r' * 63}")
        self.addCleanup(self.server.execute, f"DROP DATABASE {'d' * 63} WITH (FORCE)")
        connection = self.server.connect("d" * 63, "r" * 63)
        self.addCleanup(connection.close)
        title = pathlib.Path(f"/proc/{connection.info.backend_pid}/cmdline").read_bytes()
        self.assertNotIn(b"idle", title)
        connection.cursor().execute(TRAIN.format(2, "m"))
        connection.cursor().execute("SHOW VERSIONS m")


class Psql(harness.Case):
    def hint(self, sql):
        return next((line for line in self.psql(sql).stderr.splitlines() if line.startswith("HINT")), "")

    def test_a_cursor_that_psql_makes_is_explained(self):
        """Before 17: since then it takes the rows in pieces without one."""
        version = int(self.psql(None, "--version").stdout.split()[2].split(".")[0])
        wanted = "\\unset FETCH_COUNT" if version < 17 else ""
        self.assertIn(wanted, self.hint("\\set FETCH_COUNT 100\n" + TRAIN.format(2, "m")))
        self.assertEqual("m" in self.tables(), version >= 17)

    def test_what_copy_cannot_do_is_explained(self):
        self.assertIn("\\g (format=csv) FILE", self.hint("\\copy (SELECT * FROM iris TO PREDICT USING m) TO '/dev/null'"))
        self.assertEqual(self.hint("\\copy (SELECT * FRM iris) TO '/dev/null'"), "")


class Backup(harness.Case):
    """The jobs' folder is where it is without a setting: in the data directory."""

    settings = {**harness.BARE, "totrain.state_directory": "", "wal_level": "replica"}

    def test_a_base_backup_has_no_jobs(self):
        self.check_psql(TRAIN.format(2, "m"))
        data = self.server.folder / "data"
        self.assertEqual([path.name for path in data.glob("*totrain*")], ["pgsql_tmp_totrain"])
        with tempfile.TemporaryDirectory(prefix="totrain-backup-") as folder:
            done = subprocess.run(["pg_basebackup", "-D", folder + "/backup", "-X", "none", "--checkpoint=fast", "--no-sync", "--no-manifest"],
                                  text=True, capture_output=True, check=False,
                                  env={**os.environ, "PATH": f"{server.pg_config('bindir')}:{os.environ['PATH']}",
                                       **self.server.variables(self.database)})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("skipping", done.stderr)
            self.assertEqual(list(pathlib.Path(folder).rglob("*totrain*/**/jobs")), [])

    def test_jobs_of_before_are_found(self):
        self.check_psql(TRAIN.format(2, "m"))
        data = self.server.folder / "data"
        self.server.stop()
        (data / "pgsql_tmp_totrain").rename(data / "totrain")
        self.server.start()
        self.assertEqual(self.execute("SELECT state FROM totrain.jobs"), [("done",)])  # settled: it was so before
        self.assertEqual([path.name for path in data.glob("*totrain*")], ["pgsql_tmp_totrain"])


@unittest.skipUnless((server.pg_config("pkglibdir") / "pg_stat_statements.so").exists(), "this PostgreSQL has no pg_stat_statements")
class Statistics(harness.Case):
    settings = {**harness.BARE, "shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "all"}

    def test_predicting_again_is_the_same_statement(self):
        self.execute("CREATE EXTENSION pg_stat_statements")
        self.check_psql(TRAIN.format(2, "m"))

        def entries():
            self.check_psql("SELECT * FROM iris TO PREDICT p.class USING m;")
            return self.execute("SELECT count(*) FROM pg_stat_statements WHERE query LIKE '%totrain_new%'")[0][0]
        entries()
        again = entries()
        self.assertEqual(entries(), again)


class Small(harness.Case):
    def hint(self, sql, **options):
        """The message about it, and the hint."""
        lines = self.psql(sql, **options).stderr.splitlines()
        return " ".join(line for line in lines if line.startswith(("ERROR", "HINT", "psql:", "NOTICE")))

    def test_notifications_come_before_the_server_is_ready(self):
        session = wire.Wire(host=self.server.socket, port=self.server.port, user=harness.SUPERUSER, dbname=self.database)
        self.addCleanup(session.close)
        session.simple("LISTEN a")
        answer = session.simple(TRAIN.format(2, "m") + " NOTIFY a;")
        self.assertLess(answer.index("NotificationResponse"), answer.index("ReadyForQuery"))

    def test_row_security_that_is_off_is_no_obstacle(self):
        self.execute("CREATE ROLE plain LOGIN IN ROLE totrain_user; CREATE SCHEMA plain AUTHORIZATION plain; GRANT SELECT ON iris TO plain")
        self.addCleanup(self.server.execute, "DROP ROLE plain")
        self.addCleanup(self.execute, "DROP OWNED BY plain CASCADE")
        for _ in range(2):
            self.check_psql("SET row_security = off; " + TRAIN.format(2, "m"), user="plain")
        self.assertEqual(self.execute("SELECT version FROM totrain.models"), [(2,)])

    def test_nothing_is_submitted_where_nothing_can_be_written(self):
        submit = f"SELECT totrain.submit($${TRAIN.format(2, 'm')}$$)"
        self.assertIn("cannot execute totrain.submit() in a read-only transaction", self.hint("BEGIN READ ONLY; " + submit))

    def test_arrays_of_which_none_is_there(self):
        self.execute("CREATE TABLE t AS SELECT NULL::float8[] AS v, g AS y FROM generate_series(1, 9) g")
        said = self.hint("SELECT v, y FROM t TO TRAIN LinearRegressor LABEL y INTO m;")
        self.assertIn('column "v" is NULL in all of 9 sampled rows', said)
        self.assertIn("WHERE v IS NOT NULL", said)

    def test_numbers_that_are_said_in_another_way(self):
        for kind, hint in (("interval", "EXTRACT(epoch FROM v) AS v"), ("time", "EXTRACT(epoch FROM v) AS v"), ("money", "CAST(v AS numeric)")):
            value = "1" if kind == "money" else "'01:00'"
            self.assertIn(hint, self.hint(f"SELECT {value}::{kind} AS v, g AS y FROM generate_series(1, 9) g TO TRAIN LinearRegressor LABEL y INTO m;"), kind)

    def test_a_name_that_needs_quotes_has_them_in_what_to_write(self):
        for kind, name, hint in (("'01:00'::interval", "Time spent", 'EXTRACT(epoch FROM "Time spent") AS "Time spent"'),
                                 ("ARRAY['a', 'b']", "Tags", '"Tags"[1] AS "Tags_1"')):
            said = self.hint(f'SELECT {kind} AS "{name}", g AS y FROM generate_series(1, 9) g TO TRAIN LinearRegressor '
                             f'COLUMN NUMERIC("{name}") LABEL y INTO m;')
            self.assertIn(hint, said)

    def test_columns_that_no_model_reads_are_told_together(self):
        self.execute("""CREATE TABLE e AS SELECT g AS n, time '08:00' + g * interval '1 min' AS t, g * interval '1 hour' AS iv,
            jsonb_build_object('key', g) AS j, inet '10.0.0.1' AS ip, g::money AS mon, (g % 8)::bit(3) AS b, int4range(g, g + 2) AS r,
            point(g, g) AS p, g % 2 = 0 AS y FROM generate_series(1, 200) g""")
        said = self.hint("SELECT * FROM e TO TRAIN XGBClassifier LABEL y INTO m;")
        self.assertIn('columns "t" (time without time zone), "iv" (interval), "j" (jsonb), "ip" (inet), "mon" (money), "b" (bit), '
                      '"r" (int4range) and "p" (point) have types that no model reads', said)
        instead = ("EXTRACT(epoch FROM t) AS t, EXTRACT(epoch FROM iv) AS iv, j ->> 'key' AS key, CAST(ip AS text), CAST(mon AS numeric), "
                   "CAST(b AS text), CAST(r AS text), CAST(p AS text)")
        self.assertIn(f"Leave them out of the SELECT, or write there {instead}.", said)
        self.check_psql(f"SELECT n, {instead}, y FROM e TO TRAIN XGBClassifier LABEL y INTO m;")

    def test_targets_that_are_no_ordinary_tables(self):
        self.execute("CREATE TABLE parted (part text) PARTITION BY LIST (part)")
        self.assertIn('"parted" exists and is no ordinary table', self.hint(TRAIN.format(2, "parted")))

    def test_schemas_of_the_server_are_refused_before_training(self):
        for schema in ("pg_toast", "pg_catalog"):
            self.assertIn(f"schema {schema} is the server's own", self.hint(TRAIN.format(2, schema + ".m")))
        self.assertEqual(self.execute("SELECT * FROM totrain.jobs"), [])

    def test_a_query_without_columns(self):
        self.execute("CREATE TABLE nothing ()")
        self.assertIn("The query has no columns.", self.hint("SELECT * FROM nothing TO TRAIN LinearRegressor LABEL y INTO m;"))

    def test_what_shows_is_logged_once_and_only_where_all_is(self):
        self.check_psql(TRAIN.format(2, "m"))
        for level, wanted in (("ddl", 0), ("all", 1)):
            before = self.server.log().count("statement: SHOW MODELS;")
            self.check_psql(f"SET log_statement = '{level}';\nSHOW MODELS;\n")
            self.assertEqual(self.server.log().count("statement: SHOW MODELS;") - before, wanted, level)


if __name__ == "__main__":
    harness.main()
