# SPDX-License-Identifier: Apache-2.0
"""Nothing in this module may end a training: what goes wrong is said once as a warning, and the training goes on."""
import functools
import sys
import warnings

_said = set()  # (where, type of the problem)


def warn(text, level):
    """`level`: 1 is the caller, 2 who called it, …"""
    try:
        warnings.warn(text, RuntimeWarning, stacklevel=level + 1)
    except Warning:  # the program was started with warnings as errors
        print(text, file=sys.stderr)


def say(where, problem, level):
    """A problem, once of its kind. `level` as above."""
    kind = (where, type(problem))
    if kind in _said:
        return
    _said.add(kind)
    warn("%s recorded nothing: %s: %s (said once, the program goes on)" % (where, type(problem).__name__, problem), level + 1)


def guarded(method):
    """A method of an object with _bear (where, problem), which gets what the method raises in its place."""
    @functools.wraps(method)
    def call(self, *arguments, **options):
        try:
            return method(self, *arguments, **options)
        except Exception as problem:  # pylint: disable=broad-except
            return self._bear(method.__name__, problem)
    return call
