#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The profiler in sections, each by its name (all without one):

  traces   opening a large trace of PyTorch's form, `sonde inspect` and `sonde profile` against orjson's parse of the same
           file (reading included, interpreter's start left out), in turns: wall time, processor time, largest memory
  timeline what a frame of timeline and flame graph costs on 10^6 and 10^7 spans, and their memory
  page     how long the table of 10^5 operators holds up the main loop: opening, sorting, filtering, scrolling
  hostile  how soon something is said of files that are bombs, very wide or very deep
  ceilings the roofline's ceilings against oneDNN's own product of matrices and a plain loop, in turns, on 1 and 2 threads
  recording what a recording costs runs and training steps, in turns; with perf or valgrind also the ratio of instructions
  what-if  what runs save without a node: as told, as measured in the same plan with the results given, and in the plan
           of a graph in which they are constants, in turns

Usage: profiler.py SONDE SHARED-FOLDER WORK-FOLDER [SECTION…] [--rounds N] [--bytes N]…
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

PARSE = """
import resource, sys, time
import orjson
wall, cpu = time.perf_counter(), time.process_time()
with open(sys.argv[1], "rb") as file:
    orjson.loads(file.read())
print(time.perf_counter() - wall, time.process_time() - cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


class Cost:
    """Wall and processor seconds and largest memory in bytes of one run."""

    def __init__(self, wall, cpu, memory):
        self.wall, self.cpu, self.memory = wall, cpu, memory


def run(command, expected=(0,)):
    """What a program costs; its output is thrown away."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if child.returncode not in expected:
        sys.exit("%s ended with status %d" % (" ".join(command), child.returncode))
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def parse(path):
    """What orjson's parse of a file costs."""
    out = subprocess.run([sys.executable, "-c", PARSE, path], check=True, capture_output=True, text=True).stdout
    wall, cpu, memory = out.split()
    return Cost(float(wall), float(cpu), int(memory) * 1024)


def median(costs, name):
    return statistics.median(getattr(cost, name) for cost in costs)


def traces(options):
    tool = os.path.join(options.shared, "tools", "big-trace.py")
    for n in options.bytes or [200e6]:
        path = os.path.join(options.work, "big.json")
        subprocess.run([sys.executable, tool, path, "--bytes", str(n)], check=True, stdout=subprocess.DEVNULL)
        size = os.path.getsize(path)
        cases = {
            "orjson": lambda: parse(path),
            "sonde inspect --json": lambda: run([options.sonde, "inspect", path, "--json"]),
            "sonde profile": lambda: run([options.sonde, "profile", path]),
            "sonde profile --json": lambda: run([options.sonde, "profile", path, "--json"]),
        }
        costs = {name: [] for name in cases}
        for _ in range(options.rounds):
            for name, measure in cases.items():
                costs[name].append(measure())
        print("%.0f MB, medians of %d rounds in turns" % (size / 1e6, options.rounds))
        base = costs["orjson"]
        for name, list_ in costs.items():
            print("  %-22s wall %6.2f s (%.3f)  processor %6.2f s (%.3f)  memory %5.0f MB (%.2f of the file)" % (
                name, median(list_, "wall"), median(list_, "wall") / median(base, "wall"), median(list_, "cpu"),
                median(list_, "cpu") / median(base, "cpu"), median(list_, "memory") / 1e6, median(list_, "memory") / size))
        os.unlink(path)
        totals = path.replace(".json", ".totals.json")
        for rest in (totals, path + ".totals.json"):
            if os.path.exists(rest):
                os.unlink(rest)


def hostile(options):
    for name in ["bad-bomb.json.gz", "bad-threads.json.gz", "bad-deep.json.gz", "bad-depth.json"]:
        path = os.path.join(options.shared, "samples", "traces", name)
        for command in ["inspect", "profile"]:
            cost = min((run([options.sonde, command, path], (0, 1)) for _ in range(options.rounds)), key=lambda c: c.wall)
            print("  %-20s sonde %-8s wall %5.2f s  processor %5.2f s  memory %4.0f MB" % (
                name, command, cost.wall, cost.cpu, cost.memory / 1e6))


def timeline(options):
    build = os.path.dirname(os.path.dirname(os.path.abspath(options.sonde)))
    program = os.path.join(build, "tests", "bench", "bench-timeline")
    for n in ["1000000", "10000000"]:
        print(subprocess.run([program, n], check=True, capture_output=True, text=True).stdout, end="")


def program(options, name):
    """A benchmark of the same build as the program."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(options.sonde))), "tests", "bench", name)


def ceilings(options):
    for threads in ["1", "2"]:
        subprocess.run([program(options, "bench-roofline"), "--threads", threads, "--rounds", str(options.rounds)], check=True)


def what_if(options):
    models = [os.path.join(options.shared, "models", *path) for path in (
        ["lenet-mnist", "lenet-mnist.onnx"], ["bn-resnet", "bn-resnet.onnx"], ["unet", "unet.onnx"],
        ["explain", "cifar-resnet20.onnx"])]
    subprocess.run([program(options, "bench-what-if"), "--rounds", str(options.rounds), "train:lenet", "train:resnet20"] + models,
                   check=True)


def instructions(command):
    """What perf counts, else callgrind; the program does the same with other numbers of runs, so that its start cancels out."""
    if shutil.which("perf") is not None:
        out = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u"] + command, check=True, capture_output=True, text=True).stderr
        count = out.split(",")[0]
        if count.isdigit() and int(count) > 0:
            return int(count)
    out = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + command,
                         check=True, capture_output=True, text=True).stderr
    return int(re.search(r"Collected : (\d+)", out).group(1))


def recording(options):
    bench = program(options, "bench-profile")
    small = [os.path.join(options.shared, "models", name, name + ".onnx") for name in ("dwnet", "transformer", "unet", "mlp")]
    nets = [(path, 4000) for path in small] + [("resnet50", 60), ("densenet121", 60), ("shufflenet", 200),
                                               ("train:resnet20", 60), ("train:lstm-classifier", 200)]
    for net, runs in nets:
        subprocess.run([bench, net, "compare", str(runs)], check=True)
    if shutil.which("perf") is None and shutil.which("valgrind") is None:
        print("neither perf nor valgrind is there: instructions are not counted")
        return
    for net, runs in nets:
        few, many = str(max(runs // 20, 3)), str(max(runs // 4, 15))
        off, on = (instructions([bench, net, mode, many]) - instructions([bench, net, mode, few]) for mode in ("off", "on"))
        print("%s: instructions x %.4f" % (net, on / off))


def page(options):
    build = os.path.dirname(os.path.dirname(os.path.abspath(options.sonde)))
    display = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "own-display")
    environment = dict(os.environ, SONDE_BUILD=build, GSETTINGS_BACKEND="memory", GTK_A11Y="none", GSK_RENDERER="cairo",
                       GDK_BACKEND="x11")
    out = subprocess.run([display, program(options, "bench-profiler-page")], check=True, capture_output=True, text=True,
                         env=environment).stdout
    print("\n".join(line for line in out.splitlines() if not line.startswith("#")))


SECTIONS = {"traces": traces, "timeline": timeline, "page": page, "hostile": hostile, "ceilings": ceilings,
            "recording": recording, "what-if": what_if}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sonde")
    parser.add_argument("shared")
    parser.add_argument("work")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bytes", type=float, action="append", help="sizes of traces (2e8)")
    options = parser.parse_args()
    for name in options.sections or SECTIONS:
        if name not in SECTIONS:
            parser.error("no section %s" % name)
        print(name)
        SECTIONS[name](options)


main()
