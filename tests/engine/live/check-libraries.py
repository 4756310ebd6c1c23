#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a program that is linked with the live library alone needs more of Sonde or of other libraries.

Usage: check-libraries.py PROGRAM
"""
import re
import subprocess
import sys

SYMBOLS = re.compile(r"^(sonde_(plan|execution|pass|device|op_table|cpu|debugger|trainer)_|GOMP_|dnnl_|gtk_|sqlite3_|g_application_)")
LIBRARIES = re.compile(r"lib(gomp|iomp|dnnl|gtk|adwaita|sqlite3|sonde)")


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def main():
    names = {line.split()[0].split("@")[0] for line in run("nm", "-P", sys.argv[1]).splitlines() if line}
    needed = re.findall(r"NEEDED.*\[(.*?)\]", run("readelf", "-d", sys.argv[1]))
    bad = [sorted(name for name in names if SYMBOLS.match(name)), [name for name in needed if LIBRARIES.match(name)]]
    print("1..2")
    for number, (what, found) in enumerate(zip(("symbols", "libraries"), bad), 1):
        print(f"{'not ok' if found else 'ok'} {number} - /engine/live/{what}")
        for name in found[:20]:
            print(f"# needs {name}")
    return 1 if any(bad) else 0


if __name__ == "__main__":
    sys.exit(main())
