"""Speed inside of PostgreSQL, as ratios to what the server itself takes for the same rows.

The table is that of bench/speed (rows28), in a private server of the tests'
fixture whose shared buffers hold all of it. As there, every case alternates
between us and what it is compared with; no verdict depends on a second.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "speed"), str(HERE.parents[1] / "tests" / "postgres")]
from speed import Table, alternate, training  # noqa: E402

INPUTS = [f"x{i}" for i in range(1, 29)]
SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "8GB", "autovacuum": "off", "checkpoint_timeout": "1h",
            "totrain.progress_interval": "-1"}


class Bench:
    def __init__(self, arguments, server):
        self.build, self.rows, self.runs = arguments.build, arguments.rows, arguments.runs
        self.server = server
        self.environment = {**os.environ, **server.variables("bench")}
        self.connection = None

    def load(self):
        """rows28 as SQLite's generator makes it."""
        made = self.build / "bench" / f"rows28-{self.rows}.db"
        if not made.exists():
            subprocess.run([self.build / "bench" / "generate", made, "rows28", str(self.rows)], check=True)
        columns = ", ".join(f"{name} double precision" for name in INPUTS)
        self.server.execute("CREATE DATABASE bench")
        self.psql(f"CREATE EXTENSION totrain; CREATE TABLE rows28 (y integer, {columns})")
        export = subprocess.Popen(["sqlite3", "-csv", made, f"SELECT y, {', '.join(INPUTS)} FROM rows28"],
                                  stdout=subprocess.PIPE)
        subprocess.run(["psql", "-Xqc", "COPY rows28 FROM STDIN (FORMAT csv)"], stdin=export.stdout,
                       env=self.environment, check=True)
        if export.wait() != 0:
            raise RuntimeError("sqlite3 could not write the rows")
        self.psql("VACUUM (ANALYZE, FREEZE) rows28")

    def psql(self, sql, *flags):
        """Seconds of psql, from its start to its end, and what it printed."""
        started = time.perf_counter()
        done = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", *flags, "-c", sql], env=self.environment,
                              text=True, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{sql}:\n{done.stderr}")
        return time.perf_counter() - started, done.stdout

    def ours(self, sql):
        return self.psql(sql)[0]

    def fetch(self, sql):
        done = subprocess.run([self.build / "bench" / "rows", sql], env=self.environment, check=True,
                              capture_output=True, text=True)
        return json.loads(done.stdout)["seconds"]

    def cleared(self, sql):
        seconds = self.ours(sql)
        self.psql("DROP TABLE written")
        return seconds

    def pgbench(self, database):
        """Seconds that 1000 transactions of pgbench's own read-only script take."""
        done = subprocess.run(["pgbench", "-n", "-S", "-c", "1", "-t", "20000", database], check=True, text=True,
                              capture_output=True, env={**os.environ, **self.server.variables(database)})
        return 1000 / float(re.search(r"tps = ([0-9.]+)", done.stdout).group(1))

    def prepared(self, sql, count=5000):
        """Seconds that 1000 prepared statements take, one after the other."""
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
            script.write(sql)
            script.flush()
            done = subprocess.run(["pgbench", "-n", "-M", "prepared", "-c", "1", "-t", str(count), "-f", script.name], check=True,
                                  text=True, capture_output=True, env=self.environment)
        return 1000 / float(re.search(r"tps = ([0-9.]+)", done.stdout).group(1))


# ---- the cases ----

def train_one_epoch(bench, table):
    table.ratio("PostgreSQL, rows28: DNN 64-32, 1 epoch", "libpq, binary rows", alternate(
        bench.runs, lambda: bench.ours(training("rows28", "y")),
        lambda: bench.fetch("SELECT * FROM rows28")), 2.0)


