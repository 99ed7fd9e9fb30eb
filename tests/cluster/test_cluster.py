"""Jobs in real processes, killed, stopped and asked to go.

    test_cluster.py JOB_ROLES IRIS_CSV

The oracle is the digest of the undisturbed run with one worker.
"""

import os
import shutil
import signal
import unittest.mock

import job as harness
from job import DEADLINE, POINTS, is_alive, wait_until_gone


class NamedPointTest(harness.JobTest):
    """The model is large enough for every worker to own a segment of the sums."""

    units = 1024

    def test_a_worker_killed_at_a_named_point_changes_nothing(self):
        for point in POINTS:
            for index in (0, 1):
                with self.subTest(point=point, index=index):
                    job = self.job(2, least=1, epochs=20, fault=f"role=worker,index={index},"
                                   f"step=17,attempt=0,point={point}")
                    self.check_same(job)

    def test_a_gang_waits_for_the_killed_worker_and_goes_on(self):
        for point in POINTS:
            with self.subTest(point=point):
                job = self.job(3, fault=f"role=worker,index=1,step=17,attempt=0,point={point}")
                self.check_same(job)
                self.assertIn("worker 1 joined: incarnation 1", job.log())


class FlippedBitTest(harness.JobTest):
    """One bit of one worker's memory is inverted."""

    units = 64

    def flip(self, memory, point):
        # A label or a place in the order that is out of its range would end the process, and it would be another
        # test: class 2 becomes 0.
        bit = {"labels": 161, "order": 160}.get(memory, 4000000030)
        return self.job(3, fault=f"role=worker,index=1,step=17,attempt=0,point={point},flip={memory},bit={bit}")

    def test_a_flipped_bit_in_a_message_changes_nothing(self):
        job = self.flip("message", "begin")
        self.check_same(job)
        self.assertIn("bytes of message is inverted", job.log())

    def test_a_flipped_bit_in_memory_never_reaches_the_model(self):
        """Inverts a bit in each memory that is kept from step to step, or added up."""
        for memory in ("weights", "slots", "labels", "order", "sums", "integers", "reals"):
            with self.subTest(memory=memory):
                job = self.flip(memory, "before_apply" if memory in ("integers", "reals") else "begin")
                self.assertEqual(job.end(), 0, job.last)
                self.assertEqual(job.digest(), self.expected)
                self.assertIn(f"bytes of {memory} is inverted", job.log())
                self.assertTrue(job.query("SELECT * FROM events WHERE event = 'damaged'"))


