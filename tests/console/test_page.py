"""totrain console: by HTTP, and in Debian's Chromium where that is installed."""

import http.client
import json
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "sqlite"))
import harness  # noqa: E402  pylint: disable=wrong-import-position
import chromium  # noqa: E402  pylint: disable=wrong-import-position
import served  # noqa: E402  pylint: disable=wrong-import-position

HOSTILE = "<script>document.title='taken'</script>"
MODEL = f"m{HOSTILE}"
TRAIN = 'SELECT * FROM "{}" TO TRAIN LinearClassifier WITH train.epoch = 3, job.max_workers = 1 LABEL class INTO "{}"'

LONG = harness.TRAIN_LONG.replace("train.epoch", "job.max_workers = 2, test_size = 0.2, train.early_stopping = 0, train.epoch").replace("batch_size = 1 ", "batch_size = 64 ")


class Case(harness.Case):
    def setUp(self):
        super().setUp()
        with sqlite3.connect(self.path) as database:
            harness.load_csv(database, "iris")
            database.execute(f'CREATE TABLE "{HOSTILE}" AS SELECT *, 1 AS "<img src=x>" FROM iris')
        database.close()

    def train(self, table="iris", model="m"):
        done = self.run_program(self.path, "-c", TRAIN.format(table, model))
        self.assertEqual(done.returncode, 0, done.stderr)

    def console(self, *words):
        return served.Console(self, harness.PROGRAM, self.path, *words)

    def start_long(self):
        """A job that goes on until it is ended; its id."""
        job = subprocess.Popen([harness.PROGRAM, self.path, "--progress=none", "-c", LONG], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
        self.addCleanup(self.stop, job)
        harness.wait_for(lambda: self.rows("SELECT 1 FROM totrain_jobs WHERE state = 'running' AND step > 0"), "a job that learns")
        return self.rows("SELECT max(id) FROM totrain_jobs")[0][0]

    def stop(self, job):
        job.kill()
        job.communicate()
        self.end_what_is_left()

    def rows(self, sql):
        done = self.run_program(self.path, "--format=json", "-c", sql)
        return [tuple(row.values()) for row in json.loads(done.stdout)] if done.stdout else []

    def copy_jobs(self, count):
        """Many jobs that have ended, as copies of the one that has."""
        jobs = self.state / "jobs"
        first = next(job for job in jobs.iterdir() if (job / "job.db").exists())
        for number in range(count):
            shutil.copytree(first, jobs / str(1000 + number), ignore=shutil.ignore_patterns("*.sock"))


class Requests(Case):
    def test_jobs_and_models_come_as_json(self):
        self.train()
        console = self.console()
        jobs = console.get("jobs")
        job = dict(zip(jobs["columns"], jobs["rows"][0]))
        self.assertEqual((job["id"], job["state"], job["model"], job["owner"], jobs["error"]), (1, "done", "m", None, None))
        self.assertEqual(console.get("jobs", since=jobs["version"])["rows"], [])
        detail = console.get("job", id=1)
        self.assertEqual([row[:2] for row in detail["workers"]], [["worker", 0]])
        self.assertIn("joined", [row[3] for row in detail["events"]])
        self.assertEqual(max(row[0] for row in detail["metrics"]), 3)
        rest = console.get("job", id=1, events=detail["events_count"], metrics=1)
        self.assertEqual((rest["events"], rest["metrics"]), ([], detail["metrics"][1:]))
        log = console.get("log", id=1)
        self.assertIn("joined", log["text"])
        self.assertEqual(console.get("log", **{"id": 1, "from": log["next"]}), {"next": log["next"], "text": ""})
        models = console.get("models")
        self.assertEqual(dict(zip(models["columns"], models["rows"][0]))["name"], "m")
        model = console.get("model", name="m")
        self.assertEqual((model["quoted"], model["facts"]["rows"][0]), ('"m"', ["model", "m"]))
        self.assertEqual(model["report"], "REPORT MODEL \"m\" TO 'card.html';")
        answer, picture = console.send("GET", console.path + "picture?name=m&kind=confusion&theme=dark")
        self.assertEqual((answer.getheader("Content-Type"), picture[:4]), ("image/svg+xml", b"<svg"))
        answer, page = console.send("GET", console.path + "report?name=m")
        self.assertIn(b'<section id="drift"', page)
        self.assertIn("sandbox", answer.getheader("Content-Security-Policy"))
        for path, status in (("picture?name=m&kind=roc", 409), ("picture?name=m&kind=nosuch", 404), ("model?name=nosuch", 404),
                             ("log?id=77", 404), ("model?name=m;+DROP+TABLE+iris", 404)):
            answer, data = console.send("GET", console.path + path)
            self.assertEqual((path, answer.status), (path, status))
            self.assertTrue(json.loads(data)["error"])
        self.assertEqual(self.rows("SELECT count(*) FROM iris"), [(150,)])
        self.assertEqual(console.end(), 0)

    def test_strangers_get_nothing(self):
        console = self.console()
        for path, headers, status in (("/", {}, 404), (console.path[:-2] + "x/", {}, 404), (console.path, {"Host": "evil.example"}, 403),
                                      (console.path, {"Host": f"localhost:{console.port}"}, 200)):
            answer, data = console.send("GET", path, **headers)
            self.assertEqual((path, answer.status), (path, status))
            self.assertEqual(status == 200, b"totrain-csrf" in data)
            policy = answer.getheader("Content-Security-Policy")
            self.assertTrue(policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'"), policy)
            self.assertEqual((answer.getheader("X-Content-Type-Options"), answer.getheader("Referrer-Policy")), ("nosniff", "no-referrer"))
        self.assertEqual(console.send("PUT", console.path)[0].status, 501)
        with self.assertRaises(OSError):  # the loopback alone
            socket.create_connection((socket.gethostbyname(socket.gethostname()), console.port), 2).close()
            if socket.gethostbyname(socket.gethostname()).startswith("127."):
                raise OSError

    def test_a_job_is_cancelled_with_both_tokens(self):
        console, job = self.console(), self.start_long()
        token = console.csrf()
        for wrong in (("", None), (token[::-1], None), (token, "http://evil.example"), (token, "null")):
            self.assertEqual(console.post("cancel", *wrong, id=job)[0], 403)
        self.assertEqual(console.post("scale", token, id=job, workers=0)[0], 400)
        self.assertEqual(console.post("scale", token, id=job, workers=1), (200, b'{"done":true}\n'))
        harness.wait_for(lambda: self.rows(f"SELECT 1 FROM totrain_events WHERE job = {job} AND event = 'wanted'"), "the wish")
        self.assertEqual(console.post("cancel", token, id=job)[0], 200)
        harness.wait_for(lambda: self.rows(f"SELECT state FROM totrain_jobs WHERE id = {job}") == [("cancelled",)], "its end")
        status, answer = console.post("cancel", token, id=77)
        self.assertEqual(status, 404)
        self.assertIn("no job 77", json.loads(answer)["error"])

    def test_a_slow_browser_blocks_nobody_and_ctrl_c_leaves_nothing(self):
        self.train()
        self.copy_jobs(300)
        console = self.console()
        before = sorted(path.name for path in self.folder.rglob("*"))
        slow = [socket.create_connection(("127.0.0.1", console.port)) for _ in range(20)]
        for one in slow:  # answers that are never read
            one.sendall(f"GET {console.path}jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() * 20)
        slow[0].sendall(b"GET / HT")
        self.assertEqual(len(console.get("jobs")["rows"]), 301)
        self.assertEqual(sorted(path.name for path in self.folder.rglob("*")), before)
        self.assertEqual(console.end(), 0)
        for one in slow:
            one.close()
        self.check_nothing_runs()

    def test_streams_tell_that_something_changed(self):
        console = self.console()
        stream = http.client.HTTPConnection("127.0.0.1", console.port, timeout=harness.DEADLINE)
        stream.request("GET", console.path + "stream")
        answer = stream.getresponse()
        self.assertEqual(answer.getheader("Content-Type"), "text/event-stream")
        first = [answer.readline() for _ in range(3)]
        self.assertEqual((first[0], first[2]), (b"event: tick\n", b"\n"))
        self.train()
        while int(re.search(rb"\d+", (line := answer.readline()) + b"0").group()) <= int(first[1].split()[1]) or not line.startswith(b"data"):
            pass
        self.assertTrue(console.get("jobs")["rows"])
        stream.close()

    def test_mistakes_of_the_command(self):
        for words, error in (((), "console takes a database"), ((self.path, "x"), "a port is a number"), ((self.path, "70000"), "a port"),
                             (("nothing.db",), "No such file"), ((self.path, "1", "2"), "console takes")):
            done = self.run_program("console", *words)
            self.assertIn(error, done.stderr)
            self.assertNotEqual(done.returncode, 0)
        console = self.console()
        done = self.run_program("console", self.path, str(console.port))
        self.assertIn("Address already in use", done.stderr)


@unittest.skipUnless(chromium.is_there(), "Debian's package chromium is not installed")
class Browser(Case):
    def page(self, console, view="jobs", **options):
        page = chromium.Page(**options)
        self.addCleanup(page.close)
        page.open(console.address + f"#{view}")
        page.wait_for("document.getElementById('state')?.textContent === 'Live'", "the console's page")
        return page

    def check_no_problem(self, page):
        self.assertEqual(page.problems(), [])

    def test_names_of_a_database_are_no_markup(self):
        self.train(HOSTILE, MODEL)
        console = self.console()
        page = self.page(console)
        page.wait_for("document.querySelectorAll('#jobs tbody tr').length === 1", "the job")
        self.assertEqual(page.value("document.querySelector('#jobs td.name').textContent"), MODEL)
        for view in ("job/1", "models", f"model/{urllib.parse.quote(MODEL, safe='')}"):
            page.value(f"location.hash = {json.dumps(view)}")
            page.wait_for(f"document.getElementById('main').innerText.includes({json.dumps(MODEL)})", "the name")
            self.assertEqual(page.value("document.scripts.length"), 1)
            self.assertFalse(page.value("document.title.includes('taken') || !!document.querySelector('img[src=\"x\"]')"))
        page.wait_for("document.querySelector('.drawn img')?.naturalWidth > 100", "the picture")
        self.check_no_problem(page)

    def test_a_job_is_watched_and_cancelled_by_the_keyboard(self):
        job = self.start_long()
        console = self.console()
        page = self.page(console, width=420, theme="dark")
        page.wait_for("document.querySelector('#jobs tbody a')", "the job")
        page.value("document.querySelector('#jobs tbody a').focus()")
        page.press("Enter", 13, "\r")
        page.wait_for("document.querySelector('#job-curves path.train')", "a curve")
        page.wait_for("document.querySelector('#job-timeline rect.present')", "the timeline")
        score = "[...document.querySelectorAll('#job-curves figure')].find((f) => f.innerText.startsWith('Accuracy on validation rows'))"
        page.wait_for(f"{score}?.querySelector('svg path.validation')", "the curve of the score")
        curve = page.value(f"{score}.querySelector('svg path.validation').getAttribute('d')")
        page.wait_for(f"{score}.querySelector('svg path.validation').getAttribute('d') !== {json.dumps(curve)}", "the score's next value")
        step = page.value("document.getElementById('job-facts').innerText")
        page.wait_for(f"document.getElementById('job-facts').innerText !== {json.dumps(step)}", "progress without a reload")
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 420)
        page.value("document.getElementById('job-log-details').open = true")
        page.wait_for("document.getElementById('job-log').textContent.includes('joined')", "the log")
        page.wait_for("document.getElementById('cancel')", "the button")
        page.value("document.getElementById('cancel').focus()")
        page.press("Enter", 13, "\r")
        page.wait_for("document.getElementById('confirm').open", "the question")
        self.assertEqual(page.value("document.activeElement.id"), "confirm-no")
        page.press("Escape", 27)
        page.wait_for("!document.getElementById('confirm').open", "the end of the question")
        self.assertEqual(self.rows(f"SELECT state FROM totrain_jobs WHERE id = {job}"), [("running",)])
        page.value("document.getElementById('cancel').click()")
        page.value("document.getElementById('confirm-yes').click()")
        page.wait_for("document.getElementById('job-facts').innerText.includes('cancelled')", "its end on the page")
        self.check_no_problem(page)

    def test_a_thousand_jobs_are_listed_and_found(self):
        self.train()
        self.copy_jobs(999)
        page = self.page(self.console())
        page.wait_for("document.querySelectorAll('#jobs tbody tr').length === 1000", "a thousand jobs")
        page.value("document.getElementById('filter-text').focus()")
        page.type("1998")
        page.wait_for("document.querySelectorAll('#jobs tbody tr').length === 1", "the one that is looked for")
        self.assertEqual(page.value("document.querySelector('#jobs tbody a').textContent"), "1998")
        self.assertEqual(page.value("document.getElementById('job-count').textContent"), "1 of 1000 jobs")
        self.check_no_problem(page)

    def test_charts_have_units_and_no_label_is_cut(self):
        self.train()
        job = next(job for job in (self.state / "jobs").iterdir() if (job / "job.db").exists())
        with sqlite3.connect(job / "job.db") as store:
            store.executemany("INSERT OR REPLACE INTO metrics (epoch, step, metric, part, value) VALUES (?, ?, ?, ?, ?)", (
                (epoch, 1000 * epoch, metric, part, value / epoch) for epoch in range(1, 4) for metric, part, value in (
                    ("loss", "train", 1234567.8), ("loss", "validation", 2345678.9), ("score", "validation", 0.9))))
        store.close()
        console = self.console()
        for width in (1280, 420):
            page = self.page(console, "job/1", width=width)
            page.wait_for("document.querySelectorAll('#job-curves figure').length === 2", "two charts")
            self.assertEqual(page.value("[...document.querySelectorAll('#job-curves figure')].map((f) => f.innerText.split('\\n').map((t) => t.trim()).filter(Boolean).slice(0, 2))"),
                             [["Loss", "training 411,520"], ["Accuracy on validation rows", "validation 0.3"]])
            self.assertEqual(page.value("[...document.querySelectorAll('#job-curves .unit')].map((t) => t.textContent)"), ["loss", "share of rows"])
            self.assertEqual(page.value("""[...document.querySelectorAll('#job-curves figure > svg')].flatMap((chart) => {
                const [width, height] = chart.getAttribute('viewBox').split(' ').slice(2).map(Number);
                return [...chart.querySelectorAll('text')].filter((text) => {
                    const box = text.getBBox();
                    return box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height;
                }).map((text) => text.textContent);
            })"""), [])
            self.check_no_problem(page)

    def test_a_timeline_has_two_hundred_workers(self):
        self.train()
        job = next(job for job in (self.state / "jobs").iterdir() if (job / "job.db").exists())
        with sqlite3.connect(job / "job.db") as store:
            store.executemany("INSERT INTO events VALUES (0, 'worker', ?, 'joined', 'incarnation 0, phase 0')",
                              ((index,) for index in range(1, 200)))
        store.close()
        page = self.page(self.console(), "job/1")
        page.wait_for("document.querySelectorAll('#job-timeline rect.present').length >= 200", "two hundred workers")
        self.assertEqual(page.value("""(() => {
            const boxes = [...document.querySelectorAll('#job-timeline text')].filter((t) => t.getAttribute('text-anchor') === 'end')
                .map((t) => t.getBoundingClientRect());
            return boxes.some((box, i) => i > 0 && box.top < boxes[i - 1].bottom - 4);
        })()"""), False)  # no name lies over another
        self.check_no_problem(page)


if __name__ == "__main__":
    harness.main()
