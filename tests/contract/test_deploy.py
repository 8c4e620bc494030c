"""A new database moved to the place of the one that is served: nobody notices, but for the data."""

import http.client
import os
import sys
import tempfile
import time

from support import Load, Service, Tap, import_into, snapshot, wait_until

tap = Tap()

QWEN = "recipes/qwen3.5-397b-a17b"


def make_snapshots(folder, count):
    """Two collections, of five and of three recipes, as often as wanted."""
    sources = []
    for name, paths in (("five", ["recipes"]), ("three", [QWEN])):
        sources.append(os.path.join(folder, name))
        import_into(sources[-1], "catalog", *paths)
    made = []
    for i in range(count):
        made.append(os.path.join(folder, f"snapshot-{i}"))
        snapshot(sources[i % 2], made[-1])
    return made


def metric(service, name):
    for line in service.ask("/metrics").body.decode().splitlines():
        if line.startswith(name + " "):
            return float(line.split()[-1])
    raise AssertionError(name)


def names(service):
    return {row["recipe"] for row in service.ask("/recipes").json()["recipes"]}


@tap.test
def deployments_under_load_fail_no_request():
    with tempfile.TemporaryDirectory() as folder:
        snapshots = make_snapshots(folder, 8)
        served = os.path.join(folder, "served.db")
        os.rename(snapshots.pop(0), served)
        paths = ("/recipes", "/models", "/recipes.csv", "/models/qwen3.5-397b-a17b/b200",
                 "/recipes?sort=-mfu&fields=recipe,mfu")
        with Service(database=served) as service:
            right = {path: {service.ask(path).body} for path in paths}
            os.rename(snapshots.pop(0), served)
            wait_until(lambda: len(names(service)) == 3)
            for path in paths:
                right[path].add(service.ask(path).body)
            assert len(right["/recipes"]) == len(right["/models"]) == 2

            def judge(path, status, body):
                return None if status == 200 and body in right[path] else f"{path}: {status}"

            def connect():
                return http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)

            with Load(connect, paths, judge) as load:
                for i, new in enumerate(snapshots):
                    os.rename(new, served)
                    wait_until(lambda i=i: len(names(service)) == (3 if i % 2 else 5))
            assert not load.wrong, load.wrong[:3]
            assert load.asked > 30, load.asked
            assert metric(service, "openrecipes_database_switches_total") == 7
            assert service.log().count("event=database_switched") == 7


@tap.test
def what_cannot_be_served_is_told_and_the_old_served_on():
    with tempfile.TemporaryDirectory() as folder:
        first, second = make_snapshots(folder, 2)
        served = os.path.join(folder, "served.db")
        os.rename(first, served)
        with Service(database=served) as service:
            with open(served + ".bad", "wb") as file:
                file.write(b"This is no database. " * 1000)
            os.rename(served + ".bad", served)
            wait_until(lambda: metric(service, "openrecipes_database_refused") == 1)
            time.sleep(0.6)  # It looks several times, and tells once.
            assert service.log().count("event=database_refused") == 1
            assert "not a database" in service.log()
            assert len(names(service)) == 5
            assert service.ask("/readyz").status == 200
            os.unlink(served)
            wait_until(lambda: "No such file" in service.log())
            assert len(names(service)) == 5
            os.rename(second, served)
            wait_until(lambda: len(names(service)) == 3)
            assert metric(service, "openrecipes_database_refused") == 0


@tap.test
def the_log_of_another_database_is_never_played_into_a_snapshot():
    with tempfile.TemporaryDirectory() as folder:
        served, new = os.path.join(folder, "served.db"), os.path.join(folder, "new.db")
        import_into(new + ".source", "catalog", QWEN)
        snapshot(new + ".source", new)
        import_into(served, "catalog", QWEN)
        with Service(database=served) as service:
            assert len(names(service)) == 3
            import_into(served, "recipes")  # The server reads, so that the log stays.
            assert os.path.getsize(served + "-wal") > 0
            assert len(names(service)) == 5
            os.rename(new, served)
            wait_until(lambda: "event=database_refused" in service.log())
            assert "is of another database that stood here" in service.log()
            assert len(names(service)) == 5
            for suffix in ("-wal", "-shm"):
                os.unlink(served + suffix)
            wait_until(lambda: len(names(service)) == 3)


@tap.test
def a_snapshot_is_served_from_where_nothing_can_be_written():
    # Where another user reaches it.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        snapshots = make_snapshots(folder, 2)
        media = os.path.join(folder, "media")
        os.mkdir(media)
        served = os.path.join(media, "served.db")
        os.rename(snapshots[0], served)
        os.chmod(served, 0o444)
        os.chmod(media, 0o555)
        os.chmod(folder, 0o755)
        options = ("--user", "nobody") if os.geteuid() == 0 else ()
        with Service(database=served, options=options) as service:
            assert len(names(service)) == 5
            assert service.ask("/recipes?q=expandable_segments").status == 200
            assert os.listdir(media) == ["served.db"]
            assert service.ask("/readyz").status == 200
        os.chmod(media, 0o755)


if __name__ == "__main__":
    sys.exit(tap.run())
