# SPDX-License-Identifier: Apache-2.0
"""Which values lie in the same memory: views of each other, what was written in place."""
from .values import Missing

MOST = 8  # names of others


def memory_of(tensor):
    """The same for all views of it; None: it has none."""
    try:
        return tensor.untyped_storage().data_ptr() or None
    except (RuntimeError, NotImplementedError):  # sparse, or without numbers
        return None


def _span(tensor):
    """First byte and the one behind the last."""
    begin = tensor.data_ptr()
    reach = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return begin, begin + (reach + 1) * tensor.element_size()


def _overlap(one, other):
    (begin, end), (other_begin, other_end) = _span(one), _span(other)
    return begin < other_end and other_begin < end


def _shown(session):
    """Names of all that can be asked for now."""
    values = session.values
    yield from session.names.tensors
    yield from ("grad(%s)" % path for path in session.names.is_parameter)
    yield from values.special
    for node in values.kept:
        yield from node.outputs


def others(session, name):
    """What changes with value `name`, by the bytes that both span."""
    tensor, found = session.values.find(name), []
    memory = memory_of(tensor)
    if memory is None or not tensor.numel():
        return found
    for other in dict.fromkeys(_shown(session)):
        if other == name or len(found) == MOST:
            continue
        try:
            known = session.values.find(other)
        except Missing:
            continue  # freed, or written over: it is not shown any more
        if known.numel() and memory_of(known) == memory and _overlap(tensor, known):
            found.append(other)
    return found
