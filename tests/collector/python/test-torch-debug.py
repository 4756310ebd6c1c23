#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trainings in PyTorch under the debugger: same bits, right names and values, and the traps that a debugger in somebody
else's process can fall into. Without PyTorch every case is skipped and says so;
scripts/test --torch runs them with the Python in SONDE_TORCH_PYTHON.

Usage: test-torch-debug.py MODULE-FOLDER LIBRARY SONDE
"""
import concurrent.futures
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from torch_debugger import Case, Debugger, FOLDER, LIBRARY, PROGRAMS, TIMEOUT, lines_of, main


class Bits(Case):
    """Weights, buffers and states with twenty stops and without."""

    def check(self, name, patterns, stops=20, steps="6"):
        debugger = self.begin(name, steps)
        for pattern in patterns:
            self.assertTrue(debugger.do("break " + pattern)["ok"])
        answer = debugger.do("run")
        count = 0
        while answer.get("event") == "stopped" and count < stops:
            count += 1
            debugger.do("info values")
            answer = debugger.do(("continue", "step", "next")[count % 3])
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain(name, steps))
        self.assertEqual(count, stops)

    def test_cnn(self):
        self.check("cnn", ["layers.1.conv", "op:relu after", "grad(layers.0)", "optimiser/fc.weight/*"])

    def test_lstm(self):
        self.check("lstm", ["cell#*", "op:sigmoid", "cell.weight_ih/AccumulateGrad/*", "grad(out)"])

    def test_transformer(self):
        self.check("transformer", ["op:softmax", "op:scaled_dot_product_attention", "op:layer_norm after", "op:_to_copy", "phase:optimiser"])

    def test_tied(self):
        self.check("tied", ["op:relu after", "middle", "middle/*", "grad(embed.weight)", "op:mul_ after"])

    def test_workers(self):
        self.check("workers", ["layers.*", "grad(fc)"])

    def test_fork(self):
        self.check("fork", ["layers.*", "grad(fc)"])

    def test_thread(self):
        self.check("thread", ["layers.*", "grad(fc)", "op:convolution_backward"])

    def test_raises(self):
        self.check("raises", ["first", "second", "second/*", "grad(second)"], stops=12)

    def test_modes(self):
        """Somebody's own mode is in the way: nothing of it changes, its operators are seen where it is not."""
        self.check("modes", ["phase:optimiser", "optimiser/*"], stops=10)

    def test_compiled(self):
        self.check("compiled", ["phase:optimiser", "optimiser/*"], stops=10)

    def test_watched(self):
        """All recommended watches on, none stops."""
        debugger = self.begin("cnn", "6")
        self.assertTrue(debugger.do("watch preset recommended nostop")["ok"])
        self.assertEqual(debugger.do("run")["event"], "ended")
        self.assertEqual(debugger.finish(), self.plain("cnn", "6"))


    def test_exported(self):
        """torch.onnx.export in the middle of it, which cannot bear a mode, writes what it would."""
        self.check("exported", ["layers.1.conv", "grad(layers.0)"])


class Ranks(Case):
    """Two processes of one training, each attached to by itself."""

    def environments(self):
        for rank in ("0", "1"):
            yield {"RANK": rank, "WORLD_SIZE": "2", "STORE": os.path.join(self.folder, "store"), "GLOO_SOCKET_IFNAME": "lo"}

    def test_ranks(self):
        debuggers = []
        for extra in self.environments():
            self.extra = extra
            debuggers.append(self.begin("ranks", "3"))
        with concurrent.futures.ThreadPoolExecutor(2) as both:  # one that stands holds the other up
            for line in ("break module.fc", "run"):
                answers = list(both.map(lambda debugger: debugger.do(line), debuggers))
            self.assertEqual([answer["node"] for answer in answers], ["module.fc"] * 2)
            self.assertEqual([debugger.do("info state")["title"] for debugger in debuggers],
                             ["DistributedDataParallel, rank %d" % rank for rank in (0, 1)])
            self.assertNotEqual(*[debugger.do("print input[0]")["data"] for debugger in debuggers])
            digests = list(both.map(lambda debugger: debugger.finish(), debuggers))
        self.assertEqual(digests, self.plain_ranks())

    def plain_ranks(self):
        os.remove(os.path.join(self.folder, "store"))
        programs = [subprocess.Popen([sys.executable, self.programs, "ranks", "3"], env={**os.environ, **extra},
                                     stdout=subprocess.PIPE, text=True) for extra in self.environments()]
        return [program.communicate(timeout=TIMEOUT)[0].splitlines()[-1] for program in programs]


