# SPDX-License-Identifier: Apache-2.0
"""The debugged thread stands, where the library wants to be asked, until a debugger lets it go on."""
import sys
import threading

from . import failures


def _thread():
    return threading.current_thread().name.encode("utf-8", "replace")


class Standing:
    def __init__(self, session):
        self._session = session
        self.raised = None  # by a signal while it stood: the program's own

    def at(self, node, moment):
        """It comes to `node`, which somebody waits for."""
        session = self._session
        session.busy, session.frame = True, sys._getframe(1)
        try:
            if session.library.pass_node(session.program, node.number, moment, _thread()):
                self._stand()
                session.stopped = session.step
                session.hold()
        finally:
            session.busy, session.frame = False, None
            session.refresh()

    def at_error(self, node, problem, frame, arguments=None):
        """`problem` is about to leave `node`. `arguments`: values that can be asked for here alone."""
        session = self._session
        if not failures.is_first(problem):
            return
        arguments = arguments or {}
        session.busy, session.frame = True, frame
        session.values.special.update(arguments)
        try:
            if session.library.fail(session.program, node.number, failures.describe(problem).encode("utf-8", "replace"), _thread()):
                self._stand()
                session.stopped = session.step
        finally:
            session.busy, session.frame = False, None
            for name in arguments:
                session.values.special.pop(name, None)
            session.refresh()

    def wait(self):
        """Ready, before the first operator."""
        session = self._session
        session.library.wait(session.program)
        session.busy = True
        try:
            self._stand()
        finally:
            session.busy = False
            session.refresh()
            session.settle()

    def _stand(self):
        session = self._session
        try:
            while session.library.stand(session.program):
                pass  # a signal is looked at here
        except BaseException as problem:  # Ctrl-C, or what a handler of the program raises
            self.raised = problem
            session.library.go_on(session.program)
            raise
