"""Three replicas behind nginx, with the configuration of docker/: one is killed, one is stopped and
started anew, the data of all is exchanged, and no request fails."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from support import BINARY, Load, Tap, import_into, snapshot, wait_until

tap = Tap()

# All that was started, so that a test that fails leaves nothing behind.
STARTED = []

QWEN = "recipes/qwen3.5-397b-a17b"


def free_port():
    """A port that is free now. Nginx and a replica that comes back cannot be given port 0."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(command, **options):
    STARTED.append(subprocess.Popen(command, **options))
    return STARTED[-1]


def end_all():
    for process in STARTED:
        if process.poll() is None:
            process.kill()
            process.wait()


class Replica:
    """One serving process at a port that stays the same over its lives."""

    def __init__(self, folder, database, options=("--stop-delay", "1", "--no-access-log")):
        self.options = options
        self.port = free_port()
        self.database = database
        self.log = os.path.join(folder, f"replica-{self.port}.log")
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = start(
                [BINARY, "serve", "--db", self.database, "--listen", f"127.0.0.1:{self.port}",
                 "--trusted-proxy", "127.0.0.1", *self.options], stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout.readline().startswith("listening on")

    def end(self, number):
        self.process.send_signal(number)
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        return code


class Engine:
    """Nginx with the files of docker/nginx, but for the replicas' addresses and its own."""

    def __init__(self, folder, replicas):
        self.port = free_port()
        self.folder = os.path.join(folder, "nginx")
        shutil.copytree("docker/nginx", self.folder)
        self.write("listen.conf", f"listen 127.0.0.1:{self.port};\n")
        self.write("upstream.conf", "".join(
            f"server 127.0.0.1:{replica.port} max_fails=1 fail_timeout=2s;\n"
            for replica in replicas))
        os.chmod(self.folder, 0o777)  # Workers of root's nginx are another user.
        command = ["nginx", "-p", self.folder, "-c", os.path.join(self.folder, "nginx.conf"), "-g",
                   "daemon off;"]
        subprocess.run([*command[:-2], "-t"], check=True, capture_output=True)
        self.log = os.path.join(folder, "nginx.log")
        with open(self.log, "wb") as log:
            self.process = start(command, stdout=log, stderr=log)
        wait_until(self.is_open)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(text)

    def is_open(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(self, path, headers=None, method="GET", body=None):
        connection = self.connect()
        connection.request(method, path, body=body, headers=headers or {})
        reply = connection.getresponse()
        reply.body = reply.read()
        connection.close()
        return reply

    def end(self):
        self.process.send_signal(signal.SIGQUIT)
        assert self.process.wait(timeout=30) == 0


class Cluster:
    """Three replicas, each with its own copy of the snapshot, as on three machines.

    The folder is where other users reach it: nginx of root has workers that are not.
    """

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(dir="/tmp")
        folder = self.folder.name
        os.chmod(folder, 0o755)
        self.five, self.three = (os.path.join(folder, name) for name in ("five", "three"))
        for target, paths in ((self.five, ["recipes"]), (self.three, [QWEN])):
            import_into(target + ".source", "catalog", *paths)
            snapshot(target + ".source", target)
        self.replicas = []
        for i in range(3):
            database = os.path.join(folder, f"replica-{i}.db")
            shutil.copy(self.five, database)
            self.replicas.append(Replica(folder, database))
        self.engine = Engine(folder, self.replicas)
        return self

    def __exit__(self, *_):
        self.engine.end()
        for replica in self.replicas:
            assert replica.end(signal.SIGTERM) == 0
        self.folder.cleanup()

    def deploy(self, source):
        """What a deployment does on each machine: copy beside, then rename."""
        for replica in self.replicas:
            shutil.copy(source, replica.database + ".new")
            os.rename(replica.database + ".new", replica.database)


def judge(path, status, body):
    if status != 200:
        return f"{path}: {status} {body[:200]}"
    if path.startswith("/recipes") and json.loads(body)["total"] > 5:
        return f"{path}: {body[:200]}"
    return None


def ask_replica(replica, path):
    connection = http.client.HTTPConnection("127.0.0.1", replica.port, timeout=20)
    connection.request("GET", path)
    text = connection.getresponse().read().decode()
    connection.close()
    return text


def served_recipes(replica):
    """How many lists of recipes a replica gave since it was started."""
    text = ask_replica(replica, "/metrics")
    found = re.search(r'requests_total\{route="/recipes",status="200"\} (\d+)', text)
    return int(found[1]) if found else 0


@tap.test
def nobody_notices_a_killed_and_a_replaced_replica():
    # Nearly all are asked once, so that the cache does not stand in for the replicas.
    paths = [f"/recipes?limit={limit}&min_dp={dp}" for limit in range(1, 1001)
             for dp in range(1, 21)]
    paths = [path if i % 10 else "/models" for i, path in enumerate(paths)]
    # Whatever a filter leaves of them, there are at most five.
    with Cluster() as cluster:
        first, second, _ = cluster.replicas
        with Load(cluster.engine.connect, paths, judge, threads=6) as load:
            def more(count):
                before = load.asked
                wait_until(lambda: load.asked >= before + count)

            more(300)
            assert first.end(signal.SIGKILL) == -signal.SIGKILL
            more(600)
            assert second.end(signal.SIGTERM) == 0
            second.start()
            more(300)
            first.start()
            wait_until(lambda: served_recipes(first) > 20 and served_recipes(second) > 20)
            cluster.deploy(cluster.three)
            for replica in cluster.replicas:
                wait_until(lambda replica=replica: json.loads(ask_replica(
                    replica, "/recipes?max_gpus=999"))["total"] == 3)
            more(300)
        assert not load.wrong, (len(load.wrong), load.asked, load.wrong[:3])
        print(f"# {load.asked} requests, {len(load.wrong)} failed")
        for i, replica in enumerate(cluster.replicas):
            assert served_recipes(replica) > 20, i
            reply = json.loads(cluster.engine.ask(f"/recipes?max_gpus={1000 + i}").body)
            assert reply["total"] == 3


@tap.test
def the_cache_honours_validators_and_forms():
    with Cluster() as cluster:
        engine = cluster.engine
        first = engine.ask("/models")
        assert first.headers["X-Cache"] == "MISS"
        again = engine.ask("/models")
        assert again.headers["X-Cache"] == "HIT"
        assert again.body == first.body and again.headers["ETag"] == first.headers["ETag"]
        known = engine.ask("/models", {"If-None-Match": first.headers["ETag"]})
        assert known.status == 304 and not known.body
        packed = engine.ask("/models", {"Accept-Encoding": "gzip"})
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.headers["ETag"] != first.headers["ETag"]
        assert engine.ask("/models", {"Accept": "text/html"}).status in (200, 406)
        assert engine.ask("/models").body == first.body
        head = engine.ask("/models", method="HEAD")
        assert head.status == 200 and head.headers["Content-Length"] == str(len(first.body))


@tap.test
def what_is_not_for_everybody_or_never_kept_stays_so():
    with Cluster() as cluster:
        engine = cluster.engine
        assert engine.ask("/metrics").status == 404
        assert engine.ask("/readyz").headers["X-Cache"] == "MISS"
        assert engine.ask("/readyz").headers["X-Cache"] == "MISS"
        with open(f"{QWEN}/b200/attune-48gpu-tp2-pp6-ep8.yaml", "rb") as file:
            reply = engine.ask("/check", method="POST", body=file.read())
        assert reply.status == 200 and json.loads(reply.body)["valid"]
        for _ in range(3):
            assert engine.ask("/check", method="POST", body=b"x: 1\n").status == 200


@tap.test
def clients_are_known_by_their_own_address():
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        source, served = os.path.join(folder, "source"), os.path.join(folder, "served")
        import_into(source, "catalog", "recipes")
        snapshot(source, served)
        replica = Replica(folder, served, options=())
        engine = Engine(folder, [replica])
        engine.ask("/gpus", {"X-Forwarded-For": "198.51.100.7"})
        engine.end()
        assert replica.end(signal.SIGTERM) == 0
        with open(replica.log, encoding="utf-8") as log:
            text = log.read()
        assert "path=/gpus" in text and "198.51.100.7" not in text


if __name__ == "__main__":
    try:
        sys.exit(tap.run())
    finally:
        end_all()
