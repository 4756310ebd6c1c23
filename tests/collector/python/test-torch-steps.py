#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps that are given to d.step: back, reverse, restart and rewind in them; and what a debugger says where there is no such step.

Usage: test-torch-steps.py MODULE-FOLDER LIBRARY SONDE
"""
import os
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]

from torch_debugger import FOLDER, HERE, LIBRARY, TIMEOUT, Case, main  # noqa: E402

REFUSED = "PyTorch cannot take back what ran; start the step by d.step (function, …) to run it again."


class StepCase(Case):
    programs = os.path.join(HERE, "torch-step-programs.py")

    def plain(self, name, *arguments):
        return subprocess.run([sys.executable, self.programs, name, *arguments], check=True, capture_output=True, text=True, timeout=TIMEOUT,
                              env=dict(os.environ, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY, SONDE_DEBUG="0")).stdout.splitlines()[-1]

    def begin(self, name, *arguments, **options):
        return super().begin(name, *arguments, prefix=(), **options)

    def stand(self, debugger, pattern, command="run"):
        self.assertTrue(debugger.do("tbreak " + pattern)["ok"])
        return debugger.do(command)


class Back(StepCase):
    def test_dropout(self):
        """From backward into forward and on again: same gradients there, same bits at the end."""
        debugger = self.begin("dropout")
        stop = self.stand(debugger, "bn/NativeBatchNormBackward0/* before if step == 2")
        before = debugger.do("print grad(fc.weight)")["data"]
        kept = debugger.do("print conv")["data"]
        back = debugger.do("back 3")
        self.assertEqual((back["event"], back["reason"], back["step"], back["position"]), ("stopped", "step", 2, stop["position"] - 3))
        self.assertEqual(debugger.do("print conv")["data"], kept)
        restart = debugger.do("restart fc/addmm")
        self.assertEqual((restart["reason"], restart["node"], restart["when"]), ("until", "fc/addmm", "before"))
        again = self.stand(debugger, stop["node"], "continue")
        self.assertEqual((again["node"], again["step"], again["position"]), (stop["node"], 2, stop["position"]))
        self.assertEqual(debugger.do("print grad(fc.weight)")["data"], before)
        self.assertEqual(debugger.finish(), self.plain("dropout"))

    def test_rewind(self):
        debugger = self.begin("dropout")
        stop = self.stand(debugger, "phase:optimiser before if step == 3")
        self.assertEqual(stop["step"], 3)
        first = debugger.do("rewind")
        self.assertEqual((first["reason"], first["step"], first["position"]), ("until", 3, 0))
        further = debugger.do("back 5")
        self.assertEqual((further["reason"], further["position"]), ("beginning", 0))
        self.assertEqual(debugger.do("step")["position"], 1)
        self.assertEqual(debugger.finish(), self.plain("dropout"))

    def test_reverse(self):
        """To where a breakpoint stopped on the way, or to the beginning; hits are not counted on the way."""
        debugger = self.begin("dropout")
        debugger.do("break fc after")
        debugger.do("run")
        debugger.do("continue")
        self.stand(debugger, "conv/ConvolutionBackward0/*", "continue")
        hits = debugger.do("info breakpoints")["breakpoints"][0]["hits"]
        back = debugger.do("reverse")
        self.assertEqual((back["reason"], back["node"], back["when"], back["breakpoints"]), ("breakpoint", "fc", "after", [1]))
        self.assertEqual(debugger.do("info breakpoints")["breakpoints"][0]["hits"], hits)
        self.assertEqual(debugger.do("reverse")["reason"], "beginning")
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain("dropout"))

    def test_reverse_phases_and_watches(self):
        """Back to where a phase begins, then to where a condition holds, each found again as it stopped before."""
        debugger = self.begin("dropout")
        for line in ("break phase:backward if step == 2", "watch loss > 0", "watch max(abs(fc)) > 0"):
            self.assertTrue(debugger.do(line)["ok"])
        self.stand(debugger, "optimiser/conv.bias/* if step == 2")
        while debugger.do("info state")["phase"] != "optimiser":
            self.assertEqual(debugger.do("continue")["event"], "stopped")
        hits = [(watch["id"], watch["hits"]) for watch in debugger.do("info watches")["watches"]]
        back = debugger.do("reverse")
        self.assertEqual((back["reason"], back["phase"], back["when"], back["breakpoints"]), ("breakpoint", "backward", "before", [1]))
        back = debugger.do("reverse")
        self.assertEqual((back["reason"], back["node"], [hit["value"] for hit in back["watchpoints"]]), ("watchpoint", "loss", ["loss"]))
        back = debugger.do("reverse")
        self.assertEqual((back["reason"], back["node"], back["when"]), ("watchpoint", "fc", "after"))
        self.assertEqual(debugger.do("reverse")["reason"], "beginning")
        self.assertEqual([(watch["id"], watch["hits"]) for watch in debugger.do("info watches")["watches"]], hits)
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain("dropout"))

    def test_two_optimisers(self):
        """Behind the first one's step the names are those of the next pass; all of it is put back."""
        debugger = self.begin("two")
        stop = self.stand(debugger, "0/addmm before if step == 3")
        self.assertEqual(stop["step"], 3)
        for _ in range(2):
            debugger.do("until phase:optimiser")
            debugger.do("step 3")
            self.assertEqual(debugger.do("rewind")["position"], 0)
        self.assertEqual(debugger.finish(), self.plain("two"))

    def test_twenty(self):
        """Back and forth twenty times in one training."""
        debugger = self.begin("dropout", "6")
        debugger.do("break op:convolution_backward")
        debugger.do("break op:relu after")
        answer = debugger.do("run")
        for count in range(20):
            answer = debugger.do(("back 2", "step 4", "continue", "reverse", "next")[count % 5])
            self.assertEqual(answer.get("event"), "stopped", answer)
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain("dropout", "6"))


