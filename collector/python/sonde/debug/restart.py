# SPDX-License-Identifier: Apache-2.0
"""`capture open FILE` where a step of d.step stands: the step begins again with the weights, states, random numbers and batch that are in
the file. All of it is read and compared with what is there before anything changes.
"""
from . import binding
from .values import Missing, first_tensors

MOST = 1 << 16  # tensors among the arguments of a step


class Restart:
    def __init__(self, put_back, batch):
        self._put_back = put_back
        self._batch = batch  # id of an argument's tensor: the one that takes its place

    def put_back(self, arguments):
        """What the step is called with, in place of `arguments`."""
        self._put_back()
        return _exchange(arguments, self._batch)


def _exchange(value, others):
    """Tensors in tuples, lists and dictionaries; what holds none of `others` is the same object."""
    if hasattr(value, "data_ptr"):
        return others.get(id(value), value)
    if isinstance(value, dict):
        members = {key: _exchange(member, others) for key, member in value.items()}
        return members if any(members[key] is not value[key] for key in value) else value
    if type(value) in (tuple, list):
        members = [_exchange(member, others) for member in value]
        return type(value)(members) if any(new is not old for new, old in zip(members, value)) else value
    return value


def of_capture(session, path, arguments):
    """Raises Missing."""
    from . import capture  # it needs sqlite3
    names = session.names
    if names.root is None:
        raise Missing(binding.ABSENT, "The model is not known yet: go on until it is called.")
    try:
        with capture.Capture(path) as opened:
            put_back = opened.prepare(names.root, names.optimiser)
            return Restart(put_back, _batch(session, opened, arguments))
    except (OSError, ValueError, KeyError) as problem:
        raise Missing(binding.UNABLE, str(problem.args[-1] if problem.args else problem)) from None


def _batch(session, opened, arguments):
    """Of what the outermost module and the loss are called with, those tensors that the step was given."""
    given, found, missed = {id(tensor) for tensor in first_tensors(arguments, limit=MOST)}, {}, []
    for name, tensor in opened.batch.items():
        here = session.values.special.get(name)
        if here is None:
            raise Missing(binding.ABSENT, "“%s” is in the capture, but not known yet in this step: go on until it is used, then open it." % name)
        if id(here) in given:
            found[id(here)] = tensor.to(here.device).requires_grad_(here.requires_grad)
        elif here.shape != tensor.shape or not bool((here.cpu() == tensor).all()):
            missed.append(name)
    if missed:
        session.library.tell(session.program, ("“%s” of the capture is no argument of the step, which makes it itself."
                                               % "”, “".join(missed)).encode("utf-8", "replace"))
    return found
