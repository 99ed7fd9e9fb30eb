"""/metrics and /healthz of a running job, read as strictly as Prometheus reads them."""

import http.client
import math
import os
import re
import signal
import socket
import sqlite3
import subprocess

import harness

LONG = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [64, 64], "
        "train.epoch = 1000000, train.batch_size = 32, train.test_size = 0.2, "
        "job.metrics = '{address}', {more}job.wait = false LABEL class INTO {model};")

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)?\}})? (\S+)")


def parse(text):
    """The text format, version 0.0.4: {name: (type, help, {labels: value})}. Every family has one HELP
    and one TYPE before its samples, which stand together; no sample is there twice."""
    assert text.endswith("\n"), "the last line has no end"
    families, current = {}, None
    for line in text[:-1].split("\n"):
        comment = re.fullmatch(rf"# (HELP|TYPE) ({NAME}) (.+)", line)
        if comment:
            kind, name, rest = comment.groups()
            if kind == "HELP":
                assert name not in families, f"{name} comes again"
                families[name] = [None, rest, {}]
            else:
                assert name == current and families[name][0] is None, line
                assert rest in ("counter", "gauge"), line
                families[name][0] = rest
            current = name
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, f"not a sample: {line!r}"
        name, labels, value = sample.groups()
        assert name == current and families[name][0], f"{name} stands alone"
        assert (families[name][0] == "counter") == name.endswith("_total"), name
        assert name.startswith("totrain_"), name
        assert labels not in families[name][2], line
        assert math.isfinite(float(value)), line
        families[name][2][labels] = float(value)
    assert all(kind and samples for kind, _, samples in families.values())
    return families


