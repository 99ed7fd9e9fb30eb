"""Jobs that are kept in a journal: the roles share a PostgreSQL server and no folder (tests/postgres/pods.py).

The server is real, the workers' pods are processes here, and whoever dies is started again as on a cluster.
"""

import hashlib
import json
import pathlib
import sys

import psycopg2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "postgres"))
import pods  # noqa: E402  pylint: disable=wrong-import-position
from staged import harness, statement  # noqa: E402  pylint: disable=wrong-import-position

NOTHING = "nothing was inverted"
WORKERS, WORKERS_MAX, MASTERS_MAX = 3, 4, 5  # WORKERS_MAX: as staged.statement has it
KINDS = ("journal entry", "journal checkpoint", "journal rows")
MOMENTS = ("while all run", "while no master is there", "while nobody is there", "after the end")
NOT_OF_THE_ROWS = ("id", "version", "created_at", "statement", "checksum")  # parts of a model's description


def training(seed, model="iris_model"):
    text = statement(epochs=6, train__seed=seed, job__min_workers=WORKERS, job__checkpoint_seconds=0.01)
    return text.replace("iris_model", model)


def model_of(execute, name="iris_model"):
    """Everything in it that its statement and its rows decide."""
    rows = execute(f"SELECT part, name, position, value, data FROM {name} ORDER BY part, name, position")
    described = next(json.loads(bytes(row[4])) for row in rows if row[0] == "meta")
    known = {name: value for name, value in described.items() if name not in NOT_OF_THE_ROWS}
    tensors = [tuple(bytes(cell) if isinstance(cell, memoryview) else cell for cell in row) for row in rows if row[0] != "meta"]
    return json.dumps(known), hashlib.sha256(repr(tensors).encode()).hexdigest()


class Job(pods.Case):
    """One job, in a database of its own. unittest does not run it."""

    def __init__(self, number):
        super().__init__()
        self._testMethodName = f"job_{number}"  # the database is named after it

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        with cls.server.connect("prepared", "alice") as alice, alice.cursor() as cursor:
            def execute(sql):
                cursor.execute(sql)
                return cursor.fetchall()
            for seed, name in ((2, "other_model"), (1, "iris_model")):
                cursor.execute("SELECT count(*) FROM totrain.run(%s)", (training(seed, name),))
            cls.new, cls.old = model_of(execute, "other_model"), model_of(execute)
            cursor.execute("DROP TABLE other_model")
        alice.close()

    def setUp(self):
        super().setUp()
        self.environment = {"TOTRAIN_PACE": "us=5000"}
        self.submit(training(2), workers=WORKERS_MAX)

    # --- the bit ------------------------------------------------------------

    def invert_entry(self, chance):
        table = f"totrain_jobs.result_{self.number}"
        kinds = dict(self.execute(f"SELECT kind, array_agg(number ORDER BY number) FROM {table} GROUP BY kind ORDER BY kind"))
        kind = chance.choice(sorted(kinds))
        number = chance.choice(kinds[kind])
        body, data = self.execute(f"SELECT octet_length(body), coalesce(octet_length(data), 0) FROM {table} WHERE number = {number}")[0]
        column = chance.choice(["body"] * 6 + ["data"] * (6 if data else 0) + ["number", "master", "kind"])
        if column in ("number", "master"):
            bit = chance.randrange(63)
            value = f"{column} # (1::bigint << {bit})"
        elif column == "kind":
            bit = chance.randrange(5 * len(kind))  # it stays a character
            value = f"overlay(kind PLACING chr(ascii(substr(kind, {bit // 5 + 1}, 1)) # {1 << bit % 5}) FROM {bit // 5 + 1} FOR 1)"
        else:
            bit = chance.randrange(8 * (body if column == "body" else data))
            value = f"set_bit({column}, {bit}, 1 - get_bit({column}, {bit}))"
        try:
            self.execute(f"UPDATE {table} SET {column} = {value} WHERE number = {number}")
        except psycopg2.errors.UniqueViolation:  # another entry has that number
            return f"{NOTHING}: {kind} {number} keeps its {column}"
        return f"{kind} {number}, {column}, bit {bit}"

    def invert_bytes(self, table, keys, chance):
        """Inverts a bit of a row that holds no more than bytes beside its keys."""
        rows = self.execute(f"SELECT octet_length(bytes), {', '.join(keys)} FROM {table} ORDER BY {', '.join(keys)}")
        size, *values = chance.choice(rows)
        bit = chance.randrange(8 * size)
        where = " AND ".join(f"{key} = '{value}'" for key, value in zip(keys, values))
        self.execute(f"UPDATE {table} SET bytes = set_bit(bytes, {bit}, 1 - get_bit(bytes, {bit})) WHERE {where}")
        return f"{where}, bit {bit}"

    def invert(self, kind, chance):
        if kind == "journal entry":
            return self.invert_entry(chance)
        if kind == "journal checkpoint":
            return self.invert_bytes(f"totrain_jobs.checkpoint_{self.number}", ("checkpoint", "piece"), chance)
        return self.invert_bytes(f"totrain_jobs.input_{self.number}", ("file", "piece"), chance)

    # --- the job ------------------------------------------------------------

    def stop(self, moment, master):
        """Runs the job as far as the moment asks for it."""
        if moment == "after the end":
            assert self.finish(master) == 0, master.log.text()
        elif moment != "while all run":
            master.kill()
        if moment == "while nobody is there":
            for name in self.node.running():
                self.node.kill(name)
            harness.wait_for(lambda: not self.node.running(), "the end of all workers")

    def go_on(self):
        """Starts masters as the Job's controller does: one that ends with an error has a successor, up to a limit."""
        for _ in range(MASTERS_MAX):
            if self.finish(self.master()) == 0 or self.api.objects["jobs"]["train"]["spec"]["backoffLimit"] == 0:
                return

    def run_and_invert(self, kind, moment, chance):
        """Inverts a bit at the moment, and says which."""
        master = self.master()
        harness.wait_for(lambda: self.journal(self.number, "number", "kind = 'checkpoint'"), "a checkpoint")
        self.stop(moment, master)
        inverted = f"{moment}: {self.invert(kind, chance)}"
        if moment == "while all run":
            self.finish(master)
        if moment != "after the end" and not master.events("done"):
            self.go_on()
        return inverted

    def publish(self):
        """The error; none where the model is published."""
        try:
            self.collect(self.number)
        except psycopg2.Error as error:
            return str(error)
        return ""

    def outcome(self):
        """right, error, or what is wrong; and the error."""
        error = self.publish()
        tables = self.tables() - {"iris", "iris_model"}
        model = model_of(self.execute)
        if tables:
            return f"WRONG: it made {tables}", error
        if model == self.new:
            return "right, with an error" if error else "right", error
        if model != self.old or not error:
            return "WRONG: another model", error
        return "error", error

    def attempt(self, kind, chance):
        """Outcome, and what was inverted and said."""
        outcome, said = "WRONG: it could not be tried", ""
        try:
            self.setUp()
            said = self.run_and_invert(kind, chance.choice(MOMENTS), chance)
            outcome, error = self.outcome()
            outcome = NOTHING if outcome == "right" and NOTHING in said else outcome
            said += f": {error}"
        except AssertionError as error:  # a wait's
            outcome = f"WRONG: {error}"
        finally:
            log = "".join(f"\n--- master\n{master.log.text()[-2000:]}" for master in self.masters) + "\n" + self.node.log()
            self.doCleanups()
        return outcome, said + log if outcome.startswith("WRONG") else said
