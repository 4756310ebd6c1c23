#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel, installed into a new environment without a network: it needs nothing but the C library, records and debugs.

What would need PyTorch, mypy or a mount namespace is skipped with a message where that is absent.
Usage: test-wheel.py BUILD SONDE
"""
import base64
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD, SONDE = [os.path.abspath(path) for path in sys.argv[1:3]]
HERE = os.path.dirname(os.path.abspath(__file__))
MAKER = os.path.join(HERE, "..", "..", "..", "collector", "python", "wheel", "make-wheel.py")
TORCH = os.environ.get("SONDE_TORCH_PYTHON") or sys.executable
sys.path.insert(0, HERE)

from tap import TapResult  # noqa: E402

TIMEOUT = 200
OF_THE_SYSTEM = re.compile(r"(libc|libm|libpthread|libdl|librt)\.so\.\d+$|ld-linux[\w-]*\.so\.\d+$")
# What a machine without Sonde and without -dev packages may lack.
ABSENT = ("libglib-2.0", "libgobject-2.0", "libgio-2.0", "libprotobuf-c", "libisal", "libzstd", "libarchive", "libpcre2-8", "libsonde")
USE = """
import random, sonde, sys
random.seed (1)
noise = [[[random.randrange (256) / 255 for x in range (64)] for y in range (64)]] * 3
with sonde.SummaryWriter (sys.argv[1], strict=True) as writer:
    writer.add_scalar ("loss", 0.5, 1)
    writer.add_histogram ("weights", [1.0, 2.0, 3.0], 1)
    writer.add_image ("noise", noise, 1)
    writer.add_tensor ("many", [float (i % 7) for i in range (100000)], 1)
sonde.debug.listen ()
with open ("/proc/self/maps") as maps:
    print (*sorted ({line.split ()[-1] for line in maps if ".so" in line}), sep="\\n")
"""
# Programs such as mount need some of these libraries themselves.
MASK = """
import ctypes, os, sys
libc, end, bind = ctypes.CDLL (None, use_errno=True), sys.argv.index ("--"), 4096
for path in sys.argv[1:end]:
    if libc.mount (b"/dev/null", path.encode (), None, bind, None) != 0:
        raise OSError (ctypes.get_errno (), path)
os.execv (sys.argv[end + 1], sys.argv[end + 1:])
"""
TYPED = """
import sonde
import sonde_live
from sonde.debug import listen

def train(folder: str) -> int:
    with sonde.SummaryWriter(folder, strict=True) as writer:
        writer.add_scalar("loss", 0.5, 1)
        written, lost, left_out = writer.counts
    with sonde.debug(None, name="first") as d:
        length: int = d.step(len, "abc")
    listen()
    with sonde_live.debug():
        return written + length
