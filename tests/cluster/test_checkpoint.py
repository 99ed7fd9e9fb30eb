"""Jobs of which nothing is left but the folder, or a worker's last word.

    test_checkpoint.py JOB_ROLES IRIS_CSV

The oracle is the digest of the undisturbed run with one worker.
"""

import os
import pathlib
import signal
import sqlite3
import subprocess

import job as harness
from job import POINTS, state_of, wait_for


LONG = 1000 // harness.SLOW  # epochs: some checkpoints and progress events


class NamedPointTest(harness.JobTest):
    """The model is large enough for every worker to own a segment of the sums."""

    units = 1024

    def test_everything_is_killed_at_a_named_point_of_a_step(self):
        """The worker that stops is one that came after the checkpoint."""
        for point in POINTS:
            with self.subTest(point=point):
                job = self.job(2, epochs=harness.LONG, checkpoint=0.05,
                               fault=f"role=worker,index=1,attempt=1,point={point},action=stop")
                job.wait_for_event_row("checkpoint")
                os.kill(job.pid_of("worker", 1), signal.SIGKILL)
                job.wait_for_stop("worker", 1)
                job.end_everything()
                job.start()
                self.assertEqual(job.end(), 0, job.last)
                self.assertEqual(job.digest(), self.digest_of(epochs=harness.LONG))
                self.assertIn("restored", job.log())


class LargeStateTest(harness.JobTest):
    """The state goes in many pieces, to a worker in more than one window of them."""

    units = 8192
    columns = 60  # x 8192 units x 12 bytes: 5.9 MB
    epochs = 60

    @classmethod
    def job(cls, *arguments, **named):
        path = pathlib.Path(cls.temporary.name) / "wide.csv"
        if not path.exists():
            cells = [line.split(",") for line in pathlib.Path(harness.CSV).read_text(encoding="ascii").split()]
            header = [f"{cells[0][i % 4]}{i}" for i in range(cls.columns)] + ["class"]
            rows = [[row[i % 4] for i in range(cls.columns)] + row[4:] for row in cells[1:]]
            path.write_text("".join(",".join(row) + "\n" for row in [header, *rows]), encoding="ascii")
        return super().job(*arguments, csv=path, **named)

    def test_a_worker_comes_back_and_everything_is_killed(self):
        job = self.job(2, least=1, epochs=self.epochs, checkpoint=0.05)
        job.wait_for("progress", 1)
        os.kill(job.pid_of("worker", 1), signal.SIGKILL)
        job.wait_for_event_row("checkpoint")
        # settled: the event comes when a checkpoint is stored, and one stays
        (size,) = job.query("SELECT bytes FROM checkpoint")[0]
        self.assertGreater(size, 5 << 20)
        wait_for(lambda: len(job.query("SELECT 1 FROM events WHERE event = 'joined' AND \"index\" = 1")) > 1,
                 "worker 1 to come back")
        job.wait_for("progress", job.last["step"] + 1)
        job.end_everything()
        job.start()
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=self.epochs))
        self.assertIn("restored", job.log())


class LongCase(harness.JobTest):
    def check_long(self, job):
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=LONG))


