#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that do what a debugger in them could stumble over: under `python -m sonde.debug` they print and end as without it.
Most need no PyTorch; what does is skipped without and says so.

Usage: test-torch-hostile.py MODULE-FOLDER LIBRARY SONDE
"""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from torch_debugger import Case, FOLDER, LIBRARY, PROGRAMS, SONDE, TIMEOUT, lines_of, main

SCRIPTS = {
    "raises": "print('on', flush=True)\nraise ValueError('mine')\n",
    "exits": "import sys\nprint('on')\nsys.exit(7)\n",
    "exits_with_text": "import sys\nsys.exit('that was all')\n",
    "exits_inside": "import sys, sonde\nwith sonde.debug():\n  with sonde.debug():\n    sys.exit(5)\n",
    "leaves": "import os\nprint('on', flush=True)\nos._exit(9)\n",
    "killed": "import os, signal\nprint('on', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "forks": "import os\nchild = os.fork()\nif child == 0:\n  os._exit(3)\nprint(os.waitpid(child, 0)[1] >> 8)\n",
    "child_goes_on": "import os\nif os.fork() == 0:\n  print('child', flush=True)\nelse:\n  os.wait()\n  print('parent')\n",
    "other_stdout": "import sys\nclass Out:\n  def write(self, text):\n    sys.__stdout__.write(text.upper())\nsys.stdout = Out()\nprint('on')\n",
    "no_stdout": "import sys\nsys.__stdout__.write('on\\n')\nsys.stdout = sys.stderr = None\nprint('off')\n",
    "asyncio": "import asyncio\nasync def step(k):\n  await asyncio.sleep(0)\n  return k\n"
               "async def all():\n  print(sum(await asyncio.gather(*map(step, range(5)))))\nasyncio.run(all())\n",
    "no_argv": "import sys\nprint(sys.argv[1:])\nsys.argv.clear()\ndel sys.argv\nimport sonde\nwith sonde.debug():\n  print('on')\n",
    "names": "import os, sys\nprint(__name__, os.path.basename(__file__), sys.argv[1:], os.path.basename(sys.path[0]) == os.path.basename("
             "os.path.dirname(os.path.abspath(__file__))), sys.modules['__main__'].__dict__ is globals())\n",
    "pickles": "import pickle\nclass Mine:\n  pass\nprint(type(pickle.loads(pickle.dumps(Mine()))) is Mine)\n",
    "spawns": "import multiprocessing\ndef square(x):\n  return x * x\nif __name__ == '__main__':\n"
              "  with multiprocessing.get_context('spawn').Pool(1) as pool:\n    print(pool.map(square, range(4)))\n",
    "handles": "import os, signal\nsignal.signal(signal.SIGUSR1, lambda *_: print('usr1'))\nsignal.signal(signal.SIGINT, lambda *_: print('int'))\n"
               "os.kill(os.getpid(), signal.SIGUSR1)\nos.kill(os.getpid(), signal.SIGINT)\nprint('on')\n",
    "thread_stays": "import threading\ngo = threading.Event()\ndef late():\n  go.wait()\n  print('late')\n"
                    "threading.Thread(target=late).start()\nprint('main')\ngo.set()\n",
    "warns": "import warnings\nwarnings.simplefilter('error')\nprint('on')\n",
}
FAKE_TORCH = "__version__ = '1.8.0'\n"


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sonde-hostile-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY)
        self.environment.pop("SONDE_DEBUG", None)

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_python(self, *arguments, **environment):
        answer = subprocess.run([sys.executable, *arguments], env={**self.environment, **environment}, cwd=self.folder, capture_output=True,
                                text=True, timeout=TIMEOUT, check=False)
        return answer.returncode, answer.stdout, answer.stderr.strip().splitlines()[-1:]

    def sockets(self):
        return glob.glob(os.path.join(self.environment["XDG_RUNTIME_DIR"], "sonde", "*.sock"))

    def test_as_without(self):
        """Exit status, output, and the last line of what went wrong."""
        for name, text in SCRIPTS.items():
            with self.subTest(name):
                script = self.write("script_%s.py" % name, text)  # not asyncio.py, which would stand before Python's own
                self.environment["XDG_RUNTIME_DIR"] = os.path.join(self.folder, name)
                os.mkdir(self.environment["XDG_RUNTIME_DIR"])
                plain = self.run_python(script, "--a", "b", SONDE_DEBUG="0")
                self.assertEqual(self.run_python("-m", "sonde.debug", script, "--a", "b"), plain)
                self.assertTrue(plain[1] or plain[2] or name == "exits_inside", name)
                if name not in ("leaves", "killed"):
                    self.assertEqual(self.sockets(), [])

    def test_listening(self):
        """The same with SONDE_DEBUG=listen; a spawned worker that imports sonde has no session of its own."""
        text = "import sonde\n" + SCRIPTS["spawns"].replace("return x * x", "import glob, os\n  return len(glob.glob("
                                                            "os.environ['XDG_RUNTIME_DIR'] + '/sonde/*.sock'))")
        script = self.write("spawns.py", text)
        self.assertEqual(self.run_python(script, SONDE_DEBUG="listen"), (0, "[1, 1, 1, 1]\n", []))
        self.assertEqual(self.sockets(), [])

    def test_module(self):
        """-m PACKAGE.MODULE, with relative imports."""
        self.write("package/__init__.py", "")
        self.write("package/other.py", "name = __name__\n")
        self.write("package/run.py", "import sys\nfrom . import other\nfrom .other import name\n"
                                     "print(__name__, __package__, __spec__.name, name, sys.argv[1:], sys.modules['__main__'].__dict__ is globals())\n")
        plain = self.run_python("-m", "package.run", "x", "-m", "y")
        self.assertEqual(self.run_python("-m", "sonde.debug", "-m", "package.run", "x", "-m", "y"), plain)
        self.assertEqual(plain[0], 0)

    def test_folder(self):
        """A folder with a __main__.py."""
        self.write("app/__main__.py", "import beside\nprint(__name__, beside.__name__)\n")
        self.write("app/beside.py", "")
        folder = os.path.join(self.folder, "app")
        self.assertEqual(self.run_python("-m", "sonde.debug", folder), self.run_python(folder))

    def test_usage(self):
        for arguments in ((), ("-m",)):
            status, out, last = self.run_python("-m", "sonde.debug", *arguments)
            self.assertEqual((status, out, "sonde.debug" in last[0]), (2, "", True))
        self.assertEqual(self.run_python("-m", "sonde.debug", "--help")[0], 0)
        status, _, last = self.run_python("-m", "sonde.debug", "nowhere.py")
        self.assertEqual((status, last), (2, ["sonde.debug: there is no program “nowhere.py”"]))

    def test_gone(self):
        """Who asks for a program that has left without a word hears so."""
        script = self.write("leaves.py", "import os\nprint(os.getpid(), flush=True)\nos._exit(9)\n")
        pid = self.run_python("-m", "sonde.debug", script)[1].strip()
        answer = subprocess.run([SONDE, "debug", "--attach", pid, "--repl"], env=self.environment, stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn(pid, answer.stderr)

    def test_old_torch(self):
        """One that lacks what is needed: its version is said, and the program runs."""
        self.write("old/torch/__init__.py", FAKE_TORCH)
        script = self.write("uses.py", "import torch\nprint(torch.__version__)\n")
        answer = subprocess.run([sys.executable, "-m", "sonde.debug", script], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT, check=False,
                                env={**self.environment, "PYTHONPATH": os.path.join(self.folder, "old") + os.pathsep + FOLDER})
        self.assertEqual((answer.returncode, answer.stdout), (0, "1.8.0\n"))
        self.assertIn("sonde.debug does not listen any more: torch 1.8.0 has no torch._C, torch.autograd", answer.stderr)
        self.assertIn("PyTorch 2.1 or later is needed (the program goes on)", answer.stderr)


    def test_no_torch(self):
        """A script that imports no torch runs without it; one whose import fails hears what it would."""
        self.write("broken/torch/__init__.py", "raise ImportError('not today')\n")
        script = self.write("plain.py", "import sys\nprint('torch' in sys.modules, len([1 for finder in sys.meta_path if 'sonde' in type(finder).__module__]))\n"
                            "try:\n  import torch\nexcept ImportError as problem:\n  print(problem)\nprint('on')\n")
        self.environment["PYTHONPATH"] = os.path.join(self.folder, "broken") + os.pathsep + FOLDER
        self.assertEqual(self.run_python("-m", "sonde.debug", script), (0, "False 1\nnot today\non\n", []))
        self.assertEqual(self.run_python(script)[1], "False 0\nnot today\non\n")


class Trainings(Case):
    def test_handlers(self):
        """A handler of the program's own runs while it stands, and it stands on."""
        self.programs = os.path.join(self.folder, "handles.py")
        with open(self.programs, "w", encoding="utf-8") as file:
            file.write("import signal, sys\nsignal.signal(signal.SIGUSR1, lambda *_: print('usr1', flush=True))\n"
                       "sys.path.insert(0, %r)\nprograms = __import__('torch-programs')\nprograms.STEPS = 3\nprograms.cnn()\n" % os.path.dirname(PROGRAMS))
        debugger = self.begin("cnn")
        debugger.do("break fc")
        self.assertEqual(debugger.do("run")["node"], "fc")
        debugger.program.send_signal(signal.SIGUSR1)
        self.assertEqual(next(lines_of(debugger.program.stdout)), "usr1")
        self.assertEqual(debugger.do("info state")["state"], "paused")
        debugger.do("clear")
        self.assertEqual(debugger.do("continue")["event"], "ended")

    def test_late_torch(self):
        """Imported where the training begins, long after the session: steps count from the first, and breakpoints that were set before hold."""
        self.programs = os.path.join(self.folder, "late.py")
        with open(self.programs, "w", encoding="utf-8") as file:
            file.write("import sys\nassert 'torch' not in sys.modules\nsys.path.insert(0, %r)\nprograms = __import__('torch-programs')\n"
                       "programs.torch.manual_seed(1)\nprograms.torch.set_num_threads(1)\nprograms.cnn()\n" % os.path.dirname(PROGRAMS))
        debugger = self.begin("cnn")
        self.assertTrue(debugger.do("break fc after if step == 3")["ok"])
        stop = debugger.do("run")
        self.assertEqual((stop["node"], stop["step"]), ("fc", 3))
        self.assertEqual(debugger.do("info state")["steps_before"], 0)
        debugger.do("clear")
        last = debugger.finish()
        self.programs = PROGRAMS
        self.assertEqual(last, self.plain("cnn"))

    def test_missing_interface(self):
        """Found when something is asked for: the debugging ends, the training does not."""
        code = ("import sys\nimport torch\nimport sonde.debug\nsonde.debug.listen()\ndel torch._C._current_autograd_node\n"
                "session = sonde.debug._current[0]\nsession.library.is_armed = lambda program: 1\nsession._answers._call(None)\n"
                "torch.nn.Linear(2, 2)(torch.ones(1, 2))\nprint('on')\n")
        answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT, check=False, env=dict(
            os.environ, XDG_RUNTIME_DIR=self.folder, PYTHONPATH=FOLDER, SONDE_LIBRARY=LIBRARY))
        self.assertEqual((answer.returncode, answer.stdout), (0, "on\n"))
        self.assertIn("has no torch._C._current_autograd_node", answer.stderr)


if __name__ == "__main__":
    sys.exit(main("/collector/torch-hostile/"))
