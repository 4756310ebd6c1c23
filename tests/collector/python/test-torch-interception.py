#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is in a training's way while something is armed: once and not longer, and how operators get their names there.

Usage: test-torch-interception.py MODULE-FOLDER LIBRARY SONDE
"""
import os
import random
import subprocess
import sys
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.abspath(sys.argv[1])]

from torch_debugger import FOLDER, HAVE, LIBRARY, TIMEOUT, Case, lines_of, main  # noqa: E402


class Mode(Case):
    """Asked while it runs, often inside of an operator, where PyTorch has taken the mode off its stack."""

    def wait_for_steps(self, debugger):
        now = debugger.do("info state")["step"]
        while debugger.do("info state")["step"] < now + 3:
            pass

    def test_once(self):
        enough = self.extra["ENOUGH"] = os.path.join(self.folder, "enough")
        debugger = self.begin("stacks", wait=False)
        next(lines_of(debugger.program.stdout))  # it trains
        self.assertTrue(debugger.do("watch preset tensor_overflow nostop")["ok"])
        for _ in range(60):
            self.assertTrue(debugger.do("info watches")["ok"])
        self.wait_for_steps(debugger)
        debugger.do("clear")
        for _ in range(20):
            debugger.do("info watches")
        self.wait_for_steps(debugger)
        with open(enough, "w", encoding="utf-8"):
            pass
        self.assertEqual(debugger.finish(), "1 0")


class Modules(Case):
    """Who waits for modules and complete values alone has operators in the way only where a stop is near."""

    def run_to_stop(self, name, steps, *lines):
        debugger = self.begin(name, steps)
        for line in lines:
            self.assertTrue(debugger.do(line)["ok"], line)
        return debugger, debugger.do("run")

    def test_depth(self):
        for line, depths in (("break op:nothing", "1 1 1 1 1 1 1 1"), ("tbreak layers.0 if step == 5", "1 1 0 0 1 1 0 0"),
                             ("watch preset weight_overflow", "1 1 0 0 0 0 0 0")):
            with self.subTest(line):
                debugger, answer = self.run_to_stop("depths", "8", "break layers.1 if step > 100", line)
                while answer["event"] == "stopped":
                    answer = debugger.do("continue")
                self.assertEqual(debugger.finish(), depths)

    def test_step_in_forward(self):
        """What comes after such a stop is seen."""
        debugger, answer = self.run_to_stop("cnn", "8", "break layers.0 if step == 6")
        self.assertEqual((answer["node"], answer["when"], answer["step"]), ("layers.0", "after", 6))
        self.assertEqual([debugger.do("step")["node"] for _ in range(2)], ["layers.1.conv/convolution", "layers.1.bn/add_"])
        self.assertTrue(debugger.do("print layers.1.conv/convolution")["ok"])
        self.assertEqual([frame["at"] for frame in debugger.do("info stack")["stack"]][:2], ["layers.1.bn", "layers.1"])
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain("cnn", "8"))

    def test_step_in_backward(self):
        """Of a backward that began without the mode, with the names of modules whose operators nobody saw."""
        debugger, answer = self.run_to_stop("cnn", "8", "break grad(layers.1) if step == 6")
        self.assertEqual((answer["node"], answer["step"]), ("grad(layers.1)", 6))
        nodes = []
        while not nodes or not nodes[-1].startswith("optimiser/"):
            nodes.append(debugger.do("step")["node"])
        self.assertIn("layers.1.conv/ConvolutionBackward0/convolution_backward", nodes)
        self.assertIn("stem/ConvolutionBackward0/convolution_backward", nodes)
        self.assertEqual([node for node in nodes if node.startswith("outside/")], [])
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain("cnn", "8"))


class Kinds(Case):
    """The mode in C and the one in Python see the same."""

    def compare(self, see, program, *arguments):
        seen = []
        for kind in ("c", "python"):
            self.extra["SONDE_INTERCEPTION"] = kind
            debugger = self.begin(program, *arguments)
            seen.append(see(debugger))
            debugger.do("clear")
            self.assertEqual(debugger.finish(), self.plain(program, *arguments))
        self.assertEqual(seen[0], seen[1])
        return seen[0]

    def walk(self, debugger):
        for line in ("break op:relu after if step == 4", "watch preset tensor_overflow nostop", "break fc.weight/AccumulateGrad/* if step == 4"):
            self.assertTrue(debugger.do(line)["ok"], line)
        seen = [debugger.do("run")["node"]]
        for _ in range(12):
            seen.append(debugger.do("step 5")["node"])
            seen.append(debugger.do("stats " + seen[0]).get("max"))
        return seen

    def count(self, debugger):
        for line in ("tensor_too_large max_gt=1", "tensor_range range_start_inclusive=0 range_end_inclusive=1 range_percentage_lt=50",
                     "gradient_too_large max_gt=0.01", "weight_too_large max_gt=0.1"):
            self.assertTrue(debugger.do("watch preset %s nostop" % line)["ok"], line)
        self.assertEqual(debugger.do("until step:3")["step"], 3)
        seen = [watch["hits"] for watch in debugger.do("info watches")["watches"]]
        self.assertNotIn(0, seen)
        return seen + [debugger.do("info ops")["ops"]]

    def test_walk(self):
        self.compare(self.walk, "cnn", "5")

    def test_hits(self):
        self.compare(self.count, "transformer")


class Listening(Case):
    """A program that only listens runs what it ran before: nothing of PyTorch or Python is hooked, wrapped or replaced."""

    def test_nothing(self):
        code = """
