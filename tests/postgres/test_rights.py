"""Which role may do what: a table of roles and acts, and what each way of acting for others leaves alone."""

import contextlib

import psycopg2
from psycopg2 import errors

import harness
from harness import run_statement

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO {}"
ROW = "ROW(5.1, 3.5, 1.4, 0.2)"
ROLES = ("totrain_user", "totrain_reader", "totrain_monitor", "totrain_admin", "none")

# Letters of the roles that may do each act; {user} is the role, with a schema of its own.
ACTS = {
    TRAIN.format("{user}.m"): "u",
    f"SELECT * FROM totrain.run($$ {TRAIN.format('{user}.m')} $$)": "u",
    f"SELECT totrain.rows($$ {TRAIN.format('{user}.m')} $$)": "u",
    f"SELECT totrain.submit($$ {TRAIN.format('{user}.m')} $$)": "u",
    f"EXPLAIN {TRAIN.format('{user}.m')}": "u",
    f"SELECT totrain.predict('shop.m', {ROW})": "ur",
    f"SELECT totrain.probability('shop.m', {ROW})": "ur",
    f"SELECT totrain.problem('shop.m', {ROW})": "ur",
    "SELECT totrain.call('shop.m')": "ur",
    "SELECT * FROM iris TO PREDICT USING shop.m": "ur",
    "SELECT totrain.rows($$ SELECT * FROM iris LIMIT $1 TO PREDICT USING shop.m $$, 3)": "ur",
    "SELECT * FROM iris TO PREDICT {user}.p.class USING shop.m": "u",
    "SELECT * FROM iris TO EVALUATE shop.m": "ur",
    "SELECT * FROM iris TO EVALUATE shop.m INTO {user}.e": "u",
    "SELECT * FROM iris TO EVALUATE shop.m WITH job.max_workers = 1": "u",
    "SELECT * FROM iris TO EXPLAIN shop.m": "ur",
    "SHOW MODELS": "ur",
    "SHOW MODEL shop.m": "ur",
    "SHOW ATTRIBUTES FOR LinearClassifier": "ur",
    "SHOW DEFINITIONS": "ur",
    "SHOW DEFINITION zoo/mlp": "ur",
    "DEFINE MODEL {user}.zoo/x AS 'return dense(numbers, outputs)'": "u",
    "SHOW JOBS": "urma",
    "SELECT * FROM totrain.jobs": "uma",
    "SELECT * FROM totrain.events": "uma",
    "SELECT * FROM totrain.models": "ur",
    "SELECT * FROM totrain.kept_models": "",
    "ROLLBACK MODEL shop.m TO 1": "",
    "SELECT totrain.forget('shop.m'::regclass, 'older versions', 1)": "",
    "DROP TABLE shop.m": "",
}
ALONE = "SELECT totrain.cancel({job}, 'trainer')"


