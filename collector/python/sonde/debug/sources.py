# SPDX-License-Identifier: Apache-2.0
"""Where in the user's program something is called."""
import linecache
import os
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_skipped = {}  # file name: it is not the user's


def _is_skipped(name):
    known = _skipped.get(name)
    if known is None:
        torch = sys.modules.get("torch")
        folder = os.path.dirname(getattr(torch, "__file__", None) or "/nowhere/") + os.sep
        library = os.path.dirname(os.__file__) + os.sep
        known = _skipped[name] = (name.startswith((HERE, folder, "<frozen", "<eval_with_key>"))
                                  or (name.startswith(library) and "-packages" not in name))
    return known


def frames(frame):
    """The user's frames, from the innermost."""
    while frame is not None:
        if not _is_skipped(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def place(frame):
    """train.py:12 in forward"""
    return "%s:%d in %s" % (os.path.basename(frame.f_code.co_filename), frame.f_lineno, frame.f_code.co_name)


def line(frame):
    return linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()


def innermost(frame):
    """None: no frame is the user's."""
    for found in frames(frame):
        return place(found)
    return None