class Names(Case):
    def test_phases(self):
        debugger = self.begin("cnn")
        debugger.do("break fc after")
        stop = debugger.do("run")
        self.assertEqual((stop["node"], stop["op"], stop["phase"], stop["when"], stop["step"]), ("fc", "Linear", "forward", "after", 1))
        self.assertEqual(stop["iteration"], [])
        self.assertEqual(stop["thread"], "MainThread")
        debugger.do("clear")
        stop = debugger.do("until phase:backward")
        self.assertEqual(stop["phase"], "backward")
        debugger.do("tbreak fc/AddmmBackward0/mm")
        stop = debugger.do("continue")
        self.assertEqual((stop["node"], stop["scope"]), ("fc/AddmmBackward0/mm", "fc"))
        self.assertRegex(stop["source"], r"^torch-programs.py:\d+ in forward$")
        stop = debugger.do("until phase:optimiser")
        self.assertEqual((stop["phase"], stop["scope"]), ("optimiser", "optimiser"))
        self.assertTrue(stop["node"].startswith("optimiser/stem.weight/"))
        stop = debugger.do("until step:3")
        self.assertEqual((stop["step"], stop["node"]), (3, "outside/randn"))

    def test_calls(self):
        """The first, the k-th and each call of a module in a step."""
        debugger = self.begin("lstm")
        debugger.do("break cell")
        self.assertEqual(debugger.do("run")["node"], "cell")
        debugger.do("clear")
        debugger.do("tbreak cell#2")
        self.assertEqual(debugger.do("continue")["node"], "cell#2")
        debugger.do("break cell#*")
        self.assertEqual(debugger.do("continue")["node"], "cell")
        self.assertEqual(debugger.do("continue")["node"], "cell#2")
        self.assertEqual(debugger.do("continue")["node"], "cell#3")
        self.assertEqual(debugger.do("step")["node"], "cell#3/t")

    def test_steps(self):
        debugger = self.begin("cnn")
        debugger.do("break layers.0")
        self.assertEqual(debugger.do("run")["node"], "layers.0")
        self.assertEqual(debugger.do("next")["node"], "layers.1.conv/convolution")
        self.assertEqual(debugger.do("out")["scope"], "layers.1.bn")
        self.assertEqual(debugger.do("step 2")["node"], "layers.1/relu")
        self.assertEqual(debugger.do("until fc/addmm")["node"], "fc/addmm")
        debugger.do("clear")
        debugger.do("break nothing_like_it")
        self.assertIn("Nothing matches so far", str(debugger.do("info breakpoints")["breakpoints"][0]))
        self.assertEqual(debugger.do("until step:3")["step"], 3)
        self.assertIn("There is no node", debugger.do("until nothing_like_it")["error"])

    def test_stack(self):
        debugger = self.begin("cnn")
        self.assertEqual(debugger.do("info state")["title"], "torch-programs.py")
        debugger.do("break layers.0.conv/convolution")
        debugger.do("run")
        stack = debugger.do("info stack")["stack"]
        self.assertEqual([frame["at"] for frame in stack[:3]], ["layers.0.conv", "layers.0", "layers"])
        python = [frame for frame in stack if frame["kind"] == "python"]
        self.assertRegex(python[0]["at"], r"^torch-programs.py:\d+ in forward$")
        self.assertEqual(python[0]["at_op"], "return x + torch.relu(self.bn(self.conv(x)))")
        self.assertIn("in cnn", python[-2]["at"])
        state = debugger.do("info state")
        self.assertEqual((state["kind"], state["title"], state["steps_before"]), ("pytorch", "Cnn", 0))

    def test_midway(self):
        """Who comes while a module runs sees the names of the outermost one, not of the next that is called."""
        code = ("import sonde, torch\nclass Late(torch.nn.Module):\n  def forward(self, x):\n"
                "    session.library.is_armed = lambda program: 1\n    session.refresh()\n    session.settle()\n    return x * 2\n"
                "model = torch.nn.Sequential(torch.nn.Linear(2, 2), Late(), torch.nn.Linear(2, 2))\n"
                "with sonde.debug () as d:\n  session = d._session\n  y = model(torch.ones(1, 2))\n  y.exp()\n"
                "  print(session.names.root is model, *[name for name in session.nodes.by_name if '/' in name])\n")
        answer = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY, XDG_RUNTIME_DIR=self.folder),
                                capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertEqual((answer.stdout, answer.stderr), ("True 1/mul 2/t 2/addmm outside/exp\n", ""))

    def test_listing(self):
        debugger = self.begin("cnn")
        debugger.do("break optimiser/fc.bias/addcdiv_")
        debugger.do("run")
        nodes = debugger.do("info nodes")["nodes"]
        names = [node["node"] for node in nodes]
        self.assertIn("stem/convolution", names)
        self.assertEqual(names[-1], "optimiser/fc.bias/addcdiv_")
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual({node["phase"] for node in nodes}, {"forward", "backward", "optimiser"})
        of_stem = nodes[names.index("stem/convolution")]
        self.assertEqual(of_stem["outputs"][0], {"name": "stem/convolution", "type": "float32 8×4×6×6"})


