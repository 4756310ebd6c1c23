# SPDX-License-Identifier: Apache-2.0
"""The one interception: every operator below autograd and autocast comes by here while something is armed."""
import ctypes
import sys
import threading
from _thread import get_ident

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _len_torch_dispatch_stack, _get_current_dispatch_mode

from . import failures, records

_current_node = torch._C._current_autograd_node


class Mode(TorchDispatchMode):
    """What both kinds have in common."""
    supports_higher_order_operators = True

    def __init__(self, session, eager):
        super().__init__()
        self._session = session
        self.here = threading.local()
        type(self)._eager = eager

    @classmethod
    def _should_skip_dynamo(cls):
        return False

    @classmethod
    def ignore_compile_internals(cls):
        return not cls._eager

    _eager = False


class PythonMode(Mode):
    def __init__(self, session, eager):
        super().__init__(session, eager)
        self._flags = session.flags
        self._come_to, self._made = session.operators.come_to, session.operators.made
        self._is_sound = session.looks.are_sound

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        session = self._session
        if not session.armed or session.busy or get_ident() != session.owner:
            return func(*args, **kwargs) if kwargs else func(*args)
        try:
            node = self._come_to(func, args)
        except Exception as problem:  # pylint: disable=broad-except
            session.give_up(problem)
            node = None
        if node is None:
            return func(*args, **kwargs) if kwargs else func(*args)
        flags = self._flags
        wanted = flags[node.number] | flags[0]
        if wanted & 1:
            session.stand(node, 0)
            wanted = flags[node.number] | flags[0]
        try:
            out = func(*args, **kwargs) if kwargs else func(*args)
        except Exception as problem:
            session.standing.at_error(node, problem, sys._getframe(), failures.arguments(args, kwargs))
            raise
        try:
            self._made(node, out, args, kwargs)
            stands = wanted & 2 and not (wanted & 4 and self._is_sound(node, out))
        except Exception as problem:  # pylint: disable=broad-except
            session.give_up(problem)
            return out
        if stands:
            session.values.keep_given(node, args, kwargs)
            session.stand(node, 1)
        return out


if records.Interception is not None:
    class FastMode(records.Interception, Mode):
        """The same, most of it in C."""

        def __init__(self, session, eager):
            Mode.__init__(self, session, eager)
            operators = session.operators
            self.begin({
                "session": session, "operators": operators, "values": session.values, "nodes": session.nodes,
                "current_node": _current_node, "sequence_number": torch._C._autograd._get_sequence_nr,
                "tensor": torch.Tensor, "parameter": torch.nn.Parameter, "accumulate": getattr(torch._C._functions, "AccumulateGrad", None),
                "backward_scope": operators.backward_scope, "update_scope": operators.update_scope,
                "scope_beside": operators.scope_beside, "find": operators.find, "made": operators.made,
                "see_beside": operators.see_beside, "give_up": session.give_up, "stand": session.stand,
                "failed": self._tell_error, "stand_behind": self._stand_behind, "is_sound": session.looks.are_sound,
                "flags": ctypes.addressof(session.flags), "program": session.program,
                "look": ctypes.cast(session.library.look, ctypes.c_void_p).value,
                "exchange": getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)})

        def _tell_error(self, node, problem, args, kwargs):
            self._session.standing.at_error(node, problem, sys._getframe(1), failures.arguments(args, kwargs))

        def _stand_behind(self, node, args, kwargs):
            self._session.values.keep_given(node, args, kwargs)
            self._session.stand(node, 1)


def new(session, eager):
    """The one that this Python has."""
    return (PythonMode if records.Interception is None else FastMode)(session, eager)


def push(mode):
    """Only onto an empty stack, and not where autograd will bring back another one. FALSE: not now."""
    if is_pushed(mode) or _len_torch_dispatch_stack() != 0 or _current_node() is not None:
        return False
    mode.__enter__()
    mode.here.is_pushed = True
    return True


def is_pushed(mode):
    """On this thread's stack, which torch empties while the mode handles an operator."""
    return getattr(mode.here, "is_pushed", False)


def pop(mode):
    """Only where it is on top of this thread's stack, and not where autograd will bring it back after. FALSE: not now."""
    if not is_pushed(mode) or _current_node() is not None or _len_torch_dispatch_stack() == 0 or _get_current_dispatch_mode() is not mode:
        return False
    mode.__exit__(None, None, None)
    mode.here.is_pushed = False
    return True
