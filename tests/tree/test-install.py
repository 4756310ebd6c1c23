#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`meson install` into a staging folder: what must be there is there, and the program works from there.
Usage: test-install.py MESON BUILD-ROOT
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

COMMANDS = ["train", "infer", "inspect", "export", "debug", "explain", "screenshot", "check"]
FILES = ["bin/sonde", "lib/**/sonde/libsonde-window.so", "share/man/man1/sonde.1",
         "share/bash-completion/completions/sonde", "share/applications/org.sonde.Sonde.desktop",
         "share/icons/hicolor/scalable/apps/org.sonde.Sonde.svg", "lib/**/libsonde-record.so.1",
         "include/sonde/sonde-recorder.h", "sonde/writer.py"]


def call(arguments, **more):
    return subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, encoding="utf-8", errors="replace", timeout=200, **more)


def find(folder, pattern):
    # The prefix is whatever the build was set up with.
    return glob.glob(os.path.join(folder, "**", pattern), recursive=True)


def read(folder, pattern):
    with open(find(folder, pattern)[0], encoding="utf-8") as file:
        return file.read()


def test_files(folder):
    missing = [pattern for pattern in FILES if not find(folder, pattern)]
    return "missing: %s" % missing if missing else None


def test_man_page(folder):
    page = read(folder, FILES[2]).replace("\\-", "-")
    missing = [name for name in COMMANDS if ".SS sonde %s " % name not in page]
    return "not in the man page: %s" % missing if missing or "--set" not in page else None


def test_completion(folder):
    script = 'source "$0"; COMP_WORDS=(sonde %s); COMP_CWORD=%d; _sonde; echo "${COMPREPLY[@]}"'
    path = find(folder, FILES[3])[0]
    for words, position, expected in [("tr", 1, "train"), ("train --res", 2, "--resume"), ("debug --rep", 2, "--repl")]:
        result = call(["bash", "-c", script % (words, position), path], cwd=folder)
        if result.stdout.split() != [expected]:
            return "“sonde %s” becomes %r, not “%s”" % (words, result.stdout, expected)
    return None


def test_window(folder):
    picture = os.path.join(folder, "runs.png")
    result = call([find(folder, FILES[0])[0], "screenshot", "runs", os.path.join(folder, "none"), "--output", picture],
                  env=dict(os.environ, HOME=folder, XDG_CACHE_HOME=folder))
    if result.returncode != 0 or not os.path.exists(picture):
        return "no picture from the installed program (%d): %s" % (result.returncode, result.stdout)
    return None


def main(meson, build):
    tests = [test_files, test_man_page, test_completion, test_window]
    bad = 0
    folder = tempfile.mkdtemp()
    print("1..%d" % len(tests))
    try:
        result = call([meson, "install", "-C", build, "--no-rebuild", "--destdir", folder])
        for number, test in enumerate(tests, 1):
            problem = result.stdout if result.returncode != 0 else test(folder)
            bad += problem is not None
            print("%sok %d - /tree/install/%s" % ("not " if problem else "", number,
                                                  test.__name__[5:].replace("_", "-")))
            for line in (problem or "").splitlines():
                print("# " + line)
    finally:
        shutil.rmtree(folder)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
