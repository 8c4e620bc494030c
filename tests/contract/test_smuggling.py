"""Requests that two servers could read in two ways, each with what exactly comes of it.

What is refused costs the connection, so that nothing behind it is taken for a request. What the
HTTP library lets pass (bare line feeds, zero bytes, folds of fields that say nothing of the body)
is read in one way, in which nothing is hidden; nginx, which stands in front, refuses it or writes
it anew.
"""

import sys

from support import Service, Tap
from wire import Ended, Wire

GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /check HTTP/1.1\r\nHost: x\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
# Behind each shape: seen as a request of its own only where the shape ended before it.
NEXT = b"GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

# Refused by us, with a problem, and the connection is closed.
REFUSED = {
    "both lengths": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "both, the other way": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
    "two lengths": POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "the same length twice": POST + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "an unknown coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "an empty coding": POST + b"Transfer-Encoding:\r\n\r\n0\r\n\r\n",
    "a coding with a space behind": POST + b"Transfer-Encoding: chunked \r\n\r\n0\r\n\r\n",
    "a coding with a control character": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "a list of codings": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "chunked, then something": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "two codings": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": b"POST /check HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a space before the colon": POST + b"Content-Length : 5\r\n\r\nhello",
    "a coding, a space, a colon": POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "a folded length": POST + b"Content-Length:\r\n 5\r\n\r\nhello",
    "a length with a fold": POST + b"Content-Length: 1\r\n 5\r\n\r\nhello",
    "a folded coding": POST + b"Transfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n",
    "a field in a fold": POST + b"A: b\r\n Content-Length: 5\r\n\r\nhello",
    "a fold at the beginning": b"GET /healthz HTTP/1.1\r\n Host: x\r\n\r\n",
    "a carriage return in a value": GET + b"A: b\rContent-Length: 5\r\n\r\n",
    "two hosts": GET + b"Host: y\r\n\r\n",
    "the same host twice": GET + b"Host: x\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "a host with a path": b"GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "a host with a user": b"GET /healthz HTTP/1.1\r\nHost: a@b\r\n\r\n",
}

