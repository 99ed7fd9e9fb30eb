"""Older versions of models: how many stay, what they take, and what is given up by hand."""

import contextlib

import harness

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1, train.seed = {} LABEL class INTO m;"
KEPT = "SELECT DISTINCT version FROM totrain.versions ORDER BY version"


class Versions(harness.Case):
    def train(self, *seeds, before=""):
        self.check_psql(before + "".join(map(TRAIN.format, seeds)))

    def kept(self):
        return [version for version, in self.execute(KEPT)]

    def test_a_setting_says_how_many_stay(self):
        self.train(1, 2, 3, 4)
        self.assertEqual(self.kept(), [1, 2, 3])
        self.train(5, before="SET totrain.kept_versions = 2;")
        self.assertEqual(self.kept(), [3, 4])
        self.assertEqual(self.execute("SELECT DISTINCT version FROM totrain.metrics ORDER BY version"), [(3,), (4,), (5,)])
        self.execute(f'ALTER DATABASE "{self.database}" SET totrain.kept_versions = 1')
        self.train(6)
        self.assertEqual(self.kept(), [5])
        self.check_psql("ROLLBACK MODEL m TO 5;")
        self.assertIn("0 is outside the valid range", self.psql("SET totrain.kept_versions = 0;").stderr)

    def test_the_program_keeps_as_many_as_the_database_says(self):
        self.execute(f'ALTER DATABASE "{self.database}" SET totrain.kept_versions = 2')
        for seed in range(4):
            self.run_program(TRAIN.format(seed))
        self.assertEqual(self.kept(), [2, 3])

    def run_program(self, statement):
        return harness.subprocess.run(
            [harness.BUILD / "totrain", "postgres://", "--format=csv", "-c", statement], check=True, text=True, capture_output=True,
            env={**harness.os.environ, **self.server.variables(self.database), "TOTRAIN_STATE": str(self.server.folder / "program")}).stdout

    def test_older_versions_are_given_up_by_hand(self):
        self.train(1, 2, 3, 4)
        self.execute("SELECT totrain.forget('m'::regclass, 'older versions', 1)")
        self.assertEqual(self.kept(), [3])
        self.execute("SELECT totrain.forget('m'::regclass, 'version', 3)")
        self.assertEqual(self.kept(), [])
        self.check_psql("SHOW VERSIONS m;")

    def test_sizes_are_shown_to_who_may_see_them(self):
        sizes = "SELECT row ->> 'bytes', row ->> 'kept_bytes' FROM totrain.rows('SHOW MODELS FULL') AS row"
        self.train(1)
        self.assertEqual(self.execute(sizes), [(str(self.execute("SELECT pg_total_relation_size('m')")[0][0]), "0")])
        self.train(2)
        kept = self.execute("SELECT sum(octet_length(data)) FROM totrain.versions")[0][0]
        self.assertGreater(kept, 100)
        self.assertEqual(self.execute(sizes)[0][1], str(kept))
        self.execute("CREATE ROLE other LOGIN IN ROLE totrain_reader; GRANT SELECT ON m TO other")
        self.addCleanup(self.server.execute, "DROP ROLE other")
        self.addCleanup(self.execute, "DROP OWNED BY other")
        with contextlib.closing(self.server.connect(self.database, "other")) as connection:
            cursor = connection.cursor()
            cursor.execute(sizes)
            (size, others), = cursor.fetchall()
        self.assertGreater(int(size), 8191)
        self.assertIsNone(others)
        self.assertIn(f",{kept}\n", self.run_program("SHOW MODELS FULL"))


if __name__ == "__main__":
    harness.main()
