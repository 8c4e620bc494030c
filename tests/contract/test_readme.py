"""The README's examples: each command is run against the real service, and prints what the page says."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from support import BINARY, Service, Tap

tap = Tap()


def examples(text):
    """Yield each command of the page with the output under it."""
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def run(service, command, folder):
    """Run a command as the page says it, on this service, binary and scratch folder."""
    places = {"localhost:8080": service.address.removeprefix("http://"),
              "build/release/openrecipes": BINARY,
              "var/openrecipes.db": os.path.join(service.folder.name, "openrecipes.db"),
              "/tmp/openrecipes-": os.path.join(folder, "")}
    command = re.sub("|".join(map(re.escape, places)), lambda match: places[match[0]], command)
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60,
                          check=False)
    return (done.stdout + done.stderr).replace(os.path.join(folder, ""), "/tmp/openrecipes-")


def normal(text):
    """Spaces at line ends and times of a run are not part of an example."""
    return re.sub(r"[ \t]+$", "", text, flags=re.M).strip()


@tap.test
def every_command_prints_what_the_page_says(service):
    with open("README.md", encoding="utf-8") as page:
        found = list(examples(page.read()))
    assert len(found) >= 10
    folder = tempfile.mkdtemp()
    try:
        for command, expected in found:
            printed = run(service, command, folder)
            assert normal(printed) == normal(expected), f"$ {command}\n{printed}"
    finally:
        shutil.rmtree(folder)


@tap.test
def every_script_of_the_page_prints_the_collection(service):
    runners = {"python": [sys.executable, "-"], "js": ["node", "--input-type=module", "-"]}
    with open("README.md", encoding="utf-8") as page:
        text = page.read().replace("localhost:8080", service.address.removeprefix("http://"))
    for language, command in runners.items():
        scripts = re.findall(rf"```{language}\n(.*?)```", text, re.S)
        assert scripts, language
        for script in scripts:
            done = subprocess.run(command, input=script, capture_output=True, text=True,
                                  timeout=60, check=False)
            assert done.returncode == 0, done.stderr
            for part in ("gemma-4-26b-a4b", "3763.4", "qwen3.5-397b-a17b", "1232.53"):
                assert part in done.stdout, (language, part, done.stdout)


@tap.test
def every_column_that_the_page_selects_is_there(service):
    """DuckDB is no Debian package: its command is not run, but what it names is looked for."""
    with open("README.md", encoding="utf-8") as page:
        queries = re.findall(r'curl -s localhost:8080(\S+) \|\n    duckdb -c "(.*?)"', page.read())
    assert queries
    for path, query in queries:
        columns = service.ask(path).body.decode().partition("\r\n")[0].split(",")
        for name in re.findall(r"[a-z_]+", query.split(" FROM ")[0].split(" AS ")[0]):
            assert name in [*columns, "max"], (path, name)


@tap.test
def every_file_that_is_named_is_there(service):
    for name in ("README.md", "CONTRIBUTING.md"):
        with open(name, encoding="utf-8") as page:
            for target in re.findall(r"\]\(([^)#:]+)\)", page.read()):
                assert os.path.exists(target), (name, target)


@tap.test
def every_test_that_shows_something_is_there(service):
    with open("README.md", encoding="utf-8") as page:
        table = page.read().split("## Threats")[1].split("## Where things are")[0]
    shown = [name for line in table.splitlines() if line.startswith("| ")
             for name in re.findall(r"`([a-z]+/[a-z_]+)`", line.rsplit("|", 2)[1])]
    assert len(shown) > 20
    for name in shown:
        assert name == "tests/invalid" and os.path.isdir(name) or any(
            os.path.exists(f"tests/{name}{suffix}") for suffix in (".c", ".py")), name


@tap.test
def every_folder_of_the_map_is_there(service):
    with open("README.md", encoding="utf-8") as page:
        block = page.read().split("## Where things are")[1].split("cli -> api")[0]
    named = set(re.findall(r"\b([a-z]+)/", block))
    there = {entry for entry in os.listdir(".") if os.path.isdir(entry) and entry[0] != "."}
    assert named == there - {"build", "var", "node_modules"}, named ^ there


@tap.test
def every_endpoint_is_in_the_table(service):
    with open("README.md", encoding="utf-8") as page:
        table = page.read().split("## The API")[1].split("What may change")[0]
    for row in service.ask("/").json()["endpoints"]:
        if row["path"] not in ("/", "/favicon.ico"):
            assert f"{row['path']}`" in table, row["path"]


def fill_in(service):
    """Put what the commands print now under them."""
    with open("README.md", encoding="utf-8") as page:
        text = page.read()
    folder = tempfile.mkdtemp()

    def fill(match):
        parts = re.split(r"^\$ ", match.group(1), flags=re.M)[1:]
        filled = ""
        for part in parts:
            command = part.partition("\n")[0]
            output = normal(run(service, command, folder))
            filled += f"$ {command}\n{output}\n"
        return f"```console\n{filled}```"

    text = re.sub(r"```console\n(.*?)```", fill, text, flags=re.S)
    shutil.rmtree(folder)
    with open("README.md", "w", encoding="utf-8") as page:
        page.write(text)


if __name__ == "__main__":
    with Service() as running:
        if sys.argv[1:] == ["--fill-in"]:
            fill_in(running)
        else:
            sys.exit(tap.run(running))
