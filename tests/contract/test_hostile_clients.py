"""Clients that are slow, endless, many or rude: they are cut off, refused or queued, what they cost
is bounded, and everybody else is answered meanwhile and afterwards."""

import os
import resource
import select
import socket
import sys
import time

from support import Service, Tap, wait_until
from wire import Ended, Wire

GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /check HTTP/1.1\r\nHost: x\r\n"
REQUEST_SECONDS = 2
OPTIONS = ("--no-access-log", "--request-seconds", str(REQUEST_SECONDS),
           "--connections-per-address", "5000")
# Of a reply while others misbehave, on a busy machine.
SECONDS = 5

tap = Tap()


def rss_kib(service):
    with open(f"/proc/{service.process.pid}/status", encoding="utf-8") as status:
        return int(next(line for line in status if line.startswith("VmRSS:")).split()[1])


def descriptors(service):
    return len(os.listdir(f"/proc/{service.process.pid}/fd"))


def check_answers(service):
    start = time.monotonic()
    assert service.ask("/recipes?q=expandable_segments").status == 200
    assert time.monotonic() - start < SECONDS


def is_over(wire):
    """Whether the server has ended a connection; what it said before counts for nothing."""
    wire.socket.settimeout(0.001)
    try:
        while wire.socket.recv(65536):
            pass
        return True
    except ConnectionError:
        return True
    except TimeoutError:
        return False


def flood(wire, part, limit):
    """Send the same bytes until the server has enough; return how many it took, and its reply."""
    sent = 0
    wire.socket.settimeout(20)
    while sent < limit and wire.try_to_send(part):
        sent += len(part)
    try:
        return sent, wire.reply()
    except Ended:
        return sent, None


@tap.test
def those_who_drip_are_cut_off_and_others_answered(service):
    starts = [b"", b"G", GET, GET + b"A: ", POST + b"Content-Length: 500\r\n\r\n",
              POST + b"Transfer-Encoding: chunked\r\n\r\n", b"POST /check HTTP/1.1\r\nHost: "]
    wires = [Wire(service.port) for _ in range(210)]
    start = time.monotonic()
    for i, wire in enumerate(wires):
        wire.try_to_send(starts[i % len(starts)])
    left = wires
    while left:
        left = [wire for wire in left if not is_over(wire)]
        for wire in left:
            wire.try_to_send(b"1")
        check_answers(service)
        assert time.monotonic() - start < REQUEST_SECONDS + 20, len(left)
    for wire in wires:
        wire.socket.close()


@tap.test
def half_a_connection_is_no_harm(service):
    before = descriptors(service)
    # Who says that no more will come is answered all the same.
    with Wire(service.port) as wire:
        wire.send(GET + b"Connection: close\r\n\r\n")
        wire.finish()
        assert wire.reply().status == 200
    # Who leaves in the middle of anything leaves nothing behind.
    for data in (b"", b"GET", GET, GET + b"\r\n", POST + b"Content-Length: 99\r\n\r\nab",
                 b"GET /recipes.csv HTTP/1.1\r\nHost: x\r\n\r\n"):
        for is_rude in (False, True):
            wire = Wire(service.port)
            wire.send(data)
            if is_rude:  # A reset instead of an end.
                wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            wire.socket.close()
    check_answers(service)
    wait_until(lambda: descriptors(service) <= before)


@tap.test
def what_has_no_end_is_ended(service):
    """Bytes that are taken of each, at most."""
    limit = 200 * 1024 * 1024
    for start, part, most, statuses in (
            (b"GET /", b"a" * 4096, 4, (414, None)),
            (b"GET /?", b"a=b&" * 1024, 4, (414, None)),
            (b"G", b"E" * 4096, 4, (400, 413, 414, 431, None)),
            (GET, b"A: b\r\n" * 700, 4, (413, 431, None)),
            (GET + b"A: ", b"a" * 4096, 4, (413, 431, None)),
            (GET + b"A: b\r\n", b" a\r\n" * 1024, 4, (400, 413, 431, None)),
            (b"\r\n" * 2000, b"\r\n" * 2048, 4, (414, None)),
            (POST + b"Content-Length: 1000000000000\r\n\r\n", b"a" * 65536, 8, (413,)),
            (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1000\r\n" + b"a" * 4096 + b"\r\n", 80,
             (413, None)),
            # The library's page blames its user for this.
            (POST + b"Transfer-Encoding: chunked\r\n\r\n1;", b"a" * 4096, 4, (500, None)),
            (POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"A: b\r\n" * 700, 4,
             (400, 413, 431, None))):
        before = rss_kib(service)
        with Wire(service.port) as wire:
            wire.send(start)
            sent, reply = flood(wire, part, limit)
        # What lies in the buffers of both sockets counts as sent.
        assert sent < (most + 16) * 1024 * 1024, (start, part[:9], sent)
        assert (reply and reply.status) in statuses, (start[:40], part[:9], reply)
        assert rss_kib(service) - before < 16 * 1024, (start, part[:9])
        check_answers(service)


