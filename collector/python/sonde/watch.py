# SPDX-License-Identifier: Apache-2.0
"""What flows through a PyTorch model: statistics of every module's outputs and of their gradients, by hooks; when asked, of its
weights and their gradients.

    watched = sonde.watch(model, writer, every=10)     # without a writer: a run of its own under runs/
    for batch in data:
        …                      # forward, backward, optimiser
        watched.step()
    watched.remove()
"""
from .arrays import is_torch
from .guard import guarded, say
from .writer import SummaryWriter


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
    for ".". weights/NAME and gradients/NAME of a parameter, with its own name ("fc.weight"), as in trainings of Sonde's own.
    Only each `every`-th step is recorded; between, a hook is one comparison."""

    def __init__(self, model, writer=None, every=1, outputs=True, gradients=True, histograms=False, only_leaves=True, weights=False,
                 parameter_gradients=False):
        self._owns_writer = writer is None
        self.writer = SummaryWriter() if writer is None else writer
        self._add = self.writer.add_histogram if histograms else self.writer.add_statistics
        self._every = max(int(every), 1)
        self._outputs, self._gradients = outputs, gradients
        self._weights, self._parameter_gradients = weights, parameter_gradients
        self._parameters = {}  # name: parameter
        self._given = set()    # those whose gradients an optimiser was given in this step
        self._handles = []
        self.global_step = 0
        self._attach(model, only_leaves)
        if weights or parameter_gradients:
            self._attach_parameters(model)

    def _bear(self, where, problem):
        say("watch" if where.startswith("_attach") else "a hook of watch", problem, 3)

    @guarded
    def _attach(self, model, only_leaves):
        for name, module in model.named_modules():
            if only_leaves and next(iter(module.children()), None) is not None:
                continue
            self._handles.append(module.register_forward_hook(self._make_hook(name.replace(".", "/") or "model")))

    @guarded
    def _attach_parameters(self, model):
        self._parameters = dict(model.named_parameters())
        if self._parameter_gradients:
            from torch.optim.optimizer import register_optimizer_step_pre_hook
            self._handles.append(register_optimizer_step_pre_hook(self._before_optimiser))

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

    # ---- parameters

    def _before_optimiser(self, optimiser, arguments, options):
        if self.is_recording:
            self._see_given(optimiser)

    @guarded
    def _see_given(self, optimiser):
        """What an optimiser is given is there whole: of all micro-batches, and clipped."""
        given = {id(parameter) for group in optimiser.param_groups for parameter in group["params"]}
        self._see_gradients([name for name, parameter in self._parameters.items() if id(parameter) in given])

    def _see_gradients(self, names):
        for name in names:
            gradient = self._parameters[name].grad
            if gradient is not None and name not in self._given:
                self._given.add(name)
                self._add("gradients/" + name, gradient, self.global_step)

    @guarded
    def _see_parameters(self):
        if self._parameter_gradients:
            self._see_gradients(self._parameters)  # where no optimiser took them
        if self._weights:
            for name, parameter in self._parameters.items():
                self._add("weights/" + name, parameter, self.global_step)

    def step(self):
        """A step is over. Weights are recorded as they are now."""
        if self.is_recording:
            self._see_parameters()
        self._given.clear()
        self.global_step += 1

    def remove(self):
        """The model is as before; a run of its own is closed."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        if self._owns_writer:
            self.writer.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.remove()


def watch(model, writer=None, every=1, outputs=True, gradients=True, histograms=False, only_leaves=True, weights=False,
          parameter_gradients=False):
    """Statistics (or histograms) of what the modules of `model` return, and of the gradients there; of its weights and their
    gradients where asked for. Without a writer a run of its own under runs/."""
    return ModuleWatch(model, writer, every, outputs, gradients, histograms, only_leaves, weights, parameter_gradients)
