# SPDX-License-Identifier: Apache-2.0
"""Which node an operator is that comes by, and what it made: what every operator pays for while something is armed, so that it asks
for little. In a scope that goes as it went last time, that is one comparison.
"""
import bisect
import collections
import sys

import torch

from . import binding, functions, outputs, records, sources
from .nodes import Node, Scope
from .values import MOST_OUTPUTS, first_tensors

_current_node = torch._C._current_autograd_node
_sequence_number = torch._C._autograd._get_sequence_nr
_kinds = {}  # id of a function: (function, its kind)

# What operators of one function have in common: name, values it makes, noise, a view (watches leave it out), places of
# the arguments that it writes into.
Kind = collections.namedtuple("Kind", "op outputs is_hidden is_view writes")


def _written(schema):
    if not getattr(schema, "is_mutable", False):
        return ()
    return tuple(k for k, argument in enumerate(schema.arguments) if argument.alias_info is not None and argument.alias_info.is_write)


def kind_of(func):
    known = _kinds.get(id(func))
    if known is None:
        schema = getattr(func, "_schema", None)
        name = schema.name.rpartition("::")[2] if schema is not None else getattr(func, "__name__", str(func))
        known = _kinds[id(func)] = func, Kind(name, len(schema.returns) if schema is not None else 1, name in functions.HIDDEN,
                                              bool(getattr(func, "is_view", False)) or name in functions.VIEWS, _written(schema))
    return known[1]


