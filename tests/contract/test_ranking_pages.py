"""Rankings where nothing is asked for are kept as text; each is what any other request would get,
byte for byte, whatever was imported or verified before."""

import contextlib
import os
import re
import shutil
import sqlite3
import sys
import tempfile

from support import Service, Tap, import_into

MODEL = "gemma-4-31b"
PLACE = "/models/gemma-4-31b/h100"
BASE = "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml"
KEPT = 50
COPIES = 60
LIMITS = (None, 1, 2, 3, KEPT - 1, KEPT, KEPT + 1, COPIES, COPIES + 1, COPIES + 2, 1000)

tap = Tap()


def write_copy(folder, number, speed, replacements=()):
    """A recipe like the real one, with another speed."""
    with open(BASE, encoding="utf-8") as file:
        text = file.read()
    for old, new in (("tokens_per_s_per_gpu: 1178.1", f"tokens_per_s_per_gpu: {speed}"),
                     *replacements):
        assert old in text, old
        text = text.replace(old, new)
    path = os.path.join(folder, "recipes", MODEL, "h100", f"copy-{number}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@contextlib.contextmanager
def serving():
    """Sixty recipes beside the real ones: some tie, three are of another workload, one is
    retracted."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree("recipes", os.path.join(folder, "recipes"))
        shutil.copytree("catalog", os.path.join(folder, "catalog"))
        for number in range(COPIES):
            write_copy(folder, number, 900 + number // 2 * 7.25)
        for number in range(3):
            write_copy(folder, f"other-{number}", 2000 + number,
                       [("rows_sha256: 36956f40", "rows_sha256: 36956f41")])
        write_copy(folder, "gone", 3000, [("\nstatus: verified", "\nstatus: retracted")])
        with Service(*paths(folder)) as service:
            service.files = folder
            yield service


def paths(folder):
    return [os.path.join(folder, name) for name in ("catalog", "recipes")]


def without_next(body):
    """A body whose next is null, since that names the request's own parameters."""
    return re.sub(rb'"next":"[^"]*"', b'"next":null', body)


def kept(service):
    """How many pages are kept, and of how many."""
    with contextlib.closing(sqlite3.connect(service.database)) as database:
        return database.execute("SELECT (SELECT count(*) FROM ranking_pages), count(*) FROM "
                                "rankings WHERE place = 1").fetchone()


def expect_agreement(service):
    """Each page is kept, and the same as one that is not."""
    pages, rankings = kept(service)
    assert pages == rankings > 0, (pages, rankings)
    for place in (PLACE, "/models/gemma-4-26b-a4b/b200", "/models/qwen3.5-397b-a17b/b200"):
        for limit in LIMITS:
            query = [f"limit={limit}"] if limit else []
            plain = service.ask(place + "?" * bool(query) + "&".join(query))
            asked = service.ask(place + "?" + "&".join(query + ["sort=-tokens_per_s_per_gpu"]))
            assert (plain.status, asked.status) == (200, 200)
            assert without_next(plain.body) == without_next(asked.body), (place, limit)
            assert (plain.json()["next"] is None) == (asked.json()["next"] is None)
            assert ("Link" in plain.headers) == ("Link" in asked.headers)


def walk(service, path):
    """The recipes of a page and all that follow it."""
    found = []
    while path:
        page = service.ask(path).json()
        found += [(row["rank"], row["recipe"]) for row in page["recipes"]]
        path = page["next"]
    return found


@tap.test
def each_page_is_what_others_get(service):
    expect_agreement(service)
    ranking = service.ask(PLACE).json()
    assert (ranking["total"], len(ranking["recipes"])) == (COPIES + 1, KEPT)
    assert len(ranking["other_workloads"]) == 1


@tap.test
def a_walk_from_a_kept_page_sees_each_recipe_once(service):
    whole = walk(service, PLACE + "?sort=-tokens_per_s_per_gpu&limit=1000")
    assert len(whole) == COPIES + 1
    for limit in (1, 7, KEPT, KEPT + 3):
        assert walk(service, f"{PLACE}?limit={limit}") == whole, limit


@tap.test
def its_entity_tag_is_known_again(service):
    first = service.ask(PLACE + "?limit=5")
    again = service.ask(PLACE + "?limit=5", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    packed = service.ask(PLACE + "?limit=5", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["ETag"] == first.headers["ETag"].replace("-json", "-json-gzip")


@tap.test
def a_changed_recipe_shows_at_once(service):
    tag = service.ask(PLACE).headers["ETag"]
    write_copy(service.files, 7, 1200.5)
    import_into(service.database, *paths(service.files))
    changed = service.ask(PLACE)
    assert changed.json()["recipes"][0]["recipe"] == "copy-7"
    assert changed.headers["ETag"] != tag
    expect_agreement(service)


@tap.test
def a_removed_recipe_is_gone_at_once(service):
    os.remove(os.path.join(service.files, "recipes", MODEL, "h100", "copy-7.yaml"))
    import_into(service.database, "--prune", *paths(service.files))
    ranking = service.ask(PLACE).json()
    assert (ranking["recipes"][0]["recipe"], ranking["total"]) == ("attune-tp2-pp4-split13", COPIES)
    expect_agreement(service)


@tap.test
def a_changed_catalogue_shows_at_once(service):
    prices = os.path.join(service.files, "catalog", "prices.yaml")
    with open(prices, encoding="utf-8") as file:
        text = file.read()
    with open(prices, "w", encoding="utf-8") as file:
        file.write(text.replace("usd_per_hour: 55.04", "usd_per_hour: 110.08"))
    before = service.ask(PLACE).json()["recipes"][0]["usd_per_million_tokens"]
    import_into(service.database, *paths(service.files))
    after = service.ask(PLACE).json()["recipes"][0]["usd_per_million_tokens"]
    assert (before, after) == (1.6222, 3.2444), (before, after)
    expect_agreement(service)


@tap.test
def a_verification_shows_at_once(service):
    def unknown():
        return service.ask(PLACE).json()["recipes"][0]["audit"]["unknown"]
    before = unknown()
    service.verify("gemma-4-31b")
    assert unknown() == before - 1
    expect_agreement(service)


def answers(service):
    """What paths are answered with, but for what differs each time, and entity tags."""
    found = []
    for path in (f"{PLACE}?limit=0", f"{PLACE}?limit=1001", f"{PLACE}.json", f"{PLACE}.json?limit=5",
                 f"{PLACE}.csv?limit=5", "/models/gemma-4-31b/H100?limit=5"):
        for method in ("GET", "HEAD"):
            reply = service.ask(path, method=method)
            headers = {name: value for name, value in reply.headers.items()
                       if name not in ("Date", "ETag", "X-Request-Id")}
            found.append((path, method, reply.status, headers,
                          reply.body if reply.status == 200 else None))
    return found


@tap.test
def what_is_missing_is_made_for_each_request_until_the_next_import(service):
    bodies = [service.ask(f"{PLACE}?limit={limit}").body for limit in (1, 5, KEPT)]
    others = answers(service)
    with contextlib.closing(sqlite3.connect(service.database)) as database:
        database.execute("DELETE FROM ranking_pages")
        database.commit()
    assert bodies == [service.ask(f"{PLACE}?limit={limit}").body for limit in (1, 5, KEPT)]
    assert others == answers(service)
    assert [status for _, _, status, _, _ in others[::2]] == [400, 400, 200, 200, 200, 308]
    import_into(service.database, *paths(service.files))
    expect_agreement(service)
    assert bodies == [service.ask(f"{PLACE}?limit={limit}").body for limit in (1, 5, KEPT)]


@tap.test
def a_page_that_lacks_a_piece_is_told_of(service):
    with contextlib.closing(sqlite3.connect(service.database)) as database:
        database.execute("CREATE TABLE whole AS SELECT * FROM ranking_pages")
        for piece in ("head", "rows", "tail"):
            database.execute(f"UPDATE ranking_pages SET {piece} = ''")
            database.commit()
            answer = service.ask(PLACE + "?limit=5")
            assert (answer.status, answer.json()["type"]) == (500, "/problems/corrupt"), piece
            assert service.ask(PLACE + "?limit=5&sort=-tokens_per_s_per_gpu").status == 200
            database.execute("DELETE FROM ranking_pages")
            database.execute("INSERT INTO ranking_pages SELECT * FROM whole")
        database.execute("DROP TABLE whole")
        database.commit()
    expect_agreement(service)


if __name__ == "__main__":
    with serving() as the_service:
        sys.exit(tap.run(the_service))
