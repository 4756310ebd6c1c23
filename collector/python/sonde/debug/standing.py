# SPDX-License-Identifier: Apache-2.0
"""The debugged thread stands, where the library wants to be asked, until a debugger lets it go on."""
import sys
import threading

from . import binding, failures

LOST = 4  # of stop_at(): it is not where it was to be


def _thread():
    return threading.current_thread().name.encode("utf-8", "replace")


class Standing:
    def __init__(self, session):
        self._session = session
        self.raised = None  # by a signal while it stood: the program's own
        self._node, self._moment = None, 0  # where it stands, or did

    def at(self, node, moment):
        """It comes to `node`, which somebody waits for."""
        session, again = self._session, self._session.again
        self._node, self._moment = node, moment
        if again.is_leaving and not again.is_swallowed(node, moment) or again.replays and not again.arrives(node, moment):
            return
        session.busy, session.frame = True, sys._getframe(1)
        try:
            if again.has_stopped() or session.library.pass_node(session.program, node.number, moment, _thread()):
                if session.library.is_bad(session.program):
                    session.batch.save_bad()
                self.stand()
        finally:
            session.busy, session.frame = False, None
            session.refresh()
        if session.armed:
            session.settle()
        self._leave()

    def at_end(self, node, problem):
        """Behind `node`, the last of a step that did not come where it was to stand."""
        session = self._session
        self._node, self._moment = node, 1
        session.busy = True
        try:
            session.library.stop_at(session.program, node.number, 1, LOST, problem.encode("utf-8", "replace"), _thread())
            self.stand()
        finally:
            session.busy = False
            session.refresh()
        self._leave()

    def at_error(self, node, problem, frame, arguments=None):
        """`problem` is about to leave `node`. `arguments`: values that can be asked for here alone."""
        session = self._session
        if not failures.is_first(problem):
            return
        arguments = arguments or {}
        session.busy, session.frame, self._node, self._moment = True, frame, node, 0
        session.values.special.update(arguments)
        try:
            if session.library.fail(session.program, node.number, failures.describe(problem).encode("utf-8", "replace"), _thread()):
                self.stand()
        finally:
            session.busy, session.frame = False, None
            for name in arguments:
                session.values.special.pop(name, None)
            session.refresh()
        self._leave()

    def wait(self):
        """Ready, before the first operator."""
        session = self._session
        session.library.wait(session.program)
        session.busy = True
        try:
            self.stand()
        finally:
            session.busy = False
            session.refresh()
            session.settle()

    @property
    def node(self):
        """Where it stands, or did last; None: nowhere yet."""
        return self._node

    @property
    def moment(self):
        return self._moment

    @property
    def is_before_operator(self):
        return self._moment == 0 and self._node.kind == binding.OPERATOR

    def place(self, number):
        """Of where it stands, in pass `number`."""
        return number, self._node.number, self._moment

    def _leave(self):
        """Where it was told to go back, out of the step."""
        if self._session.again.wants_to_leave():
            self._session.again.leave()

    def stand(self):
        session = self._session
        try:
            while session.library.stand(session.program):
                pass  # a signal is looked at here
        except BaseException as problem:  # Ctrl-C, or what a handler of the program raises
            self.raised = problem
            session.library.go_on(session.program)
            raise
        session.stopped = session.step
        session.hold()
