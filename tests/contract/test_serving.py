"""What an operator sees of a serving process: its log, its readiness, its limits."""

import json
import os
import signal
import subprocess
import sys
import tempfile

from support import BINARY, Service, Tap, import_into, snapshot, wait_until

tap = Tap()


@tap.test
def lines_of_the_log_are_json_where_asked():
    with Service(options=("--log-format", "json")) as service:
        service.ask("/models", headers={"User-Agent": 'a "b" \\ =c'})
        service.ask("/nothing%00here", headers={"User-Agent": "\x80\xff"})
    lines = [json.loads(line) for line in service.log_kept.splitlines()]
    events = [line["event"] for line in lines if line["event"] != "root"]
    assert sorted(events) == ["request", "request", "sandbox", "start", "stop"]
    # Threads log when their reply is through, in any order.
    first, second = sorted((line for line in lines if line["event"] == "request"),
                           key=lambda line: line["status"])
    assert first["path"] == "/models" and first["status"] == 200
    assert first["user_agent"] == 'a "b" \\ =c'
    assert first["bytes"] > 1000 and first["duration_us"] > 0
    assert second["status"] == 400


@tap.test
def a_log_format_that_does_not_exist_is_refused():
    done = subprocess.run([BINARY, "serve", "--log-format", "xml"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 64, done
    assert "--log-format: xml is not one of text|json" in done.stderr


@tap.test
def it_is_not_ready_before_it_stops():
    with Service(options=("--stop-delay", "60")) as service:
        assert service.ask("/readyz").status == 200
        service.process.send_signal(signal.SIGTERM)
        wait_until(lambda: service.ask("/readyz").status == 503)
        reply = service.ask("/readyz")
        assert reply.headers["Retry-After"] == "1"
        assert reply.headers["Cache-Control"] == "no-store"
        assert service.ask("/models").status == 200
        assert service.ask("/healthz").status == 200


@tap.test
def it_is_not_ready_while_the_database_is_damaged():
    with tempfile.TemporaryDirectory() as folder:
        original, served = os.path.join(folder, "a.db"), os.path.join(folder, "b.db")
        import_into(original, "catalog", "recipes")
        snapshot(original, served)
        snapshot(original, served + ".new")
        with Service(database=served) as service:
            assert service.ask("/readyz").status == 200
            os.truncate(served, 20000)
            wait_until(lambda: service.ask("/readyz").status == 503)
            assert service.ask("/healthz").status == 200
            assert b"openrecipes_database_up 0\n" in service.ask("/metrics").body
            os.rename(served + ".new", served)
            wait_until(lambda: service.ask("/readyz").status == 200)
            assert len(service.ask("/recipes").json()["recipes"]) == 5


@tap.test
def too_many_requests_of_one_address_are_refused():
    options = ("--rate-limit", "5", "--trusted-proxy", "127.0.0.1")
    with Service(options=options) as service:
        def ask(client):
            return service.ask("/gpus", headers={"X-Forwarded-For": client})

        for _ in range(5):
            assert ask("192.0.2.1").status == 200
        reply = ask("192.0.2.1")
        assert reply.status == 429
        assert reply.json()["type"] == "/problems/too-many-requests"
        seconds = int(reply.headers["Retry-After"])
        assert 1 <= seconds <= 12
        assert reply.headers["RateLimit-Policy"] == '"address";q=5;w=60'
        assert reply.headers["RateLimit"] == f'"address";r=0;t={seconds}'
        assert reply.headers["Cache-Control"] == "no-store"
        # Others are served: another address, but not another one of the same IPv6 line.
        assert ask("192.0.2.2").status == 200
        for i in range(5):
            assert ask(f"2001:db8::{i}").status == 200
        assert ask("2001:db8::ffff").status == 429
        assert ask("2001:db8:0:1::1").status == 200
        # What a client says of itself before the proxy's word does not count.
        assert ask("203.0.113.9, 192.0.2.1").status == 429


@tap.test
def without_a_limit_nobody_is_refused():
    with Service() as service:
        assert all(service.ask("/healthz").status == 200 for _ in range(100))


if __name__ == "__main__":
    sys.exit(tap.run())
