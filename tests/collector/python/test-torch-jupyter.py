#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training in a cell of Jupyter under the debugger: the interrupt button ends a pause, and the kernel lives.

Without ipykernel and jupyter_client every case is skipped and says so.
Usage: test-torch-jupyter.py MODULE-FOLDER LIBRARY SONDE
"""
import os
import queue
import subprocess
import sys
import time
import unittest

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]

import torch_debugger  # noqa: E402
from torch_debugger import Case, Debugger, FOLDER, LIBRARY, TIMEOUT  # noqa: E402

try:
    from jupyter_client.manager import KernelManager
    import ipykernel  # noqa: F401, pylint: disable=unused-import
except ImportError:
    KernelManager = None

PREPARE = """
import torch, sonde
torch.manual_seed (1)
model = torch.nn.Sequential (torch.nn.Linear (4, 8), torch.nn.ReLU (), torch.nn.Linear (8, 2))
optimiser = torch.optim.SGD (model.parameters (), lr=0.1)
x, y = torch.randn (16, 4), torch.randint (0, 2, (16,))
steps = 0
def train (n):
    global steps
    for i in range (n):
        optimiser.zero_grad ()
        torch.nn.functional.cross_entropy (model (x), y).backward ()
        optimiser.step ()
        steps += 1
"""
CELL = """
with sonde.debug (model, optimiser, wait=True, name=%r):
    train (%d)
"""


class Attached(Debugger):
    """The client alone: the program is a kernel."""

    def __init__(self, case, manager):  # pylint: disable=super-init-not-called
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=case.folder)
        self.program = manager.provisioner.process
        self.client = None
        case.addCleanup(self.let_go)
        self.socket = os.path.join(case.folder, "sonde", "%d.sock" % self.program.pid)
        end = time.monotonic() + TIMEOUT  # a kernel outlives a cell that does not listen
        while not os.path.exists(self.socket):
            if time.monotonic() > end:
                raise AssertionError("the cell does not listen")
        self.attach()

    def finish(self):
        self.client.stdin.close()
        self.client.wait(TIMEOUT)

    def let_go(self):
        if self.client is not None:
            if self.client.poll() is None:
                self.client.kill()
            self.client.wait(TIMEOUT)
            for stream in (self.client.stdin, self.client.stdout, self.client.stderr):
                stream.close()


@unittest.skipUnless(KernelManager, "ipykernel and jupyter_client are not installed")
class Jupyter(Case):
    def setUp(self):
        super().setUp()
        environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY, OMP_NUM_THREADS="1",
                           IPYTHONDIR=self.folder, JUPYTER_RUNTIME_DIR=self.folder)
        self.manager = KernelManager(connection_file=os.path.join(self.folder, "kernel.json"))
        self.manager.kernel_spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self.manager.start_kernel(env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.manager.shutdown_kernel, now=True)
        self.kernel = self.manager.client()
        self.kernel.start_channels()
        self.addCleanup(self.kernel.stop_channels)
        self.kernel.wait_for_ready(TIMEOUT)
        self.assertEqual(self.run_cell(PREPARE)["status"], "ok")

    def answer_of(self, cell):
        """What the cell that was begun came to."""
        while True:
            reply = self.kernel.get_shell_msg(timeout=TIMEOUT)
            if reply["parent_header"].get("msg_id") == cell:
                return reply["content"]

    def run_cell(self, text):
        return self.answer_of(self.kernel.execute(text))

    def value_of(self, expression):
        content = self.answer_of(self.kernel.execute("", user_expressions={"it": expression}))
        return content["user_expressions"]["it"]["data"]["text/plain"]

    def begin_cell(self, name, n):
        cell = self.kernel.execute(CELL % (name, n))
        return cell, Attached(self, self.manager)

    def has_answered(self, cell):
        try:
            return self.kernel.get_shell_msg(timeout=0)["parent_header"].get("msg_id") == cell
        except queue.Empty:
            return False

    def interrupt(self, cell):
        """The button: nothing was answered before it."""
        self.assertFalse(self.has_answered(cell))
        self.manager.interrupt_kernel()
        content = self.answer_of(cell)
        self.assertEqual((content["status"], content.get("ename")), ("error", "KeyboardInterrupt"))

    def test_interrupt_then_again(self):
        """In forward, then in backward; the same kernel trains on, and is debugged again."""
        for name, place in (("first", "2"), ("second", "grad(2)")):
            before = int(self.value_of("steps"))
            cell, debugger = self.begin_cell(name, 1000)
            self.assertTrue(debugger.do("break " + place)["ok"])
            self.assertEqual(debugger.do("run")["event"], "stopped")
            self.interrupt(cell)
            self.assertEqual(int(self.value_of("steps")), before)
            debugger.finish()
        cell, debugger = self.begin_cell("third", 3)
        self.assertEqual(debugger.do("info state")["title"], "third")
        self.assertTrue(debugger.do("break op:relu")["ok"])
        self.assertEqual(debugger.do("run")["event"], "stopped")
        debugger.do("clear")
        debugger.finish()
        self.assertEqual(self.answer_of(cell)["status"], "ok")
        self.assertEqual(self.run_cell("train (2)")["status"], "ok")
        self.assertEqual(self.value_of("steps"), "5")

    def test_interrupt_before_the_first(self):
        """It waits for a debugger that never says run."""
        cell, debugger = self.begin_cell("waits", 1)
        self.assertEqual(debugger.do("info state")["state"], "ready")
        self.interrupt(cell)
        self.assertEqual(self.value_of("steps"), "0")

    def test_interrupt_between(self):
        """A run that nobody stopped ends as ever."""
        cell, debugger = self.begin_cell("goes", 10 ** 9)
        self.assertTrue(debugger.do("break no.such.module")["ok"])
        debugger.client.stdin.write("run\n")
        debugger.client.stdin.flush()
        self.interrupt(cell)
        self.assertEqual(self.run_cell("train (1)")["status"], "ok")


if __name__ == "__main__":
    sys.exit(torch_debugger.main("/collector/torch-jupyter/"))
