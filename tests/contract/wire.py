"""Sockets that send each byte as it stands, and replies read as strictly as they can be."""

import gzip
import json
import socket

# What a header line of ours may hold.
TEXT = set(range(0x20, 0x7f))


class Ended(Exception):
    """The connection was closed before a reply, or within one."""


class Wire:
    """One connection."""

    def __init__(self, port, timeout=20, family=socket.AF_INET):
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", port))
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))

    def try_to_send(self, data):
        """Send, and tell whether the other side still takes it."""
        try:
            self.send(data)
            return True
        except (ConnectionError, socket.timeout):
            return False

    def finish(self):
        """Say that nothing more will be sent."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # The other side was quicker.

    def more(self):
        try:
            part = self.socket.recv(65536)
        except ConnectionError as error:
            raise Ended(repr(error)) from error
        if not part:
            raise Ended("closed")
        self.buffer += part

    def take(self, count):
        while len(self.buffer) < count:
            self.more()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def take_line(self):
        while b"\r\n" not in self.buffer:
            self.more()
        line, _, self.buffer = self.buffer.partition(b"\r\n")
        return line

    def take_rest(self):
        """All bytes until the connection is closed."""
        try:
            while True:
                self.more()
        except Ended:
            rest, self.buffer = self.buffer, b""
            return rest

    def is_closed(self):
        """Whether nothing comes any more; waits for it."""
        return self.take_rest() == b""

    def reply(self, method="GET"):
        """The next reply, or Ended."""
        return WireReply(self, method)

    def ask(self, data, method="GET"):
        self.send(data)
        return self.reply(method)


class WireReply:
    """One reply: status, headers by lower-case name (the last of each), body."""

    def __init__(self, wire, method):
        line = wire.take_line()
        version, status, self.reason = line.split(b" ", 2)
        assert version in (b"HTTP/1.1", b"HTTP/1.0"), line
        self.status = int(status)
        self.headers = {}
        while True:
            line = wire.take_line()
            if not line:
                break
            assert set(line) <= TEXT, line
            name, colon, value = line.partition(b":")
            assert colon and name and b" " not in name, line
            self.headers[name.decode().lower()] = value.strip().decode()
        self.body = self.read_body(wire, method)

    def __repr__(self):
        return f"{self.status} {self.body[:200]}"

    def read_body(self, wire, method):
        if method == "HEAD" or self.status < 200 or self.status in (204, 304):
            return b""
        if self.headers.get("transfer-encoding") == "chunked":
            return b"".join(iter(lambda: self.read_chunk(wire), b""))
        if "content-length" in self.headers:
            return wire.take(int(self.headers["content-length"]))
        return wire.take_rest()

    @staticmethod
    def read_chunk(wire):
        size = int(wire.take_line(), 16)
        chunk = wire.take(size)
        assert wire.take_line() == b""
        return chunk

    def json(self):
        is_packed = self.headers.get("content-encoding") == "gzip"
        return json.loads(gzip.decompress(self.body) if is_packed else self.body)

    def is_problem(self):
        """Whether it is an error as ours are: well-formed, with the same status inside."""
        if self.headers.get("content-type") != "application/problem+json":
            return False
        problem = self.json()
        return problem["status"] == self.status and bool(problem["title"])