class Metrics(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.addCleanup(self.end_what_is_left)

    def start(self, address="0", more="", model="iris_model"):
        """A job that serves; its id and where."""
        database = self.connect(isolation_level=None)
        (_, _, _, job), = database.execute(LONG.format(address=address, more=more, model=model)).fetchall()
        job = int(job)
        database.close()
        return job, self.wait_for_address(job)

    def command_of(self, pid):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""

    def wait_for_address(self, job, when="epoch > 0"):
        store = f"file:{self.state}/jobs/{job}/job.db?mode=ro"
        found = []

        def has_address():
            database = sqlite3.connect(store, uri=True)
            rows = database.execute(f"SELECT metrics FROM job WHERE {when}").fetchall()
            database.close()
            found[:] = [address for address, in rows if address]
            return found
        harness.wait_for(has_address, "an address")
        return found[0]  # the address found: a next master may have begun its row

    def get(self, address, path, method="GET", **options):
        host, port = address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=harness.DEADLINE)
        connection.request(method, path, **options)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer, body

    def test_a_running_job_is_read_by_prometheus(self):
        job, address = self.start(more="job.max_workers = 2, ", model='"a \\ ""quoted"" name"')
        self.assertRegex(address, r"^127\.0\.0\.1:[1-9]\d*$")
        answer, body = self.get(address, "/metrics")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        families = parse(body)
        self.assertEqual(families["totrain_job_info"][2],
                         {f'job="{job}",model="a \\\\ \\"quoted\\" name"': 1})
        states = families["totrain_job_state"][2]
        self.assertEqual((sum(states.values()), states['state="running"']), (1, 1))
        first = families["totrain_step"][2][None]
        harness.wait_for(lambda: parse(self.get(address, "/metrics")[1])["totrain_step"][2][None] > first,
                         "steps")
        harness.wait_for(lambda: {"totrain_goodput_ratio", "totrain_validation_loss"} <=
                         set(parse(self.get(address, "/metrics")[1])), "what is known later")
        families = parse(self.get(address, "/metrics")[1])
        self.assertGreater(families["totrain_rows_applied"][2][None], 0)
        self.assertEqual(families["totrain_rows_redone_total"][2][None], 0)
        self.assertTrue(0 < families["totrain_goodput_ratio"][2][None] <= 1)
        self.assertGreater(families["totrain_slot_seconds_total"][2][None], 0)
        self.assertLessEqual(set(families["totrain_worker_lanes"][2]), {'worker="0"', 'worker="1"'})

    def test_a_job_that_scores_is_read_as_well(self):
        database = self.connect(isolation_level=None)
        database.execute("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 "
                         "LABEL class INTO m")
        self.pace(5000)
        (job, _), = database.execute(
            "SELECT a.* FROM iris a, (SELECT 1 FROM iris LIMIT 100) TO PREDICT p.class WITH "
            "job.metrics = '0', job.max_workers = 2, job.wait = false USING m").fetchall()
        address = self.wait_for_address(int(job), "rows_done > 0")

        def value(name):
            return parse(self.get(address, "/metrics")[1])[f"totrain_{name}"][2][None]
        self.assertEqual(self.get(address, "/healthz")[1], "ok\n")
        self.assertEqual((value("rows"), value("rows_bad"), value("workers_wanted")), (15000, 0, 2))
        first = value("rows_scored")
        harness.wait_for(lambda: value("rows_scored") > first, "rows")
        self.assertGreater(value("shards_leased"), 0)
        self.assertTrue(0 < value("goodput_ratio") <= 1)
        self.assertGreater(value("slot_seconds_total"), 0)
        states = parse(self.get(address, "/metrics")[1])["totrain_job_state"][2]
        self.assertEqual((sum(states.values()), states['state="running"']), (1, 1))
        self.hurry(lambda: database.execute("SELECT state FROM totrain_jobs WHERE id = ?",
                                            (int(job),)).fetchone() == ("done",), "the job's end")
        goodput, slots, seconds = database.execute(
            "SELECT goodput, slot_seconds, seconds FROM totrain_jobs WHERE id = ?", (int(job),)).fetchone()
        self.assertTrue(0 < goodput <= 1, goodput)
        self.assertTrue(0 < slots <= 2 * seconds + 1, (slots, seconds))

    def test_it_is_healthy_and_has_no_other_page(self):
        _, address = self.start()
        answer, body = self.get(address, "/healthz")
        self.assertEqual((answer.status, body), (200, "ok\n"))
        for path in ("/", "/metrics/", "/metric", "/%00", "/../metrics"):
            self.assertEqual(self.get(address, path)[0].status, 404, path)
        self.assertEqual(self.get(address, "/metrics?x=1")[0].status, 200)
        answer, body = self.get(address, "/metrics", "HEAD")
        self.assertEqual((answer.status, body), (200, ""))

    def test_what_is_no_such_request_disturbs_nobody(self):
        job, address = self.start()
        self.assertGreaterEqual(self.get(address, "/metrics", "DELETE")[0].status, 400)
        self.assertGreaterEqual(self.get(address, "/metrics", "POST", body="x" * 100000)[0].status, 400)
        self.assertGreaterEqual(self.get(address, "/metrics",
                                         headers={"X": "y" * 20000})[0].status, 400)
        host, port = address.rsplit(":", 1)
        silent = [socket.create_connection((host, int(port))) for _ in range(50)]
        silent[0].sendall(b"\0\xff garbage without an end")
        silent[1].sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n")
        self.assertEqual(self.get(address, "/healthz")[0].status, 200)
        silent[1].settimeout(harness.DEADLINE)
        while silent[1].recv(4096):  # it is closed, in its time
            pass
        for connection in silent:
            connection.close()
        before = parse(self.get(address, "/metrics")[1])["totrain_step"][2][None]
        harness.wait_for(lambda: parse(self.get(address, "/metrics")[1])["totrain_step"][2][None] > before,
                         "steps")

    def test_many_clients_wait_outside_and_are_answered_in_the_end(self):
        job, address = self.start(more="job.max_workers = 2, ")  # with a master of its own
        host, port = address.rsplit(":", 1)

        def connections():
            """Those of clients that the master has accepted: those that still wait have no inode."""
            with open("/proc/net/tcp", encoding="ascii") as file:
                lines = [line.split() for line in file][1:]
            return sum(int(line[1].split(":")[1], 16) == int(port) and line[3] == "01" and line[9] != "0"
                       for line in lines)
        clients = [socket.create_connection((host, int(port))) for _ in range(80)]
        harness.wait_for(lambda: connections() == 64, "as many clients as may be")
        for client in clients:  # those who wait are silent no longer
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        answers = []
        for client in clients:
            client.settimeout(harness.DEADLINE)
            answers.append(b"".join(iter(lambda: client.recv(4096), b"")))
            client.close()
            self.assertLessEqual(connections(), 64)
        self.assertEqual({answer[:15] for answer in answers}, {b"HTTP/1.1 200 OK"})
        harness.wait_for(lambda: connections() == 0, "the end of all clients")

    def test_the_next_master_serves_again(self):
        job, address = self.start(more="job.max_workers = 2, ")

        def masters():
            return [pid for pid in harness.processes_of(self.state) if b"\0master\0" in self.command_of(pid)]

        def answer():
            try:
                return parse(self.get(self.wait_for_address(job), "/metrics")[1])
            except OSError:
                return None  # not bound yet, or the row is still the old master's
        old = masters()
        self.assertEqual(len(old), 1)
        os.kill(old[0], signal.SIGKILL)
        harness.wait_for(lambda: masters() and masters() != old, "the next master")
        harness.wait_for(answer, "an answer of the next master")
        harness.wait_for(lambda: (answer() or {}).get("totrain_step", [0, 0, {None: 0}])[2][None] > 0, "steps")

    def printed(self):
        done = self.run_program("metrics")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return parse(done.stdout) if done.stdout else {}

    def state_of(self, job, families):
        found = [labels for labels in families["totrain_job_state"][2] if f'job="{job}"' in labels]
        self.assertEqual(len(found), 1)
        return re.search('state="(.*)"', found[0]).group(1)

    def test_a_job_that_waits_for_slots_answers(self):
        """By itself, and among all jobs."""
        with socket.socket(socket.AF_UNIX) as broker:
            broker.bind(str(self.folder / "broker"))
            broker.listen()
            os.environ["TOTRAIN_SLOTS"] = str(self.folder / "broker")
            self.addCleanup(os.environ.pop, "TOTRAIN_SLOTS")
            database = self.connect(isolation_level=None)
            (_, _, _, job), = database.execute(LONG.format(address="0", more="job.max_workers = 2, ", model="m")).fetchall()
            connection = broker.accept()[0]
            connection.sendall(b"slots 0\n")
            families = parse(self.get(self.wait_for_address(int(job), "true"), "/metrics")[1])
            self.assertEqual(families["totrain_job_state"][2]['state="waiting"'], 1)
            self.assertEqual(self.state_of(int(job), self.printed()), "waiting")
            connection.close()
        self.run_program("cancel", int(job))

    def test_a_job_that_has_ended_has_samples(self):
        self.assertEqual(self.printed(), {})
        train = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 5, "
                 "train.batch_size = 32, train.test_size = 0.2 LABEL class INTO m;")
        self.assertEqual(self.run_program(self.path, "-c", train).returncode, 0)
        families = self.printed()
        self.assertEqual(self.state_of(1, families), "done")
        self.assertEqual(families["totrain_step"][2]['job="1"'], families["totrain_steps"][2]['job="1"'])
        self.assertEqual(families["totrain_rows_applied"][2]['job="1"'], 5 * 120)
        loss, = self.connect().execute("SELECT validation_loss FROM totrain_jobs WHERE id = 1").fetchone()
        self.assertEqual(families["totrain_validation_loss"][2]['job="1"'], loss)

    def test_all_jobs_are_served_until_the_program_is_ended(self):
        job, _ = self.start()
        server = subprocess.Popen([harness.PROGRAM, "metrics", "0"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        address = re.fullmatch("serves http://(.*)/metrics\n", server.stdout.readline()).group(1)
        answer, body = self.get(address, "/metrics")
        self.assertEqual((answer.status, self.state_of(job, parse(body))), (200, "running"))
        self.run_program("cancel", job)
        harness.wait_for(lambda: self.state_of(job, parse(self.get(address, "/metrics")[1])) == "cancelled", "its end")
        self.assertEqual(self.get(address, "/")[0].status, 404)

    def test_what_is_no_address_is_refused(self):
        for words, problem in ((("example:80",), "an address is PORT or IP:PORT"), (("1", "2"), "usage: totrain metrics")):
            done = self.run_program("metrics", *words)
            self.assertEqual((done.returncode, problem in done.stderr), (2, True), done.stderr)

    def test_an_address_that_cannot_be_had_fails_the_statement(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            done = self.run_program(self.path, "-c", LONG.format(address=port, more="", model="m")
                                    .replace("job.wait = false", "job.wait = true"))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(f"job.metrics cannot be served at 127.0.0.1 port {port}", done.stderr)
        self.check_nothing_runs()

    def test_nothing_is_served_unless_asked_for(self):
        database = self.connect()
        database.execute(harness.TRAIN_IRIS).fetchall()
        self.assertEqual(database.execute("SELECT metrics FROM totrain_jobs").fetchall(), [(None,)])


harness.main()