class CheckpointTest(LongCase):
    def test_the_only_worker_that_is_asked_to_go_leaves_its_state(self):
        job = self.job(2, least=1, epochs=LONG)
        for index in (0, 1):
            job.wait_for("progress", (job.last or {"step": 0})["step"] + 1)
            os.kill(job.pid_of("worker", index), signal.SIGTERM)
        self.check_long(job)
        self.assertEqual(job.query("SELECT rows_redone FROM job"), [(0,)])

    def end_behind_the_checkpoint(self, job):
        """At a moment when the books have more rows than the checkpoint: only what they know of
        is counted as redone."""
        while True:
            job.wait_for("progress")
            leader = job.pid_of("master") or job.process.pid
            os.kill(leader, signal.SIGSTOP)
            wait_for(lambda: state_of(leader) == "T", "the leader to stop")
            # settled: who writes it stands still
            more = job.query("SELECT 1 FROM job WHERE rows_done > (SELECT max(rows_done) FROM checkpoint)")
            if more:
                job.end_everything()
                return
            os.kill(leader, signal.SIGCONT)

    def test_everything_is_killed_and_goes_on_from_the_checkpoint(self):
        for workers in (1, 3):
            with self.subTest(workers=workers):
                job = self.job(workers, least=1, epochs=LONG, checkpoint=0.05)
                for pace in (job.pace, None):
                    self.end_behind_the_checkpoint(job)
                    job.start(pace=pace)
                self.check_long(job)
                self.assertEqual(len(job.query("SELECT * FROM events WHERE event = 'restored'")), 2)
                metrics = job.query("SELECT epoch, step, metric, part FROM metrics")
                self.assertEqual(len(metrics), 4 * LONG)
                redone, = job.query("SELECT rows_redone FROM job")[0]
                self.assertGreater(redone, 0)

    def test_everything_is_killed_before_there_is_a_checkpoint(self):
        for workers in (1, 2):
            with self.subTest(workers=workers):
                job = self.job(workers, least=1, epochs=LONG)
                job.wait_for("progress", 1)
                job.end_everything()
                job.start()
                self.check_long(job)

    def test_everything_is_killed_at_a_named_point_of_a_checkpoint(self):
        for point in ("checkpoint_piece", "checkpoint_before", "checkpoint_after"):
            with self.subTest(point=point):
                job = self.job(2, least=1, epochs=LONG, checkpoint=0.05,
                               fault=f"role=master,point={point},action=stop")
                job.wait_for_stop("master")
                job.end_everything()
                job.start()
                self.check_long(job)
                self.assertEqual("restored" in job.log(), point == "checkpoint_after")

    def test_all_workers_are_killed_and_the_master_has_the_checkpoint(self):
        job = self.job(2, least=1, epochs=LONG, checkpoint=0.05)
        job.wait_for_event_row("checkpoint")
        for pid in [job.pid_of("worker", index) for index in (0, 1)]:
            os.kill(pid, signal.SIGKILL)
        self.check_long(job)

    def check_whole(self, job):
        """Checks that each checkpoint has all of its pieces."""
        self.assertEqual(
            job.query("SELECT id, bytes FROM checkpoint ORDER BY id"),
            job.query("SELECT c.id, sum(length(p.bytes)) FROM checkpoint_pieces p, checkpoint c"
                      " WHERE p.checkpoint = c.id GROUP BY c.id ORDER BY c.id"))

    def test_a_store_without_room_for_a_checkpoint_keeps_the_one_that_it_has(self):
        for point in ("checkpoint_piece", "checkpoint_before"):
            with self.subTest(point=point):
                job = self.job(2, least=1, epochs=LONG, checkpoint=0.05)
                job.wait_for_event_row("checkpoint")
                job.end_everything()
                kept = job.query("SELECT id, step FROM checkpoint ORDER BY id")
                job.start(fault=f"role=master,point={point},action=no_room", pace=job.pace)
                wait_for(lambda: job.log().count("checkpoint: the job's store: database or disk is full") > 1, "two refusals")
                job.end_everything()
                self.assertIn(kept[-1], job.query("SELECT id, step FROM checkpoint"))  # an older one may make room
                self.check_whole(job)
                job.start()
                self.check_long(job)
                self.assertEqual(len(job.query("SELECT * FROM events WHERE event = 'restored'")), 2)

    def test_a_full_disk_loses_nothing_whichever_write_it_refuses(self):
        job = self.job(2, least=1, epochs=800, units=8000, checkpoint=0.05, limit=1_400_000)
        if job.end() != 0:  # for rows that the job cannot do without, and it says so
            self.assertIn("the job's store: ", job.last["error"])
            self.check_whole(job)
            return
        self.assertIn("checkpoint: the job's store: ", job.log())
        undisturbed = self.job(1, epochs=800, units=8000)
        self.assertEqual(undisturbed.end(), 0)
        self.assertEqual(job.digest(), undisturbed.digest())

    def test_a_folder_is_supervised_once_and_its_end_is_told_again(self):
        job = self.job(2, epochs=LONG)
        job.wait_for("progress")
        second = subprocess.run([harness.PROGRAM, "supervise", job.folder], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True)
        self.assertEqual(second.returncode, 2)
        self.assertIn("is running already", second.stdout)
        self.check_long(job)
        job.start()
        self.assertEqual(job.end(), 0)
        self.assertEqual(job.last["event"], "done")
        self.assertEqual(job.digest(), self.digest_of(epochs=LONG))


