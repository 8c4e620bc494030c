"""SIGKILL at any moment of anything: the database is whole and in the state before or after, a
running service does not notice, one that is started anew answers right away, and nobody lends a
hand.

FAULT_ROUNDS is how often each is killed: 4 by default, hundreds in `make faults`.
"""

import contextlib
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from support import BINARY, Load, Service, Tap, connect, import_into, seconds_of, wait_until

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "4"))
QWEN = "recipes/qwen3.5-397b-a17b"
# Longer than a command takes, so that some rounds are not killed at all.
SLACK = 1.1

TIMES = re.compile(rb"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")

tap = Tap()


def rows_of(database):
    """What a database holds; fails unless it is whole. Nothing may have to be mended first."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            return None
        return connection.execute(
            "SELECT model, gpu, recipe, digest FROM recipes JOIN recipe_texts "
            "ON recipe_texts.id = recipes.id ORDER BY 1, 2, 3").fetchall()


def names(service):
    return {row["recipe"] for row in service.ask("/recipes").json()["recipes"]}


def kill_after(arguments, seconds, **options):
    """Run a command and kill it after so many seconds; returns whether that came in time."""
    process = subprocess.Popen([BINARY, *arguments], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, **options)
    time.sleep(seconds)
    process.kill()
    _, told = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), (arguments, process.returncode, told)
    return process.returncode != 0


def remove_database(path):
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)


def copy_database(source, target):
    """Copy a database that is not in use, and leave no log of what stood there."""
    remove_database(target)
    shutil.copy(source, target)


class States:
    """Two collections, as databases that are not in use, and the import that leads to each.

    rows:  what a database holds in each
    saved: such databases
    """

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.random = random.Random(os.environ.get("FAULT_SEED", "1"))
        self.database = self.path("served.db")
        self.shown = None
        for state in range(2):
            shutil.copytree("recipes", self.path(f"{state}/recipes"))
        self.change(self.path("1/recipes/qwen3.5-397b-a17b/b200"))
        self.saved = [self.path("first"), self.path("second")]
        self.rows = []
        for state, saved in enumerate(self.saved):
            self.import_all(state)
            shutil.copy(self.database, saved)
            self.rows.append(rows_of(saved))
        assert self.rows[0] != self.rows[1]
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    @staticmethod
    def change(folder):
        """One recipe changes, one goes, one comes."""
        names = sorted(os.listdir(folder))
        os.rename(os.path.join(folder, names[0]), os.path.join(folder, "another.yaml"))
        with open(os.path.join(folder, names[1]), "a", encoding="utf-8") as file:
            file.write("\n# changed\n")

    def to(self, state):
        """The import that leads to a state."""
        if self.shown != state:
            if self.shown is not None:
                os.rename(self.path("live"), self.path(str(self.shown)))
            os.rename(self.path(str(state)), self.path("live"))
            self.shown = state
        return ["import", "--db", self.database, "--prune", "catalog", self.path("live/recipes")]

    def import_all(self, state):
        subprocess.run([BINARY, *self.to(state)], check=True, stdout=subprocess.DEVNULL)

    def moment(self, arguments, **options):
        """A moment within the time that a command takes, which is run for that."""
        return self.random.random() * SLACK * seconds_of(arguments, **options)


@tap.test
def importing(states):
    killed = 0
    found = []
    for i in range(ROUNDS):
        copy_database(states.saved[0], states.database)
        moment = states.moment(states.to(1))
        copy_database(states.saved[0], states.database)
        killed += kill_after(states.to(1), moment)
        # As it was left, and for whoever serves it.
        with Service(database=states.database) as service:
            rows = rows_of(states.database)
            assert names(service) == {row[2] for row in rows}, i
        assert rows in states.rows, i
        found.append(states.rows.index(rows))
        states.import_all(1)
        assert rows_of(states.database) == states.rows[1], i
    assert killed >= ROUNDS // 3, (killed, found)


@tap.test
def importing_while_it_is_served(states):
    copy_database(states.saved[0], states.database)
    with Service(database=states.database) as service:
        paths = ("/recipes", "/recipes.csv", "/models/qwen3.5-397b-a17b/b200", "/prices")
        right = {path: set() for path in paths}
        for state in (1, 0, 1, 0):
            states.import_all(state)
            wait_until(lambda state=state: names(service) == {row[2] for row in states.rows[state]})
            for path in paths:
                right[path].add(without_times(service.ask(path).body))

        def judge(path, status, body):
            is_right = status == 200 and without_times(body) in right[path]
            return None if is_right else f"{path}: {status}: {body}"

        with Load(lambda: connect(service), paths, judge) as load:
            for i in range(ROUNDS):
                # Under load an import takes longer than it did.
                moment = states.moment(states.to(i % 2)) * 2
                kill_after(states.to(1 - i % 2), moment)
                assert rows_of(states.database) in states.rows, i
        assert not load.wrong, load.wrong[:3]
        states.import_all(1)
        assert rows_of(states.database) == states.rows[1]


@tap.test
def serving_while_an_import_runs(states):
    copy_database(states.saved[0], states.database)
    with Service(database=states.database) as service:
        for i in range(ROUNDS):
            with subprocess.Popen([BINARY, *states.to(i % 2)], stdout=subprocess.DEVNULL) as one:
                with Load(lambda: connect(service), ("/recipes", "/models"), ignore) as load:
                    wait_until(lambda load=load: load.asked > 0)
                    time.sleep(states.random.random() * 0.2)
                    service.process.kill()
                    service.process.wait()
                    load.is_ending.set()
                service.process.stdout.close()
                start = time.monotonic()
                service.start(port=service.port)
                assert service.ask("/recipes").status == 200
                assert time.monotonic() - start < 10
                assert one.wait(timeout=60) == 0
            assert rows_of(states.database) == states.rows[i % 2]


@tap.test
def migrating(states):
    new = states.path("new.db")
    arguments = ["migrate", "--db", new]
    killed = 0
    for _ in range(ROUNDS):
        remove_database(new)
        moment = states.moment(arguments)
        remove_database(new)
        killed += kill_after(arguments, moment)
        assert not os.path.exists(new) or rows_of(new) in (None, [])
        with Service(database=new) as service:
            assert service.ask("/recipes").json()["total"] == 0
        import_into(new, "catalog", QWEN)
    assert killed


@tap.test
def taking_a_snapshot(states):
    target = states.path("snapshot.db")
    copy_database(states.saved[1], states.database)
    killed = 0
    for _ in range(ROUNDS):
        arguments = ["snapshot", "--db", states.database, target]
        moment = states.moment(arguments)
        os.unlink(target)
        killed += kill_after(arguments, moment)
        if os.path.exists(target):
            assert rows_of(target) == states.rows[1]
            os.unlink(target)
        subprocess.run([BINARY, *arguments], check=True, stdout=subprocess.DEVNULL)
        assert rows_of(target) == rows_of(states.database) == states.rows[1]
        os.unlink(target)
    assert killed


@tap.test
def verifying(states):
    copy_database(states.saved[1], states.database)
    with Service(database=states.database) as service, service.hub() as endpoint:
        environment = os.environ | {"HF_ENDPOINT": endpoint, "HF_TOKEN": "", "no_proxy": "*",
                                    "HF_HOME": states.folder.name}
        arguments = ["verify", "--db", states.database, "--refresh"]
        for _ in range(ROUNDS):
            kill_after(arguments, states.moment(arguments, env=environment), env=environment)
            assert rows_of(states.database)
            rows = service.ask("/verifications").json()["verifications"]
            assert {row["status"] for row in rows} == {"confirmed"}, rows
        subprocess.run([BINARY, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)


def ignore(*_):
    return None


def without_times(body):
    """A body without the points in time of imports, which differ from one to the next."""
    return TIMES.sub(b"", body)


if __name__ == "__main__":
    with States() as made:
        sys.exit(tap.run(made))