def processor_seconds(process, first, last):
    """Sum of fields of /proc/PID/stat, in seconds, counted as in proc(5)."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[first - 3:last - 2]) / os.sysconf("SC_CLK_TCK")


def read_in_parallel(bench, table):
    """Processor time of the backend itself, and of the postmaster's children that ended meanwhile: its workers."""
    connection = bench.server.connect("bench")
    cursor = connection.cursor()
    sql = training("rows28", "y", "LinearClassifier", hidden=()).replace("train.epoch = 1", "train.epoch = 1, train.max_steps = 1, "
                                                                         "train.verbose = 2")

    def measure(workers):
        cursor.execute(f"SET max_parallel_workers_per_gather = {workers}")
        seconds = [0, 0]
        for i in range(2):
            seconds[i] = (processor_seconds(connection.info.backend_pid, 14, 15)
                          + processor_seconds(bench.server.pid, 16, 17))
            if i == 0:
                del connection.notices[:]
                cursor.execute(sql)
        readers = [notice for notice in connection.notices if "rows are read by" in notice]
        if ("one reader" in readers[0]) != (workers == 0):
            raise RuntimeError(readers[0])
        return seconds[1] - seconds[0]

    table.ratio("PostgreSQL, rows28: reading in parallel, processor time", "one reader", alternate(
        3 * bench.runs, lambda: measure(2), lambda: measure(0)), 1.15)
    connection.close()


def predict_table(bench, table):
    bench.ours(training("rows28", "y"))
    table.ratio("PostgreSQL, rows28: PREDICT into a table", "CREATE TABLE AS", alternate(
        bench.runs, lambda: bench.cleared("SELECT * FROM rows28 TO PREDICT written.y USING m"),
        lambda: bench.cleared("CREATE TABLE written AS SELECT * FROM rows28")), 2.5)


def predict_function(bench, table):
    bench.ours(training("rows28", "y"))
    serial = "SET max_parallel_workers_per_gather = 0; "
    table.ratio("PostgreSQL, rows28: avg(totrain.predict(...))", "sum of all columns", alternate(
        bench.runs, lambda: bench.ours(serial + "SELECT avg(totrain.predict('m', rows28, NULL::float8)) FROM rows28"),
        lambda: bench.ours(serial + f"SELECT sum({' + '.join(INPUTS)}) FROM rows28")), 3.0)


# Columns of CATEGORY_HASH have a row of numbers for each of so many values: 96 MB.
LARGE_MODEL = ("SELECT x1::int::text AS c, x2, y FROM rows28 LIMIT 2000 TO TRAIN DNNClassifier WITH model.hidden_units = [4], "
               "train.epoch = 1, job.max_workers = 1 COLUMN x2, EMBEDDING(CATEGORY_HASH(c, 3000000), 8) LABEL y INTO large")


def predict_one_row(bench, table):
    """Times of single predictions, as an application asks for them, beside a statement that does nothing."""
    bench.ours("SELECT x1, x2, y FROM rows28 LIMIT 1000 TO TRAIN LinearClassifier LABEL y INTO linear")
    bench.ours("SELECT x1, x2, y FROM rows28 LIMIT 1000 TO TRAIN XGBClassifier LABEL y INTO trees")
    bench.ours(LARGE_MODEL)
    numbers = "ROW(1.0::float8, 2.0::float8)"
    for name, row, bar in (("linear", numbers, 6), ("trees", numbers, 6), ("large", "ROW('1'::text, 2.0::float8)", 12)):
        table.ratio(f"PostgreSQL: one row, {name} model, 1000 prepared statements", "SELECT 1", alternate(
            2 * bench.runs, lambda row=row, name=name: bench.prepared(f"SELECT totrain.predict('{name}', {row})"),
            lambda: bench.prepared("SELECT 1")), bar)


def predict_many_rows(bench, table):
    """Models that are kept cost a statement of many rows nothing."""
    bench.ours(training("rows28", "y"))
    many = "SET max_parallel_workers_per_gather = 0; {}SELECT avg(totrain.predict('m', rows28, NULL::float8)) FROM rows28"
    table.ratio("PostgreSQL, rows28: avg(totrain.predict(...)), models kept", "none kept", alternate(
        bench.runs, lambda: bench.ours(many.format("")), lambda: bench.ours(many.format("SET totrain.model_cache = 0; "))), 1.1)


