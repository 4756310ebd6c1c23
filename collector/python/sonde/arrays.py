# SPDX-License-Identifier: Apache-2.0
"""Anything with numbers in it, as a pointer for the library. PyTorch is not imported: a tensor brings its own methods."""
import array
import ctypes

# Numbers of sonde-recorder.h by the names that NumPy and PyTorch give their types.
TYPES = {"float64": 1, "float32": 2, "float16": 3, "bfloat16": 4, "int8": 5, "int16": 6, "int32": 7, "int64": 8,
         "uint8": 9, "uint16": 10, "uint32": 11, "uint64": 12, "bool": 13}
SIZES = {1: 8, 2: 4, 3: 2, 4: 2, 5: 1, 6: 2, 7: 4, 8: 8, 9: 1, 10: 2, 11: 4, 12: 8, 13: 1}


class Numbers:
    """pointer, type and shape of contiguous numbers; `owner` keeps them alive."""
    __slots__ = ("owner", "pointer", "type", "shape")

    def __init__(self, owner, pointer, kind, shape):
        self.owner, self.pointer, self.type, self.shape = owner, pointer, kind, tuple(int(n) for n in shape)

    @property
    def count(self):
        n = 1
        for size in self.shape:
            n *= size
        return n


def is_torch(value):
    return hasattr(value, "data_ptr") and hasattr(value, "detach")


def _of_torch(tensor, wanted):
    tensor = tensor.detach()
    name = str(tensor.dtype).rsplit(".", 1)[-1]
    if name not in TYPES:
        # complex and the narrow floats: what a reader can make of them
        tensor = tensor.abs() if tensor.is_complex() else tensor.float()
    if wanted is not None and str(tensor.dtype) != "torch." + wanted:
        tensor = getattr(tensor, {"float32": "float", "float64": "double", "uint8": "byte", "int32": "int"}[wanted])()
    tensor = tensor.to("cpu").contiguous()
    return Numbers(tensor, tensor.data_ptr(), TYPES[str(tensor.dtype).rsplit(".", 1)[-1]], tensor.shape)


def numpy_or_none():
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _flatten(value, shape=()):
    if not isinstance(value, (list, tuple)):
        return [value], shape
    parts = [_flatten(item) for item in value]
    if len({part[1] for part in parts}) > 1:
        raise ValueError("the rows have different lengths")
    return [item for part in parts for item in part[0]], (len(value),) + (parts[0][1] if parts else ())


def _of_lists(value, wanted):
    """Without NumPy."""
    items, shape = _flatten(value)
    codes = {"float64": "d", "float32": "f", "uint8": "B", "int32": "i"}
    numbers = array.array(codes[wanted or "float64"], [float(x) if (wanted or "float64").startswith("f") else int(x) for x in items])
    return Numbers(numbers, numbers.buffer_info()[0], TYPES[wanted or "float64"], shape)


def numbers_of(value, wanted=None):
    """`wanted`: None keeps the type; else one of float32, float64, uint8, int32."""
    if is_torch(value):
        return _of_torch(value, wanted)
    if hasattr(value, "asnumpy"):  # MindSpore
        value = value.asnumpy()
    numpy = numpy_or_none()
    if numpy is None:
        if hasattr(value, "tolist"):
            value = value.tolist()
        return _of_lists(value, wanted)
    values = numpy.asarray(value)
    if numpy.iscomplexobj(values):
        values = numpy.abs(values)
    if wanted is not None:
        values = values.astype(wanted, copy=False)
    elif values.dtype.name not in TYPES:
        values = values.astype(numpy.float64)
    # ascontiguousarray makes [1] of a single number, and the byte order may be another machine's
    contiguous = numpy.ascontiguousarray(values.astype(values.dtype.newbyteorder("="), copy=False))
    return Numbers(contiguous, contiguous.ctypes.data, TYPES[contiguous.dtype.name], values.shape)


def number_of(value):
    """One number: of Python, NumPy, PyTorch, or an array with one element."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    return float(value.item() if hasattr(value, "item") else value)


def dims_of(numbers):
    return (ctypes.c_int64 * max(len(numbers.shape), 1))(*numbers.shape)
