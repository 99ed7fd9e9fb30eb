"""Bytes between whoever connects and one server, which can be cut.

    with Proxy(HOST, PORT) as proxy:
        proxy.port            on HOST
        proxy.cut()           all connections end
        proxy.leave()         and nobody is let in, until come_back()
        proxy.hold()          bytes stay on their way until release(), also those of a sender that gives up meanwhile
        proxy.count           how many were cut
"""

import contextlib
import selectors
import socket
import threading


class Proxy:
    def __init__(self, host, port):
        self.server = (host, port)
        self.listener = socket.create_server((host, 0))
        self.port = self.listener.getsockname()[1]
        self.lock, self.pairs, self.count, self.is_away, self.is_over = threading.Lock(), set(), 0, False, False
        self.passes = threading.Event()
        self.passes.set()
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def accept(self):
        while True:
            try:
                ours, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                if self.is_away or self.is_over:
                    ours.close()
                    continue
            threading.Thread(target=self.carry, args=(ours,), daemon=True).start()

    def carry(self, ours):
        with contextlib.suppress(OSError), ours, socket.create_connection(self.server) as theirs:
            pair = (ours, theirs)
            with self.lock:
                if self.is_away or self.is_over:
                    return
                self.pairs.add(pair)
            try:
                self.copy(ours, theirs)
            finally:
                with self.lock:
                    self.pairs.discard(pair)

    def copy(self, ours, theirs):
        with selectors.DefaultSelector() as both:
            both.register(ours, selectors.EVENT_READ, theirs)
            both.register(theirs, selectors.EVENT_READ, ours)
            while True:
                for key, _ in both.select():
                    data = key.fileobj.recv(1 << 16)
                    if not data:
                        return
                    self.passes.wait()
                    key.data.sendall(data)

    def cut(self):
        with self.lock:
            for pair in self.pairs:
                self.count += 1
                for end in pair:
                    with contextlib.suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def leave(self):
        with self.lock:
            self.is_away = True
        self.cut()

    def come_back(self):
        with self.lock:
            self.is_away = False

    def hold(self):
        self.passes.clear()

    def release(self):
        self.passes.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self.lock:
            self.is_over = True
        self.release()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()
        self.thread.join()
