#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Captures of a PyTorch program: what is in the file, and the step that runs again from it with the same bits.

Usage: test-torch-captures.py MODULE-FOLDER LIBRARY SONDE
"""
import json
import os
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]

from torch_debugger import FOLDER, HERE, LIBRARY, SONDE, TIMEOUT, Case, main  # noqa: E402


class CaptureCase(Case):
    programs = os.path.join(HERE, "torch-capture-programs.py")

    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, "a b%?.sondecap")

    def call(self, *arguments):
        return subprocess.run([sys.executable, self.programs, *arguments], check=True, capture_output=True, text=True, timeout=TIMEOUT,
                              env=dict(os.environ, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY, SONDE_DEBUG="0")).stdout.splitlines()

    def stand(self, name, pattern):
        debugger = self.begin(name, prefix=())
        self.assertTrue(debugger.do("tbreak " + pattern)["ok"])
        self.assertEqual(debugger.do("run")["event"], "stopped")
        return debugger

    def save(self, debugger, *values, path=None):
        answer = debugger.do('capture save "%s" %s' % (path or self.file, " ".join(values)))
        self.assertTrue(answer["ok"], answer)

    def inspect(self, path=None):
        return json.loads(subprocess.run([SONDE, "inspect", "--json", path or self.file], check=True, capture_output=True, text=True,
                                         timeout=TIMEOUT).stdout)

    def finish(self, debugger):
        """All lines of the program."""
        debugger.client.stdin.close()
        debugger.client.wait(TIMEOUT)
        out, err = debugger.program.communicate(timeout=TIMEOUT)
        self.assertEqual(debugger.program.returncode, 0, err)
        return out.splitlines()


class Again(CaptureCase):
    def test_given(self):
        """A step of d.step, in backward: the capture is of the step's beginning, and its step has the same bits."""
        debugger = self.stand("given", "fc/AddmmBackward0/mm if step == 3")
        self.save(debugger)
        self.assertEqual(self.inspect()["facts"]["state"], "of the step's beginning")
        lines = self.finish(debugger)
        self.assertEqual(lines, self.call("given"))
        self.assertEqual(self.call("again", self.file), lines[2:3])

    def test_optimiser(self):
        """Where the optimiser has moved some of the weights."""
        debugger = self.stand("given", "optimiser/fc.weight/* if step == 2")
        self.save(debugger)
        lines = self.finish(debugger)
        self.assertEqual(self.call("again", self.file), lines[1:2])

    def test_plain(self):
        """Without d.step, before the first operator of the model: nothing has moved yet."""
        debugger = self.stand("plain", "conv if step == 3")
        debugger.do("clear")
        debugger.do("break fc/addmm after")
        self.assertEqual(debugger.do("continue")["step"], 3)
        debugger.do("clear")
        self.save(debugger, path=os.path.join(self.folder, "late.sondecap"))
        lines = self.finish(debugger)
        self.assertEqual(lines, self.call("plain"))
        self.assertEqual(self.inspect(os.path.join(self.folder, "late.sondecap"))["facts"]["state"], "of where it stood")


    def test_rewind(self):
        """The batch goes into a file, and the step begins again."""
        path = os.path.join(self.folder, "batch.npz")
        debugger = self.stand("given", "fc/AddmmBackward0/mm if step == 2")
        answer = debugger.do("rewind " + path)
        self.assertEqual((answer["event"], answer["step"], answer["position"], answer["file"]), ("stopped", 2, 0, path))
        self.assertEqual(sorted(array["name"] for array in self.inspect(path)["arrays"]), ["image", "scale", "target"])
        self.assertEqual(self.finish(debugger)[-1], self.call("given")[-1])


    def test_bad(self):
        """A NaN in forward: the batch is saved, once, and told; the module gives the NaN again with it."""
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        debugger = self.begin("bad", prefix=())
        self.assertTrue(debugger.do("watch preset tensor_overflow")["ok"])
        stop = debugger.do("run")
        self.assertEqual((stop["reason"], stop["step"], stop["node"]), ("watchpoint", 3, "/log"))
        debugger.do("continue")
        run, = os.listdir(os.path.join(self.folder, "runs"))
        name, = os.listdir(os.path.join(self.folder, "runs", run, "captures"))
        self.assertEqual(name, "batch-step00000003.sondecap")
        path = os.path.join(self.folder, "runs", run, "captures", name)
        self.assertEqual([value["name"] for value in self.inspect(path)["inputs"]], ["input"])
        self.assertEqual(self.call("bad_again", path), ["nan"])
        debugger.do("clear")
        self.finish(debugger)
        self.assertIn("The batch of step 3 is in", "".join(debugger.told))


