"""totrain console on PostgreSQL: the jobs of the server and the models, with the rights of the login."""

import json
import pathlib
import sys

import harness
import program
from harness import run_statement

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "console"))
import served  # noqa: E402  pylint: disable=wrong-import-position

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 3 LABEL class INTO {}"


class Console(program.Case):
    def console(self, user=harness.SUPERUSER):
        return served.Console(self, program.PROGRAM, "postgres://", env=self.environment(user))

    def test_jobs_and_models_of_the_server(self):
        run_statement(self.connect().cursor(), TRAIN.format("public.m"))
        console = self.console()
        jobs = console.get("jobs")
        job = dict(zip(jobs["columns"], jobs["rows"][0]))
        self.assertEqual((job["owner"], job["state"], job["model"], jobs["error"]), (None, "done", "m", None))
        detail = console.get("job", id=job["id"])
        self.assertIn("joined", [row[3] for row in detail["events"]])
        self.assertEqual(max(row[0] for row in detail["metrics"]), 3)
        log = console.get("log", id=job["id"])
        self.assertIn("joined", log["text"])
        self.assertEqual(console.get("log", **{"id": job["id"], "from": log["next"]}), {"next": log["next"], "text": ""})
        model = dict(zip((models := console.get("models"))["columns"], models["rows"][0]))
        shown = console.get("model", name=model["name"])
        self.assertEqual(shown["facts"]["rows"][0], ["model", "m"])
        cursor = self.connect().cursor()
        cursor.execute(shown["report"])
        self.assertIn('<section id="drift"', cursor.fetchone()[0])
        self.assertEqual(console.send("GET", f"{console.path}picture?name={model['name']}&kind=confusion")[1][:4], b"<svg")
        self.assertIn(b'<section id="drift"', console.send("GET", f"{console.path}report?name={model['name']}")[1])
        status, answer = console.post("cancel", console.csrf(), id=77)
        self.assertEqual(status, 409)
        self.assertIn("no job 77", json.loads(answer)["error"])
        self.assertEqual(console.end(), 0)

    def test_a_login_sees_what_it_may_see(self):
        self.execute("CREATE ROLE plain LOGIN; GRANT CREATE ON SCHEMA public TO plain; GRANT totrain_user TO plain; "
                     "GRANT SELECT ON iris TO plain; CREATE ROLE nobody LOGIN")
        self.addCleanup(self.server.execute, "DROP ROLE plain; DROP ROLE nobody")
        self.addCleanup(self.execute, "DROP OWNED BY plain")
        run_statement(self.connect().cursor(), TRAIN.format("m"))
        run_statement(self.connect("plain").cursor(), TRAIN.format("theirs"))
        theirs = self.console("plain")
        self.assertEqual([row[4] for row in theirs.get("jobs")["rows"]], ["theirs"])
        self.assertEqual([row[0] for row in theirs.get("models")["rows"]], ["theirs"])
        console = self.console()
        self.assertCountEqual([(row[0], row[4]) for row in console.get("jobs")["rows"]], [(None, "m"), ("plain", "theirs")])
        other = next(row for row in console.get("jobs")["rows"] if row[0])
        self.assertTrue(console.get("job", id=other[1], owner="plain")["events"])
        self.assertIn("joined", console.get("log", id=other[1], owner="plain")["text"])
        answer, data = theirs.send("GET", f"{theirs.path}log?id={other[1]}&owner={harness.SUPERUSER}")
        self.assertIn("permission denied to read logs", json.loads(data)["error"])
        answer, data = console.send("GET", f"{console.path}report?name=theirs")
        self.assertEqual(answer.status, 403)  # its statement is another role's
        self.assertIn("is not run", json.loads(data)["error"])
        refused = self.run_program("postgres://", address="console", user="nobody")
        self.assertIn("permission denied", refused.stderr)
        self.assertEqual(refused.returncode, 4)


harness.main()
