# SPDX-License-Identifier: Apache-2.0
"""d.step (function, …): a step that can be run again, which is how a debugger goes back in PyTorch.

An exception that is no Exception leaves the step from where it stands, through autograd and the program's own code; what the step started
from is put back, it is called again, and it stands where it was to go back to. Places are those of operators: which pass of the step, which
node, before or after it.
"""
import sys
import threading
from _thread import get_ident

from . import binding, restart
from .kept_state import Helpers, KeptState
from .values import Missing, first_call

STEPS, REVERSE, NODE, RUN, CAPTURE = range(5)
WHY_STEPS, WHY_NODE, WHY_BEGINNING, WHY_BREAKPOINT, WHY_LOST = range(5)
REFUSED = "PyTorch cannot take back what ran; start the step by d.step (function, …) to run it again."
SWALLOWED = "The way back ended in an “except:” or “except BaseException:” of the program, which goes on from here."
OTHER_WAY = "The step went another way this time and did not come to “%s”."


class GoneBack(BaseException):
    """Leaves a step that is run again. Nobody is to catch it."""


class Again:
    def __init__(self, session):
        self._session = session
        self._helpers = None    # what there is, once somebody needs it
        self._state = None      # of the step that is running; None: outside of one
        self._passes = []       # numbers of operators in passes that ended in this step
        self._arguments = ()    # of its function
        self._restart = None    # restart.Restart: it is to start from a capture
        self._depth = 0         # of the modules that it was called in
        self._first = 1         # number of the training step
        self._previous = {}
        self._leaving = None    # the exception that is on its way
        self._target = None     # (pass, number of a node, moment)
        self._why = 0
        self._scan_until = self._found = None  # on a way that looks for breakpoints
        self.replays = False    # on the way to the target
        self._stopped = False   # it is where the library was told that it stops

    # ---- a step

    @property
    def is_stepping(self):
        return self._state is not None

    @property
    def random(self):
        """The random numbers that the step began with; None outside of one."""
        return self._state.random if self._state is not None else None

    def as_begun(self, tensor):
        """As the step began with it where that is kept, else as it is."""
        return self._state.as_begun(tensor) if self._state is not None else tensor

    def step(self, function, arguments):
        session = self._session
        if self._state is not None or session.program is None or get_ident() != session.owner or not session.can_step_again():
            return function(*arguments)
        self._begin(arguments)
        try:
            return self._call(function)
        finally:
            self._state = self._restart = None
            self._arguments = ()
            self._leaving = self._target = None
            self._end_replay()
            session.refresh()
            session.settle()

    def _begin(self, arguments):
        session = self._session
        if self._helpers is None:
            self._helpers = Helpers()
        self._arguments = arguments
        session.busy = True
        try:
            self._state = self._keep()
        finally:
            session.busy = False
        self._depth, self._first = len(session.stack), session.step
        session.refresh()
        session.settle()
        session.end_pass()
        self._previous = session.values.previous
        self._passes = []

    def _keep(self):
        return KeptState(list(self._session.names.tensors.values()) + self._helpers.tensors(), self._helpers.alive(), self._arguments)

    def meet(self, helper):
        """An optimiser is about to step."""
        if self._state is not None:
            session = self._session
            was_busy, session.busy = session.busy, True
            self._helpers.add(helper)
            self._state.add(helper)
            session.busy = was_busy

    def _call(self, function):
        while True:
            try:
                result = function(*self._arguments)
                if self._leaving is None:
                    self._tell_lost()
                    return result
            except GoneBack:
                pass
            except Exception:
                if self._leaving is None:  # else of a “finally” on the way
                    raise
            self._restore()

    def _restore(self):
        session = self._session
        session.busy = True
        try:
            self._state.restore()
            if self._restart is not None:
                self._arguments = self._restart.put_back(self._arguments)
                self._restart, self._state = None, self._keep()
        finally:
            session.busy = False
        self._leaving = None
        del session.stack[self._depth:]
        session.begin_again(self._first)
        session.values.previous = self._previous
        self._passes = []
        self.replays = True
        session.refresh()
        session.settle()

    def end_pass(self, numbers):
        """A pass is over in the step: its operators."""
        if self._state is not None:
            self._passes.append(numbers)

    # ---- the way

    def _end_replay(self):
        if self.replays:
            self.replays = False
            self._session.flags[0] = 0

    def _place(self, node, moment):
        return len(self._passes), node.number, moment

    def arrives(self, node, moment):
        """On the way to the target: it is here, and stands."""
        session, place = self._session, self._place(node, moment)
        if self._scan_until is not None:
            self._scan(node, place)
            return False
        if place != self._target:
            return False
        self._target = None
        self._end_replay()
        self._stop_at(node, moment, self._why, None)
        return True

    def has_stopped(self):
        """Once, where it arrived."""
        stopped, self._stopped = self._stopped, False
        return stopped

    def _stop_at(self, node, moment, why, problem):
        self._stopped = True
        self._session.library.stop_at(self._session.program, node.number, moment, why, problem and problem.encode(),
                                      threading.current_thread().name.encode("utf-8", "replace"))

    def _scan(self, node, place):
        session = self._session
        if place != self._scan_until:
            session.busy = True
            try:
                if session.library.would_stop(session.program, node.number, place[2]):
                    self._found = place
            finally:
                session.busy = False
            return
        self._scan_until = None
        if self._found is not None:
            self._target, self._why = self._found, WHY_BREAKPOINT
        else:
            numbers = (self._passes + [session.nodes.now])[0]
            self._target, self._why = (0, numbers[0], 0), WHY_BEGINNING
        self.leave()

    def leave(self):
        """From where it stands."""
        self._leaving = GoneBack()
        self._session.flags[0] = 3  # whoever swallows it comes by
        raise self._leaving

    def wants_to_leave(self):
        """It was told to go back while it stood."""
        return self._state is not None and not self.replays and (self._target is not None or self._scan_until is not None)

    def is_swallowed(self, node, moment):
        """An operator runs though the step is being left: not in a “finally” on the way, but behind somebody's “except:”."""
        if self._leaving is None:
            return False
        if not _is_handled(self._leaving):
            self._leaving = self._target = self._scan_until = None
            self._session.flags[0] = 0
            self._stop_at(node, moment, WHY_LOST, SWALLOWED)
            return True
        return False

    @property
    def is_leaving(self):
        return self._leaving is not None

    def _tell_lost(self):
        """The step is over, and the target was not met."""
        session = self._session
        numbers = [number for numbers in self._passes + [session.nodes.now] for number in numbers]
        if self._target is None and self._scan_until is None or not numbers:
            return
        lost = self._target or self._scan_until
        self._target = self._scan_until = None
        self._end_replay()
        names = {node.number: node for node in session.nodes.by_name.values()}
        session.standing.at_end(names[numbers[-1]], OTHER_WAY % names[lost[1]].name)

    # ---- where to

    def go_back(self, kind, count, target):
        """What a debugger asks while it stands. Raises Missing."""
        session = self._session
        if self._state is None or get_ident() != session.owner:
            raise Missing(binding.UNABLE, REFUSED)
        passes = self._passes + [session.nodes.now]
        flat = [(p, number, 0) for p, numbers in enumerate(passes) for number in numbers]
        here = len(flat) - (1 if session.standing.is_before_operator else 0)
        if not flat:
            raise Missing(binding.ABSENT, "Nothing of this step has run.")
        if kind == STEPS:
            self._target, self._why = flat[max(here - count, 0)], WHY_STEPS if here >= count else WHY_BEGINNING
        elif kind == NODE:
            self._target, self._why = flat[self._find(flat[:here], target)], WHY_NODE
        elif kind == RUN and count in (self._first, session.step):
            self._target, self._why = flat[0], WHY_NODE
        elif kind == REVERSE:
            self._scan_until, self._found = session.standing.place(len(self._passes)), None
        elif kind == CAPTURE:
            self._restart = restart.of_capture(session, target, self._arguments)
            self._target, self._why = flat[0], WHY_NODE
        else:
            raise Missing(binding.UNABLE, "Only the step that it stands in can be run again: step %d." % self._first)

    def _find(self, flat, pattern):
        """Place of the last node of that name, or of the first in the module of that name."""
        session, pattern = self._session, first_call(pattern)
        for k in range(len(flat) - 1, -1, -1):
            if session.library.matches(session.program, flat[k][1], pattern.encode()):
                return k
        nodes = {node.number: node for node in session.nodes.by_name.values()}
        for k, (_, number, _) in enumerate(flat):
            scope = nodes[number].scope or ""
            if scope == pattern or scope.startswith((pattern + ".", pattern + "/")):
                return k
        raise Missing(binding.UNKNOWN, "This step has not come by “%s”." % pattern)


def _is_handled(problem):
    """Some frame is dealing with it."""
    found = sys.exc_info()[1]
    while found is not None:
        if found is problem:
            return True
        found = found.__context__
    return False