class Live(CaptureCase):
    """capture open in the program that stands: the step begins again from the file."""

    def test_open(self):
        """Step 4 becomes step 3 again: the same loss, weights and states to the bit."""
        debugger = self.stand("given", "fc/AddmmBackward0/mm if step == 3")
        self.save(debugger)
        self.assertTrue(debugger.do("tbreak phase:optimiser if step == 4")["ok"])
        self.assertEqual(debugger.do("continue")["step"], 4)
        stop = debugger.do('capture open "%s"' % self.file)
        self.assertEqual((stop["event"], stop["reason"], stop["step"], stop["position"], stop["file"]), ("stopped", "until", 4, 0, self.file))
        self.assertEqual(debugger.do("rewind")["position"], 0)  # to the same beginning
        lines, plain = self.finish(debugger), self.call("given")
        self.assertEqual(lines[:3], plain[:3])
        self.assertEqual(lines[3], plain[2])
        self.assertNotEqual(lines[3], plain[3])

    def test_rewind(self):
        """What rewind wrote is such a capture; a schedule's learning rate is in it."""
        debugger = self.stand("scheduled", "phase:optimiser if step == 2")
        answer = debugger.do('rewind "%s"' % self.file)
        self.assertEqual((answer["event"], answer["position"], answer["file"]), ("stopped", 0, self.file))
        self.assertEqual(self.inspect()["facts"]["state"], "of the step's beginning")
        self.assertTrue(debugger.do("tbreak phase:optimiser if step == 4")["ok"])
        self.assertEqual(debugger.do("continue")["step"], 4)
        self.assertEqual(debugger.do('capture open "%s"' % self.file)["event"], "stopped")
        lines, plain = self.finish(debugger), self.call("scheduled")
        self.assertEqual((lines[:3], lines[3]), (plain[:3], plain[1]))

    def test_refused(self):
        """Nothing changes then: not there, no capture, the batch alone, before it is known what it is for, outside of d.step."""
        debugger = self.stand("given", "phase:optimiser if step == 2")
        self.save(debugger)
        self.assertIn("There is no capture", debugger.do("capture open nowhere.sondecap")["error"])
        self.assertIn("is no capture", debugger.do("capture open " + self.programs)["error"])
        self.assertTrue(debugger.do("tbreak conv after")["ok"])
        debugger.do("continue")
        self.assertIn("“target” is in the capture, but not known yet", debugger.do('capture open "%s"' % self.file)["error"])
        self.assertEqual(debugger.do("info state")["state"], "paused")
        self.assertEqual(self.finish(debugger), self.call("given"))
        debugger = self.stand("plain", "fc")
        self.assertIn("d.step", debugger.do('capture open "%s"' % self.file)["error"])
        self.finish(debugger)

    def test_other_model(self):
        debugger = self.stand("given", "phase:optimiser")
        self.save(debugger)
        self.finish(debugger)
        debugger = self.stand("wider", "phase:optimiser")
        self.assertIn("“fc.weight” is float32 10×144", debugger.do('capture open "%s"' % self.file)["error"])
        self.assertEqual(self.finish(debugger), self.call("wider"))


