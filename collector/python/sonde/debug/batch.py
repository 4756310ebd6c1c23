# SPDX-License-Identifier: Apache-2.0
"""What the outermost module is called with and gives, what that is compared with, and the random numbers before: `input`, `input:1`,
`output`, `grad(output)`, `target`; in the module's second call in a step `input#2` and so on. Tensors are not copied.
"""
import inspect
import zipfile

from . import binding, folders
from .kept_state import RandomNumbers
from .values import Missing, first_tensors


def arguments(module, args, kwargs):
    """(name, tensor) as the module declares its arguments, which is how exporters order them; those of a list are NAME.0, NAME.1."""
    try:
        bound = inspect.signature(module.forward).bind(*args, **(kwargs or {})).arguments
    except (TypeError, ValueError):
        bound = {"input": args, **(kwargs or {})}
    found = []
    for name, value in bound.items():
        tensors = first_tensors(value)
        found += [(name if len(tensors) == 1 else "%s.%d" % (name, k), tensor) for k, tensor in enumerate(tensors)]
    return found


MOST_SAVED = 16  # batches that nobody asked for, of one session


def _key(word, label, place):
    return word + label + (":%d" % place if place else "")


def keywords(frame):
    """What a module that is being called from the function of torch around `frame` got by name: PyTorch's global hooks do not tell
    before it is left."""
    for _ in range(4):
        if frame is None:
            break
        found = frame.f_locals.get("kwargs")
        if isinstance(found, dict) and frame.f_globals.get("__name__") == "torch.nn.modules.module":
            return found
        frame = frame.f_back
    return None


class Batch:
    def __init__(self, session):
        self._session = session
        self.n_saved = 0
        self._reset()

    def _reset(self):
        self.names = {}        # "input:1", "target": what a file calls it
        self.random = None     # before the first call
        self._begin = 0        # how many operators had come by before the call
        self._label = None     # of the call whose output is being compared
        self._n_targets = 0
        self._is_saved = False

    def end_pass(self):
        self._reset()

    # ---- what is seen of it

    def begin(self, label):
        """The outermost module is called: `label` is "" or "#2"."""
        session = self._session
        if self.random is None:
            session.busy = True
            try:
                self.random = session.again.random or RandomNumbers()
            finally:
                session.busy = False
        self._begin, self._label = len(session.nodes.now), None

    def see_inputs(self, module, label, args, kwargs=None):
        """Arguments with names are known when the module is left."""
        for place, (name, tensor) in enumerate(arguments(module, args, kwargs)[:16]):
            self._put("input", label, place, name, tensor)

    def _put(self, word, label, place, name, tensor):
        key = _key(word, label, place)
        self.names[key] = name + label.replace("#", ".")
        self._session.values.put(key, tensor)

    def see_outputs(self, label, tensors):
        session = self._session
        for place, tensor in enumerate(tensors):
            name = _key("output", label, place)
            session.values.put(name, tensor)
            if tensor.requires_grad and tensor.grad_fn is not None:
                session.watch_output(name, tensor)
        self._label, self._n_targets = label, 0

    def see_beside(self, args):
        """An operator outside of it reads `args`: of its output, and of what that is compared with."""
        if self._label is not None:
            for tensor in first_tensors(args):
                if self._is_target(tensor):
                    place, self._n_targets = self._n_targets, self._n_targets + 1
                    self._put("target", self._label, place, "target" if not place else "target.%d" % place, tensor)

    def _is_target(self, tensor):
        """It was there before the module was called, and is none of its own."""
        session = self._session
        if tensor.dim() == 0 or tensor.requires_grad or session.names.of_tensor(tensor) is not None:
            return False
        if any(tensor is special for special in session.values.special.values()):
            return False
        node = session.nodes.by_output.get(session.values.producer_of(tensor), (None,))[0]
        return node is None or node.number not in session.nodes.now[self._begin:]

    def close(self):
        """Backward begins."""
        self._label = None

    # ---- as a file

    def save_bad(self):
        """It stops at a NaN or infinity: what the step was called with goes into a file, once a step, and clients are told."""
        session = self._session
        if self._is_saved or not self.names or not session.values.can_hold or self.n_saved >= MOST_SAVED:
            return
        self._is_saved = True
        try:
            with session.without_modes():
                from . import capture
                path = folders.of_run(session, "captures", "batch-step%08d.sondecap" % session.step)
                capture.save(session, path, (), True)
            self.n_saved += 1
            text = "The batch of step %d is in “%s”." % (session.step, path)
        except Exception as problem:  # pylint: disable=broad-except
            text = "The batch was not saved: %s" % (problem.args[-1] if problem.args else problem)
        session.library.tell(session.program, text.encode("utf-8", "replace"))

    def save(self, path):
        """As .npz: what a converted model takes."""
        if not self.names:
            raise Missing(binding.ABSENT, "The batch is not known yet: the outermost module was not called in this step.")
        with zipfile.ZipFile(path, "w") as archive:
            for key, name in self.names.items():
                archive.writestr(name + ".npy", _as_npy(self._session.values.find(key)))


def _as_npy(tensor):
    import ctypes

    import torch
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.float()
    tensor = tensor.contiguous()
    codes = {torch.float64: "<f8", torch.float32: "<f4", torch.float16: "<f2", torch.int8: "|i1", torch.int16: "<i2", torch.int32: "<i4",
             torch.int64: "<i8", torch.uint8: "|u1", torch.bool: "|b1", torch.complex64: "<c8", torch.complex128: "<c16"}
    if tensor.dtype not in codes:
        raise Missing(binding.UNABLE, "A batch of %s cannot be written as .npz; name a .sondecap file." % tensor.dtype)
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (codes[tensor.dtype], tuple(tensor.shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    head = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode("latin-1")
    return head + (ctypes.string_at(tensor.data_ptr(), tensor.nbytes) if tensor.numel() else b"")
