#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts single test cases in the result files of `meson test` and prints "N passed, N failed" as its last line.

testlog.junit.xml holds the TAP cases of each program, testlog.json the verdict on each program. A program that
broke beside its cases (crash, time-out, wrong number of cases) counts as one failed case, and so does a runner
that failed without saying why or left no results. Skipped cases are neither passed nor failed.

SHARED is the folder beside the checkout with golden files, samples and models: cases that need it are skipped where
it is missing, which counts as a failure when CI=true.

Usage: count-tests.py MESON-LOGS [EXIT-STATUS-OF-THE-RUNNER [SHARED]]
Exit status: 0 when nothing failed and something passed.
"""
import json
import os
import sys
import xml.etree.ElementTree as tree

GOOD = {"OK", "SKIP", "EXPECTEDFAIL"}
STOPPED = {"TIMEOUT", "INTERRUPT"}


def shorten(name):
    """The runner calls a program "program" or "project:suite / program"."""
    return name.split(" / ")[-1]


def read_cases(path):
    """Yields (program, case, "passed" | "failed" | "skipped")."""
    for suite in tree.parse(path).getroot().iter("testsuite"):
        # "project.program" has its own cases; "project" alone gathers programs that are one case.
        name = suite.get("name", "")
        own = name.split(".", 1)[1] if "." in name else None
        for case in suite.iter("testcase"):
            kinds = {child.tag for child in case}
            result = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            yield shorten(own or case.get("name")), shorten(case.get("name")), result


def read_verdicts(path):
    """Yields (program, verdict)."""
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            test = json.loads(line)
            yield shorten(test["name"]), test["result"]


def count(folder, status):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    blamed = set()
    try:
        for program, case, result in read_cases(os.path.join(folder, "testlog.junit.xml")):
            counts[result] += 1
            if result == "failed":
                blamed.add(program)
                print("failed: %s" % " ".join(dict.fromkeys([program, case])))
        for program, verdict in read_verdicts(os.path.join(folder, "testlog.json")):
            if verdict in STOPPED or (verdict not in GOOD and program not in blamed):
                counts["failed"] += 1
                print("failed: %s ended with %s" % (program, verdict))
    except (OSError, ValueError, KeyError, tree.ParseError) as problem:
        counts["failed"] += 1
        print("failed: the results cannot be read: %s" % problem)
    if status != 0 and counts["failed"] == 0:
        counts["failed"] = 1
        print("failed: the test runner ended with status %d" % status)
    return counts


def check_shared(folder):
    """How many failures its absence is."""
    if folder is None or os.path.isdir(folder):
        return 0
    is_ci = os.environ.get("CI") == "true"
    print("%s is missing: cases that need its golden files, samples and models were skipped"
          % (("failed: " if is_ci else "") + os.path.normpath(folder)))
    return int(is_ci)


def main(folder, status="0", shared=None):
    counts = count(folder, int(status))
    counts["failed"] += check_shared(shared)
    if counts["skipped"]:
        print("%d cases were skipped; build/meson-logs/testlog.txt says why." % counts["skipped"])
    print("%d passed, %d failed" % (counts["passed"], counts["failed"]))
    return 0 if counts["failed"] == 0 and counts["passed"] > 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
