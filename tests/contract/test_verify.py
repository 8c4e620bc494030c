"""`openrecipes verify` at a terminal, and its exit status for a CI job."""

import http.server
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import threading

from support import BINARY, Service, Tap

RECIPE = "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml"

tap = Tap()


class Teapot(http.server.BaseHTTPRequestHandler):
    """A hub that has nothing of use to say, at once."""

    def do_GET(self):
        self.send_error(418)

    def log_message(self, *_):
        pass


def verify(service, endpoint, *arguments, **where):
    environment = os.environ | {"HF_ENDPOINT": endpoint, "HF_TOKEN": "", "no_proxy": "*",
                                "HF_HOME": service.folder.name}
    return subprocess.Popen([BINARY, "verify", "--db", service.database, *arguments],
                            env=environment, **where)


def read_all(descriptor):
    text = b""
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # how Linux says that nobody has the other end any more
            part = b""
        if not part:
            return text
        text += part


@tap.test
def a_terminal_sees_a_bar_that_leaves_no_trace(service):
    ours, theirs = pty.openpty()
    with service.hub() as endpoint:
        process = verify(service, endpoint, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = read_all(ours).decode().replace("\r\n", "\n")
        assert process.wait() == 0
    os.close(ours)
    assert "\r[##############################] 107/107 files" in shown, shown
    # A line that is overwritten ends with what erases it.
    left = [line.rsplit("\r\x1b[K", 1)[-1] for line in shown.split("\n")]
    assert not any("[#" in line for line in left), left
    assert left[0] == "confirmed      gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8: 3821830144 " \
        "active parameters" or left[0].startswith("confirmed      gemma-4-31b/h100/"), left[0]
    assert left[-2].startswith("5 recipes of 3 checkpoints: 5 confirmed; "), left


@tap.test
def a_contradiction_is_told_though_the_hub_is_away(service):
    service.verify()
    with tempfile.TemporaryDirectory() as folder:
        name = shutil.copy(RECIPE, folder)
        with open(name, encoding="utf-8") as file:
            text = file.read()
        with open(name, "w", encoding="utf-8") as file:
            file.write(text.replace("count: 30696013824", "count: 30696013823"))
        subprocess.run([BINARY, "import", "--db", service.database, name], check=True,
                       stdout=subprocess.DEVNULL)
    away = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Teapot)
    threading.Thread(target=away.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{away.server_port}"
    for names, code in (([], 1), (["gemma-4-31b"], 1), (["gemma-4-26b-a4b"], 69)):
        process = verify(service, endpoint, "--refresh", *names, stdout=subprocess.DEVNULL)
        assert process.wait() == code, (names, process.returncode)
    away.shutdown()
    away.server_close()
    rows = service.ask("/verifications").json()["verifications"]
    assert sorted(row["status"] for row in rows) == ["confirmed"] * 4 + ["contradicted"]


if __name__ == "__main__":
    with Service() as running:
        sys.exit(tap.run(running))
