#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""profile start, profile stop and info profile in a PyTorch program: torch's own profiler, into a trace that Sonde reads.

Usage: test-torch-profile.py MODULE-FOLDER LIBRARY SONDE
"""
import json
import os
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]

from torch_debugger import SONDE, TIMEOUT, Case, main  # noqa: E402


class Profiles(Case):
    def setUp(self):
        super().setUp()
        before = os.getcwd()
        os.chdir(self.folder)  # traces are written below it
        self.addCleanup(os.chdir, before)

    def inspect(self, trace):
        return json.loads(subprocess.run([SONDE, "inspect", "--json", trace], check=True, capture_output=True, text=True,
                                         timeout=TIMEOUT).stdout)["traces"][0]

    def stand(self, *arguments):
        debugger = self.begin(*arguments)
        self.assertTrue(debugger.do("tbreak op:addmm")["ok"])
        self.assertEqual(debugger.do("run")["event"], "stopped")
        return debugger

    def test_steps(self):
        """Three whole steps behind the one that it stands in and one that warms up; the bits stay."""
        debugger = self.stand("cnn", "8")
        started = debugger.do("profile start 3")
        self.assertEqual((started["ok"], started["recording"], started["steps"]), (True, True, 0))
        self.assertIn("already being recorded", debugger.do("profile start 3")["error"])
        debugger.do("tbreak op:addmm if step == 7")
        self.assertEqual(debugger.do("continue")["step"], 7)
        ended = debugger.do("info profile")
        self.assertEqual((ended["recording"], ended["steps"]), (False, 3))
        self.assertGreater(ended["bytes"], 0)
        trace = ended["trace"]
        self.assertEqual(os.path.realpath(trace), os.path.realpath(os.path.join(
            self.folder, "runs", os.listdir(os.path.join(self.folder, "runs"))[0], "traces", "step00000003-00000005.pt.trace.json.gz")))
        found = self.inspect(trace)
        counts = {row["name"]: row["count"] for row in found["names"]}
        self.assertEqual(found["producer"], "pytorch")
        self.assertEqual(sorted(name for name in counts if name.startswith("ProfilerStep")), ["ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"])
        self.assertGreaterEqual(counts["aten::addmm"], 3)
        self.assertIn("No profile is being recorded", debugger.do("profile stop")["error"])
        self.assertEqual(debugger.finish(), self.plain("cnn", "8"))

    def test_stop(self):
        """Until it is stopped, within a step: whole steps are counted."""
        debugger = self.stand("cnn", "8")
        self.assertTrue(debugger.do("profile start")["recording"])
        debugger.do("tbreak op:addmm if step == 5")
        debugger.do("continue")
        self.assertEqual(debugger.do("info profile")["steps"], 2)
        stopped = debugger.do("profile stop")
        self.assertEqual((stopped["recording"], stopped["steps"]), (False, 2))
        self.assertTrue(os.path.exists(stopped["trace"]))
        kept = debugger.do("profile save " + os.path.join(self.folder, "mine"))
        self.assertEqual(os.path.dirname(kept["trace"]), os.path.join(self.folder, "mine", "traces"))
        self.assertTrue(os.path.exists(kept["trace"]))
        self.assertEqual(debugger.finish(), self.plain("cnn", "8"))

    def test_end(self):
        """The program ends first: what was recorded of whole steps is written."""
        debugger = self.stand("cnn", "5")
        debugger.do("profile start 100")
        self.assertEqual(debugger.finish(), self.plain("cnn", "5"))
        run = os.path.join(self.folder, "runs", os.listdir(os.path.join(self.folder, "runs"))[0], "traces")
        self.assertEqual(os.listdir(run), ["step00000003-00000005.pt.trace.json.gz"])

    def test_nothing(self):
        """Stopped before a step was over: there is no file, and that is said."""
        debugger = self.stand("cnn", "5")
        debugger.do("profile start 2")
        stopped = debugger.do("profile stop")
        self.assertEqual((stopped["ok"], stopped["steps"], "trace" in stopped), (True, 0, False))
        self.assertIn("No complete step", debugger.do("profile save " + self.folder)["error"])
        self.assertIn("does not choose", debugger.do("profile start 2 when step_ms > 2*median")["error"])
        self.assertEqual(debugger.finish(), self.plain("cnn", "5"))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "runs")))


if __name__ == "__main__":
    sys.exit(main("/collector/torch-profile/"))
