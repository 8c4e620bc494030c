"""What docker/ runs exists: commands and options are the binary's own, files are in the tree."""

import configparser
import re
import shlex
import subprocess
import sys

import yaml

from support import BINARY, Tap

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
def the_service_is_shut_in():
    service = read_unit("docker/openrecipes-verify.service")["Service"]
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
    assert set(services) == {"import", "serve", "verify"}
    check_command(services["import"]["command"])
    check_command(services["serve"]["command"])
    script = services["verify"]["command"][0].replace("$$", "$")
    subprocess.run(["sh", "-n", "-c", script], check=True)
    for line in re.findall(r"openrecipes ([^;]+);", script):
        check_command(shlex.split(line))
    for service in services.values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"]


@tap.test
def the_image_has_every_library_of_the_binary():
    with open("docker/Dockerfile", encoding="utf-8") as file:
        text = file.read()
    linked = subprocess.run(["ldd", BINARY], capture_output=True, text=True, check=True).stdout
    for library, package in (("libmicrohttpd", "libmicrohttpd12"), ("libsqlite3", "libsqlite3-0"),
                             ("libyaml", "libyaml-0-2"), ("libcurl", "libcurl4"),
                             ("libjansson", "libjansson4"), ("libnettle", "libnettle8")):
        assert library in linked and package in text, library


if __name__ == "__main__":
    sys.exit(tap.run())
