#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the long forms of the tests that break things on purpose and prints one table of what came of it.
Any line that is not as it must be makes the exit status 1."""

import argparse
import os
import re
import subprocess
import sys
import time

FUZZERS = ["records", "tensorboard", "mindspore", "files", "onnx"]


def run(command, environment, limit):
    """Output and success of a program; a late one has failed."""
    try:
        done = subprocess.run(command, env=dict(os.environ, **environment), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=limit, check=False)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace") + "\n(not done in time)", False
    return done.stdout.decode(errors="replace"), done.returncode == 0


class Table:
    def __init__(self):
        self.right = True
        print("| what | how often | came of it | s |\n|---|---|---|---|", flush=True)

    def add(self, what, often, text, right, seconds):
        self.right = self.right and right
        print("| %s | %s | %s | %.0f |" % (what, often, text if right else "**FAILED**: " + text, seconds), flush=True)

    def program(self, what, command, environment, pattern, describe, limit):
        begin = time.monotonic()
        output, right = run(command, environment, limit)
        found = re.findall(pattern, output)
        right = right and bool(found)
        if right:
            often, text = describe(found)
        else:
            often, text = "", " ".join(output.split()[-30:])
        self.add(what, often, text, right, time.monotonic() - begin)


def faults(found):
    kinds = {}
    for count, kind in found:
        kinds[kind] = kinds.get(kind, 0) + int(count)
    return ("{:,}".format(sum(kinds.values())),
            ", ".join("{:,} {}s".format(count, kind) for kind, count in kinds.items() if count)
            + ": the same points and records afterwards")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("build")
    parser.add_argument("--kills", type=int, default=1000, metavar="N")
    parser.add_argument("--fuzz", type=int, default=60, metavar="SECONDS", help="of each target; 0: replay the corpora only")
    parser.add_argument("--quick", action="store_true", help="what the tests do: 40 kills, few faults, no fuzzing")
    options = parser.parse_args()
    kills, seconds = (40, 0) if options.quick else (options.kills, options.fuzz)
    tests = os.path.join(options.build, "tests")
    targets = ["collector/writer/test-summary-writer", "collector/writer/test-power-loss",
               "collector/writer/test-writer-loops", "data/runs/test-runs-index", "data/runs/test-runs-index-faults",
               "data/runs/test-runs-shared-harm",
               "data/records/test-reader-faults", "data/records/fuzz-records", "data/records/fuzz-tensorboard",
               "data/records/fuzz-mindspore", "data/records/fuzz-files"]
    subprocess.run(["ninja", "-C", options.build] + ["tests/" + target for target in targets],
                   stdout=subprocess.DEVNULL, check=True)
    environment = {"SONDE_SOURCE": options.root, "SONDE_BUILD": options.build, "SONDE_KILLS": str(kills),
                   "SONDE_KILL_ROUNDS": str(kills)}
    if not options.quick:
        environment["SONDE_TEST_FAULTS"] = "all"
    table = Table()
    table.program("SIGKILL while writing", [tests + "/collector/writer/test-summary-writer", "-p", "/collector/writer/kill"],
                  environment, r"(\d+) kills: (\d+) steps written, (\d+) acknowledged, (\d+) lost, (\d+) torn",
                  lambda f: (f[0][0], "{:,} records written, {:,} acknowledged, {} lost, {} torn tails".format(
                      int(f[0][1]), int(f[0][2]), f[0][3], f[0][4])), 60 + kills)
    table.program("SIGKILL while indexing, files removed and damaged between",
                  [tests + "/data/runs/test-runs-index", "-p", "/data/runs/index/killed"], environment,
                  r"(\d+) kills in (\d+) rounds: (\d+) points indexed, (\d+) lost, (\d+) doubled",
                  lambda f: (f[0][0], "{:,} points, {} lost, {} doubled".format(int(f[0][2]), f[0][3], f[0][4])), 60 + 4 * kills)
    table.program("the same: many small runs that share an index",
                  [tests + "/data/runs/test-runs-shared-harm", "-p", "/data/runs/shared/killed"], environment,
                  r"(\d+) kills in (\d+) rounds", lambda f: (f[0][0], "all points of 80 runs, no row twice or left over"),
                  60 + 4 * kills)
    table.program("loss of power while writing", [tests + "/collector/writer/test-power-loss"], environment,
                  r"(\d+) calls, (\d+) disks",
                  lambda f: ("%s disks" % f[0][1], "every moment between %s calls, unsynced writes dropped, cut, reordered, "
                             "zeroed: 0 synced records lost" % f[0][0]), 300)
    for what, program in [("call k fails, once and for ever: writer", "collector/writer/test-writer-loops"),
                          ("the same: run store and index", "data/runs/test-runs-index-faults"),
                          ("the same: readers of 12 kinds of files", "data/records/test-reader-faults")]:
        table.program(what, [os.path.join(tests, program)], environment, r"(\d+) faults of kind ([a-z ]+)", faults, 3600)
    corpora = {"records": "records/corpus", "tensorboard": "tensorboard/corpus", "mindspore": "records/mindspore-corpus",
               "files": "records/files-corpus"}
    for name, corpus in corpora.items():
        table.program("fuzz corpus “%s”" % name,
                      [tests + "/data/records/fuzz-" + name, os.path.join(options.root, "tests/fixtures", corpus)], environment,
                      r"ok 1 .*# (\d+) inputs", lambda f: ("%s inputs" % f[0], "0 findings"), 120)
    for name in FUZZERS if seconds > 0 else []:
        table.program("fuzzing “%s” with address and undefined sanitizers" % name,
                      [options.root + "/scripts/fuzz", name, str(seconds)], environment,
                      r"Done (\d+) runs in (\d+) second", lambda f: ("{:,} inputs".format(int(f[0][0])), "0 findings"),
                      900 + seconds)
    return 0 if table.right else 1


if __name__ == "__main__":
    sys.exit(main())
