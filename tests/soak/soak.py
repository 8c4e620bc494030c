"""Mixed traffic at full rate while imports, prunes and verifications run against the same database.

Every reply must be that of one of the two states between which the imports alternate; none may be
a 5xx; and memory, descriptors and the write-ahead log must not be larger in the second half than in
the first. Prints a table, and fails where one of these is not so.

    SOAK_SECONDS   how long, 600 by default
    SOAK_CLIENTS   processes that ask, 3 by default
    SOAK_RECIPES   recipes in the collection, 500 by default
"""

import os
import sys
import tempfile
import threading
import time

from support import BINARY, Service, snapshot

from clients import Clients
from collection import Collection
from requests_mixed import conditional, learn, mixed_requests
from usage import Usage
from writers import Writers, is_whole

SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
CLIENTS = int(os.environ.get("SOAK_CLIENTS", "3"))
RECIPES = int(os.environ.get("SOAK_RECIPES", "500"))


def prepare(service, collection):
    """Bring both states about, and learn what each request may be answered with."""
    service.verify()
    requests = mixed_requests(collection)
    # Twice, so that each state has a history that both have gone through.
    for state in ("b", "a", "b", "a"):
        collection.show(state)
        collection.import_into(service.database)
        learn(service, collection, requests)
    return requests + conditional(service, requests)


def soak(service, collection, requests):
    """Let everything run at once; return what came of it."""
    usage = Usage(service)
    clients = Clients(service.port, requests, CLIENTS)
    writers = Writers(service, collection)
    ending = threading.Event()
    threads = [threading.Thread(target=usage.sample_until, args=(ending,)),
               threading.Thread(target=writers.import_until, args=(ending,)),
               threading.Thread(target=writers.verify_until, args=(ending,))]
    clients.start()
    start = time.monotonic()
    for thread in threads:
        thread.start()
    while time.monotonic() - start < SECONDS and service.process.poll() is None:
        time.sleep(0.2)
    seconds = time.monotonic() - start
    clients.stop()
    ending.set()
    for thread in threads:
        thread.join()
    return seconds, clients, writers, usage


def main():
    with tempfile.TemporaryDirectory() as folder:
        collection = Collection(folder, RECIPES)
        database = os.path.join(folder, "openrecipes.db")
        collection.import_into(database)
        with Service(database=database) as service:
            requests = prepare(service, collection)
            seconds, clients, writers, usage = soak(service, collection, requests)
            snapshot(database, database + ".snapshot")
            wrong = clients.wrong + writers.wrong + writers.idle() + usage.growth()
            if not is_whole(database) or not is_whole(database + ".snapshot"):
                wrong.append("the database is damaged")
            if service.ask("/readyz").status != 200:
                wrong.append("the service is not ready at the end")
    print(f"{seconds:.0f} s, {CLIENTS} clients, {RECIPES} recipes, {len(requests)} requests, "
          f"{os.path.basename(os.path.dirname(BINARY))} build")
    for table in (clients.table(seconds), writers.table(), usage.table()):
        print(table)
    for problem in wrong[:20]:
        print(f"WRONG: {problem}")
    print(f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
