"""Processes that ask as fast as they are answered, each over one kept connection."""

import array
import collections
import http.client
import multiprocessing
import time

# Told of one client; a fault tends to come thousands of times.
WRONG_TOLD = 20


class Clients:
    """Start them, stop them, and know what they saw.

    wrong:     what was wrong with replies
    by_status: how many there were
    """

    def __init__(self, port, requests, count):
        context = multiprocessing.get_context("fork")
        self.ending = context.Event()
        self.results = context.Queue()
        self.processes = [
            context.Process(target=run, args=(port, requests, i * len(requests) // count,
                                              self.ending, self.results))
            for i in range(count)]
        self.wrong = []
        self.by_status = collections.Counter()
        self.milliseconds = array.array("f")

    def start(self):
        for process in self.processes:
            process.start()

    def stop(self):
        self.ending.set()
        for _ in self.processes:
            by_status, milliseconds, wrong = self.results.get(timeout=60)
            self.by_status += by_status
            self.milliseconds.extend(milliseconds)
            self.wrong += wrong
        for process in self.processes:
            process.join()

    def table(self, seconds):
        times = sorted(self.milliseconds)
        total = len(times)
        lines = [f"requests       {total}, {total / seconds:.0f} a second, "
                 f"p50 {times[total // 2]:.2f} ms, p99 {times[total * 99 // 100]:.2f} ms, "
                 f"longest {times[-1]:.0f} ms"]
        lines += [f"  status {status}   {count}"
                  for status, count in sorted(self.by_status.items())]
        return "\n".join(lines)


def run(port, requests, first, ending, results):
    """Be one of them."""
    by_status = collections.Counter()
    milliseconds = array.array("f")
    wrong = []
    connection = None
    while not ending.is_set():
        for request in requests[first:] + requests[:first]:
            connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            start = time.monotonic()
            try:
                connection.request(request.method, request.path, request.body, request.headers)
                reply = connection.getresponse()
                body = reply.read()
                milliseconds.append((time.monotonic() - start) * 1000)
                by_status[reply.status] += 1
                problem = request.judge(reply.status, reply.headers, body)
            except (OSError, http.client.HTTPException) as error:
                problem = f"{request.method} {request.path}: {error!r}"
                connection.close()
                connection = None
            if problem and len(wrong) < WRONG_TOLD:
                wrong.append(problem)
    results.put((by_status, milliseconds, wrong))
