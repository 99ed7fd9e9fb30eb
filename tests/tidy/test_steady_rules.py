"""Problems that tests/tidy/steady_rules.py finds, and texts that it leaves alone."""

import textwrap
import unittest

from steady_rules import problems_of


class SteadyRules(unittest.TestCase):
    def check(self, *lines, body, name="tests/postgres/test_x.py"):
        """These lines of the function's body, counted from 1, have a problem each, and no others."""
        body = textwrap.dedent(body).strip("\n")
        text = f"class Case:\n    def test_it(self, job, session):\n{textwrap.indent(body, ' ' * 8)}\n"
        found = [int(problem.split(":")[1]) - 2 for problem in problems_of(name, text)]
        self.assertEqual(found, list(lines), body)

    def test_a_state_is_read_once(self):
        for event in ("os.kill(pid, signal.SIGKILL)", "session.wait()", "self.server.stop()", "self.send(session, signal.SIGTERM)",
                      "self.execute(f'SELECT pg_terminate_backend({pid})')", "with session: session.communicate()"):
            for reading in ("self.assertEqual(self.execute('SELECT state FROM totrain.jobs'), [('done',)])",
                            "job, = self.execute('SELECT id FROM totrain.jobs')",
                            "self.assertIn('restored', job.log())", "if job.query('SELECT 1 FROM events'): pass"):
                self.check(2, body=f"{event}\n{reading}")
                self.check(body=f"{reading}\n{event}")

    def test_a_function_of_the_file_reads_it(self):
        text = ("def state(job):\n    return execute(f'SELECT state FROM totrain.jobs WHERE id = {job}')\n\n\n"
                "def test_it(job):\n    job.kill()\n    assert state(job) == 'done'\n")
        self.assertEqual([problem.split(":")[1] for problem in problems_of("tests/sqlite/test_x.py", text)], ["7"])

    def test_it_is_waited_for(self):
        self.check(body="""
            session.kill()
            self.eventually("SELECT state FROM totrain.jobs", [("done",)])
            wait_for(lambda: self.execute("SELECT 1 FROM totrain.jobs"), "a job")

            def is_told():
                return "restored" in job.log()
            wait_for(is_told, "a line")""")

    def test_it_is_settled(self):
        self.check(body="session.kill()\njob.end()\nself.assertIn('restored', job.log())")
        self.check(body="session.kill()\nx = job.log()  # settled: nobody writes any more")
        self.check(body="session.kill()\n# settled: nobody writes any more\nx = job.log()")
        self.check(2, body="session.kill()\nx = job.log()  # settled:")

    def test_what_nobody_else_changes_may_be_read_at_once(self):
        self.check(body="session.kill()\nx = self.execute('SELECT count(*) FROM t')")
        self.check(body="session.kill()\nself.execute(f'DROP TABLE totrain_jobs.input_{job}')")

    def test_pauses(self):
        for pause in ("time.sleep(1)", "select.select([], [], [], .3)", "self.execute('SELECT pg_sleep(2)')",
                      "self.execute(f'SELECT pg_sleep({seconds})')"):
            for name in ("tests/postgres/test_x.py", "tests/postgres/harness.py"):
                self.check(1, body=pause, name=name)
            self.check(body=pause, name="tests/waiting.py")
        self.check(body="select.select([file], [], [], 3)\nself.start('SELECT pg_sleep(600)')")


if __name__ == "__main__":
    unittest.main()
