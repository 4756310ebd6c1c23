#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a library needs and shows that is loaded into other people's programs.

Usage: test-library.py LIBRARY HEADER PREFIX [MODULE], MODULE being the one that declares its functions for Python.
"""
import importlib
import os
import re
import shutil
import subprocess
import sys
import unittest

LIBRARY, HEADER = [os.path.abspath(path) for path in sys.argv[1:3]]
PREFIX, MODULE = sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from tap import TapResult  # noqa: E402

# What a record is made with. No engine (oneDNN, OpenMP), no window (GTK), no database: they would meet PyTorch's own.
ALLOWED = {"libglib-2.0.so.0", "libm.so.6", "libc.so.6", "libpthread.so.0", "libisal.so.2", "libprotobuf-c.so.1", "libzstd.so.1",
           "ld-linux-x86-64.so.2"}
# Sanitizers bring their own.
SANITIZERS = re.compile(r"lib(asan|ubsan|tsan|lsan|gcc_s)\b")


def output_of(*arguments):
    return subprocess.run(arguments, check=True, stdout=subprocess.PIPE).stdout.decode()


class Library(unittest.TestCase):
    @unittest.skipUnless(shutil.which("readelf"), "no readelf")
    def test_needs(self):
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", LIBRARY)))
        self.assertIn("libglib-2.0.so.0", needed)
        self.assertEqual({name for name in needed - ALLOWED if not SANITIZERS.match(name)}, set())

    @unittest.skipUnless(shutil.which("nm"), "no nm")
    def test_shows(self):
        """Exactly the functions of the header."""
        with open(HEADER, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        declared = set(re.findall(r"\b(%s\w+) \(" % PREFIX, text))
        shown = {line.split()[-1] for line in output_of("nm", "-D", "--defined-only", LIBRARY).splitlines()}
        self.assertEqual({name for name in shown if not name.startswith("__")}, declared)

    def test_header_alone(self):
        """The header needs no other of ours, in C and in C++."""
        compilers = [(name, option) for name, option in (("cc", "c"), ("c++", "c++")) if shutil.which(name)]
        if not compilers:
            self.skipTest("no compiler")
        for name, language in compilers:
            subprocess.run([name, "-x", language, "-Wall", "-Werror", "-fsyntax-only", HEADER], check=True)

    @unittest.skipUnless(MODULE, "no module declares its functions")
    def test_module_knows_all(self):
        """The module declares every function of the header."""
        sys.path.insert(0, os.path.join(os.path.dirname(HEADER), "..", "python"))
        library = importlib.import_module(MODULE)
        with open(HEADER, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        self.assertEqual({PREFIX + name for name in library.FUNCTIONS},
                         set(re.findall(r"\b(%s\w+) \(" % PREFIX, text)))


if __name__ == "__main__":
    sys.exit(TapResult.run_module("__main__", "/collector/library/"))
