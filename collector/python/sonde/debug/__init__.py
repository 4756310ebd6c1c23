# SPDX-License-Identifier: Apache-2.0
"""A training in PyTorch in Sonde's debugger, unchanged.

    with sonde.debug (model, optimiser):       # listens while it lasts
        …                                      # the training loop as it is

`python -m sonde.debug SCRIPT ARGS…` runs a script that knows nothing of Sonde; sonde.debug.listen () and SONDE_DEBUG=listen make a
program that goes on by itself one that can be attached to: `sonde debug --attach PID`. SONDE_DEBUG=wait stands before the first
operator until a debugger says run; SONDE_DEBUG=0 switches all of this off. torch is not imported until it is needed.
"""
import atexit
import os
import sys
import types

from . import needs
from .awaited import Awaited
from ..guard import warn

_current = []  # the session, at most one a process
_registered = []


def _setting():
    return os.environ.get("SONDE_DEBUG", "")


def _before_fork():
    for session in _current:
        session.library.before_fork(session.program)


def _after_fork_in_parent():
    for session in _current:
        session.library.after_fork(session.program, 0)


def _after_fork_in_child():
    while _current:
        _current.pop().die_in_child()


def _register():
    if not _registered:
        _registered.append(True)
        os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
        atexit.register(_close)


def _end(session):
    """Whatever happens in it, the program ends as it would without us."""
    _current.remove(session)
    try:
        session.close()
    except Exception as problem:  # pylint: disable=broad-except
        warn("sonde.debug did not end well: %s: %s (the program goes on)" % (type(problem).__name__, problem), 4)


def _close():
    while _current:
        _end(_current[-1])


def _open(**options):
    """None: it cannot be debugged, which is said and is no reason not to run."""
    from .session import Session
    try:
        if options.get("counts", True) and "torch" in sys.modules:
            needs.check(sys.modules["torch"])
        _register()
        _current.append(Session(**options))
        if "torch" not in sys.modules:
            _current[-1].awaited = Awaited(_meet_torch)
    except Exception as problem:  # pylint: disable=broad-except
        warn("sonde.debug does not listen: %s (the program goes on)" % problem, 4)
        return None
    return _current[-1]


def _meet_torch(torch):
    """The program has imported it."""
    try:
        for session in _current:
            session.meet_torch(torch)
    except Exception as problem:  # pylint: disable=broad-except
        warn("sonde.debug does not listen any more: %s (the program goes on)" % problem, 4)
        _close()


class debug:  # pylint: disable=invalid-name
    """A part of a program that can be debugged; see the module. Inside another one it does nothing."""

    def __init__(self, model=None, optimiser=None, *, wait=None, keep="step", compiled="unchanged", name=None):
        if keep not in ("step", "none"):
            raise ValueError("keep is “step” or “none”, not “%s”" % keep)
        if compiled not in ("unchanged", "eager"):
            raise ValueError("compiled is “unchanged” or “eager”, not “%s”" % compiled)
        self._options = {"model": model, "optimiser": optimiser, "title": name, "eager": compiled == "eager"}
        self._keep = keep
        self._wait = wait
        self._session = None

    def __enter__(self):
        if _setting() == "0" or _current:
            return self
        self._session = _open(**self._options)
        if self._session is not None:
            if self._keep == "none":
                self._session.values.forget()
            if _setting() == "wait" if self._wait is None else self._wait:
                self._session.standing.wait()
        return self

    def __exit__(self, kind, value, trace):
        if self._session is not None and self._session in _current:
            _end(self._session)
        self._session = None

    def step(self, function, *arguments):
        """Calls `function`: one training step. A debugger that is attached can go back in it: then it is called again, from the
        parameters, buffers, optimiser states, gradients and random numbers that it began with; what else it did (a file that it wrote, a
        batch that it fetched) happens again, too.
        """
        session = self._session or (_current[-1] if _current else None)
        return session.again.step(function, arguments) if session is not None else function(*arguments)


def listen():
    """From here on `sonde debug --attach PID` finds this program."""
    if _setting() == "0" or _current:
        return
    waits = _setting() == "wait"
    session = _open(counts=waits)
    if session is not None and waits:
        session.standing.wait()


def open_capture(path):
    """What `capture save` wrote of a PyTorch program; see capture.Capture."""
    from .capture import Capture
    return Capture(path)


class _Callable(types.ModuleType):
    def __call__(self, *arguments, **options):
        return debug(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
