"""EXPLAIN (ANALYZE) shows the models that a statement scored with."""

import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

import psycopg2

import harness
from server import pg_config

TRAIN = ("SELECT * FROM totrain.run($$SELECT sepal_length AS a, petal_width AS b, class > 0 AS y FROM iris "
         "TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL y INTO {}$$)")
PREDICT = "SELECT totrain.predict('m', ROW(sepal_length, petal_width)) FROM iris"
BOTH = PREDICT.replace(" FROM iris", ", totrain.probability('two', ROW(sepal_length, petal_width)) FROM iris WHERE class > 0")
# Another extension that has EXPLAIN call it.
OTHER = """
#include <postgres.h>
#include <fmgr.h>
#include <commands/explain.h>
#include <tcop/tcopprot.h>
#if PG_VERSION_NUM >= 180000
#include <commands/explain_state.h>
#endif
PG_MODULE_MAGIC;
static void explain(Query *query, int options, IntoClause *into, ExplainState *state, const char *sql, ParamListInfo parameters,
                    QueryEnvironment *environment)
{
    ereport(NOTICE, errmsg("the other one explains"));
#if PG_VERSION_NUM >= 170000
    standard_ExplainOneQuery(query, options, into, state, sql, parameters, environment);
#else
    ExplainOnePlan(pg_plan_query(query, sql, options, parameters), into, state, sql, parameters, environment, NULL, NULL);
#endif
}
PGDLLEXPORT void _PG_init(void);
void _PG_init(void) { ExplainOneQuery_hook = explain; }
"""
TIME = r"\d+\.\d{3} ms"


