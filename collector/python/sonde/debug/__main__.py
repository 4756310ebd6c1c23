# SPDX-License-Identifier: Apache-2.0
"""python -m sonde.debug SCRIPT ARGS…: the script as it is, in Sonde's debugger."""
import os
import runpy
import sys

from . import debug


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("Usage: python -m sonde.debug SCRIPT [ARGUMENT]…\nThen, elsewhere: sonde debug --attach %d" % os.getpid())
        return 0 if len(sys.argv) > 1 else 2
    script = sys.argv[1]
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    with debug():
        runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
