"""Different sources have different names where there is no git to tell them apart."""

import os
import subprocess
import sys
import tempfile

from support import Tap

SCRIPT = os.path.abspath("tools/build_id.sh")

tap = Tap()


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def build_id(folder):
    """The name where no git knows the folder."""
    return subprocess.run([SCRIPT], cwd=folder, env=os.environ | {"GIT_DIR": "/dev/null"},
                          check=True, capture_output=True, text=True).stdout.strip()


@tap.test
def without_git_a_changed_source_changes_the_name():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "core/a.c", "int a;\n")
        first = build_id(folder)
        write(folder, "build/release/a.o", "object")
        assert build_id(folder) == first
        write(folder, "core/a.c", "int b;\n")
        second = build_id(folder)
        write(folder, "core/b.c", "")
        assert len({first, second, build_id(folder)}) == 3, (first, second)
        assert first.startswith("unknown-") and len(first) == len("unknown-") + 8, first


if __name__ == "__main__":
    sys.exit(tap.run())
