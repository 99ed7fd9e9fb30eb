"""Stand between a client and a server. Pooler refuses what PgBouncer refuses. AnswerOfCommit loses the answer to a COMMIT: the server has committed,
the client does not learn it. Cable is cut: neither end hears of the other, nor that it is gone.
"""

import pathlib
import select
import socket
import tempfile
import threading


class Listener:
    """Serves each client of a listening socket in a thread of its own: serve(client)."""

    def __init__(self, listener):
        self.listener = listener
        self.threads = [threading.Thread(target=self.accept)]

    def __enter__(self):
        self.threads[0].start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()
        self.listener.close()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            self.threads.append(threading.Thread(target=self.serve, args=(client,)))
            self.threads[-1].start()


class AnswerOfCommit(Listener):
    """`folder` holds the socket to connect to. The first COMMIT that comes after `word` is answered
    by the end of the connection; what comes before and afterwards passes."""

    def __init__(self, folder, port, word):
        self.word = word
        self.target = f"{folder}/.s.PGSQL.{port}"
        self.scratch = tempfile.TemporaryDirectory(prefix="totrain-proxy-")
        self.folder = self.scratch.name
        self.has_cut = False
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(pathlib.Path(self.folder) / f".s.PGSQL.{port}"))
        listener.listen()
        super().__init__(listener)

    def __exit__(self, *why):
        super().__exit__(*why)
        self.scratch.cleanup()

    def serve(self, client):
        has_come = False
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self.target)
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    data = ready.recv(1 << 16)
                    if not data:
                        return
                    (server if ready is client else client).sendall(data)
                    has_come = has_come or (ready is client and self.word in data)
                    if ready is client and b"COMMIT\0" in data and has_come and not self.has_cut:
                        self.has_cut = True
                        server.recv(1 << 16)  # it is done
                        return


class Cable(Listener):
    """TCP to a server, at `port`. When a client has said `word` all connections are cut: the server's answer goes
    nowhere, and whether a client ends is not passed on, as when a machine has lost its network.
    """

    def __init__(self, target, word):
        self.target = target
        self.word = word
        self.is_cut = threading.Event()
        self.is_over = threading.Event()
        super().__init__(socket.create_server(("127.0.0.1", 0)))
        self.port = self.listener.getsockname()[1]
        self.client_said = b""

    def __exit__(self, *why):
        """The machine is switched off: the server learns now, if it has not before."""
        self.is_over.set()
        super().__exit__(*why)

    def serve(self, client):
        with client, socket.socket() as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # the server's bytes wait with the server
            server.connect(("127.0.0.1", self.target))
            try:
                while not self.is_cut.is_set():
                    if not self.pass_on(client, server):
                        return
            except OSError:
                return
            self.is_over.wait()

    def pass_on(self, client, server):
        for ready in select.select([client, server], [], [], 0.2)[0]:
            data = ready.recv(1 << 16)
            if not data:
                return False
            (server if ready is client else client).sendall(data)
            if ready is client:
                self.client_said += data
                if self.word in data:
                    self.is_cut.set()
                    return True
        return True


class Pooler(Cable):
    """Nothing is cut: whoever connects with options of the server's is refused, as by PgBouncer; the others pass."""

    def __init__(self, target):
        super().__init__(target, b"no such word")
        self.refused = 0

    def serve(self, client):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        said = client.recv(1 << 16, socket.MSG_PEEK)
        if said[4:8] == b"\x04\xd2\x16\x2f":  # may it be TLS?
            client.recv(8)
            client.sendall(b"N")
            said = client.recv(1 << 16, socket.MSG_PEEK)
        if b"\0options\0" not in said:
            super().serve(client)
            return
        self.refused += 1
        fields = b"SFATAL\0C08P01\0Munsupported startup parameter in options: tcp_user_timeout\0\0"
        with client:
            client.sendall(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)