class Contents(CaptureCase):
    def test_inspect(self):
        debugger = self.stand("plain", "fc/AddmmBackward0/mm if step == 2")
        self.save(debugger, "conv/*", "output")
        found = self.inspect()
        self.assertEqual((found["format"], found["replayable"]), ("capture", False))
        facts = found["facts"]
        self.assertEqual((facts["kind"], facts["model"], facts["optimiser"], facts["step"], facts["node"], facts["when"]),
                         ("pytorch", "Net", "Adam", "2", "fc/AddmmBackward0/mm", "after"))
        self.assertEqual(json.loads(facts["arguments"]), [self.programs, "plain"])
        self.assertIn("torch-capture-programs.py", facts["source"])
        self.assertEqual(json.loads(facts["inputs"]), {"input": "image", "input:1": "scale", "target": "target"})
        self.assertEqual([(value["name"], value["shape"]) for value in found["inputs"]],
                         [("input", [8, 1, 8, 8]), ("input:1", [8, 1]), ("target", [8])])
        values = {value["name"]: value["whole"] for value in found["values"]}
        for name in ("conv.weight", "bn.running_mean", "state(fc.bias, exp_avg)", "conv/convolution", "output", "random:torch"):
            self.assertIs(values[name], True, name)
        for name in ("bn/native_batch_norm", "loss"):
            self.assertIs(values[name], False, name)
        text = subprocess.run([SONDE, "inspect", self.file], check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout
        self.assertIn("open_capture", text)
        self.assertIn("state(fc.bias, exp_avg)", text)
        answer = subprocess.run([SONDE, "debug", self.file, "--check", "1 == 1"], capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("a program that Sonde does not run", answer.stderr)
        self.finish(debugger)

    def test_numbers(self):
        """Values are those that the debugger shows, as the reader of Python and that of C have them."""
        debugger = self.stand("plain", "fc after")
        self.save(debugger, "fc")
        shown = debugger.do("print fc")["data"]
        code = ("import sys, json, sonde\nwith sonde.debug.open_capture(sys.argv[1]) as c:\n"
                "    print(json.dumps(c.tensor('fc').flatten().tolist()))")
        told = json.loads(subprocess.run([sys.executable, "-c", code, self.file], check=True, capture_output=True, text=True, timeout=TIMEOUT,
                                         env=dict(os.environ, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY)).stdout)
        flat = [number for row in shown for number in row]
        for a, b in zip(told, flat):
            self.assertAlmostEqual(a, b, places=6)
        self.assertEqual(len(told), 80)
        self.finish(debugger)

    def test_micro(self):
        """Two calls in a step, a loss that is a module."""
        debugger = self.stand("micro", "optimiser/0.weight/*")
        self.save(debugger)
        self.assertEqual(json.loads(self.inspect()["facts"]["inputs"]),
                         {"input": "input", "target": "target", "input#2": "input.2", "target#2": "target.2"})
        self.finish(debugger)

    def test_batch(self):
        """As .npz, which NumPy and Sonde read."""
        path = os.path.join(self.folder, "batch.npz")
        debugger = self.stand("plain", "op:nll_loss_forward after")
        shown = debugger.do("stats input")
        self.save(debugger, path=path)
        self.assertEqual({array["name"]: array["shape"] for array in self.inspect(path)["arrays"]},
                         {"image": [8, 1, 8, 8], "scale": [8, 1], "target": [8]})
        import numpy
        with numpy.load(path) as arrays:
            self.assertAlmostEqual(float(arrays["image"].mean()), shown["mean"], places=6)
            self.assertEqual(str(arrays["target"].dtype), "int64")
        self.finish(debugger)


class Problems(CaptureCase):
    def test_other(self):
        debugger = self.stand("given", "fc")
        self.save(debugger)
        self.finish(debugger)
        lines = self.call("other", self.file)
        self.assertIn("“fc.weight” is float32 10×144", lines[0])
        self.assertIn("has no values of", lines[1])
        self.assertEqual(lines[2], "unchanged")

    def test_files(self):
        """Where nothing can be written, or the run goes on; what is no capture."""
        debugger = self.stand("plain", "fc")
        self.assertIn("was not written", debugger.do("capture save %s/nowhere/a.sondecap" % self.folder)["error"])
        self.assertEqual(debugger.do("info state")["state"], "paused")
        open(os.path.join(self.folder, "text"), "w", encoding="utf-8").close()
        for name, problem in (("text", "is no capture"), ("nothing", "There is no capture")):
            code = "import sonde, sys\nsonde.debug.open_capture(sys.argv[1])"
            answer = subprocess.run([sys.executable, "-c", code, os.path.join(self.folder, name)], capture_output=True, text=True,
                                    check=False, timeout=TIMEOUT, env=dict(os.environ, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY))
            self.assertIn(problem, answer.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".part")], [])
        self.finish(debugger)


if __name__ == "__main__":
    sys.exit(main("/collector/torch-captures/"))
