#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each recipe of examples/ trains, shortened, and what it recorded can be read. One TAP case a recipe.
Usage: test-recipes.py SONDE FOLDER
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

STEPS = 4
SHORT = ["data.train=256", "data.test=64", "train.steps=%d" % STEPS]


def ask(sonde, *arguments):
    result = subprocess.run([sonde, *arguments, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False, encoding="utf-8", timeout=100)
    if result.returncode != 0:
        raise ValueError("status %d: %s" % (result.returncode, result.stdout))
    return json.loads(result.stdout)


def check(sonde, recipe, folder):
    settings = [word for setting in SHORT for word in ("--set", setting)]
    run = os.path.join(folder, "run")
    trained = ask(sonde, "train", recipe, "--run", run, *settings)
    if trained["steps"] != STEPS or not 0 <= trained["metrics"]["accuracy"] <= 1:
        raise ValueError("it answered %s" % trained)
    tags = {tag["tag"]: tag["count"] for tag in ask(sonde, "inspect", run)["runs"][0]["tags"]}
    if tags.get("loss") != STEPS or tags.get("test/accuracy") is None:
        raise ValueError("it recorded %s" % tags)


def main(sonde, examples):
    recipes = sorted(glob.glob(os.path.join(examples, "*.recipe")))
    bad = 0 if recipes else 1
    print("1..%d" % len(recipes))
    for number, recipe in enumerate(recipes, 1):
        folder = tempfile.mkdtemp()
        problem = None
        try:
            check(sonde, recipe, folder)
        except (ValueError, KeyError, IndexError, subprocess.TimeoutExpired) as error:
            problem = "%s: %s" % (type(error).__name__, error)
            bad += 1
        finally:
            shutil.rmtree(folder)
        print("%sok %d - /examples/%s" % ("not " if problem else "", number, os.path.basename(recipe)))
        for line in (problem or "").splitlines():
            print("# " + line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