class Values(Case):
    def load(self, path):
        import torch
        return torch.load(path)

    def test_seen(self):
        """What is read at a stop is what hooks saw there."""
        self.extra["SEEN"] = os.path.join(self.folder, "seen.pt")
        debugger = self.begin("seen", "3")
        found = {}
        debugger.do("run") if debugger.do("break fc after if step == 2")["ok"] else None
        found["layers.0"], found["fc"] = debugger.do("print layers.0")["data"], debugger.do("print fc")["data"]
        debugger.do("clear")
        debugger.do("break grad(layers.0)")
        self.assertEqual(debugger.do("continue")["node"], "grad(layers.0)")
        for name in ("grad(layers.0)", "grad(fc)"):
            found[name] = debugger.do("print " + name)["data"]
        self.assertEqual(debugger.do("stats grad(layers.0)")["count"], 8 * 4 * 6 * 6)
        debugger.do("clear")
        debugger.client.stdin.close()
        debugger.program.communicate(timeout=TIMEOUT)
        import torch
        for name, seen in self.load(self.extra["SEEN"]).items():
            self.assertTrue(torch.equal(torch.tensor(found[name]), seen), name)

    def test_kinds(self):
        debugger = self.begin("cnn")
        debugger.do("break optimiser/fc.weight/addcdiv_ after if step == 2")
        debugger.do("run")
        for name in ("fc.weight", "grad(fc.weight)", "state(fc.weight, exp_avg)", "input", "output", "loss", "layers.0.bn.running_mean"):
            self.assertEqual(debugger.do("print %s" % name).get("dtype"), "float32", name)
        self.assertIn("There is no value", debugger.do("print nowhere")["error"])
        self.assertIn("exp_avg", debugger.do("print state(fc.weight, nothing)")["error"])
        self.assertIn("not kept", debugger.do("print prev(fc.weight)")["error"])
        before = debugger.do("print fc.bias")["data"]
        debugger.do("print prev(fc.bias)")
        debugger.do("clear")
        debugger.do("tbreak stem")
        debugger.do("continue")
        debugger.do("tbreak stem")
        debugger.do("continue")
        self.assertNotEqual(debugger.do("print prev(fc.bias)").get("data"), before)

    def test_other_step(self):
        """What an earlier step made is not shown as of this one, whoever looked meanwhile."""
        debugger = self.begin("cnn", "8")
        debugger.do("tbreak fc after")
        debugger.do("run")
        self.assertTrue(debugger.do("print stem/convolution")["ok"])
        debugger.do("tbreak optimiser/stem.weight/* if step == 5")
        debugger.do("tbreak outside/randn if step == 6")
        debugger.do("continue")
        self.assertEqual(debugger.do("continue")["step"], 6)
        self.assertIn("not there yet", debugger.do("print stem/convolution")["error"])
        self.assertIn("fc/addmm", [node["node"] for node in debugger.do("info nodes")["nodes"]])

    def test_nobody_looks(self):
        """A step that nobody looked at leaves nothing of the one before it, and the listing of that."""
        code = ("import sonde, torch\nmodel = torch.nn.Linear(2, 2)\noptimiser = torch.optim.SGD(model.parameters(), 0.1)\n"
                "def step():\n  model(torch.ones(1, 2)).sum().backward()\n  optimiser.step()\n"
                "with sonde.debug (model, optimiser) as d:\n  session, asked = d._session, [1, 1, 0, 0]\n"
                "  session.library.is_armed = lambda program: asked[0]\n"
                "  for k in range(3):\n    session.refresh()\n    session.settle()\n    model(torch.ones(1, 2))\n"
                "    kept, armed = len(session.values.kept), asked.pop(0)\n    session.refresh()\n    step()\n"
                "    print(armed, kept > 0, len(session.values.kept), len(session.nodes.last) > 5)\n")
        answer = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY, XDG_RUNTIME_DIR=self.folder),
                                capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertEqual((answer.stdout.splitlines(), answer.stderr),
                         (["1 True 0 True", "1 True 0 True", "0 False 0 True"], ""))

    def test_written_over(self):
        debugger = self.begin("tied")
        debugger.do("break head")
        debugger.do("run")
        self.assertIn("was written over since by “/fill_”", debugger.do("print /add")["error"])
        self.assertIn("was written over since by", debugger.do("print /mul_")["error"])
        for name in ("relu", "relu/relu_", "/fill_"):  # what wrote last is what is there
            self.assertTrue(debugger.do("print " + name)["ok"], name)

    def test_views(self):
        """A view of what had been written before it was made is not written over."""
        debugger = self.begin("views")
        debugger.do("break op:mul after if step == 2")
        debugger.do("run")
        for name in ("/t", "/split"):
            self.assertTrue(debugger.do("print " + name)["ok"], name)

    def test_edit(self):
        """Autograd does not notice, and what follows reads the new numbers."""
        debugger = self.begin("cnn", "1")
        debugger.do("break layers.0 after")
        debugger.do("run")
        edit = debugger.do("set layers.0[0] = 7")
        self.assertEqual((edit["ok"], edit["changed"]), (True, 144))
        debugger.do("clear")
        debugger.do("break layers.1.conv/convolution after")
        debugger.do("continue")
        self.assertEqual(debugger.do("stats layers.0[0]")["min"], 7)
        debugger.do("clear")
        self.assertNotEqual(debugger.finish(), self.plain("cnn", "1"))

    def test_refused(self):
        debugger = self.begin("cnn")
        debugger.do("break fc")
        debugger.do("run")
        self.assertIn("cannot take back", debugger.do("back")["error"])
        self.assertIn("PyTorch's", debugger.do("bypass fc")["error"])


