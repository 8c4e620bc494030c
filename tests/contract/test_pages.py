"""The site's pages, rebuilt from the API's replies alone: every figure, note and citation."""

import json
import os
import re
import sys

from support import Service, Tap

with open(os.path.join(os.path.dirname(__file__), "pages.json"), encoding="utf-8") as file:
    PAGES = json.load(file)

tap = Tap()


def plain(markdown):
    """Markdown as the pages show it: no list marks, no backticks, one line a paragraph."""
    paragraphs = re.split(r"\n(?=- )|\n\n", markdown.strip())
    return [re.sub(r"\s+", " ", part.removeprefix("- ")).replace("`", "").strip()
            for part in paragraphs]


def usd(value):
    return f"${value:.2f}"


@tap.test
def rankings(service):
    for path, expected in PAGES["rankings"].items():
        reply = service.ask(f"/models/{path}").json()
        rows = [[f"#{row['rank']}", f"{row['tokens_per_s_per_gpu']:,.1f}",
                 usd(row["usd_per_million_tokens"]), str(row["gpus"]),
                 f"{row['layout']} {row['highlights']}", row["measured"], row["author"]]
                for row in reply["recipes"]]
        assert rows == expected, rows


def component_test(item):
    text = (f"{item['test']}: {item['gpu']}, {item['date']}. Shape: {item['shape']}. "
            f"{item['detail']}")
    return f"{text} {item['note']}" if "note" in item else text


def number(value):
    """As the pages write small differences: 0.0091, 8.6e-05."""
    return repr(value)


def facts(recipe):
    document = recipe["document"]
    gpu, layout, result = document["gpu"], document["layout"], document["result"]
    check = document["correctness"]["convergence"]
    dataset = document["workload"]["dataset"]
    yield "Author", f"{document['author']['name']} (cite)"
    yield "GPUs", (f"{gpu['count']} x {gpu['type']} {gpu['memory_gb']} GB ({gpu['instance']}, "
                   f"{gpu['per_node']} per node)")
    yield "Layout", layout["summary"]
    yield "Tokens/s per GPU", f"{result['tokens_per_s_per_gpu']:,.2f}"
    yield "$ / 1M tokens", usd(recipe["computed"]["usd_per_million_tokens"])
    yield "MFU", (f"{100 * recipe['computed']['mfu']:.1f}% (N = "
                  f"{result['active_params']['count']:,} active parameters per token)")
    yield "Step-time CV", f"{result['step_time_cv_percent']:.2f}%"
    yield "Convergence check", (
        f"correlation {number(check['correlation'])}, final loss difference "
        f"{number(check['final_loss_difference'])}, {check['pointwise_failures']} pointwise "
        f"failures over {check['steps']} steps")
    for item in document["correctness"]["component_tests"]:
        yield "Component test", component_test(item)
    yield "Measured", result["measured"]
    yield "GPU-hours", number(result["gpu_hours"])
    yield "Rows", f"{dataset['build']['name']} (rows_sha256 {dataset['rows_sha256']})"


@tap.test
def recipe_facts(service):
    for path, expected in PAGES["recipes"].items():
        shown = [list(fact) for fact in facts(service.ask(f"/models/{path}").json())]
        assert shown == expected["facts"], (path, shown)


@tap.test
def recipe_stacks_and_environments(service):
    for path, expected in PAGES["recipes"].items():
        document = service.ask(f"/models/{path}").json()["document"]
        stack = [f"{key.replace('_', ' ')}: {value}" for key, value in document["stack"].items()
                 if key != "source"]
        if "stack" in expected:
            assert stack == expected["stack"], path
        if "environment" in expected:
            assert [f"{key}={value}" for key, value in document["env"].items()] == \
                expected["environment"], path


@tap.test
def recipe_notes_and_commands(service):
    for path, expected in PAGES["recipes"].items():
        document = service.ask(f"/models/{path}").json()["document"]
        if "notes" in expected:
            assert plain(document["notes"]) == expected["notes"], path
        command = service.ask(f"/models/{path}.sh").body.decode()
        assert command == document["run"]
        assert command.strip() == expected["command"].strip(), path


@tap.test
def other_gpus(service):
    for path, expected in PAGES["other_gpus"].items():
        cells = [[cell["gpu"].upper(), str(cell.get("gpus", "")),
                  f"{cell['tokens_per_s_per_gpu']:,.1f}" if "gpus" in cell else "–",
                  usd(cell["usd_per_million_tokens"]) if "gpus" in cell else ""]
                 for cell in service.ask(f"/models/{path}").json()["other_gpus"]]
        assert cells == expected, cells


@tap.test
def figures_without_a_recipe_are_marked(service):
    for path in ("/models/qwen3.5-397b-a17b", "/models/gemma-4-26b-a4b"):
        marked = {cell["gpu"]: cell["recipe"] is None and "published" in cell
                  for cell in service.ask(path).json()["gpus"] if "gpus" in cell}
        assert marked["h200"] and not marked["b200"], path


@tap.test
def model_notes(service):
    for model, expected in PAGES["model_notes"].items():
        assert plain(service.ask(f"/models/{model}").json()["notes"]) == expected
        assert plain(service.ask(f"/models/{model}/b200").json()["notes"]) == expected


@tap.test
def citations(service):
    for path in PAGES["recipes"]:
        assert service.ask(f"/models/{path}.bib").body.decode().strip() == PAGES["bibtex"]
        citation = service.ask(f"/models/{path.rsplit('/', 1)[0]}").json()["citation"]
        assert citation["text"] == PAGES["citation"]
        assert citation["bibtex"].strip() == PAGES["bibtex"]


@tap.test
def files_byte_for_byte(service):
    for path in PAGES["recipes"]:
        with open(f"recipes/{path}.yaml", "rb") as recipe:
            assert service.ask(f"/models/{path}.yaml").body == recipe.read(), path


@tap.test
def numbers_exactly(service):
    text = service.ask("/models/gemma-4-31b/h100").body.decode()
    for part in ('"tokens_per_s_per_gpu":1178.1,', '"usd_per_million_tokens":1.6222,',
                 '"mfu":0.2194,', '"peak_bf16_flops":989000000000000,'):
        assert part in text, part
    text = service.ask(
        "/models/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt16k").body.decode()
    for part in ('"final_loss_difference":8.6e-05,', '"usd_per_million_tokens":3.21,',
                 '"correlation":0.9999986,'):
        assert part in text, part


if __name__ == "__main__":
    with Service() as running:
        sys.exit(tap.run(running))
