#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A step that stands in PyTorch against its ONNX export in Sonde's engine, and against other values: the same net, a wrong weight, a
wrong derivative, another epsilon, files that do not fit.

Usage: test-torch-diverge.py MODULE-FOLDER LIBRARY SONDE
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from torch_debugger import Case, HERE, main

NETS = os.path.join(HERE, "torch-nets.py")
HAVE_ONNX = subprocess.run([sys.executable, "-c", "import torch, onnx"], capture_output=True, check=False).returncode == 0
if not HAVE_ONNX:
    print("# the module onnx is not installed: cases that export are SKIPPED", file=sys.stderr)


@unittest.skipUnless(HAVE_ONNX, "torch or onnx is not installed")
class Exported(Case):
    programs = NETS

    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.mkdtemp(prefix="sonde-nets-")
        cls.addClassCleanup(shutil.rmtree, cls.files)
        for net in ("attention", "convolutions", "mlp", "two"):
            subprocess.run([sys.executable, NETS, net, "export", cls.files], check=True, capture_output=True)

    def file(self, name):
        return os.path.join(self.files, name)

    def models(self, net, *kinds):
        found = [self.file("%s-%s.onnx" % (net, kind)) for kind in kinds]
        return [path for path in found if os.path.exists(path)]

    def stand(self, net, *options, at="until phase:optimiser"):
        debugger = self.begin(net, *options)
        answer = debugger.do(at)
        self.assertEqual(answer.get("event"), "stopped", answer)
        return debugger

    def diverge(self, debugger, line):
        answer = debugger.do("diverge " + line)
        self.assertTrue(answer["ok"], answer)
        return answer

    def check_equal(self, net, models, modules, *options):
        debugger = self.stand(net, *options)
        self.assertGreaterEqual(len(models), 1)
        for model in models:
            answer = self.diverge(debugger, "--model %s --gradients" % model)
            names = {entry.get("reference", entry["value"]): entry for entry in answer["nodes"]}
            self.assertIsNone(answer["first_divergent_node"], answer["nodes"])
            self.assertIsNone(answer["first_divergent_gradient"])
            self.assertEqual([name for name in modules if name not in names], [], answer)
            self.assertLess(max(entry["inherited_error"] for entry in answer["nodes"]), 1e-5)
            print("# %s: largest own error %g" % (os.path.basename(model), max(entry["own_error"] for entry in answer["nodes"])))
        self.assertEqual(debugger.finish(), "trained")
        return answer

    # ---- the same net

    def test_mlp(self):
        answer = self.check_equal("mlp", self.models("mlp", "older", "newer", "training"), ["0", "1", "2", "3", "4", "grad(0)", "grad(3)"]
                                  + ["grad(%d.%s)" % (k, kind) for k in (0, 2, 4) for kind in ("weight", "bias")])
        self.assertEqual(answer["file_weights"], [])
        self.assertEqual(answer["weights"], 6)

    def test_progress(self):
        """What it is at is told while it goes on."""
        debugger = self.stand("mlp")
        self.diverge(debugger, "--model %s" % self.models("mlp", "older")[0])
        told = [json.loads(line) for line in debugger.told]
        told = [event for event in told if event["event"] == "progress"]
        self.assertEqual([event["text"] for event in told if event["fraction"] == 0], ["reading the values of the step", "comparing"])
        self.assertTrue(all(0 <= event["fraction"] <= 1 for event in told))

    def test_attention(self):
        modules = ["q", "k", "v", "norm", "mlp.0", "mlp.1", "mlp.2", "out"]
        answer = self.check_equal("attention", self.models("attention", "older", "newer", "training"),
                                  modules + ["grad(%s)" % name for name in modules if name != "out"]
                                  + ["grad(q.weight)", "grad(norm.weight)", "grad(mlp.0.weight)", "grad(out.bias)"])
        self.assertEqual((answer["file_weights"], answer["absent"], answer["unused"]), ([], [], []))

    def test_convolutions_training(self):
        """What a ReLU in place wrote over is left out, and said."""
        answer = self.check_equal("convolutions", self.models("convolutions", "training"), ["stem.0", "stem.2", "conv2", "bn2", "fc", "grad(bn2)"])
        self.assertEqual(len(answer["absent"]), 1)
        self.assertIn("“stem.1” was written over", answer["absent"][0])

    def test_convolutions_eval(self):
        """Folded into the convolutions, whose weights are the file's."""
        answer = self.check_equal("convolutions", self.models("convolutions", "older", "newer"), ["stem.2", "bn2", "fc", "grad(bn2)"], "mode=eval")
        self.assertGreaterEqual(len(answer["file_weights"]), 3)

    def test_inputs(self):
        """One has a name in the call; a module that is called twice has no one value."""
        debugger = self.stand("two")
        for model in self.models("two", "older", "newer"):
            answer = self.diverge(debugger, "--model %s --gradients" % model)
            self.assertIsNone(answer["first_divergent_node"], answer["nodes"])
            self.assertIn("“left” ran several times in this step.", answer["absent"])
            self.assertEqual({entry["reference"] for entry in answer["nodes"] if entry["phase"] == "forward"}, {"right", "out"})

    def test_later_step(self):
        """The weights have moved since the export; those of the process count."""
        debugger = self.stand("attention", at="until step:3")
        debugger.do("until phase:optimiser")
        for model in self.models("attention", "older", "newer"):
            self.assertIsNone(self.diverge(debugger, "--model %s --gradients" % model)["first_divergent_node"])
            answer = self.diverge(debugger, "--model %s --weights %s" % (model, self.file("attention.npz")))
            self.assertIsNotNone(answer["first_divergent_node"])

    # ---- other nets

    def test_weight(self):
        debugger = self.stand("attention")
        import_numpy = ("import numpy, sys; a = dict(numpy.load(sys.argv[1])); a['v.weight'][0, 0] += 0.1; numpy.savez(sys.argv[2], **a)")
        changed = self.file("changed.npz")
        subprocess.run([sys.executable, "-c", import_numpy, self.file("attention.npz"), changed], check=True)
        for model in self.models("attention", "older", "newer"):
            answer = self.diverge(debugger, "--model %s --weights %s" % (model, changed))
            self.assertEqual(answer["first_divergent_module"], "v")
            self.assertEqual([entry["reference"] for entry in answer["nodes"] if entry["over"]], ["v"])
            self.assertGreater([entry for entry in answer["nodes"] if entry["reference"] == "norm"][0]["inherited_error"], 1e-4)

    def test_derivative(self):
        debugger = self.stand("mlp", "wrong=gradient")
        for model in self.models("mlp", "older", "newer"):
            answer = self.diverge(debugger, "--model %s --gradients" % model)
            self.assertEqual(answer["first_divergent_module"], "grad(0)")
            self.assertEqual(answer["first_divergent_gradient"], "grad(0)")
            over = [entry for entry in answer["nodes"] if entry["over"]]
            self.assertEqual([(entry["reference"], entry["made_by"]) for entry in over], [("grad(0)", ["1"])])

    def test_parameter(self):
        """The gradient of one weight alone, whose bias is right."""
        debugger = self.stand("mlp", "wrong=parameter")
        for model in self.models("mlp", "older", "newer"):
            answer = self.diverge(debugger, "--model %s --gradients" % model)
            self.assertEqual(answer["first_divergent_gradient"], "grad(0.weight)")
            self.assertEqual([(entry["reference"], entry["made_by"]) for entry in answer["nodes"] if entry["over"]], [("grad(0.weight)", ["0"])])

    def test_summed(self):
        """Of two calls in a step the first is compared; gradients of parameters, which are sums then, are left out, and that is said."""
        debugger = self.stand("mlp", "parts=2")
        answer = self.diverge(debugger, "--model %s --gradients" % self.models("mlp", "older")[0])
        self.assertIsNone(answer["first_divergent_node"], answer["nodes"])
        self.assertLessEqual({"0", "4", "grad(0)"}, {entry["reference"] for entry in answer["nodes"]})
        self.assertIn("Gradients of parameters are sums over several calls of the model in this step; they are not compared.", answer["absent"])
        self.assertEqual([entry["reference"] for entry in answer["nodes"] if entry["reference"].endswith(("weight)", "bias)"))], [])

    def test_epsilon(self):
        debugger = self.stand("attention", "eps=0.01")
        for model in self.models("attention", "older", "newer"):
            answer = self.diverge(debugger, "--model %s" % model)
            self.assertEqual(answer["first_divergent_module"], "norm")
            self.assertEqual([entry["reference"] for entry in answer["nodes"] if entry["over"]], ["norm"])

    def test_batch_statistics(self):
        """An export for inference of a net that trains: its batch normalisation is another."""
        debugger = self.stand("convolutions")
        answer = self.diverge(debugger, "--model " + self.models("convolutions", "older")[0])
        self.assertIn(answer["first_divergent_module"], ("stem.1", "stem.2"))

    # ---- what cannot be

    def check_refused(self, debugger, line, words):
        answer = debugger.do("diverge " + line)
        self.assertFalse(answer["ok"], answer)
        self.assertIn(words, answer["error"])

    def test_wrong_files(self):
        debugger = self.stand("attention")
        broken = self.file("broken.onnx")
        with open(broken, "wb") as file:
            file.write(b"\x08\x07\x3a\xff\xff\xff\xff\x0f")
        older = self.models("attention", "older")[0]
        self.check_refused(debugger, "--model " + self.models("mlp", "older")[0], "modules of this step is in")
        self.check_refused(debugger, "--model " + broken, "broken.onnx")
        self.check_refused(debugger, "--model " + self.file("nothing.onnx"), "nothing.onnx")
        self.check_refused(debugger, "--model %s --weights %s" % (older, self.file("nothing.npz")), "nothing.npz")
        self.check_refused(debugger, "--device cpu", "nothing of it runs a second time")
        self.check_refused(debugger, "--gradients --reference " + self.file("attention.npz"), "belong to --model")
        self.assertEqual(debugger.finish(), "trained")

    def test_places(self):
        """In forward there are no gradients yet; before the first operator there is nothing."""
        older = self.models("attention", "older")[0]
        debugger = self.begin("attention")
        self.check_refused(debugger, "--model " + older, "not seen from its beginning")
        debugger.do("tbreak mlp after")
        debugger.do("run")
        answer = self.diverge(debugger, "--model " + older)
        self.assertEqual(answer["nodes"][-1]["reference"], "mlp.2")
        self.check_refused(debugger, "--gradients --model " + older, "until phase:optimiser")


class Values(Case):
    programs = NETS

    def test_reference(self):
        """Without a model: values of another run, by the names of modules."""
        debugger = self.begin("mlp")
        debugger.do("until phase:optimiser")
        path = os.path.join(self.folder, "other.npz")
        for name in ("0", "2"):
            self.assertTrue(debugger.do("save %s %s" % (name, os.path.join(self.folder, name + ".npy")))["ok"])
        pack = ("import numpy, sys; a, b = [numpy.load('%s/' + n + '.npy') for n in '02']; b[0, 0] += 1; "
                "numpy.savez(sys.argv[1], **{'0': a, '2': b, 'other': a})") % self.folder
        subprocess.run([sys.executable, "-c", pack, path], check=True)
        answer = debugger.do("diverge --reference " + path)
        self.assertTrue(answer["ok"], answer)
        self.assertEqual(answer["first_divergent_module"], "2")
        self.assertEqual([(entry["node"], entry["own_error"], entry["over"]) for entry in answer["nodes"]], [("0", None, False), ("2", None, True)])
        self.assertEqual((answer["nodes"][1]["index"], answer["unused"]), ("[0, 0]", ["other"]))


if __name__ == "__main__":
    sys.exit(main("/collector/torch-diverge/"))