class ClusterTest(harness.JobTest):
    def test_any_number_of_workers_gives_the_same_digest(self):
        for workers in (2, 3, 8):
            with self.subTest(workers=workers):
                job = self.job(workers)
                self.check_same(job)
                self.assertIn(f"{workers} workers, 8 lanes", job.log())

    def test_a_job_starts_with_the_first_worker_it_gets(self):
        self.check_same(self.job(3, least=1))

    def test_the_worker_that_publishes_is_killed(self):
        job = self.job(2, fault="role=worker,index=0,attempt=0,point=publishing")
        self.check_same(job)
        job = self.job(2, fault="role=worker,index=1,attempt=0,point=publishing")
        self.check_same(job)

    def test_a_worker_that_no_newcomer_can_reach_does_not_stop_the_job(self):
        job = self.job(3, least=1, epochs=harness.LONG)
        job.wait_for("progress", 20)
        for path in job.sockets().iterdir():
            if path.name.startswith(("w0.", "w1.")):  # one of them adds up all sums
                path.unlink()  # connections stay, no new one can be made
        os.kill(job.pid_of("worker", 2), signal.SIGKILL)
        job.wait_for_event_row("apart")
        step = job.last["step"]
        job.wait_for("progress", step + 20)
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(harness.LONG))

    def test_workers_connect_to_those_with_which_they_exchange_sums(self):
        for units, owners in ((16, 1), (256, 2), (1024, 8)):
            with self.subTest(units=units):
                job = self.job(8, epochs=harness.LONG, units=units)
                job.wait_for("progress", 2)
                self.assertEqual(job.count_connections(), sum(7 - rank for rank in range(owners)))
                job.process.send_signal(signal.SIGTERM)
                self.assertEqual(job.end(), 130)

    def test_a_stopped_worker_is_replaced(self):
        job = self.job(2, fault="role=worker,index=1,step=17,attempt=0,action=stop")
        self.check_same(job)
        self.assertIn("was silent", job.log())

    def test_a_worker_whose_main_thread_hangs_is_replaced(self):
        """Its other threads live, and one of them says so every second."""
        hang_ms = str(3000 * harness.SLOW_STEP)  # else 20 s
        with unittest.mock.patch.dict(os.environ, {"TOTRAIN_HANG": hang_ms}):
            job = self.job(2, fault="role=worker,index=1,step=17,attempt=0,action=hold")
        self.check_same(job)
        self.assertIn("worker 1 hangs: its process lives", job.log())

    def test_steps_go_on_when_the_master_is_killed_and_a_new_one_continues(self):
        job = self.job(2, epochs=harness.LONG)
        job.wait_for("progress", 1)
        master = [pid for pid, role in job.children().items() if role == "master"]
        os.kill(master[0], signal.SIGKILL)
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=harness.LONG))
        self.assertIn("epoch 4294967297", job.log())

    def test_a_stopped_master_is_replaced(self):
        job = self.job(2, epochs=100000)
        job.wait_for("progress", 1)
        master = [pid for pid, role in job.children().items() if role == "master"]
        os.kill(master[0], signal.SIGSTOP)
        step = job.last["step"]
        job.wait_for("started")
        job.wait_for("progress", step + 1)
        self.assertFalse(is_alive(master[0]))
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.end(), 130)

    def test_workers_that_are_asked_to_go_one_after_another_lose_no_row(self):
        job = self.job(3, least=1, epochs=12000)
        for index in (1, 0, 2, 1, 0):
            self.ask_to_go(job, "worker", index)
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=12000))
        self.assertEqual(job.query("SELECT rows_redone FROM job"), [(0,)])
        self.assertNotIn("ended", job.query("SELECT detail FROM events WHERE event = 'left'"))

    def test_a_master_that_is_asked_to_go_is_followed_by_the_next(self):
        job = self.job(2, epochs=12000)
        for _ in range(2):
            self.ask_to_go(job, "master")
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=12000))

    def test_nothing_is_left_when_the_client_is_gone(self):
        for workers in (1, 3):
            with self.subTest(workers=workers):
                job = self.job(workers, epochs=10000)
                job.wait_for("progress")
                pids = list(job.children()) + [job.process.pid]
                sockets = job.sockets()
                job.close()  # the kernel does the same for a client that was killed
                self.assertTrue(wait_until_gone(pids, DEADLINE))
                self.assertEqual(job.process.wait(DEADLINE), 130)
                self.assertFalse(sockets.exists())

    def test_nothing_is_left_when_the_supervisor_is_killed(self):
        job = self.job(3, epochs=10000)
        job.wait_for("progress")
        pids = list(job.children())
        self.assertEqual(len(pids), 4)
        sockets = job.sockets()
        job.process.kill()
        self.assertTrue(wait_until_gone(pids, DEADLINE))
        job.process.wait(DEADLINE)
        job.close()
        shutil.rmtree(sockets)  # the door's job_folder_clean does it

    def test_interrupt_and_cancel_end_the_job(self):
        for workers in (1, 3):
            for way in ("signal", "line"):
                with self.subTest(workers=workers, way=way):
                    job = self.job(workers, epochs=10000)
                    job.wait_for("progress")
                    if way == "signal":  # sent to everybody, as a terminal does
                        os.killpg(job.process.pid, signal.SIGINT)
                    else:
                        job.process.stdin.write(b"cancel\n")
                        job.process.stdin.flush()
                    self.assertEqual(job.end(), 130)
                    self.assertEqual(job.last["event"], "failed")
                    self.assertEqual(job.last["status"], "INTERRUPTED")
                    self.assertEqual(job.query("SELECT state FROM job"), [("cancelled",)])

    def test_a_job_is_cancelled_although_its_master_is_stopped(self):
        job = self.job(2, epochs=10000)
        job.wait_for("progress")
        master = [pid for pid, role in job.children().items() if role == "master"]
        os.kill(master[0], signal.SIGSTOP)
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.end(), 130)
        self.assertEqual(job.query("SELECT state FROM job"), [("cancelled",)])

    def test_a_worker_that_dies_at_the_same_step_again_and_again_fails_the_job(self):
        job = self.job(2, fault="role=worker,index=1,step=5")
        self.assertEqual(job.end(), 1)
        self.assertIn("worker 1 ended 4 times without a step in between", job.last["error"])
        self.assertEqual(job.query("SELECT state FROM job"), [("failed",)])

    def test_rows_that_cannot_be_learned_from_fail_the_job_with_the_reason(self):
        csv = self.jobs / "one_class.csv"
        csv.write_text("a,b,class\n" + "1,2,x\n" * 20)
        for workers in (1, 2):
            with self.subTest(workers=workers):
                job = self.job(workers, csv=csv)
                self.assertNotEqual(job.end(), 0)
                self.assertEqual(job.last["event"], "failed")
                self.assertIn("class", job.last["error"])


if __name__ == "__main__":
    harness.run()
