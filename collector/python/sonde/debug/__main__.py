# SPDX-License-Identifier: Apache-2.0
"""python -m sonde.debug SCRIPT ARGS…, or -m PACKAGE.MODULE ARGS…: the program as it is, in Sonde's debugger."""
import builtins
import io
import os
import runpy
import sys
import threading
import types
import zipfile

from . import debug

USAGE = "Usage: python -m sonde.debug SCRIPT [ARGUMENT]…\n       python -m sonde.debug -m MODULE [ARGUMENT]…"


def _run_script(arguments):
    path = os.path.abspath(arguments[0])
    sys.path[0] = os.path.dirname(path)
    if os.path.isdir(path) or path.endswith(".pyc") or zipfile.is_zipfile(path):
        runpy.run_path(path, run_name="__main__")
        return
    # Not by runpy: that fails behind a program which empties sys.argv, and takes its module away before its threads have ended.
    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec")
    sys.modules["__main__"] = module = types.ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=builtins)
    exec(code, module.__dict__)


def _run_module(arguments):
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)  # its first argument becomes the path of the module


def _join_threads():
    """As Python does at its end, so that a training in a thread is debugged to its last step."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def main():
    arguments = sys.argv[1:]
    is_module = arguments[:1] == ["-m"]
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE + "\nThen, elsewhere: sonde debug --attach PID")
        return 0
    if len(arguments) < 1 + is_module:
        print(USAGE, file=sys.stderr)
        return 2
    if not is_module and not os.path.exists(arguments[0]):
        print("sonde.debug: there is no program “%s”" % arguments[0], file=sys.stderr)
        return 2
    sys.argv = arguments[1:] if is_module else arguments  # at once: the session is called after the program
    with debug():
        _run_module(sys.argv) if is_module else _run_script(sys.argv)
        _join_threads()
    return 0


if __name__ == "__main__":
    sys.exit(main())
