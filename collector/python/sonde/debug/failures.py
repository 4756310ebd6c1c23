# SPDX-License-Identifier: Apache-2.0
"""Errors that leave an operator or a module: told to the debugger before they do, each once, where it came from."""
import sys

from .values import first_tensors

MAX_TEXT = 4000  # of what an error says, in characters


def describe(problem):
    """RuntimeError: mat1 and mat2 shapes cannot be multiplied …"""
    try:
        text = str(problem)
    except Exception:  # pylint: disable=broad-except
        text = ""  # it is somebody else's, and may fail itself
    name = type(problem).__name__
    return ("%s: %s" % (name, text) if text else name)[:MAX_TEXT]


def is_first(problem):
    """It was not told yet: an error passes through every module around where it came from."""
    if getattr(problem, "_is_told_to_sonde", False):
        return False
    try:
        problem._is_told_to_sonde = True
    except AttributeError:
        pass  # it takes no attributes: told again further out
    return True


def leaving(caller):
    """(error, frame where it was raised) that the frame `caller` is handling, which it has not got from whoever called it."""
    problem = sys.exc_info()[1]
    trace = problem.__traceback__ if problem is not None else None
    if trace is None or trace.tb_frame is not caller:
        return None, None
    while trace.tb_next is not None:
        trace = trace.tb_next
    return problem, trace.tb_frame


def arguments(args, kwargs):
    """What the operator was called with, as values that can be asked for."""
    found = first_tensors([args, kwargs])
    return {"argument:%d" % k: tensor for k, tensor in enumerate(found)}
