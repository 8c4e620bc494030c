"""Lists in their other formats, read as others read them: csv, json line by line, XML."""

import csv
import datetime
import fcntl
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from support import BINARY, Service, Tap

ATOM = "{http://www.w3.org/2005/Atom}"
RANKING = "/models/qwen3.5-397b-a17b/b200"
LISTS = ["/recipes", RANKING, "/models/gemma-4-31b/h100", "/models/gemma-4-31b/b200"]
QUERIES = ["", "?sort=gpus,-mfu", "?price=b200:4.5,h100:2", "?max_gpus=48",
           "?fields=recipe,tp,offload,notes,run,sequence_parallel,measured"]

tap = Tap()


def cell(value):
    """A value of JSON as CSV shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value if value[:1] in tuple("=+-@\t\r") else value
    return value


def same(text, value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(text) == value
    return text == cell(value)


def rows_of_csv(body):
    assert body.endswith(b"\r\n") and b"\n" not in re.sub(rb'"(?:[^"]|"")*"', b"", body).replace(
        b"\r\n", b"")
    table = list(csv.reader(io.StringIO(body.decode(), newline="")))
    assert all(len(row) == len(table[0]) for row in table)
    return [dict(zip(table[0], row)) for row in table[1:]]


@tap.test
def csv_and_ndjson_have_the_rows_of_json(service):
    for path in LISTS:
        for query in QUERIES:
            rows = service.ask(path + query).json()["recipes"]
            lines = service.ask(path + ".ndjson" + query).body.decode().splitlines()
            assert [json.loads(line) for line in lines] == rows, (path, query)
            table = rows_of_csv(service.ask(path + ".csv" + query).body)
            assert len(table) == len(rows), (path, query)
            for found, row in zip(table, rows):
                for name in set(row) & set(found):
                    assert same(found[name], row[name]), (path, query, name, found[name])
                if "fields" in query:
                    assert list(found) == list(row)


@tap.test
def verifications_have_the_same_rows_in_every_format(service):
    for query in ("", "?limit=2", "?confirmation=confirmed", "?sort=-active_params&max_gpus=8",
                  "?confirmation=gated", "?price=b200:4.5&sort=usd_per_million_tokens"):
        rows = service.ask("/verifications" + query).json()["verifications"]
        lines = service.ask("/verifications.ndjson" + query).body.decode().splitlines()
        assert [json.loads(line) for line in lines] == rows, query
        table = rows_of_csv(service.ask("/verifications.csv" + query).body)
        assert len(table) == len(rows), query
        for found, row in zip(table, rows):
            assert list(found) == list(row), query
            assert all(same(found[name], row[name]) for name in row), (query, found)
        body = service.ask("/verifications.txt" + query).body.decode()
        lines, notes = body.split("\n\n")
        assert lines.splitlines()[0].split() == ["model", "gpu", "recipe", "status", "stated",
                                                 "computed", "checked_at", "reason"]
        assert [line.split()[2:4] for line in lines.splitlines()[1:]] == \
            [[row["recipe"], row["status"]] for row in rows], query
        total = service.ask("/verifications" + query).json()["total"]
        assert notes.splitlines()[0].startswith(
            f"{len(rows)} of {total} verification{'' if total == 1 else 's'}"), notes
        assert len(notes.splitlines()) == 1, notes


@tap.test
def a_confirmed_count_is_the_sum_of_its_parts(service):
    rows = rows_of_csv(service.ask("/verifications.csv?confirmation=confirmed").body)
    assert [row["recipe"] for row in rows] == ["attune-tp1-pp1-ep8", "attune-tp2-pp4-split13"]
    for row in rows:
        count = {name: int(text) for name, text in row.items() if text.isdigit()}
        routed = count["routed"]
        if routed:
            routed = routed * count["experts_per_token"] // count["experts"]
        assert count["computed"] == count["stated"] == \
            count["dense"] + routed + (count["head"] or count["embedding"])
        left_out = sum(value for name, value in count.items() if name.startswith("left_out_"))
        assert count["total"] == count["hub_total"] == left_out + count["dense"] + \
            count["routed"] + count["head"] + count["embedding"]
        assert row["hub_total_agrees"] == "true"


@tap.test
def every_list_of_recipes_is_filtered_by_confirmation(service):
    for path, noun, recipes in (
            ("/recipes", "recipes", ["attune-tp1-pp1-ep8", "attune-tp2-pp4-split13"]),
            ("/verifications", "verifications", ["attune-tp1-pp1-ep8", "attune-tp2-pp4-split13"]),
            ("/models/gemma-4-31b/h100", "recipes", ["attune-tp2-pp4-split13"]),
            (RANKING, "recipes", [])):
        query = "?confirmation=confirmed,contradicted"
        rows = service.ask(path + query).json()[noun]
        assert [row["recipe"] for row in rows] == recipes, path
        assert len(rows_of_csv(service.ask(path + ".csv" + query).body)) == len(recipes)
        refused = service.ask(path + "?confirmation=confirm")
        assert refused.status == 400 and refused.json()["errors"][0]["did_you_mean"] == \
            ["confirmed"], path
    assert len(check_feed(service.ask("/recipes.atom?confirmation=confirmed").body)) == 4
    assert len(check_feed(service.ask(RANKING + ".atom?confirmation=confirmed").body)) == 0
    for model, count in (("gemma-4-31b", 1), ("qwen3.5-397b-a17b", 0)):
        plan = service.ask(f"/plan?model={model}&tokens=10B&confirmation=confirmed").json()
        assert plan["total"] == len(plan["plans"]) == count
        assert plan["constraints"]["confirmation"] == ["confirmed"]
    unchecked = "/plan?model=qwen3.5-397b-a17b&tokens=10B&confirmation=not_checked,confirmed"
    assert service.ask(unchecked).json()["total"] == 3
    assert service.ask("/plan?model=gemma-4-31b&tokens=1&confirmation=maybe").status == 400


@tap.test
def csv_shows_every_scalar_field_that_fits_a_line(service):
    header = service.ask("/recipes.csv").body.split(b"\r\n")[0].decode().split(",")
    known = service.ask("/recipes?fields=nothing").json()["errors"][0]["allowed"]
    assert set(header) == (set(known) - {"run", "notes"}) | {"rank", "speed_stderr", "near_tie"}
    assert header[:6] == ["rank", "model", "gpu", "recipe", "tokens_per_s_per_gpu",
                          "usd_per_million_tokens"]


@tap.test
def text_is_a_table_and_its_prices(service):
    for path in LISTS:
        body = service.ask(path + ".txt").body.decode()
        rows = service.ask(path).json()["recipes"]
        table, notes = body.split("\n\n")
        lines = table.splitlines()
        assert len(lines) == len(rows) + 1
        for line, row in zip(lines[1:], rows):
            assert line.split()[0] == str(row["rank"]) and f" {row['recipe']} " in line
        assert notes.startswith(f"{len(rows)} of {len(rows)} recipe"), notes
    wide = service.ask("/recipes.txt?fields=" + ",".join(
        service.ask("/recipes?fields=nothing").json()["errors"][0]["allowed"]))
    assert wide.status == 200 and len(wide.body.split(b"\n\n")[0].splitlines()) == 6


def check_feed(body):
    """Refuse what RFC 4287 refuses; give the entries."""
    feed = ElementTree.fromstring(body)
    assert feed.tag == ATOM + "feed"

    def one(node, name):
        found = node.findall(ATOM + name)
        assert len(found) == 1, (name, len(found))
        return found[0]

    def check_common(node):
        assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                            r"[0-9a-f]{12}", one(node, "id").text)
        assert one(node, "title").text
        datetime.datetime.strptime(one(node, "updated").text, "%Y-%m-%dT%H:%M:%SZ")
        links = [(link.get("rel"), link.get("type")) for link in node.findall(ATOM + "link")]
        assert len(set(links)) == len(links) and all(
            link.get("href").startswith("/") for link in node.findall(ATOM + "link"))
        return dict(zip([rel for rel, _ in links],
                        [link.get("href") for link in node.findall(ATOM + "link")]))

    assert "self" in check_common(feed)
    assert one(one(feed, "author"), "name").text
    entries = feed.findall(ATOM + "entry")
    assert list(feed)[-len(entries):] == entries if entries else True
    for entry in entries:
        assert "alternate" in check_common(entry)
        assert one(entry, "content").get("type") == "text"
    ids = [entry.find(ATOM + "id").text for entry in entries]
    assert len(set(ids)) == len(ids)
    moments = [entry.find(ATOM + "updated").text for entry in entries]
    assert moments == sorted(moments, reverse=True)
    if moments:
        assert feed.find(ATOM + "updated").text == moments[0]
    return entries


@tap.test
def feeds_are_valid(service):
    for path in LISTS + ["/models/gemma-4-26b-a4b/h200"]:
        for query in ("", "?limit=2", "?max_gpus=48&q=offload", "?price=b200:4.5", "?tp=99999"):
            reply = service.ask(path + ".atom" + query)
            assert reply.status == 200 and reply.headers["Content-Type"].startswith(
                "application/atom+xml"), (path, query)
            entries = check_feed(reply.body)
            assert len(entries) <= 2 or "limit" not in query
            for entry in entries:
                target = entry.find(ATOM + "link").get("href")
                assert service.ask(target).status == 200, target


def terms(entries):
    return [entry.find(ATOM + "category").get("term") for entry in entries]


@tap.test
def a_feed_tells_what_an_import_changed(_):
    """One service of its own, whose files change under it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree("recipes", os.path.join(folder, "recipes"))
        shutil.copytree("catalog", os.path.join(folder, "catalog"))
        with Service(folder) as own:
            database = os.path.join(own.folder.name, "openrecipes.db")
            assert sorted(terms(check_feed(own.ask("/recipes.atom").body))) == \
                ["addition"] * 5 + ["first_place"] * 3
            name = os.path.join(folder, "recipes" + RANKING.removeprefix("/models"),
                                "attune-48gpu-tp2-pp6-ep8.yaml")
            with open(name, encoding="utf-8") as file:
                text = file.read()
            text = text.replace("tokens_per_s_per_gpu: 1075.5", "tokens_per_s_per_gpu: 1300.0")
            text = re.sub(r"(?m)^  (mfu|usd_per_million_tokens): .*", r"  \1: null", text)
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
            subprocess.run([BINARY, "import", "--db", database, folder], check=True,
                           capture_output=True)
            for _ in range(200):
                entries = check_feed(own.ask(RANKING + ".atom").body)
                if len(entries) == 6:
                    break
            assert terms(entries)[:2] == ["first_place", "improvement"]
            first, improvement = (entry.find(ATOM + "content").text for entry in entries[:2])
            assert "tokens_per_s_per_gpu: 1232.53 -> 1300.0\n" in first
            assert "first before: attune-tp2-pp8-ep8-vpp2-mt16k\n" in first
            assert "usd_per_million_tokens: 3.67829 -> 3.04308\n" in improvement
            assert "tokens_per_s_per_gpu: 1075.5 -> 1300.0\n" in improvement
            custom = check_feed(own.ask(RANKING + ".atom?price=b200:4.68").body)
            assert "usd_per_million_tokens: 1.20874 -> 1.0\n" in \
                custom[1].find(ATOM + "content").text
            assert len(check_feed(own.ask("/recipes.atom?gpu=h100").body)) == 2


