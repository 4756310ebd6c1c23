#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a debugger inside PyTorch falls into easily: lists of tensors, views, tensors without versions, operators whose arguments are
functions, modules with two names, other threads, and values that are gone.

Usage: test-torch-traps.py MODULE-FOLDER LIBRARY SONDE
"""
import os
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]

from torch_debugger import FOLDER, HERE, LIBRARY, TIMEOUT, Case, lines_of, main  # noqa: E402


class TrapCase(Case):
    programs = os.path.join(HERE, "torch-trap-programs.py")

    def stand(self, name, line, *arguments):
        debugger = self.begin(name, *arguments)
        answer = debugger.do(line)
        if answer.get("event") is None:
            self.assertTrue(answer["ok"], answer)
            answer = debugger.do("run")
        self.assertEqual(answer["event"], "stopped", answer)
        return debugger, answer

    def finish(self, debugger, name, *arguments):
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain(name, *arguments))


class Lists(TrapCase):
    """Operators that give several tensors, or write into several."""

    def test_by_parameter(self):
        """Of an optimiser's operator for all parameters each value is called by its parameter."""
        debugger, stop = self.stand("foreach", "break optimiser/1.bias/_foreach_addcdiv_ after if step == 2")
        self.assertEqual(stop["node"], "optimiser/_foreach_addcdiv_")
        outputs = {node["node"]: node["outputs"] for node in debugger.do("info nodes")["nodes"]}
        paths = ["0.weight", "0.bias", "1.weight", "1.bias"]
        shapes = ["3×3", "3", "2×3", "2"]
        for op in ("_foreach_lerp_", "_foreach_sqrt", "_foreach_addcdiv_"):
            self.assertEqual(outputs["optimiser/" + op], [{"name": "optimiser/%s/%s" % (path, op), "type": "float32 " + shape}
                                                         for path, shape in zip(paths, shapes)])
        self.assertEqual(debugger.do("print optimiser/1.bias/_foreach_addcdiv_")["data"], debugger.do('print "1.bias"')["data"])
        self.assertEqual(debugger.do("print optimiser/_foreach_addcdiv_")["data"], debugger.do('print "0.weight"')["data"])
        self.finish(debugger, "foreach")

    def test_fused(self):
        debugger, stop = self.stand("fused", "break optimiser/1.bias/_fused_adamw_ after if step == 2")
        self.assertEqual(stop["node"], "optimiser/_fused_adamw_")
        self.assertEqual(debugger.do("print optimiser/1.bias/_fused_adamw_")["data"], debugger.do('print "1.bias"')["data"])
        self.finish(debugger, "fused")

    def test_bad_update(self):
        """A NaN that such an operator makes of one parameter."""
        debugger, _ = self.stand("foreach", "tbreak phase:optimiser if step == 2")
        debugger.do("set grad(1.bias)[0] = nan")
        self.assertTrue(debugger.do("watch preset tensor_overflow")["ok"])
        stop = debugger.do("continue")
        self.assertEqual((stop["node"], stop["watchpoints"][0]["value"]), ("optimiser/_foreach_lerp_", "optimiser/1.bias/_foreach_lerp_"))
        debugger.do("clear")
        debugger.finish()

    def test_pieces(self):
        """All outputs are named and looked at, however many there are."""
        debugger, _ = self.stand("pieces", "break op:cat if step == 2")
        debugger.do("step 40")
        nodes = {node["node"]: [output["name"] for output in node["outputs"]] for node in debugger.do("info nodes")["nodes"]}
        self.assertEqual(nodes["/split"], ["/split", "/split:1"])
        self.assertEqual((len(nodes["/unbind"]), nodes["/_foreach_mul"][19]), (20, "/_foreach_mul:19"))
        self.assertEqual(debugger.do("print /split:1[:, 9]")["data"], debugger.do("print /unbind:19")["data"])
        debugger.do("clear")
        self.assertTrue(debugger.do("watch preset tensor_overflow")["ok"])
        stop = debugger.do("continue")
        self.assertEqual((stop["step"], stop["node"], stop["watchpoints"][0]["value"]), (3, "/_foreach_div", "/_foreach_div:18"))
        self.finish(debugger, "pieces")


