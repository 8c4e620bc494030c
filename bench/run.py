#!/usr/bin/env python3
"""The benchmark: each work beside its peers, as ratios taken in one run.

    bench/run.py BINARY TOOLS FOLDER [--recipes N] [--large N] [--seconds S] [--repeats R] [WORK...]

TOOLS has the programs of bench/*.c, FOLDER keeps collections and databases between runs. Servers run
on one processor and the load on another; each measurement is warmed up, and the peers of a work take
turns. A figure is the median of its repeats. What falls short of its reach is marked.
"""

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import time

import load
import servers
from servers import ask, ours

PAGE = "/models/ada-7b/h100?limit=20"


def read_if_there(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


class Bench:
    """What all works share."""

    def __init__(self, arguments):
        self.binary = os.path.abspath(arguments.binary)
        self.version = subprocess.run([self.binary, "version"], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout
        self.tools = os.path.abspath(arguments.tools)
        self.folder = os.path.abspath(arguments.folder)
        self.recipes = arguments.recipes
        self.large = arguments.large
        self.seconds = arguments.seconds
        self.repeats = arguments.repeats
        self.short = 0
        os.makedirs(os.path.join(self.folder, "files"), exist_ok=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def collection(self, count):
        """The folder of a made-up collection, generated once."""
        folder = self.path(f"collection-{count}")
        if not os.path.exists(folder + ".done"):
            subprocess.run(["rm", "-rf", folder], check=True)
            subprocess.run([os.path.join(self.tools, "generate"), folder, str(count)], check=True)
            open(folder + ".done", "w").close()
        return folder

    def database(self, count):
        """Its database, imported by this very program: another one's texts are not trusted."""
        path = self.path(f"recipes-{count}.db")
        if read_if_there(path + ".done") != self.version:
            subprocess.run(["rm", "-f", path, path + "-wal", path + "-shm"], check=True)
            subprocess.run([self.binary, "import", "--db", path, self.collection(count)], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with open(path + ".done", "w", encoding="utf-8") as file:
                file.write(self.version)
        return path

    def places(self, count):
        """MODEL/GPU of every ranking of a collection that is full."""
        url = "/models?limit=1000"
        found = []
        with ours(self.binary, self.database(count)) as server:
            while url:
                page = json.loads(ask(server.url + url)[1])
                found += [f"{model['model']['slug'] if 'model' in model else model['slug']}/{gpu['gpu']}"
                          for model in page["models"] for gpu in model["gpus"] if gpu["recipe"]]
                url = page["next"]
        return found

    def targets(self, name, lines):
        path = self.path(name)
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def race(self, work, runners, connections=64):
        """Medians of what load.run finds for each runner, shown and returned in their order. A
        runner is (server, file of targets) or (server, file of targets, expected reply); they take
        turns, the others being stopped."""
        runs = [[] for _ in runners]
        for server, *_ in runners:
            server.signal(signal.SIGSTOP)
        for turn in range(-1, self.repeats):
            for of_runner, (server, targets, *expected) in zip(runs, runners):
                server.signal(signal.SIGCONT)
                result, _ = load.run(self.tools, server, targets, connections,
                                     self.seconds if turn >= 0 else 1, *expected)
                server.settle()
                server.signal(signal.SIGSTOP)
                if turn >= 0:
                    of_runner.append(result)
        medians = [load.Result(*(statistics.median(column) for column in zip(*of_runner)))
                   for of_runner in runs]
        for (server, targets, *_), result in zip(runners, medians):
            server.signal(signal.SIGCONT)
            self.show(work, server.name, os.path.basename(targets), result)
        return medians

    def show(self, work, name, targets, result):
        print(f"{work:<30} {name:<12} {targets:<11} {result.per_second:8.0f}/s  p99 "
              f"{result.p99_ms:8.2f} ms  cpu {result.cpu_us:8.1f} us  {result.memory_mb:6.1f} MB",
              flush=True)

    def judge(self, work, what, ratio, reach, is_most=False):
        is_short = ratio > reach if is_most else ratio < reach
        self.short += is_short
        print(f"{work:<30} {what:<44} {ratio:8.2f}  reach {'<' if is_most else '>'} {reach:<5} "
              f"{'SHORT' if is_short else 'ok'}", flush=True)


def fixed_page(bench):
    """The page of the real collection as files and as raw bytes."""
    database = bench.path("real.db")
    if not os.path.exists(database):
        subprocess.run([bench.binary, "import", "--db", database, bench.collection(1000)],
                       check=True, stdout=subprocess.DEVNULL)
    with ours(bench.binary, database) as server:
        head, body = ask(server.url + PAGE)
    with open(bench.path("files", "page"), "wb") as file:
        file.write(body)
    return database, head, body


def fixed_targets(bench):
    """Its target on our server and on nginx."""
    return bench.targets("own-page", [PAGE]), bench.targets("nginx-page", ["/page"])


def cached(bench):
    """A ranking page served again, log off and on, and its 304."""
    database, head, body = fixed_page(bench)
    own_page, nginx_page = fixed_targets(bench)
    for connections in (16, 64):
        work = f"cached page, {connections} connections"
        with ours(bench.binary, database) as own, servers.Nginx(bench.folder) as nginx, \
                servers.raw(bench.tools, bench.folder, "200 OK", head, body) as raw:
            raw, nginx, own = bench.race(
                work, [(raw, own_page), (nginx, nginx_page), (own, own_page)], connections)
        bench.judge(work, "of the raw loop", own.per_second / raw.per_second, 0.8)
        bench.judge(work, "of nginx", own.per_second / nginx.per_second, 1.2)
        bench.judge(work, "p99 of nginx's", own.p99_ms / nginx.p99_ms, 1.0, True)


def logged(bench):
    database, _, _ = fixed_page(bench)
    own_page, nginx_page = fixed_targets(bench)
    with ours(bench.binary, database, log=bench.path("own.log")) as own, \
            servers.Nginx(bench.folder, True) as nginx:
        nginx, own = bench.race("cached page, access log on",
                                [(nginx, nginx_page), (own, own_page)])
    bench.judge("cached page, access log on", "of nginx", own.per_second / nginx.per_second, 1.0)


def unchanged(bench):
    database, _, _ = fixed_page(bench)
    own_page, nginx_page = fixed_targets(bench)
    with ours(bench.binary, database) as own, servers.Nginx(bench.folder) as nginx:
        head, own_tag = servers.ask_unchanged(own.url + PAGE)
        _, nginx_tag = servers.ask_unchanged(nginx.url + "/page")
        with servers.raw(bench.tools, bench.folder, "304 Not Modified", head) as raw:
            whole, raw, nginx, own = (run.per_second for run in bench.race(
                "304, after the 200", [(own, own_page),
                                       (raw, own_page, load.Expected(304)),
                                       (nginx, nginx_page, load.Expected(304, nginx_tag)),
                                       (own, own_page, load.Expected(304, own_tag))]))
    bench.judge("304", "of the 200", own / whole, 1.0)
    bench.judge("304", "of nginx", own / nginx, 1.2)
    print(f"304: nginx is at {nginx / raw:.2f} of the raw loop, openrecipes at {own / raw:.2f}",
          flush=True)


def uncached(bench):
    """Pages never asked before, beside programs that others would write."""
    count = bench.recipes
    database = bench.database(count)
    places = bench.places(count)
    pages = bench.targets("pages", [f"/models/{place}?limit=20" for place in places])
    soul = bench.targets("soul-pages", [
        f"/api/tables/recipes/rows?_filters=model:{model},gpu:{gpu}&_limit=20"
        "&_ordering=-tokens_per_s_per_gpu" for model, gpu in (p.split("/") for p in places)])
    flat = bench.targets("flat-pages", [
        f"/recipes?model={model}&gpu={gpu}&_sort=tokens_per_s_per_gpu&_order=desc&_limit=20"
        for model, gpu in (p.split("/") for p in places)])
    work = f"uncached page, {count} recipes"
    peers = [(ours(bench.binary, database, "--cache-bytes", "0"), pages, None),
             (servers.node("fastify", "fastify.js", database), pages, 14),
             (servers.node("soul-cli", "soul", "-d", database), soul, 25),
             (servers.node("json-server", "json_server.js", database), flat, None)]
    if not all(server for server, _, _ in peers):
        print(f"{work}: a peer of bench/peers is not installed", flush=True)
    peers = [peer for peer in peers if peer[0]]
    with contextlib.ExitStack() as stack:
        for server, _, _ in peers:
            stack.enter_context(server)
        race = bench.race(work, [(server, targets) for server, targets, _ in peers])
    for (server, _, reach), result in zip(peers, race):
        if reach:
            bench.judge(work, "of " + server.name, race[0].per_second / result.per_second, reach)


def scale(bench):
    """The same page in a small and a large collection."""
    with contextlib.ExitStack() as stack:
        runners = [(stack.enter_context(ours(bench.binary, bench.database(count),
                                             "--cache-bytes", "0")),
                    bench.targets(f"of-{count}", [f"/models/{place}?limit=20"
                                                  for place in bench.places(count)]))
                   for count in (1000, bench.large)]
        small, large = bench.race("uncached page", runners)
    bench.judge(f"{bench.large} recipes", "of the rate at 1000",
                large.per_second / small.per_second, 0.7)


def filters(bench):
    """One filter and one sort key over everything, beside the indexed ranking."""
    database = bench.database(bench.large)
    fields = ("min_tokens_per_s_per_gpu=1500", "tp=2", "status=verified", "max_mfu=0.1", "gpu=h100",
              "measured=2026-03-01", "q=amber", "confirmation=not_checked")
    sorts = ("-tokens_per_s_per_gpu", "usd_per_million_tokens", "-mfu", "gpus", "measured")
    places = bench.places(bench.large)[:200]
    with ours(bench.binary, database, "--cache-bytes", "0") as server:
        ranking = statistics.median(
            load.time_requests(server.url, f"/models/{place}?limit=50", 5)[0] for place in places)
        slowest = 0
        for field in fields:
            for sort in sorts:
                seconds, statuses = load.time_requests(
                    server.url, f"/recipes?{field}&sort={sort}&limit=50", bench.repeats)
                slowest = max(slowest, seconds)
                print(f"one filter, one key: {field:<28} {sort:<24} {seconds * 1000:9.2f} ms  "
                      f"{statuses}", flush=True)
    print(f"one filter, one key: ranking {ranking * 1000:.2f} ms")
    bench.judge("one filter, one key", "slowest: times the ranking's time", slowest / ranking, 50,
                True)


def cost_math(bench):
    database = bench.database(bench.recipes)
    places = bench.places(bench.recipes)
    models = sorted({place.split("/")[0] for place in places})
    lists = {"ranking": [f"/models/{place}?limit=20" for place in places],
             "plan": [f"/plan?model={model}&tokens=10B&budget_usd=36000&limit=20"
                      for model in models],
             "compare": [f"/compare?a={a}&b={b}" for a, b in zip(places, places[1:])]}
    with ours(bench.binary, database, "--cache-bytes", "0") as server:
        ranking, plan, compare = bench.race(
            "cost math", [(server, bench.targets(name, lines)) for name, lines in lists.items()])
    bench.judge("cost math", "plan: of the ranking", plan.per_second / ranking.per_second, 0.5)
    bench.judge("cost math", "compare: of the ranking", compare.per_second / ranking.per_second,
                0.5)


def stream(bench):
    """The whole collection as NDJSON, beside nginx sending the same bytes."""
    database = bench.database(bench.recipes)
    with ours(bench.binary, database) as own, servers.Nginx(bench.folder) as nginx:
        with open(bench.path("files", "all.ndjson"), "wb") as file:
            file.write(ask(own.url + "/recipes.ndjson")[1])
        times = {own: [], nginx: []}
        for _ in range(bench.repeats):
            for server, target in ((own, "/recipes.ndjson"), (nginx, "/all.ndjson")):
                times[server].append(load.fetch(server.url + target))
        seconds = {server.name: statistics.median(found) for server, found in times.items()}
        print(f"NDJSON of {bench.recipes}: {seconds}, peak {own.figure('VmHWM') / 1000:.1f} MB")
    bench.judge("NDJSON", "rate, of nginx", seconds["nginx"] / seconds["openrecipes"], 0.5)


def importing(bench):
    folder = bench.collection(bench.recipes)
    database = bench.path("import.db")
    seconds = {"openrecipes": [], "straight": []}
    for _ in range(min(bench.repeats, 3)):
        for name, command in (
                ("openrecipes", [bench.binary, "import", "--db", database, folder]),
                ("straight", [os.path.join(bench.tools, "import_floor"), folder, database, "2"])):
            subprocess.run(["rm", "-f", database, database + "-wal", database + "-shm"], check=True)
            found, peak_kb = load.time_command(command)
            seconds[name].append(found)
            print(f"import of {bench.recipes}: {name} {bench.recipes / found:.0f}/s, peak "
                  f"{peak_kb / 1000:.0f} MB", flush=True)
    bench.judge("import", "rate, of a straight program", statistics.median(seconds["straight"])
                / statistics.median(seconds["openrecipes"]), 0.6)


def starting(bench):
    database = bench.database(bench.recipes)
    times = {"openrecipes": [], "empty": []}
    for _ in range(5 * bench.repeats):
        for server in (ours(bench.binary, database), servers.Server(
                "empty", [os.path.join(bench.tools, "empty_server"), database])):
            begun = time.monotonic()
            with server:
                ask(server.url + PAGE)
                times[server.name].append(time.monotonic() - begun)
    medians = {name: statistics.median(found) for name, found in times.items()}
    print(f"start: {medians}")
    bench.judge("start to first answer", "times an empty server",
                medians["openrecipes"] / medians["empty"], 3, True)


def memory(bench):
    """Resident memory of the real recipes over a million requests."""
    database = bench.path("five.db")
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    subprocess.run([bench.binary, "import", "--db", database, os.path.join(root, "catalog"),
                    os.path.join(root, "recipes")], check=True, stdout=subprocess.DEVNULL)
    targets = bench.targets("five", ["/models", "/recipes", "/models/gemma-4-31b/h100",
                                     "/models/qwen3.5-397b-a17b/b200", "/recipes.csv?limit=5"] +
                            [f"/models/gemma-4-31b/h100?price=h100:{n / 1000}"
                             for n in range(1, 10000)])
    sizes = []
    with ours(bench.binary, database) as server:
        for _ in range(2):
            done = 0
            while done < 500000:
                done += load.run(bench.tools, server, targets, 64, 10)[1]
            sizes.append(server.figure("VmRSS"))
    print(f"memory: {sizes} kB after half a million and a million requests")
    bench.judge("memory", "MB", sizes[1] / 1000, 20, True)
    bench.judge("memory", "second half, of the first", sizes[1] / sizes[0], 1.01, True)


WORKS = {work.__name__: work for work in (cached, logged, unchanged, uncached, scale, filters,
                                          cost_math, stream, importing, starting, memory)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("tools")
    parser.add_argument("folder")
    parser.add_argument("--recipes", type=int, default=100000)
    parser.add_argument("--large", type=int, default=1000000)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("works", nargs="*", metavar="WORK", help=", ".join(WORKS))
    arguments = parser.parse_intermixed_args()
    for name in arguments.works:
        if name not in WORKS:
            parser.error(f"{name} is none of {', '.join(WORKS)}")
    bench = Bench(arguments)
    print(f"load before: {os.getloadavg()[0]:.2f}; {os.cpu_count()} processors")
    for name in arguments.works or WORKS:
        WORKS[name](bench)
    print(f"load after: {os.getloadavg()[0]:.2f}; {bench.short} short of their reach")


if __name__ == "__main__":
    main()
