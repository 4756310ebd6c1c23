# SPDX-License-Identifier: Apache-2.0
"""A training in PyTorch and `sonde debug --repl --json` at its session, for the cases that need both.

The three arguments of each test are MODULE-FOLDER LIBRARY SONDE, and behind them those cases that are to run (“Values.test_edit”). Without PyTorch every Case is skipped and says so;
scripts/test --torch runs them with the Python in SONDE_TORCH_PYTHON.
"""
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from tap import TapResult

FOLDER, LIBRARY, SONDE = [os.path.abspath(path) for path in sys.argv[1:4]]
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "torch-programs.py")
HAVE = subprocess.run([sys.executable, "-c", "import torch, numpy"], capture_output=True, check=False).returncode == 0
TIMEOUT = 120


def lines_of(stream):
    for line in stream:
        yield line.rstrip("\n")


class Debugger:
    """A program and, at its session, `sonde debug --repl --json`."""

    def __init__(self, case, name, *arguments, wait=True, prefix=("-m", "sonde.debug")):
        """`name`, `arguments`: of case.programs."""
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": case.folder, "PYTHONPATH": FOLDER, "SONDE_LIBRARY": LIBRARY,
                            "SONDE_DEBUG": "wait" if wait else "listen", **case.extra}
        self.program = subprocess.Popen([sys.executable, *prefix, case.programs, name, *arguments], env=self.environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        cwd=case.folder)  # what it records goes there
        self.socket = os.path.join(case.folder, "sonde", "%d.sock" % self.program.pid)
        self.client = None
        self.told = []  # lines of events that came before an answer
        case.addCleanup(self.end)

    def attach(self):
        """Once the program listens; it fails where that ends before it does, or takes too long."""
        end = time.monotonic() + TIMEOUT
        while not os.path.exists(self.socket):
            if self.program.poll() is not None or time.monotonic() > end:
                self.program.kill()
                raise AssertionError("the program does not listen: " + self.program.communicate()[1])
            select.select([], [], [], 0.01)
        self.client = subprocess.Popen([SONDE, "debug", "--attach", str(self.program.pid), "--repl", "--json"], env=self.environment,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return self

    def do(self, line):
        """The answer."""
        self.client.stdin.write(line + "\n")
        self.client.stdin.flush()
        for answer in lines_of(self.client.stdout):
            found = json.loads(answer)
            if "command" in found:
                return found
            self.told.append(answer)
        raise AssertionError("no answer to “%s”: %s" % (line, self.client.stderr.read()))

    def finish(self):
        """Lets go; what the program printed last."""
        if self.client is not None:
            self.client.stdin.close()
            self.client.wait(TIMEOUT)
        out, err = self.program.communicate(timeout=TIMEOUT)
        assert self.program.returncode == 0, err
        return out.splitlines()[-1]

    def end(self):
        for process in (self.client, self.program):
            if process is not None:
                if process.poll() is None:
                    process.kill()
                process.wait(TIMEOUT)
                for stream in (process.stdin, process.stdout, process.stderr):
                    if stream is not None:
                        stream.close()


@unittest.skipUnless(HAVE, "PyTorch is not installed: scripts/test --torch says how these run")
class Case(unittest.TestCase):
    programs = PROGRAMS  # a script whose first argument is the name of a training

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sonde-torch-")
        self.extra = {}
        self.addCleanup(shutil.rmtree, self.folder)

    def plain(self, name, *arguments):
        return subprocess.run([sys.executable, self.programs, name, *arguments], check=True, capture_output=True, text=True,
                              timeout=TIMEOUT).stdout.splitlines()[-1]

    def begin(self, name, *arguments, **options):
        return Debugger(self, name, *arguments, **options).attach()


def main(prefix):
    """The exit status of the test that is run."""
    if not HAVE:
        print("# PyTorch is not installed: its cases are SKIPPED", file=sys.stderr)
    return TapResult.run_module("__main__", prefix, sys.argv[4:])
