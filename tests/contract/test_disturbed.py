"""A disk that is full, read-only or damaged, a lock that another holds, a clock that is set back,
no descriptors and no memory: each is told in words, what can be served is served, and when it is
over everything goes on by itself.

As root, or where a user may have a mount namespace of their own. FAULT_ROUNDS is how often each is
tried, where it is more than once.
"""

import contextlib
import ctypes
import mmap
import os
import random
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

from support import BINARY, Load, Service, Tap, connect, import_into, snapshot, wait_until

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "4"))
QWEN = "recipes/qwen3.5-397b-a17b"
PATHS = ("/recipes", "/recipes.csv", "/models", "/models/qwen3.5-397b-a17b/b200", "/readyz",
         "/recipes?q=expandable_segments", "/prices", "/recipes.atom")
CHANGED = "qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8.yaml"
HISTORY = f"/models/{CHANGED.removesuffix('.yaml')}/history"
SHIMS = os.path.join(os.path.dirname(BINARY), "tests", "fault")

tap = Tap()


def run(*arguments, **options):
    """Run a command; returns its exit status and what it said on standard error."""
    done = subprocess.run([BINARY, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=120, **options)
    return done.returncode, done.stderr


def check_answers(service, paths=PATHS):
    for path in paths:
        reply = service.ask(path)
        assert reply.status == 200, (path, reply.status, reply.body)


def gives(service, right):
    """Whether everything is as it was, and no hand was lent."""
    return all(service.ask(path).body == body for path, body in right.items())


def total(service):
    return service.ask("/recipes").json()["total"]


def revisions(service):
    return service.ask(HISTORY).json()["revisions"]


class Disk:
    """A small file system of its own, which can be full or read-only."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "disk")
        os.mkdir(self.path)
        self.mount("-t", "tmpfs", "-o", "size=16m,mode=755", "tmpfs", self.path)
        self.database = os.path.join(self.path, "served.db")
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self.path], check=True)
        self.folder.cleanup()

    @staticmethod
    def mount(*arguments):
        subprocess.run(["mount", *arguments], check=True)

    def fill(self, left=0):
        """Leave so many bytes."""
        with contextlib.suppress(OSError), open(self.filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        os.truncate(self.filler, os.path.getsize(self.filler) - left)

    @property
    def filler(self):
        return os.path.join(self.path, "filler")

    def free(self):
        os.unlink(self.filler)

    def make_writable(self, is_writable):
        self.mount("-o", f"remount,{'rw' if is_writable else 'ro'}", self.path)


@tap.test
def a_full_disk():
    with Disk() as disk:
        import_into(disk.database, "catalog", QWEN)
        # Not served: even the file beside the database that reading needs may not be made.
        disk.fill()
        code, told = run("import", "--db", disk.database, "recipes")
        assert code == 74 and told.startswith("openrecipes import: "), (code, told)
        disk.free()
        with Service(database=disk.database) as service:
            for left in range(0, 40000, 40000 // ROUNDS):
                disk.fill(left)
                code, told = run("import", "--db", disk.database, "recipes")
                if left > 0 and code == 0:  # The log keeps the room that earlier attempts took.
                    disk.free()
                    break
                assert code == 74 and told.count("\n") == 1, (left, code, told)
                check_answers(service)
                assert total(service) == 3
                code, told = run("snapshot", "--db", disk.database, disk.path + "/copy")
                assert code == 74 and "full" in told, (left, code, told)
                disk.free()
                left_behind = set(os.listdir(disk.path)) - {"served.db", "served.db-wal",
                                                            "served.db-shm"}
                assert not left_behind, left_behind
            assert run("import", "--db", disk.database, "recipes") == (0, "")
            wait_until(lambda: total(service) == 5)


@tap.test
def a_read_only_file_system():
    with Disk() as disk:
        import_into(disk.database, "catalog", QWEN)
        with Service(database=disk.database) as service:
            check_answers(service)
            # What is open for writing holds the file system back; a bind mount it does not.
            Disk.mount("--bind", disk.path, disk.path)
            Disk.mount("-o", "remount,bind,ro", disk.path)
            for arguments in (("import", "--db", disk.database, "recipes"),
                              ("verify", "--db", disk.database),
                              ("snapshot", "--db", disk.database, disk.path + "/copy")):
                code, told = run(*arguments)
                assert code == 74 and told.count("\n") == 1, (arguments, code, told)
            check_answers(service)
            subprocess.run(["umount", disk.path], check=True)
            assert run("import", "--db", disk.database, "recipes") == (0, "")
            wait_until(lambda: total(service) == 5)


@tap.test
def a_lock_that_another_holds():
    with Service("catalog", QWEN) as service, service.hub() as endpoint:
        environment = os.environ | {"HF_ENDPOINT": endpoint, "HF_TOKEN": "", "no_proxy": "*",
                                    "HF_HOME": service.folder.name}
        commands = (("import", "--db", service.database, "recipes"),
                    ("verify", "--db", service.database))
        for seconds, codes in ((2, {0}), (60, {75})):
            with contextlib.closing(sqlite3.connect(service.database,
                                                    isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                start = time.monotonic()
                processes = [subprocess.Popen([BINARY, *command], stdout=subprocess.DEVNULL,
                                              stderr=subprocess.PIPE, text=True, env=environment)
                             for command in commands]
                while any(one.poll() is None for one in processes) and \
                        time.monotonic() - start < seconds:
                    check_answers(service)
                    # Serving begins in spite of it, too.
                    with Service(database=service.database) as second:
                        assert second.ask("/recipes").status == 200
                other.execute("ROLLBACK")
                for process in processes:
                    told = process.communicate(timeout=60)[1]
                    assert process.returncode in codes, (seconds, process.returncode, told)
                    if process.returncode:
                        assert "locked" in told or "in use" in told or "busy" in told, told
            if seconds == 2:
                wait_until(lambda: total(service) == 5)
        for command in commands:
            assert run(*command, env=environment) == (0, "")


def damage(path, random_numbers):
    """Do one of many things to a file; returns what it was. SQLite has no checksums, so that some
    of it passes for data until a good file is put in place."""
    size = os.path.getsize(path)
    kind = random_numbers.choice(("pages", "zeroes", "header", "short", "empty", "bits"))
    with open(path, "r+b") as file:
        if kind == "pages":
            for _ in range(20):
                file.seek(random_numbers.randrange(size))
                file.write(random_numbers.randbytes(600))
        elif kind == "zeroes":
            file.write(bytes(size))
        elif kind == "header":
            file.write(random_numbers.randbytes(100))
        elif kind == "bits":
            for _ in range(200):
                file.seek(random_numbers.randrange(size))
                file.write(random_numbers.randbytes(1))
        else:
            file.truncate(random_numbers.randrange(size) if kind == "short" else 0)
    return kind


@tap.test
def a_damaged_database_is_told_and_a_good_one_ends_it():
    random_numbers = random.Random(os.environ.get("FAULT_SEED", "1"))
    with tempfile.TemporaryDirectory() as folder:
        original, good, served = (os.path.join(folder, name) for name in ("a", "good", "served"))
        import_into(original, "catalog", "recipes")
        snapshot(original, good)
        shutil.copy(good, served)
        with Service(database=served) as service:
            right = {path: service.ask(path).body for path in PATHS}
            for _ in range(ROUNDS * 4):
                kind = damage(served, random_numbers)
                for path in (*PATHS, "/metrics", "/healthz", "/recipes.ndjson"):
                    try:
                        reply = service.ask(path)
                    except OSError:
                        continue  # A list that was under way is cut off.
                    assert reply.status in (200, 404, 410, 500, 503), (kind, path, reply.status)
                    if reply.status >= 500:
                        assert reply.json()["status"] == reply.status, (kind, path)
                        assert reply.headers["Cache-Control"] == "no-store", (kind, path)
                assert service.ask("/healthz").status == 200, kind
                shutil.copy(good, served + ".new")
                os.rename(served + ".new", served)
                wait_until(lambda: gives(service, right))


@tap.test
def a_log_that_is_damaged_or_gone():
    with Service("catalog", QWEN) as service:
        with contextlib.closing(sqlite3.connect(service.database)) as other:
            other.execute("CREATE TABLE another (x)")
        assert os.path.getsize(service.database + "-wal") > 0
        with open(service.database + "-wal", "r+b") as log:
            log.write(bytes(os.path.getsize(service.database + "-wal")))
        for path in PATHS:
            assert service.ask(path).status in (200, 500, 503), path
        assert service.ask("/healthz").status == 200


class Control:
    """The file by which the preloaded shim is told what shall fail; see tests/fault/shim.h."""

    KINDS = ("memory", "files", "space")
    BYTES = 48

    def __init__(self, folder):
        self.path = os.path.join(folder, "control")
        with open(self.path, "wb") as file:
            file.truncate(4096)
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 4096)
        self.environment = {"LD_PRELOAD": os.path.join(SHIMS, "shim.so"),
                            "FAULT_CONTROL": self.path}

    def arm(self, kind, call, error, is_sticky=True):
        at = self.KINDS.index(kind) * self.BYTES
        struct.pack_into("q", self.map, at + 16, call)
        struct.pack_into("?", self.map, at + 24, is_sticky)
        struct.pack_into("i", self.map, at + 40, error)
        struct.pack_into("?", self.map, at + 8, True)

    def disarm(self, kind):
        """Let nothing fail any more; returns how much did, since the beginning."""
        at = self.KINDS.index(kind) * self.BYTES
        struct.pack_into("?", self.map, at + 8, False)
        return struct.unpack_from("q", self.map, at + 32)[0]


def judge_disturbed(right):
    def judge(path, status, body):
        if status in (500, 503):
            return None
        return None if status == 200 and body == right[path] else f"{path}: {status}: {body[:200]}"
    return judge


def disturb_under_load(kind, error):
    """Let a kind of call fail again and again while clients ask."""
    random_numbers = random.Random(os.environ.get("FAULT_SEED", "1"))
    with tempfile.TemporaryDirectory() as folder:
        control = Control(folder)
        paths = [path for path in PATHS if path != "/recipes.csv"]
        with Service(environment=control.environment) as service:
            right = {path: service.ask(path).body for path in paths}
            with Load(lambda: connect(service), paths, judge_disturbed(right)) as load:
                for _ in range(ROUNDS * 5):
                    control.arm(kind, random_numbers.randrange(1, 3000), error,
                                random_numbers.random() < 0.5)
                    time.sleep(random_numbers.random() * 0.2)
                    injected = control.disarm(kind)
                    asked = load.asked
                    wait_until(lambda asked=asked, load=load: load.asked > asked)
            assert injected > 0
            # Connections may have been cut off, but no reply was a wrong one.
            wrong = [problem for problem in load.wrong if ": 200: " in problem or ": 4" in problem]
            assert not wrong, wrong[:3]
            wait_until(lambda: gives(service, right))


@tap.test
def no_memory_under_load():
    disturb_under_load("memory", 12)  # ENOMEM


@tap.test
def files_that_cannot_be_read_under_load():
    disturb_under_load("files", 5)  # EIO


class Clock:
    """The file by which the preloaded shim is told how wrong the clock is."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "clock")
        with open(self.path, "wb") as file:
            file.truncate(4096)
        with open(self.path, "r+b") as file:
            self.offset = ctypes.c_int64.from_buffer(mmap.mmap(file.fileno(), 4096))
        self.environment = {"LD_PRELOAD": os.path.join(SHIMS, "clock.so"), "FAULT_CLOCK": self.path}


@tap.test
def a_clock_that_is_set_back_and_forth():
    year = 365 * 24 * 3600
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock(folder)
        recipes = shutil.copytree("recipes", os.path.join(folder, "recipes"))
        environment = os.environ | clock.environment
        options = ("--no-access-log", "--idle-seconds", "5", "--request-seconds", "5",
                   "--rate-limit", "1000")
        with Service("catalog", recipes, options=options, environment=clock.environment) as service:
            kept = connect(service)
            kept.request("GET", "/recipes")
            reply = kept.getresponse()
            tag = reply.headers["ETag"]
            reply.read()
            for changes, years in enumerate((-1, 2, -30, 0), 1):
                clock.offset.value = years * year
                # A connection of before lives on, and what was kept is still valid.
                kept.request("GET", "/recipes", headers={"If-None-Match": tag})
                reply = kept.getresponse()
                reply.read()
                assert reply.status == 304, (years, reply.status)
                with open(os.path.join(recipes, CHANGED), "a", encoding="utf-8") as file:
                    file.write("\n# changed\n")
                assert run("import", "--db", service.database, "--prune", "catalog", recipes,
                           env=environment) == (0, "")
                wait_until(lambda changes=changes: len(revisions(service)) > changes)
                check_answers(service)
                kept.request("GET", "/recipes")
                reply = kept.getresponse()
                tag = reply.headers["ETag"]
                assert reply.read().count(b'"rank":') == 5
                assert b"openrecipes_database_age_seconds -" not in service.ask("/metrics").body
                history = revisions(service)
                assert len({row["hash"] for row in history}) == changes + 1, history
                assert [row["replaced_at"] is None for row in history] == [True] + [False] * changes
            kept.close()


@tap.test
def too_few_descriptors_for_a_command():
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "a.db")
        import_into(database, "catalog", QWEN)
        codes = set()
        for count in range(3, 24):
            def limit(count=count):
                resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))

            for arguments in (("import", "--db", database, "--prune", "catalog", QWEN),
                              ("export", "--db", database, "--format", "ndjson"),
                              ("snapshot", "--db", database, os.path.join(folder, f"s{count}")),
                              ("serve", "--db", database, "--listen", "127.0.0.1:x"),
                              ("migrate", "--db", database)):
                code, told = run(*arguments, preexec_fn=limit)
                # 127: even the loader of programs had too few.
                assert code in (0, 64, 66, 69, 70, 71, 74, 75, 127), (count, arguments, code, told)
                assert code == 0 or told, (count, arguments, code)
                codes.add(code)
            with contextlib.closing(sqlite3.connect(database)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                assert connection.execute("SELECT count(*) FROM recipes").fetchone() == (3,)
        assert {0, 74} <= codes, codes


if __name__ == "__main__":
    if os.geteuid() != 0:
        os.execvp("unshare", ["unshare", "--map-root-user", "--mount", sys.executable, *sys.argv])
    sys.exit(tap.run())