class Damaged(LongCase):
    """The folder has checkpoints that are not as they were written."""

    def test_a_damaged_or_foreign_checkpoint_is_refused_and_the_job_starts_again(self):
        damages = {
            "piece 0 is damaged":
                "UPDATE checkpoint_pieces SET bytes = zeroblob(length(bytes)) WHERE position = 0",
            "piece 0 of 1 is not as it should be": "DELETE FROM checkpoint_pieces",
            "another version": "UPDATE checkpoint SET version = version + 1",
            "another job": "UPDATE checkpoint SET job = job + 1",
            "another job spec or other rows": "UPDATE checkpoint SET identity = identity - 1",
            "its head is damaged": "UPDATE checkpoint SET step = step + 1",
        }
        for reason, damage in damages.items():
            with self.subTest(reason=reason):
                job = self.job(2, least=1, epochs=LONG, checkpoint=0.05)
                job.wait_for_event_row("checkpoint")
                job.end_everything()
                with sqlite3.connect(job.folder / "job.db") as store:
                    store.execute(damage)
                store.close()
                job.start()
                self.check_long(job)
                self.assertIn(reason, job.log())
                self.assertNotIn("goes back", job.log())

    def damage_checkpoints(self, job, condition):
        with sqlite3.connect(job.folder / "job.db") as store:
            store.execute("UPDATE checkpoint_pieces SET bytes = zeroblob(length(bytes))"
                          f" WHERE position = 0 AND checkpoint IN (SELECT id FROM checkpoint {condition})")
            (step,), = store.execute("SELECT min(step) FROM checkpoint")
        store.close()
        return step

    def events_of(self, job, kind):
        """All lines until the end, which comes as fast as it can."""
        found = []
        job.hurry()
        while job.event() is not None:
            job.hurry()
            if job.last["event"] == kind:
                found.append(job.last)
        return found

    def test_the_checkpoint_before_serves_where_the_last_is_damaged(self):
        job = self.job(2, least=1, epochs=LONG, checkpoint=0.05)
        job.wait_for_event_row("checkpoint")
        wait_for(lambda: job.query("SELECT count(*) FROM checkpoint") == [(2,)], "two")
        job.end_everything()
        step = self.damage_checkpoints(job, "ORDER BY phase DESC LIMIT 1")
        job.start()
        notices = [notice["message"] for notice in self.events_of(job, "notice")]
        self.check_long(job)
        self.assertTrue(any(f"piece 0 is damaged; the job goes on from the one before, of step {step}" in notice
                            for notice in notices), notices)
        self.assertIn((f"from the checkpoint of step {step}",),
                      job.query("SELECT detail FROM events WHERE event = 'restored'"))
        self.assertEqual(len(job.query("SELECT * FROM events WHERE event = 'checkpoint_refused'")), 1)

    def test_where_both_are_damaged_the_job_starts_from_its_beginning_and_says_so(self):
        job = self.job(2, least=1, epochs=LONG, checkpoint=0.05)
        job.wait_for_event_row("checkpoint")
        wait_for(lambda: job.query("SELECT count(*) FROM checkpoint") == [(2,)], "two")
        job.end_everything()
        self.damage_checkpoints(job, "")
        job.start()
        notices = [notice["message"] for notice in self.events_of(job, "notice")]
        self.check_long(job)
        self.assertTrue(any("the job starts from its beginning" in notice for notice in notices), notices)
        self.assertNotIn("restored from", job.log())
        self.assertEqual(len(job.query("SELECT * FROM events WHERE event = 'checkpoint_refused'")), 2)


if __name__ == "__main__":
    harness.run()
