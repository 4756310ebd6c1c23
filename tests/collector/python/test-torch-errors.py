#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""catch error: a program in PyTorch stands at an operator that raises, before the error leaves it.

Usage: test-torch-errors.py MODULE-FOLDER LIBRARY SONDE
"""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]

from torch_debugger import Case, main  # noqa: E402


class Errors(Case):
    def catch(self, name, steps="4"):
        debugger = self.begin(name, steps)
        self.assertTrue(debugger.do("catch error")["ok"])
        return debugger, debugger.do("run")

    def test_operator(self):
        """Shapes that do not fit: what the operator was called with is there, and the error goes on."""
        debugger, stop = self.catch("fails")
        self.assertEqual((stop["event"], stop["reason"], stop["node"], stop["step"]), ("stopped", "error", "second/addmm", 3))
        self.assertRegex(stop["error"], "^RuntimeError: .*(2|3).*(3|2)")
        self.assertEqual((stop["when"], stop["breakpoints"]), ("before", [1]))
        self.assertRegex(stop["source"], r"^torch-programs.py:\d+ in forward$")
        self.assertEqual(debugger.do("print argument:1")["shape"], [3, 2])
        self.assertEqual(debugger.do("print argument:2")["shape"], [3, 2])
        self.assertEqual(debugger.do("print first")["shape"], [3, 3])
        self.assertIn("second", [frame["at"] for frame in debugger.do("info stack")["stack"]])
        again = debugger.do("continue")
        self.assertEqual((again["reason"], again["node"], again["step"]), ("error", "second#2/addmm", 3))
        self.assertIn("There is no value", debugger.do("clear") and debugger.do("print argument:9")["error"])
        self.assertEqual(debugger.finish(), self.plain("fails", "4"))

    def test_python(self):
        """A check in a module's own Python: no operator raised it; the module is where it came from."""
        debugger, stop = self.catch("fails_in_python")
        self.assertEqual((stop["reason"], stop["error"]), ("error", "ValueError: three is too many"))
        self.assertEqual((stop["node"], stop["op"], stop["scope"]), ("Shapes", "Shapes", None))
        self.assertIn("raise ValueError", debugger.do("info stack")["stack"][1]["at_op"])
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain("fails_in_python", "4"))

    def test_backward(self):
        debugger, stop = self.catch("fails_in_backward")
        self.assertEqual((stop["reason"], stop["op"], stop["phase"]), ("error", "mm", "backward"))
        self.assertRegex(stop["error"], "^RuntimeError: ")
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain("fails_in_backward", "4"))

    def test_condition(self):
        debugger = self.begin("fails", "4")
        debugger.do("catch error if step > 99")
        listed = debugger.do("info breakpoints")["breakpoints"][0]
        self.assertEqual((listed["node"], listed["condition"]), ("catch:error", "step > 99"))
        self.assertEqual(debugger.do("run")["event"], "ended")
        self.assertEqual(debugger.finish(), self.plain("fails", "4"))

    def test_not_caught(self):
        """Errors stop only who asked for them."""
        debugger = self.begin("fails", "4")
        debugger.do("break nothing_like_it")
        self.assertEqual(debugger.do("run")["event"], "ended")
        self.assertIn("Only errors can be caught", debugger.do("catch signal")["error"])
        self.assertEqual(debugger.finish(), self.plain("fails", "4"))


if __name__ == "__main__":
    sys.exit(main("/collector/torch-errors/"))
