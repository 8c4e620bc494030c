"""Every byte value in paths, queries and header values, and lists made to be slow: each is
answered, soundly and soon, and so is the next request."""

import json
import sys
import time

from support import Service, Tap
from wire import Ended, Wire

# What a request may take at most, on a busy machine; the shapes would take minutes were they read
# in a time that grows with the square of their items.
SECONDS = 2

# Where a byte is put, with %s for it.
PLACES = (
    b"GET /models/gemma-4-31b%s/h100 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /recipes?q=%s HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /recipes?%s=1 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /recipes?author=a%sb&sort=%s HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /recipes.csv?cursor=%s HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /recipes HTTP/1.1\r\nHost: x\r\nAccept: %s\r\n\r\n",
    b"GET /recipes HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip%s\r\n\r\n",
    b"GET /recipes HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"%s\"\r\n\r\n",
    b"GET /none HTTP/1.1\r\nHost: x\r\nX-Request-Id: a%sb\r\n\r\n",
    b"GET /none HTTP/1.1\r\nHost: x\r\nUser-Agent: %s\r\nX-Forwarded-For: %s\r\n\r\n",
    b"GET /models HTTP/1.1\r\nHost: %s\r\n\r\n",
    b"GET /models HTTP/1.1\r\nHost: x\r\nCookie%s: a\r\n\r\n",
    b"G%sT /models HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /check HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: 2\r\n\r\na:",
)

# Header values of up to the 16 kB that are read, made to be slow to read.
LISTS = {
    "Accept": [
        ",".join(["a/b"] * 4000),
        "," * 16000,
        ",".join(f"a/b;q=0.{i:03}" for i in range(1200)),
        "text/csv;q=0." + "0" * 15000 + "1",
        "text/csv" + ";a=b" * 4000,
        'text/csv;a="' + "\\\"" * 7000,
        '"' * 16000,
        "*/*;" * 4000,
        "/" * 16000,
        ";=," * 5000,
        "text/*;q=1e308," * 1000,
        "text/*;q=-0.0000001,application/json;q=nan",
        " \t" * 8000 + "text/csv",
    ],
    "Accept-Encoding": [
        ",".join(["gzip;q=0.5"] * 1400),
        "gzip;q=" + "9" * 16000,
        "*;q=0," * 2600,
        ", " * 8000 + "gzip",
        "x-gzip;q=0.0001;" * 1000,
    ],
    "If-None-Match": [
        ",".join(['"a"'] * 4000),
        ",".join(['W/"a"'] * 2600),
        '"' * 16000,
        'W/' * 8000,
        '"' + "a" * 15900,
        "*," * 8000,
        "," * 16000,
    ],
    "X-Forwarded-For": [",".join(["1.1.1.1"] * 2000), ":" * 16000, "," * 16000],
    "Content-Type": ['a/b;charset="' + "\\" * 15000],
}

tap = Tap()


def is_sound(reply):
    """Whether a reply is one of ours, or one of the library's short pages; its header lines were
    looked at when they were read."""
    if reply.status < 400:
        kind = reply.headers.get("content-type", "")
        return "json" not in kind or reply.json() is not None
    return reply.status < 500 and (reply.is_problem() or reply.body.startswith(b"<html>")) \
        or reply.status in (501, 505)


def ask_and_go_on(service, wire, request, next_wire):
    """Ask on a connection, or a new one; returns the connection if it is kept."""
    wire = wire or next_wire()
    try:
        reply = wire.ask(request)
    except Ended:
        reply = None
    if reply:
        assert is_sound(reply), (request, reply)
    if reply and reply.headers.get("connection") != "close":
        return wire
    wire.socket.close()
    assert service.ask("/healthz").status == 200
    return None


@tap.test
def every_byte_is_answered_everywhere(service):
    asked = 0
    for place in PLACES:
        wire = None
        for value in range(256):
            # A line's end is what ends it; behind it stand fields, or none.
            if value == 0x0a:
                continue
            request = place.replace(b"%s", bytes([value]))
            start = time.monotonic()
            wire = ask_and_go_on(service, wire, request, lambda: Wire(service.port))
            assert time.monotonic() - start < SECONDS, request
            asked += 1
        if wire:
            wire.socket.close()
    assert asked == len(PLACES) * 255


