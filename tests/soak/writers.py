"""What writes to the database while it is served: imports and verifications."""

import os
import sqlite3
import subprocess

from support import BINARY


def is_whole(database):
    """Whether SQLite finds nothing wrong with a database."""
    connection = sqlite3.connect(database)
    try:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()


# Between two imports, and between two verifications: who writes without a pause keeps others from
# writing, and they give up after a quarter of a minute.
PAUSE_SECONDS = 1


class Writers:
    """Counts what it did, and notes in `wrong` what failed."""

    def __init__(self, service, collection):
        self.service = service
        self.collection = collection
        self.wrong = []
        self.imports = 0
        self.verifications = 0

    def import_until(self, ending):
        """Go from one state to the other and back."""
        while not ending.wait(PAUSE_SECONDS):
            self.collection.show("b" if self.collection.shown == "a" else "a")
            try:
                self.collection.import_into(self.service.database)
                self.imports += 1
            except subprocess.CalledProcessError as error:
                self.wrong.append(str(error))

    def verify_until(self, ending):
        """Count everything anew, again and again."""
        with self.service.hub() as endpoint:
            environment = os.environ | {"HF_ENDPOINT": endpoint, "HF_TOKEN": "", "no_proxy": "*",
                                        "HF_HOME": self.service.folder.name}
            while not ending.wait(PAUSE_SECONDS):
                done = subprocess.run(
                    [BINARY, "verify", "--db", self.service.database, "--refresh"],
                    env=environment, capture_output=True, text=True, check=False)
                self.verifications += 1
                if done.returncode != 0:
                    self.wrong.append(f"verify: {done.returncode}: {done.stderr}")

    def table(self):
        return (f"imports        {self.imports}, each with --prune\n"
                f"verifications  {self.verifications}")
