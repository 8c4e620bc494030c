"""/metrics: what it counts is what was asked, and promtool of Prometheus finds nothing to mend."""

import re
import subprocess
import sys
import time

from support import BINARY, Service, Tap, wait_until

tap = Tap()

RANKING = '{route="/models/{model}/{gpu}",status="200"}'


def read(service):
    """The value of each line, by its name with labels."""
    reply = service.ask("/metrics")
    assert reply.status == 200
    return dict(line.rsplit(" ", 1) for line in reply.body.decode().splitlines() if line[0] != "#")


def number(metrics, name):
    return float(metrics.get(name, 0))


def wait_for(service, is_there):
    """A request is counted when its reply is through, which another thread may be too soon for."""
    wait_until(lambda: is_there(read(service)))


@tap.test
def promtool_has_nothing_to_say(service):
    service.ask("/models")
    service.ask("/nothing")
    body = service.ask("/metrics").body
    done = subprocess.run(["promtool", "check", "metrics"], input=body, capture_output=True,
                          check=False)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert done.stdout + done.stderr == b"", (done.stdout, done.stderr)


@tap.test
def the_type_is_that_of_prometheus(service):
    accept = ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
              "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
    reply = service.ask("/metrics", headers={"Accept": accept})
    assert reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert reply.headers["Cache-Control"] == "no-store"


@tap.test
def requests_are_counted_by_route_and_status(service):
    name = "openrecipes_http_requests_total"
    before = read(service)
    for _ in range(3):
        service.ask("/models/gemma-4-31b/h100")
    service.ask("/models/gemma-4-31b/h999")
    service.ask("/no/such/place")
    etag = service.ask("/gpus").headers["ETag"]
    service.ask("/gpus", headers={"If-None-Match": etag})
    for labels, count in ((RANKING, 3), (RANKING.replace("200", "404"), 1),
                          ('{route="none",status="404"}', 1), ('{route="/gpus",status="304"}', 1)):
        wait_for(service, lambda after, at=name + labels, count=count:
                 number(after, at) - number(before, at) == count)


@tap.test
def the_histogram_adds_up(service):
    name = "openrecipes_http_request_duration_seconds"
    service.ask("/models")
    wait_for(service, lambda after: number(after, f'{name}_count{{route="/models"}}') >= 1)
    metrics = read(service)
    buckets = [float(value) for key, value in metrics.items()
               if key.startswith(f'{name}_bucket{{route="/models",')]
    assert buckets == sorted(buckets)
    assert buckets[-1] == number(metrics, f'{name}_count{{route="/models"}}') >= 1
    assert 0 < number(metrics, f'{name}_sum{{route="/models"}}') < 60


@tap.test
def bytes_are_those_of_the_bodies(service):
    before = read(service)
    sent = len(service.ask("/models").body)
    service.ask("/check", "POST", b"x" * 1234)
    wait_for(service, lambda after: number(after, "openrecipes_http_received_bytes_total") -
             number(before, "openrecipes_http_received_bytes_total") == 1234)
    wait_for(service, lambda after: number(after, "openrecipes_http_sent_bytes_total") -
             number(before, "openrecipes_http_sent_bytes_total") > sent)


@tap.test
def the_database_is_described(service):
    metrics = read(service)
    assert metrics["openrecipes_database_up"] == "1"
    assert metrics["openrecipes_recipes"] == "5"
    assert metrics['openrecipes_import_recipes{result="added"}'] == "5"
    assert metrics['openrecipes_confirmations{outcome="not_checked"}'] == "5"
    assert metrics["openrecipes_verification_timestamp_seconds"] == "0"
    assert 0 <= number(metrics, "openrecipes_database_age_seconds") < 600
    assert abs(time.time() - number(metrics, "openrecipes_import_timestamp_seconds")) < 600
    service.verify("gemma-4-31b")
    metrics = read(service)
    assert metrics['openrecipes_confirmations{outcome="confirmed"}'] == "1"
    assert abs(time.time() - number(metrics, "openrecipes_verification_timestamp_seconds")) < 600


@tap.test
def the_cache_is_described(service):
    assert not any("cache" in name for name in read(service))
    with Service(options=("--no-access-log",)) as caching:
        def hits():
            return number(read(caching), "openrecipes_cache_hits_total")

        def two_more_hit():
            before = hits()
            for _ in range(2):
                assert caching.ask("/models").status == 200
            return hits() == before + 2
        assert hits() == 0
        assert caching.ask("/models").status == 200
        # The server's first look at the database empties the cache once more.
        wait_until(two_more_hit)
        metrics = read(caching)
        # The first /models, and each /metrics.
        assert number(metrics, "openrecipes_cache_misses_total") >= 3
        assert metrics["openrecipes_cache_entries"] == "1"
        assert metrics["openrecipes_cache_evictions_total"] == "0"
        assert 1000 < number(metrics, "openrecipes_cache_bytes") < 4194304


@tap.test
def the_process_is_described(service):
    metrics = read(service)
    assert 2e6 < number(metrics, "process_resident_memory_bytes") < 1e9
    assert 4 < number(metrics, "process_open_fds") < number(metrics, "process_max_fds")
    assert number(metrics, "process_cpu_seconds_total") > 0
    assert abs(time.time() - number(metrics, "process_start_time_seconds")) < 600
    assert number(metrics, "openrecipes_http_connections") >= 1
    version = subprocess.run([BINARY, "version"], capture_output=True, text=True, check=True)
    info = next(key for key in metrics if key.startswith("openrecipes_build_info"))
    assert re.search(r'version="([^"]+)"', info)[1] in version.stdout


if __name__ == "__main__":
    with Service() as running:
        sys.exit(tap.run(running))
