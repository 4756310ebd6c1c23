# SPDX-License-Identifier: Apache-2.0
"""The values of a step by name: kept as the operators made them, never copied until somebody looks."""
import re
import weakref

from ..arrays import SIZES, TYPES
from . import binding, records

MOST_OUTPUTS = 4096  # of one operator
FIRST = re.compile(r"#1(?=$|[/:)\]])")
CALL = re.compile(r"^(grad|state)\((.*)\)$")


def first_call(name):
    """Without the number of a first call: `cell#1/addmm` is `cell/addmm`."""
    return FIRST.sub("", name) if "#1" in name else name


class Missing(Exception):
    """(how, why): binding.UNKNOWN, ABSENT or UNABLE, and a sentence."""


def first_tensors(value, found=None, limit=16):
    """The tensors in what a function or module returned, or was given; a storage is none, though it has a data_ptr, too."""
    found = [] if found is None else found
    if len(found) >= limit:
        return found
    if hasattr(value, "grad_fn"):
        found.append(value)
    elif isinstance(value, dict):
        for item in value.values():
            first_tensors(item, found, limit)
    elif isinstance(value, (list, tuple)):
        for item in value:
            first_tensors(item, found, limit)
    elif hasattr(value, "__dict__") and type(value).__module__.split(".")[0] == "transformers":
        first_tensors(dict(vars(value)), found, limit)
    return found


def _strong(tensor):
    """None: it is gone."""
    if not isinstance(tensor, weakref.ref):
        return tensor
    tensor = tensor()
    if tensor is not None:
        tensor._fix_weakref()  # Python's object may have died before the tensor
    return tensor


def version_of(tensor):
    try:
        return tensor._version
    except RuntimeError:  # an inference tensor has none
        return None


