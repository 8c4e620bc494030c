"""What an attacker who got into the process would find: the binary's flags, and the sandbox."""

import os
import pwd
import re
import subprocess
import sys
import tempfile

from support import BINARY, Service, Tap, import_into, snapshot

tap = Tap()


def readelf(*options):
    return subprocess.run(["readelf", "-W", *options, BINARY], check=True, capture_output=True,
                          text=True, env=os.environ | {"LC_ALL": "C"}).stdout


def status(service):
    with open(f"/proc/{service.process.pid}/status", encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


@tap.test
def the_binary_is_position_independent():
    assert re.search(r"Type:\s+DYN \(Position-Independent Executable", readelf("-h"))
    assert "TEXTREL" not in readelf("-d")


@tap.test
def relocations_are_read_only_before_main():
    assert "GNU_RELRO" in readelf("-l")
    assert re.search(r"FLAGS.*BIND_NOW", readelf("-d"))
    assert re.search(r"FLAGS_1.*\bNOW\b.*\bPIE\b", readelf("-d"))


@tap.test
def no_segment_is_writable_and_executable():
    flags = re.findall(r"^\s+(?:LOAD|GNU_STACK)\s.*?\s([R ][W ][E ])\s", readelf("-l"), re.M)
    assert len(flags) >= 4
    assert not [flag for flag in flags if "W" in flag and "E" in flag], flags


@tap.test
def stacks_are_protected_and_copies_checked():
    symbols = readelf("--dyn-syms")
    assert "__stack_chk_fail" in symbols
    checked = set(re.findall(r"__(\w+)_chk", symbols)) - {"stack"}
    assert {"snprintf", "memcpy"} & checked, checked
    assert not re.findall(r" (gets|strcpy|strcat|sprintf|vsprintf)@", symbols)


@tap.test
def no_library_is_looked_for_where_others_write():
    assert not re.search(r"\((RPATH|RUNPATH)\)", readelf("-d"))


@tap.test
def the_serving_process_cannot_gain_privileges():
    with Service() as service:
        found = status(service)
        assert found["NoNewPrivs"] == "1"
        assert found["Seccomp"] == "2"
        threads = os.listdir(f"/proc/{service.process.pid}/task")
        assert len(threads) >= 3
        for thread in threads:
            with open(f"/proc/{service.process.pid}/task/{thread}/status",
                      encoding="utf-8") as file:
                assert "Seccomp:\t2\n" in file.read()
        assert "event=sandbox seccomp=yes landlock=" in service.log()


@tap.test
def the_sandbox_can_be_left_off():
    with Service(options=("--no-sandbox",)) as service:
        assert status(service)["Seccomp"] == "0"
        assert service.ask("/models").status == 200


@tap.test
def root_becomes_the_user_that_is_named():
    """Where the tests are not root's, that user is the one they run as, and only root is another."""
    own = pwd.getpwuid(os.geteuid()).pw_name
    # Where another user reaches it.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        source, served = os.path.join(folder, "source.db"), os.path.join(folder, "served.db")
        import_into(source, "catalog", "recipes")
        snapshot(source, served)
        os.chmod(folder, 0o755)
        user = "nobody" if os.geteuid() == 0 else own
        with Service(database=served, options=("--user", user)) as service:
            found = status(service)
            expected = [str(pwd.getpwnam(user).pw_uid)] * 4
            assert found["Uid"].split() == expected, found["Uid"]
            assert found["Gid"].split() == [str(pwd.getpwnam(user).pw_gid)] * 4
            assert "0" not in found["Groups"].split() or os.geteuid() != 0
            assert int(found["CapEff"], 16) == 0
            assert "event=root" not in service.log()
            assert service.ask("/models").status == 200


@tap.test
def a_user_that_is_not_there_is_refused():
    done = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", "--user", "no-such-user"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 64
    assert "there is no user no-such-user" in done.stderr


@tap.test
def environment_secrets_are_not_shown():
    os.environ["HF_TOKEN"] = "hf_secret_of_the_test"
    try:
        with Service(options=("--log-format", "json")) as service:
            bodies = b"".join(service.ask(path).body for path in ("/", "/metrics", "/version"))
            assert service.ask("/%ff?token=x").status == 400
    finally:
        del os.environ["HF_TOKEN"]
    assert b"hf_secret" not in bodies
    assert "hf_secret" not in service.log_kept


if __name__ == "__main__":
    sys.exit(tap.run())
