"""Jobs over TLS: between network namespaces, and among hostile peers.

    test_network.py JOB_ROLES IRIS_CSV

The oracle is the digest of the run with one worker and no network. What a
stranger does is done while the job waits for its second worker, which comes
afterwards: so it is never a question of time whether the job was disturbed.
"""

import os
import pathlib
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import network_roles
import job as harness
from network_roles import DEADLINE, Namespaces, Role
from job import Job

EPOCHS = 20
LONG = harness.LONG  # epochs of a job that still runs when something is done to it
FRAME_TYPES = 64


def parts(address):
    """"tcp:[::1]:7" -> ("::1", 7)"""
    host, port = address[4:].rsplit(":", 1)
    return host.strip("[]"), int(port)


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


class NetworkTest(unittest.TestCase):
    pace = None  # pace of workers that are started by hand

    def setUp(self):
        self.workers = []

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="totrain-network.")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.count = 0
        cls.digests = {}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def next_folder(cls):
        cls.count += 1
        return cls.folder / "jobs" / str(cls.count)

    @classmethod
    def expected(cls, epochs):
        """The digest of the undisturbed job."""
        if epochs not in cls.digests:
            job = Job(cls.next_folder(), 1, epochs=epochs, paced=False)
            assert job.end() == 0, job.last
            cls.digests[epochs] = job.digest()
        return cls.digests[epochs]

    def make(self, workers, least, epochs=EPOCHS):
        """A job's folder, and credentials of all its roles beside it."""
        folder = self.next_folder()
        folder.mkdir(parents=True)
        subprocess.run([network_roles.PROGRAM, "make", harness.CSV, folder, str(workers),
                        str(least), str(epochs)], check=True)
        self.authority(folder, "tls", "master=master", *(f"w{i}={i}" for i in range(workers)))
        return folder

    def authority(self, job, name, *roles, days=0):
        folder = self.folder / f"{name}.{job.name}"
        folder.mkdir()
        subprocess.run([network_roles.PROGRAM, "authority", folder, job.name, str(days), *roles],
                       check=True)
        return folder

    def tls(self, job):
        return self.folder / f"tls.{job.name}"

    def master(self, job, host="127.0.0.1", namespace=None):
        role = Role("master", job, "--listen", f"tcp:{host}:0", "--tls", self.tls(job) / "master",
                    namespace=namespace)
        self.addCleanup(role.stop)
        return role

    def worker(self, job, index, master, host="127.0.0.1", namespace=None, tls=None):
        role = Role("worker", job, "--index", index, "--master", master, "--listen",
                    f"tcp:{host}:0", "--tls", tls or self.tls(job) / f"w{index}",
                    namespace=namespace, pace=self.pace)
        self.addCleanup(role.stop)
        self.workers.append(role)
        return role

    def check_done(self, job, master, epochs=EPOCHS):
        """All that is done to the job has been done: its rest is not waited for."""
        def has_ended():
            harness.hurry_processes(role.process.pid for role in self.workers)
            return master.process.poll() is not None
        harness.wait_for(has_ended, "the job's end")
        self.assertEqual(master.end(), 0, master.log.text())
        digest = subprocess.run([network_roles.PROGRAM, "digest", job], check=True,
                                capture_output=True, text=True).stdout.strip()
        self.assertEqual(digest, self.expected(epochs))


class PatienceTest(NetworkTest):
    def test_a_worker_without_a_master_gives_up_in_its_time(self):
        """Nobody but its lifeline tells it that the job is over, and here nobody does."""
        job = self.make(1, 1)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
            role = Role("worker", job, "--index", 0, "--master", f"tcp:127.0.0.1:{port}", "--listen",
                        "tcp:127.0.0.1:0", "--tls", self.tls(job) / "w0", "--patience", 1)
            self.addCleanup(role.stop)
            self.assertEqual(role.end(), 3)
        self.assertIn(f"ends: no master at tcp:127.0.0.1:{port} for 1 s", role.log.text())


