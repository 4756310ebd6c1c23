#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""BUILD/python: importable as it is, under both names, and whole, with types that fit. Usage: test-build-tree.py BUILD/python SOURCES"""
import ast
import importlib
import inspect
import json
import os
import subprocess
import sys
import tempfile
import unittest

TREE, SOURCES = [os.path.abspath(path) for path in sys.argv[1:3]]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from tap import TapResult  # noqa: E402

RECORD = """
import sonde, sys
with sonde.SummaryWriter(sys.argv[1]) as writer:
    writer.add_scalar("loss", 0.5, 1)
from sonde.debug import binding
from sonde.library import find
print(binding.get().version(), find("libsonde-record.so")[0]._name, find("libsonde-live.so")[0]._name, sep="\\n")
"""
HEAVY = """
import sys
before = set(sys.modules)
import sonde
print(*sorted(name for name in set(sys.modules) - before))
"""
SAME = """
import sonde_live, sonde, sonde_live.writer, sonde.writer
from sonde_live.debug import listen
import sonde.debug
assert sonde_live is sonde and sonde_live.writer is sonde.writer and sonde.debug.listen is listen
import sonde_live.debug.values as values
assert values is sonde.debug.values and values.__spec__.name == "sonde.debug.values"
"""
STUBS = ("sonde.library", "sonde.watch", "sonde.writer", "sonde.debug")
# What stands in the way may not be run.
STRANGER = 'open("it-was-run", "w")\n'
STILL = """
import sonde_live
from sonde_live import SummaryWriter
import sonde_live.debug
assert SummaryWriter.__module__ == "sonde_live.writer", SummaryWriter.__module__
assert callable(sonde_live.debug.listen) and callable(sonde_live.debug)
with SummaryWriter("records") as writer:
    writer.add_scalar("loss", 0.5, 1)
"""


def python(*arguments, folder=None, path=(TREE,)):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SONDE_", "LD_LIBRARY"))}
    environment["PYTHONPATH"] = os.pathsep.join(path)
    return subprocess.run([sys.executable, *arguments], cwd=folder or "/", env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False, timeout=100)


class BuildTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sonde-build-tree-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_well(self, *arguments, **more):
        result = python(*arguments, folder=self.folder, **more)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_has_every_source(self):
        def files_of(top):
            return {os.path.relpath(os.path.join(folder, name), top) for package in ("sonde", "sonde_live")
                    for folder, _, names in os.walk(os.path.join(top, package))
                    for name in names if name.endswith((".py", ".pyi", ".typed"))}
        self.assertEqual(files_of(TREE), files_of(SOURCES))

    def test_finds_its_libraries(self):
        lines = self.run_well("-c", RECORD, "records").splitlines()
        self.assertGreaterEqual(int(lines[0]), 1)
        self.assertEqual(lines[1:], [os.path.join(TREE, "sonde", name) for name in ("libsonde-record.so", "libsonde-live.so")])
        self.assertEqual(len(os.listdir(os.path.join(self.folder, "records"))), 1)

    def test_import_is_light(self):
        loaded = self.run_well("-c", HEAVY).split()
        self.assertIn("sonde.writer", loaded)
        tops = {name.split(".")[0] for name in loaded}
        self.assertEqual(tops & {"torch", "numpy", "asyncio", "multiprocessing"}, set())
        self.assertFalse([name for name in loaded if name.startswith("sonde.debug")])

    def test_two_names_of_one(self):
        self.run_well("-c", SAME)
        self.assertIn("Usage", self.run_well("-m", "sonde_live.debug", "--help"))

    def test_check(self):
        answer = json.loads(self.run_well("-m", "sonde_live", "--check"))
        self.assertEqual(answer, {"ok": True, "sonde": os.path.join(TREE, "sonde", "__init__.py"), "shadowed_by": None})
        self.assertEqual(python("-m", "sonde_live", "--wrong").returncode, 2)

    def check_shadowed(self, path):
        result = python("-m", "sonde_live", "--check", folder=self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(json.loads(result.stdout), {"ok": False, "sonde": path, "shadowed_by": {"distribution": None, "path": path}})
        self.assertIn(path, result.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "it-was-run")))

    def test_script_of_that_name(self):
        """What stands beside the user's script comes first on Python's path."""
        self.check_shadowed(self.write("sonde.py", STRANGER))
        self.run_well("-c", STILL)
        self.assertEqual(len(os.listdir(os.path.join(self.folder, "records"))), 1)

    def test_package_of_that_name(self):
        self.check_shadowed(self.write("sonde/__init__.py", STRANGER))
        self.run_well("-c", STILL)

    def test_debugs_where_shadowed(self):
        self.write("sonde.py", STRANGER)
        script = self.write("train.py", "import sonde_live\nprint(type(sonde_live.debug).__name__)\n")
        self.assertEqual(self.run_well("-m", "sonde_live.debug", script), "_Callable\n")


def members(tree):
    """{name: node} of the functions and classes of a module or class."""
    return {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


class Types(unittest.TestCase):
    """What the stubs say against what is there: the same names, the same parameters, the same defaults."""

    def compare(self, where, stub, real):
        for name, node in members(stub).items():
            if isinstance(node, ast.ClassDef):
                self.compare(where + "." + name, node, inspect.getattr_static(real, name))
            elif not node.decorator_list:  # a property, or listen () as one of the class
                self.assertEqual(self.parameters_of(node), self.real_parameters(getattr(real, name)), where + "." + name)

    @staticmethod
    def parameters_of(node):
        arguments = node.args
        defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults
        pairs = list(zip(arguments.args, defaults)) + list(zip(arguments.kwonlyargs, arguments.kw_defaults))
        found = [(argument.arg, None if default is None else repr(ast.literal_eval(default))) for argument, default in pairs]
        return sorted(found + [(one.arg, None) for one in (arguments.vararg, arguments.kwarg) if one])

    @staticmethod
    def real_parameters(function):
        return sorted((one.name, None if one.default is one.empty else repr(one.default))
                      for one in inspect.signature(function).parameters.values())

    def test_stubs(self):
        sys.path.insert(0, TREE)
        for name in STUBS:
            module = importlib.import_module(name)
            path = os.path.splitext(module.__file__)[0] + ".pyi"
            with open(path, encoding="utf-8") as file:
                self.compare(name, ast.parse(file.read()), module)

    def test_nothing_is_left_out(self):
        sys.path.insert(0, TREE)
        for name, kind in (("sonde.writer", "SummaryWriter"), ("sonde.watch", "ModuleWatch"), ("sonde.debug", "debug")):
            module = importlib.import_module(name)
            with open(os.path.splitext(module.__file__)[0] + ".pyi", encoding="utf-8") as file:
                stub = members(members(ast.parse(file.read()))[kind])
            public = {member for member in vars(getattr(module, kind)) if not member.startswith("_")}
            self.assertEqual(public - set(stub), set())


if __name__ == "__main__":
    sys.exit(TapResult.run_module(__name__, "/collector/build-tree/"))
