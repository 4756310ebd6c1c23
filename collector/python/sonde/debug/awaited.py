# SPDX-License-Identifier: Apache-2.0
"""torch, which a program imports when it wants to: whoever waits for that is called once it is there. Nobody else imports it."""
import importlib.util
import sys


class Awaited:
    """In sys.meta_path until torch is looked for."""

    def __init__(self, then):
        self._then = then
        sys.meta_path.insert(0, self)

    def forget(self):
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name, path=None, target=None):
        """As the others find it; what runs the module calls us behind that."""
        if name != "torch":
            return None
        self.forget()
        spec = importlib.util.find_spec(name)
        loader = getattr(spec, "loader", None)
        if hasattr(loader, "exec_module") and hasattr(loader, "__dict__"):
            self._follow(loader)
        return spec

    def _follow(self, loader):
        run = loader.exec_module

        def exec_module(module):
            del loader.exec_module  # it is as it was
            try:
                run(module)
            except BaseException:
                sys.meta_path.insert(0, self)  # the program may try again
                raise
            self._then(module)
        loader.exec_module = exec_module
