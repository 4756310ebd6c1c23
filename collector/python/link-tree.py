#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A folder that PYTHONPATH may name: links to the sources of the packages, and beside them to the libraries as built.

Usage: link-tree.py STAMP FOLDER SOURCES LIBRARY… [-- FILE…], FILE being a source below SOURCES that belongs in it.
"""
import os
import shutil
import sys


def link(target, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(os.path.relpath(target, os.path.dirname(path)), path)


def main():
    stamp, folder, sources = [os.path.abspath(path) for path in sys.argv[1:4]]
    end = sys.argv.index("--")
    shutil.rmtree(folder, ignore_errors=True)
    for source in sys.argv[end + 1:]:
        link(os.path.join(sources, source), os.path.join(folder, source))
    for library in sys.argv[4:end]:
        name = os.path.basename(library)
        link(os.path.abspath(library), os.path.join(folder, "sonde", name[:name.index(".so") + 3]))
    with open(stamp, "w", encoding="utf-8"):
        pass


if __name__ == "__main__":
    main()