import sys, threading, torch
from torch.nn.modules import module
from torch.optim import optimizer
from torch.utils._python_dispatch import _len_torch_dispatch_stack
model = torch.nn.Linear(2, 2)
sgd = torch.optim.SGD(model.parameters(), 0.1)
def step():
    model(torch.ones(1, 2)).sum().backward()
    sgd.step()
def hooks():
    return [len(getattr(owner, name)) for owner in (module, optimizer) for name in sorted(dir(owner)) if name.startswith("_global_")
            and hasattr(getattr(owner, name), "__len__")]
def state():
    return (hooks(), _len_torch_dispatch_stack(), sys.gettrace(), sys.getprofile(), threading.active_count(), torch.nn.Module.__call__,
            torch.Tensor.backward, torch.autograd.backward, torch.optim.SGD.step, len(sgd._optimizer_step_post_hooks), model.__dict__.keys())
step()
before = str(state())
import sonde
sonde.debug.listen()
step()
assert str(state()) == before, (state(), before)
print(len(hooks()) > 5, len(sonde.debug._current))
"""
        answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT, check=False,
                                env=dict(os.environ, XDG_RUNTIME_DIR=self.folder, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY))
        self.assertEqual((answer.stdout, answer.stderr), ("True 1\n", ""))


class Nodes:
    def __init__(self):
        self.now = []

    def add(self, node, **_):
        node.number = len(self.now)
        return node


@unittest.skipUnless(HAVE, "PyTorch is not installed: scripts/test --torch says how these run")
class Routes(unittest.TestCase):
    """A step that goes another way than the last one: the k-th of an operator is still called that."""

    def test_names(self):
        import torch
        from sonde.debug import operators
        aten = torch.ops.aten
        functions = [aten.add.Tensor, aten.add.Scalar, aten.mul.Tensor, aten.detach.default, aten.relu.default]
        midway = types.SimpleNamespace(is_on=False)
        session = types.SimpleNamespace(stack=[], phase=0, nodes=Nodes(), values=None, names=None, midway=midway,
                                        batch=types.SimpleNamespace(see_beside=lambda args: None))
        way = operators.Operators(session)
        choice = random.Random(7)
        usual = [choice.choice(functions) for _ in range(40)]
        for _ in range(200):
            counts = {}
            steps = list(usual[:choice.randrange(41)])
            for _ in range(choice.choice((0, 0, 1, 5))):
                steps.insert(choice.randrange(len(steps) + 1), choice.choice(functions))
            for function in steps:
                node = way.come_to(function, ())
                op = function.name().split("::")[1].split(".")[0]
                if op == "detach":
                    self.assertIsNone(node)
                    continue
                k = counts[op] = counts.get(op, -1) + 1
                self.assertEqual(node.name, "outside/%s%s" % (op, "_%d" % k if k else ""))
            way.end_pass()


if __name__ == "__main__":
    sys.exit(main("/collector/torch-interception/"))