@tap.test
def export_writes_the_whole_collection(service):
    database = os.path.join(service.folder.name, "openrecipes.db")

    def export(*arguments):
        return subprocess.run([BINARY, "export", "--db", database, *arguments], check=True,
                              capture_output=True).stdout

    table = export("--format", "csv")
    assert table == service.ask("/recipes.csv").body
    exported = sorted(rows_of_csv(table), key=lambda row: (row["model"], row["gpu"], row["recipe"]))
    assert len(exported) == 5
    lines = export("--format", "ndjson").decode().splitlines()
    assert [json.loads(line)["recipe"] for line in lines] == [row["recipe"] for row in exported]
    with tempfile.TemporaryDirectory() as folder:
        export("--format", "yaml", folder)
        for row in exported:
            name = f"recipes/{row['model']}/{row['gpu']}/{row['recipe']}.yaml"
            with open(os.path.join(folder, name), "rb") as mine, open(name, "rb") as theirs:
                assert mine.read() == theirs.read()
    failed = subprocess.run([BINARY, "export", "--db", database, "--format", "xml"],
                            capture_output=True, text=True, check=False)
    assert failed.returncode == 64 and "not one of csv|ndjson|yaml" in failed.stderr


@tap.test
def an_export_shows_one_state_though_an_import_comes_while_it_is_written(_):
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "openrecipes.db")
        recipes = os.path.join(folder, "recipes")
        shutil.copytree("recipes", recipes)
        subprocess.run([BINARY, "import", "--db", database, "catalog", recipes], check=True,
                       capture_output=True)
        # A pipe that holds less than one line: whoever writes waits for us within the first one.
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        with subprocess.Popen([BINARY, "export", "--db", database, "--format", "ndjson"],
                              stdout=writing) as process, open(reading, "rb") as lines:
            os.close(writing)
            begun = lines.read(1)
            shutil.rmtree(os.path.join(recipes, "qwen3.5-397b-a17b"))
            subprocess.run([BINARY, "import", "--db", database, "--prune", recipes], check=True,
                           capture_output=True)
            exported = [json.loads(line) for line in (begun + lines.read()).splitlines()]
            assert process.wait(timeout=20) == 0
        assert len(exported) == 5
        left = subprocess.run([BINARY, "export", "--db", database, "--format", "ndjson"],
                              check=True, capture_output=True).stdout
        assert len(left.splitlines()) < 5