@tap.test
def every_encoded_byte_is_answered(service):
    for path in ("/models/%{:02X}", "/recipes?q=%{:02X}", "/recipes?author=a%{:02x}",
                 "/recipes?fields=%{:02x}", "/models/gemma-4-31b/h100/a@%{:02X}", "/%{:02X}"):
        for value in range(256):
            reply = service.ask(path.format(value))
            assert reply.status < 500 and json.loads(reply.body), (path, value, reply.status)


@tap.test
def no_header_of_a_reply_is_a_client_s(service):
    """What a client sends comes back in X-Request-Id and Location alone, and never as a line."""
    with Wire(service.port) as wire:
        reply = wire.ask(b"GET /none HTTP/1.1\r\nHost: x\r\nX-Request-Id: a-B_9.c\r\n\r\n")
        assert reply.headers["x-request-id"] == "a-B_9.c"
        for identity in (b"a b", b"a\xe9", b'a"', b"a" * 65, b"a,b", b"a;b", b"<a>", b""):
            reply = wire.ask(b"GET /none HTTP/1.1\r\nHost: x\r\nX-Request-Id: " + identity +
                             b"\r\n\r\n")
            assert reply.headers["x-request-id"] != identity.decode("latin-1"), identity
            assert reply.json()["instance"] == reply.headers["x-request-id"]
        for path in (b"/models/%0d%0aSet-Cookie:%20a/", b"/%0d%0a/", b"/models/?a=%0d%0aA:%20b"):
            reply = wire.ask(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
            assert reply.status in (308, 400, 404) and "set-cookie" not in reply.headers, reply
            assert "a" not in reply.headers, reply


@tap.test
def lists_made_to_be_slow_are_read_at_once(service):
    for name, values in LISTS.items():
        for value in values:
            for method in ("GET", "HEAD"):
                with Wire(service.port) as wire:
                    start = time.monotonic()
                    reply = wire.ask(f"{method} /recipes HTTP/1.1\r\nHost: x\r\n"
                                     f"{name}: {value[:16000]}\r\n\r\n", method)
                    seconds = time.monotonic() - start
                assert seconds < SECONDS, (name, value[:40], seconds)
                assert reply.status in (200, 304, 406), (name, value[:40], reply)
    assert service.ask("/healthz").status == 200


@tap.test
def many_lines_of_one_field_are_read_at_once(service):
    for name in ("Accept", "Accept-Encoding", "If-None-Match", "X-Forwarded-For"):
        lines = f"{name}: {'a,' * 70}\r\n" * 90
        with Wire(service.port) as wire:
            start = time.monotonic()
            reply = wire.ask(f"GET /recipes HTTP/1.1\r\nHost: x\r\n{lines}\r\n")
            assert time.monotonic() - start < SECONDS, name
            assert reply.status in (200, 406), (name, reply)


@tap.test
def queries_made_to_be_slow_end(service):
    long = "a" * 4000
    for query in ("q=" + "%22" * 2000, "q=" + "a*" * 1500, "q=" + "a%20OR%20" * 400,
                  "q=" + "NEAR(" * 700, "q=" + "(" * 3000, "q=-a", "q=%22", "q=a:b", "q=" + long,
                  "model=" + ",".join(["a"] * 100), "model=" + ",".join(["a"] * 4000),
                  "sort=" + ",".join(["gpus"] * 1000), "fields=" + ",".join(["mfu"] * 1000),
                  "price=" + ",".join(["b200:1"] * 800), "cursor=" + "A" * 7000,
                  "&".join(f"min_gpus={i}" for i in range(500)), "min_mfu=" + "9" * 5000,
                  "min_mfu=0." + "0" * 5000 + "1", "max_gpus=1e" + "9" * 3000, "=" * 5000,
                  "%" * 2000, "&" * 5000):
        start = time.monotonic()
        reply = service.ask("/recipes?" + query)
        assert time.monotonic() - start < SECONDS, query[:40]
        assert reply.status in (200, 400), (query[:40], reply.status, reply.body[:200])
    with Wire(service.port) as wire:
        reply = wire.ask(b"GET " + b"/a" * 4000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        assert reply.status == 404, reply


if __name__ == "__main__":
    with Service() as running:
        sys.exit(tap.run(running))
