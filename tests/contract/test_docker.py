"""What docker/ runs exists: commands and options are the binary's own, files are in the tree."""

import configparser
import os
import re
import shlex
import subprocess
import sys
import tempfile

import yaml

from support import BINARY, Tap, import_into

tap = Tap()


def read_unit(path):
    unit = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    unit.optionxform = str
    assert unit.read(path), path
    return unit


def check_command(words):
    """Options of a command line are those that its help lists, with or without a value."""
    done = subprocess.run([BINARY, words[0], "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, words
    options = dict(re.findall(r"^  (--[a-z-]+)( [A-Z\[\]:|a-z]+)?", done.stdout, re.M))
    for word in words[1:]:
        if word.startswith("--"):
            assert word in options, word


@tap.test
def the_timer_starts_a_command_that_exists():
    service = read_unit("docker/openrecipes-verify.service")
    timer = read_unit("docker/openrecipes-verify.timer")
    program, *words = shlex.split(service["Service"]["ExecStart"])
    assert program == "/usr/local/bin/openrecipes"
    assert words[0] == "verify"
    check_command(words)
    assert service["Service"]["Type"] == "oneshot"
    assert timer["Timer"]["OnCalendar"] == "daily"
    assert timer["Timer"]["Persistent"] == "yes"


@tap.test
def the_server_starts_a_command_that_exists():
    service = read_unit("docker/openrecipes.service")["Service"]
    program, *words = shlex.split(service["ExecStart"])
    assert program == "/usr/local/bin/openrecipes" and words[0] == "serve"
    check_command(words)
    assert "-HUP" in service["ExecReload"]
    # Its own sandbox is not stopped by the one of systemd.
    for call in ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self",
                 "seccomp"):
        assert call in service["SystemCallFilter"], call


@tap.test
def the_services_are_shut_in():
    for unit in ("openrecipes", "openrecipes-verify"):
        check_shut_in(read_unit(f"docker/{unit}.service")["Service"])


def check_shut_in(service):
    for name in ("NoNewPrivileges", "PrivateDevices", "PrivateTmp", "ProtectHome",
                 "ProtectKernelTunables", "RestrictNamespaces", "MemoryDenyWriteExecute"):
        assert service[name] == "yes", name
    assert service["ProtectSystem"] == "strict"
    assert service["User"] == "openrecipes"
    assert service["CapabilityBoundingSet"] == ""


@tap.test
def exit_statuses_that_end_a_run_are_documented():
    service = read_unit("docker/openrecipes-verify.service")["Service"]
    text = subprocess.run([BINARY, "verify", "--help"], capture_output=True, text=True,
                          check=True).stdout
    for status in ("1", "65", "66", "69", "75"):
        assert re.search(rf"\b{status} ", text.split("Exit status")[1]), status
    assert not {"69", "75"} & set(service["RestartPreventExitStatus"].split())


@tap.test
def composed_services_run_commands_that_exist():
    with open("docker/compose.yaml", encoding="utf-8") as file:
        services = yaml.safe_load(file)["services"]
    assert set(services) == {"import", "serve", "verify", "publish", "replica", "nginx"}
    for name in ("import", "serve", "replica"):
        check_command(services[name]["command"])
    publish = services["publish"]["command"][0]
    subprocess.run(["sh", "-n", "-c", publish], check=True)
    check_command(shlex.split(re.search(r"openrecipes (snapshot [^;]+);", publish)[1]))
    script = services["verify"]["command"][0].replace("$$", "$")
    subprocess.run(["sh", "-n", "-c", script], check=True)
    for line in re.findall(r"openrecipes ([^;]+);", script):
        check_command(shlex.split(line))
    for service in services.values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


@tap.test
def a_snapshot_is_published_in_one_step():
    """The shell of the composed service, in a scratch folder instead of the volume."""
    with open("docker/compose.yaml", encoding="utf-8") as file:
        script = yaml.safe_load(file)["services"]["publish"]["command"][0]
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "source.db")
        import_into(database, "catalog", "recipes")
        script = script.replace("/var/lib/openrecipes-snapshots", folder) \
            .replace("openrecipes snapshot", f"{BINARY} snapshot")
        for _ in range(2):
            subprocess.run(["sh", "-ec", script], check=True, stdout=subprocess.DEVNULL,
                           env=os.environ | {"OPENRECIPES_DB": database})
            published = [name for name in os.listdir(folder) if name.startswith("openrecipes.")]
            assert published == ["openrecipes.db"]


@tap.test
def the_image_has_every_library_of_the_binary():
    with open("docker/Dockerfile", encoding="utf-8") as file:
        text = file.read()
    linked = subprocess.run(["ldd", BINARY], capture_output=True, text=True, check=True).stdout
    for library, package in (("libmicrohttpd", "libmicrohttpd12"), ("libsqlite3", "libsqlite3-0"),
                             ("libyaml", "libyaml-0-2"), ("libcurl", "libcurl4"),
                             ("libjansson", "libjansson4"), ("libnettle", "libnettle8"),
                             ("libgnutls", "libgnutls30")):
        assert library in linked and package in text, library


if __name__ == "__main__":
    sys.exit(tap.run())
