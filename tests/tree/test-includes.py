#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every #include of the tree and fails on one that the table of docs/architecture.md forbids.

Meson lets a folder name only libraries made before it, but the root include path alone would let any header
through; this closes the gap. One TAP case a folder. Usage: test-includes.py SOURCE-ROOT
"""
import os
import re
import sys

# What everything inside engine may include. The order of its folders is written out below and has no circle:
# types, live and ops, then passes and devices, then plan, then nn and debug, then session, then commands, then frontend.
ENGINE = ["data/values", "data/graph"]
PLAIN = ["glib", "libc"]

# Folder -> what it may include: folders of ours ("folder/*": it and all below it), single headers, and names of LIBRARIES.
# "glib", libc and data/base are open to all. A folder may include those below it that have no row of their own.
TABLE = {
    "data/base": ["lapack"],
    "data/json": ["json-glib"],
    "data/wire": ["protobuf-c"],
    "data/values": [],
    "data/graph": ["data/values"],
    "data/arrays": ["data/values", "libarchive", "json-glib"],
    "data/explanations": ["data/json", "data/values", "data/arrays", "json-glib"],
    "data/helper": [],
    "data/hdf5": ["data/values", "data/helper", "hdf5"],
    "data/images": ["data/values", "data/helper", "gdk-pixbuf", "isa-l"],
    "data/sound": ["data/values", "data/helper", "libsndfile", "gstreamer"],
    "data/records": ["data/json", "data/wire", "data/values", "data/graph", "data/arrays", "protobuf-c", "isa-l", "zstd", "json-glib"],
    "data/traces": ["data/json", "data/wire", "data/values", "data/records", "isa-l", "xxhash"],
    "data/profiles": ["data/wire", "data/traces", "data/values", "data/records", "data/arrays", "protobuf-c", "xxhash", "json-glib"],
    "data/datasets": ["data/values", "data/arrays", "data/images", "cairo", "libarchive", "isa-l", "libsndfile"],
    # A folder a format; of each data/models sees one header.
    "data/models": ["data/wire", "data/values", "data/graph", "data/arrays", "data/models/lowering",
                    "data/models/caffe/sonde-caffe.h", "data/models/keras/sonde-keras.h", "data/models/mindir/sonde-mindir.h",
                    "data/models/mindir/write/sonde-mindir-write.h", "data/models/onnx/sonde-onnx.h",
                    "data/models/pt2/sonde-pt2.h", "data/models/tensorflow/sonde-tensorflow.h", "data/models/tflite/sonde-tflite.h",
                    "protobuf-c"],
    "data/models/caffe": ["data/wire", "data/values", "data/graph", "data/models/lowering"],
    "data/models/keras": ["data/json", "data/values", "data/graph", "data/arrays", "data/hdf5", "data/models/lowering", "json-glib"],
    "data/models/lowering": ["data/values", "data/graph"],
    "data/models/mindir": ["data/wire", "data/values", "data/graph", "data/models/lowering", "protobuf-c"],
    "data/models/mindir/write": ["data/wire", "data/values", "data/graph", "data/arrays/sonde-tensor-blob.h", "data/models/mindir/sonde-mindir-term.h"],
    "data/models/onnx": ["data/wire", "data/values", "data/graph", "data/arrays", "protobuf-c"],
    "data/models/pt2": ["data/json", "data/values", "data/graph", "data/arrays", "data/models/lowering", "json-glib"],
    "data/models/tensorflow": ["data/wire", "data/values", "data/graph", "data/arrays", "data/models/lowering", "isa-l", "protobuf-c"],
    "data/models/tflite": ["data/values", "data/graph", "data/models/lowering"],
    "data/recipes": [],
    "data/captures": ["data/values", "data/graph", "data/records", "sqlite"],
    "data/runs": ["data/values", "data/graph", "data/arrays", "data/records", "sqlite", "gio"],
    "data/browsing": ["data/values", "data/records", "data/images", "data/runs", "gio"],
    "data/charts": ["data/values", "data/records", "data/runs", "gio"],
    "data/sources/python": [],
    "data/sources/porting": ["data/sources/python", "gio"],
    "engine/types": ENGINE,
    "engine/live": ENGINE + ["engine/types", "engine/ops/sonde-engine-error.h"],
    "engine/ops": ENGINE,
    "engine/ops/control": ENGINE + ["engine/ops"],
    "engine/ops/image": ENGINE + ["engine/ops"],
    "engine/ops/indexing": ENGINE + ["engine/ops"],
    "engine/ops/math": ENGINE + ["engine/ops"],
    "engine/ops/sequence": ENGINE + ["engine/ops"],
    "engine/ops/signal": ENGINE + ["engine/ops"],
    "engine/ops/text": ENGINE + ["engine/ops"],
    "engine/ops/training": ENGINE + ["engine/ops"],
    "engine/ops/quantised": ENGINE + ["engine/ops"],
    "engine/ops/nn": ENGINE + ["engine/ops", "engine/ops/math"],
    "engine/ops/reduction": ENGINE + ["engine/ops", "engine/ops/math"],
    "engine/ops/rnn": ENGINE + ["engine/ops"],
    "engine/ops/tensor": ENGINE + ["engine/ops", "engine/ops/sequence"],
    "engine/ops/ml": ENGINE + ["engine/ops", "engine/ops/sequence", "engine/ops/text"],
    "engine/passes": ENGINE + ["engine/ops/*"],
    "engine/passes/fusion": ENGINE + ["engine/ops/*", "engine/passes"],
    "engine/passes/gradient": ENGINE + ["engine/ops/*", "engine/passes"],
    "engine/passes/legalise": ENGINE + ["engine/ops/*", "engine/passes"],
    "engine/passes/precision": ENGINE + ["engine/ops/*", "engine/passes"],
    "engine/passes/quantise": ENGINE + ["engine/ops/*", "engine/passes"],
    "engine/plan": ENGINE + ["engine/ops/*", "engine/passes", "engine/devices"],
    # The nearest name for one that is not there; plain values and tests that records and comparisons use, too.
    "engine/nn": ENGINE + ["engine/ops/*", "engine/passes", "engine/plan"],
    "engine/landscape": ENGINE + ["engine/ops/*", "engine/passes", "engine/plan", "engine/nn", "engine/devices"],
    "engine/profile": ENGINE + ["engine/ops/*", "engine/passes", "engine/plan", "engine/nn", "engine/devices", "engine/live/sonde-nearest.h",
                                "data/profiles/sonde-profile-facts.h", "data/profiles/sonde-rank-test.h",
                                "data/profiles/sonde-what-if.h",
                                # A recording becomes what a trace of another profiler is.
                                "data/traces"],
    # What a run is and where it stands, then the watches on it, then the debugger, then what changes and searches runs.
    "engine/debug/run": ENGINE + ["engine/live", "engine/types", "engine/ops/*", "engine/passes", "engine/plan"],
    "engine/debug/watches": ENGINE + ["engine/live", "engine/types", "engine/ops/*", "engine/passes", "engine/plan", "engine/debug/run"],
    "engine/debug": ENGINE + ["engine/live", "engine/types", "engine/ops/*", "engine/passes", "engine/plan", "engine/debug/run",
                              "engine/debug/watches"],
    "engine/debug/changes": ENGINE + ["engine/live", "engine/types", "engine/ops/*", "engine/passes", "engine/plan", "engine/debug",
                                      "engine/debug/run"],
    "engine/debug/searches": ENGINE + ["engine/live", "engine/types", "engine/ops/*", "engine/passes", "engine/plan", "engine/debug",
                                       "engine/debug/run", "engine/debug/changes"],
    # The registry of devices knows all of them, and each of them the registry's interface: the one circle.
    "engine/devices": ENGINE + ["engine/ops/*", "engine/devices/cpu", "engine/devices/reference"],
    "engine/devices/cpu": ENGINE + ["engine/ops/*", "engine/devices", "onednn", "openmp"],
    "engine/devices/reference": ENGINE + ["engine/ops/*", "engine/devices"],
    # Messages and what carries them, then the two ends, which do not know each other.
    "engine/session": ENGINE + ["data/wire", "engine/live", "data/captures", "data/records", "engine/types", "engine/ops", "gio", "protobuf-c"],
    "engine/session/client": ENGINE + ["engine/types", "engine/ops", "engine/session", "gio"],
    "engine/session/server": ENGINE + ["engine/live", "data/captures", "engine/types", "engine/ops", "engine/session", "gio"],
    "engine/session/activity": ENGINE + ["engine/live", "data/captures", "engine/types", "engine/ops", "engine/plan", "engine/debug/*",
                                         "engine/session", "engine/session/server"],
    "engine/commands": ENGINE + ["data/arrays", "engine/types", "engine/live", "engine/ops", "engine/debug/*", "engine/session/*", "gio", "json-glib"],
    # Graphs come through a function that the caller gives: no file format here.
    "engine/frontend": ENGINE + ["engine/types", "engine/ops/sonde-engine-error.h", "engine/debug/changes/sonde-change-node.h", "engine/session", "engine/session/client",
                                 "engine/commands", "gio"],
    "collector/writer": ["data/values", "data/graph", "data/records", "data/images", "data/sound"],
    # Another program's side of the session: its loop is debugged, no plan is linked.
    "collector/live": ["data/values", "data/arrays", "engine/types", "engine/live", "engine/session", "engine/session/server"],
    # What a static library is missing for, by another.
    "collector/python/wheel": ["isa-l", "zlib"],
    "collector/taps": ["collector/writer", "data/values", "data/graph", "data/records", "data/arrays", "data/images", "engine/plan",
                       "engine/nn", "engine/ops", "engine/passes", "engine/devices"],
    "viewers/layout": ["data/values", "data/graph", "data/traces"],
    "viewers/paint": ["data/values", "data/graph", "data/traces", "data/profiles", "viewers/layout", "cairo", "pango"],
    # Numbers alone: where many-dimensional points lie in a plane.
    "viewers/projection": ["data/values"],
    # Means of series, on threads of their own.
    "viewers/smoothing": ["data/runs", "gio"],
    "viewers": ["viewers/layout", "viewers/projection", "viewers/smoothing", "viewers/paint", "data/values", "data/graph", "data/traces", "data/profiles", "data/runs", "data/charts", "gtk", "gio", "cairo", "pango"],
    "explain": ["engine", "collector", "data/values", "data/graph", "data/arrays", "data/images", "data/datasets",
                "data/models", "data/records", "data/explanations", "viewers/paint", "viewers/layout", "cairo",
                "pango", "json-glib", "xxhash"],
    "explain/recorded": ["explain", "data/values", "data/arrays", "data/images", "data/records", "data/explanations", "gio"],
    "explain/browsing": ["explain", "explain/recorded", "engine", "data/values", "data/images", "data/explanations", "gio"],
    "app/broadway": ["data/base", "gio"],
    "app/cli": ["*", "!gtk", "!sqlite", "!protobuf", "!viewers-widgets"],
    "app/dap": ["*", "!gtk", "!sqlite", "!protobuf", "!viewers-widgets"],
    "app/repl": ["*", "!gtk", "!sqlite", "!protobuf", "!viewers-widgets"],
    "app/worker": ["*", "!gtk", "!sqlite", "!protobuf", "!viewers-widgets"],
    # The window: app/workspace < app/widgets < app/debugger, app/explain, app/profiler, app/training < app/pages < app; APART says so.
    "app/workspace": ["*", "!gtk", "!sqlite", "!protobuf", "!viewers-widgets"],
    "app": ["*", "!sqlite", "!protobuf"],
}

LIBRARIES = [
    ("gtk", r"^(gtk/|gdk/|gsk/|adwaita|gtksourceview/)"),
    ("gio", r"^gio/"),
    ("glib", r"^(glib|gmodule|gobject/)"),
    ("cairo", r"^cairo"),
    ("pango", r"^pango/"),
    ("sqlite", r"^sqlite3"),
    ("protobuf-c", r"(^protobuf-c/|\.pb-c\.h$)"),
    ("isa-l", r"^(isa-l|crc\.h|igzip_lib\.h)"),
    ("zstd", r"^zstd"),
    ("zlib", r"^zlib\.h"),
    ("libarchive", r"^archive(_entry)?\.h"),
    ("json-glib", r"^json-glib/"),
    ("jsonrpc-glib", r"^jsonrpc-glib"),
    ("gdk-pixbuf", r"^gdk-pixbuf/"),
    ("cmark-gfm", r"^cmark-gfm"),
    ("hdf5", r"^hdf5"),
    ("libsndfile", r"^sndfile"),
    ("gstreamer", r"^gst/"),
    ("onednn", r"^(dnnl|oneapi/)"),
    ("openmp", r"^omp\.h"),
    ("readline", r"^readline/"),
    ("lapack", r"^(lapacke|cblas)\.h"),
    ("xxhash", r"^xxhash\.h"),
]
OURS = ("data/", "engine/", "collector/", "viewers/", "explain/", "app/")
# Headers that the build makes: a folder includes its own by their bare name.
GENERATED = (".pb-c.h", "-resources.h")
# (files of the first kind, headers that they never include): the two ends of a session know the messages, not each other.
APART = [
    (r"^engine/session/(client|codec)/", r"^engine/session/(server|activity)/"),
    (r"^engine/session/(server|activity)/", r"^engine/session/client/"),
    (r"^engine/types/", r"^engine/(?!types/)"),
    (r"^app/workspace/", r"^app/(?!workspace/)"),
    (r"^app/widgets/", r"^app/(?!workspace/|widgets/)"),
    (r"^app/debugger/", r"^app/(?!workspace/|widgets/|debugger/)"),
    (r"^app/explain/", r"^app/(?!workspace/|widgets/|explain/)"),
    (r"^app/profiler/", r"^app/(?!workspace/|widgets/|profiler/)"),
    (r"^app/training/", r"^app/(?!workspace/|widgets/|training/)"),
    (r"^app/sidebar/", r"^app/(?!workspace/|widgets/|sidebar/)"),
    (r"^app/pages/", r"^app/(?!workspace/|widgets/|debugger/|explain/|profiler/|training/|pages/)"),
    (r"^app/worker/", r"^app/(?!worker/)"),
    (r"^app/(cli|dap|repl)/", r"^app/(workspace|widgets|debugger|explain|profiler|training|pages)/"),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def owner(path):
    """The longest folder of the table that holds the file."""
    folder = os.path.dirname(path)
    while folder and folder not in TABLE:
        folder = os.path.dirname(folder)
    return folder


def library(name):
    for title, pattern in LIBRARIES:
        if re.search(pattern, name):
            return title
    return "libc"


def allowed(folder, name):
    rules = TABLE[folder]
    if name.startswith(OURS) and not name.endswith(".pb-c.h"):
        target = os.path.dirname(name)
        if "*" in rules:
            return not (target == "viewers" and "!viewers-widgets" in rules)
        # A folder without a row of its own belongs to the row above it.
        row = owner(name)
        if row in (folder, "data/base"):
            return True
        return any(rule.removesuffix("/*") in (row, name) or (rule in ("engine", "collector") and target.startswith(rule + "/"))
                   or (rule.endswith("/*") and target.startswith(rule[:-1])) for rule in rules)
    kind = library(os.path.basename(name) if name.endswith(".pb-c.h") else name)
    if kind in PLAIN:
        return True
    if kind == "protobuf-c" and name.endswith(".pb-c.h") and "*" not in rules:
        return "protobuf-c" in rules and (os.path.dirname(name) in ("", folder))
    if "*" in rules:
        return "!" + kind not in rules and not (kind == "protobuf-c" and "!protobuf" in rules)
    return kind in rules


def check(root):
    problems = {folder: [] for folder in TABLE}
    counts = {folder: 0 for folder in TABLE}
    for top in ("data", "engine", "collector", "viewers", "explain", "app"):
        for directory, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if not name.endswith((".c", ".h")):
                    continue
                path = os.path.relpath(os.path.join(directory, name), root)
                folder = owner(path)
                if not folder:
                    problems.setdefault(top, []).append("%s lies in no folder of the table" % path)
                    continue
                with open(os.path.join(root, path), encoding="utf-8") as lines:
                    for number, line in enumerate(lines, 1):
                        match = INCLUDE.match(line)
                        if not match:
                            continue
                        counts[folder] += 1
                        mark, header = match.groups()
                        if mark == '"' and not header.startswith(OURS) and not header.endswith(GENERATED):
                            problems[folder].append("%s:%d: “%s” is not written from the root" % (path, number, header))
                        elif any(re.search(file, path) and re.search(other, header) for file, other in APART):
                            problems[folder].append("%s:%d: %s and “%s” are kept apart" % (path, number, path, header))
                        elif not allowed(folder, header):
                            problems[folder].append("%s:%d: %s may not include “%s”" % (path, number, folder, header))
    return problems, counts


def main():
    problems, counts = check(sys.argv[1])
    # The checker itself must be able to say no.
    refused = not allowed("data/values", "data/graph/sonde-graph.h") and not allowed("engine/plan", "gtk/gtk.h") \
        and not allowed("app/cli", "viewers/sonde-view.h") and allowed("viewers", "gtk/gtk.h") \
        and not allowed("engine/ops", "engine/passes/sonde-passes.h") and not allowed("engine/ops", "engine/ops/nn/sonde-x.h") \
        and allowed("engine/passes/fusion", "engine/ops/nn/sonde-x.h")
    print("1..%d" % (len(problems) + 1))
    print("%s 1 - /tree/includes/refuses" % ("ok" if refused else "not ok"))
    failed = not refused
    for number, folder in enumerate(sorted(problems), 2):
        for text in problems[folder]:
            print("# " + text)
        failed = failed or bool(problems[folder])
        print("%s %d - /tree/includes/%s" % ("not ok" if problems[folder] else "ok", number, folder))
        print("# %d includes" % counts.get(folder, 0))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
