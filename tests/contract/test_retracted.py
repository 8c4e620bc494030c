"""A retracted recipe is on record, and nowhere else: no ranking, first place or plan has it."""

import contextlib
import os
import shutil
import sys
import tempfile

from support import Service, Tap

FOLDER = "recipes/qwen3.5-397b-a17b/b200"
FIRST = "attune-tp2-pp8-ep8-vpp2-mt16k"
SECOND = "attune-tp2-pp8-ep8-vpp2-mt8k"
MODEL = "/models/qwen3.5-397b-a17b"
PLAN = "/plan?model=qwen3.5-397b-a17b&tokens=10B"
ONLY = "gemma-4-31b/h100/attune-tp2-pp4-split13"

tap = Tap()


def retract(folder, name):
    path = os.path.join(folder, name + ".yaml")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert "\nstatus: verified\n" in text
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("\nstatus: verified\n", "\nstatus: retracted\n"))


@contextlib.contextmanager
def serving():
    """The fastest of three recipes is retracted, and a model's only one."""
    with tempfile.TemporaryDirectory() as folder:
        recipes = os.path.join(folder, "recipes")
        shutil.copytree("recipes", recipes)
        retract(os.path.join(folder, FOLDER), FIRST)
        retract(recipes, ONLY)
        with Service("catalog", recipes) as service:
            yield service


def names(rows):
    return [row["recipe"] for row in rows]


@tap.test
def no_ranking_has_it_unless_its_status_is_asked_for(service):
    ranking = service.ask(MODEL + "/b200").json()
    assert FIRST not in names(ranking["recipes"]) and ranking["recipes"][0]["recipe"] == SECOND
    assert ranking["total"] == 2 and ranking["recipes"][0]["rank"] == 1
    assert service.ask(MODEL + "/b200?limit=1").json()["total"] == 2
    assert FIRST not in service.ask(MODEL + "/b200.csv").body.decode()
    asked = service.ask(MODEL + "/b200?status=retracted").json()
    assert names(asked["recipes"]) == [FIRST]
    asked = service.ask(MODEL + "/b200?status=verified,retracted").json()
    assert names(asked["recipes"])[0] == FIRST and asked["total"] == 3
    empty = service.ask("/models/gemma-4-31b/h100").json()
    assert (empty["recipes"], empty["workload"]) == ([], None)
    asked = service.ask("/models/gemma-4-31b/h100?status=retracted").json()
    assert names(asked["recipes"]) == [ONLY.split("/")[-1]]


@tap.test
def it_is_no_best_and_no_first_place(service):
    def best(path):
        return {row["gpu"]: row["recipe"] for row in service.ask(path).json()["gpus"]}
    assert best(MODEL)["b200"] == SECOND
    assert best("/models/gemma-4-31b")["h100"] is None
    feed = service.ask(MODEL + "/b200.atom").body.decode()
    assert feed.count(SECOND) > feed.count(FIRST)


@tap.test
def no_plan_has_it(service):
    labels = [row["recipe"] for row in service.ask(PLAN).json()["plans"]]
    assert len(labels) == 2 and not [label for label in labels if label.endswith(FIRST)]


@tap.test
def the_record_has_it(service):
    page = service.ask("/recipes?limit=2").json()
    assert page["total"] == 5
    everything = names(service.ask("/recipes").json()["recipes"])
    assert len(everything) == 5 and FIRST in everything
    assert service.ask("/recipes?model=gemma-4-31b").json()["total"] == 1
    assert b'"status":"retracted"' in service.ask(f"{MODEL}/b200/{FIRST}").body


@tap.test
def costs_and_comparisons_say_so(service):
    note = " is retracted: kept for the record, not to be used."
    first = f"qwen3.5-397b-a17b/b200/{FIRST}"
    second = f"qwen3.5-397b-a17b/b200/{SECOND}"
    cost = service.ask(f"/cost?recipe={first}&tokens=10B").json()
    assert cost["uncertainty"]["note"].endswith("The recipe" + note)
    assert "retracted" not in service.ask(f"/cost?recipe={second}&tokens=10B").body.decode()
    reasons = service.ask(f"/compare?a={first}&b={second}").json()["reasons"]
    assert "a" + note in reasons and "b" + note not in reasons


if __name__ == "__main__":
    with serving() as running:
        sys.exit(tap.run(running))
