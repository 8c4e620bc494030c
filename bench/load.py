"""Load on a server, by bench/load.c on a processor of its own, and what came of it."""

import http.client
import os
import re
import statistics
import subprocess
import time
import urllib.request
from typing import NamedTuple

LOAD_CPU = "1"


class Result(NamedTuple):
    """Requests a second, the 99th percentile of their times, the server's processor time of one, and
    its memory after them."""

    per_second: float
    p99_ms: float
    cpu_us: float
    memory_mb: float


class Expected(NamedTuple):
    """Status of every reply, and the header of the request that it comes of."""

    status: int = 200
    header: str = ""


def run(tools, server, targets, connections, seconds, expected=Expected()):
    """Ask for the targets of a file, in random order; returns a Result and the number of requests."""
    command = ["taskset", "-c", LOAD_CPU, os.path.join(tools, "load"), server.url.rsplit(":")[-1],
               str(connections), str(seconds), str(expected.status), targets, expected.header]
    before = server.cpu_seconds()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    spent = server.cpu_seconds() - before
    found = re.fullmatch(r"(\d+) requests in ([\d.]+) s, p99 ([\d.]+) ms\n", done.stdout)
    if not found:
        raise RuntimeError(f"{server.name}: {done.stderr}")
    requests, took = int(found[1]), float(found[2])
    return Result(requests / took, float(found[3]), spent * 1e6 / requests,
                  server.figure("VmRSS") / 1000), requests


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
    """Seconds that a command takes, and its memory at the peak, in kB: as its parent sees it, since
    what a process was before it ran the command counts, too."""
    done = subprocess.run(["time", "-f", "%e %M", *command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=True)
    seconds, peak_kb = done.stderr.splitlines()[-1].split()
    return float(seconds), int(peak_kb)
