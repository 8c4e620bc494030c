"""The servers that the benchmark measures: ours and its peers, each on one processor."""

import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER_CPU = "0"
START_SECONDS = 120


def ask(url, headers=None):
    """GET; returns head and body as bytes, as they would come over the wire without chunks."""
    request = urllib.request.Request(url, headers=headers or {})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.headers, reply.read()


def ask_unchanged(url):
    """Head of the 304 to one who has what is there, and the condition that led to it."""
    condition = {"If-None-Match": ask(url)[0]["ETag"]}
    try:
        ask(url, condition)
    except urllib.error.HTTPError as error:
        if error.code == 304:
            return error.headers, f"If-None-Match: {condition['If-None-Match']}"
    raise RuntimeError(f"{url}: no 304")


def free_port():
    """A port for those who do not take one from the system by themselves."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Server:
    """A process that says where it listens, for the time of a `with`."""

    def __init__(self, name, command, log=None):
        self.name = name
        self.command = ["taskset", "-c", SERVER_CPU, *command]
        self.log = log or os.devnull
        self.pids = []

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=log)
        self.url = self.find_url()
        self.pids = [self.process.pid]
        return self

    def find_url(self):
        while True:
            line = self.process.stdout.readline().decode()
            if not line:
                raise RuntimeError(f"{self.name} did not start")
            found = re.search(r"http://(localhost|127\.0\.0\.1):(\d+)", line)
            if found:
                return f"http://127.0.0.1:{found.group(2)}"

    def signal(self, number):
        for pid in self.pids:
            os.kill(pid, number)

    def __exit__(self, *_):
        self.signal(signal.SIGCONT)
        self.process.terminate()
        self.process.wait(timeout=60)
        self.process.stdout.close()

    def figure(self, name):
        """Sum of a figure in kB of /proc/PID/status over the server's processes."""
        total = 0
        for pid in self.pids:
            with open(f"/proc/{pid}/status", encoding="ascii") as file:
                total += int(re.search(rf"{name}:\s+(\d+)", file.read()).group(1))
        return total

    def settle(self):
        """Wait until the server has done what it was asked for, so that it disturbs no other."""
        before = -1.0
        while self.cpu_seconds() > before + 0.02:
            before = self.cpu_seconds()
            time.sleep(0.2)

    def cpu_seconds(self):
        total = 0
        for pid in self.pids:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                fields = file.read().rsplit(") ", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")


class Sleepless(Server):
    """A server that is never done."""

    def settle(self):
        pass


def ours(binary, database, *options, log=None):
    if not log:
        options = ("--no-access-log", *options)
    return Server("openrecipes", [binary, "serve", "--db", database, "--listen", "127.0.0.1:0",
                                  "--threads", "1", "--connections-per-address", "1000", *options],
                  log)


def raw(tools, folder, status, head, body=b""):
    """The epoll loop with a reply of the same bytes. status: "200 OK" """
    path = os.path.join(folder, "reply")
    with open(path, "wb") as file:
        file.write(f"HTTP/1.1 {status}\r\n".encode())
        for name, value in head.items():
            file.write(f"{name}: {value}\r\n".encode())
        file.write(b"\r\n" + body)
    return Sleepless("raw epoll", [os.path.join(tools, "raw_epoll"), path])


class Nginx(Server):
    """One worker that serves files from a folder, with open_file_cache."""

    CONFIG = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 2048; }}
http {{
  default_type application/json; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  open_file_cache max=1000 inactive=60s; open_file_cache_valid 60s;
  access_log {log};
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}/files; }}
}}
"""

    def __init__(self, folder, has_log=False):
        super().__init__("nginx", ["nginx", "-p", folder, "-c", f"{folder}/nginx.conf"])
        self.port = free_port()
        with open(f"{folder}/nginx.conf", "w", encoding="ascii") as file:
            file.write(self.CONFIG.format(folder=folder, port=self.port,
                                          log=f"{folder}/access.log" if has_log else "off"))

    def find_url(self):
        url = f"http://127.0.0.1:{self.port}"
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            try:
                ask(url + "/page")
                return url
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("nginx did not start")

    def __enter__(self):
        super().__enter__()
        out = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True,
                             check=True)
        self.pids += [int(pid) for pid in out.stdout.split()]
        return self


def node(name, script, *arguments):
    """A peer of bench/peers; None where npm did not install it."""
    package = {"fastify.js": "fastify", "json_server.js": "json-server", "soul": "soul-cli"}[script]
    modules = os.path.join(HERE, "peers", "node_modules")
    if not shutil.which("node") or not os.path.isdir(os.path.join(modules, package)):
        return None
    if script == "soul":
        return Server(name, ["node", os.path.join(modules, "soul-cli", "src", "server.js"),
                             "-p", str(free_port()), *arguments])
    return Server(name, ["node", os.path.join(HERE, "peers", script), *arguments])
