"""The OpenAPI document against the service: every route, parameter and member, in both directions."""

import copy
import hashlib
import json
import re
import subprocess
import sys

import jsonschema
import yaml

from support import BINARY, Service, Tap

RECIPE = "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml"
with open(RECIPE, "rb") as recipe_file:
    HASH = hashlib.sha256(recipe_file.read()).hexdigest()
QWEN = "qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2"

# Requests whose replies are validated, by operation; each operation has at least one.
REQUESTS = {
    "index": ["/"],
    "models": ["/models", "/models?limit=1", "/models?price=h100:2.10"],
    "model": ["/models/gemma-4-31b", "/models/gemma-4-26b-a4b", "/models/qwen3.5-397b-a17b"],
    "ranking": ["/models/gemma-4-31b/h100", "/models/qwen3.5-397b-a17b/b200",
                "/models/gemma-4-26b-a4b/b200", "/models/gemma-4-31b/b200",
                "/models/qwen3.5-397b-a17b/b200?sort=gpus&limit=1&price=b200:4.5",
                "/models/qwen3.5-397b-a17b/b200?fields=recipe,tp,offload,mfu"],
    "recipe": ["/models/gemma-4-31b/h100/attune-tp2-pp4-split13",
               "/models/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt16k",
               "/models/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt8k",
               "/models/qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8",
               "/models/gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8"],
    "history": ["/models/gemma-4-31b/h100/attune-tp2-pp4-split13/history",
                "/models/gemma-4-31b/h100/attune-tp2-pp4-split13/history?limit=1"],
    "revision": [f"/models/gemma-4-31b/h100/attune-tp2-pp4-split13@{HASH}"],
    "recipes": ["/recipes", "/recipes?limit=2", "/recipes?offload=none", "/recipes?tp=64"],
    "verifications": ["/verifications?family=Gemma", "/verifications?limit=2",
                      "/verifications?confirmation=not_checked",
                      "/verifications?confirmation=confirmed"],
    "gpus": ["/gpus", "/gpus?limit=2"],
    "gpu": ["/gpus/h100", "/gpus/h200", "/gpus/b200"],
    "prices": ["/prices"],
    "cost": [f"/cost?recipe={QWEN}-mt16k&tokens=10B",
             f"/cost?recipe={QWEN}-mt8k&tokens=1&price=b200:2.5"],
    "plan": ["/plan?model=qwen3.5-397b-a17b&tokens=10B&budget_usd=36000&deadline_hours=48",
             "/plan?model=qwen3.5-397b-a17b&tokens=10B&max_gpus=48&gpu=b200&sort=-gpus&limit=1",
             "/plan?model=gemma-4-31b&tokens=1.5T&gpu=h200"],
    "compare": [f"/compare?a={QWEN}-mt16k&b={QWEN}-mt8k",
                "/compare?a=qwen3.5-397b-a17b/b200&b=qwen3.5-397b-a17b/h200",
                "/compare?a=gemma-4-31b/h100&b=gemma-4-26b-a4b/b200"],
    "check": [RECIPE],
    "openapi": ["/openapi.json"],
    "recipe_schema": ["/schema/recipe.json"],
    "healthz": ["/healthz"],
    "readyz": ["/readyz"],
    "metrics": ["/metrics"],
    "version": ["/version"],
    "favicon": ["/favicon.ico"],
    "docs": ["/docs"],
    "asset": ["app.js"],
}

# Operations whose replies are no JSON.
NOT_JSON = ("favicon", "docs", "asset", "metrics")

# Replies that are problems, with the response of the document that describes them.
PROBLEMS = {
    "/models/gemma-4-31": ("model", "404"),
    "/models/gemma-4-31b/h1000": ("ranking", "404"),
    "/models/gemma-4-31b/h100/attune": ("recipe", "404"),
    "/models/gemma-4-31b/h100/attune/history": ("history", "404"),
    "/models/gemma-4-31b/h100/attune-tp2-pp4-split13@0123456789": ("revision", "404"),
    "/recipes?tpp=2": ("recipes", "400"),
    "/cost": ("cost", "400"),
    "/cost?recipe=gemma-4-31b/h100/attune&tokens=1": ("cost", "404"),
    "/plan?model=gemma&tokens=10B": ("plan", "404"),
    "/plan?model=gemma-4-31b&tokens=-1&budget_usd=0": ("plan", "400"),
    "/compare?a=gemma-4-31b/h100": ("compare", "400"),
    "/compare?a=gemma-4-31b/h100&b=gemma-4-31b/b200": ("compare", "404"),
    "/verifications?fields=gpus": ("verifications", "400"),
    "/recipes?tp=x&limit=0&sort=fast": ("recipes", "400"),
}

tap = Tap()


