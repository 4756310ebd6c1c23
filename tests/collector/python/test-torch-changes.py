#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conditions that compare a weight with what it was before the optimiser's step, or look at it before the first.

Usage: test-torch-changes.py MODULE-FOLDER LIBRARY SONDE
"""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]

from torch_debugger import HERE, Case, main  # noqa: E402


class Changes(Case):
    programs = os.path.join(HERE, "torch-change-programs.py")

    def watched(self, name, *watches):
        """Stops: (step, weight, when)."""
        debugger = self.begin(name)
        for watch in watches:
            answer = debugger.do("watch preset " + watch)
            self.assertTrue(answer["ok"], answer)
        stops = []
        answer = debugger.do("run")
        while answer.get("event") == "stopped":
            self.assertEqual(answer["reason"], "watchpoint", answer)
            stops.append((answer["step"], answer["node"], answer["when"]))
            answer = debugger.do("continue")
        out, _ = debugger.program.communicate(timeout=120)
        self.assertEqual(out.splitlines()[-1], self.plain(name))
        return stops

    def test_not_changed(self):
        self.assertEqual(self.watched("rests", "weight_not_changed"),
                         [(step, "second." + name, "after") for step in (3, 4, 5) for name in ("weight", "bias")])

    def test_too_large(self):
        self.assertEqual(self.watched("jumps", "weight_change_too_large abs_mean_update_ratio_gt=1"),
                         [(4, "first.weight", "after"), (4, "first.bias", "after")])

    def test_numbers(self):
        """The ratio is what the program sees itself; every step has a hit, and none stops."""
        debugger = self.begin("adam")
        self.assertTrue(debugger.do("watch preset weight_change_too_small abs_mean_update_ratio_lt=100 on first.weight")["ok"])
        ratios, answer = [], debugger.do("run")
        while answer.get("event") == "stopped":
            ratios.append(debugger.do("info hits")["hits"][-1]["actual"])
            answer = debugger.do("continue")
        out, _ = debugger.program.communicate(timeout=120)
        told = [float(line.split()[2]) for line in out.splitlines() if line.startswith("ratio")]
        self.assertEqual(len(ratios), 5)
        for a, b in zip(ratios, told):
            self.assertAlmostEqual(a, b, places=6)

    def test_initialization(self):
        """Before the model is called for the first time; never again."""
        self.assertEqual(self.watched("zero", "weight_initialization"), [(1, "second.bias", "before")])

    def test_two_optimisers(self):
        self.assertEqual(self.watched("two", "weight_not_changed"),
                         [(step, "first." + name, "after") for step in (3, 4, 5) for name in ("weight", "bias")])

    def test_midway(self):
        """Armed where the optimiser has begun: there is nothing to compare with in that step, and nothing is said."""
        debugger = self.begin("rests")
        debugger.do("tbreak optimiser/second.weight/* if step == 3")
        self.assertEqual(debugger.do("run")["step"], 3)
        self.assertTrue(debugger.do("watch preset WNC on second.weight")["ok"])
        stop = debugger.do("continue")
        self.assertEqual((stop["reason"], stop["step"], stop["node"]), ("watchpoint", 4, "second.weight"))
        debugger.do("clear")
        self.assertEqual(debugger.finish(), self.plain("rests"))


if __name__ == "__main__":
    sys.exit(main("/collector/torch-changes/"))
