"""The machine loses its power while a job runs: what was said to be done is on the disk.

    test_power_cut.py [--random N] [--seed S]

A library for LD_PRELOAD (recording_disk.c) writes down what the processes of a job do to files, and when they end.
From that the disk is made as a power cut may leave it: of what was not synced nothing is there, or, with --random,
any part of it, torn at any byte. A file or a folder that was made, renamed or removed is so on the disk once the
folder that it is in was synced. The job is then continued on that disk.

- A detached job whose id was returned can be continued, whenever the power is lost, and ends with the same digest.
- It goes on from a checkpoint that is at least as new as the last that was said to be stored.
- A model is in the user's database once its session has shown the result, and once `totrain wait` has.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

import small_job
from small_job import hurry, state_of, wait_for, wait_until_nothing_runs

HEAD = struct.Struct("=IIQQQ")
CREATE, WRITE, TRUNCATE, SYNC, RENAME, REMOVE, FOLDER, END = range(8)
DETACHED = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16], train.epoch = 20, train.batch_size = 4, "
            "train.seed = 3, job.lanes = 2, job.min_workers = 2, job.checkpoint_seconds = 0.05, job.wait = false "
            "LABEL class INTO m;")
# A row, until the job is hurried: it would last a minute. It has many steps, as a checkpoint that took one of them to
# make is followed by a pause of fifty (runtime/train/master/master_checkpoint.c).
PACE = "us=40000"
STORED = 2  # checkpoints of a job, at least: then it is hurried
# No checkpoint of the job is made before its session has ended: one of its workers waits in its second step.
HELD = "role=worker,index=0,attempt=0,step=1,point=begin,action=stop"
PUBLISHED = 6  # power cuts right behind the publisher's end, which has written into the job's store, too
SECTOR = 512


def records_of(path):
    """(kind, inode, path, offset, bytes) of each record."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        kind, path_bytes, inode, offset, size = HEAD.unpack_from(data, at)
        at += HEAD.size
        name = data[at:at + path_bytes].decode()
        at += path_bytes
        yield kind, inode, name, offset, data[at:at + size]
        at += size


