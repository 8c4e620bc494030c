"""Mistakes in parameters: each is refused with 400, naming the parameter, on every endpoint that takes any."""

import sys
import urllib.parse

from support import Service, Tap
from test_openapi import operations

RECIPE = "gemma-4-31b/h100/attune-tp2-pp4-split13"
QWEN = "qwen3.5-397b-a17b"
PLACES = {"model": QWEN, "gpu": "b200", "recipe": "attune-48gpu-tp2-pp6-ep8"}
REQUIRED = {"recipe": RECIPE, "tokens": "10B", "model": QWEN, "a": RECIPE, "b": RECIPE}
NUMBERS = ["x", "nan", "inf", "-inf", "1e999", "0x10", "1_000", "%201", "1,2", "--1", "%2B"]

# Values that are refused, for parameters that have a form of their own; others go by their schema.
OWN = {
    "price": ["h100", "h100:", ":2", "h100:0", "h100:-1", "h100:nan", "h100:inf", "h100:2x",
              "h100:1e9", "h100:0.00001", "h1000:2", "h100:2,H100:3", "h100:2,h100-sxm:2"],
    "provider": ["nobody"],
    "sort": ["nothing", "gpus,gpus", "gpus,-gpus", "--gpus", "-", "gpus;drop"],
    "fields": ["nothing", "gpus,gpus", "-gpus", "*"],
    "cursor": ["x", "AAAA", "%3D", "a" * 3000],
    "tokens": ["0", "-1", "0.5", "x", "1e19", "10Q", "nan", "1_000", "B"],
    "recipe": ["x", "/", "a/b", "//", "a/b/c/d"],
    "a": ["x", "/", "//", "a/b/c/d"],
    "b": ["x", "/", "//", "a/b/c/d"],
}

tap = Tap()


def endpoints(document):
    """Every GET with parameters: its path, what is required, and the parameters' schemas."""
    for path, method, operation in operations(document):
        named = {parameter["name"]: parameter for parameter in operation["parameters"]
                 if "name" in parameter}
        if method == "get" and named:
            required = {name: REQUIRED[name] for name in named if named[name].get("required")}
            yield path.format(**PLACES), required, named


def ask(service, path, required, query):
    """Ask with what is required, but for what the query has itself."""
    name = query.split("=")[0]
    parts = [f"{key}={value}" for key, value in required.items() if key != name]
    return service.ask(f"{path}?{'&'.join(parts + [query])}")


def refused(service, path, required, query, parameter):
    """Expect one error, of this parameter, and give it."""
    reply = ask(service, path, required, query)
    assert reply.status == 400, (path, query, reply.status, reply.body[:300])
    assert reply.headers["Content-Type"].startswith("application/problem+json")
    errors = reply.json()["errors"]
    assert [error["parameter"] for error in errors] == [parameter], (path, query, errors)
    assert errors[0]["detail"] and "SELECT" not in errors[0]["detail"], (path, query)
    return errors[0]


def sample(name, schema):
    """A value that is taken."""
    schema = schema.get("items", schema)
    schema = schema.get("anyOf", [schema])[0]
    known = {"price": "h100:2", "provider": "AWS", "sort": "gpus", "fields": "gpus",
             "gpu": "h100", "workload": "0123456789abcdef", **REQUIRED}
    if name in known or "enum" in schema:
        return known.get(name) or schema["enum"][0]
    kinds = {"integer": "2", "number": "0.5", "boolean": "true"}
    return "2026-10-20" if schema.get("format") == "date" else kinds.get(schema["type"], "x")


def wrong_values(name, schema, is_required):
    if name in OWN and (is_required or name not in REQUIRED):
        return OWN[name]
    is_list = "items" in schema
    schema = schema.get("items", schema)
    schema = schema.get("anyOf", [schema])[0]
    if schema.get("format") == "date":
        return ["2026-02-30", "2026-2-3", "20261020", "today", "2026-10-20T00:00:00Z"]
    if "enum" in schema or schema["type"] == "boolean":
        return ["nothing", "%20", "1"]
    if schema["type"] not in ("integer", "number"):
        return []
    found = [value for value in NUMBERS if not (is_list and value == "1,2")]
    found += ["1.5", "1e1"] if schema["type"] == "integer" else []
    if "minimum" in schema:
        found.append(repr(schema["minimum"] - 1))
    if "maximum" in schema:
        found.append(repr(schema["maximum"] + 1))
    return found


@tap.test
def there_are_many_endpoints_with_parameters(service, document):
    paths = [path for path, _, _ in endpoints(document)]
    assert {"/recipes", "/models", "/gpus", "/prices", "/verifications", "/cost", "/plan",
            "/compare", f"/models/{QWEN}/b200"} <= set(paths), paths


@tap.test
def an_unknown_parameter_is_named_with_the_nearest_and_all_that_are_known(service, document):
    for path, required, named in endpoints(document):
        for name in named:
            error = refused(service, path, required, f"{name}z=1", name + "z")
            assert error["allowed"] == list(named), path
            if len(name) > 3:
                assert error["did_you_mean"] == [name], (path, name, error)
        error = refused(service, path, required, "zzzzzzzzzzzz=1", "zzzzzzzzzzzz")
        assert "did_you_mean" not in error, path