class Values(records.ValuesRecord):
    def __init__(self, names, nodes, budget=1 << 30):
        self._names, self._nodes, self._budget = names, nodes, budget
        self._held = 0       # bytes that are alive for our sake
        self.made = {}      # id of a tensor: its name
        self.can_hold, self.holds = True, True
        self.written = None # the operator that came by last, where it wrote in place or gave a view
        self._has_held = False  # something is alive for our sake
        self.kept = {}       # nodes that made something, in order: `made` is that, or a weak reference to it
        self.special = {}    # "input", "output", "loss", "grad(conv1)": a tensor
        self._versions = {}  # of those that were put in
        self.previous = {}   # name: copy of the step before
        self.wanted = set()  # names of which that is kept

    # ---- what the run makes

    def keep(self, node, out):
        """Alive until the step is over while `holds`, else as long as others keep it alive.

        What is kept replaces what the node made last, so that a step leaves no more objects behind than there were: Python's
        garbage collector would come by for those."""
        if not hasattr(out, "data_ptr"):
            self._keep_several(node, first_tensors(out, limit=MOST_OUTPUTS))
            return
        if self.written is not None:
            self._settle_written()
        self.made[id(out)] = node.name
        self.kept[node] = True
        try:
            node.version = out._version
        except RuntimeError:  # an inference tensor has none
            node.version = None
        if node.writes or node.unjudged:
            self.written = node
        if not self.holds:
            node.made = weakref.ref(out)
            return
        node.made, self._has_held = out, True
        if not node.unjudged:
            self._held += out.nbytes
            if self._held > self._budget:
                self._let_go()

    def _keep_several(self, node, tensors):
        if len(tensors) > len(node.outputs):
            self._nodes.set_outputs(node, node.outputs + ["%s:%d" % (node.name, k) for k in range(len(node.outputs), len(tensors))])
        self.made.update(zip(map(id, tensors), node.outputs))
        if self.written is not None:
            self._settle_written()
        self.keep_output(node, tensors)
        self.written = node if node.unjudged or node.writes else None
        if self.holds and not node.unjudged and not node.writes:
            self._held += sum(tensor.nbytes for tensor in tensors)
            if self._held > self._budget:
                self._let_go()

    def keep_given(self, node, args, kwargs):
        """What it was called with, for whoever asks where something comes from."""
        node.given, self._has_held = args + (kwargs,) if kwargs else args, True

    def _settle_written(self):
        """What wrote in place is counted as a version, and a view counts those of its base, only after it came by: before the next
        operator does."""
        node, self.written = self.written, None
        tensors, versions = self.tensors_of(node)
        settled = [version if tensor is None else version_of(tensor) for tensor, version in zip(tensors, versions)]
        node.version = settled if isinstance(node.made, list) else settled[0]

    def keep_output(self, node, tensors):
        """Of several values, or of a module: the operator that made those counts their bytes."""
        self.kept[node] = True
        self._has_held = self._has_held or self.holds
        node.made = [tensor if self.holds else weakref.ref(tensor) for tensor in tensors]
        node.version = [version_of(tensor) for tensor in tensors]

    def put(self, name, tensor):
        """What is no node's, as it is now."""
        self.special[name], self._versions[name] = tensor, version_of(tensor)

    def _let_go(self):
        """There is too much: what was made first is no longer kept alive."""
        for node in self.kept:
            if self._held <= self._budget / 2:
                return
            if hasattr(node.made, "data_ptr"):
                self._held -= 0 if node.unjudged else node.made.nbytes
                node.made, node.given = weakref.ref(node.made), None
            elif isinstance(node.made, list):
                self._release_several(node)

    def _release_several(self, node):
        if node.kind == binding.OPERATOR and not node.unjudged and not node.writes:
            self._held -= sum(made.nbytes for made in node.made if hasattr(made, "data_ptr"))
        node.made = [weakref.ref(made) if hasattr(made, "data_ptr") else made for made in node.made]
        node.given = None

    def forget(self):
        """Nothing is kept alive."""
        self._budget, self.can_hold = 0, False

    def producer_of(self, tensor):
        """The name under which an operator of this step made it, or wrote it last. None: none did."""
        return self.made.get(id(tensor))

    def tensors_of(self, node):
        """(tensors, versions); None for one that is gone."""
        if isinstance(node.made, list):
            return [_strong(tensor) for tensor in node.made], node.version
        return [_strong(node.made)], [node.version]

    def end_step(self):
        self._copy_previous()
        if self._has_held:
            for node in self.kept:
                node.made = node.given = None
        self._has_held = False
        self.written = None
        self.kept.clear()  # nothing of it is shown as if it were of the next
        self.made.clear()
        self._held = 0
        self.special.clear()
        self._versions.clear()

    def _copy_previous(self):
        self.previous = {}
        for name in self.wanted:
            try:
                self.previous[name] = self.find(name).detach().clone()
            except Missing:
                pass  # it had no value in that step, and prev() says so

    # ---- by name

    def get(self, name, previous):
        if not previous:
            return self.find(name)
        if name in self.previous:
            return self.previous[name]
        self.find(name) if name not in self.wanted else None  # an unknown name is said to be unknown
        self.wanted.add(name)
        raise Missing(binding.ABSENT, "“%s” of the step before was not kept; it is from this step on." % name)

    def find(self, name):
        name = first_call(name)
        if name in self.special:
            return self._find_special(name)
        if name in self._names.tensors:
            return self._names.tensors[name]
        asked = CALL.match(name)
        if asked and asked.group(1) == "grad":
            return self._find_gradient(asked.group(2))
        if asked:
            return self._find_state(asked.group(2))
        if name in ("input", "output", "loss"):
            raise Missing(binding.ABSENT, "“%s” is not known yet in this step." % name)
        return self._find_made(name)

    def _find_special(self, name):
        tensor = self.special[name]
        if name in self._versions and version_of(tensor) != self._versions[name]:
            raise Missing(binding.ABSENT, "“%s” was written over since by %s." % (name, self._writer(tensor, None)))
        return tensor

    def _find_gradient(self, name):
        parameter = self._names.tensors.get(name)
        if parameter is None:
            if name in self._nodes.by_output or name in self._nodes.by_name:
                raise Missing(binding.ABSENT, "The gradient of “%s” is not there yet in this step." % name)
            raise Missing(binding.UNKNOWN, "There is no value “%s”." % name)
        if parameter.grad is None:
            raise Missing(binding.ABSENT, "“%s” has no gradient yet." % name)
        return parameter.grad

    def _find_state(self, arguments):
        name, _, key = (part.strip() for part in arguments.partition(","))
        parameter, optimiser = self._names.tensors.get(name), self._names.optimiser
        if parameter is None:
            raise Missing(binding.UNKNOWN, "There is no parameter “%s”." % name)
        states = optimiser.state.get(parameter, {}) if optimiser is not None else {}
        if hasattr(states.get(key), "data_ptr"):
            return states[key]
        have = ", ".join(sorted(k for k, v in states.items() if hasattr(v, "data_ptr")))
        raise Missing(binding.ABSENT, "The optimiser keeps no state “%s” of “%s” now%s." % (key, name, "; it has " + have if have else ""))

    def _find_made(self, name):
        node, place = self._nodes.by_output.get(name, (None, 0))
        if node is None:
            raise Missing(binding.UNKNOWN, "There is no value “%s”." % name)
        if node not in self.kept:
            raise Missing(binding.ABSENT, "“%s” is not there yet, or not kept any more." % name)
        tensors, versions = self.tensors_of(node)
        if place >= len(tensors):
            raise Missing(binding.ABSENT, "“%s” made no such output." % node.name)
        if tensors[place] is None:
            raise Missing(binding.ABSENT, "“%s” is gone: PyTorch has freed it. Values are kept in steps that follow a stop." % name)
        if node is not self.written and version_of(tensors[place]) != versions[place]:
            raise Missing(binding.ABSENT, "“%s” was written over since by %s." % (name, self._writer(tensors[place], node)))
        return tensors[place]

    def _writer(self, tensor, maker):
        """Who wrote over it: the last that returned the same memory."""
        found = None
        for node in self.kept:
            if node is not maker and not node.unjudged and any(
                    other is not None and other.data_ptr() == tensor.data_ptr() for other in self.tensors_of(node)[0]):
                found = node
        return "“%s”" % found.name if found is not None else "a later operator"

    def wants_operators(self):
        """prev() was asked for of what one makes."""
        return any("/" in name or name == "loss" for name in self.wanted)

    def is_there(self, name):
        try:
            self.find(name)
        except Missing:
            return False
        return True

    # ---- as memory

    @staticmethod
    def describe(tensor, target):
        """Fills the C structure; returns what has to live as long as it is used."""
        tensor = tensor.detach()
        name = str(tensor.dtype).rsplit(".", 1)[-1]
        if tensor.device.type != "cpu" or tensor.layout is not __import__("torch").strided:
            tensor = tensor.to_dense() if tensor.layout is not __import__("torch").strided else tensor
            tensor = tensor.cpu()
        if name not in TYPES or tensor.is_conj() or tensor.is_neg():
            tensor = tensor.abs() if tensor.is_complex() else tensor.resolve_neg().float()
            name = str(tensor.dtype).rsplit(".", 1)[-1]
        if tensor.dim() > 8 or any(stride < 0 for stride in tensor.stride()):
            raise Missing(binding.UNABLE, "A tensor with %d dimensions cannot be shown." % tensor.dim())
        target.type, target.rank, target.data = TYPES[name], tensor.dim(), tensor.data_ptr()
        for k, (size, stride) in enumerate(zip(tensor.shape, tensor.stride())):
            target.dims[k], target.strides[k] = size, stride
        return tensor

    def write(self, name, given):
        """`given`: dense, of the type and sizes of the value. Autograd does not see it."""
        import ctypes

        import torch
        tensor = self.find(name)
        if TYPES.get(str(tensor.dtype).rsplit(".", 1)[-1]) != given.type:
            raise Missing(binding.UNABLE, "“%s” has a type that cannot be set." % name)
        n = tensor.numel() * SIZES[given.type]
        source = torch.empty(tensor.shape, dtype=tensor.dtype)
        if n > 0:
            ctypes.memmove(source.data_ptr(), given.data, n)
        with torch.inference_mode() if tensor.is_inference() else torch.autograd._unsafe_preserve_version_counter(tensor), torch.no_grad():
            tensor.copy_(source)
