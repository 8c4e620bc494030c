"""A collection of recipes in two states, a and b: files were changed, removed and added."""

import glob
import os
import re
import subprocess

from support import BINARY


class Collection:
    """Files below folder/live/recipes, where the importer finds those of one state at a time.

    folder: where to make them
    count:  recipes of each state
    """

    def __init__(self, folder, count):
        self.folder = folder
        self.live = os.path.join(folder, "live")
        self.shown = None
        self.names = {"a": set(), "b": set()}
        originals = [self.read(path) for path in sorted(glob.glob("recipes/*/*/*.yaml"))]
        moved = count // 10
        for state, first in (("a", 0), ("b", moved)):
            for i in range(first, first + count):
                self.write(state, i, *originals[i % len(originals)])
        self.show("a")

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8") as file:
            return os.path.dirname(path), file.read()

    def write(self, state, i, place, text):
        """Write the i-th recipe. Its speed is its own; every third one's differs between states."""
        def slower(match):
            share = 0.999 - i % 389 / 1000 - (0.0005 if state == "b" and i % 3 == 0 else 0)
            return f"{match.group(1)}{float(match.group(2)) * share:.2f}"

        text, found = re.subn(r"^(  tokens_per_s_per_gpu: )([0-9.]+)$", slower, text, flags=re.M)
        assert found == 1, place
        name = os.path.join(place, f"soak-{i:05}")
        path = os.path.join(self.folder, state, name + ".yaml")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.names[state].add(name.removeprefix("recipes/"))

    def show(self, state):
        """Put the files of a state where the importer looks."""
        if self.shown == state:
            return
        if self.shown:
            os.rename(self.live, os.path.join(self.folder, self.shown))
        os.rename(os.path.join(self.folder, state), self.live)
        self.shown = state

    def import_into(self, database):
        """Import what is shown, and remove what is gone."""
        subprocess.run(self.command(database), check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def command(self, database):
        return [BINARY, "import", "--db", database, "--prune", "catalog",
                os.path.join(self.live, "recipes")]
