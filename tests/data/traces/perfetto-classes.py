#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON → Sonde → Perfetto, read with the classes of PyPI's `perfetto`: names, counts, total and self times must be those
that an independent reader found in the JSON (shared/samples/traces/*.expected.json). TAP; skipped without that package.
Usage: perfetto-classes.py SONDE SHARED-FOLDER
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

try:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
except ImportError:
    Trace = None

PREFIXES = ("pytorch-", "gpu-", "onnxruntime-", "mindspore-", "viztracer", "plain-", "bad-overlap", "bad-names", "bad-times", "speedscope-")


class Sums:
    """Spans by category and name."""

    def __init__(self):
        self.count, self.total, self.self_ns = collections.Counter(), collections.Counter(), collections.Counter()

    def add(self, key, duration, children, nested):
        self.count[key] += 1
        self.total[key] += 0 if nested else duration
        self.self_ns[key] += duration - children

    def rows(self):
        return sorted((*key, self.count[key], self.total[key], self.self_ns[key]) for key in self.count)


def read(path):
    """Adds up what lies between begins and ends of each track; texts by their number in what the sequence said."""
    trace = Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    names, categories, stacks, sums = {}, {}, collections.defaultdict(list), Sums()
    for packet in trace.packet:
        names.update((entry.iid, entry.name) for entry in packet.interned_data.event_names)
        categories.update((entry.iid, entry.name) for entry in packet.interned_data.event_categories)
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        stack = stacks[event.track_uuid]
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            category = ",".join([categories[iid] for iid in event.category_iids] + list(event.categories))
            stack.append([(category, event.name if event.HasField("name") else names.get(event.name_iid, "")), packet.timestamp, 0])
        elif event.type == TrackEvent.TYPE_SLICE_END:
            key, start, children = stack.pop()
            duration = packet.timestamp - start
            sums.add(key, duration, children, any(other[0] == key for other in stack))
            if stack:
                stack[-1][2] += duration
    open_ = sum(len(stack) for stack in stacks.values())
    return sums.rows(), open_


def expect(path):
    with open(path + ".expected.json", encoding="utf-8") as file:
        names = json.load(file).get("names")
    return names and sorted((n["category"], n["name"], n["count"], n["total_ns"], n["self_ns"]) for n in names)


def main():
    sonde, shared = sys.argv[1:3]
    folder = os.path.join(shared, "samples", "traces")
    if Trace is None or not os.path.isdir(folder):
        print("1..0 # SKIP the package perfetto or the shared traces are not here")
        return
    files = [name for name in sorted(os.listdir(folder)) if name.startswith(PREFIXES) and name + ".expected.json" in os.listdir(folder)
             and name.endswith((".json", ".json.gz")) and not name.endswith((".expected.json", ".table.json"))]
    print("1..%d" % len(files))
    with tempfile.TemporaryDirectory() as work:
        for number, name in enumerate(files, 1):
            path, out = os.path.join(folder, name), os.path.join(work, "out.pftrace")
            subprocess.run([sonde, "profile", path, "--trace", out], check=True, stdout=subprocess.DEVNULL)
            expected, (found, open_) = expect(path), read(out)
            same = open_ == 0 and (expected is None or expected == found)
            if not same:
                lost = [row for row in expected if row not in found][:3]
                print("# %s: %d open, lacks %s, has %s" % (name, open_, lost, [row for row in found if row not in expected][:3]))
            print("%sok %d - %s" % ("" if same else "not ", number, name))


main()
