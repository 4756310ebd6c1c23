# SPDX-License-Identifier: Apache-2.0
"""The nodes of a program: what operators, modules and values are called, and which a step came by.

`layer1.0/add_1` is the second add in the first call of layer1.0; in the second call it is `layer1.0#2/add_1`; in backward
`layer1.0/AddBackward0/…`.
"""
import ctypes

from ..library import strings
from . import binding, functions, records


class Node(records.NodeRecord):
    __slots__ = ("place", "op", "scope", "source", "kind", "given")

    def __init__(self, name, op, scope, outputs, phase, kind):
        self.number, self.name, self.op, self.scope, self.outputs = 0, name, op, scope, outputs
        self.place = 0  # of its first output, as the library's look() wants it
        self.phase, self.kind = phase, kind
        self.unjudged, self.source, self.has_types = False, None, False
        self.is_beside = False  # of forward, outside of the outermost module
        self.writes = ()  # places of the arguments that it writes into
        self.home = None  # the scope of an operator
        self.made = self.version = self.given = None  # see Values.keep(), keep_given()


def _caller(func):
    """The same, without the frame of Python around it, where there is nothing else in that."""
    return getattr(func, "_op", func) if getattr(func, "_pyobj_dispatcher", None) is None else func


class Scope(records.ScopeRecord):
    """Where operators are: a call of a module, an autograd node of it, a parameter's update, or outside.

    `route` is how it went last time: (function, node, or None for what is hidden, what calls the function) in order; `place` the next one in pass `stamp`.
    """
    __slots__ = ("path", "prefix", "phase", "label", "module", "nodes", "_counts", "_counted")

    def __init__(self, path, prefix, phase, label="", module=None):
        self.path, self.prefix, self.phase, self.label, self.module = path, prefix, phase, label, module
        self.nodes, self.route, self.place, self.stamp = {}, [], 0, -1
        self._counts, self._counted, self.backwards = {}, 0, {}

    def count(self, op, place):
        """How many `op` came before `place` of the route."""
        self._uncount(place)
        for _, node, _ in self.route[self._counted:place]:
            if node is not None:
                self._counts[node.op] = self._counts.get(node.op, 0) + 1
        self._counted = place
        return self._counts.get(op, 0)

    def _uncount(self, place):
        if self._counted > place:
            self._counts, self._counted = {}, 0

    def go(self, place, func, node):
        """From `place` on another way than last time."""
        self._uncount(place)
        del self.route[place:]
        self.route.append((func, node, _caller(func)))

    def name(self, op, k):
        return "%s/%s" % (self.prefix, op) if k == 0 else "%s/%s_%d" % (self.prefix, op, k)

    def backward(self, current, kind):
        """Of autograd's node, whose type is `kind`."""
        key = kind if kind.__name__ != "CppFunction" else current.name()
        found = self.backwards.get(key)
        if found is None:
            found = self.backwards[key] = Scope(self.path, "%s/%s" % (self.prefix, current.name()), binding.BACKWARD)
        return found


def type_of(tensor):
    name = str(tensor.dtype).rsplit(".", 1)[-1]
    return name + " " + "×".join(str(n) for n in tensor.shape) if tensor.dim() else name


class Nodes(records.NodesRecord):
    """All nodes that were seen, and those of the running and the last step in order."""

    def __init__(self, library, program):
        self._library, self._program = library, program
        self.by_name = {}    # of the node
        self.by_output = {}  # node and place among its outputs
        self.now, self.last = [], []
        self.beside = []     # numbers of modules and values

    def add(self, node, begins=None, makes=binding.TENSOR, inputs=()):
        """Gives `node` its number."""
        described = binding.Node(
            name=node.name.encode(), op=node.op.encode(), functions=strings(functions.names_of(node.op)),
            scope=node.scope.encode() if node.scope else None, begins=begins.encode() if begins else None,
            phase=node.phase, kind=node.kind, makes=makes, inputs=strings(inputs), outputs=strings(node.outputs),
            types=strings([]), unjudged=node.unjudged, source=node.source.encode() if node.source else None)
        node.number = self._library.add_node(self._program, ctypes.byref(described))
        node.place = node.number << 8
        self.by_name[node.name] = node
        self._note_outputs(node)
        return node

    def _note_outputs(self, node):
        """Its name means the first."""
        for k, name in enumerate(node.outputs):
            self.by_output.setdefault(name, (node, k))
        self.by_output.setdefault(node.name, (node, 0))

    def set_outputs(self, node, outputs):
        """It makes more than was known before it ran."""
        node.outputs, node.has_types = outputs, False
        self._note_outputs(node)
        self._library.set_outputs(self._program, node.number, strings(outputs))

    def set_types(self, node, tensors):
        node.has_types = True
        self._library.set_types(self._program, node.number, strings([type_of(tensor) for tensor in tensors]))

    def end_step(self, is_whole):
        """Of a step that was seen in part the last whole one tells more."""
        if is_whole or not self.last:
            self.last = self.now
        self.now = []

    def listing(self):
        """Numbers: those of the running step so far, then those of the last step that follow."""
        if not self.now:
            return self.last
        try:
            behind = self.last.index(self.now[-1]) + 1
        except ValueError:
            return self.now
        return self.now + self.last[behind:]
