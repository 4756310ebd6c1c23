#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps what is true of an operator in its row of engine/ops, not in lists of names elsewhere.

A file outside engine/ops that names eight operators or more has to stand in KNOWN, with how many it names and why; the
numbers only shrink. A property of operators (element-wise, never negative, an activation, how relevance goes through
it) is a column of SondeOpClass; who asks for single operators takes their SondeOpId.
Usage: test-operator-names.py SOURCE-ROOT
"""
import os
import re
import sys

TOPS = ("app", "collector", "data", "engine", "explain", "viewers")
MOST = 7
# How rows begin: a macro with the name, or the field.
ROW = re.compile(r'^\s*[A-Z_]+ \((?:"", |SONDE_DOMAIN, )?"([A-Z]\w+)"|\.name\s*=\s*"([A-Z]\w+)"', re.MULTILINE)

RULES = "rewrites forms of operators to others"
BUILDS = "makes nodes"
# Readers and writers of other formats: a row for each operator of the format.
FORMATS = "data/models/"
KERNELS = "one row of kernels for each operator"
# Readers and writers of other formats: a row for each operator of the format.
FORMATS = "data/models/"
KNOWN = {
    "engine/devices/cpu/elementwise/sonde-cpu-binary.c": (23, KERNELS),
    "engine/devices/cpu/elementwise/sonde-cpu-unary.c": (21, KERNELS),
    "engine/devices/cpu/rows/sonde-cpu-reduce.c": (11, KERNELS),
    "engine/nn/sonde-layers-shape.c": (24, BUILDS),
    "engine/nn/sonde-layers.c": (8, BUILDS),
    "engine/nn/sonde-loss.c": (21, BUILDS),
    "engine/nn/sonde-optimiser.c": (12, BUILDS),
    "engine/passes/legalise/sonde-legalise-contrib-attention.c": (14, RULES),
    "engine/passes/legalise/sonde-legalise-contrib-basic.c": (17, RULES),
    "engine/passes/legalise/sonde-legalise-contrib-group-attention.c": (9, RULES),
    "engine/passes/legalise/sonde-legalise-contrib-normalisation.c": (14, RULES),
    "engine/passes/legalise/sonde-legalise-contrib-quantised.c": (19, RULES),
    "engine/passes/legalise/sonde-legalise-contrib-tools.c": (19, RULES),
    "engine/passes/legalise/sonde-legalise-contrib.c": (16, RULES),
    "engine/passes/legalise/sonde-legalise-indexing.c": (9, RULES),
    "engine/passes/legalise/sonde-legalise-normalisation.c": (8, RULES),
    "engine/passes/legalise/sonde-legalise-rules.c": (55, RULES),
    "explain/attribution/sonde-gradient-deeplift.c": (9, BUILDS),
    "explain/sonde-explainer-output.c": (8, BUILDS),
}


def sources(root):
    for top in TOPS:
        for directory, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if name.endswith((".c", ".h")):
                    path = os.path.join(directory, name)
                    text = open(path, encoding="utf-8").read()
                    yield os.path.relpath(path, root), re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def main():
    texts = dict(sources(sys.argv[1]))
    operators = {a or b for path, text in texts.items() if path.startswith("engine/ops/") and path.endswith(".c")
                 for a, b in ROW.findall(text)}
    problems = []

    if len(operators) < 250:
        problems.append("only %d operators were found in engine/ops: the form of rows has changed" % len(operators))
    for path, text in sorted(texts.items()):
        named = set(re.findall(r'"([A-Z]\w*)"', text)) & operators
        known = KNOWN.get(path, (0, ""))[0]
        if path.startswith("engine/ops/") or path.startswith(FORMATS):
            continue
        if len(named) > max(MOST, known):
            problems.append("%s names %d operators, more than %d: %s"
                            % (path, len(named), max(MOST, known), " ".join(sorted(named))))
        elif len(named) < known:
            problems.append("%s names %d operators now: lower its entry in KNOWN" % (path, len(named)))
    problems += ["%s is gone: remove it from KNOWN" % path for path in KNOWN if path not in texts]

    print("1..1")
    for text in problems:
        print("# " + text)
    print("%s 1 - /tree/operator-names" % ("not ok" if problems else "ok"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
