"""Memory, descriptors and the write-ahead log of a service, looked at every second."""

import os

# What may come on top of the first half's most in the second half: pages of the database that were
# asked for the first time, a connection more, a part of an import more.
ALLOWED = {"rss_kib": 8 * 1024, "descriptors": 2, "wal_kib": 8 * 1024}


class Usage:
    """Samples of a running service."""

    def __init__(self, service):
        self.process = service.process.pid
        self.log = service.database + "-wal"
        self.database = service.database
        self.samples = {name: [] for name in ALLOWED}
        self.first_kib = self.last_kib = os.path.getsize(self.database) // 1024

    def sample(self):
        with open(f"/proc/{self.process}/status", encoding="utf-8") as status:
            rss = next(line for line in status if line.startswith("VmRSS:"))
        now = {"rss_kib": int(rss.split()[1]),
               "descriptors": len(os.listdir(f"/proc/{self.process}/fd")),
               "wal_kib": os.path.getsize(self.log) // 1024 if os.path.exists(self.log) else 0}
        for name, value in now.items():
            self.samples[name].append(value)
        self.last_kib = os.path.getsize(self.database) // 1024

    def sample_until(self, ending):
        while not ending.wait(1):
            self.sample()

    def halves(self, name):
        values = self.samples[name]
        return values[:len(values) // 2], values[len(values) // 2:]

    def growth(self):
        """What grew by more than it may."""
        grown = []
        for name, allowed in ALLOWED.items():
            first, second = self.halves(name)
            if not first:
                grown.append(f"{name}: too few samples")
            elif max(second) > max(first) + allowed:
                grown.append(f"{name}: {max(second)} in the second half, {max(first)} in the first")
        return grown

    def table(self):
        lines = ["               first half      second half     (least to most)"]
        for name in ALLOWED:
            ranges = [f"{min(half)} to {max(half)}" for half in self.halves(name) if half]
            lines.append(f"{name:13}  " + "".join(f"{text:16}" for text in ranges).rstrip())
        lines.append(f"database_kib   {self.first_kib} before, {self.last_kib} after")
        return "\n".join(lines)
