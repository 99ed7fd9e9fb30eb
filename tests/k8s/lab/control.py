"""Asks an init.py for something; finds out who runs the lab, whatever state it is in."""

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import struct

DEADLINE = 60  # seconds: a broken promise, not a slow machine
FLOCK = "hhqqi4x"  # struct flock on 64 bit: type, whence, start, length, pid


class LabError(Exception):
    """A sentence for the person who asked."""


class Refused(LabError):
    """This machine does not let a lab run, or cannot build it: tests are skipped with this sentence."""


def connect(path, seconds=DEADLINE):
    """A connection to the socket, which may lie deeper than an address may be long."""
    folder, name = os.path.split(path)
    directory = os.open(folder, os.O_PATH)
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(seconds)
        connection.connect(f"/proc/self/fd/{directory}/{name}")
    except BaseException:
        connection.close()
        raise
    finally:
        os.close(directory)
    return connection


def ask(path, request, seconds=DEADLINE):
    with connect(path, seconds) as connection:
        connection.sendall(json.dumps(request).encode() + b"\n")
        line = connection.makefile("rb").readline()
    if not line:
        raise LabError(f"{path}: ended instead of answering {request}")
    reply = json.loads(line)
    if "error" in reply:
        raise LabError(f"{path}: {reply['error']} (asked: {request})")
    return reply


def process_behind(path):
    """Id, as seen from here, of the process that listens on the socket."""
    with connect(path) as connection:
        found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", found)[0]


def holder(lock):
    """Id of the process that holds the lock of a lab; None when no lab runs."""
    try:
        with open(lock, "rb+") as file:
            wanted = struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            kind, _, _, _, pid = struct.unpack(FLOCK, fcntl.fcntl(file, fcntl.F_GETLK, wanted))
    except FileNotFoundError:
        return None
    return None if kind == fcntl.F_UNLCK else pid


@contextlib.contextmanager
def process(pid):
    """A handle of the process, which names no other one even after its end; None where it has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        yield None
        return
    try:
        yield handle
    finally:
        os.close(handle)


def has_ended(handle, seconds=DEADLINE):
    """Waits for it. The first process of a namespace ends after all others of it."""
    return handle is None or bool(select.select([handle], [], [], seconds)[0])


def end_process(pid, number=signal.SIGKILL):
    with process(pid) as handle:
        if handle is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, number)
        return has_ended(handle)
