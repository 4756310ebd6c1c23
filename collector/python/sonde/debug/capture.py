# SPDX-License-Identifier: Apache-2.0
"""`capture save FILE`: the moment where a program stands, in a file: batch, weights, states, random numbers, statistics of all values, some
of them whole, and where it is. `sonde inspect FILE` shows it; sonde.debug.open_capture (FILE) puts it back into a model.
"""
import ctypes
import fnmatch
import json
import platform
import sys

from ..arrays import TYPES
from . import binding, sources
from .capture_file import Reader, Writer
from .kept_state import RandomNumbers
from .nodes import type_of
from .values import Missing

BIT = {number: name for name, number in TYPES.items()}


def save(session, path, globs, only_batch):
    """Raises Missing, or what the file system says."""
    if path.endswith(".npz"):
        session.batch.save(path)
        return
    try:
        with Writer(path) as file:
            _Moment(session, file).put(globs, only_batch)
    except OSError as problem:
        raise Missing(binding.UNABLE, "“%s” was not written: %s." % (path, problem.strerror or problem)) from None


class _Moment:
    def __init__(self, session, file):
        self._session, self._file = session, file
        self._left_out = []  # names of what did not go in whole

    def put(self, globs, only_batch):
        self._put_batch()
        if not only_batch:
            self._put_state()
            self._put_made(globs)
        self._put_random()
        self._put_facts()

    # ---- tensors

    def _encode(self, name, tensor):
        """None: it is too large."""
        if not self._file.has_room_for(tensor.nbytes):
            self._left_out.append(name)
            return None
        return as_numbers(tensor)

    def _measure(self, tensor):
        given, found = binding.Tensor(), binding.Statistics()
        owner = self._session.values.describe(tensor, given)
        unknown = self._session.library.measure(ctypes.byref(given), ctypes.byref(found))
        del owner
        return None if unknown else [getattr(found, name) for name, _ in found._fields_]

    def _put_value(self, name, tensor, whole):
        self._file.add_value(name, self._encode(name, tensor) if whole else None, self._measure(tensor))

    def _put_batch(self):
        for name in self._session.batch.names:
            try:
                tensor = self._encode(name, self._session.values.find(name))
            except Missing:
                self._left_out.append(name)
                continue
            if tensor is not None:
                self._file.add_input(name, tensor)

    def _put_state(self):
        """Weights, buffers and states of the optimiser: of the step's beginning where a copy is kept, as in d.step."""
        session = self._session
        for name, tensor in session.names.tensors.items():
            self._put_value(name, session.again.as_begun(tensor), True)
            if tensor.grad is not None:
                self._put_value("grad(%s)" % name, tensor.grad, False)
        numbers = {}
        for name, key, value in states_of(session.names, session.names.optimiser):
            if hasattr(value, "data_ptr"):
                self._put_value("state(%s, %s)" % (name, key), session.again.as_begun(value), True)
            elif isinstance(value, (int, float, bool)):
                numbers["state(%s, %s)" % (name, key)] = value
        self._file.add_fact("states", json.dumps(numbers))
        self._file.add_fact("groups", json.dumps(settings_of(session.names.optimiser)))

    def _put_made(self, globs):
        session, values = self._session, self._session.values
        names = [name for node in values.kept for name in node.outputs] + [name for name in values.special if name not in session.batch.names]
        for name in dict.fromkeys(names):
            try:
                tensor = values.find(name)
            except Missing:
                continue  # freed, or written over: nothing can be said of it
            self._put_value(name, tensor, any(name == glob or fnmatch.fnmatchcase(name, glob) for glob in globs))

    def _put_random(self):
        found = self._session.batch.random or RandomNumbers()
        for name, tensor in found.tensors().items():
            self._file.add_value(name, as_numbers(tensor), None)
        for key, value in found.facts().items():
            self._file.add_fact(key, value)

    # ---- words

    def _put_facts(self):
        session, file = self._session, self._file
        torch, standing = sys.modules["torch"], session.standing
        facts = {
            "kind": "pytorch", "title": session.title(), "step": session.step, "torch": torch.__version__,
            "python": platform.python_version(), "arguments": json.dumps(list(getattr(sys, "argv", ())), ensure_ascii=False),
            "seed": torch.initial_seed(), "device": session.device(), "inputs": json.dumps(session.batch.names, ensure_ascii=False),
            "state": "of the step's beginning" if session.again.is_stepping else "of where it stood",
        }
        if session.names.root is not None:
            facts["model"] = type(session.names.root).__name__
        if session.names.optimiser is not None:
            facts["optimiser"] = type(session.names.optimiser).__name__
        if standing.node is not None:
            facts.update(node=standing.node.name, when="after" if standing.moment else "before", source=standing.node.source or "")
        facts["stack"] = "\n".join("%s: %s" % (sources.place(frame), sources.line(frame)) for frame in sources.frames(session.frame))
        if self._left_out:
            facts["absent"] = ", ".join(self._left_out)
        for key, value in facts.items():
            file.add_fact(key, str(value).encode("utf-8", "replace").decode())


