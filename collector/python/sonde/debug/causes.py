# SPDX-License-Identifier: Apache-2.0
"""Why an operator made a NaN or an infinity of finite numbers, as far as what it read shows that."""
import math

import torch

from .sentence import N_, Sentence

OVERFLOWS = {"exp", "exp2", "expm1", "sinh", "cosh"}
LOGARITHMS = {"log": 0.0, "log2": 0.0, "log10": 0.0, "log1p": -1.0}  # where they begin
SOFTMAXES = {"_softmax", "_log_softmax", "softmax", "log_softmax"}
ARITHMETIC = {"add", "sub", "rsub", "mul", "square", "addcmul", "addcdiv"}
SUMS = {"sum", "mean", "mm", "bmm", "addmm", "baddbmm", "addmv", "mv", "dot", "convolution", "cumsum", "var", "norm", "linalg_vector_norm"}
FILLS = {"masked_fill", "fill", "full", "full_like", "new_full", "where", "constant_pad_nd", "scalar_tensor"}


# ---- numbers

def first_bad(tensor):
    """Row-major place of the first element that is NaN or an infinity; None: there is none."""
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return None
    tensor = tensor.to_dense() if tensor.layout is not torch.strided else tensor
    bad = ~torch.isfinite(tensor.float() if tensor.element_size() == 1 else tensor)
    return int(bad.reshape(-1).to(torch.uint8).argmax()) if bool(bad.any()) else None


def index_of(place, sizes):
    found = []
    for size in reversed(sizes):
        place, rest = divmod(place, size)
        found.insert(0, rest)
    return found


def row_major(index, sizes):
    place = 0
    for i, size in zip(index, sizes):
        place = place * size + i
    return place


def number_at(tensor, place):
    tensor = tensor.to_dense() if tensor.layout is not torch.strided else tensor
    number = tensor[tuple(index_of(place, tensor.shape))].item()
    return math.nan if isinstance(number, complex) else float(number)


def is_finite(tensor, place):
    return math.isfinite(number_at(tensor, place))


def is_all_masked(op, read, bad):
    """A softmax whose result is NaN because all of a row is minus infinity; what masked it did nothing wrong."""
    if op not in SOFTMAXES or not read or not bool(torch.isnan(bad).any()):
        return False
    given = read[0]
    return given.shape == bad.shape and not bool(torch.isnan(given).any()) and not bool((given == math.inf).any())


# ---- sentences

class Look:
    """At what made one element of what an operator gave, argument by argument."""

    def __init__(self, given, out, place, is_known):
        self._given, self._out, self._is_known = given, out, is_known
        self._index = index_of(place, out.shape)

    def place(self, k):
        """In tensor `k`, which is spread over the output."""
        tensor = self._given[k]
        index = self._index[len(self._index) - tensor.dim():]
        return row_major([min(i, size - 1) for i, size in zip(index, tensor.shape)], tensor.shape)

    def number(self, k):
        """None: it is not known, or is no number of that element alone."""
        if k >= len(self._given):
            return None
        argument = self._given[k]
        if isinstance(argument, (int, float)):
            return float(argument)
        if not isinstance(argument, torch.Tensor) or not self._is_known(argument) or argument.is_complex():
            return None
        try:
            torch.broadcast_shapes(argument.shape, self._out.shape)
        except RuntimeError:
            return None
        return number_at(argument, self.place(k)) if argument.dim() <= self._out.dim() else None

    def blame(self, k):
        """(tensor, place) of argument `k`; (None, 0): it is a number of the program."""
        return (self._given[k], self.place(k)) if isinstance(self._given[k], torch.Tensor) else (None, 0)


def _of_quotient(look):
    over, under = look.number(0), look.number(1)
    if under != 0:
        return None, 0
    return (Sentence(N_("division by 0")) if over is None else Sentence(N_("division by 0: %g / 0"), over)), 1


def _of_function(op, x):
    """Of one number."""
    if x is None:
        return None
    begin = LOGARITHMS.get(op)
    if begin is not None and x <= begin:
        return Sentence(N_("%s of %g, which is minus infinity") if x == begin else N_("%s of %g, which has no logarithm"), op, x)
    if op in ("sqrt", "rsqrt") and x < 0:
        return Sentence(N_("%s of %g, a negative number"), op, x)
    if op in ("rsqrt", "reciprocal") and x == 0:
        return Sentence(N_("%s of 0, a division by 0"), op)
    if op in ("asin", "acos") and abs(x) > 1:
        return Sentence(N_("%s of %g, which is outside of -1 to 1"), op, x)
    return None


def _of_power(look, kind):
    base, power = look.number(0), look.number(1)
    if base is None or power is None:
        return None, 0
    if base == 0 and power < 0:
        return Sentence(N_("0 to the power of %g, a division by 0"), power), 0
    if base < 0 and power != int(power):
        return Sentence(N_("%g to the power of %g, which is no real number"), base, power), 0
    return Sentence(N_("%g to the power of %g overflows %s"), base, power, kind), 0


def _overflow(out, text, *arguments):
    return Sentence(text, *arguments).add(N_("; the largest number is %g"), torch.finfo(out.dtype).max)


def _of_range(op, look, out, kind):
    x, is_infinite = look.number(0), not bool(torch.isnan(out).any())
    if op in OVERFLOWS and x is not None:
        return _overflow(out, N_("%s of %g overflows %s"), op, x, kind), 0
    if op in ("_to_copy", "copy") and is_infinite:
        x = look.number(1) if op == "copy" else x
        return (_overflow(out, N_("%g overflows %s"), x, kind), op == "copy") if x is not None else (None, 0)
    if op in ARITHMETIC | SUMS and is_infinite:
        return _overflow(out, N_("the result overflows %s"), kind), None
    return None, 0


def _reason(op, look, out, read):
    """(sentence or None, argument to blame or None)"""
    kind = str(out.dtype).rsplit(".", 1)[-1]
    if is_all_masked(op, read, out):
        return Sentence(N_("softmax of a row that is all -inf")), None
    if op == "div":
        return _of_quotient(look)
    if op == "pow":
        return _of_power(look, kind)
    if op in FILLS:
        return Sentence(N_("it writes a number that is not finite, which the program gives")), None
    text = _of_function(op, look.number(0))
    return (text, 0) if text else _of_range(op, look, out, kind)


def explain(node, read, given, out, place, is_known):
    """(sentence, tensor to blame or None, place in it) of element `place` of `out`, which `node` made of `given`."""
    look, op = Look(given, out, place, is_known), node.op.rstrip("_") or node.op
    text, blamed = _reason(op, look, out, read)
    text = text or Sentence(N_("what it read is finite; nothing more is known"))
    parts = node.name.split("/")
    if len(parts) > 2 and "Backward" in parts[-2]:
        text.add(N_(", in the derivative of %s"), parts[-2].partition("Backward")[0].lower())
    return (text, None, 0) if blamed is None or not given else (text, *look.blame(int(blamed)))
