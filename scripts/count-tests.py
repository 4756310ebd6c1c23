#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts single test cases in the result files of `meson test` and prints "N passed, N failed".

testlog.junit.xml holds the TAP cases of each program, testlog.json the verdict on the program. A program that
failed without a failed case (crash, time-out, wrong number of cases) counts as one failed case.
Exit status: 0 when nothing failed and something passed.
"""
import json
import os
import sys
import xml.etree.ElementTree as tree

GOOD = {"OK", "SKIP", "EXPECTEDFAIL"}


def main(folder):
    passed = failed = skipped = 0
    failed_by_program = {}
    seen = set()
    for suite in tree.parse(os.path.join(folder, "testlog.junit.xml")).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            program = suite.get("name")
            kinds = {child.tag for child in case}
            seen.add(program)
            if kinds & {"failure", "error"}:
                failed += 1
                failed_by_program[program] = failed_by_program.get(program, 0) + 1
                print("failed: %s %s" % (program, case.get("name")))
            elif "skipped" in kinds:
                skipped += 1
            else:
                passed += 1
    # A program is known by its last word in both files ("sonde:data / tensor", "sonde.data.tensor").
    blamed = sum(failed_by_program.values())
    broken = 0
    with open(os.path.join(folder, "testlog.json"), encoding="utf-8") as lines:
        for line in lines:
            test = json.loads(line)
            if test["result"] in GOOD:
                continue
            name = test["name"].split(" / ")[-1].split(":")[-1]
            if not any(name in program for program in failed_by_program):
                broken += 1
                print("failed: %s ended with %s" % (test["name"], test["result"]))
    failed = blamed + broken
    if skipped:
        print("%d cases were skipped (their messages say why)." % skipped)
    print("%d passed, %d failed" % (passed, failed))
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
