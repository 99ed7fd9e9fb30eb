"""PostgreSQL's drivers: what each sends, and what the hints that name totrain.run say about values."""

import asyncio
import pathlib
import sys

import asyncpg
import psycopg

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "postgres"))
import server  # noqa: E402  pylint: disable=wrong-import-position

import harness

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m"
RUN = "SELECT name, detail FROM totrain.run($q$ SELECT * FROM iris WHERE petal_width > $1 TO TRAIN LinearClassifier LABEL class INTO m $q$, {})"
ROWS = "SELECT * FROM totrain.rows($q$ SELECT *, $1 AS note FROM iris LIMIT 2 TO PREDICT USING m $q$, {})"
PREDICT = "SELECT totrain.predict('m', ROW({}::float8, {}::float8, {}::float8, {}::float8))"
FLOWER = (5.1, 3.5, 1.4, 0.2)


class Clients(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.server = server.Server({"session_preload_libraries": "totrain"})
        cls.addClassCleanup(cls.server.close)
        cls.address = f"host={cls.server.socket} port={cls.server.port} user=app dbname={server.DATABASE}"
        with psycopg.connect(cls.address.replace("user=app", f"user={server.SUPERUSER}"), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION totrain; CREATE ROLE app LOGIN IN ROLE totrain_user; GRANT CREATE ON SCHEMA public TO app")
            harness.copy_iris(connection)
            connection.execute("GRANT SELECT ON iris TO app")

    def setUp(self):
        super().setUp()
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(TRAIN)

    async def with_asyncpg(self, use):
        connection = await asyncpg.connect(host=str(self.server.socket), port=self.server.port, user="app", database=server.DATABASE)
        try:
            await use(connection)
        finally:
            await connection.close()

    def test_asyncpg(self):
        async def use(connection):
            await connection.execute(TRAIN)  # without values: the simple protocol
            with self.assertRaises(asyncpg.PostgresSyntaxError) as extended:
                await connection.fetch(TRAIN)
            self.assertIn("totrain.run($$ ... $1 ... $$, $1::float8)", extended.exception.hint)
            with self.assertRaises(asyncpg.IndeterminateDatatypeError) as untyped:
                await connection.fetch(RUN.format("$1"), 0.5)
            self.assertIn("$1::float8", untyped.exception.hint)
            facts = {name: detail for name, detail in await connection.fetch(RUN.format("$1::float8"), 0.5)}
            self.assertEqual(facts["rows"], str(await connection.fetchval("SELECT count(*) FROM iris WHERE petal_width > 0.5")))
            statement = await connection.prepare(PREDICT.format("$1", "$2", "$3", "$4"))
            for _ in range(7):
                self.assertIn(await statement.fetchval(*FLOWER), "012")
        asyncio.run(self.with_asyncpg(use))

    def test_psycopg(self):
        with psycopg.connect(self.address, autocommit=True) as connection:
            with self.assertRaises(psycopg.errors.IndeterminateDatatype) as untyped:
                connection.execute(ROWS.format("%s"), ("it's",))
            self.assertIn("Give each value of totrain.run and totrain.rows a type", untyped.exception.diag.message_hint)
            rows = connection.execute(ROWS.format("%s::text"), ("it's",)).fetchall()
            self.assertEqual([row["note"] for row, in rows], ["it's", "it's"])
            with self.assertRaises(psycopg.errors.SyntaxError) as extended:
                connection.execute(TRAIN + "2", prepare=True)
            self.assertIn("$1::float8", extended.exception.diag.message_hint)
            self.assertIn(connection.execute(PREDICT.format(*["%s"] * 4), FLOWER, prepare=True).fetchone()[0], "012")

    def test_other_statements_have_the_servers_error_alone(self):
        with psycopg.connect(self.address, autocommit=True) as connection:
            with self.assertRaises(psycopg.errors.IndeterminateDatatype) as untyped:
                connection.execute("SELECT pg_typeof(%s)", ("a",))
            self.assertIsNone(untyped.exception.diag.message_hint)


if __name__ == "__main__":
    harness.main()