class Watches(Case):
    def test_nan(self):
        debugger = self.begin("nan")
        debugger.do("watch preset tensor_overflow")
        stop = debugger.do("run")
        self.assertEqual((stop["reason"], stop["node"], stop["step"], stop["phase"]), ("watchpoint", "/div", 3, "forward"))
        self.assertEqual(debugger.do("stats /div")["nan"], 9)

    def test_infinity_in_backward(self):
        debugger = self.begin("infinity")
        debugger.do("watch preset tensor_overflow on phase:backward")
        stop = debugger.do("run")
        self.assertEqual((stop["reason"], stop["step"], stop["phase"]), ("watchpoint", 3, "backward"))
        self.assertTrue(stop["node"].startswith("outside/SqrtBackward0/div"), stop["node"])

    def test_loss(self):
        debugger = self.begin("cnn")
        debugger.do("watch loss > 0")
        stop = debugger.do("run")
        self.assertEqual((stop["reason"], stop["node"]), ("watchpoint", "loss"))

    def test_weights(self):
        """Once a step, when it is over."""
        debugger = self.begin("cnn")
        debugger.do("watch fc.weight > -1000")
        self.assertEqual(debugger.do("run")["node"], "fc.weight")
        self.assertEqual(debugger.do("continue")["step"], 2)