class Operators(records.OperatorsRecord):
    def __init__(self, session):
        self._session = session
        self._stack = session.stack
        self.stamp = 0          # of the pass, by which scopes know that they begin again
        self.entered = None     # outermost module since the last operator
        self._accumulates = {}  # path of a parameter: scope
        self._updates = {}
        self.known_accumulates, self.known_updates = {}, {}  # id of a parameter: scope
        self.other_updates = None  # scope of what is no parameter
        self.parameters = session.names.by_id if session.names is not None else {}
        self.forward = {}      # autograd's number: node of forward
        self.number = -1       # the last of them
        self._borders = [], []  # autograd's numbers, and in which scope it was from there on, of what was not seen
        self._outside = Scope(None, "outside", binding.FORWARD)
        self.depth = -1         # of the stack where backward began
        self.node = None       # of autograd, in which the last operator was, and
        self.node_scope = None

    def end_pass(self):
        self.stamp += 1
        self.forward.clear()
        self._borders = [], []
        self.number, self.node = -1, None

    def go_by(self, scope):
        """Operators of forward are in `scope` from here on, and not seen; None: in no module. Backward has their names from that."""
        self._borders[0].append(_sequence_number())
        self._borders[1].append(scope)

    # ---- scopes

    def scope_beside(self):
        """In no module, or in one whose call had begun before anybody asked."""
        midway = self._session.midway
        return (midway.scope() if midway.is_on else None) or self._outside

    def backward_scope(self, current):
        if self.depth < 0:
            self.depth = len(self._stack)
        if len(self._stack) > self.depth:  # forward that runs again (checkpointing)
            return self._stack[-1]
        if current is not self.node:
            self.node_scope = self._find_backward(current)
            self.node = current
        return self.node_scope

    def _find_backward(self, current):
        kind = type(current)  # of autograd's nodes each has its own
        if kind.__name__ == "AccumulateGrad":
            path = self._session.names.of_tensor(current.variable) or "outside"
            found = self._accumulates.get(path)
            if found is None:
                found = self._accumulates[path] = Scope(path.rpartition(".")[0] or None, path + "/AccumulateGrad", binding.BACKWARD)
            if path != "outside":
                self.known_accumulates[id(current.variable)] = found
            return found
        number = current._sequence_nr()
        forward = self.forward.get(number)
        return (self._unseen(number) if forward is None else forward.home).backward(current, kind)

    def _unseen(self, number):
        """The scope in which autograd's node of that number was made."""
        numbers, scopes = self._borders
        place = bisect.bisect_right(numbers, number)
        return (scopes[place - 1] if place > 0 else None) or self._outside

    def update_scope(self, args):
        path = self._session.names.of_tensor(args[0]) if args and hasattr(args[0], "data_ptr") else None
        found = self._updates.get(path)
        if found is None:
            prefix = "optimiser/" + path if path else "optimiser"
            found = self._updates[path] = Scope("optimiser", prefix, binding.OPTIMISER)
        if path:
            self.known_updates[id(args[0])] = found
        elif args and hasattr(args[0], "data_ptr"):
            self.other_updates = found
        return found

    # ---- operators

    def come_to(self, func, args):
        """The node of an operator that is about to run; None for one that is noise."""
        current = _current_node()
        if current is not None:
            scope = self.backward_scope(current)
        else:
            self.depth, self.node = -1, None
            if self._session.phase == binding.OPTIMISER:
                scope = self.update_scope(args)
            else:
                scope = self._stack[-1] if self._stack else self.scope_beside()
        stamp = self.stamp
        if scope.stamp == stamp:
            place = scope.place
        else:
            scope.stamp, place = stamp, 0
        scope.place = place + 1
        route = scope.route
        if place < len(route) and route[place][0] is func:
            node = route[place][1]
        else:
            node = self.find(scope, place, func, args, current)
        if node is not None:
            self._session.nodes.now.append(node.number)
            self.entered = None
            if node.is_beside and current is None:
                self.see_beside(node, args)
        return node

    def find(self, scope, place, func, args, current):
        """Of a scope that goes another way than last time, or for the first time."""
        kind = kind_of(func)
        if kind.is_hidden:
            scope.go(place, func, None)
            return None
        k = scope.count(kind.op, place)
        node = scope.nodes.get((kind.op, k))
        if node is None:
            node = scope.nodes[kind.op, k] = self._add(scope, scope.name(kind.op, k), kind, args, current)
        scope.go(place, func, node)
        return node

    def _add(self, scope, name, kind, args, current):
        node = Node(name, kind.op, scope.path, outputs.of_operator(self._session, scope, name, kind, args), scope.phase, binding.OPERATOR)
        node.home, node.unjudged, node.writes = scope, kind.is_view, kind.writes
        node.is_beside = current is None and scope.phase == binding.FORWARD and not self._is_in_root()
        if current is None:
            node.source = sources.innermost(sys._getframe(2))
        else:
            forward = self.forward.get(current._sequence_nr())
            node.source = forward.source if forward is not None else None
        return self._session.nodes.add(node, begins=self.entered, inputs=self._inputs(args),
                                       makes=binding.ACTIVATION if kind.op in functions.ACTIVATIONS else binding.TENSOR)

    def _is_in_root(self):
        return bool(self._stack) and self._stack[0].module is self._session.names.root

    def see_beside(self, node, args):
        """Outside of the outermost module: what its output is compared with, and where backward begins."""
        if self._is_in_root():
            node.is_beside = False  # somebody asked in the middle of a call when it came by first
        elif node.op == "ones_like" and node.home is self._outside:
            self._session.note_loss(args[0])
        else:
            self._session.batch.see_beside(args)

    def _inputs(self, args):
        """Names of what an operator reads, as far as they are known."""
        found = []
        for tensor in first_tensors(args):
            name = self._session.names.of_tensor(tensor) or self._session.values.producer_of(tensor)
            if name is not None:
                found.append(name)
        return found

    def made(self, node, out, args, kwargs):
        """What an operator gave, and of what."""
        values = self._session.values
        if out is None:
            out = outputs.written(node, args)
        values.keep(node, out)
        if values.holds:
            node.given = args + (kwargs,) if kwargs else args
        if node.phase == binding.FORWARD:
            number = _sequence_number()
            if number != self.number:  # an autograd node was made, by the first operator that sees it
                self.number = number
                self.forward.setdefault(number - 1, node)
        if not node.has_types:
            self._session.nodes.set_types(node, first_tensors(out, limit=MOST_OUTPUTS))
