#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""origin: the first operator of a step whose numbers are bad while those it read are not.

Usage: test-torch-origin.py MODULE-FOLDER LIBRARY SONDE
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]

from torch_debugger import SONDE, TIMEOUT, Case, Debugger, lines_of, main  # noqa: E402

SEEDS = 6


class Origin(Case):
    programs = os.path.join(HERE, "torch-origin-programs.py")

    def stop(self, name, place="phase:optimiser"):
        """Late in the bad step."""
        debugger = self.begin(name)
        debugger.do("break last if step == 2")
        self.assertEqual(debugger.do("run")["step"], 2)
        self.assertEqual(debugger.do("until " + place)["step"], 2)
        return debugger

    def of(self, debugger, value):
        found = debugger.do("origin " + value)
        self.assertTrue(found["ok"], found)
        return found

    def test_division(self):
        """A NaN loss leads to the forward operator."""
        debugger = self.stop("zero_by_zero")
        found = self.of(debugger, "loss")
        self.assertEqual((found["first_bad_node"], found["cause_value"], found["cause_index"], found["cause_number"]),
                         ("/div", "/sub_1", [0, 0], 0))
        self.assertEqual(found["cause"], "division by 0: 0 / 0")
        self.assertEqual([link["node"] for link in found["chain"]], ["outside/mean", "outside/pow", "last/addmm", "/div"])
        self.assertEqual({link["number"] for link in found["chain"]}, {"nan"})
        self.assertEqual(self.of(debugger, "grad(last.weight)")["first_bad_node"], "/div")
        self.assertEqual(self.of(debugger, "/div[2, 1]")["chain"][0]["index"], [2, 1])

    def test_language(self):
        """The cause is said in the language of who asks, with the numbers of the program."""
        debugger = self.stop("zero_by_zero")
        answer = subprocess.run([SONDE, "debug", "--attach", str(debugger.program.pid), "--repl"], input="origin loss\n", text=True,
                                env=dict(debugger.environment, LANGUAGE="zh_CN"), capture_output=True, timeout=TIMEOUT, check=False)
        self.assertIn("除以 0：0 / 0", answer.stdout, answer.stderr)

    def test_logarithm(self):
        found = self.of(self.stop("log_of_zero"), "loss")
        self.assertEqual((found["first_bad_node"], found["cause_value"]), ("/log", "/mul"))
        self.assertIn("log of ", found["cause"])

    def test_backward(self):
        """Forward is finite; the derivative of sqrt at 0 is not."""
        debugger = self.stop("sqrt_at_zero")
        found = self.of(debugger, "grad(first.weight)")
        self.assertEqual(found["first_bad_node"], "/SqrtBackward0/div")
        self.assertRegex(found["cause"], "^division by 0: .* / 0, in the derivative of sqrt$")
        self.assertEqual(found["chain"][-1]["phase"], "backward")
        self.assertIn("nothing is bad there", debugger.do("origin loss")["error"])

    def test_types(self):
        found = self.of(self.stop("half"), "loss")
        self.assertEqual((found["first_bad_node"], found["cause"]),
                         ("/_to_copy", "70000 overflows float16; the largest number is 65504"))
        found = self.of(self.stop("exponential"), "loss")
        self.assertEqual((found["first_bad_node"], found["cause_number"]), ("/exp", 100))
        self.assertIn("exp of 100 overflows float32", found["cause"])

    def test_masked(self):
        """What masked a row did nothing wrong."""
        found = self.of(self.stop("all_masked"), "loss")
        self.assertEqual((found["first_bad_node"], found["cause"]), ("/_softmax", "softmax of a row that is all -inf"))

    def test_written_over(self):
        """What was written over since is not judged, and is said; what was read to make it is."""
        debugger = self.stop("written_over")
        self.assertIn("written over since", debugger.do("origin /div")["error"])
        found = self.of(debugger, "loss")
        self.assertEqual(found["first_bad_node"], "/mul")
        self.assertRegex(found["cause"], "“/div” was is not judged, it was written over since$")
        found = self.of(self.stop("in_place"), "loss")
        self.assertEqual(found["first_bad_node"], "/div_")
        self.assertRegex(found["cause"], "^division by 0; .*“/clone” was is not judged")


    def test_healthy(self):
        debugger = self.stop("healthy")
        for value in ("loss", "last", "grad(first.weight)", "first.weight"):
            self.assertIn("“%s” has no NaN and no infinity: nothing is bad there." % value, debugger.do("origin " + value)["error"])
        self.assertIn("There is no value", debugger.do("origin nowhere")["error"])
        debugger.do("clear")
        self.assertEqual(debugger.finish(), "done")


class Seeds(Case):
    """Random models, asked where a watch stopped and at the end of the step: long after the last stop, too."""
    programs = os.path.join(HERE, "torch-seeds.py")

    def check(self, where):
        debugger, named = Debugger(self, where, "1", str(SEEDS), prefix=()), 0
        for line in lines_of(debugger.program.stdout):
            if line == "done":
                break
            debugger.attach()
            debugger.do("watch preset tensor_overflow")
            self.assertEqual(debugger.do("run")["node"], line.split()[2])
            self.assertEqual(debugger.do("origin " + line.split()[2])["first_bad_node"], line.split()[2], line)
            debugger.do("clear")
            debugger.do("until phase:optimiser")
            asked = "loss" if where == "forward" else "grad(0.weight)"
            found = debugger.do("origin " + asked)
            self.assertEqual(found.get("first_bad_node"), line.split()[2], (line, found))
            named += 1
            debugger.client.stdin.close()
            debugger.client.wait(60)
            debugger.client.stdout.close()
            debugger.client.stderr.close()
            debugger.client = None
        self.assertEqual(named, SEEDS)

    def test_forward(self):
        self.check("forward")

    def test_backward(self):
        self.check("backward")


if __name__ == "__main__":
    sys.exit(main("/collector/torch-origin/"))
