# SPDX-License-Identifier: Apache-2.0
"""Results of unittest as TAP, one line a case, for the runner."""
import sys
import unittest


class TapResult(unittest.TestResult):
    def __init__(self, prefix):
        super().__init__()
        self.number, self.prefix = 0, prefix
        self._torn = []  # cases of which a part failed

    @classmethod
    def run_module(cls, name, prefix, cases=()):
        """All cases of a module, or those (“Values”, “Values.test_edit”); the exit status."""
        loader = unittest.defaultTestLoader
        suite = loader.loadTestsFromNames(cases, sys.modules[name]) if cases else loader.loadTestsFromModule(sys.modules[name])
        print("1..%d" % suite.countTestCases())
        result = cls(prefix)
        suite.run(result)
        return not result.wasSuccessful()

    def _say(self, test, right, more=""):
        self.number += 1
        name = self.prefix + test.id().split(".", 1)[-1].replace(".", "/")
        print("%s %d %s%s" % ("ok" if right else "not ok", self.number, name, more), flush=True)

    def addSuccess(self, test):
        self._say(test, True)

    def addSkip(self, test, reason):
        self._say(test, True, " # SKIP " + reason.replace("\n", " "))

    def _fail(self, test, problem):
        self._say(test, False)
        print("# " + self._exc_info_to_string(problem, test).replace("\n", "\n# "), flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._fail(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._fail(test, err)

    def addSubTest(self, test, subtest, err):
        """One of several within a case: the case has failed with the first of them, and the others are told, too."""
        super().addSubTest(test, subtest, err)
        if err is None:
            return
        if test not in self._torn:
            self._torn.append(test)
            self._say(test, False)
        print("# %s\n# %s" % (subtest, self._exc_info_to_string(err, test).replace("\n", "\n# ")), flush=True)