@tap.test
def a_parameter_has_one_value_that_is_not_empty(service, document):
    for path, required, named in endpoints(document):
        for name, parameter in named.items():
            value = sample(name, parameter["schema"])
            for query in (name, f"{name}=", f"{name}={value}&{name}={value}",
                          f"{name}=%", f"{name}=%zz", f"{name}=%ff", f"{name}=a%00b"):
                refused(service, path, required, query, name)
            if "items" in parameter["schema"]:
                for query in (f"{name}=,", f"{name}={value},", f"{name}=,{value}"):
                    reply = ask(service, path, required, query)
                    assert reply.status == 400, (path, query)
                    assert {error["parameter"] for error in reply.json()["errors"]} == {name}


@tap.test
def a_value_is_of_its_kind_and_in_its_range(service, document):
    for path, required, named in endpoints(document):
        for name, parameter in named.items():
            for value in wrong_values(name, parameter["schema"], name in required):
                reply = ask(service, path, required, f"{name}={value}")
                assert reply.status == 400, (path, name, value, reply.status, reply.body[:300])
                assert {error["parameter"] for error in reply.json()["errors"]} == {name}, \
                    (path, name, value)


@tap.test
def words_that_are_not_known_come_with_those_that_are(service, document):
    for path, required, named in endpoints(document):
        for name, parameter in named.items():
            schema = parameter["schema"].get("items", parameter["schema"])
            schema = schema.get("anyOf", [schema])[0]
            if "enum" in schema:
                wrong = schema["enum"][0] + "x"
                error = refused(service, path, required, f"{name}={wrong}", name)
                assert error["allowed"] == schema["enum"] and error["did_you_mean"], (path, name)
        for name, wrong, near in (("price", "h10:2", "h100"), ("provider", "AW", "AWS"),
                                  ("sort", "gpuss", "gpus"), ("fields", "gpuss", "gpus")):
            if name in named:
                error = refused(service, path, required, f"{name}={wrong}", name)
                assert near in error["allowed"] and near in error["did_you_mean"], (path, error)


@tap.test
def a_cursor_belongs_to_its_query_and_is_whole(service, document):
    asked = {"/recipes": "sort=gpus&limit=1", f"/models/{QWEN}/b200": "limit=1",
             "/verifications": "limit=1", "/models": "limit=1", "/gpus": "limit=1",
             "/prices": "limit=1", "/plan": f"model={QWEN}&tokens=10B&limit=1"}
    cursors = {}
    for path, query in asked.items():
        following = service.ask(f"{path}?{query}").json()["next"]
        cursors[path] = following.split("cursor=")[1]
        assert service.ask(following).status == 200
    for path, query in asked.items():
        cursor = cursors[path]
        others = [other for at, other in cursors.items() if at != path]
        altered = [cursor[:i] + ("A" if cursor[i] != "A" else "B") + cursor[i + 1:]
                   for i in range(0, len(cursor), 7)]
        for wrong in others + altered + [cursor[:-1], cursor + "A", cursor + cursor]:
            error = service.ask(f"{path}?{query}&cursor={wrong}")
            assert error.status == 400, (path, wrong)
            assert error.json()["errors"][0]["parameter"] == "cursor"
    for change in ("&tp=2", "&price=b200:2", "&q=x", "&as_of=2026-10-20"):
        reply = service.ask(f"/recipes?sort=gpus&limit=1{change}&cursor={cursors['/recipes']}")
        assert reply.status == 400, change


@tap.test
def formats_refuse_the_same(service, document):
    for path in ("/recipes", f"/models/{QWEN}/b200"):
        for suffix in (".csv", ".ndjson", ".txt", ".atom"):
            for query, parameter in (("limit=0", "limit"), ("tp=x", "tp"), ("tpp=1", "tpp"),
                                     ("price=h100:0", "price"), ("cursor=x", "cursor"),
                                     ("sort=nothing", "sort"), ("fields=nothing", "fields")):
                if suffix != ".atom" or parameter not in ("cursor", "sort", "fields"):
                    refused(service, path + suffix, {}, query, parameter)
        for query in ("cursor=x", "sort=gpus", "fields=gpus"):
            error = refused(service, path + ".atom", {}, query, query.split("=", maxsplit=1)[0])
            assert "a feed has no use for it" in error["detail"]
    for path, required, _ in endpoints(document):
        if path in ("/cost", "/plan", "/compare"):
            refused(service, path + ".txt", required, "price=h100:0", "price")
            for name in required:
                rest = {key: value for key, value in required.items() if key != name}
                error = service.ask(f"{path}.txt?{urllib.parse.urlencode(rest)}")
                assert error.status == 400
                assert error.json()["errors"][0]["parameter"] == name


@tap.test
def every_mistake_is_told_at_once(service, document):
    reply = service.ask("/recipes?tp=x&min_gpus=0&limit=0&offload=2&nothing=1&q=&measured=1&tp=2")
    assert reply.status == 400
    assert [error["parameter"] for error in reply.json()["errors"]] == \
        ["tp", "min_gpus", "limit", "offload", "nothing", "q", "measured", "tp"]


if __name__ == "__main__":
    with Service() as running:
        sys.exit(tap.run(running, running.ask("/openapi.json").json()))
