#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the speed of two builds of Sonde: the same programs with the same arguments in turns, the order changing
with each round, and the ratio of the least times NEW / OLD by case, with the geometric mean of a group.

Usage: builds.py OLD-BUILD NEW-BUILD [--rounds N] [--threads N] [--only GROUP[,GROUP…]] [--models DIR]

Groups: inference, loading, steps, records, writer, debugger, explain. MODELS: a folder whose .onnx files are run
(default: ../shared/models beside the project). An unchanged case still varies by about 2 %: repeat what looks slower
with --rounds 20 before it is believed. Ctrl+C ends early and prints what was measured.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = r"([0-9]+(?:\.[0-9]+)?)"


def output(arguments, cwd=None):
    result = subprocess.run([str(word) for word in arguments], capture_output=True, text=True, cwd=cwd, stdin=subprocess.DEVNULL)
    return result.stdout if result.returncode == 0 else None


def infer(model, threads):
    def run(build):
        text = output([build / "app/sonde", "infer", model, "--json", "--repeat", "30", "--threads", threads])
        if text is None:
            return {}
        result = json.loads(text)
        return {("inference", model.parent.name + "/" + model.stem): result["run_ms"]["min"],
                ("loading", model.parent.name + "/" + model.stem): result["load_ms"] + result["prepare_ms"]}
    return run


def lines(group, program, arguments, pattern, invert=False):
    """Each line that PATTERN (name, number) matches is a case; INVERT: the number is a rate."""
    def run(build):
        found = {}
        for line in (output([build / "tests/bench" / program, *arguments]) or "").splitlines():
            match = re.search(pattern, line)
            if match and float(match.group("value")) > 0:
                value = float(match.group("value"))
                # of a path the file's name, without its ending
                name = "%s %s %s" % (program.removeprefix("bench-"),
                                     " ".join(pathlib.Path(str(a)).stem if "/" in str(a) else str(a) for a in arguments),
                                     match.groupdict().get("name") or "")
                found[group, " ".join(name.split())] = 1 / value if invert else value
        return found
    return run


def inspect(folder):
    def run(build):
        with tempfile.TemporaryDirectory() as cache:
            script = ("import subprocess,sys,time;t=time.perf_counter();subprocess.run(sys.argv[1:],check=True,"
                      "stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL);print(time.perf_counter()-t)")
            text = output(["env", "XDG_CACHE_HOME=" + cache, sys.executable, "-c", script, build / "app/sonde", "inspect", folder, "--json"])
        return {("records", "inspect " + folder.name): float(text)} if text else {}
    return run


def cases(arguments, work):
    models = sorted(path for path in arguments.models.rglob("*.onnx"))
    wanted = arguments.only.split(",") if arguments.only else None
    threads = str(arguments.threads)
    table = []

    def add(group, run):
        if wanted is None or group in wanted or (group == "inference" and "loading" in wanted):
            table.append(run)

    for model in models:
        add("inference", infer(model, threads))
    for net in ("mlp", "lenet", "resnet20", "lstm", "encoder"):
        add("steps", lines("steps", "bench-training", [net, "--rounds", "20", "--threads", threads], "min_ms (?P<value>%s)" % NUMBER))
    add("steps", lines("steps", "bench-execution", [], "^ *(?P<name>.*?) *min (?P<value>%s) ms" % NUMBER))
    add("records", lines("records", "bench-values", [], "^(?P<name>.*?) *statistics +(?P<value>%s) GB/s" % NUMBER, invert=True))
    add("records", lines("records", "bench-runs", [], "(?P<name>opening [12]): (?P<value>%s) ms" % NUMBER))
    for folder in (arguments.models.parent / "samples" / "tensorboard", arguments.models.parent / "samples" / "mindspore"):
        if folder.is_dir():
            add("records", inspect(folder))
    add("writer", lines("writer", "bench-writer", [], "^(?P<name>[a-z0-9_]+) +(?P<value>%s) us" % NUMBER))
    add("debugger", lines("debugger", "bench-watch", ["--threads", threads, "--rounds", "10"], "^watched min_ms (?P<value>%s)" % NUMBER))
    add("debugger", lines("debugger", "bench-step-back", [], "^(?P<name>\\w+) .*forward +(?P<value>%s) ms" % NUMBER))
    add("debugger", lines("debugger", "bench-diverge", ["--rounds", "5"], "(?P<name>values compared): (?P<value>%s) ms" % NUMBER))
    for model in models:
        if "explain" in model.parts:
            add("explain", lines("explain", "bench-explain", [model, "--rounds", "3", "--threads", threads],
                                 "^(?P<name>.*?) +(?P<value>%s) (?:us|ns|ms)" % NUMBER))
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--models", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[3] / "shared" / "models")
    arguments = parser.parse_args()
    builds = [arguments.old.resolve(), arguments.new.resolve()]
    least = [{}, {}]
    with tempfile.TemporaryDirectory() as work:
        table = cases(arguments, work)
        try:
            for round_number in range(arguments.rounds):
                for run in table:
                    for which in ((0, 1) if round_number % 2 == 0 else (1, 0)):
                        for key, value in run(builds[which]).items():
                            least[which][key] = min(value, least[which].get(key, math.inf))
                print("round %d of %d" % (round_number + 1, arguments.rounds), file=sys.stderr)
        except KeyboardInterrupt:
            print("interrupted: what was measured until now", file=sys.stderr)
    groups = {}
    for key in sorted(set(least[0]) | set(least[1])):
        if key not in least[0] or key not in least[1]:
            print("%-10s %-50s only in %s" % (*key, "OLD" if key in least[0] else "NEW"))
            continue
        ratio = least[1][key] / least[0][key]
        groups.setdefault(key[0], []).append(ratio)
        print("%-10s %-50s %12.4f %12.4f  %.3f%s" % (*key, least[0][key], least[1][key], ratio, "  *" if ratio > 1.05 else ""))
    for group, ratios in groups.items():
        print("%-10s %d cases, geometric mean %.3f, worst %.3f, above 1.05: %d" % (
            group, len(ratios), math.exp(sum(map(math.log, ratios)) / len(ratios)), max(ratios), sum(r > 1.05 for r in ratios)))


if __name__ == "__main__":
    main()