class Process(Case):
    def stopped(self):
        debugger = self.begin("sleepy")
        debugger.do("break grad(layers.0)")
        self.assertEqual(debugger.do("run")["phase"], "backward")
        return debugger

    def test_interrupt(self):
        debugger = self.stopped()
        debugger.program.send_signal(signal.SIGINT)
        out, _ = debugger.program.communicate(timeout=TIMEOUT)
        self.assertEqual(out.splitlines()[-1], "interrupted")
        self.assertEqual(debugger.program.returncode, 3)

    def test_terminate(self):
        debugger = self.stopped()
        debugger.program.send_signal(signal.SIGTERM)
        self.assertEqual(debugger.program.wait(TIMEOUT), -signal.SIGTERM)

    def test_odd_values(self):
        """Where looking fails, the training goes on as if nobody looked, and it is said."""
        debugger = self.begin("odd")
        debugger.do("break fc")
        self.assertEqual(debugger.do("run")["node"], "fc")
        self.assertEqual(debugger.do("continue")["event"], "ended")
        debugger.client.stdin.close()
        out, err = debugger.program.communicate(timeout=TIMEOUT)
        self.assertEqual(out.splitlines()[-1], self.plain("odd"))
        self.assertIn("there is no grad_fn", err)

    def test_killed_debugger(self):
        """Its breakpoints go, the training goes on."""
        debugger = self.stopped()
        debugger.client.kill()
        lines = lines_of(debugger.program.stdout)
        self.assertEqual([next(lines) for _ in range(3)], ["step 1", "step 2", "step 3"])

    def test_attach_later(self):
        """To a training that only listens: steps count from there, and it can be left again."""
        debugger = Debugger(self, "sleepy", wait=False, prefix=("-c", "import sonde, sys, runpy; sys.argv = sys.argv[1:]; "
                                                                "runpy.run_path(sys.argv[0], run_name='__main__')"))
        lines = lines_of(debugger.program.stdout)
        self.assertEqual(next(lines), "step 1")
        debugger.attach()
        self.assertEqual(debugger.do("info state")["state"], "running")
        stop = debugger.do("pause")
        self.assertEqual((stop["event"], stop["reason"]), ("stopped", "pause"))
        self.assertIsNone(debugger.do("info state")["steps_before"])
        debugger.do("break layers.0.conv")
        self.assertEqual(debugger.do("continue")["node"], "layers.0.conv")
        debugger.client.stdin.write("detach\n")
        debugger.client.stdin.close()
        debugger.client.wait(TIMEOUT)
        before = next(lines)
        self.assertNotEqual(next(lines), before)
        debugger.client.stdin = None
        again = debugger.attach()
        self.assertEqual(again.do("info breakpoints")["breakpoints"], [])

    def test_token(self):
        debugger = Debugger(self, "sleepy")
        while not os.path.exists(debugger.socket):
            pass
        token = debugger.socket.replace(".sock", ".token")
        self.assertEqual(os.stat(token).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(debugger.socket).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(os.path.dirname(token)).st_mode & 0o777, 0o700)

    def test_off(self):
        self.extra["SONDE_DEBUG"] = "0"
        answer = subprocess.run([sys.executable, "-m", "sonde.debug", PROGRAMS, "cnn", "2"],
                                env=dict(os.environ, XDG_RUNTIME_DIR=self.folder, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY, SONDE_DEBUG="0"),
                                capture_output=True, text=True, timeout=TIMEOUT, check=True)
        self.assertEqual(answer.stdout.splitlines()[-1], self.plain("cnn", "2"))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "sonde")))


class Module(unittest.TestCase):
    """What needs no PyTorch."""

    def run_python(self, code, **environment):
        return subprocess.run([sys.executable, "-c", code], env=dict(os.environ, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY, **environment),
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)

    def test_import(self):
        """No socket, no torch; sonde.debug is a module and can be called."""
        code = "import sonde, sys; sonde.debug; sonde.debug (); sonde.debug.listen; print('torch' in sys.modules)"
        with tempfile.TemporaryDirectory() as folder:
            answer = self.run_python(code, XDG_RUNTIME_DIR=folder)
            self.assertEqual((answer.stdout, answer.stderr, os.listdir(folder)), ("False\n", "", []))

    def test_no_library(self):
        """A training is never worse off than without us."""
        answer = self.run_python("import os\nos.environ['SONDE_LIBRARY'] = '/nowhere'\nimport sonde.debug\nsonde.debug.listen ()\nprint('on')")
        self.assertEqual((answer.returncode, answer.stdout), (0, "on\n"))
        self.assertIn("sonde.debug does not listen: libsonde-live.so cannot be loaded", answer.stderr)

    def test_twice(self):
        """Nested and again and again; the socket is there only meanwhile."""
        code = ("import glob, os, sonde.debug\nd = os.environ['XDG_RUNTIME_DIR'] + '/sonde/*.sock'\n"
                "for k in range(3):\n  with sonde.debug._open(counts=False) and sonde.debug.debug():\n    print(len(glob.glob(d)))\n"
                "  sonde.debug._close()\n  print(len(glob.glob(d)))")
        with tempfile.TemporaryDirectory() as folder:
            answer = self.run_python(code, XDG_RUNTIME_DIR=folder)
            self.assertEqual((answer.stdout.split(), answer.stderr), (["1", "0"] * 3, ""))


if __name__ == "__main__":
    sys.exit(main("/collector/torch-debug/"))
