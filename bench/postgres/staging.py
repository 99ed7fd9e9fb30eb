"""Processor time of staging a large table: by its session, and by workers that read it themselves (job.read = 'direct').

    /usr/bin/python3 bench/postgres/staging.py BUILD [--rows N] [--workers 1,4,8] [--runs N]

Each run alternates between the session's staging and that of each number of workers, of the same table, which has been
read before. What is counted is user and system time of everybody: all processes of the server, the master and the
workers, their start included, from the statement to the end of staging. Then the workers are paced, and killed.
"""

import argparse
import contextlib
import os
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
FEATURES, PARTITIONS = 12, 8
BAR = 1.3
SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "1h", "autovacuum": "off",
            "wal_level": "replica", "max_wal_senders": "10", "max_connections": "200"}


def statement(workers, more=""):
    return ("SELECT * FROM large TO TRAIN DNNClassifier WITH model.hidden_units = [64, 32], train.epoch = 1, "
            f"train.batch_size = 5000, job.lanes = 16, job.max_workers = {workers}{more} LABEL class INTO there;")


def processor_seconds(process, first, last):
    """Sum of fields of /proc/PID/stat, in seconds, counted as in proc(5)."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[first - 3:last - 2]) / os.sysconf("SC_CLK_TCK")


def make_bench(arguments):
    """A case of the tests' fixture: a server on TCP, whose login of jobs has a password."""
    import test_direct  # reads TOTRAIN_BUILD
    from staged import POD, SETTINGS as OF_TESTS, harness

    class Staging(test_direct.Case):
        settings = {**OF_TESTS, **SETTINGS}
        role_pace = "us=1000000"

        @classmethod
        def prepare(cls, connection):
            super().prepare(connection)
            cursor = connection.cursor()
            columns = ", ".join(f"x{i} real" for i in range(FEATURES))
            values = ", ".join(f"sin(g * {i + 1}) + g % 3" for i in range(FEATURES))
            cursor.execute(f"CREATE TABLE large (part int, class int, {columns}) PARTITION BY LIST (part)")
            for part in range(PARTITIONS):
                cursor.execute(f"CREATE TABLE large_{part} PARTITION OF large FOR VALUES IN ({part})")
            cursor.execute(f"INSERT INTO large SELECT g % {PARTITIONS}, g % 3, {values} "
                           f"FROM generate_series(1, {arguments.rows}) g")
            cursor.execute(f"GRANT SELECT ON large TO alice, bob, {POD}; GRANT USAGE ON SCHEMA totrain TO {POD}; "
                           f"GRANT EXECUTE ON FUNCTION totrain.stage_shard TO {POD}")

        def of_server(self):
            """Processes that have ended, too."""
            found = processor_seconds(self.server.pid, 16, 17)
            for entry in pathlib.Path(f"/proc/{self.server.pid}/task").glob("*/children"):
                for process in entry.read_text(encoding="ascii").split():
                    try:
                        found += processor_seconds(process, 14, 15)
                    except OSError:
                        pass
            return found

        def by_session(self):
            before = self.of_server()
            started = time.perf_counter()
            job = self.stage(statement(8))
            seconds = time.perf_counter() - started
            of_server = self.of_server() - before
            self.execute(f"SELECT totrain.discard({job})", "alice")
            return of_server, 0, seconds

        def by_workers(self, workers):
            before = self.of_server()
            started = time.perf_counter()
            job = self.stage(statement(workers, f", job.min_workers = {workers}, job.read = 'direct'"), workers=workers)
            with self.held() as snapshot:
                master = self.master(job)
                readers = [self.reader(job, i, master, snapshot) for i in range(workers)]
                self.wait_for_shards(job)
                before_settling = (self.of_server() - before, sum(map(self.of_role, (master, *readers))))
                master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
                of_roles = sum(map(self.of_role, (master, *readers)))
                of_server = self.of_server() - before
                seconds = time.perf_counter() - started
                self.kill(master, *readers)
            self.execute(f"SELECT totrain.discard({job})", "alice")
            return of_server, of_roles, seconds, before_settling

        @staticmethod
        def of_role(role):
            return processor_seconds(role.process.pid, 14, 15)

        def wait_for_shards(self, job):
            """All are stored, and one worker begins to settle them, or has begun."""
            spec = self.journal(job, "convert_from(body, 'UTF8')::json->'training'->>'staged_shards'", "number = 1")
            shards = int(spec[0][0])
            with contextlib.closing(self.server.connect(self.database)) as connection, connection.cursor() as cursor:
                stored = 0
                while stored < shards:
                    time.sleep(0.1)
                    cursor.execute("SELECT count(*) FROM generate_series(0, %s - 1) i WHERE EXISTS (SELECT FROM "
                                   f"totrain_jobs.rows_{job} WHERE file = 'train.' || i || '.index' AND piece = 0)", (shards,))
                    stored, = cursor.fetchone()

        def measure(self):
            self.execute("VACUUM (ANALYZE, FREEZE) large")
            self.by_session()
            results = {}
            for _ in range(arguments.runs):
                alone = self.by_session()
                print(f"session: server {alone[0]:.2f} s, {alone[2]:.1f} s", flush=True)
                for workers in arguments.workers:
                    of_server, of_roles, seconds, before = self.by_workers(workers)
                    results.setdefault(workers, []).append((of_server + of_roles) / alone[0])
                    print(f"{workers} workers: server {of_server:.2f} s, roles {of_roles:.2f} s, without settling "
                          f"{before[0]:.2f} and {before[1]:.2f} s; {seconds:.1f} s; "
                          f"ratio {results[workers][-1]:.2f}", flush=True)
            for workers, ratios in results.items():
                print(f"by {workers} workers: {statistics.median(ratios):.2f} x the session's processor time "
                      f"(bar {BAR})")
            self.is_met = all(statistics.median(ratios) <= BAR for ratios in results.values())

        def runTest(self):
            self.measure()

    return Staging


def arguments_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--workers", default="1,4,8", help="numbers of workers")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args(argv)
    arguments.workers = [int(number) for number in arguments.workers.split(",")]
    return arguments


def main():
    arguments = arguments_of(sys.argv[1:])
    os.environ["TOTRAIN_BUILD"] = str(arguments.build.resolve())
    sys.path[:0] = [str(HERE.parents[1] / "tests" / "postgres")]
    bench = make_bench(arguments)
    bench.setUpClass()
    try:
        case = bench()
        case.debug()
    finally:
        bench.doClassCleanups()
    sys.exit(0 if case.is_met else 1)


if __name__ == "__main__":
    main()