# Refused by the HTTP library, with a page of its own or without a word; the connection is closed.
REFUSED_BY_LIBRARY = {
    "a list of lengths": (400, POST + b"Content-Length: 5, 5\r\n\r\nhello"),
    "a length with a plus": (400, POST + b"Content-Length: +5\r\n\r\nhello"),
    "a length below 0": (400, POST + b"Content-Length: -5\r\n\r\nhello"),
    "a hexadecimal length": (400, POST + b"Content-Length: 0x5\r\n\r\nhello"),
    "an empty length": (400, POST + b"Content-Length:\r\n\r\nhello"),
    "two lengths in one": (400, POST + b"Content-Length: 5 5\r\n\r\nhello"),
    "a length that no number holds": (413, POST + b"Content-Length: 99999999999999999999\r\n\r\n"),
    "a chunk's size that is none": (400, CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n"),
    "a chunk's size with 0x": (400, CHUNKED + b"0x5\r\nhello\r\n0\r\n\r\n"),
    "a chunk's size below 0": (400, CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n"),
    "a chunk's size with a plus": (400, CHUNKED + b"+5\r\nhello\r\n0\r\n\r\n"),
    "a chunk's size with a space": (400, CHUNKED + b"5 \r\nhello\r\n0\r\n\r\n"),
    "a chunk's size that is absent": (400, CHUNKED + b"\r\nhello\r\n0\r\n\r\n"),
    "a chunk's size that no number holds": (413, CHUNKED + b"fffffffffffffffff\r\nhello\r\n"),
    "a chunk longer than its size": (400, CHUNKED + b"3\r\nhello\r\n0\r\n\r\n"),
    "a zero byte in a name": (400, GET + b"A\0: b\r\n\r\n"),
    "a line without a colon": (400, GET + b"Abc\r\n\r\n"),
    "HTTP/0.9": (400, b"GET /healthz\r\n\r\n"),
    "HTTP/2.0": (505, b"GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n"),
    "a preface of HTTP/2": (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "a version that is none": (400, b"GET /healthz HTTP/1.1x\r\nHost: x\r\n\r\n"),
    "tabs in the first line": (None, b"GET\t/healthz\tHTTP/1.1\r\nHost: x\r\n\r\n"),
    "a space at the beginning": (None, b" GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
}

# Taken, or refused without harm; the next request on the connection is answered.
TAKEN = {
    "the whole address as target": (200, b"GET http://other/healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
    "with a user and a port": (200, b"GET http://a@b:99999/healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
    "an empty host": (200, b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n"),
    "lines before the first": (200, b"\r\n\r\n" + GET + b"\r\n"),
    "a coding in capitals": (200, POST + b"Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n"),
    "an extension of a chunk": (200, CHUNKED + b"5;a=b\r\nhello\r\n0\r\n\r\n"),
    "a length behind the chunks": (200, CHUNKED + b"0\r\nContent-Length: 4\r\n\r\n"),
    "a body that is not asked for": (413, GET + b"Content-Length: 5\r\n\r\nhello"),
    "two spaces": (400, b"GET  /healthz  HTTP/1.1\r\nHost: x\r\n\r\n"),
    "an upgrade": (200, GET + b"Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n"),
    "an expectation that is unknown": (200, POST + b"Expect: x\r\nContent-Length: 5\r\n\r\nhello"),
    "bare line feeds": (200, b"GET /healthz HTTP/1.1\nHost: x\n\n"),
    "chunks with bare line feeds": (200, CHUNKED + b"5\nhello\n0\n\n"),
    "a length behind a bare line feed": (413, GET + b"A: b\nContent-Length: 3\r\n\r\nabc"),
    "a fold of another field": (200, GET + b"A: b\r\n c\r\n\r\n"),
    "a zero byte in a value": (200, GET + b"A: b\0c\r\n\r\n"),
}

tap = Tap()


def replies_to(service, shape):
    """All replies to a shape and what stands behind it, until the connection is closed."""
    with Wire(service.port) as wire:
        wire.send(shape + NEXT)
        replies = []
        try:
            while True:
                replies.append(wire.reply())
        except Ended:
            return replies


@tap.test
def what_is_refused_costs_the_connection(service):
    for name, shape in REFUSED.items():
        replies = replies_to(service, shape)
        assert [reply.status for reply in replies] == [400], (name, replies)
        assert replies[0].is_problem(), (name, replies[0].body)
        assert replies[0].headers["connection"] == "close", name


@tap.test
def what_the_library_refuses_costs_it_too(service):
    for name, (status, shape) in REFUSED_BY_LIBRARY.items():
        replies = replies_to(service, shape)
        expected = [status] if status else []
        assert [reply.status for reply in replies] == expected, (name, replies)


@tap.test
def what_is_taken_hides_nothing(service):
    for name, (status, shape) in TAKEN.items():
        replies = replies_to(service, shape)
        assert [reply.status for reply in replies] == [status, 200], (name, replies)
        assert b"openrecipes" in replies[1].body or b"api" in replies[1].body, replies[1].body


@tap.test
def no_address_of_another_host_is_given_back(service):
    with Wire(service.port) as wire:
        reply = wire.ask(b"GET http://evil.example/models/ HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        assert reply.status == 308
        assert reply.headers["location"] == "/models"
        reply = wire.ask(b"GET /recipes?limit=1 HTTP/1.1\r\nHost: evil.example\r\n"
                         b"X-Forwarded-Host: evil.example\r\n\r\n")
        assert b"evil" not in reply.body and "evil" not in str(reply.headers)


if __name__ == "__main__":
    with Service() as running:
        sys.exit(tap.run(running))