def exported_formulas(bench, table):
    """A view of plain SQL beside the extension's function; without PostgreSQL's own compiler of expressions (jit)."""
    bench.ours("SELECT * FROM rows28 TO TRAIN XGBClassifier WITH n_estimators = 100, max_depth = 6 LABEL y INTO forest")
    bench.psql("CREATE VIEW forest_rows AS SELECT * FROM rows28")
    text = bench.psql("SELECT totrain.export_text('forest', 'sql')")[1]
    subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1"], input=text, text=True, env=bench.environment, check=True)
    serial = "SET max_parallel_workers_per_gather = 0; SET jit = off; SELECT "
    table.ratio("PostgreSQL, rows28: 100 trees of depth 6 as SQL", "avg(totrain.probability(...))", alternate(
        bench.runs, lambda: bench.ours(serial + "avg(probability) FROM forest_predictions"),
        lambda: bench.ours(serial + "avg(totrain.probability('forest', rows28)) FROM rows28")), 20.0)


def ordinary_statements(bench, table):
    """pgbench in a database that loads the extension, and in one that loads something else."""
    for database in ("loaded", "plain"):
        bench.server.execute(f"CREATE DATABASE {database}")
        subprocess.run(["pgbench", "-i", "-q", "-s", "1", database], check=True, capture_output=True,
                       env={**os.environ, **bench.server.variables(database)})
    bench.server.execute("ALTER DATABASE plain SET session_preload_libraries = 'plpgsql'")
    table.ratio("PostgreSQL: pgbench -S, 1000 transactions", "without the extension", alternate(
        2 * bench.runs, lambda: bench.pgbench("loaded"), lambda: bench.pgbench("plain")), 1.05)


# Two workers have processes of their own, and so has their master; none of them ends by itself.
TRAIN_LONG = ("SELECT * FROM small TO TRAIN DNNClassifier WITH model.hidden_units = [64, 64], train.epoch = 10000, "
              "train.batch_size = 1, job.max_workers = 2, job.min_workers = 2 LABEL y INTO long")
POLL = 0.005  # seconds: how exactly an end is seen


def until(condition, what, seconds=60):
    end = time.perf_counter() + seconds
    while not condition():
        if time.perf_counter() > end:
            raise RuntimeError(f"{what}: not within {seconds} s")
        time.sleep(POLL)


def roles_of(server):
    from harness import processes_of
    return processes_of(server.state)


def role_of(server, role):
    """A process of the job that is a supervisor, master or worker."""
    for process in roles_of(server):
        try:
            words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if role.encode() in words[1:3]:
            return process
    raise RuntimeError(f"there is no {role}")