"""
WRONG = "import sonde\nsonde.SummaryWriter(3).add_scalar('loss', 'much', step=1)\n"


def run(*command, check=True, folder=None, **environment):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("SONDE_", "PYTHON", "PIP_", "LD_", "VIRTUAL_ENV"))}
    kept["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    result = subprocess.run(command, env=dict(kept, **environment), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, encoding="utf-8", check=False, timeout=TIMEOUT)
    if check and result.returncode != 0:
        raise AssertionError("%s: %d\n%s%s" % (command, result.returncode, result.stdout, result.stderr))
    return result


def has(python, *modules):
    return run(python, "-c", "import " + ", ".join(modules), check=False).returncode == 0


def is_unsanitized():
    return "-fsanitize" not in run("ninja", "-C", BUILD, "-t", "commands", "collector/live/libsonde-live.so.1.0.0").stdout


def make_wheel(folder):
    made = run(sys.executable, MAKER, BUILD, folder, SOURCE_DATE_EPOCH="1700000000")
    return made.stdout.splitlines()[-1]


class Environment:
    """A new one, with nothing but its own pip, or without one."""

    def __init__(self, folder, *options):
        run(sys.executable, "-m", "venv", *options, folder)
        self.python = os.path.join(folder, "bin", "python")
        self.packages = glob.glob(os.path.join(folder, "lib", "python3*", "site-packages"))[0]

    def install(self, wheel):
        run(self.python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel)

    def unpack(self, wheel):
        """What pip does with a wheel without scripts, in a tenth of the time."""
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.packages)


@unittest.skipUnless(is_unsanitized(), "a build with sanitizers needs their libraries")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="sonde-wheel-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.wheel = make_wheel(os.path.join(cls.folder, "first"))
        cls.environment = Environment(os.path.join(cls.folder, "environment"))
        cls.environment.install(cls.wheel)

    def folder_for(self, name):
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        return path

    def test_same_bytes(self):
        second = make_wheel(os.path.join(self.folder, "second"))
        self.assertEqual(os.path.basename(second), os.path.basename(self.wheel))
        with open(self.wheel, "rb") as one, open(second, "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_archive(self):
        """RECORD fits, licences and types are in, the tag is the wheel's name."""
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            info = next(name for name in names if name.endswith("/RECORD"))[:-len("RECORD")]
            lines = [line.rsplit(",", 2) for line in archive.read(info + "RECORD").decode().splitlines()]
            self.assertEqual(sorted(line[0] for line in lines), sorted(names))
            for name, digest, length in lines:
                if digest:
                    data = archive.read(name)
                    sha = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, length), ("sha256=" + sha, str(len(data))), name)
            tag = re.search(r"^Tag: (.*)$", archive.read(info + "WHEEL").decode(), re.MULTILINE).group(1)
            notice = archive.read(info + "licences/THIRD-PARTY.txt").decode()
        self.assertTrue(self.wheel.endswith("-%s.whl" % tag), tag)
        self.assertTrue({"sonde/py.typed", "sonde_live/py.typed", "sonde/writer.pyi", info + "licences/LICENSE",
                         info + "licences/LGPL-2.1.txt"} <= set(names), names)
        for source in re.findall(r"^- (\S+) ", notice, re.MULTILINE):
            self.assertIn(info + "licences/%s.txt" % source, names)
        self.assertRegex(notice, r"- glib2\.0 2\.")

    def test_libraries(self):
        """Need the C library alone, in no newer version than the tag says, and show their functions alone."""
        newest = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)_", self.wheel).groups()))
        needed_versions = set()
        for name, prefix in (("libsonde-record.so", "sonde_recorder_"), ("libsonde-live.so", "sonde_program_"),
                             ("sonde_interception.abi3.so", "PyInit_sonde_interception")):
            path = os.path.join(self.environment.packages, "sonde", name)
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path).stdout)
            self.assertFalse([other for other in needed if not OF_THE_SYSTEM.match(other)])
            shown = [line.split()[-1] for line in run("nm", "-D", "--defined-only", path).stdout.splitlines()]
            self.assertFalse([other for other in shown if not other.startswith(prefix)])
            needed_versions |= {tuple(map(int, pair)) for pair in re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "-VW", path).stdout)}
        self.assertEqual(max(needed_versions), newest)

    def use(self, *before):
        folder = self.folder_for("use" + str(len(before)))
        result = run(*before, self.environment.python, "-c", USE, os.path.join(folder, "records"), XDG_RUNTIME_DIR=folder)
        self.assertEqual(result.stderr, "")
        mapped = [os.path.basename(path) for path in result.stdout.splitlines()]
        self.assertEqual([name for name in mapped if name.startswith(ABSENT)], ["libsonde-live.so", "libsonde-record.so"])
        seen = run(SONDE, "inspect", os.path.join(folder, "records")).stdout
        for tag in ("loss", "weights", "noise", "many"):
            self.assertIn(tag, seen)

    def test_use(self):
        self.use()

    def test_use_where_nothing_is(self):
        """The same where those libraries are empty files."""
        if run("unshare", "-rm", "true", check=False).returncode != 0:
            self.skipTest("no mount namespaces here")
        known = re.findall(r"=> (\S+)", run("/sbin/ldconfig", "-p").stdout)
        masked = [path for path in known if os.path.basename(path).startswith(ABSENT)]
        self.assertTrue(masked)
        self.use("unshare", "-rm", sys.executable, "-c", MASK, *sorted({os.path.realpath(path) for path in masked}), "--")

    def test_module(self):
        """What the module's own test checks, by these libraries: checksums, pictures, every kind of record."""
        packages = self.environment.packages
        result = run(self.environment.python, os.path.join(HERE, "test-module.py"), packages,
                     os.path.join(packages, "sonde", "libsonde-record.so"), check=False)
        self.assertEqual(re.findall("^not ok.*", result.stdout, re.MULTILINE), [], result.stdout)
        self.assertGreater(len(re.findall("^ok", result.stdout, re.MULTILINE)), 20)

    @unittest.skipUnless(has(TORCH, "torch", "numpy"), "PyTorch is not installed (SONDE_TORCH_PYTHON)")
    def test_debugs(self):
        folder = self.folder_for("debug")
        environment = dict(os.environ, PYTHONPATH=self.environment.packages, XDG_RUNTIME_DIR=folder, SONDE_DEBUG="wait")
        environment.pop("SONDE_LIBRARY", None)
        with subprocess.Popen([TORCH, "-m", "sonde_live.debug", os.path.join(HERE, "torch-programs.py"), "cnn", "3"], env=environment,
                              stdout=subprocess.PIPE, encoding="utf-8") as program:
            socket = os.path.join(folder, "sonde", "%d.sock" % program.pid)
            while not os.path.exists(socket) and program.poll() is None:
                pass
            script = os.path.join(folder, "script")
            with open(script, "w", encoding="utf-8") as file:
                file.write("break layers.1.conv\nrun\nstats layers.0.conv\n")
            answers = run(SONDE, "debug", "--attach", str(program.pid), "--json", "-x", script, XDG_RUNTIME_DIR=folder).stdout
            printed = program.communicate(timeout=TIMEOUT)[0]
        plain = run(TORCH, os.path.join(HERE, "torch-programs.py"), "cnn", "3", OMP_NUM_THREADS=os.environ.get("OMP_NUM_THREADS", "1"))
        found = [json.loads(line) for line in answers.splitlines()]
        self.assertIn("stopped", [answer.get("event") for answer in found], answers)
        self.assertTrue(all(answer.get("ok", True) for answer in found), answers)
        self.assertEqual(printed.splitlines()[-1], plain.stdout.splitlines()[-1])

    @unittest.skipUnless(has(sys.executable, "mypy") or shutil.which("mypy"), "mypy is not installed")
    def test_types(self):
        folder = self.folder_for("types")
        mypy = [shutil.which("mypy")] if shutil.which("mypy") else [sys.executable, "-m", "mypy"]
        for name, text, status in (("right.py", TYPED, 0), ("wrong.py", WRONG, 1)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            result = run(*mypy, "--strict", "--python-executable", self.environment.python, name, check=False, folder=folder)
            self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assertEqual(len(re.findall("error:", result.stdout)), 3, result.stdout)


@unittest.skipUnless(is_unsanitized(), "a build with sanitizers needs their libraries")
class Shadow(unittest.TestCase):
    """Another distribution whose package is called `sonde`, installed before ours and after."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sonde-shadow-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.ours = make_wheel(self.folder)
        self.environment = Environment(os.path.join(self.folder, "environment"), "--without-pip")

    def make_other(self):
        files = {"sonde/__init__.py": b"raise SystemExit('the other one was run')\n",
                 "sonde-0.2.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: sonde\nVersion: 0.2.0\n",
                 "sonde-0.2.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
        record = "sonde-0.2.0.dist-info/RECORD"
        files[record] = "".join(name + ",,\n" for name in [*files, record]).encode()
        path = os.path.join(self.folder, "sonde-0.2.0-py3-none-any.whl")
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return path

    def check(self):
        result = run(self.environment.python, "-m", "sonde_live", "--check", check=False)
        return result, json.loads(result.stdout)

    def test_other_comes_later(self):
        self.environment.unpack(self.ours)
        self.assertEqual(self.check()[1]["shadowed_by"], None)
        self.environment.unpack(self.make_other())
        result, answer = self.check()
        path = os.path.join(self.environment.packages, "sonde", "__init__.py")
        self.assertEqual(answer, {"ok": False, "sonde": path, "shadowed_by": {"distribution": "sonde 0.2.0", "path": path}})
        self.assertEqual(result.returncode, 1)
        self.assertIn("package sonde 0.2.0: uninstall it", result.stderr)
        result = run(self.environment.python, "-c", "from sonde_live import SummaryWriter", check=False)
        self.assertIn("ImportError: “import sonde” finds", result.stderr)

    def test_other_was_there(self):
        self.environment.unpack(self.make_other())
        self.environment.unpack(self.ours)
        result, answer = self.check()
        self.assertEqual((result.returncode, answer["ok"], answer["shadowed_by"]), (0, True, None))
        self.assertIn("sonde 0.2.0", result.stderr)
        run(self.environment.python, "-c", "import sonde, sonde_live; assert sonde.SummaryWriter is sonde_live.SummaryWriter")


if __name__ == "__main__":
    sys.exit(TapResult.run_module(__name__, "/collector/wheel/"))
