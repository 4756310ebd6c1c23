# SPDX-License-Identifier: Apache-2.0
"""What the library asks for while it answers a debugger, as C functions. None of them lets an exception out."""
import ctypes
import os

from ..guard import say
from . import binding, compiled, memory, sources
from .nodes import type_of
from .values import Missing

MAX_VALUES = 20000  # of one list


def texts(strings):
    """Of an array of C that ends with NULL."""
    found = []
    while strings[len(found)] is not None:
        found.append(strings[len(found)].decode("utf-8", "replace"))
    return found


class Answers:
    """Keeps the functions alive as long as the process: a call may still be on its way when a session is over."""
    _all = []

    def __init__(self, session):
        self._session = session
        self._owned = {}  # number: tensor that C reads
        self._last = 0
        self.hooks = binding.Hooks(
            binding.GET_VALUE(self._get_value), binding.SET_VALUE(self._set_value), binding.RELEASE(self._release),
            binding.LIST(self._guard(self._list_nodes)), binding.LIST(self._guard(self._list_values)),
            binding.LIST(self._guard(self._list_frames)),
            ctypes.cast(ctypes.pythonapi.Py_AddPendingCall, ctypes.c_void_p), binding.CALL(self._call))
        self.offers = binding.Offers(
            ctypes.sizeof(binding.Offers), binding.CHECK_INTO(self._check_into), binding.GO_BACK(self._go_back),
            binding.FIND_ORIGIN(self._find_origin), binding.SAVE_CAPTURE(self._save_capture), binding.PROFILE(self._profile),
            binding.LIST_SHARING(self._list_sharing))
        Answers._all.append(self)

    def _guard(self, function):
        def call(_):
            try:
                function()
            except Exception as problem:  # pylint: disable=broad-except
                say("sonde.debug", problem, 3)
        return call

    def _answer(self, function):
        """What `function` says, as the library wants it."""
        session = self._session
        try:
            with session.without_modes():
                function()
            return binding.DONE
        except Missing as missing:
            how, why = missing.args
        except Exception as problem:  # pylint: disable=broad-except
            how, why = binding.UNABLE, "%s: %s" % (type(problem).__name__, problem)
        session.library.set_problem(session.program, why.encode("utf-8", "replace"))
        return how

    # ---- values

    def _get_value(self, _, name, previous, target):
        return self._answer(lambda: self._describe(name.decode(), previous != 0, target.contents))

    def _describe(self, name, previous, target):
        tensor = self._session.values.describe(self._session.values.get(name, previous), target)
        self._last += 1
        self._owned[self._last] = tensor
        target.owner = self._last

    def _release(self, _, owner):
        self._owned.pop(owner, None)

    def _set_value(self, _, name, given):
        return self._answer(lambda: self._session.values.write(name.decode(), given.contents))

    def _list_sharing(self, _, name):
        return self._answer(lambda: self._tell_sharing(name.decode()))

    def _tell_sharing(self, name):
        session = self._session
        for other in memory.others(session, name):
            session.library.add_sharing(session.program, other.encode())

    # ---- lists

    def _list_nodes(self):
        session = self._session
        numbers = session.nodes.listing() + session.nodes.beside
        session.library.put_nodes(session.program, (binding.U * len(numbers))(*numbers), len(numbers))

    def _list_values(self):
        session = self._session
        values, names = session.values, session.names
        for name, tensor in list(names.tensors.items())[:MAX_VALUES]:
            role = 2 if name in names.is_parameter else 4
            self._add_value(name, type_of(tensor), role, None, True)
            if tensor.grad is not None:
                self._add_value("grad(%s)" % name, type_of(tensor.grad), 0, None, True)
        for name, tensor in values.special.items():
            self._add_value(name, type_of(tensor), 1 if name.startswith("input") else 0, None, True)
        for node in list(values.kept)[:MAX_VALUES]:
            for name, tensor in zip(node.outputs, values.tensors_of(node)[0]):
                if tensor is not None:
                    self._add_value(name, type_of(tensor), 0, node.name, True)

    def _add_value(self, name, kind, role, producer, is_there):
        session = self._session
        session.library.add_value(session.program, name.encode(), kind.encode(), role, producer.encode() if producer else None, is_there)

    def _list_frames(self):
        session = self._session
        for scope in reversed(session.stack):
            module = scope.module
            session.library.add_frame(session.program, 1, (scope.path or "model").encode(), type(module).__name__.encode())
        for module in session.midway.begun():
            session.library.add_frame(session.program, 1, (session.names.of_module(module) or "model").encode(), type(module).__name__.encode())
        for frame in sources.frames(session.frame):
            session.library.add_frame(session.program, 0, sources.place(frame).encode("utf-8", "replace"),
                                      sources.line(frame).encode("utf-8", "replace"))

    # ---- what is offered beside

    def _check_into(self, _, node):
        return self._answer(lambda: compiled.check_into(self._session, node.decode()))

    def _go_back(self, _, kind, count, target):
        return self._answer(lambda: self._session.again.go_back(kind, count, target.decode()))

    def _find_origin(self, _, name):
        return self._answer(lambda: self._origin_of(name.decode()))

    def _origin_of(self, name):
        from . import origin  # it needs torch
        origin.find(self._session, name)

    def _save_capture(self, _, path, values, batch):
        return self._answer(lambda: self._save(path.decode("utf-8", "surrogateescape"), texts(values), batch != 0))

    def _save(self, path, globs, only_batch):
        if self._session.operators is None:
            raise Missing(binding.ABSENT, "Nothing has been seen of this step yet.")
        from . import capture  # it needs sqlite3
        capture.save(self._session, path, globs, only_batch)

    def _profile(self, _, kind, n_steps, folder):
        return self._answer(lambda: self._session.profiler.answer(kind, n_steps, os.fsdecode(folder) if folder else None))

    # ---- somebody asks

    def _call(self, _):
        try:
            self._session.on_call()
        except Exception as problem:  # pylint: disable=broad-except
            say("sonde.debug", problem, 3)
        return 0