def states_of(names, optimiser):
    """(parameter's name, key, value)."""
    for parameter, states in (optimiser.state.items() if optimiser is not None else ()):
        name = names.of_tensor(parameter)
        if name is not None:
            for key, value in states.items():
                yield name, key, value


def settings_of(optimiser):
    """Numbers of each group of its parameters: learning rates and the like."""
    return [{key: value for key, value in group.items() if key != "params" and _is_setting(value)}
            for group in (optimiser.param_groups if optimiser is not None else ())]


def _is_setting(value):
    return isinstance(value, (bool, int, float)) or isinstance(value, tuple) and all(isinstance(part, (int, float)) for part in value)


def as_numbers(tensor):
    """(type, sizes, bytes)."""
    tensor = tensor.detach()
    if tensor.layout is not sys.modules["torch"].strided:
        tensor = tensor.to_dense()
    name = str(tensor.dtype).rsplit(".", 1)[-1]
    if name not in TYPES or tensor.is_neg():
        tensor = tensor.abs() if tensor.is_complex() else tensor.float()
        name = str(tensor.dtype).rsplit(".", 1)[-1]
    tensor = tensor.cpu().contiguous()
    return TYPES[name], tuple(tensor.shape), ctypes.string_at(tensor.data_ptr(), tensor.nbytes) if tensor.numel() else b""


def as_tensor(kind, sizes, data):
    import torch
    tensor = torch.empty(sizes, dtype=getattr(torch, BIT[kind]))
    if tensor.nbytes != len(data):
        raise ValueError("a tensor of the capture has not the length of its sizes")
    if data:
        ctypes.memmove(tensor.data_ptr(), data, len(data))
    return tensor


# ---- opening

class Capture:
    """What `capture save` wrote of a PyTorch program."""

    def __init__(self, path):
        self._path = path
        self._file = Reader(path)
        self.facts = self._file.facts
        if self.facts.get("kind") != "pytorch":
            self._file.close()
            raise ValueError("“%s” is a capture of Sonde's own engine: sonde debug %s" % (path, path))
        self._names = json.loads(self.facts.get("inputs", "{}"))

    @property
    def inputs(self):
        """What the step was called with: name of an argument, or "target", and tensor."""
        return {self._names.get(name, name): self.tensor(name) for name in self._file.inputs}

    def tensor(self, name):
        """A value that is in it whole."""
        if name not in self._file.names():
            raise KeyError("“%s” is not in “%s” whole" % (name, self._path))
        return as_tensor(*self._file.tensor(name))

    @property
    def batch(self):
        """The same by the names of the debugger: "input:1", "target"."""
        return {name: self.tensor(name) for name in self._file.inputs}

    def put_back(self, model, optimiser=None):
        """Weights, buffers, states and random numbers become those of the capture. What does not fit is named before anything changes."""
        self.prepare(model, optimiser)()

    def prepare(self, model, optimiser=None):
        """What put_back() does, as a function that does not need the file any more."""
        tensors = dict(list(model.named_parameters()) + list(model.named_buffers()))
        kept = set(self._file.names())
        absent = [name for name in tensors if name not in kept]
        if absent:
            raise ValueError("“%s” has no values of “%s”: it is of another model, or of the batch alone" % (self._path, "”, “".join(absent)))
        found = {name: self.tensor(name) for name in tensors}
        for name, tensor in tensors.items():
            if tensor.shape != found[name].shape or tensor.dtype != found[name].dtype:
                raise ValueError("“%s” is %s in “%s” and %s here" % (name, type_of(found[name]), self._path, type_of(tensor)))
        states = self._states() if optimiser is not None else {}
        groups = json.loads(self.facts.get("groups", "[]"))
        random = RandomNumbers.of_capture({name: self.tensor(name) for name in kept if name.startswith("random:")}, self.facts)

        def put():
            _copy(tensors, found)
            if optimiser is not None:
                _put_states(optimiser, dict(model.named_parameters()), states)
                _put_settings(optimiser, groups)
            random.restore()
        return put

    def _states(self):
        states = {name: self.tensor(name) for name in self._file.names() if name.startswith("state(")}
        return {**states, **json.loads(self.facts.get("states", "{}"))}

    def close(self):
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()


def _copy(tensors, found):
    import torch
    with torch.no_grad():
        for name, tensor in tensors.items():
            tensor.copy_(found[name])


def _put_states(optimiser, parameters, states):
    for group in optimiser.param_groups:
        for parameter in group["params"]:
            optimiser.state.pop(parameter, None)
    for name, value in states.items():
        path, _, key = name[len("state("):-1].rpartition(", ")
        if path in parameters:
            if hasattr(value, "data_ptr") and value.dim() > 0:
                value = value.to(parameters[path].device)
            optimiser.state[parameters[path]][key] = value


def _put_settings(optimiser, groups):
    """Learning rates and the like, where it has as many groups."""
    if len(groups) == len(optimiser.param_groups):
        for group, settings in zip(optimiser.param_groups, groups):
            group.update((key, tuple(value) if isinstance(value, list) else value) for key, value in settings.items() if key in group)
