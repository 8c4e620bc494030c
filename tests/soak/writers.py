"""What writes to the database while it is served: imports and verifications."""

import os
import sqlite3
import subprocess
import time

from support import BINARY


def is_whole(database):
    """Whether SQLite finds nothing wrong with a database."""
    connection = sqlite3.connect(database)
    try:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()


# Between two imports, and between two verifications.
PAUSE_SECONDS = 1

# How a command ends that waited for another one's write for too long: it is to be tried again.
IN_USE = 75

# How long it waits at least: the quarter of a minute of db/tx.c, less what clocks differ.
WAIT_SECONDS = 14


class Writers:
    """Counts what it did, and notes in `wrong` what failed.

    done, put_off: by command: seconds of each time it ran well, and found the database in use
    """

    def __init__(self, service, collection):
        self.service = service
        self.collection = collection
        self.wrong = []
        self.done = {"import": [], "verify": []}
        self.put_off = {"import": [], "verify": []}

    def run(self, command, **options):
        name = command[1]
        start = time.monotonic()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False, **options)
        if done.returncode == IN_USE:
            seconds = time.monotonic() - start
            self.put_off[name].append(seconds)
            if seconds < WAIT_SECONDS:
                self.wrong.append(f"{name}: gave up after {seconds:.1f} s: {done.stderr[-200:]}")
        elif done.returncode == 0:
            self.done[name].append(time.monotonic() - start)
        else:
            self.wrong.append(f"{name}: {done.returncode}: {done.stderr[-300:]}")

    def import_until(self, ending):
        """Go from one state to the other and back."""
        while not ending.wait(PAUSE_SECONDS):
            self.collection.show("b" if self.collection.shown == "a" else "a")
            self.run(self.collection.command(self.service.database))

    def verify_until(self, ending):
        """Count everything anew, again and again."""
        with self.service.hub() as endpoint:
            environment = os.environ | {"HF_ENDPOINT": endpoint, "HF_TOKEN": "", "no_proxy": "*",
                                        "HF_HOME": self.service.folder.name}
            while not ending.wait(PAUSE_SECONDS):
                self.run([BINARY, "verify", "--db", self.service.database, "--refresh"],
                         env=environment)

    def idle(self):
        """Commands that never came to write."""
        return [f"{name} never found the database free" for name, times in self.done.items()
                if not times]

    def table(self):
        lines = []
        for name, times in self.done.items():
            waits = self.put_off[name]
            lines.append(f"{name:13}  {len(times)}, longest {max(times, default=0):.1f} s; "
                         f"{len(waits)} put off, after {min(waits, default=0):.1f} s at least")
        return "\n".join(lines)