class ExplainModels(harness.Case):
    settings = {**harness.BARE, "max_parallel_workers": "4", "max_worker_processes": "16"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        with connection.cursor() as cursor:
            for model in ("m", "two", "two"):
                cursor.execute(TRAIN.format(model))

    def setUp(self):
        super().setUp()
        self.session = self.connect()

    def run_here(self, sql):
        with self.session.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else None

    def lines(self, sql, options="ANALYZE"):
        return [row[0] for row in self.run_here(f"EXPLAIN ({options}) {sql}")]

    def said(self, sql, options="ANALYZE"):
        """The lines about models, without the title."""
        lines = self.lines(sql, options)
        if "ToTrain:" not in lines:
            self.assertFalse([line for line in lines if "ToTrain" in line or "Model" in line])
            return []
        at = lines.index("ToTrain:") + 1
        found = [line for line in lines[at:] if line.startswith("  ")]
        self.assertEqual(lines[at:at + len(found)], found)
        return [line.strip() for line in found]

    def told(self, sql, options="ANALYZE"):
        plan, = self.run_here(f"EXPLAIN ({options}, FORMAT JSON) {sql}")[0]
        self.assertEqual(len(plan), 1)
        return plan[0].get("ToTrain")

    def test_a_model_that_is_read_and_then_kept(self):
        said, = self.said(PREDICT)
        self.assertRegex(said, f"^Model m: version=1 rows=150 time={TIME}$")
        self.assertEqual(self.said(PREDICT), ["Model m: version=1 rows=150 cached"])
        self.run_here(TRAIN.format("m"))
        said, = self.said(PREDICT)
        self.assertRegex(said, f"^Model m: version=2 rows=150 time={TIME}$")

    def test_it_stands_before_the_time_of_all(self):
        lines = self.lines(PREDICT)
        self.assertLess(lines.index("ToTrain:"), [line.startswith("Execution Time") for line in lines].index(True))
        self.assertLess([line.startswith("Planning Time") for line in lines].index(True), lines.index("ToTrain:"))

    def test_each_model_has_a_line(self):
        first, second = self.said(BOTH)
        self.assertRegex(first, f"^Model m: version=1 rows=100 time={TIME}$")
        self.assertRegex(second, f"^Model two: version=2 rows=100 time={TIME}$")
        self.assertEqual(self.said(BOTH + " LIMIT 0"), [])
        self.assertEqual(self.said(BOTH.replace("'two'", "'public.two'")),
                         ["Model m: version=1 rows=100 cached", "Model public.two: version=2 rows=100 cached"])

    def test_each_call_counts_its_rows(self):
        twice = PREDICT.replace(" FROM", ", totrain.probability('m', ROW(sepal_length, petal_width)) FROM")
        self.run_here(twice)
        self.assertEqual(self.said(twice), ["Model m: version=1 rows=300 cached"])
        self.assertEqual(self.said("SELECT totrain.predict('m', CASE WHEN class > 0 THEN ROW(sepal_length, petal_width) END) FROM iris"),
                         ["Model m: version=1 rows=100 cached"])

    def test_more_models_than_a_call_holds(self):
        names = [f"m{i:02}" for i in range(20)]
        for name in names:
            self.run_here(f"CREATE TABLE {name} AS TABLE m")
        sql = "SELECT totrain.predict('m' || lpad((g % 20)::text, 2, '0'), ROW(1.0, 2.0)) FROM generate_series(0, 59) g"
        self.run_here(sql)
        self.assertEqual(self.said(sql), [f"Model {name}: version=1 rows=3 cached" for name in names])

    def test_a_place_that_holds_its_model_from_one_explain_to_the_next(self):
        """PL/pgSQL keeps an expression while a transaction runs: the second EXPLAIN is given no model anew."""
        self.run_here("""CREATE FUNCTION says() RETURNS text STABLE LANGUAGE plpgsql AS
            $$BEGIN RETURN totrain.predict('m', ROW(1.0, 2.0)); END$$;
            CREATE FUNCTION explains() RETURNS text[] LANGUAGE plpgsql AS $$DECLARE line text; found text[] := '{}';
            BEGIN
                PERFORM says();
                FOR i IN 1..3 LOOP
                    FOR line IN EXECUTE 'EXPLAIN ANALYZE SELECT says() FROM generate_series(1, ' || i || ')' LOOP
                        IF line LIKE '  Model%' THEN found := found || line; END IF;
                    END LOOP;
                END LOOP;
                RETURN found;
            END$$""")
        self.assertEqual(self.run_here("SELECT explains()")[0][0], [f"  Model m: version=1 rows={i} cached" for i in (1, 2, 3)])

    def test_a_name_in_each_row(self):
        self.run_here("SET totrain.model_cache = 0")
        found = self.said("SELECT totrain.predict((ARRAY['m', 'two'])[1 + class % 2], ROW(sepal_length, petal_width)) FROM iris")
        self.assertEqual([re.sub(TIME, "", line) for line in found],
                         ["Model m: version=1 rows=100 time=", "Model two: version=2 rows=50 time="])

    def test_the_time_is_left_out_without_timing(self):
        self.assertEqual(self.said(PREDICT, "ANALYZE, TIMING OFF"), ["Model m: version=1 rows=150"])
        self.assertEqual(self.said(PREDICT, "ANALYZE, TIMING OFF, SUMMARY OFF"), ["Model m: version=1 rows=150 cached"])

    def test_nothing_is_said_where_nothing_was_scored(self):
        self.assertEqual(self.said("SELECT count(*) FROM iris"), [])
        self.assertEqual(self.said(PREDICT, "COSTS OFF"), [])
        self.assertEqual(self.said(PREDICT + " WHERE false"), [])
        self.assertIsNone(self.told("SELECT count(*) FROM iris"))
        self.assertEqual(self.said(PREDICT, "ANALYZE, TIMING OFF"), ["Model m: version=1 rows=150"])

    def test_properties(self):
        told = self.told(BOTH)
        self.assertEqual(list(told), ["Models", "Workers Not Counted"])
        self.assertEqual(told["Workers Not Counted"], 0)
        times = [model.pop("Read Time") for model in told["Models"]]
        self.assertTrue(all(time > 0 for time in times), times)
        self.assertEqual(told["Models"], [{"Model": "m", "Version": 1, "Rows": 100, "Cached": False, "Reads": 1},
                                          {"Model": "two", "Version": 2, "Rows": 100, "Cached": False, "Reads": 1}])
        self.assertEqual(self.told(PREDICT, "ANALYZE, TIMING OFF"), {
            "Models": [{"Model": "m", "Version": 1, "Rows": 150, "Cached": True, "Reads": 0}], "Workers Not Counted": 0})

    def test_other_formats(self):
        self.run_here(PREDICT)
        yaml = self.run_here(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT YAML) {PREDICT}")[0][0]
        self.assertIn("\n  ToTrain: \n    Models: \n      - Model: \"m\"\n        Version: 1\n        Rows: 150\n        Cached: true\n"
                      "        Reads: 0\n    Workers Not Counted: 0\n", yaml)
        query = xml.fromstring(self.run_here(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT XML) {PREDICT}")[0][0])[0]
        name = "{http://www.postgresql.org/2009/explain}"
        self.assertEqual([(item.tag, item.text) for item in query.find(f"{name}ToTrain/{name}Models/{name}Model")],
                         [(name + tag, text) for tag, text in (("Model", "m"), ("Version", "1"), ("Rows", "150"), ("Cached", "true"),
                                                               ("Reads", "0"))])

    def test_statements_that_make_something(self):
        self.assertEqual(len(self.said("CREATE TABLE made AS " + PREDICT)), 1)
        self.assertEqual(self.said("DECLARE c CURSOR FOR " + PREDICT), ["Model m: version=1 rows=150 cached"])
        self.assertEqual(self.said("UPDATE iris SET class = class WHERE totrain.predict('m', ROW(sepal_length, petal_width)) IS NULL"),
                         ["Model m: version=1 rows=150 cached"])

    def test_functions_and_triggers_count(self):
        self.run_here("""CREATE FUNCTION inner_one() RETURNS text STABLE LANGUAGE plpgsql AS
            $$BEGIN RETURN (SELECT count(totrain.predict('m', ROW(sepal_length, petal_width))) FROM iris); END$$;
            CREATE TABLE t (x text DEFAULT inner_one()); CREATE FUNCTION fires() RETURNS trigger LANGUAGE plpgsql AS
            $$BEGIN NEW.x := totrain.predict('two', ROW(1.0, 2.0)); RETURN NEW; END$$;
            CREATE TRIGGER fires BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION fires()""")
        self.run_here(BOTH)
        self.assertEqual(self.said("SELECT inner_one(), inner_one()"), ["Model m: version=1 rows=300 cached"])
        self.assertEqual(self.said("INSERT INTO t SELECT 'x' FROM generate_series(1, 3)"), ["Model two: version=2 rows=3 cached"])

    def test_an_explain_within_an_explain(self):
        """The inner one tells of its own; the outer one of all."""
        self.run_here(f"""CREATE FUNCTION explains(deep int) RETURNS text LANGUAGE plpgsql AS $$DECLARE line text; found text := '';
            BEGIN
                FOR line IN EXPLAIN (ANALYZE, TIMING OFF) SELECT totrain.predict('m', ROW(sepal_length, petal_width)),
                        CASE WHEN deep > 0 THEN explains(deep - 1) END FROM iris WHERE class > 0 LIMIT 1 LOOP
                    found := found || line || E'\\n';
                END LOOP;
                RETURN found;
            END$$""")
        self.run_here(PREDICT)
        for deep in range(3):
            inner, = self.run_here(f"SELECT explains({deep})")[0]
            self.assertIn(f"ToTrain:\n  Model m: version=1 rows={deep + 1} cached\n", inner)
            self.assertEqual(self.said(f"SELECT explains({deep})"), [f"Model m: version=1 rows={deep + 1} cached"])

    def test_errors_end_the_counting(self):
        for sql in (PREDICT.replace("'m'", "'none'"), PREDICT + " WHERE 1 / (class - 1) > 7"):
            with self.assertRaises(psycopg2.Error):
                self.lines(sql)
        self.run_here("""CREATE FUNCTION fails() RETURNS int LANGUAGE plpgsql AS $$BEGIN
            BEGIN EXECUTE 'EXPLAIN ANALYZE SELECT totrain.predict(''m'', ROW(1.0, class / 0)) FROM iris';
            EXCEPTION WHEN division_by_zero THEN RETURN 1; END; RETURN 0; END$$""")
        self.run_here(PREDICT)
        self.assertEqual(self.said(PREDICT.replace(" FROM", ", fails() FROM") + " LIMIT 2"), ["Model m: version=1 rows=2 cached"])
        self.assertEqual(self.said(PREDICT), ["Model m: version=1 rows=150 cached"])

    def test_workers_are_told(self):
        count = "SELECT count(totrain.predict('m', ROW(sepal_length, petal_width))) FROM iris"
        self.run_here(harness.IN_PARALLEL + "SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0")
        told = self.told(count)
        self.assertGreater(told["Workers Not Counted"], 0)
        self.assertLessEqual(sum(model["Rows"] for model in told["Models"]), 150)
        said = self.said(count)
        self.assertEqual(said[-1], f"Workers: {told['Workers Not Counted']}; what they scored is not counted")
        self.run_here("SET parallel_leader_participation = off")
        self.assertEqual(self.said(count), said[-1:])
        self.assertEqual(self.said("SELECT count(*) FROM iris"), [])

    def test_a_prepared_statement_shows_no_models(self):
        """docs/postgres.md says so: nothing that extensions may ask for is called there."""
        self.run_here("PREPARE p AS " + PREDICT)
        self.assertEqual(self.said("EXECUTE p"), [])

    def test_the_first_statement_of_a_session_shows_none_where_nothing_is_preloaded(self):
        """docs/postgres.md says so: the library is not there yet when PostgreSQL asks whether somebody wants to be called."""
        self.server.execute(f"""ALTER DATABASE "{self.database}" SET session_preload_libraries = plpgsql""")
        self.session = self.connect()
        self.assertEqual(self.said(PREDICT), [])
        self.assertEqual(self.said(PREDICT), ["Model m: version=1 rows=150 cached"])

    @unittest.skipUnless(pathlib.Path(pg_config("pkglibdir"), "auto_explain.so").exists(), "this server came without auto_explain")
    def test_auto_explain_has_its_say(self):
        """It asks to be called at the same end of a query, whichever of the two comes first."""
        self.run_here("""CREATE FUNCTION inner_one() RETURNS text LANGUAGE plpgsql AS
            $$BEGIN RETURN (SELECT max(totrain.predict('m', ROW(1.0, 2.0)))); END$$""")
        for libraries in ("auto_explain, totrain", "totrain, auto_explain"):
            self.server.execute(f'ALTER DATABASE "{self.database}" SET session_preload_libraries = {libraries}')
            self.session = self.connect()
            self.run_here("SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; SET client_min_messages = log")
            self.run_here(PREDICT)
            self.assertTrue([notice for notice in self.session.notices if "Seq Scan on iris" in notice], self.session.notices)
            self.assertEqual(self.said(PREDICT), ["Model m: version=1 rows=150 cached"])
            self.run_here("SET auto_explain.log_nested_statements = on")
            self.assertEqual(self.said(PREDICT.replace(" FROM", ", inner_one() FROM")), ["Model m: version=1 rows=300 cached"])

    def test_another_extension_that_explains_does_it(self):
        with tempfile.TemporaryDirectory(prefix="totrain-explain-") as name:
            folder = pathlib.Path(name)
            folder.chmod(0o755)  # the server is another user
            (folder / "other.c").write_text(OTHER, encoding="ascii")
            subprocess.run(["cc", "-shared", "-fPIC", f"-I{pg_config('includedir-server')}", "-o", folder / "other.so", folder / "other.c"],
                           check=True)
            self.server.execute(f"""ALTER DATABASE "{self.database}" SET session_preload_libraries = '{folder}/other.so', totrain""")
            self.session = self.connect()
        for options, said in (("ANALYZE", 1), ("COSTS OFF", 0)):
            del self.session.notices[:]
            self.assertEqual(len(self.said(PREDICT, options)), said)
            self.assertEqual([notice.strip() for notice in self.session.notices], ["NOTICE:  the other one explains"])

    def test_values_are_those_of_the_statement_alone(self):
        alone = self.run_here(BOTH)
        self.lines("CREATE TABLE made (p, q) AS " + BOTH)
        self.assertEqual(self.run_here("TABLE made"), alone)


if __name__ == "__main__":
    harness.main()
