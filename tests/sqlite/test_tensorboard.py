"""log.tensorboard: event files, read here as strictly as TensorBoard reads them, and by TensorBoard
itself where TOTRAIN_TENSORBOARD is a Python that has it (tests/sqlite/run_tensorboard)."""

import json
import math
import os
import struct
import subprocess

import harness

TRAIN = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16], train.epoch = 20, "
         "train.test_size = 0.2, log.tensorboard = '{folder}' LABEL class INTO iris_model")
LONG = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [64, 64], "
        "train.epoch = {epochs}, train.batch_size = 1, train.test_size = 0.2, job.max_workers = 2, "
        "job.checkpoint_seconds = 0.05, job.wait = false, log.tensorboard = '{folder}' "
        "LABEL class INTO iris_model;")

CRC_TABLE = []
for crc in range(256):
    for _ in range(8):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    CRC_TABLE.append(crc)


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """[(number, value)] of a message, of which nothing may be left."""
    found, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        size = {0: 0, 1: 8, 5: 4}.get(key & 7)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            if key & 7 == 2:
                size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        found.append((key >> 3, value))
    return found


def records(data):
    while data:
        size, crc = struct.unpack_from("<QI", data)
        assert crc == masked_crc(data[:8])
        event, (crc,) = data[12:12 + size], struct.unpack_from("<I", data, 12 + size)
        assert crc == masked_crc(event)
        yield dict(fields(event))
        data = data[16 + size:]


def read_file(path):
    """[(wall time, step, tag, value)]; what a killed writer did not finish is left out."""
    data = path.read_bytes()
    head, *rest = records(data[:whole_size(data)])
    assert head[3] == b"brain.Event:2" and 5 not in head
    events = []
    for event in rest:
        assert set(event) == {1, 2, 5}, event
        (number, value), = fields(event[5])
        scalar = dict(fields(value))
        assert number == 1 and set(scalar) == {1, 2}
        events.append((struct.unpack("<d", event[1])[0], event[2], scalar[1].decode(),
                       struct.unpack("<f", scalar[2])[0]))
    return events