@tap.test
def a_huge_body_is_refused_before_it_is_sent(service):
    with Wire(service.port) as wire:
        wire.send(POST + b"Content-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n")
        reply = wire.reply()
        assert reply.status == 413 and reply.is_problem(), reply
        assert wire.is_closed()
    with Wire(service.port) as wire:
        assert wire.ask(POST + b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n").status == 100
        assert wire.ask(b"a:").status == 200
        assert wire.ask(GET + b"\r\n").status == 200


@tap.test
def hundreds_of_requests_in_one_write_are_answered_in_order(service):
    requests = b"".join(b"GET /none HTTP/1.1\r\nHost: x\r\nX-Request-Id: r%d\r\n\r\n" % i
                        for i in range(700))
    with Wire(service.port) as wire:
        wire.send(requests)
        for i in range(700):
            reply = wire.reply()
            assert (reply.status, reply.headers["x-request-id"]) == (404, f"r{i}")


@tap.test
def who_asks_and_never_reads_costs_little(service):
    before = rss_kib(service)
    wires = [Wire(service.port) for _ in range(20)]
    for wire in wires:
        wire.socket.setblocking(False)
        try:
            for _ in range(2000):
                wire.socket.send(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
        except BlockingIOError:
            pass
    check_answers(service)
    assert rss_kib(service) - before < 64 * 1024, (before, rss_kib(service))
    for wire in wires:
        wire.socket.close()
    check_answers(service)


def count_answered(wires):
    """Ask on all of them, and read what comes until no more does."""
    poll = select.poll()
    by_number = {wire.socket.fileno(): wire for wire in wires}
    for number, wire in by_number.items():
        wire.send(GET + b"\r\n")
        poll.register(number, select.POLLIN)
    answered = 0
    while events := poll.poll(1000):
        for number, _ in events:
            assert by_number[number].reply().status == 200
            poll.unregister(number)
            answered += 1
    return answered


@tap.test
def two_thousand_connections_at_once_are_answered_or_wait(service):
    wires = [Wire(service.port) for _ in range(2000)]
    # Those beyond the limit wait for their turn.
    assert 900 <= count_answered(wires) <= 1000
    for wire in wires[:1500]:
        wire.socket.close()
    for wire in wires[1500:]:
        wire.socket.settimeout(20)
        assert wire.reply().status == 200
        wire.socket.close()
    for _ in range(100):
        check_answers(service)


def with_descriptors(count):
    """A service that may have so many, and 5000 connections."""
    return Service(options=(*OPTIONS, "--connections", "5000"), limits={
        resource.RLIMIT_NOFILE: (count, count)})


@tap.test
def without_descriptors_those_who_are_connected_are_answered(_):
    with with_descriptors(64) as service:
        wires = [Wire(service.port) for _ in range(200)]
        assert 20 <= count_answered(wires) <= 60
        wait_until(lambda: descriptors(service) >= 60)
        for path in (b"/recipes", b"/recipes?q=expandable_segments", b"/metrics", b"/readyz",
                     b"/recipes.csv", b"/models/qwen3.5-397b-a17b/b200.atom"):
            reply = wires[0].ask(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
            assert reply.status == 200, (path, reply)
        for wire in wires:
            wire.socket.close()
        check_answers(service)
        assert "event=descriptors" in service.log()


if __name__ == "__main__":
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    with Service(options=OPTIONS) as running:
        sys.exit(tap.run(running))