class SupervisedTest(NetworkTest):
    """`totrain supervise --listen`: the supervisor is the authority."""

    def check_same(self, job, epochs=EPOCHS):
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.expected(epochs))

    def test_a_job_over_tls_has_the_digest_of_the_job_without_a_network(self):
        for workers in (2, 3):
            with self.subTest(workers=workers):
                job = Job(self.next_folder(), workers, epochs=EPOCHS, listen="tcp:127.0.0.1:0")
                self.check_same(job)
                self.assertEqual(job.log().count("listens on tcp:127.0.0.1:"), workers + 1)

    @unittest.skipUnless(has_ipv6(), "there is no IPv6 here")
    def test_a_job_runs_over_ipv6(self):
        job = Job(self.next_folder(), 2, epochs=EPOCHS, listen="tcp:[::1]:0")
        self.check_same(job)
        self.assertEqual(job.log().count("listens on tcp:[::1]:"), 3)

    def test_killed_workers_and_masters_come_back_to_the_same_port(self):
        job = Job(self.next_folder(), 2, epochs=EPOCHS, listen="tcp:127.0.0.1:0",
                  fault="role=worker,index=1,step=17,attempt=0,point=after_partial")
        self.check_same(job)
        job = Job(self.next_folder(), 2, epochs=LONG, listen="tcp:127.0.0.1:0")
        job.wait_for("progress", 1)
        master = [pid for pid, role in job.children().items() if role == "master"]
        os.kill(master[0], signal.SIGKILL)
        self.check_same(job, LONG)
        ports = {line.rsplit(":", 1)[1] for line in job.log().splitlines()
                 if "master info  listens on" in line}
        self.assertEqual(len(ports), 1)
        self.assertIn("epoch 4294967297", job.log())

    def test_keys_are_for_the_owner_only_and_go_with_the_job(self):
        job = Job(self.next_folder(), 2, epochs=100000, listen="tcp:127.0.0.1:0")
        job.wait_for("progress")
        sockets = job.sockets()
        keys = sorted(sockets.glob("*/tls.key"))
        self.assertEqual(len(keys), 3)
        secrets = []
        for key in keys:
            self.assertEqual(key.stat().st_mode & 0o7777, 0o600)
            self.assertEqual(key.parent.stat().st_mode & 0o7777, 0o700)
            secrets += [line for line in key.read_text().splitlines() if "PRIVATE" not in line]
        for pid in [job.process.pid, *job.children()]:
            told = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() + \
                pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            self.assertFalse([secret for secret in secrets if secret.encode() in told])
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.end(), 130)
        self.assertFalse([secret for secret in secrets if secret in job.log()])
        self.assertFalse(sockets.exists())

    def test_a_job_of_one_worker_and_an_address_for_nobody_are_refused(self):
        for workers, listen in ((1, "tcp:127.0.0.1:0"), (2, "tcp:0.0.0.0:0"), (2, "unix:/tmp/x")):
            with self.subTest(workers=workers, listen=listen):
                job = Job(self.next_folder(), workers, epochs=EPOCHS, listen=listen)
                self.assertEqual(job.end(), 2)
                self.assertEqual(job.last["status"], "INVALID")


class HandStartedTest(NetworkTest):
    def test_the_master_is_found_by_its_name(self):
        job = self.make(2, 2)
        master = self.master(job)
        by_name = "tcp:localhost:" + str(parts(master.address())[1])
        workers = [self.worker(job, index, by_name) for index in range(2)]
        self.check_done(job, master)
        self.assertEqual([worker.end() for worker in workers], [0, 0])

    def test_the_program_refuses_tcp_without_credentials_and_those_of_another(self):
        job = self.make(2, 2)
        for arguments, code, told in (
                (["master", job, "--listen", "tcp:127.0.0.1:0"], 2, "TCP needs --tls"),
                (["worker", job, "--index", 0, "--master", "tcp:127.0.0.1:1", "--listen",
                  "unix:/tmp/x"], 2, "TCP needs --tls"),
                (["worker", job, "--index", 0, "--master", "tcp:127.0.0.1:1", "--listen",
                  "tcp:0.0.0.0:0", "--tls", self.tls(job) / "w0"], 2, "where its peers reach it"),
                (["master", job, "--listen", "tcp:127.0.0.1:0", "--tls", self.tls(job) / "w0"], 4,
                 "is of worker 0 of job"),
                (["worker", job, "--index", 1, "--master", "tcp:127.0.0.1:1", "--listen",
                  "tcp:127.0.0.1:0", "--tls", self.tls(job) / "w0"], 4, "expected that of worker 1"),
                (["master", job, "--listen", "tcp:127.0.0.1:0", "--tls", "/nonexistent"], 1,
                 "/nonexistent/ca.crt")):
            with self.subTest(told=told):
                run = subprocess.run([network_roles.PROGRAM, *map(str, arguments)],
                                     stdin=subprocess.PIPE, capture_output=True, text=True,
                                     timeout=DEADLINE)
                self.assertIn(told, run.stderr)
                self.assertEqual(run.returncode, code)