def whole_size(data):
    at = 0
    while at + 12 <= len(data):
        size, = struct.unpack_from("<Q", data, at)
        if at + 16 + size > len(data):
            break
        at += 16 + size
    return at


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class TensorBoard(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.events = self.folder / "logs" / "first try"
        self.addCleanup(self.end_what_is_left)

    def read(self, run):
        """{tag: {step: value}}; no step of a tag is there twice."""
        tags, last = {}, 0
        for path in sorted((self.events / run).iterdir(), key=lambda path: path.stat().st_ctime_ns):
            self.assertRegex(path.name, r"^events\.out\.tfevents\.\d{10}\.")
            for wall_time, step, tag, value in read_file(path):
                self.assertGreaterEqual(wall_time, last)
                self.assertNotIn(step, tags.setdefault(tag, {}))
                self.assertTrue(not tags[tag] or step > max(tags[tag]), (tag, step))
                tags[tag][step], last = value, wall_time
        return tags

    def stored(self, database, job, part):
        rows = database.execute("SELECT metric, step, value FROM totrain_job_metrics WHERE job = ? AND "
                                "part = ? ORDER BY step", (job, part)).fetchall()
        found = {}
        for metric, step, value in rows:
            found.setdefault(metric, {})[step] = single(value)
        return found

    def check(self, database, job):
        """The files hold what the job's table of metrics holds, and at the end the results."""
        ends = {part: dict(row) for part, row in self.ends(database).items()}
        for part in ("train", "validation"):
            events, stored = self.read(part), self.stored(database, job, part)
            last = max(stored["loss"])
            for name, value in ends[part].items():
                if name != "loss":
                    self.assertEqual(events.pop(name), {last: single(value)})
            # An epoch that is told again after a restart took another time.
            self.assertEqual(events.pop("seconds", {}).keys(), stored.pop("seconds", {}).keys())
            self.assertEqual(events, stored)
            self.check_with_tensorboard(part)

    def ends(self, database):
        items = database.execute("SHOW MODEL iris_model").fetchall()
        return {part: [(name.rsplit(", ", 1)[0], value) for name, value in items if name.endswith(f", {shown}")]
                for part, shown in (("train", "training"), ("validation", "validation"))}

    def check_with_tensorboard(self, run):
        python = os.environ.get("TOTRAIN_TENSORBOARD")
        if not python:
            return
        script = ("import json, sys\n"
                  "from tensorboard.backend.event_processing.event_accumulator import EventAccumulator\n"
                  "events = EventAccumulator(sys.argv[1], size_guidance={'scalars': 0}).Reload()\n"
                  "print(json.dumps({tag: [[event.step, event.value] for event in events.Scalars(tag)]\n"
                  "                  for tag in events.Tags()['scalars']}))\n")
        done = subprocess.run([python, "-c", script, self.events / run], capture_output=True, text=True,
                              env=harness.plain_environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = {tag: {step: value for step, value in events}
                for tag, events in json.loads(done.stdout.splitlines()[-1]).items()}
        self.assertEqual(seen, self.read(run))

    def test_the_losses_and_metrics_of_a_training(self):
        database = self.connect(isolation_level=None)
        rows = database.execute(TRAIN.format(folder=self.events)).fetchall()
        job = harness.facts(rows)["job"]
        self.check(database, job)
        self.assertEqual(len(list((self.events / "train").iterdir())), 1)
        train = self.read("train")
        self.assertEqual(len(train["loss"]), 20)
        self.assertTrue(all(math.isfinite(value) for value in train["loss"].values()))
        self.assertEqual(set(self.read("validation")), {"loss", "score", "Accuracy", "LogLoss"})

    def test_a_relative_path_begins_at_the_folder_of_the_session(self):
        done = self.run_program(self.path, "--progress=none", "-c", TRAIN.format(folder="logs/first try"),
                                cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.read("train")["loss"]), 20)
        self.assertNotIn("logs", {path.name for path in (self.state / "jobs" / "1").iterdir()})

    def test_without_it_nothing_is_written(self):
        database = self.connect(isolation_level=None)
        database.execute(harness.TRAIN_IRIS).fetchall()
        self.assertFalse((self.state / "jobs" / "1" / "event_files").exists())

    def test_what_cannot_be_a_folder_is_an_error_before_any_row_is_read(self):
        (self.folder / "logs").write_text("a file")
        out, err = self.shell(TRAIN.format(folder=self.events) + ";")
        self.assertIn("log.tensorboard: cannot make the folder", err)
        self.assertIn("Not a directory", err)
        self.assertEqual((out, self.jobs_started()), ("", []))

    def test_files_grow_while_the_job_runs_and_a_restarted_one_repeats_no_step(self):
        self.pace(500)
        statement = LONG.format(folder=self.events, epochs=2000 // harness.SLOW)
        done = self.run_program(self.path, "--progress=none", "-c", statement)
        self.assertEqual(done.returncode, 0, done.stderr)
        size, waiting = 0, None
        for last in (False, True):
            harness.wait_for(lambda: self.size_of("validation") > size + 500, "events")
            if waiting:  # it would continue the job at once
                waiting.kill()
                waiting.wait()
            self.end_what_is_left()
            self.check_nothing_runs()
            size = self.size_of("validation")  # now that nobody adds to it
            harness.wait_for(lambda: self.states() == ["lost"], "a job that is lost")
            if last:
                self.unpace()
            waiting = subprocess.Popen([harness.PROGRAM, "wait", "1", "--progress=none"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(waiting.wait)
            self.addCleanup(waiting.kill)
        self.assertEqual(waiting.wait(4 * harness.DEADLINE), 0)
        database = self.connect(isolation_level=None)
        self.assertGreater(len(list((self.events / "train").iterdir())), 2)
        self.check(database, 1)

    def size_of(self, run):
        folder = self.events / run
        return sum(path.stat().st_size for path in folder.iterdir()) if folder.exists() else 0

    def states(self):
        database = self.connect(isolation_level=None)
        rows = database.execute("SELECT state FROM totrain_jobs").fetchall()
        database.close()
        return [state for state, in rows]

    def test_a_folder_that_goes_away_does_not_end_the_job(self):
        self.pace()
        statement = LONG.format(folder=self.events, epochs=400 // harness.SLOW).replace("false, log", "true, log")
        process = subprocess.Popen([harness.PROGRAM, self.path, "-c", statement], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        harness.wait_for(lambda: self.size_of("validation") > 0, "events")
        self.events.rename(self.folder / "elsewhere")
        self.hurry(lambda: process.poll() is not None, "the job's end")
        _, err = process.communicate(timeout=harness.DEADLINE)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("iris_model", self.tables(self.connect()))


harness.main()
