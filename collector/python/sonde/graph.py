# SPDX-License-Identifier: Apache-2.0
"""The graph of a PyTorch model from a trace, as bytes of the message PlainGraph (data/records/sonde-record.proto).

Operators keep their TorchScript names (aten::conv2d); their constant arguments are attributes by the names of the operator's
schema. Scopes are the paths of the modules with "/" for ".". Parameters and buffers have type and shape, no data.
"""
import re
import struct

from .arrays import TYPES

ROLE_INPUT, ROLE_PARAMETER, ROLE_STATE = 1, 2, 4
INTS, FLOATS, STRINGS = 1, 2, 3
SCALAR_TYPES = {"Double": "float64", "Float": "float32", "Half": "float16", "BFloat16": "bfloat16", "Char": "int8",
                "Short": "int16", "Int": "int32", "Long": "int64", "Byte": "uint8", "Bool": "bool"}
MAX_RANK = 16
MAX_SHOWN = 16  # a constant tensor with at most so many elements is shown as an attribute


# ---- protobuf ------------------------------------------------------------------------------------------------------------


def _varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _zigzag(number):
    return _varint(number << 1 ^ number >> 63)


def _bytes(field, data):
    data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _number(field, number):
    return _varint(field << 3) + _varint(number)


def _packed(field, items, encode=_varint):
    return _bytes(field, b"".join(encode(item) for item in items)) if items else b""


# ---- the graph while it is made ------------------------------------------------------------------------------------------


class Graph:
    """Values by number from 1; 0 is an absent input."""

    def __init__(self, name):
        self.name = name
        self.values, self.nodes, self.inputs, self.outputs = [], [], [], []

    def add_value(self, name, dtype=None, shape=None, role=0):
        """dtype: as NumPy calls it; None is unknown, of the shape and of a size, too."""
        data = _bytes(1, name) + _number(2, 1)
        if dtype in TYPES:
            data += _number(3, TYPES[dtype])
        if shape is not None and len(shape) <= MAX_RANK:
            data += _number(4, len(shape)) + _packed(5, [-1 if n is None else int(n) for n in shape], _zigzag)
        if role:
            data += _number(6, role)
        self.values.append(data)
        return len(self.values)

    def add_node(self, name, op, inputs, outputs, attributes, scope):
        data = _bytes(1, name) + _bytes(3, op) + _packed(4, inputs) + _packed(5, outputs)
        for key, value in attributes.items():
            data += _bytes(6, _attribute(key, value))
        self.nodes.append(data + (_bytes(7, scope) if scope else b""))

    def to_bytes(self):
        return (_bytes(1, self.name) + b"".join(_bytes(2, value) for value in self.values)
                + b"".join(_bytes(3, node) for node in self.nodes) + _packed(4, self.inputs) + _packed(5, self.outputs)
                + _bytes(7, "pytorch"))


def _attribute(name, value):
    is_list = isinstance(value, (list, tuple))
    items = list(value) if is_list else [value]
    data = _bytes(1, name) + (_number(2, 1) if is_list else b"")
    if all(isinstance(item, int) and -1 << 63 <= item < 1 << 63 for item in items):
        return data + _packed(3, [int(item) for item in items], _zigzag) + _number(8, INTS)
    if all(isinstance(item, (int, float)) for item in items):
        return data + _packed(4, items, lambda x: struct.pack("<d", x)) + _number(8, FLOATS)
    return data + b"".join(_bytes(5, str(item)) for item in items) + _number(8, STRINGS)


# ---- TorchScript ---------------------------------------------------------------------------------------------------------


def argument_names(schema):
    """Of "aten::conv2d(Tensor input, int[2] stride=[1, 1]) -> Tensor": input, stride."""
    names, depth, word = [], 0, ""
    begin = schema.find("(") + 1
    for letter in schema[begin:] if begin else "":
        if depth == 0 and letter in ",)":
            words = word.split("=")[0].split()
            if words and words[-1] != "*":
                names.append(words[-1])
            word = ""
            if letter == ")":
                break
            continue
        depth += (letter in "([") - (letter in ")]")
        word += letter
    return names


def scope_of(name):
    """Path of the module: "b/0" of "__module.b/__module.b.0" and of the older "Net/Sequential[b]/Block[0]"."""
    if "__module" in name:
        last = name.rsplit("/", 1)[-1]
        return last.split("__module.", 1)[1].replace(".", "/") if "__module." in last else ""
    return "/".join(re.findall(r"\[([^\]]*)\]", name)).replace(".", "/")


def _type_of(value):
    """(dtype, shape) as far as the trace knows them."""
    kind = value.type()
    if kind.kind() != "TensorType":
        return None, None
    return SCALAR_TYPES.get(kind.scalarType()), kind.sizes()


def _is_constant(value):
    return value.node().kind() == "prim::Constant"


def _constant(value):
    """What an attribute says of a constant: a small tensor by its elements, a large one by its shape."""
    constant = value.toIValue()
    if hasattr(constant, "numel"):
        return constant.tolist() if constant.numel() <= MAX_SHOWN and constant.dim() < 2 else "tensor of shape %s" % list(constant.shape)
    return constant