def train_and_hit(bench, hit):
    """Seconds from the blow to psql's end, and to that of the job's last process."""
    with subprocess.Popen(["psql", "-Xq", "-c", TRAIN_LONG], env=bench.environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as psql:
        until(lambda: len(roles_of(bench.server)) >= 4, "supervisor, master and two workers")
        backend = bench.server.execute("SELECT pid FROM pg_stat_activity WHERE query LIKE '%TO TRAIN%' AND pid <> pg_backend_pid()")
        time.sleep(0.3)  # in the midst of learning
        started = time.perf_counter()
        hit(psql, backend[0][0])
        psql.wait()
        answered = time.perf_counter() - started
    until(lambda: not roles_of(bench.server), "the end of the job's processes")
    ended = time.perf_counter() - started
    until(lambda: subprocess.run(["pg_isready", "-q"], env=bench.environment, check=False).returncode == 0,
          "a server that is whole again")
    return answered, ended


def kill_postmaster(server):
    """Another one is started when the job's last process is gone; until then the clock runs."""
    os.kill(server.pid, signal.SIGKILL)

    def start_again():
        until(lambda: not roles_of(server), "the end of the job's processes")
        server.stop(signal.SIGKILL)
        server.start()
    threading.Thread(target=start_again).start()


def train_and_replace(bench, role):
    """Seconds from the blow to another process in the place of the one that was killed; no other is left."""
    taken = []

    def hit(psql, _):
        before, victim = set(roles_of(bench.server)), role_of(bench.server, role)
        started = time.perf_counter()
        os.kill(victim, signal.SIGKILL)
        until(lambda: victim not in roles_of(bench.server) and len(roles_of(bench.server)) >= len(before), f"another {role}")
        taken.append(time.perf_counter() - started)
        psql.send_signal(signal.SIGINT)
    train_and_hit(bench, hit)
    return taken[0]


def interrupts_and_kills(bench, table):
    """The promises of docs/postgres.md for a machine that has nothing else to do: the slowest of all runs counts."""
    bench.psql("CREATE TABLE IF NOT EXISTS small AS SELECT * FROM rows28 LIMIT 1000")
    table.seconds("PostgreSQL: Ctrl-C to the prompt", [
        train_and_hit(bench, lambda psql, backend: psql.send_signal(signal.SIGINT))[0] for _ in range(bench.runs)], 1)
    for name, kill in (("backend", lambda psql, backend: os.kill(backend, signal.SIGKILL)),
                       ("supervisor", lambda psql, backend: os.kill(role_of(bench.server, "supervise"), signal.SIGKILL)),
                       ("postmaster", lambda psql, backend: kill_postmaster(bench.server))):
        table.seconds(f"PostgreSQL: kill -9 of the {name} to the end of the job's last process",
                      [train_and_hit(bench, kill)[1] for _ in range(bench.runs)], 5)
    for role in ("master", "worker"):
        table.seconds(f"PostgreSQL: kill -9 of {'the' if role == 'master' else 'a'} {role} to a job that is whole again",
                      [train_and_replace(bench, role) for _ in range(bench.runs)], 5)


FINISHED, LOOKS = 200, 100


def look_at_jobs(bench, table):
    """Within one connection, as a page that shows jobs asks: the median counts."""
    bench.psql("CREATE TABLE IF NOT EXISTS few AS SELECT y, x1 FROM rows28 LIMIT 20")
    connection = bench.server.connect("bench")
    cursor = connection.cursor()
    for _ in range(FINISHED):
        cursor.execute("SELECT * FROM few TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL y INTO seen")
    times = []
    for _ in range(LOOKS):
        started = time.perf_counter()
        cursor.execute("SELECT count(*) FROM totrain.jobs")
        jobs, = cursor.fetchone()
        times.append(time.perf_counter() - started)
    connection.close()
    if jobs < FINISHED:
        raise RuntimeError(f"totrain.jobs has {jobs} rows after {FINISHED} jobs")
    table.seconds(f"PostgreSQL: count(*) of totrain.jobs, {jobs} jobs, median of {LOOKS}", [statistics.median(times)], 0.001)


CASES = {
    "train": train_one_epoch,
    "read": read_in_parallel,
    "predict": predict_table,
    "function": predict_function,
    "one": predict_one_row,
    "many": predict_many_rows,
    "formulas": exported_formulas,
    "pgbench": ordinary_statements,
    "ends": interrupts_and_kills,
    "jobs": look_at_jobs,
}


def arguments_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", metavar="case", help=f"some of {', '.join(CASES)}; all by default")
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="100,000 rows, 3 runs")
    arguments = parser.parse_intermixed_args(argv)
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"there is no case {', '.join(sorted(unknown))}: {', '.join(CASES)}")
    if arguments.quick:
        arguments.rows, arguments.runs = 100000, 3
    arguments.build = arguments.build.resolve()
    return arguments


def main():
    arguments = arguments_of(sys.argv[1:])
    os.environ["TOTRAIN_BUILD"] = str(arguments.build)
    from server import Server  # reads TOTRAIN_BUILD

    with Server({"session_preload_libraries": "totrain", **SETTINGS}) as server:
        bench = Bench(arguments, server)
        bench.load()
        print(f"{arguments.rows} rows, median of {arguments.runs} alternating runs, "
              f"{server.execute('SHOW server_version')[0][0]}\n")
        table = Table()
        for case in arguments.cases or CASES:
            CASES[case](bench, table)
    sys.exit(0 if table.all_met else 1)


if __name__ == "__main__":
    main()
