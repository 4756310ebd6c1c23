# SPDX-License-Identifier: Apache-2.0
"""Modules whose call had begun when somebody asked: their hooks were not there yet, but Python's frames tell of them."""
import sys


def _modules(frame):
    """Around a frame, from the innermost."""
    from torch.nn import Module
    code = Module._call_impl.__code__
    while frame is not None:
        if frame.f_code is code:
            yield frame.f_locals["self"]
        frame = frame.f_back


class Midway:
    def __init__(self, session):
        self._session = session
        self.is_on = False  # it is in such a module, perhaps
        self._scopes = {}   # id of such a module: its scope

    def begin(self):
        """Somebody asks now; the outermost module around is called as if it had just begun."""
        found = list(_modules(sys._getframe(1)))
        self.is_on = bool(found)
        self._scopes.clear()
        if found and not self._session.names.is_known(found[-1]):
            self._session.add_root(found[-1])

    def scope(self):
        """Of the innermost one. None: it is in none any more."""
        module = next(_modules(sys._getframe(1)), None)
        if module is None:
            self.is_on = False
            return None
        if id(module) not in self._scopes:
            self._scopes[id(module)] = self._session.scope_of_call(module)
        return self._scopes[id(module)]

    def begun(self):
        """Those around the frame where it stands, from the innermost, whose hooks did not tell of them."""
        told = {id(scope.module) for scope in self._session.stack}
        return [module for module in _modules(self._session.frame) if id(module) not in told] if self.is_on else []
