"""Jobs whose roles share nothing but a database: `totrain master` and `worker` over TLS, each with a
folder of its own that is empty when it starts.
"""

import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
import harness  # noqa: E402  pylint: disable=wrong-import-position
import network_roles  # noqa: E402  pylint: disable=wrong-import-position
import server  # noqa: E402  pylint: disable=wrong-import-position

ROLES = harness.BUILD / "tests" / "job_roles"
ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGED_VERSION = int(re.search(r"#define STAGED_VERSION +(\d+)",
                               (ROOT / "runtime" / "data" / "staged" / "staged_pieces.h").read_text())[1])
network_roles.PROGRAM = str(harness.BUILD / "totrain")
POD = "totrain_pod"
PASSWORD = "s3cret 'pod\\word"
SETTINGS = {"totrain.job_login": POD, "wal_level": "minimal", "max_wal_senders": "0"}


def statement(epochs=60, batch=32, **attributes):
    more = "".join(f", {name.replace('__', '.')} = {value}" for name, value in attributes.items())
    return (f"SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], "
            f"train.epoch = {epochs}, train.batch_size = {batch}, job.lanes = 8, job.max_workers = 4{more} "
            "LABEL class INTO iris_model;")


class Case(harness.Case):
    """A server on TCP whose pods need a password, and a submitter who is no superuser."""

    settings = SETTINGS
    role_pace = None  # pace of the workers

    @classmethod
    def make_server(cls):
        made = harness.Server(cls.settings, extension=True, tcp=True)
        cls.ask_for_passwords(made)
        made.execute(f"CREATE ROLE {POD} LOGIN; CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN")
        with contextlib.closing(made.connect()) as connection:
            connection.cursor().execute(f"ALTER ROLE {POD} PASSWORD %s", (PASSWORD,))
        return made

    @staticmethod
    def ask_for_passwords(made):
        path = made.folder / "data" / "pg_hba.conf"
        path.write_text(f"host all {POD} 127.0.0.1/32 scram-sha-256\n" + path.read_text())
        made.reload()

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("GRANT totrain_user TO alice, bob")
        cursor.execute("CREATE SCHEMA totrain_jobs")
        cursor.execute(f"GRANT USAGE ON SCHEMA totrain_jobs TO {POD}")
        cursor.execute("GRANT USAGE, CREATE ON SCHEMA totrain_jobs TO totrain_user")
        cursor.execute("GRANT CREATE ON SCHEMA public TO alice, bob")
        cursor.execute("GRANT SELECT ON iris TO alice, bob")

    def setUp(self):
        super().setUp()
        temporary = tempfile.TemporaryDirectory(prefix="totrain-staged.")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.folders = 0
        self.roles = []
        self.login = self.write_login()

    def write_login(self, name="login", mode=0o600, **changes):
        words = {"host": "127.0.0.1", "port": str(self.server.port), "user": POD, "password": PASSWORD,
                 "dbname": self.database, **changes}
        path = self.folder / name
        path.write_text(" ".join("{}='{}'".format(key, value.replace("\\", "\\\\").replace("'", "\\'"))
                                 for key, value in words.items()) + "\n")
        path.chmod(mode)
        return path

    # --- the session --------------------------------------------------------

    def stage(self, text=None, user="alice", workers=4, servers=0):
        with self.connect(user).cursor() as cursor:
            cursor.execute("SELECT totrain.stage(%s)", (text or statement(),))
            job = cursor.fetchone()[0]
        folder = self.folder / f"tls.{job}"
        folder.mkdir()
        subprocess.run([ROLES, "authority", folder, str(job), "0", "master=master",
                        *(f"w{i}={i}" for i in range(workers)), *(f"s{i}=server/{i}" for i in range(servers))],
                       check=True)
        return job

    def collect(self, job, user="alice"):
        return harness.facts(self.execute(f"SELECT * FROM totrain.collect({job})", user))

    def expected(self, text=None):
        """The digest of the same statement, run here by one worker."""
        with self.connect("bob").cursor() as cursor:
            cursor.execute("SELECT count(*) FROM totrain.run(%s)",
                           ((text or statement()).replace("iris_model", "local_model"),))
        return self.digest("local_model")

    def journal(self, job, what, where="true"):
        return self.execute(f"SELECT {what} FROM totrain_jobs.result_{job} WHERE {where} ORDER BY number")

    # --- the roles ----------------------------------------------------------

    def empty_folder(self, job):
        self.folders += 1
        folder = self.folder / f"own{self.folders}"
        folder.mkdir()
        return folder / str(job)

    def role(self, *arguments, faults=None):
        role = network_roles.Role(*arguments, fault=faults, pace=self.role_pace)
        self.addCleanup(role.stop)
        self.roles.append(role)
        return role

    def finish(self, master):  # pylint: disable=arguments-renamed
        """All that is to be done to the job is done: paced workers wait no more; the master's exit code."""
        def has_ended():
            harness.hurry_processes(role.process.pid for role in self.roles)
            return master.process.poll() is not None
        harness.wait_for(has_ended, "the master's end")
        return master.end()

    def master(self, job, port=None, faults=None, login=None, folder=None):
        return self.role("master", folder or self.empty_folder(job), "--listen",
                         f"tcp:127.0.0.1:{port or server.free_port()}", "--tls",
                         self.folder / f"tls.{job}" / "master", "--database", login or self.login, faults=faults)

    def worker(self, job, index, address, incarnation=0, login=None, faults=None, snapshot=None):
        return self.role("worker", self.empty_folder(job), "--index", index, "--master", address, "--listen",
                         "tcp:127.0.0.1:0", "--tls", self.folder / f"tls.{job}" / f"w{index}", "--incarnation",
                         incarnation, "--database", login or self.login,
                         *(["--snapshot", snapshot] if snapshot else []), faults=faults)

    def kill(self, *roles):
        for role in roles:
            role.process.kill()
        for role in roles:
            role.end()

    def check_done(self, job, master, digest):
        self.assertEqual(self.finish(master), 0, master.log.text())
        self.collect(job)
        self.assertEqual(self.digest(), digest)
        self.check_tables_go()

    def check_tables_go(self):
        """At once, or in the background where a session still has them open (extension/postgres/server/jobs/release.h)."""
        harness.wait_for(lambda: not self.tables_of_jobs(), "the job's tables to go")

    def tables_of_jobs(self):
        return {row[0] for row in self.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'totrain_jobs'::regnamespace")}
