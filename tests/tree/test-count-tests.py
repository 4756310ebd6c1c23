#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/count-tests.py against made-up result files of the runner, one TAP case each.
Usage: test-count-tests.py SOURCE-ROOT
"""
import os
import subprocess
import sys
import tempfile

JUNIT = '<?xml version="1.0" encoding="utf-8"?>\n<testsuites tests="1">%s</testsuites>\n'
PASSED = '<testcase name="a"/>'
FAILED = '<testcase name="b"><failure/></testcase>'
BROKEN = '<testcase name="c"><error>gone</error></testcase>'
SKIPPED = '<testcase name="d"><skipped/></testcase>'


def suite(name, *cases):
    return '<testsuite name="sonde.sonde:data / %s">%s<system-out>noise</system-out></testsuite>' % (name, "".join(cases))


def verdict(name, result):
    return '{"name": "sonde:data / %s", "stdout": "1 passed, 9 failed", "result": "%s"}\n' % (name, result)


# name: (junit or None, json or None, the runner's status, last line, exit status)
CASES = {
    "all passed": (suite("one", PASSED, PASSED) + suite("two", PASSED), verdict("one", "OK") + verdict("two", "OK"),
                   0, "3 passed, 0 failed", 0),
    "skipped cases are not passed": (suite("one", PASSED, SKIPPED), verdict("one", "OK"), 0, "1 passed, 0 failed", 0),
    "a failed case fails": (suite("one", PASSED, FAILED, BROKEN), verdict("one", "ERROR"), 1, "1 passed, 2 failed", 1),
    "a crash after passed cases": (suite("one", PASSED), verdict("one", "ERROR"), 1, "1 passed, 1 failed", 1),
    "a crash before any case": (suite("one", PASSED), verdict("one", "OK") + verdict("two", "FAIL"),
                                1, "1 passed, 1 failed", 1),
    "a failed case, then a time-out": (suite("one", PASSED, FAILED), verdict("one", "TIMEOUT"),
                                       1, "1 passed, 2 failed", 1),
    "a crash beside a program of a longer name": (suite("tensors", FAILED) + suite("tensor", PASSED),
                                                  verdict("tensors", "ERROR") + verdict("tensor", "ERROR"),
                                                  1, "1 passed, 2 failed", 1),
    "a program that is one case": ('<testsuite name="sonde"><testcase name="sonde:data / script" classname="sonde"/></testsuite>',
                                   verdict("script", "OK"), 0, "1 passed, 0 failed", 0),
    "a program that is one failed case": ('<testsuite name="sonde"><testcase name="sonde:data / script"><failure/></testcase>'
                                          '</testsuite>', verdict("script", "FAIL"), 1, "0 passed, 1 failed", 1),
    "names without a suite": ('<testsuite name="sonde.one">%s%s</testsuite>' % (PASSED, FAILED),
                              '{"name": "one", "result": "ERROR"}', 1, "1 passed, 1 failed", 1),
    "a known failure is good": (suite("one", PASSED), verdict("one", "EXPECTEDFAIL"), 0, "1 passed, 0 failed", 0),
    "an unexpected pass is bad": (suite("one", PASSED), verdict("one", "UNEXPECTEDPASS"), 1, "1 passed, 1 failed", 1),
    "no tests at all": ("", "", 0, "0 passed, 0 failed", 1),
    "only skipped": (suite("one", SKIPPED), verdict("one", "SKIP"), 0, "0 passed, 0 failed", 1),
    "no result files": (None, None, 1, "0 passed, 1 failed", 1),
    "half a result file": (suite("one", PASSED), verdict("one", "OK") + '{"name": "so', 1, "1 passed, 1 failed", 1),
    "the runner failed and blames nobody": (suite("one", PASSED), verdict("one", "OK"), 2, "1 passed, 1 failed", 1),
}


# name: (is SHARED there, is it CI, last line, exit status), of a runner with one passed case
SHARED_CASES = {
    "shared is there in CI": (True, True, "1 passed, 0 failed", 0),
    "shared is missing in CI": (False, True, "1 passed, 1 failed", 1),
    "shared is missing here": (False, False, "1 passed, 0 failed", 0),
}

FIRST = (suite("one", PASSED, FAILED) + suite("two", PASSED), verdict("one", "ERROR") + verdict("two", "OK"))

# name: (junit of the second run, json, its status, a line that is there, last line, exit status)
AGAIN_CASES = {
    "what passes alone is unsteady": (suite("one", PASSED, PASSED), verdict("one", "OK"), 0,
                                      "unsteady: one failed, and passed when it was run once more, alone: "
                                      "look for the race", "3 passed, 0 failed", 0),
    "what fails alone too": (suite("one", PASSED, FAILED), verdict("one", "ERROR"), 1,
                             "failed: one b", "2 passed, 1 failed", 1),
    "what crashes alone": (suite("one", PASSED), verdict("one", "ERROR"), 1,
                           "failed: one ended with ERROR", "2 passed, 1 failed", 1),
    "what was not run again": ("", "", 0, "failed: one b", "2 passed, 1 failed", 1),
}


def run_again(script, folder, junit, log, status, there):
    again = os.path.join(folder, "again")
    os.mkdir(again)
    run(script, again, junit, log, status)
    result = run(script, folder, *FIRST, status, folder, again)
    assert there in result.stdout.splitlines(), result.stdout
    failed = subprocess.run([sys.executable, script, "--failed", folder], stdout=subprocess.PIPE, encoding="utf-8",
                            check=True)
    assert failed.stdout == "one\n", failed.stdout
    return result


def run_shared(script, folder, is_there, is_ci):
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    environment.update({"CI": "true"} if is_ci else {})
    return run(script, folder, suite("one", PASSED), verdict("one", "OK"), 0,
               folder if is_there else os.path.join(folder, "missing"), env=environment)


def run(script, folder, junit, log, status, *more, **options):
    if junit is not None:
        with open(os.path.join(folder, "testlog.junit.xml"), "w", encoding="utf-8") as file:
            file.write(JUNIT % junit)
    if log is not None:
        with open(os.path.join(folder, "testlog.json"), "w", encoding="utf-8") as file:
            file.write(log)
    return subprocess.run([sys.executable, script, folder, str(status), *more], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, encoding="utf-8", check=False, **options)


def main(root):
    script = os.path.join(root, "scripts", "count-tests.py")
    bad = 0
    print("1..%d" % (len(CASES) + len(SHARED_CASES) + len(AGAIN_CASES)))
    all_cases = [*CASES.items(), *SHARED_CASES.items(), *AGAIN_CASES.items()]
    for number, (name, (*how, line, expected)) in enumerate(all_cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            kind = run if name in CASES else run_shared if name in SHARED_CASES else run_again
            result = kind (script, folder, *how)
        good = result.stdout.splitlines()[-1:] == [line] and result.returncode == expected
        bad += not good
        print("%sok %d - /tree/count-tests/%s" % ("" if good else "not ", number, name.replace(" ", "-")))
        if not good:
            print("# wanted “%s” and %d, got %d and: %r" % (line, expected, result.returncode, result.stdout))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
