"""What the contract tests share: the real binary on a free port, requests, and TAP."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request

BINARY = os.environ["OPENRECIPES_BIN"]


class Reply:
    """One answer: status, headers, body."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)


# With the cache, what a test changes shows a moment later.
NO_CACHE = ("--cache-bytes", "0")


class Service:
    """The binary serving an imported collection, for the time of a `with`.

    options:  further ones of serve
    database: served as it is, instead of a new one
    """

    def __init__(self, *paths, options=("--no-access-log", *NO_CACHE), database=None):
        self.paths = paths or ("catalog", "recipes")
        self.options = options
        self.database = database

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        if not self.database:
            self.database = os.path.join(self.folder.name, "openrecipes.db")
            import_into(self.database, *self.paths)
        self.start()
        return self

    def start(self):
        with open(os.path.join(self.folder.name, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [BINARY, "serve", "--db", self.database, "--listen", "127.0.0.1:0", *self.options],
                stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on http"), (line, self.log())
        self.address = line.split()[-1]
        self.port = int(self.address.rsplit(":", 1)[1])

    def log(self):
        """What the service wrote to standard error so far."""
        with open(os.path.join(self.folder.name, "log"), encoding="utf-8") as log:
            return log.read()

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        self.log_kept = self.log()
        self.folder.cleanup()
        assert code == 0, code

    @contextlib.contextmanager
    def hub(self):
        """The endpoint of a hub on this machine, which serves true headers."""
        hub = os.path.join(os.path.dirname(BINARY), "tests", "manual", "loopback_hub")
        with subprocess.Popen([hub], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as process:
            yield process.stdout.readline().strip().removeprefix("HF_ENDPOINT=")

    def verify(self, *names):
        """Confirm recipes against it."""
        with self.hub() as endpoint:
            environment = os.environ | {"HF_ENDPOINT": endpoint, "HF_TOKEN": "",
                                        "HF_HOME": self.folder.name, "no_proxy": "*"}
            subprocess.run([BINARY, "verify", "--db", self.database, *names], check=True,
                           env=environment, stdout=subprocess.DEVNULL)

    def ask(self, path, method="GET", body=None, headers=None):
        request = urllib.request.Request(self.address + path, data=body, method=method,
                                         headers=headers or {})
        opener = urllib.request.build_opener(KeepRedirects)
        try:
            with opener.open(request, timeout=20) as reply:
                return Reply(reply.status, reply.headers, reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, error.headers, error.read())


def import_into(database, *paths):
    subprocess.run([BINARY, "import", "--db", database, *paths], check=True,
                   stdout=subprocess.DEVNULL)


def snapshot(database, target):
    """Write a snapshot of a database."""
    subprocess.run([BINARY, "snapshot", "--db", database, target], check=True,
                   stdout=subprocess.DEVNULL)


def wait_until(is_so, seconds=60):
    """Wait until something is so; fail if it takes too long."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, is_so
        time.sleep(0.02)


class Load:
    """Threads that ask on kept connections for the time of a `with`.

    Each reply is given to judge(path, status, body), which returns what is wrong with it or None;
    `asked` and `wrong` tell what came of it. A connection that ends early is wrong too.
    """

    def __init__(self, connect, paths, judge, threads=4):
        self.connect = connect
        self.paths = paths
        self.judge = judge
        self.count = threads
        self.asked = 0
        self.wrong = []
        self.lock = threading.Lock()
        self.is_ending = threading.Event()

    def __enter__(self):
        self.threads = [threading.Thread(target=self.run, args=(i * len(self.paths) // self.count,))
                        for i in range(self.count)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_ending.set()
        for thread in self.threads:
            thread.join()

    def ask(self, connection, path):
        connection.request("GET", path)
        reply = connection.getresponse()
        return self.judge(path, reply.status, reply.read())

    def run(self, first):
        """Ask one path after the other, beginning with another one in each thread."""
        connection = self.connect()
        while not self.is_ending.is_set():
            for path in self.paths[first:] + self.paths[:first]:
                if self.is_ending.is_set():
                    break
                try:
                    problem = self.ask(connection, path)
                except (OSError, http.client.HTTPException) as error:
                    connection.close()
                    connection = self.connect()
                    problem = f"{path}: {error!r}"
                with self.lock:
                    self.asked += 1
                    if problem:
                        self.wrong.append(problem)
        connection.close()


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects are answers to look at, not to follow."""

    def redirect_request(self, *_):
        return None


class Tap:
    """Runs the tests of one file and prints TAP; the exit code tells whether all passed."""

    def __init__(self):
        self.tests = []

    def test(self, function):
        self.tests.append(function)
        return function

    def run(self, *args):
        failed = 0
        print(f"1..{len(self.tests)}", flush=True)
        for number, function in enumerate(self.tests, 1):
            try:
                function(*args)
                print(f"ok {number} - {function.__name__}", flush=True)
            except Exception:  # a test reports any failure and the next one runs
                failed += 1
                print(f"not ok {number} - {function.__name__}", flush=True)
                for line in traceback.format_exc().splitlines():
                    print(f"# {line}", flush=True)
        return 1 if failed else 0
