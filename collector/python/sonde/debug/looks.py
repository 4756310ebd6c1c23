# SPDX-License-Identifier: Apache-2.0
"""Whether conditions alone would let a value pass, asked of the library with the address of its numbers: nothing is named, described
or copied for that. What is not plain memory is left to whoever passes the node."""
import torch

from ..arrays import TYPES
from .values import first_tensors

PLAIN = frozenset((torch.Tensor, torch.nn.Parameter))
STRIDED = torch.strided
CODES = {getattr(torch, name): code for name, code in TYPES.items() if hasattr(torch, name)}
MAX_OUTPUTS = 16


def _are_all_there(sizes, strides):
    """Each element of its memory is in the tensor once."""
    expected = 1
    for stride, size in sorted((stride, size) for size, stride in zip(sizes, strides) if size != 1):
        if stride != expected:
            return False
        expected *= size
    return True


class Looks:
    def __init__(self, session):
        self._look, self._program = session.library.look, session.program
        self._dense = {}  # (sizes, strides): _are_all_there()

    def are_sound(self, node, out):
        """Of what `node` made; None: it wrote into what it was given."""
        if type(out) in PLAIN:
            return self._is_sound(node.place, out)
        tensors = first_tensors(out, limit=MAX_OUTPUTS + 1)
        return out is not None and len(tensors) <= MAX_OUTPUTS and all(type(tensor) in PLAIN and self._is_sound(node.place + 16 * k, tensor)
                                                   for k, tensor in enumerate(tensors))

    def _is_sound(self, place, tensor):
        code = CODES.get(tensor.dtype)
        if code is None or not tensor.is_cpu or tensor.layout is not STRIDED or tensor.is_neg():
            return False
        if not tensor.is_contiguous() and not self._is_dense(tensor):
            return False
        return not self._look(self._program, place + code, tensor.data_ptr(), tensor.numel())

    def _is_dense(self, tensor):
        key = tensor.shape, tensor.stride()
        known = self._dense.get(key)
        if known is None:
            if len(self._dense) > 10000:
                self._dense.clear()
            known = self._dense[key] = _are_all_there(*key)
        return known
