"""Values at the end of what the server has: the same through both doors."""

from harness import main
from program import Case
from server import pg_config


class FarValues(Case):
    """A server that has made more than two billion objects."""

    settings = {"session_preload_libraries": "totrain"}

    @classmethod
    def prepare(cls, connection):
        connection.close()
        cls.server.stop()
        cls.server.run_as_user([pg_config("bindir") / "pg_resetwal", "-o", "3000000000", cls.server.folder / "data"])
        cls.server.start()
        connection = cls.server.connect("prepared")
        super().prepare(connection)
        connection.close()

    TRAIN = "SELECT {0}, number FROM far TO TRAIN LinearRegressor WITH train.epoch = 2 COLUMN NUMERIC({0}) LABEL number INTO m"

    def digest_by(self, run, column):
        run(self.TRAIN.format(column))
        digest = self.digest("m")
        self.execute("DROP TABLE m")
        return digest

    def check_same(self, column):
        by_server = self.digest_by(lambda sql: self.execute(f"SELECT * FROM totrain.run($${sql}$$)"), column)
        self.assertEqual(self.digest_by(self.check, column), by_server)
        return by_server

    def test_models_are_replaced_kept_and_restored(self):
        """By the OID of their tables."""
        statement = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = {} LABEL class INTO m"
        for epochs in (1, 2):
            self.check(statement.format(epochs))
        self.assertGreater(self.execute("SELECT 'm'::regclass::oid::bigint")[0][0], 3000000000)
        self.assertEqual([row["version"] for row in self.check("SHOW VERSIONS m")], [2, 1])
        self.check("ROLLBACK MODEL m TO 1")
        self.assertEqual(self.execute("SELECT relation::text, version FROM totrain.models"), [("m", 1)])

    def test_large_oids(self):
        self.execute("CREATE TABLE far AS SELECT (4294967295 - g)::oid AS large, g AS number FROM generate_series(0, 99) g")
        by_oid = self.check_same("large")
        self.execute("ALTER TABLE far ALTER large TYPE bigint USING large::bigint")
        self.assertEqual(self.check_same("large"), by_oid)

    def test_the_last_days(self):
        self.execute("CREATE TABLE far AS SELECT timestamp '294276-12-31 23:59:59.999999' - g * interval '1 day' AS late, g AS number "
                     "FROM generate_series(0, 99) g")
        by_time = self.check_same("late")
        self.execute("ALTER TABLE far ALTER late TYPE double precision USING extract(epoch FROM late)")
        self.assertEqual(self.check_same("late"), by_time)


if __name__ == "__main__":
    main()
