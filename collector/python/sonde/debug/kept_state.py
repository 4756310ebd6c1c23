# SPDX-License-Identifier: Apache-2.0
"""What a training step starts from, so that it can be run again: copies of parameters, buffers, gradients, optimiser states, scalers and
schedules, and the random numbers. What the program keeps elsewhere (its own counters, files, an iterator) is its own.
"""
import gc
import json
import random
import sys
import weakref

from .values import first_tensors


class Structure:
    """A dictionary, list or object as it was, whose tensors are kept elsewhere; it is put back in place."""

    def __init__(self, value, keep):
        self._value = value
        if isinstance(value, dict):
            self._members = {key: _freeze(member, keep) for key, member in value.items()}
        else:
            self._members = [_freeze(member, keep) for member in value]

    def thaw(self):
        if isinstance(self._value, dict):
            members = {key: _thaw(member) for key, member in self._members.items()}
            self._value.clear()
            self._value.update(members)
        else:
            self._value[:] = [_thaw(member) for member in self._members]
        return self._value


def _freeze(value, keep):
    if hasattr(value, "data_ptr"):
        keep(value)
        return value
    return Structure(value, keep) if isinstance(value, (dict, list)) else value


def _thaw(value):
    return value.thaw() if isinstance(value, Structure) else value


def _kinds():
    """Classes of objects that a step changes beside the model."""
    import torch
    kinds = [torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]
    for place in ("amp", "cuda.amp"):
        module = torch
        for name in place.split("."):
            module = getattr(module, name, None)
        if hasattr(module, "GradScaler"):
            kinds.append(module.GradScaler)
    return tuple(kinds)


class Helpers:
    """All modules, optimisers, schedules and scalers there are: looked for among all objects once, which takes long."""

    def __init__(self):
        import torch
        kinds = _kinds()
        self._modules, self._helpers = [], []
        for item in gc.get_objects():
            kind = type(item)  # isinstance() would ask the object, which may be anything
            if issubclass(kind, torch.nn.Module):
                self._modules.append(weakref.ref(item))
            elif issubclass(kind, kinds):
                self._helpers.append(weakref.ref(item))

    def add(self, helper):
        if all(known() is not helper for known in self._helpers):
            self._helpers.append(weakref.ref(helper))

    def alive(self):
        return [helper for helper in (known() for known in self._helpers) if helper is not None]

    def tensors(self):
        """Parameters and buffers of the modules."""
        found = []
        for known in self._modules:
            module = known()
            for members in (vars(module).get("_parameters"), vars(module).get("_buffers")) if module is not None else ():
                found += [tensor for tensor in (members or {}).values() if tensor is not None]
        return found


class RandomNumbers:
    """States of torch, CUDA, Python and NumPy."""

    def __init__(self):
        torch = sys.modules["torch"]
        self._torch = torch.get_rng_state()
        self._cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() and torch.cuda.is_initialized() else None
        self._python = random.getstate()
        numpy = sys.modules.get("numpy")
        self._numpy = numpy.random.get_state() if numpy is not None and hasattr(numpy, "random") else None

    # ---- in a capture

    def tensors(self):
        return {"random:torch": self._torch, **{"random:cuda:%d" % k: state for k, state in enumerate(self._cuda or ())}}

    def facts(self):
        found = {"random.python": json.dumps(self._python)}
        if self._numpy is not None:
            found["random.numpy"] = json.dumps([self._numpy[0], self._numpy[1].tolist(), *self._numpy[2:]])
        return found

    @classmethod
    def of_capture(cls, tensors, facts):
        """From what the two above gave."""
        self = cls()
        self._torch = tensors["random:torch"]
        if self._cuda is not None:
            self._cuda = [tensors.get("random:cuda:%d" % k, state) for k, state in enumerate(self._cuda)]
        version, numbers, gauss = json.loads(facts["random.python"])
        self._python = version, tuple(numbers), gauss
        if self._numpy is not None and "random.numpy" in facts:
            name, keys, *rest = json.loads(facts["random.numpy"])
            self._numpy = name, sys.modules["numpy"].array(keys, dtype="uint32"), *rest
        return self

    def restore(self):
        torch = sys.modules["torch"]
        torch.set_rng_state(self._torch)
        if self._cuda is not None:
            torch.cuda.set_rng_state_all(self._cuda)
        random.setstate(self._python)
        if self._numpy is not None:
            sys.modules["numpy"].random.set_state(self._numpy)


class KeptState:
    def __init__(self, tensors, helpers, arguments):
        """`tensors`: of the model; `helpers`: optimisers and the like."""
        self._tensors = {}   # id: (tensor, copy of its numbers)
        self._gradients = {}  # id: (parameter, its gradient then)
        self._helpers = {}   # id: structure of its attributes
        for tensor in list(tensors) + first_tensors(arguments):
            self._keep(tensor)
        for helper in helpers:
            self.add(helper)
        self.random = RandomNumbers()

    def add(self, helper):
        """One that is met later: it has not changed anything before."""
        if id(helper) not in self._helpers:
            self._helpers[id(helper)] = Structure(vars(helper), self._keep)

    def _keep(self, tensor):
        if id(tensor) in self._tensors or not hasattr(tensor, "detach"):
            return
        import torch
        if tensor.layout is torch.strided and torch._debug_has_internal_overlap(tensor) != 1:
            self._tensors[id(tensor)] = tensor, tensor.detach().clone()
        if tensor.is_leaf and tensor.requires_grad and id(tensor) not in self._gradients:
            self._gradients[id(tensor)] = tensor, tensor.grad
            if tensor.grad is not None:
                self._keep(tensor.grad)

    def as_begun(self, tensor):
        """Its numbers of then; itself where it was not kept."""
        return self._tensors.get(id(tensor), (tensor, tensor))[1]

    def restore(self):
        import torch
        with torch.no_grad():
            for tensor, copy in self._tensors.values():
                with torch.autograd._unsafe_preserve_version_counter(tensor):
                    tensor.copy_(copy)
        for structure in self._helpers.values():
            structure.thaw()
        for parameter, gradient in self._gradients.values():
            parameter.grad = gradient
        self.random.restore()
