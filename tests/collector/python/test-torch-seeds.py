#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a NaN comes from, in random models; and a hundred pauses change no bit.

Usage: test-torch-seeds.py MODULE-FOLDER LIBRARY SONDE; SONDE_TORCH_SEEDS: how many models (default 6), each forward and backward
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]

from torch_debugger import TIMEOUT, Case, Debugger, lines_of, main  # noqa: E402

SEEDS = int(os.environ.get("SONDE_TORCH_SEEDS", "6"))


class Seeds(Case):
    """A watch on all values stops right after the operator that made the first NaN or infinity."""
    programs = os.path.join(HERE, "torch-seeds.py")

    def check(self, where):
        debugger = self.begin_program(where)
        lines, named = lines_of(debugger.program.stdout), []
        for line in lines:
            if line == "done":
                break
            seed, _, node = line.split()
            debugger.attach()
            self.assertTrue(debugger.do("watch preset tensor_overflow")["ok"])
            stop = debugger.do("run")
            named.append(seed)
            self.assertEqual((stop.get("node"), stop.get("reason"), stop.get("step"), stop.get("phase"), stop.get("when")),
                             (node, "watchpoint", 2, where, "after"), "model %s" % seed)
            self.leave(debugger)
        self.assertEqual(len(named), SEEDS)
        print("# %s: %d of %d named" % (where, len(named), SEEDS))
        self.assertEqual(debugger.program.wait(TIMEOUT), 0)

    def begin_program(self, where):
        return Debugger(self, where, "1", str(SEEDS), prefix=())

    @staticmethod
    def leave(debugger):
        debugger.client.stdin.close()
        debugger.client.wait(TIMEOUT)
        debugger.client.stdout.close()
        debugger.client.stderr.close()
        debugger.client = None

    def test_forward(self):
        self.check("forward")

    def test_backward(self):
        self.check("backward")


class Pauses(Case):
    def test_hundred(self):
        debugger = self.begin("cnn", "8")
        self.assertTrue(debugger.do("break * after")["ok"])
        stop = debugger.do("run")
        for k in range(1, 100):
            self.assertEqual(stop["event"], "stopped")
            if k % 7 == 0:
                debugger.do("stats " + stop["node"])
            stop = debugger.do("continue")
        self.assertEqual(stop["event"], "stopped")
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain("cnn", "8"))


if __name__ == "__main__":
    sys.exit(main("/collector/torch-seeds/"))
