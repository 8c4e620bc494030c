"""The requests that are asked, and what is wrong with a reply to one of them."""

import gzip
import json
import os
import re
import xml.etree.ElementTree

from support import wait_until

# Points in time, as of an import, and the number of the request.
VOLATILE = re.compile(rb'20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ|"instance":"[0-9a-f]{16}"')
# A list that is sent in parts has rows of either state, each numbered where it stands.
RANK = re.compile(rb'^(\d+,|\{"rank":\d+,)')
RANKING = "/models/qwen3.5-397b-a17b/b200"
RECIPE = "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml"


class Mixed:
    """One request: a reply must be one that was learnt, or its rows must, or its form be right.

    by:       "whole", "rows" or "form"
    statuses: what it may be answered with
    """

    def __init__(self, path, by="whole", statuses=(200,), method="GET", headers=None, body=None):
        self.path = path
        self.by = by
        self.statuses = statuses
        self.method = method
        self.headers = headers or {}
        self.body = body
        self.known = set()

    def learn(self, reply):
        assert reply.status in self.statuses, (self.path, reply.status, reply.body[:300])
        if self.by != "form":
            self.known |= self.parts(self.plain(reply.headers, reply.body))

    @staticmethod
    def plain(headers, body):
        return gzip.decompress(body) if headers["Content-Encoding"] == "gzip" else body

    def parts(self, body):
        if self.by == "rows":
            return {RANK.sub(b"", line) for line in body.split(b"\n")}
        return {VOLATILE.sub(b"", body)}

    def judge(self, status, headers, body):
        """What is wrong with a reply, or None."""
        if status not in self.statuses:
            return f"{self.method} {self.path}: {status}: {body[:200]}"
        if status == 304 or self.method == "HEAD":
            return f"{self.method} {self.path}: it has a body" if body else None
        if self.by == "form":
            return self.judge_form(headers, body)
        unknown = self.parts(self.plain(headers, body)) - self.known
        return f"{self.method} {self.path}: {self.difference(unknown.pop())}" if unknown else None

    def difference(self, part):
        """Where a part leaves the known one that begins most like it."""
        same = max(len(os.path.commonprefix([part, known])) for known in self.known)
        return f"of neither state from byte {same} on: {part[max(same - 100, 0):same + 100]}"

    def judge_form(self, headers, body):
        kind = headers["Content-Type"]
        body = self.plain(headers, body)
        try:
            if "json" in kind:
                json.loads(body)
            elif "xml" in kind:
                xml.etree.ElementTree.fromstring(body)
        except (ValueError, xml.etree.ElementTree.ParseError) as error:
            return f"{self.method} {self.path}: {error}"
        return None if body else f"{self.method} {self.path}: it is empty"


def mixed_requests(collection):
    """One of every kind that clients ask."""
    both = sorted(collection.names["a"] & collection.names["b"])
    gone = sorted(collection.names["a"] - collection.names["b"])[0]
    new = sorted(collection.names["b"] - collection.names["a"])[0]
    changed = next(name for name in both if int(name[-5:]) % 3 == 0)
    squeezed = {"Accept-Encoding": "gzip"}
    with open(RECIPE, "rb") as file:
        recipe = file.read()
    return [
        Mixed("/models"),
        Mixed("/models", headers=squeezed),
        Mixed("/models", headers={"If-None-Match": "*"}, statuses=(304,)),
        Mixed("/models/gemma-4-31b"),
        Mixed(RANKING),
        Mixed(RANKING, headers=squeezed),
        Mixed(RANKING, method="HEAD"),
        Mixed(RANKING + "?price=b200:7.50&limit=20"),
        Mixed(RANKING + ".txt"),
        Mixed(RANKING + ".csv", by="rows"),
        Mixed(RANKING + ".atom", by="form"),
        Mixed(f"/models/{changed}"),
        Mixed(f"/models/{changed}", headers=squeezed),
        Mixed(f"/models/{changed}.yaml"),
        Mixed(f"/models/{changed}.sh"),
        Mixed(f"/models/{changed}.bib"),
        Mixed(f"/models/{changed}/history", by="form"),
        Mixed(f"/models/{gone}", by="form", statuses=(200, 410)),
        Mixed(f"/models/{new}.yaml", by="form", statuses=(200, 404, 410)),
        Mixed("/recipes"),
        Mixed("/recipes?limit=1000", headers=squeezed),
        Mixed("/recipes?max_gpus=48&sort=usd_per_million_tokens,-mfu&limit=10"),
        Mixed("/recipes?gpu=b200&offload=none&fields=recipe,tokens_per_s_per_gpu,mfu"),
        Mixed("/recipes?q=expandable_segments&limit=5"),
        Mixed("/recipes.csv", by="rows"),
        Mixed("/recipes.ndjson", by="rows"),
        Mixed("/recipes.ndjson?gpu=b200&fields=recipe,mfu", by="rows", headers=squeezed),
        Mixed("/recipes.txt?limit=30"),
        Mixed("/recipes.atom", by="form"),
        Mixed("/recipes?max_gpu=48", statuses=(400,)),
        Mixed("/verifications?limit=40"),
        Mixed("/verifications.txt?family=Gemma&limit=40"),
        Mixed("/gpus"),
        Mixed("/gpus/b200"),
        Mixed("/prices"),
        Mixed(f"/cost?recipe={changed}&tokens=10B"),
        Mixed(f"/cost.txt?recipe={changed}&tokens=1e9&price=b200:3"),
        Mixed("/plan?model=qwen3.5-397b-a17b&tokens=10B&budget_usd=36000&limit=5"),
        Mixed("/compare?a=qwen3.5-397b-a17b/b200&b=qwen3.5-397b-a17b/h200"),
        Mixed("/compare.txt?a=gemma-4-31b/h100&b=gemma-4-26b-a4b/b200"),
        Mixed("/check", by="form", method="POST", body=recipe),
        Mixed("/nothing/here", statuses=(404,)),
        Mixed("/models/gemma-4-31b/h100/attune", statuses=(404,)),
        Mixed("/models/", statuses=(308,)),
        Mixed("/models", statuses=(405,), method="DELETE"),
        Mixed("/openapi.json", headers=squeezed),
        Mixed("/docs", headers={"Accept": "text/html"}),
        Mixed("/healthz"),
        Mixed("/readyz"),
        Mixed("/version", by="form"),
        Mixed("/metrics", by="form"),
    ]


def learn(service, collection, requests):
    """Note what each request is answered with in the state that was just imported."""
    only_in_a = sorted(collection.names["a"] - collection.names["b"])[0]
    wait_until(lambda: (service.ask(f"/models/{only_in_a}").status == 200) ==
               (collection.shown == "a"))
    for request in requests:
        request.learn(service.ask(request.path, request.method, request.body, request.headers))


def conditional(service, requests):
    """Those that have a tag, asked by who has the copy of now."""
    asked = []
    for request in requests:
        if request.statuses != (200,) or request.method != "GET" or request.by != "whole":
            continue
        tag = service.ask(request.path, headers=request.headers).headers["ETag"]
        if tag:
            asked.append(Mixed(request.path, statuses=(200, 304),
                               headers=request.headers | {"If-None-Match": tag}))
            asked[-1].known = request.known
    return asked
