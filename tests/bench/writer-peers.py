#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one call costs the thread that trains: Sonde in C and by its Python module against torch.utils.tensorboard,
tensorboardX and MindSpore, those that are installed, taken in turns. Prints minima over the rounds and ratios of means.
Usage: writer-peers.py BENCH-WRITER MODULE-FOLDER LIBRARY [--rounds N]"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

CALLS = {"scalar": 5000, "histogram_1e6": 6, "image_3x224x224": 20}


def size_of(folder):
    return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(folder) for name in names)


def measure(make, calls, add):
    """Mean microseconds a call and bytes a call."""
    folder = tempfile.mkdtemp(prefix="sonde-writer-peers-")
    writer = make(os.path.join(folder, "run"))
    add(writer, 0)
    pause = max(calls // 10, 1)
    total = 0.0
    for start in range(1, calls + 1, pause):
        begin = time.perf_counter()
        for step in range(start, min(start + pause, calls + 1)):
            add(writer, step)
        total += time.perf_counter() - begin
        time.sleep(0.02)  # a training computes between
    writer.close()
    bytes_a_call = size_of(folder) / (calls + 1)
    shutil.rmtree(folder)
    return 1e6 * total / calls, bytes_a_call


def run_one(who, options):
    """The child: one writer, all calls; JSON lines."""
    import numpy
    random = numpy.random.default_rng(0)
    many, picture = random.standard_normal(1000000).astype(numpy.float32), random.random((3, 224, 224)).astype(numpy.float32)
    if who == "mindspore":
        from mindspore import SummaryRecord, Tensor
        values = {"scalar": Tensor(numpy.float32(1.5)), "histogram_1e6": Tensor(many), "image_3x224x224": Tensor(picture[None])}
        kinds = {"scalar": "scalar", "histogram_1e6": "histogram", "image_3x224x224": "image"}

        def make(folder):
            return SummaryRecord(folder, num_process=2)

        def call(what):
            return lambda writer, step: (writer.add_value(kinds[what], "train/loss", values[what]), writer.record(step))
        calls = {what: call(what) for what in CALLS}
    else:
        if who == "sonde-python":
            sys.path.insert(0, options.module)
            os.environ["SONDE_LIBRARY"] = options.library
            from sonde import SummaryWriter as make
        elif who == "torch":
            import torch
            from torch.utils.tensorboard import SummaryWriter as make
            torch.set_num_threads(1)
            many, picture = torch.tensor(many), torch.tensor(picture)
        else:
            from tensorboardX import SummaryWriter as make
        calls = {"scalar": lambda w, s: w.add_scalar("train/loss", 1.5, s),
                 "histogram_1e6": lambda w, s: w.add_histogram("train/h", many, s),
                 "image_3x224x224": lambda w, s: w.add_image("train/i", picture, s)}
    for what, add in calls.items():
        mean, size = measure(make, CALLS[what] if who != "mindspore" else max(CALLS[what] // 10, 3), add)
        print(json.dumps({"what": what, "mean_us": mean, "bytes": size}), flush=True)


def lines_of(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    lines = [json.loads(line) for line in result.stdout.decode().splitlines() if line.startswith("{")]
    return lines, result.stderr.decode().strip().splitlines()[-1:] if result.returncode else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("module")
    parser.add_argument("library")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child")
    options = parser.parse_args()
    if options.child:
        run_one(options.child, options)
        return
    people = ["sonde-c", "sonde-python", "torch", "tensorboardX", "mindspore"]
    found, reasons = {}, {}
    for _ in range(options.rounds):
        for who in people:
            if who in reasons:
                continue
            command = [options.bench, "--json"] if who == "sonde-c" else \
                [sys.executable, __file__, options.bench, options.module, options.library, "--child", who]
            lines, reason = lines_of(command)
            if not lines:
                reasons[who] = reason[0] if reason else "no result"
            for line in lines:
                found.setdefault(line["what"], {}).setdefault(who, []).append(line)
    for what in CALLS:
        best = {who: min(lines, key=lambda line: line["mean_us"]) for who, lines in found.get(what, {}).items()}
        for who, line in best.items():
            tail = ", p99.9 %.2f us" % min(line["p999_us"] for line in found[what][who]) if "p999_us" in line else ""
            peers = ["%.0f x %s" % (best[peer]["mean_us"] / line["mean_us"], peer) for peer in best
                     if who.startswith("sonde") and not peer.startswith("sonde")]
            print("%-16s %-13s %10.3f us a call%s, %.0f bytes%s"
                  % (what, who, line["mean_us"], tail, line["bytes"], "; faster: " + ", ".join(peers) if peers else ""))
    for line in found.get("ten_scalars_one_by_one", {}).get("sonde-c", [])[:1]:
        print("ten tags a step: %.1f bytes a scalar" % line["bytes"])
    for who, reason in reasons.items():
        print("%s: not measured (%s)" % (who, reason))


if __name__ == "__main__":
    main()
