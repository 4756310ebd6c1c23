#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every #include of the tree and fails on one that the table of docs/architecture.md forbids.

Meson lets a folder name only libraries made before it, but the root include path alone would let any header
through; this closes the gap. One TAP case a folder. Usage: test-includes.py SOURCE-ROOT
"""
import os
import re
import sys

ENGINE = ["engine/types", "engine/live", "engine/ops", "engine/passes", "engine/plan", "engine/nn", "engine/debug",
          "engine/devices"]
PLAIN = ["glib", "libc"]

# Folder -> what it may include: folders of ours, single headers, and names of LIBRARIES. "glib", libc and data/base are open to all.
TABLE = {
    "data/base": [],
    "data/values": [],
    "data/graph": ["data/values"],
    "data/arrays": ["data/values", "libarchive", "json-glib"],
    "data/explanations": ["data/values", "data/arrays", "json-glib"],
    "data/images": ["data/values", "gdk-pixbuf", "isa-l"],
    "data/records": ["data/values", "data/graph", "data/arrays", "protobuf-c", "isa-l", "zstd", "json-glib"],
    "data/datasets": ["data/values", "data/arrays", "data/images", "cairo", "libarchive", "isa-l", "libsndfile"],
    "data/models": ["data/values", "data/graph", "data/arrays", "protobuf-c", "json-glib"],
    "data/recipes": [],
    "data/captures": ["data/values", "data/graph", "data/records", "sqlite"],
    "data/runs": ["data/values", "data/graph", "data/arrays", "data/records", "sqlite", "gio"],
    "engine/types": ["data/values", "data/graph"],
    "engine/live": ["data/values", "data/graph", "engine/types", "engine/ops/sonde-engine-error.h"],
    "engine/ops": ["data/values", "data/graph"] + ENGINE,
    "engine/passes": ["data/values", "data/graph"] + ENGINE,
    "engine/plan": ["data/values", "data/graph"] + ENGINE,
    "engine/nn": ["data/values", "data/graph"] + ENGINE,
    "engine/debug": ["data/values", "data/graph"] + ENGINE,
    "engine/devices": ["data/values", "data/graph", "engine/ops", "engine/devices/cpu", "engine/devices/reference"],
    "engine/devices/cpu": ["data/values", "data/graph", "engine/ops", "engine/devices", "onednn", "openmp"],
    "engine/devices/reference": ["data/values", "data/graph", "engine/ops", "engine/devices"],
    "engine/session": ["data/values", "data/graph", "data/captures", "data/records", "gio", "protobuf-c"] + ENGINE,
    "engine/commands": ["engine/session", "data/values", "data/arrays", "gio", "json-glib"] + ENGINE,
    "collector/writer": ["data/values", "data/graph", "data/records", "data/images"],
    "collector/taps": ["collector/writer", "data/values", "data/graph", "data/records", "data/arrays", "data/images", "engine/plan",
                       "engine/nn", "engine/ops", "engine/passes", "engine/devices"],
    "viewers/layout": ["data/values", "data/graph"],
    "viewers/paint": ["data/values", "data/graph", "viewers/layout", "cairo", "pango"],
    "viewers": ["viewers/layout", "viewers/paint", "data/values", "data/graph", "data/runs", "gtk", "gio", "cairo", "pango"],
    "explain": ["engine", "collector", "data/values", "data/graph", "data/arrays", "data/images", "data/datasets",
                "data/models", "data/records", "data/explanations", "viewers/paint", "viewers/layout", "cairo",
                "pango", "json-glib"],
    "app/cli": ["*", "!gtk", "!sqlite", "!protobuf", "!viewers-widgets"],
    "app/dap": ["*", "!gtk", "!sqlite", "!protobuf", "!viewers-widgets"],
    "app/front": ["*", "!gtk", "!sqlite", "!protobuf", "!viewers-widgets"],
    "app/worker": ["*", "!gtk", "!sqlite", "!protobuf", "!viewers-widgets"],
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
    ("libarchive", r"^archive(_entry)?\.h"),
    ("json-glib", r"^json-glib/"),
    ("jsonrpc-glib", r"^jsonrpc-glib"),
    ("gdk-pixbuf", r"^gdk-pixbuf/"),
    ("libsndfile", r"^sndfile"),
    ("onednn", r"^(dnnl|oneapi/)"),
    ("openmp", r"^omp\.h"),
    ("readline", r"^readline/"),
]
OURS = ("data/", "engine/", "collector/", "viewers/", "explain/", "app/")
# Headers that the build makes: a folder includes its own by their bare name.
GENERATED = (".pb-c.h", "-resources.h")
# (files of the first kind, headers that they never include): the two ends of a session know the messages, not each other.
APART = [
    (r"^engine/session/(sonde-session-client[^/]*|codec/[^/]*)$", r"^engine/session/sonde-(serve|session-(server|host))"),
    (r"^engine/session/(sonde-serve|sonde-session-(server|socket|send|publish))[^/]*$", r"^engine/session/sonde-session-client"),
    (r"^engine/types/", r"^engine/(?!types/)"),
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
        if row in (folder, "data/base") or target.startswith(folder + "/"):
            return True
        return any(rule in (row, name) or (rule in ("engine", "collector") and target.startswith(rule + "/")) for rule in rules)
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
        and not allowed("app/cli", "viewers/sonde-view.h") and allowed("viewers", "gtk/gtk.h")
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