class File:
    """The bytes of a file, and those that are on the disk: then come writes that may be or not."""

    def __init__(self):
        self.now = bytearray()
        self.synced = bytearray()
        self.pending = []  # (offset, bytes), or (size, None): cut

    def change(self, offset, data):
        apply(self.now, offset, data)
        self.pending.append((offset, data))

    def sync(self):
        self.synced = bytearray(self.now)
        self.pending = []

    def after_cut(self, chance):
        content = bytearray(self.synced)
        for offset, data in self.pending if chance else ():
            if chance.random() < .5:
                continue
            if data and chance.random() < .3:
                data = data[:chance.randrange(len(data)) // SECTOR * SECTOR]
            apply(content, offset, data)
        return content


def apply(content, offset, data):
    if data is None:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
    elif data:
        content.extend(bytes(max(0, offset + len(data) - len(content))))
        content[offset:offset + len(data)] = data


class Disk:
    """Names and files below the root, as they are and as they are on the disk."""

    def __init__(self):
        self.now, self.synced = {}, {}  # path -> File, or None for a folder
        self.open = {}  # inode -> File

    def start(self, root):
        """Notes the files that were there before."""
        for path in sorted(root.rglob("*")):
            entry = None
            if path.is_file():
                entry = File()
                entry.now = bytearray(path.read_bytes())
                entry.sync()
                self.open[path.stat().st_ino] = entry
            self.now[path.relative_to(root).as_posix()] = entry
        self.synced = dict(self.now)

    def do(self, kind, inode, name, offset, data):
        if kind == CREATE:
            self.open[inode] = self.now[name] = File()
        elif kind in (WRITE, TRUNCATE):
            if inode in self.open:
                self.open[inode].change(offset, data if kind == WRITE else None)
        elif kind == SYNC and inode in self.open and self.now.get(name, 1) is not None:
            self.open[inode].sync()
        elif kind == SYNC:
            self.sync_folder(name)
        elif kind == RENAME:
            old, new = name.split("\n")
            self.now[new] = self.now.pop(old)
        elif kind == REMOVE:
            self.now.pop(name, None)
        elif kind == FOLDER:
            self.now[name] = None

    def sync_folder(self, name):
        def is_in(path):
            return (path.rsplit("/", 1)[0] if "/" in path else "") == name
        self.synced = {path: entry for path, entry in self.synced.items() if not is_in(path) or path in self.now}
        self.synced.update({path: entry for path, entry in self.now.items() if is_in(path)})

    def after_cut(self, chance):
        """Path -> content, None for a folder."""
        names = dict(self.synced)
        if chance:
            for path in sorted(set(self.now) ^ set(self.synced)):
                if chance.random() < .5:
                    if path in self.now:
                        names[path] = self.now[path]
                    else:
                        names.pop(path)
        left = {}
        for path, entry in sorted(names.items()):
            above = path.rsplit("/", 1)[0] if "/" in path else None
            if above is None or (above in left and left[above] is None):
                left[path] = entry if entry is None else entry.after_cut(chance)
        return left


def write_disk(left, root):
    """In the place of the folder."""
    shutil.rmtree(root)
    root.mkdir()
    for path, content in left.items():
        target = root / path
        if content is None:
            target.mkdir(mode=0o700)
        else:
            target.write_bytes(content)
            target.chmod(0o600)


class Recorded:
    """A session that trains while its files are recorded, below one root: the database and the state."""

    def __init__(self, place, name, statement):
        self.folder = pathlib.Path(place.folder) / name
        self.root = self.folder / "disk"
        self.root.mkdir(parents=True)
        self.path = self.root / "test.db"
        shutil.copy(place.template, self.path)
        self.disk = self.folder / "record"
        self.statement = statement
        self.before = Disk()
        self.before.start(self.root)
        self.environment = {**os.environ, "TOTRAIN_STATE": str(self.root / "state"), "TMPDIR": str(self.folder)}

    def start(self, *arguments, records=True, experiment=None):
        environment = {**self.environment, **(experiment or {})}
        if records:
            environment.update(LD_PRELOAD=small_job.library("recording_disk"), TOTRAIN_DISK=str(self.disk),
                               TOTRAIN_DISK_ROOT=str(self.root))
        return subprocess.Popen([small_job.PROGRAM, *map(str, arguments)], env=environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, process):
        """Its output."""
        said, errors = process.communicate(timeout=small_job.DEADLINE)
        assert process.returncode == 0, errors
        return said

    def start_training(self, experiment=None):
        return self.start(self.path, "--progress=none", "--format=csv", "-c", self.statement, experiment=experiment)

    def hold_until_stored(self, process):
        """The paced job that this process runs or waits for, until enough of its checkpoints are stored; then the rest
        of it at once. What the process said."""
        def stored():
            return sum(file.read_text().count("checkpoint: step") for file in self.root.glob("state/jobs/*/log"))

        def has_ended_now():
            hurry(self.root)
            return process.poll() is not None
        wait_for(lambda: stored() >= STORED or process.poll() is not None, f"{STORED} checkpoints")
        wait_for(has_ended_now, "the end of the job")
        return self.end(process)

    def release_held_worker(self):
        """Once it waits."""
        def stopped():
            return next((pid for pid in small_job.processes_of(self.root) if state_of(pid) == "T"), None)
        os.kill(wait_for(stopped, "a worker to stop"), signal.SIGCONT)

    def disk_at(self, count, chance=None, keeps_names=False):
        """Makes the disk that a power cut after so many records leaves; keeps_names: all names are on the disk, and
        only bytes of files are lost."""
        disk = Disk()
        disk.now, disk.synced = dict(self.before.now), dict(self.before.synced)
        copies = {id(entry): File() for entry in self.before.now.values() if entry}
        for entry in self.before.now.values():
            if entry:
                copies[id(entry)].now, copies[id(entry)].synced = bytearray(entry.now), bytearray(entry.now)
        disk.now = {path: entry and copies[id(entry)] for path, entry in disk.now.items()}
        disk.synced = dict(disk.now)
        disk.open = {inode: copies[id(entry)] for inode, entry in self.before.open.items()}
        for record in self.records[:count]:
            disk.do(*record)
        if keeps_names:
            disk.synced = dict(disk.now)
        return disk.after_cut(chance)

    def read(self):
        self.records = list(records_of(self.disk))
        self.disk.unlink()

    def end_of(self, argument):
        """The number of the record in which the program with that first argument ends: it has said what it had to."""
        return next((i for i, record in enumerate(self.records) if record[0] == END and argument.startswith(record[2])), None)

    def wait_until_gone(self):
        wait_until_nothing_runs(self.root)


def stored_in(records):
    """(number of the record, step) where a checkpoint is said to be stored."""
    stored = []
    for i, (kind, _, name, _, data) in enumerate(records):
        found = kind == WRITE and name.endswith("/log") and re.search(rb"checkpoint: step (\d+)", data)
        if found:
            stored.append((i, int(found.group(1))))
    return stored


def check_attached(place):
    """The result is shown: the model is there."""
    recorded = Recorded(place, "attached", small_job.STATEMENT.format(seed=2, more=""))
    recorded.end(recorded.start_training())
    recorded.wait_until_gone()
    recorded.read()
    said = recorded.end_of(str(recorded.path))
    assert said is not None, "the result was not recorded"
    for chance in (None, random.Random(1)):
        write_disk(recorded.disk_at(said, chance), recorded.root)
        assert small_job.digest_of(recorded.path) == place.new, "a power cut took a model whose result was shown"
    for before in random.Random(1).sample(range(said), 12):  # the old one or the new one, whole
        write_disk(recorded.disk_at(before, random.Random(before)), recorded.root)
        assert small_job.digest_of(recorded.path) in (place.old, place.new), f"cut at {before}: no model is left"
    return 14


class Detached:
    """A detached job, recorded from its submission to its end."""

    def __init__(self, place):
        self.recorded = recorded = Recorded(place, "detached", DETACHED)
        said = recorded.end(recorded.start_training({"TOTRAIN_PACE": PACE, "TOTRAIN_FAULT": HELD}))
        self.job = re.search(r"^job,,,(\d+)", said, re.MULTILINE).group(1)
        recorded.release_held_worker()
        recorded.hold_until_stored(recorded.start("wait", self.job, "--progress=none"))
        recorded.wait_until_gone()
        self.digest = small_job.digest_of(recorded.path)
        recorded.read()
        self.returned, self.ended = recorded.end_of(str(recorded.path)), recorded.end_of("wait")
        self.stored = stored_in(recorded.records)
        assert self.returned is not None and self.ended is not None, "what was said was not recorded"
        assert len(self.stored) >= STORED, f"{len(self.stored)} checkpoints of a job that was held until there were more"
        assert self.returned < self.stored[0][0], "a checkpoint was stored while a worker was held"

    def check(self, at, chance):
        """The job goes on after a power cut there, to the same model."""
        recorded = self.recorded
        step = max((step for record, step in self.stored if record < at), default=0)
        write_disk(recorded.disk_at(at, chance), recorded.root)
        before, state = self.books()
        process = recorded.start("wait", self.job, "--progress=none", records=False)
        _, errors = process.communicate(timeout=small_job.DEADLINE)
        where = f"a power cut after record {at} of {len(recorded.records)} ({'torn' if chance else 'nothing unsynced'})"
        assert process.returncode == 0, f"{where}: {errors}"
        recorded.wait_until_gone()
        assert small_job.digest_of(recorded.path) == self.digest, f"{where}: another model"
        restored = self.books()[0][len(before):]  # settled: all processes are gone
        if step and state in ("waiting", "running"):
            assert restored, f"{where}: it began again, where step {step} was said to be stored"
            assert restored[0] >= step, f"{where}: it went on from step {restored[0]}, where {step} was said to be stored"

    def books(self):
        """The steps from which the job went on, and its state: of a copy of its store, as it is in WAL mode."""
        with tempfile.TemporaryDirectory(dir=self.recorded.folder) as folder:
            for file in (self.recorded.root / "state" / "jobs" / self.job).glob("job.db*"):
                if not file.name.endswith("-shm"):
                    shutil.copy(file, folder)
            store = sqlite3.connect(f"{folder}/job.db")
            try:
                rows = store.execute("SELECT detail FROM events WHERE event = 'restored' ORDER BY rowid").fetchall()
                states = store.execute("SELECT state FROM job").fetchall()
            except sqlite3.OperationalError:
                rows, states = [], []  # not yet made
            finally:
                store.close()
        return [int(re.search(r"step (\d+)", detail).group(1)) for detail, in rows], states[0][0] if states else "waiting"


def check_detached(place, count, seed):
    detached = Detached(place)
    recorded = detached.recorded
    # Nothing unsynced is left: at each moment at which something was said, and behind each.
    moments = [detached.returned] + [record for record, _ in detached.stored[:2] + detached.stored[-1:]] + [detached.ended]
    for at in moments:
        detached.check(at, None)
    published = recorded.end_of("publish")
    assert published is not None, "the publisher's end was not recorded"
    for turn in range(PUBLISHED):
        detached.check(published + 1, random.Random(turn))
    first = detached.stored[0][0]
    for turn in range(count):  # the same number before the first checkpoint as behind it
        chance = random.Random(seed * 1000 + turn)
        at = (chance.randrange(detached.returned, first) if turn % 2
              else chance.randrange(first, len(recorded.records)))
        detached.check(at, chance)
    return len(moments) + PUBLISHED + count


def check_checkpoints(place, count, seed):
    """The store of an attached job waits for the disk from its first checkpoint on: that one is there, whole, and so
    are those after it. Its folder is not waited for: such a job ends with its session."""
    recorded = Recorded(place, "checkpoints", DETACHED.replace("job.wait = false", "job.wait = true"))
    recorded.hold_until_stored(recorded.start_training({"TOTRAIN_PACE": PACE}))
    recorded.wait_until_gone()
    recorded.read()
    stored = stored_in(recorded.records)
    assert len(stored) >= STORED, f"{len(stored)} checkpoints of a job that was held until there were more"
    cuts = [(record + 1, step, chance) for record, step in stored for chance in (None, random.Random(seed))]
    for turn in range(count):
        chance = random.Random(seed * 1000 + turn)
        i = chance.randrange(len(stored) - 1)
        cuts.append((chance.randrange(stored[i][0] + 1, stored[i + 1][0]), stored[i][1], chance))
    for at, step, chance in cuts:
        write_disk(recorded.disk_at(at, chance, keeps_names=True), recorded.root)
        store = sqlite3.connect(next(recorded.root.glob("state/jobs/*/job.db")))
        where = f"a power cut after record {at}"
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)], where
        heads = store.execute("SELECT id, step, bytes FROM checkpoint ORDER BY step").fetchall()
        assert heads and heads[-1][1] >= step, f"{where}: {heads}, where step {step} was said to be stored"
        for head, _, size in heads:
            pieces, = store.execute("SELECT sum(length(bytes)) FROM checkpoint_pieces WHERE checkpoint = ?", (head,)).fetchone()
            assert pieces == size, f"{where}: {pieces} bytes of {size}"
        store.close()
    return len(cuts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--random", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    place = small_job.Place()
    try:
        started = time.monotonic()
        cuts = (check_attached(place) + check_checkpoints(place, 2 * options.random, options.seed)
                + check_detached(place, options.random, options.seed))
        print(f"{cuts} power cuts in {time.monotonic() - started:.0f} s")
    finally:
        for pid in small_job.processes_of(place.folder):
            os.kill(pid, 9)
        place.remove()
    sys.exit(0)


if __name__ == "__main__":
    main()
