"""What the contract tests share: the real binary on a free port, requests, and TAP."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
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


class Service:
    """The binary serving an imported collection, for the time of a `with`."""

    def __init__(self, *paths):
        self.paths = paths or ("catalog", "recipes")

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.database = os.path.join(self.folder.name, "openrecipes.db")
        subprocess.run([BINARY, "import", "--db", self.database, *self.paths], check=True,
                       stdout=subprocess.DEVNULL)
        self.process = subprocess.Popen(
            [BINARY, "serve", "--db", self.database, "--listen", "127.0.0.1:0", "--no-access-log",
             "--cache-bytes", "0"],  # with it, what a test changes shows a moment later
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on http://"), line
        self.address = line.split()[-1]
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
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