class Proxy:
    """Passes bytes between whoever connects to it and `target`. The first
    connections are cut: each after so many bytes in one of the directions.
    What a side said before it closed reaches the other, also when that one
    is speaking to it at that moment."""

    def __init__(self, target, cuts):
        self.target, self.cuts = target, list(cuts)
        self.records = []  # texts that clients sent on each connection
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "tcp:127.0.0.1:%d" % self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        cut = self.cuts.pop(0) if self.cuts else None
        try:
            with client, socket.create_connection(self.target) as server:
                self._pass(client, server, cut)
        except OSError:
            pass

    def _pass(self, client, server, cut):
        passed = {client: 0, server: 0}
        record = bytearray()
        self.records.append(record)
        while True:
            for source in select.select([client, server], [], [])[0]:
                data = source.recv(65536)
                if not data:
                    return
                if cut and (source is client) == cut[0]:
                    data = data[:cut[1] - passed[source]]
                if source is client:
                    record += data
                try:
                    (server if source is client else client).sendall(data)
                except OSError:  # the other side has closed, and may have said something before
                    if source is server:
                        return
                passed[source] += len(data)
                if cut and (source is client) == cut[0] and passed[source] >= cut[1]:
                    return

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class HostileTest(NetworkTest):
    """A master and a worker wait for the second worker; meanwhile strangers come."""

    def setUp(self):
        super().setUp()
        self.job = self.make(2, 2)
        self.leader = self.master(self.job)
        self.where = parts(self.leader.address())
        self.proxy = Proxy(self.where, [])
        self.addCleanup(self.proxy.close)
        self.first = self.worker(self.job, 0, self.proxy.address)
        self.leader.wait_log("worker 0 joined")

    def go_on(self):
        """The second worker comes, and the job ends as if nothing had happened."""
        self.worker(self.job, 1, self.leader.address())
        self.check_done(self.job, self.leader)
        self.assertEqual(self.first.end(), 0)
        self.assertEqual(self.leader.log.text().count("worker 0 joined"), 1)

    def context(self, credentials=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations(self.tls(self.job) / "master" / "ca.crt")
        if credentials:
            context.load_cert_chain(credentials / "tls.crt", credentials / "tls.key")
        return context

    def closed(self, stream):
        """Waits until the other side has closed; whether it said anything before."""
        stream.settimeout(DEADLINE)
        said = b""
        try:
            while True:
                data = stream.recv(65536)
                if not data:
                    return said
                said += data
        except (ssl.SSLError, ConnectionError):
            return said

    def speak(self, context, where=None):
        """A handshake, then a frame's worth of bytes; what was answered."""
        with socket.create_connection(where or self.where) as plain:
            try:
                with context.wrap_socket(plain) as stream:
                    stream.sendall(b"\0" * 40)
                    return self.closed(stream)
            except (ssl.SSLError, ConnectionError):
                return b""

    def test_who_has_no_right_certificate_is_refused_with_the_reason(self):
        others = self.authority(self.job, "other", "w1=1")
        expired = self.authority(self.job, "old", "w1=1", days=400)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname = False
        old.verify_mode = ssl.CERT_NONE
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        peers = parts(self.first.address())
        for context, reason in ((self.context(others / "w1"), "its certificate is refused"),
                                (self.context(expired / "w1"), "its certificate is refused"),
                                (self.context(), "it shows no certificate"),
                                (old, "it does not speak TLS 1.3")):
            for role, where in ((self.leader, self.where), (self.first, peers)):
                with self.subTest(reason=reason, role=role.process.args[1]):
                    before = len(role.log.lines)
                    context.verify_mode = ssl.CERT_NONE
                    self.assertEqual(self.speak(context, where), b"")
                    role.wait_log(reason, before)
        # The master itself is no peer of a worker.
        self.speak(self.context(self.tls(self.job) / "master"), peers)
        self.first.wait_log("its certificate is")
        self.go_on()

    def test_who_speaks_no_tls_is_refused(self):
        frame = struct.pack("<IIQQQQ", 0, 0, 1, 0, 0, 0)
        for hello in (frame, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", os.urandom(4096), b"\xff" * 64,
                      b"\x16\x03\x01\xff\xff" + b"\0" * 100):
            with self.subTest(hello=hello[:8]):
                before = len(self.leader.log.lines)
                with socket.create_connection(self.where) as stream:
                    stream.sendall(hello)
                    answer = self.closed(stream)
                self.assertLessEqual(len(answer), 7)  # at most an alert
                self.leader.wait_log("refused a connection from tcp:127.0.0.1:", before)
        self.go_on()

    def test_a_worker_takes_no_worker_for_the_master(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.tls(self.job) / "w0" / "tls.crt",
                                self.tls(self.job) / "w0" / "tls.key")
        deceived = self.worker(self.job, 1, "tcp:127.0.0.1:%d" % listener.getsockname()[1])
        listener.settimeout(DEADLINE)
        with listener.accept()[0] as plain:
            plain.settimeout(DEADLINE)
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                with context.wrap_socket(plain, server_side=True) as stream:
                    self.assertEqual(stream.recv(1), b"not even a byte")
        deceived.wait_log("is of worker 0 of job")
        deceived.stop()
        self.go_on()

    def test_a_member_that_sends_garbage_is_cut_off(self):
        header = struct.Struct("<IIQQQQ")
        garbage = [b"\xff" * 4 + os.urandom(4092), header.pack(0xffffffff, 0, 1, 0, 0, 0),
                   header.pack((64 << 20) + 1, 0, 1, 0, 0, 0)]
        garbage += [header.pack(0, kind, int(self.job.name), 0, 0, 0) for kind in range(FRAME_TYPES)]
        context = self.context(self.tls(self.job) / "w1")
        for where in (self.where, parts(self.first.address())):
            if where != self.where:  # the worker's peers are workers
                context.verify_mode = ssl.CERT_NONE
            for bytes_sent in garbage:
                with self.subTest(where=where, start=bytes_sent[:8]):
                    with socket.create_connection(where) as plain, \
                            context.wrap_socket(plain) as stream:
                        stream.sendall(bytes_sent)
                        self.assertEqual(self.closed(stream), b"")
            # A frame that never ends, with the checksum of its header: its sender goes first.
            with socket.create_connection(where) as plain, context.wrap_socket(plain) as stream:
                stream.sendall(header.pack(64 << 20, 0, 1, 0, 0x489e2d727d2d6794, 0) + b"x" * 100000)
        self.go_on()

    def test_a_recorded_session_means_nothing_when_it_is_sent_again(self):
        records = [bytes(record) for record in self.proxy.records]
        self.assertGreater(max(map(len, records)), 1000)
        for record in records:
            before = len(self.leader.log.lines)
            with socket.create_connection(self.where) as stream:
                stream.sendall(record)
                self.closed(stream)
            self.leader.wait_log("refused a connection", before)
        self.go_on()

    def test_connections_that_say_nothing_or_little_stall_nobody(self):
        silent = [socket.create_connection(self.where) for _ in range(100)]
        dripping = socket.create_connection(self.where)
        dripping.sendall(b"\x16\x03\x01")  # the beginning of a hello
        self.leader.wait_log("more than 64 connections have not shown a certificate")
        before = len(self.leader.log.lines)
        with dripping:
            self.assertEqual(self.closed(dripping), b"")
        self.leader.wait_log("no handshake within 5 s", before)
        self.go_on()
        for stream in silent:
            stream.close()

    def test_a_connection_cut_at_any_byte_is_made_again(self):
        cuts = [(is_client, size) for size in [1, 2, 4, 5, 6, *range(50, 2000, 130)]
                for is_client in (True, False)]
        proxy = Proxy(self.where, cuts)
        self.addCleanup(proxy.close)
        self.worker(self.job, 1, proxy.address)
        self.check_done(self.job, self.leader)
        self.assertEqual(self.first.end(), 0)
        self.assertLess(len(proxy.cuts), len(cuts) / 2)


class NamespaceTest(NetworkTest):
    @classmethod
    def setUpClass(cls):
        problem = Namespaces.problem()
        if problem:
            raise unittest.SkipTest(problem)
        super().setUpClass()

    def start(self, workers, least, epochs, indexes=None):
        """The master in namespace 0, worker I in I + 1."""
        if epochs == LONG:  # it lasts, however fast the machine is
            self.pace = f"us={500 * harness.SLOW}"
        self.job = self.make(workers, least, epochs)
        self.spaces = Namespaces(workers + 1)
        self.addCleanup(self.spaces.remove)
        leader = self.master(self.job, self.spaces.host(0), self.spaces.names[0])
        members = [self.member(i, leader) for i in indexes or range(workers)]
        return leader, members

    def member(self, i, leader):
        return self.worker(self.job, i, leader.address(), self.spaces.host(i + 1),
                           self.spaces.names[i + 1])

    def test_a_connection_to_itself_is_none(self):
        """In a machine that has one port left for its own ends: connecting to that port succeeds."""
        self.spaces = Namespaces(1)
        self.addCleanup(self.spaces.remove)
        subprocess.run(["ip", "netns", "exec", self.spaces.names[0], "sysctl", "-qw",
                        "net.ipv4.ip_local_port_range=40000 40000"], check=True)
        job, host = self.make(1, 1), self.spaces.host(0)
        role = Role("worker", job, "--index", 0, "--master", f"tcp:{host}:40000", "--listen",
                    f"tcp:{host}:5000", "--tls", self.tls(job) / "w0", "--patience", 1,
                    namespace=self.spaces.names[0])
        self.addCleanup(role.stop)
        self.assertEqual(role.end(), 3)
        self.assertIn(f"ends: no master at tcp:{host}:40000 for 1 s", role.log.text())
        self.assertNotIn("TLS", role.log.text())

    def test_a_job_between_namespaces_has_the_digest_of_the_local_run(self):
        leader, members = self.start(3, 3, EPOCHS)
        self.check_done(self.job, leader)
        self.assertEqual([member.end() for member in members], [0, 0, 0])

    def test_a_worker_whose_cable_is_cut_is_missed_and_comes_back(self):
        leader, members = self.start(2, 2, LONG)
        leader.wait_step(1)
        self.spaces.cut(2)
        silent = leader.wait_log("worker 1 left: was silent")
        self.spaces.mend(2)
        leader.wait_log("worker 1 joined", silent)
        self.check_done(self.job, leader, LONG)
        self.assertEqual([member.end() for member in members], [0, 0])

    def test_the_group_goes_on_without_the_worker_whose_cable_is_cut(self):
        leader, members = self.start(3, 2, LONG, indexes=[0, 2])
        leader.wait_step(1)
        self.spaces.cut(3)
        leader.wait_log("worker 2 left: was silent")
        members[1] = self.member(1, leader)
        leader.wait_log("worker 1 joined")
        self.check_done(self.job, leader, LONG)
        self.assertEqual([member.end() for member in members], [0, 0])

    def test_a_node_that_dies_with_all_on_it_is_missed_and_the_rest_goes_on(self):
        """Its kernel says no goodbye: no connection closes, there is silence."""
        leader, members = self.start(3, 1, LONG, indexes=[0])
        lost = [self.worker(self.job, i, leader.address(), self.spaces.host(2), self.spaces.names[2])
                for i in (1, 2)]
        for i in (0, 1, 2):
            leader.wait_log(f"worker {i} joined")
        leader.wait_log("3 workers")
        leader.wait_step(1)
        self.spaces.cut(2)
        for role in lost:
            role.process.kill()
            role.end()
        for i in (1, 2):
            leader.wait_log(f"worker {i} left: was silent")
        self.assertNotIn("closed its connection", leader.log.text())
        self.check_done(self.job, leader, LONG)
        self.assertEqual(members[0].end(), 0)

    def test_the_masters_cable_is_cut(self):
        leader, members = self.start(2, 2, LONG)
        leader.wait_step(1)
        self.spaces.cut(0)
        leader.wait_log("worker 0 left: was silent")
        leader.wait_log("worker 1 left: was silent")
        self.spaces.mend(0)
        self.check_done(self.job, leader, LONG)
        self.assertEqual([member.end() for member in members], [0, 0])


if __name__ == "__main__":
    network_roles.PROGRAM = harness.PROGRAM = os.path.abspath(sys.argv[1])
    harness.CSV = os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
