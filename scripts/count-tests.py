#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts single test cases in the result files of `meson test` and prints "N passed, N failed" as its last line.

testlog.junit.xml holds the TAP cases of each program, testlog.json the verdict on each program. A program that
broke beside its cases (crash, time-out, wrong number of cases) counts as one failed case, and so does a runner
that failed without saying why or left no results. Skipped cases are neither passed nor failed.

SHARED is the folder beside the checkout with golden files, samples and models: cases that need it are skipped where
it is missing, which counts as a failure when CI=true.

AGAIN is a folder of results of programs that failed and were run once more, alone: these replace the first ones, and
each program that passed then is named as unsteady, since its failure is a fault too.

Usage: count-tests.py MESON-LOGS [EXIT-STATUS-OF-THE-RUNNER [SHARED [AGAIN]]]
       count-tests.py --failed MESON-LOGS    prints the programs that failed, a line each, nothing else
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


def read_results(folder):
    """The cases of a run, and its verdicts, which are read when they are asked for."""
    return (list(read_cases(os.path.join(folder, "testlog.junit.xml"))),
            read_verdicts(os.path.join(folder, "testlog.json")))


def find_failed(folder):
    cases, verdicts = read_results(folder)
    failed = [program for program, verdict in verdicts if verdict not in GOOD]
    return list(dict.fromkeys(failed + [program for program, _, result in cases if result == "failed"]))


def replace_failed(cases, verdicts, again):
    """The results with those of the second run instead of the first."""
    new_cases, new_verdicts = map(list, read_results(again))
    repeated = {program for program, _ in new_verdicts}
    broken = set(find_failed(again))
    for program in sorted(repeated - broken):
        print("unsteady: %s failed, and passed when it was run once more, alone: look for the race" % program)
    return ([case for case in cases if case[0] not in repeated] + new_cases,
            [verdict for verdict in verdicts if verdict[0] not in repeated] + new_verdicts)


def count(folder, status, again=None):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    blamed = set()
    try:
        cases, verdicts = read_results(folder)
        if again is not None:
            cases, verdicts = replace_failed(cases, verdicts, again)
        for program, case, result in cases:
            counts[result] += 1
            if result == "failed":
                blamed.add(program)
                print("failed: %s" % " ".join(dict.fromkeys([program, case])))
        for program, verdict in verdicts:
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


def main(folder, status="0", shared=None, again=None):
    if folder == "--failed":
        print("\n".join(find_failed(status)))
        return 0
    counts = count(folder, int(status), again)
    counts["failed"] += check_shared(shared)
    if counts["skipped"]:
        print("%d cases were skipped; build/meson-logs/testlog.txt says why." % counts["skipped"])
    print("%d passed, %d failed" % (counts["passed"], counts["failed"]))
    return 0 if counts["failed"] == 0 and counts["passed"] > 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
