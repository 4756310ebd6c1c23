#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts circles of files: sets of .c files that need each other, directly or through one another.

File A needs file B when A uses a function that B defines, as nm(1) tells of the built objects; a registry that lists
constant tables of other files calls nothing of theirs. A circle is a strongly connected component of more than one
file. Fails on a circle that HONEST and KNOWN do not allow. Tests and generated files are left out, and objects whose
source is gone. One TAP case a circle.

Usage: circles.py BUILD-ROOT          check
       circles.py BUILD-ROOT --list   print every circle with its edges, the largest first
"""
import os
import re
import subprocess
import sys
from collections import defaultdict

# Recursive things: each file is one part of the recursion, and splitting it otherwise would not end it.
# An entry names the files that may stand in one circle, without folder and "sonde-".
HONEST = [
    # The gradient of a body that holds If, Loop and Scan needs the gradients of these.
    "reverse reverse-body reverse-if reverse-loop reverse-saved reverse-scan",
    # A graph holds nodes, a node attributes, an attribute graphs.
    "attribute function graph graph-copy node",
    # An ONNX attribute holds graphs, which hold attributes.
    "onnx-attribute onnx-graph",
    "onnx-write onnx-write-attribute",
    # A node of a MindIR function calls functions, whose nodes call others.
    "mindir-lower mindir-run",
    # A loop of a .tflite file runs subgraphs, whose operators may be loops.
    "tflite-lower tflite-lower-control tflite-rows",
    # A primary expression holds expressions in parentheses.
    "expression-parse expression-primary",
    # Evaluating a reduction is evaluating the expression inside it.
    "expression-block expression-evaluate expression-reduce",
    # Inferring types of a body is inferring types of a graph.
    "infer-body pass-infer",
    # A target of Python holds expressions (x[i] = 1), an expression binds names (lambda, comprehension, :=).
    "python-bindings python-expressions",
    # A field of an f-string holds tokens, which may be strings.
    "python-strings python-tokens",
]

# Circles that are still to be opened; the list only shrinks.
KNOWN = [
]

SKIPPED = ("tests/", "examples/")


def objects(root, build):
    """Source file, relative to the tree without its suffix -> one object built from it."""
    found = {}
    for folder, _, names in os.walk(build):
        relative = os.path.relpath(folder, build)
        if not folder.endswith(".p") or relative.startswith(SKIPPED):
            continue
        for name in names:
            source = re.fullmatch(r"((?:[a-z0-9-]+_)*)(sonde-[a-z0-9-]+|main)\.c\.o", name) # FOLDER_FILE.c.o
            if source:
                path = os.path.join(os.path.dirname(relative), source[1].replace("_", "/"), source[2])
                if os.path.exists(os.path.join(root, path + ".c")):
                    found.setdefault(path, os.path.join(folder, name))
    return found


def symbols(found):
    """Two maps from a source to names: what it defines for others, and what it uses of others."""
    defined, used = defaultdict(set), defaultdict(set)
    source_of = {path: source for source, path in found.items()}
    paths = sorted(source_of)
    for i in range(0, len(paths), 500):
        text = subprocess.run(["nm", "-A", "-P", *paths[i:i + 500]], check=True, capture_output=True, text=True).stdout
        for line in text.splitlines():
            path, _, rest = line.partition(": ")
            name, kind = rest.split()[:2]
            if kind in "TW":
                defined[source_of[path]].add(name)
            elif kind == "U":
                used[source_of[path]].add(name)
    return defined, used


def edges_of(defined, used):
    """source -> other source -> the names it uses there."""
    owner = {name: source for source in sorted(defined) for name in defined[source]}
    edges = {source: defaultdict(list) for source in set(defined) | set(used)}
    for source, names in used.items():
        for name in sorted(names):
            other = owner.get(name)
            if other is not None and other != source:
                edges[source][other].append(name)
    return edges


def components(edges):
    """Strongly connected components of more than one file, by Tarjan's method without recursion."""
    index, low, stack, on_stack, result = {}, {}, [], set(), []
    for root in sorted(edges):
        if root in index:
            continue
        work = [(root, iter(sorted(edges[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, following = work[-1]
            for other in following:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(edges[other]))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = []
                    while not members or members[-1] != node:
                        members.append(stack.pop())
                        on_stack.discard(members[-1])
                    if len(members) > 1:
                        result.append(sorted(members))
    return sorted(result, key=lambda members: (-len(members), members))


def n_lines(root, source):
    with open(os.path.join(root, source + ".c"), encoding="utf-8") as text:
        return sum(1 for _ in text)


def print_list(root, circles, edges):
    for members in circles:
        names = sum(len(edges[a][b]) for a in members for b in members if b in edges[a])
        lines = sum(n_lines(root, member) for member in members)
        print(f"{len(members)} files, {lines} lines, {names} names across:")
        for a in members:
            for b in members:
                if b in edges[a]:
                    shown = ", ".join(edges[a][b][:4]) + (", …" if len(edges[a][b]) > 4 else "")
                    print(f"    {a} -> {os.path.basename(b)}: {shown}")


def allowed_by(members, entries):
    """The entry that names all of the circle's files, or None."""
    names = {os.path.basename(member).removeprefix("sonde-") for member in members}
    return next((entry for entry in entries if names <= set(entry.split())), None)


def main():
    build = os.path.abspath(sys.argv[1])
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    edges = edges_of(*symbols(objects(root, build)))
    circles = components(edges)
    if "--list" in sys.argv:
        print_list(root, circles, edges)
        return 0

    n_honest = sum(allowed_by(members, HONEST) is not None for members in circles)
    print(f"# {len(circles)} circles, {n_honest} of them honest recursions; the largest has "
          f"{len(circles[0]) if circles else 0} files; {sum(map(len, circles))} of {len(edges)} files stand in one")
    print(f"1..{max(len(circles), 1)}")
    bad = 0
    for number, members in enumerate(circles, 1):
        good = allowed_by(members, HONEST + KNOWN) is not None
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - circle of {len(members)}: {' '.join(members)}")
    if not circles:
        print("ok 1 - no circles")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