class Memory(TrapCase):
    def test_views(self):
        """An edit says what else it changes."""
        debugger, _ = self.stand("views", "break op:sum if step == 2")
        edit = debugger.do("set /slice = 5")
        self.assertEqual(edit["warning"], "It shares its memory with “fc/addmm”, “fc”, “/view”, which changed, too.")
        self.assertEqual(debugger.do("print fc[0, :2]")["data"], [5, 5])
        self.assertIsNone(debugger.do("set fc.bias = 0")["warning"])
        debugger.do("clear")
        debugger.finish()

    def test_inference(self):
        """Tensors without versions are shown and set."""
        debugger, _ = self.stand("inference", "break op:add_ after")
        self.assertEqual(debugger.do("set outside/add_ = 3")["changed"], 4)
        self.assertEqual(debugger.do('print "1"')["data"], [[3, 3], [3, 3]])
        self.finish(debugger, "inference")

    def run_inside(self, body):
        """A net of four layers in a session, where `body` runs in its second step, armed; what it printed."""
        code = ("import sonde, torch\nmodel = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(4)])\n"
                "def look(name):\n  try:\n    return tuple(session.values.find(name).shape)\n"
                "  except Exception as missing:\n    return missing.args[-1]\n"
                "with sonde.debug (model) as d:\n  session = d._session\n  session.library.is_armed = lambda program: 1\n"
                "  session.refresh()\n  session.settle()\n" + "".join("  %s\n" % line for line in body))
        answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT, check=False,
                                env=dict(os.environ, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY, XDG_RUNTIME_DIR=self.folder))
        self.assertEqual(answer.stderr, "")
        return answer.stdout.splitlines()

    def test_budget(self):
        """Above it what was made first is not kept alive, and says so."""
        lines = self.run_inside(["session.values._budget = 3 * 8 * 8 * 4", "with torch.no_grad():", "  model(torch.ones(8, 8))",
                                 "print(look('0/addmm'), look('3/addmm'), sep='\\n')"])
        self.assertEqual(lines, ["“0/addmm” is gone: PyTorch has freed it. Values are kept in steps that follow a stop.", "(8, 8)"])

    def test_object_is_gone(self):
        """Where nothing is kept alive: Python's object of a tensor dies before the tensor that autograd keeps."""
        lines = self.run_inside(["session.values.forget()", "session.hold()", "y = model(torch.ones(8, 8))",
                                 "print(look('0/addmm'))", "del y", "session.values.special.clear()", "print(look('0/addmm'))"])
        self.assertEqual(lines[0], "(8, 8)")
        self.assertIn("is gone", lines[1])


class Graphs(TrapCase):
    def test_higher_order(self):
        """An operator whose arguments are functions is one node, in forward and backward."""
        debugger, stop = self.stand("branches", "break op:cond after if step == 2")
        self.assertEqual(stop["node"], "/cond")
        self.assertEqual(debugger.do("print /cond")["shape"], [2, 3])
        self.assertEqual(debugger.do("continue")["phase"], "backward")
        self.finish(debugger, "branches")

    def test_shared_module(self):
        """The first of its names."""
        debugger, stop = self.stand("shared", "break first#2 if step == 2")
        self.assertEqual(stop["node"], "first#2")
        names = [node["node"] for node in debugger.do("info nodes")["nodes"]]
        self.assertIn("first#2/addmm", names)
        self.assertEqual([name for name in names if name.startswith("second")], [])
        self.finish(debugger, "shared")

    def test_no_optimiser(self):
        debugger, stop = self.stand("no_optimiser", 'break "1" after if step == 3')
        self.assertEqual((stop["node"], stop["step"]), ("1", 3))
        self.finish(debugger, "no_optimiser")

    def test_math_attention(self):
        """scaled_dot_product_attention that PyTorch does by smaller operators is stopped at once a call."""
        debugger, stop = self.stand("attention", "break op:scaled_dot_product_attention")
        self.assertEqual((stop["step"], stop["op"]), (1, "_safe_softmax"))
        self.assertEqual(debugger.do("continue")["step"], 2)
        self.finish(debugger, "attention")