class Reader:
    """Walks an inlined graph. `tensors`: {path of a parameter or buffer: (dtype, shape, is it trained)}"""

    LISTS = ("prim::ListConstruct", "prim::TupleConstruct")
    SAME = ("prim::NumToTensor", "aten::Int", "aten::Float", "aten::ScalarImplicit")  # a number is a number

    def __init__(self, name, tensors):
        self.graph = Graph(name)
        self.tensors = tensors
        self.numbers = {}  # name of a TorchScript value -> number
        self.paths = {}    # name of one that is a module -> its path
        self.parts = {}    # name of a list or tuple -> the values in it
        self.names = {}    # how often a node's name was given

    # -- values

    def _add(self, value, name, role=0):
        number = self.numbers[value.debugName()] = self.graph.add_value(name, *_type_of(value), role)
        return number

    def _get_attribute(self, node):
        """A module below a module, or its parameter."""
        path = self.paths.get(next(iter(node.inputs())).debugName(), "")
        path = (path + "." if path else "") + node.s("name")
        output = next(iter(node.outputs()))
        if output.type().kind() == "ClassType":
            self.paths[output.debugName()] = path
            return
        dtype, shape, trained = self.tensors.get(path, _type_of(output) + (True,))
        if path not in self.numbers:
            self.numbers[path] = self.graph.add_value(path, dtype, shape, ROLE_PARAMETER if trained else ROLE_STATE)
        self.numbers[output.debugName()] = self.numbers[path]

    def _flat(self, value):
        """The values of a list of lists."""
        parts = self.parts.get(value.debugName())
        return [value] if parts is None else [one for part in parts for one in self._flat(part)]

    def _listed(self, value):
        """A list as an attribute: what is not constant is "?"."""
        return [_constant(one) if _is_constant(one) else "?" for one in self._flat(value)]

    # -- nodes

    def _name(self, scope, op):
        name = "/%s" % "/".join(filter(None, (scope, op.rsplit("::", 1)[-1])))
        self.names[name] = self.names.get(name, 0) + 1
        return name if self.names[name] == 1 else "%s_%d" % (name, self.names[name] - 1)

    def _arguments(self, node):
        """Numbers of the inputs, and the constants by their names."""
        inputs, attributes = [], {}
        try:
            names = argument_names(node.schema())
        except RuntimeError:  # an operator without one
            names = []
        for i, value in enumerate(node.inputs()):
            name = names[i] if i < len(names) else "argument%d" % i
            many = self._flat(value)
            computed = [one for one in many if not _is_constant(one)]
            if _is_constant(value):
                constant = _constant(value)
                if constant is not None:
                    attributes[name] = constant
            elif len(computed) < len(many):
                attributes[name] = self._listed(value)
            inputs += [self.numbers[one.debugName()] for one in computed if one.debugName() in self.numbers]
        return inputs, attributes

    def _add_node(self, node):
        op = node.kind()
        inputs, attributes = self._arguments(node)
        if op.endswith("_") and not op.endswith("__"):
            op, attributes["in_place"] = op[:-1], 1
        scope = scope_of(node.scopeName())
        name = self._name(scope, op)
        outputs = [self._add(value, "%s:%d" % (name, i) if i else name) for i, value in enumerate(node.outputs())]
        self.graph.add_node(name, op, inputs, outputs, attributes, scope)

    def _visit(self, node):
        kind = node.kind()
        outputs = list(node.outputs())
        if kind == "prim::Constant":
            return
        if kind == "prim::GetAttr":
            self._get_attribute(node)
        elif kind in self.SAME and next(iter(node.inputs())).debugName() in self.numbers:
            self.numbers[outputs[0].debugName()] = self.numbers[next(iter(node.inputs())).debugName()]
        elif kind in self.LISTS:
            self.parts[outputs[0].debugName()] = list(node.inputs())
        elif kind == "prim::DictConstruct":
            self.parts[outputs[0].debugName()] = list(node.inputs())[1::2]
        elif kind in ("prim::TupleUnpack", "prim::ListUnpack") and self._unpack(next(iter(node.inputs())), outputs):
            pass
        else:
            self._add_node(node)

    def _unpack(self, value, outputs):
        """The parts of a list that was made in this graph are known by their own names."""
        parts = self.parts.get(value.debugName())
        if parts is None or len(parts) != len(outputs):
            return False
        for part, output in zip(parts, outputs):
            for table in (self.numbers, self.parts, self.paths):
                if part.debugName() in table:
                    table[output.debugName()] = table[part.debugName()]
        return True

    def read(self, script):
        for i, value in enumerate(script.inputs()):
            if i == 0 and value.type().kind() == "ClassType":
                self.paths[value.debugName()] = ""
            else:
                self.graph.inputs.append(self._add(value, value.debugName(), ROLE_INPUT))
        for node in script.nodes():
            self._visit(node)
        self.graph.outputs += [self.numbers[one.debugName()] for value in script.outputs() for one in self._flat(value)
                               if one.debugName() in self.numbers]
        return self.graph.to_bytes()


# ---- a model -------------------------------------------------------------------------------------------------------------


def _tensors_of(model):
    def facts(tensor, trained):
        return str(tensor.dtype).rsplit(".", 1)[-1], list(tensor.shape), trained
    found = {name: facts(tensor, True) for name, tensor in model.named_parameters(remove_duplicate=False)}
    found.update((name, facts(tensor, False)) for name, tensor in model.named_buffers(remove_duplicate=False))
    return found


def of_model(model, arguments, strict=True):
    """The bytes of the message. What the trace does to the model (running statistics, random numbers) is undone."""
    import torch
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    devices = sorted({tensor.device.index or 0 for tensor in model.parameters() if tensor.device.type == "cuda"})
    try:
        with torch.random.fork_rng(devices=devices), torch.no_grad():
            traced = torch.jit.trace(model, arguments, check_trace=False, strict=strict)
    finally:
        with torch.no_grad():
            for buffer, kept in buffers:
                buffer.copy_(kept)
    return Reader(type(model).__name__, _tensors_of(model)).read(traced.inlined_graph)