class Rights(harness.Case):
    settings = {**harness.BARE, "totrain.progress_interval": "-1", "totrain.job_login": "pod"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("""
            CREATE ROLE trainer LOGIN IN ROLE totrain_user; CREATE SCHEMA shop AUTHORIZATION trainer;
            CREATE ROLE pod LOGIN; CREATE SCHEMA totrain_jobs; GRANT USAGE, CREATE ON SCHEMA totrain_jobs TO totrain_user;
            GRANT USAGE ON SCHEMA totrain_jobs TO pod;
            GRANT SELECT ON iris TO PUBLIC; GRANT USAGE ON SCHEMA shop TO PUBLIC""")
        for role in ROLES:
            cursor.execute(f"CREATE ROLE a_{role} LOGIN; CREATE SCHEMA a_{role} AUTHORIZATION a_{role}")
            if role != "none":
                cursor.execute(f"GRANT {role} TO a_{role}")
        cursor.execute("SET ROLE trainer")
        run_statement(cursor, TRAIN.format("shop.m"))
        cursor.execute("GRANT SELECT ON shop.m TO PUBLIC")

    def session(self, user):
        return self.connect(user).cursor()

    def unpublished(self, model="shop.late"):
        """The job of a model that the trainer's transaction has rolled back."""
        connection = self.connect("trainer", autocommit=False)
        with contextlib.suppress(errors.CheckViolation):
            connection.cursor().execute("SELECT * FROM totrain.run(%s)", (TRAIN.format(model),))
        connection.rollback()
        return self.execute("SELECT id FROM totrain.jobs WHERE state = 'unpublished' AND owner = 'trainer'::regrole")[0][0]

    def test_the_table_of_roles_and_acts(self):
        for role in ROLES:
            user = f"a_{role}"
            letter = role.split("_")[-1][0]
            cursor = self.session(user)
            for act, allowed in ACTS.items():
                with self.subTest(role=role, act=act):
                    try:
                        cursor.execute(act.format(user=user))
                        may = True
                    except errors.InsufficientPrivilege:
                        may = False
                    self.assertEqual(may, role != "none" and letter in allowed)

    def test_a_reader_starts_no_process(self):
        run_statement(self.session("trainer"), "SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [64], train.epoch = 1 "
                      "LABEL class INTO shop.large")
        self.execute("GRANT SELECT ON shop.large TO PUBLIC")
        folders = set(self.server.state.glob("*/*/jobs/*"))
        reader = self.session("a_totrain_reader")
        reader.execute("EXPLAIN SELECT * FROM iris TO EVALUATE shop.m")
        self.assertIn(("scored by", "the session: this role starts no processes"), reader.fetchall())
        reader.execute("SET totrain.model_memory = '1kB'")
        for statement in ("SELECT * FROM iris TO EVALUATE shop.large", "SELECT * FROM iris TO PREDICT USING shop.large",
                          "SELECT * FROM iris TO EVALUATE shop.m WITH job.max_workers = 1"):
            with self.subTest(statement), self.assertRaisesRegex(
                    errors.InsufficientPrivilege, "permission denied to start the processes of a job"):
                reader.execute(statement)
        self.assertEqual(set(self.server.state.glob("*/*/jobs/*")), folders)

    def test_a_refusal_says_which_role_may(self):
        for user, pattern in (("a_totrain_reader", "totrain_reader run TO PREDICT.*totrain_user allows all"),
                              ("a_none", "membership in the role totrain_user, or in totrain_reader")):
            with self.subTest(user), self.assertRaises(errors.InsufficientPrivilege) as refused:
                self.session(user).execute(TRAIN.format(f"{user}.m"))
            self.assertRegex(refused.exception.diag.message_hint, pattern)

    def test_a_monitor_sees_the_jobs_of_all_and_ends_none(self):
        job = self.unpublished()
        for user in ("a_totrain_monitor", "a_totrain_admin"):
            cursor = self.session(user)
            cursor.execute("SHOW JOBS")
            self.assertEqual([column.name for column in cursor.description][:3], ["owner", "id", "state"])
            self.assertIn(("trainer", job, "unpublished"), [row[:3] for row in cursor.fetchall()])
        self.assertEqual(self.check_psql("SHOW JOBS;", user="a_totrain_reader"), "")
        for act in (ALONE.format(job=job), f"SELECT * FROM totrain.publish({job}, 'trainer')", "SELECT totrain.discard(1)"):
            for user in ("a_totrain_monitor", "a_totrain_reader", "a_totrain_user"):
                with self.subTest(act, user=user), self.assertRaises(psycopg2.Error):
                    self.session(user).execute(act)
        self.assertEqual(self.execute(f"SELECT state FROM totrain.jobs WHERE id = {job} AND owner = 'trainer'::regrole"),
                         [("unpublished",)])

    def test_an_administrator_ends_the_jobs_of_others(self):
        job = self.unpublished()
        self.session("a_totrain_admin").execute(ALONE.format(job=job))
        with self.assertRaises(psycopg2.Error):
            self.session("trainer").execute(f"SELECT * FROM totrain.publish({job})")

    def test_an_administrator_publishes_as_the_owner(self):
        self.execute("CREATE SCHEMA trap; GRANT USAGE, CREATE ON SCHEMA trap TO a_totrain_admin; GRANT CREATE ON SCHEMA shop TO trainer")
        trainer = self.session("trainer")
        trainer.execute("CREATE TABLE shop.writers (who text, path text)")
        trainer.execute("""CREATE FUNCTION shop.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                           INSERT INTO shop.writers VALUES (current_user, current_setting('search_path')); RETURN new; END $$""")
        trainer.execute("CREATE TRIGGER note BEFORE INSERT ON shop.m FOR EACH ROW EXECUTE FUNCTION shop.note()")
        job = self.unpublished("shop.m")
        admin = self.session("a_totrain_admin")
        admin.execute("SET search_path = trap, public")
        admin.execute(f"SELECT name, detail FROM totrain.publish({job}, 'trainer')")
        self.assertIn(("version", "2"), admin.fetchall())
        admin.execute("SELECT current_user, current_setting('search_path')")
        self.assertEqual(admin.fetchone(), ("a_totrain_admin", "trap, public"))
        self.assertEqual(self.execute("SELECT DISTINCT who, path FROM shop.writers"), [("trainer", "pg_catalog, pg_temp")])
        with self.assertRaises(errors.InsufficientPrivilege):
            admin.execute("SELECT * FROM shop.writers")
        self.assertEqual(self.execute("SELECT tableowner FROM pg_tables WHERE tablename = 'm'"), [("trainer",)])

    def test_what_fails_to_be_published_leaves_the_administrator_as_he_was(self):
        trainer = self.session("trainer")
        trainer.execute("ALTER TABLE shop.m ADD CONSTRAINT none CHECK (part <> 'meta') NOT VALID")
        job = self.unpublished("shop.m")
        admin = self.session("a_totrain_admin")
        with self.assertRaises(psycopg2.Error):
            admin.execute(f"SELECT * FROM totrain.publish({job}, 'trainer')")
        admin.execute("SELECT current_user, current_setting('search_path')")
        self.assertEqual(admin.fetchone(), ("a_totrain_admin", '"$user", public'))
        trainer.execute("ALTER TABLE shop.m DROP CONSTRAINT none")
        admin.execute(f"SELECT * FROM totrain.publish({job}, 'trainer')")

    def test_an_administrator_discards_the_tables_of_a_job(self):
        trainer = self.session("trainer")
        trainer.execute("SELECT totrain.stage(%s)", (TRAIN.format("shop.staged"),))
        number = trainer.fetchone()[0]
        with self.assertRaises(psycopg2.Error):
            self.session("a_totrain_user").execute(f"SELECT totrain.discard({number})")
        self.session("a_totrain_admin").execute(f"SELECT totrain.discard({number})")
        self.assertEqual(self.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'totrain_jobs'"), [(0,)])

    def test_jobs_of_superusers_are_not_an_administrators(self):
        connection = self.connect(autocommit=False)
        connection.cursor().execute("SELECT * FROM totrain.run(%s)", (TRAIN.format("public.theirs"),))
        connection.rollback()
        job = self.execute("SELECT id FROM totrain.jobs WHERE state = 'unpublished' AND owner = 'postgres'::regrole")[0][0]
        for act in (f"totrain.cancel({job}, 'postgres')", f"totrain.publish({job}, 'postgres')"):
            with self.subTest(act), self.assertRaises(errors.InsufficientPrivilege):
                self.session("a_totrain_admin").execute(f"SELECT {act}")


class Taken(harness.Case):
    """Roles that were there before the extension."""

    extension = False

    @classmethod
    def make_server(cls):
        return harness.Server(cls.settings)

    def tearDown(self):
        self.execute("DROP EXTENSION IF EXISTS totrain")
        for role in ("totrain_reader", "totrain_admin"):
            self.execute(f"DROP ROLE IF EXISTS {role}")
        self.execute("DROP ROLE IF EXISTS early")

    def test_one_that_may_do_more_is_refused(self):
        for role, makes in (("totrain_reader", "CREATE ROLE totrain_reader LOGIN"),
                            ("totrain_admin", "CREATE ROLE totrain_admin CREATEROLE"),
                            ("totrain_admin", "CREATE ROLE totrain_admin IN ROLE pg_read_all_data")):
            with self.subTest(makes):
                self.execute(makes)
                with self.assertRaisesRegex(errors.DuplicateObject, f'role "{role}" is there, and may do more'):
                    self.execute("CREATE EXTENSION totrain")
                self.execute(f"DROP ROLE {role}")

    def test_members_that_were_there_are_named(self):
        self.execute("CREATE ROLE totrain_admin; CREATE ROLE early IN ROLE totrain_admin")
        done = self.psql("CREATE EXTENSION totrain;")
        self.assertIn('WARNING:  role "totrain_admin" was there before, and has the members early', done.stderr)
        self.assertEqual(self.execute("SELECT extname FROM pg_extension WHERE extname = 'totrain'"), [("totrain",)])


if __name__ == "__main__":
    harness.main()
