# SPDX-License-Identifier: Apache-2.0
"""What modules, parameters and buffers are called: by their paths in the outermost module."""


class Names:
    def __init__(self, optimiser=None):
        self._modules = {}      # id: path
        self.by_id = {}         # of a parameter or buffer: path
        self._roots = []        # kept alive: ids are theirs
        self.tensors = {}       # path: parameter or buffer
        self.is_parameter = {}  # path: True, in the order of the model
        self.root = None
        self.optimiser = optimiser

    def add_root(self, model, leads=False):
        """The first one with parameters, or that `leads`, has paths as in named_modules(); others (a transform of images, a
        loss, a second model) their class in front."""
        if self.root is None and (leads or next(model.parameters(), None) is not None):
            self.root = model
        front = "" if model is self.root else type(model).__name__ + "."
        self._roots.append(model)
        for path, module in model.named_modules():
            self._modules.setdefault(id(module), (front + path) if path or not front else front[:-1])
        for path, tensor in model.named_parameters():
            self._add(front + path, tensor)
            self.is_parameter[front + path] = True
        for path, tensor in model.named_buffers():
            self._add(front + path, tensor)

    def _add(self, path, tensor):
        self.tensors[path] = tensor
        self.by_id.setdefault(id(tensor), path)

    def is_known(self, module):
        return id(module) in self._modules

    def of_module(self, module):
        return self._modules.get(id(module))

    def of_tensor(self, tensor):
        """None: it is no parameter or buffer."""
        return self.by_id.get(id(tensor))

    def title(self):
        return type(self.root).__name__ if self.root is not None else None
