#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that know nothing of Sonde and use libraries that nobody here wrote, under `python -m sonde.debug`: stops at modules,
operators and gradients, statistics, an edit that is taken back, a watch (masks of attention do hold infinities); then the same bits as without a debugger.
A case whose package is absent is skipped and says so.

Usage: test-torch-real.py MODULE-FOLDER LIBRARY SONDE
"""
import importlib.util
import os
import subprocess
import sys
import unittest
import unittest.mock

import records
from torch_debugger import Case, FOLDER, HERE, LIBRARY, SONDE, TIMEOUT, main


def needs(*packages):
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        print("# %s is not installed: its programs are SKIPPED" % ", ".join(missing), file=sys.stderr)
    return unittest.skipIf(missing, "%s is not installed" % ", ".join(missing))


class Real(Case):
    programs = os.path.join(HERE, "torch-real-programs.py")

    def stop_at(self, debugger, what, command="continue"):
        self.assertTrue(debugger.do("tbreak " + what)["ok"])
        stop = debugger.do(command)
        self.assertEqual(stop.get("event"), "stopped", "%s: %s" % (what, stop))
        return stop

    def check_module(self, debugger, module):
        stop = self.stop_at(debugger, module + " after", "run")
        self.assertEqual((stop["node"], stop["phase"], stop["step"]), (module, "forward", 1))
        self.assertEqual(debugger.do("stats " + module)["nan"], 0)
        frames = debugger.do("info stack")["stack"]
        self.assertIn(module, [frame["at"] for frame in frames if frame["kind"] == "module"])
        self.assertIn("torch-real-programs.py", " ".join(frame["at"] for frame in frames if frame["kind"] == "python"))

    def check_edit(self, debugger, weight):
        """There and back: nothing of the result changes."""
        before = debugger.do('print "%s"[0]' % weight)["data"]
        self.assertEqual(debugger.do("set %s[0] = 0.5" % weight)["changed"], 1)
        self.assertEqual(debugger.do('print "%s"[0]' % weight)["data"], 0.5)
        self.assertTrue(debugger.do("set %s[0] = %r" % (weight, before))["ok"])

    def check(self, name, module, op, weight):
        """`weight`: a vector of the outermost module."""
        debugger = self.begin(name)
        self.check_module(debugger, module)
        self.check_edit(debugger, weight)
        stop = self.stop_at(debugger, "grad(%s)" % module)
        self.assertEqual((stop["node"], stop["phase"], stop["step"]), ("grad(%s)" % module, "backward", 1))
        self.assertGreater(debugger.do("stats grad(%s)" % module)["count"], 1)
        stop = debugger.do("until phase:optimiser")
        self.assertEqual((stop.get("phase"), stop.get("scope"), stop.get("step")), ("optimiser", "optimiser", 1), stop)
        self.assertGreater(debugger.do('stats "grad(%s)"' % weight).get("count", 0), 1)
        stop = debugger.do("until step:2")
        self.assertEqual(stop.get("step"), 2, stop)
        stop = self.stop_at(debugger, "op:" + op)
        self.assertEqual((stop["when"], stop["step"]), ("before", 2))
        self.assertTrue(debugger.do("info nodes")["nodes"])
        self.assertTrue(debugger.do("watch preset tensor_overflow nostop")["ok"])
        self.assertEqual(debugger.do("continue")["event"], "ended")
        self.assertEqual(debugger.finish(), self.plain(name))


class Torchvision(Real):
    @needs("torchvision")
    def test_resnet18(self):
        self.check("resnet18", "layer1.0.conv1", "batch_norm", "fc.bias")

    @needs("torchvision")
    def test_mobilenet_v3_small(self):
        self.check("mobilenet", "features.1", "hardswish", "classifier.3.bias")

    @needs("torchvision")
    def test_vision_transformer(self):
        self.check("vit", "encoder.layers.encoder_layer_1.mlp", "scaled_dot_product_attention", "heads.head.bias")


    @needs("torchvision")
    def test_recorded(self):
        """sonde.watch and the debugger at once: the same bits, and the same records."""
        libraries = os.path.join(self.folder, "libraries")
        os.mkdir(libraries)
        recorder = os.path.join(os.path.dirname(os.path.dirname(LIBRARY)), "writer", "libsonde-record.so.1")
        for path in (LIBRARY, recorder):
            os.symlink(path, os.path.join(libraries, os.path.basename(path)[:-2]))
        runs = [os.path.join(self.folder, name) for name in ("plain", "debugged")]
        self.extra = {"RUN": runs[1], "SONDE_LIBRARY": libraries}
        with unittest.mock.patch.dict(os.environ, {"RUN": runs[0], "SONDE_LIBRARY": libraries, "PYTHONPATH": FOLDER}):
            self.check("watched", "0", "relu_", "3.bias")
        found = [[(record.tag, record.step, record.raw) for record in records.read(run) if record.kind == records.STATISTICS] for run in runs]
        self.assertEqual(len(found[0]), 3 * (4 + 4 + 4 + 4))
        self.assertEqual(sorted(found[0]), sorted(found[1]))


class Transformers(Real):
    @needs("transformers", "accelerate")
    def test_bert(self):
        self.check("bert", "bert.encoder.layer.1.output", "layer_norm", "classifier.bias")

    @needs("transformers", "accelerate")
    def test_gpt2(self):
        self.check("gpt2", "transformer.h.1.mlp", "layer_norm", "transformer.ln_f.bias")


class Lightning(Real):
    @needs("lightning")
    def test_trainer(self):
        self.check("lightning", "net.1", "relu", "net.1.bias")


class Accelerate(Real):
    @needs("accelerate")
    def test_loop(self):
        self.check("accelerate", "1", "gelu", "3.bias")


class Demo(Case):
    """scripts/demo --torch."""

    def run_demo(self, python):
        root = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
        return subprocess.run([os.path.join(root, "scripts", "demo"), "--torch"], env=dict(
            os.environ, SONDE_TORCH_PYTHON=python, SONDE_BUILD=os.path.dirname(os.path.dirname(SONDE)), SONDE_DEMO_OUTPUT=self.folder),
                              capture_output=True, text=True, timeout=2 * TIMEOUT, check=False)

    def test_finds_the_operator(self):
        answer = self.run_demo(sys.executable)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertRegex(answer.stdout, r"Stopped \(watchpoint\): after outside/(log|LogBackward0/div) .*, step \d+, .*\n  at torch-glyphs.py:\d+ in loss_of")
        self.assertIn("step 60, loss nan", answer.stdout)

    def test_without(self):
        answer = self.run_demo("/bin/false")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("has no PyTorch and NumPy: name a Python that has them in SONDE_TORCH_PYTHON", answer.stderr)


if __name__ == "__main__":
    sys.exit(main("/collector/torch-real/"))