class Calls(TrapCase):
    """A module that runs twice in a step: its calls in whatever takes a name."""

    def test_values(self):
        debugger, _ = self.stand("shared", "until phase:optimiser")
        first, second = debugger.do("print first")["data"], debugger.do("print first#2")["data"]
        self.assertNotEqual(first, second)
        self.assertEqual(debugger.do("print first#1")["data"], first)
        self.assertEqual(debugger.do("print first#1/addmm[0]")["data"], first[0])
        self.assertEqual(debugger.do("print grad(first#1)")["data"], debugger.do("print grad(first)")["data"])
        self.assertNotEqual(debugger.do("print grad(first#2)")["data"], debugger.do("print grad(first)")["data"])
        self.assertEqual(debugger.do("set first#1[0] = 1")["name"], "first#1")
        names = [node["node"] for node in debugger.do("info nodes first#1/*")["nodes"]]
        self.assertIn("first/addmm", names)
        self.assertEqual([name for name in names if "#2" in name], [])
        for name, text in (("first#2", "first#2/t:"), ("first#1", "first/t:"), ("first#2/addmm", "first#2/addmm:")):
            self.assertIn(text, "".join(line["text"] for line in debugger.do("list " + name)["lines"]))
        debugger.finish()

    def test_stops(self):
        debugger, stop = self.stand("shared", "tbreak grad(first#1)", "8")
        self.assertEqual(stop["node"], "grad(first)")
        for line, node in (("tbreak first#1/addmm", "first/addmm"), ("tbreak first#2/addmm after", "first#2/addmm"),
                           ("watch max(first#1) > -1000", "first"), ("watch max(first#2) > -1000", "first#2"),
                           ("watch max(x) > -1000 on first#1/addmm", "first/addmm")):
            self.assertTrue(debugger.do(line)["ok"], line)
            self.assertEqual(debugger.do("continue")["node"], node, line)
            debugger.do("clear")
        self.assertEqual(debugger.do("until first#1")["node"], "first")
        self.assertEqual(debugger.do("until first#2/addmm")["node"], "first#2/addmm")
        self.finish(debugger, "shared", "8")


class Threads(TrapCase):
    def count(self):
        try:
            with open(self.extra["COUNT"], encoding="utf-8") as file:
                return int(file.read() or 0)
        except FileNotFoundError:
            return 0

    def test_beside(self):
        """While it stands other threads go on."""
        self.extra["COUNT"] = os.path.join(self.folder, "count")
        debugger, _ = self.stand("beside", 'break "1"')
        before = self.count()
        while self.count() < before + 100:
            self.assertTrue(debugger.do("info state")["ok"])
        self.finish_beside(debugger)

    def finish_beside(self, debugger):
        debugger.do("clear")
        last = debugger.finish()
        self.extra["COUNT"] += ".plain"
        os.environ["COUNT"] = self.extra["COUNT"]
        self.addCleanup(os.environ.pop, "COUNT")
        self.assertEqual(last, self.plain("beside"))

    def test_elsewhere(self):
        """A training in another thread that only listens, and is paused there."""
        self.extra["ENOUGH"] = os.path.join(self.folder, "enough")
        debugger = self.begin("elsewhere", wait=False)
        self.assertEqual(next(lines_of(debugger.program.stdout)), "begun")
        stop = debugger.do("pause")
        self.assertEqual((stop["reason"], stop["thread"]), ("pause", "trainer"))
        self.assertTrue(debugger.do('tbreak "1" after')["ok"])
        self.assertEqual(debugger.do("continue")["node"], "1")
        self.assertEqual(debugger.do('print "1"')["shape"], [2, 2])
        with open(self.extra["ENOUGH"], "w", encoding="utf-8"):
            pass
        self.assertEqual(debugger.finish(), "over")


if __name__ == "__main__":
    sys.exit(main("/collector/torch-traps/"))
