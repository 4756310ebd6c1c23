#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who comes to a training in PyTorch: two debuggers at once, one that is killed, one with a wrong token, one of another user.
Each hears a clear word, and the weights are those of a run that nobody looked at.

Usage: test-torch-clients.py MODULE-FOLDER LIBRARY SONDE
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]

import torch_debugger  # noqa: E402
from torch_debugger import Case, SONDE, TIMEOUT  # noqa: E402

NOBODY = 65534


class Clients(Case):
    def setUp(self):
        super().setUp()
        self.debugger = self.begin("cnn", "4")
        self.debugger.do("break layers.1.conv")
        self.assertEqual(self.debugger.do("run")["event"], "stopped")

    def ask(self, *lines, before=(), **environment):
        """Another `sonde debug`: its answers and what it says beside them."""
        result = subprocess.run([*before, SONDE, "debug", "--attach", str(self.debugger.program.pid), "--repl", "--json"],
                                input="".join(line + "\n" for line in lines), env=dict(self.debugger.environment, **environment),
                                capture_output=True, text=True, timeout=TIMEOUT, check=False)
        return result.returncode, [json.loads(line) for line in result.stdout.splitlines()], result.stderr

    def goes_on(self):
        """Still where it stood; then to its end, with the same bits."""
        self.assertEqual(self.debugger.do("info state")["node"], "layers.1.conv")
        self.debugger.do("clear")
        self.assertEqual(self.debugger.finish(), self.plain("cnn", "4"))

    def test_second(self):
        """It sees all and commands nothing."""
        _, answers, _ = self.ask("info state", "stats fc.weight", "break fc", "continue", "set fc.bias = 0")
        state, seen, *refused = answers
        self.assertEqual((state["state"], state["in_control"]), ("paused", False))
        self.assertEqual(seen["count"], self.debugger.do("stats fc.weight")["count"])
        for answer in refused:
            self.assertFalse(answer["ok"], answer)
            self.assertIn("Another client controls this session", answer["error"])
        self.assertEqual(len(self.debugger.do("info breakpoints")["breakpoints"]), 1)
        self.goes_on()

    def test_killed(self):
        """While it stands: its breakpoints go, the training ends as ever."""
        self.debugger.client.send_signal(signal.SIGKILL)
        self.debugger.client.wait(TIMEOUT)
        out, err = self.debugger.program.communicate(timeout=TIMEOUT)
        self.assertEqual((self.debugger.program.returncode, err), (0, ""))
        self.assertEqual(out.splitlines()[-1], self.plain("cnn", "4"))

    def test_wrong_token(self):
        copy = os.path.join(self.folder, "copy", "sonde")
        os.makedirs(copy, mode=0o700)
        os.symlink(self.debugger.socket, os.path.join(copy, os.path.basename(self.debugger.socket)))
        name = os.path.basename(self.debugger.socket).replace(".sock", ".token")
        token = os.path.join(os.path.dirname(self.debugger.socket), name)
        # The lock of the one who listens marks the file as in use: the same file by another name would be the right token.
        with open(os.path.join(copy, name), "w", encoding="utf-8") as file:
            with open(token, encoding="utf-8") as right:
                text = right.read()
            file.write(("0" if text[0] != "0" else "1") + text[1:])
            file.flush()
            lock = subprocess.Popen(["flock", os.path.join(copy, name), "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(lock.stdout.close)
            lock.stdin.write(b"x")
            lock.stdin.flush()
            lock.stdout.read(1)  # it holds it
            status, answers, said = self.ask("info state", XDG_RUNTIME_DIR=os.path.dirname(copy))
            lock.stdin.close()
            lock.wait(TIMEOUT)
        self.assertEqual((status, answers), (1, []))
        self.assertIn("token", said)
        self.goes_on()

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root can be somebody else")
    def test_other_user(self):
        os.chmod(self.folder, 0o755)  # what is ours alone is the folder in it
        status, answers, said = self.ask("info state", before=("setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY, "--clear-groups"))
        self.assertEqual((status, answers), (1, []))
        self.assertIn("must belong to this user", said)
        self.goes_on()


if __name__ == "__main__":
    sys.exit(torch_debugger.main("/collector/torch-clients/"))