class Ways(StepCase):
    def test_except_exception(self):
        """Whoever catches what goes wrong does not see it; a “finally” may compute."""
        debugger = self.begin("catches_exceptions")
        self.stand(debugger, "op:mm if step == 2")
        self.assertEqual(debugger.do("rewind")["position"], 0)
        self.assertEqual(debugger.finish(), self.plain("catches_exceptions"))

    def test_except(self):
        """A bare “except:” is said, where the program goes on from there."""
        debugger = self.begin("catches_everything")
        self.stand(debugger, "op:mm if step == 2")
        stop = debugger.do("back 1")
        self.assertEqual((stop["event"], stop["reason"]), ("stopped", "error"))
        self.assertIn("except:", stop["error"])
        self.assertIn("goes on from here", stop["error"])
        debugger.finish()

    def test_other_way(self):
        debugger = self.begin("fetches")
        self.stand(debugger, "op:mm if step == 1")
        stop = debugger.do("restart op:tanh")
        self.assertEqual((stop["reason"], stop["when"]), ("error", "after"))
        self.assertIn("went another way", stop["error"])
        self.assertEqual(debugger.finish(), "over")

    def test_unknown(self):
        debugger = self.begin("dropout")
        self.stand(debugger, "fc")
        self.assertIn("has not come by “nowhere”", debugger.do("restart nowhere")["error"])
        self.assertEqual(debugger.do("info state")["state"], "paused")
        self.assertEqual(debugger.finish(), self.plain("dropout"))

    def test_nobody(self):
        """Without a debugger nothing is kept."""
        answer = subprocess.run([sys.executable, self.programs, "dropout"], capture_output=True, text=True, timeout=TIMEOUT, check=True,
                                env=dict(os.environ, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY, XDG_RUNTIME_DIR=self.folder))
        self.assertEqual(answer.stdout.splitlines()[-1], self.plain("dropout"))


class Refused(Case):
    def test_outside(self):
        """Where no step was given, and what is never possible."""
        debugger = self.begin("cnn")
        debugger.do("tbreak fc")
        debugger.do("run")
        for command in ("back", "reverse", "restart fc/addmm", "rewind", "restart"):
            self.assertEqual(debugger.do(command)["error"], REFUSED, command)
        for command, name in (("bypass fc/addmm", "bypass"), ("attr fc/addmm.beta = 2", "attr"), ("rerun fc/addmm --device cpu", "rerun"),
                              ("branch new", "branch"), ("reduce m.onnx", "reduce"), ("precision p.ini --tolerance 0.1", "precision")):
            self.assertEqual(debugger.do(command)["error"], name + " changes the graph, and here it is PyTorch's.")
        debugger.finish()

    def test_into(self):
        debugger = self.begin("compiled_part")
        debugger.do("tbreak fc")
        stop = debugger.do("run")
        self.assertEqual(stop["node"], "fc")
        self.assertEqual(debugger.do("into")["error"], "This is compiled code; compiled=\"eager\" shows its operators.")
        self.assertEqual(debugger.do("step")["event"], "stopped")
        debugger.finish()


class Lists(Case):
    def test_ops(self):
        debugger = self.begin("cnn")
        debugger.do("tbreak optimiser/fc.bias/* if step == 2")
        debugger.do("run")
        ops = {op["op"]: op for op in debugger.do("info ops")["ops"]}
        self.assertEqual(ops["convolution"]["count"], 3)
        self.assertIn("conv2d", ops["convolution"]["functions"])
        self.assertEqual(list({op["op"] for op in debugger.do("info ops linear")["ops"]} & {"addmm", "mm", "convolution"} - {"mm"}), ["addmm"])
        debugger.finish()

    def test_locations(self):
        """As the steps come, more is known of where a breakpoint stops."""
        debugger = self.begin("cnn")
        debugger.do("break op:conv2d")
        debugger.do("break nothing_like_it")
        debugger.do("run")
        debugger.do("until step:2")
        debugger.do("until step:2")
        debugger.do("clear 1")
        debugger.do("break op:conv2d")
        debugger.do("continue")
        listed = debugger.do("info breakpoints")["breakpoints"]
        self.assertEqual([(one["node"], one["positions"] > 0) for one in listed], [("nothing_like_it", False), ("op:conv2d", True)])
        self.assertIn("Nothing matches so far", listed[0]["note"])
        self.assertNotIn("note", listed[1])
        debugger.finish()


if __name__ == "__main__":
    sys.exit(main("/collector/torch-steps/"))