def operations(document):
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def resolve(document, reference):
    node = document
    for part in reference.removeprefix("#/").split("/"):
        node = node[part.replace("~1", "/").replace("~0", "~")]
    return node


def walk(node):
    yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from walk(child)


def close(node, is_part=False):
    """Refuse members that a schema does not name, so that undocumented ones are found."""
    if isinstance(node, list):
        for child in node:
            close(child)
        return
    if not isinstance(node, dict):
        return
    if ("properties" in node or "allOf" in node) and not is_part and \
            "additionalProperties" not in node:
        node["unevaluatedProperties"] = False
    for key, child in node.items():
        if key == "allOf":
            for part in child:
                close(part, is_part=True)
        elif key not in ("enum", "const", "required"):
            close(child)


def inline(document, node, seen=()):
    """Put the target of each reference in its place."""
    if isinstance(node, list):
        return [inline(document, child, seen) for child in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node and node["$ref"].startswith("#/components/"):
        assert node["$ref"] not in seen, node["$ref"]
        merged = copy.deepcopy(resolve(document, node["$ref"]))
        merged.update({key: value for key, value in node.items() if key != "$ref"})
        return inline(document, merged, seen + (node["$ref"],))
    return {key: inline(document, child, seen) for key, child in node.items()}


def validator(document, name):
    schema = inline(document, {"$ref": f"#/components/schemas/{name}"})
    schema.pop("$id", None)
    if name not in ("openapi", "recipe_schema"):
        close(schema)
    return jsonschema.Draft202012Validator(schema)


def ask(service, operation, request):
    if operation == "check":
        with open(request, "rb") as file:
            return service.ask("/check", "POST", file.read())
    if operation == "asset":
        page = service.ask("/docs", headers={"Accept": "text/html"}).body.decode()
        return service.ask(f"{re.search('/assets/[0-9a-f]+/', page)[0]}{request}")
    return service.ask(request)


def example_request(operation):
    return REQUESTS[operation][0]


@tap.test
def references_resolve(service, document):
    found = [node["$ref"] for node in walk(document) if isinstance(node, dict) and "$ref" in node]
    assert len(found) > 100
    for reference in found:
        resolve(document, reference)


@tap.test
def nothing_is_defined_for_nothing(service, document):
    used = {node["$ref"] for node in walk(document) if isinstance(node, dict) and "$ref" in node}
    for kind, items in document["components"].items():
        for name in items:
            assert f"#/components/{kind}/{name}" in used, (kind, name)


@tap.test
def schemas_are_valid(service, document):
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for _, _, operation in operations(document):
        for parameter in operation["parameters"]:
            if "schema" in parameter:
                jsonschema.Draft202012Validator.check_schema(parameter["schema"])


@tap.test
def routes_agree_with_the_index(service, document):
    index = service.ask("/").json()["endpoints"]
    documented = {(path, method.upper()): operation
                  for path, method, operation in operations(document)}
    assert {(row["path"], row["method"]) for row in index} == set(documented)
    for row in index:
        operation = documented[row["path"], row["method"]]
        names = [parameter["name"] for parameter in operation["parameters"]
                 if "name" in parameter]
        assert names == row["parameters"], row["path"]
        assert list(operation["responses"]["200"]["content"]) == row["formats"], row["path"]
        in_path = re.findall(r"\{(\w+)\}", row["path"])
        references = [parameter["$ref"].rsplit("/", 1)[1]
                      for parameter in operation["parameters"] if "$ref" in parameter]
        assert references == in_path, row["path"]


@tap.test
def every_operation_is_asked(service, document):
    assert {operation["operationId"] for _, _, operation in operations(document)} == set(REQUESTS)


@tap.test
def replies_are_as_documented(service, document):
    for name, requests in REQUESTS.items():
        for request in requests:
            reply = ask(service, name, request)
            assert reply.status == 200, (request, reply.status, reply.body[:300])
            if name not in NOT_JSON:
                validator(document, name).validate(reply.json())


@tap.test
def headers_are_as_documented(service, document):
    for _, _, operation in operations(document):
        name = operation["operationId"]
        reply = ask(service, name, example_request(name))
        for header in operation["responses"]["200"]["headers"]:
            if header not in ("Link", "X-Request-Id"):
                assert header in reply.headers, (name, header)
    assert 'rel="next"' in service.ask("/recipes?limit=2").headers["Link"]
    assert service.ask("/", headers={"X-Request-Id": "abc"}).headers["X-Request-Id"] == "abc"


@tap.test
def problems_are_as_documented(service, document):
    known = {operation["operationId"]: operation for _, _, operation in operations(document)}
    for request, (name, status) in PROBLEMS.items():
        reply = service.ask(request)
        assert str(reply.status) == status, (request, reply.status)
        assert reply.headers["Content-Type"].startswith("application/problem+json")
        assert status in known[name]["responses"]
        validator(document, "problem").validate(reply.json())


@tap.test
def parameters_that_are_documented_are_taken(service, document):
    samples = {"integer": "2", "number": "0.5", "boolean": "true"}
    named = {"recipe": "gemma-4-31b/h100/attune-tp2-pp4-split13", "model": "gemma-4-31b",
             "gpu": "h100", "tokens": "10B", "a": "gemma-4-31b/h100", "b": "gemma-4-31b/h100"}
    for path, _, operation in operations(document):
        url = path.replace("{model}", "gemma-4-31b").replace("{gpu}", "h100") \
            .replace("{recipe}", "attune-tp2-pp4-split13").replace("{hash}", HASH)
        for parameter in operation["parameters"]:
            if "name" not in parameter or parameter["name"] in ("cursor", "workload"):
                continue
            schema = parameter["schema"].get("items", parameter["schema"])
            schema = schema.get("anyOf", [schema])[0]
            value = samples.get(schema["type"], "gemma")
            if "minimum" in schema and float(value) < schema["minimum"]:
                value = str(schema["minimum"])
            value = schema.get("enum", [value])[0]
            value = "2026-10-20" if schema.get("format") == "date" else value
            value = {"price": "h100:2.10", "provider": "AWS", "sort": "gpus", "fields": "gpus",
                     **named}.get(
                parameter["name"], value)
            required = [f"{other['name']}={named[other['name']]}"
                        for other in operation["parameters"]
                        if "name" in other and other.get("required") and other != parameter]
            query = "&".join(required + [f"{parameter['name']}={value}"])
            reply = service.ask(f"{url}?{query}")
            assert reply.status == 200, (url, parameter["name"], value, reply.body[:300])


@tap.test
def fields_are_parameters(service, document):
    """Every field that the schema's columns offer for sorting is one that `sort` takes."""
    reply = service.ask("/recipes?sort=nothing").json()
    for name in reply["errors"][0]["allowed"]:
        assert service.ask(f"/recipes?sort=-{name}").status == 200, name
    reply = service.ask("/recipes?fields=nothing").json()
    for name in reply["errors"][0]["allowed"]:
        rows = service.ask(f"/recipes?fields={name}").json()["recipes"]
        assert all(name in row for row in rows), name


@tap.test
def examples_are_real_replies(service, document):
    for _, _, operation in operations(document):
        name = operation["operationId"]
        if name in ("openapi", *NOT_JSON):
            continue
        example = document["components"]["examples"][name]["value"]
        assert example == steady(name, ask(service, name, example_request(name)).json()), \
            f"{name}: run `make examples` and read what changed"


@tap.test
def schema_file_is_the_programs_own(service, document):
    printed = subprocess.run([BINARY, "schema"], check=True, capture_output=True, text=True).stdout
    with open("schema/recipe.schema.yaml", encoding="utf-8") as file:
        assert file.read() == printed, "schema/recipe.schema.yaml: run `make schema`"
    assert yaml.safe_load(printed) == service.ask("/schema/recipe.json").json()


def steady(name, value):
    """Take out of an example what differs from one run to the next."""
    for moment in ("first_seen", "first_place_since"):
        if moment in value:
            value[moment] = "2026-11-30T08:00:00Z"
    for revision in value.get("revisions", ()):
        revision["first_seen"] = "2026-11-30T08:00:00Z"
    for found in [value.get("confirmation") or {}, *value.get("verifications", [])]:
        if found.get("checked_at"):
            found["checked_at"] = "2026-11-30T08:00:00Z"
        if found.get("requests"):
            found.update(requests=11, bytes=350979)
    if name == "version":
        value.update(build="0000000", data="2026-11-30T08:00:00Z")
    if name == "index":
        value["endpoints"] = value["endpoints"][:2]
    if name == "recipe_schema":
        value = {key: value[key] for key in ("$schema", "$id", "title", "type")}
    return value


def write_examples(service, document):
    examples = {}
    for path, _, operation in operations(document):
        name = operation["operationId"]
        if name in ("openapi", *NOT_JSON):
            continue
        value = steady(name, ask(service, name, example_request(name)).json())
        summary = f"POST /check, {RECIPE}" if name == "check" else f"GET {example_request(name)}"
        examples[name] = {"summary": summary, "value": value}
    examples["openapi"] = {"summary": "GET /openapi.json", "value": {"openapi": "3.1.0"}}
    with open("api/openapi/examples.json", "w", encoding="utf-8") as file:
        json.dump(examples, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    with Service() as running:
        running.verify("gemma-4-31b")
        openapi = running.ask("/openapi.json").json()
        if sys.argv[1:] == ["--write-examples"]:
            write_examples(running, openapi)
        else:
            sys.exit(tap.run(running, openapi))
