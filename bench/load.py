"""Load on a server, by wrk on a processor of its own, and what came of it."""

import http.client
import os
import re
import statistics
import subprocess
import time
import urllib.request
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
LOAD_CPU = "1"
MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}


class Result(NamedTuple):
    """Requests a second, the 99th percentile of their times, the server's processor time of one, and
    its memory after them."""

    per_second: float
    p99_ms: float
    cpu_us: float
    memory_mb: float


def wrk(server, target, connections, seconds, targets=None, bodiless=None):
    """What wrk says, or, for replies without a body, what bodiless(server) gives the command of."""
    command = ["taskset", "-c", LOAD_CPU, "wrk", "-t1", f"-c{connections}", f"-d{seconds}",
               "--latency", "--timeout", "60"]
    if bodiless:
        command[3:] = bodiless(server, target, connections, seconds)
    elif targets:
        command += ["-s", os.path.join(HERE, "load.lua"), server.url + target, "--", targets]
    else:
        command.append(server.url + target)
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out:
        raise RuntimeError(f"{server.name}: {out}")
    return out


def count(server, target, connections, seconds, **options):
    """How many requests were answered."""
    out = wrk(server, target, connections, seconds, **options)
    return int(re.search(r"(\d+) requests in", out).group(1))


def run(server, target, connections, seconds, targets=None, bodiless=None):
    before = server.cpu_seconds()
    out = wrk(server, target, connections, seconds, targets, bodiless)
    spent = server.cpu_seconds() - before
    requests = int(re.search(r"(\d+) requests in", out).group(1))
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s|m)\b", out)
    # A server that gave no answer in time gets a figure that can be divided by.
    return Result(max(float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), 0.01),
                  float(p99.group(1)) * MILLISECONDS[p99.group(2)],
                  spent * 1e6 / max(requests, 1), server.figure("VmRSS") / 1000)


def time_requests(url, target, count):
    """Median of the seconds that a request takes on one connection, and the statuses."""
    host = url.split("//")[1]
    connection = http.client.HTTPConnection(host, timeout=60)
    seconds, statuses = [], set()
    for _ in range(count):
        begun = time.monotonic()
        connection.request("GET", target)
        reply = connection.getresponse()
        reply.read()
        seconds.append(time.monotonic() - begun)
        statuses.add(reply.status)
    connection.close()
    return statistics.median(seconds), sorted(statuses)


def fetch(url):
    """Seconds that a whole body takes."""
    begun = time.monotonic()
    with urllib.request.urlopen(url, timeout=600) as reply:
        while reply.read(1 << 16):
            pass
    return time.monotonic() - begun


def time_command(command):
    """Seconds that a command takes, and its memory at the peak, in kB."""
    begun = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}")
    return (time.monotonic() - begun, usage.ru_maxrss)
