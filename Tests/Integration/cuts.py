"""A server between two programs that cuts their connections."""
import contextlib
import socket
import threading


class Allowance:
    """The number of bytes after which a connection is cut: of those sent, of the answers, or both; None for never."""

    def __init__(self, count, is_sent_counted=True, is_answer_counted=True):
        self.rest, self.counted = count, {True: is_sent_counted, False: is_answer_counted}
        self.is_cut = False
        self.lock = threading.Lock()

    def take(self, data, is_sent):
        """Returns the bytes that are passed on, and whether the connection is cut after them, now for the first time."""
        with self.lock:
            if self.rest is None or not data or not self.counted[is_sent]:
                return data, False
            part = data[:max(self.rest, 0)]
            self.rest -= len(data)
            is_first = self.rest <= 0 and not self.is_cut
            self.is_cut = self.is_cut or is_first
            return part, is_first


class CuttingServer:
    """Listens on 127.0.0.1 until the end of a `with` block, passes on what arrives, and cuts connections.

    `target` is the path of a Unix socket, or host and port. `allow` returns the allowance of the next connection. `cuts` is
    the number of cut connections.
    """

    def __init__(self, target, allow):
        self.target, self.allow = target, allow
        self.cuts = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        # Otherwise `accept` would go on in its thread.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            allowance = self.allow()
            try:
                if isinstance(self.target, tuple):
                    target = socket.create_connection(self.target)
                else:
                    target = socket.socket(socket.AF_UNIX)
                    target.connect(self.target)
            except OSError:
                client.close()
                continue
            for ends, is_sent in (((client, target), True), ((target, client), False)):
                threading.Thread(target=self.copy, args=(*ends, allowance, is_sent), daemon=True).start()

    def copy(self, source, target, allowance, is_sent):
        """Copies bytes until one side closes, or the connection is cut."""
        with contextlib.suppress(OSError):
            while True:
                data = source.recv(4096)
                part, is_first = allowance.take(data, is_sent)
                self.cuts += is_first
                if part:
                    target.sendall(part)
                if not data or allowance.is_cut:
                    break
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
