#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast `sonde scan` reads: copies of the sources of installed packages up to a number of lines, the processor time and
the peak memory of the program over them. Usage: scan-lines.py PROGRAM FOLDER [--lines N] [--rounds N]
FOLDER: any with Python sources, as the site-packages of an environment with torch."""
import argparse
import os
import resource
import subprocess
import tempfile

TARGET_SECONDS, TARGET_MB = 3, 500  # of a million lines


def copy_sources(folder, target, wanted):
    """Returns the numbers of files, lines and bytes; a folder is gone through again until there are enough lines."""
    files = lines = size = turn = 0
    while lines < wanted:
        before = lines
        for where, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(where, name)
                if not name.endswith(".py") or lines >= wanted or os.path.getsize(path) > 2 << 20:
                    continue
                with open(path, "rb") as source:
                    data = source.read()
                copy = os.path.join(target, str(turn), os.path.relpath(path, folder))
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                with open(copy, "wb") as made:
                    made.write(data)
                files, lines, size = files + 1, lines + data.count(b"\n"), size + len(data)
        turn += 1
        if lines == before:
            raise SystemExit("scan-lines: %s has no Python sources" % folder)
    return files, lines, size


def measure(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.devnull, "w") as nothing:
        subprocess.run(command, check=True, stdout=nothing)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--lines", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as target:
        files, lines, size = copy_sources(options.folder, target, options.lines)
        print("%d files, %d lines, %.1f MB" % (files, lines, size / 1e6))
        for name, more in (("text", []), ("json", ["--json"])):
            rounds = [measure([options.program, "scan", target] + more) for _ in range(options.rounds)]
            seconds, peak = min(each[0] for each in rounds), max(each[1] for each in rounds)
            print("%s: %.2f s of processor time, %.0f lines/ms, %.0f MB (targets of a million lines: %d s, %d MB)"
                  % (name, seconds, lines / seconds / 1e3, peak, TARGET_SECONDS, TARGET_MB))


if __name__ == "__main__":
    main()