RECIPE = "qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8"
SUFFIXES = {"application/json": ".json", "text/plain": ".txt", "text/csv": ".csv",
            "application/x-ndjson": ".ndjson", "application/atom+xml": ".atom"}


@tap.test
def a_suffix_and_accept_ask_for_the_same_and_a_suffix_counts_more(service):
    queries = {"/cost": f"?recipe={RECIPE}&tokens=10B", "/compare": f"?a={RECIPE}&b={RECIPE}",
               "/plan": "?model=qwen3.5-397b-a17b&tokens=10B&budget_usd=36000"}
    asked = 0
    for row in service.ask("/").json()["endpoints"]:
        formats = [kind.split(";")[0] for kind in row["formats"]]
        formats = [kind for kind in formats if kind != "text/html"]  # of which each has the page
        if "{recipe}" in row["path"] or row["method"] != "GET" or \
                row["path"].endswith(".json") or not set(formats) <= set(SUFFIXES):
            continue
        path = row["path"].format(model="qwen3.5-397b-a17b", gpu="b200")
        query = queries.get(path, "")
        for kind in formats if len(formats) > 1 else ():
            other = formats[0] if kind != formats[0] else formats[1]
            by_suffix = service.ask(path + SUFFIXES[kind] + query, headers={"Accept": other})
            by_accept = service.ask(path + query, headers={
                "Accept": f"image/png, {kind};q=0.9, {other};q=0.8"})
            assert by_suffix.status == by_accept.status == 200, (path, kind)
            assert by_suffix.headers["Content-Type"].split(";")[0] == kind, (path, kind)
            assert by_accept.headers["Content-Type"].split(";")[0] == kind, (path, kind)
            assert "Accept" in by_accept.headers["Vary"]
            if kind != "application/atom+xml":  # which names itself
                assert by_suffix.body == by_accept.body, (path, kind)
            asked += 1
        assert service.ask(path + query, headers={"Accept": "image/png"}).status == 406, path
    assert asked > 15, asked


if __name__ == "__main__":
    with Service() as running:
        running.verify("gemma-4-31b", "gemma-4-26b-a4b")
        sys.exit(tap.run(running))
