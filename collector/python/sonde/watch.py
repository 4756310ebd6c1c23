# SPDX-License-Identifier: Apache-2.0
"""What flows through a PyTorch model: statistics of every module's outputs and of their gradients, by hooks.

    watched = sonde.watch(model, writer, every=10)
    for batch in data:
        …                      # forward, backward, optimiser
        watched.step()
    watched.remove()
"""
from .arrays import is_torch
from .guard import guarded, say


def _tensors(value, name=""):
    """The tensors of what a module returned, with the ending of their tags."""
    if is_torch(value):
        yield name, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _tensors(item, "%s/%s" % (name, key))
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _tensors(item, "%s/%d" % (name, i) if len(value) > 1 else name)


class ModuleWatch:
    """Tags: outputs/MODULE and gradients/MODULE (of the loss by that output); MODULE is its name in the model, with "/"
    for ".". Only each `every`-th step is recorded; between, a hook is one comparison."""

    def __init__(self, model, writer, every=1, outputs=True, gradients=True, histograms=False, only_leaves=True):
        self._add = writer.add_histogram if histograms else writer.add_statistics
        self._every = max(int(every), 1)
        self._outputs, self._gradients = outputs, gradients
        self._handles = []
        self.global_step = 0
        self._attach(model, only_leaves)

    def _bear(self, where, problem):
        say("watch" if where == "_attach" else "a hook of watch", problem, 3)

    @guarded
    def _attach(self, model, only_leaves):
        for name, module in model.named_modules():
            if only_leaves and next(iter(module.children()), None) is not None:
                continue
            self._handles.append(module.register_forward_hook(self._make_hook(name.replace(".", "/") or "model")))

    @property
    def is_recording(self):
        return self.global_step % self._every == 0

    def _make_hook(self, name):
        def seen(module, inputs, output):
            if self.is_recording:
                self._see(name, output)
        return seen

    @guarded
    def _see(self, name, output):
        for ending, tensor in _tensors(output):
            if self._outputs:
                self._add("outputs/" + name + ending, tensor, self.global_step)
            if self._gradients and tensor.requires_grad:
                self._watch_gradient("gradients/" + name + ending, tensor, self.global_step)

    def _watch_gradient(self, tag, tensor, step):
        # A hook of the tensor, not of the module: it changes nothing for modules that work in place.
        def seen(gradient):
            self._add(tag, gradient, step)  # its value would take the gradient's place
        tensor.register_hook(seen)

    def step(self):
        """A step is over."""
        self.global_step += 1

    def remove(self):
        """The model is as before."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.remove()


def watch(model, writer, every=1, outputs=True, gradients=True, histograms=False, only_leaves=True):
    """Statistics (or histograms) of what the modules of `model` return, and of the gradients there."""
    return ModuleWatch(model, writer, every, outputs, gradients, histograms, only_leaves)
