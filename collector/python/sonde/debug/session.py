# SPDX-License-Identifier: Apache-2.0
"""A program that is debugged: what is put in its way and when, where it is, where it stands.

Nothing is in its way until a debugger asks for something that needs it, but for one hook that counts the optimiser's steps.
"""
import contextlib
import ctypes
import functools
import os
import sys
from _thread import get_ident

from ..guard import say
from . import batch, binding, closure, failures, needs, records
from .again import Again
from .answers import Answers
from .late import Late
from .midway import Midway
from .names import Names
from .nodes import Node, Nodes, Scope
from .profiler import Profiler
from .standing import Standing
from .values import Values, first_tensors

HOLDING_STEPS = 2  # with the one of the stop


def _harmless(hook):
    """A hook that fails is the end of debugging, not of the training."""
    @functools.wraps(hook)
    def call(self, *arguments):
        try:
            return hook(self, *arguments)
        except Exception as problem:  # pylint: disable=broad-except
            return self.give_up(problem)
    return call


class Session(records.SessionRecord):
    def __init__(self, model=None, optimiser=None, title=None, counts=True, eager=False):
        self.library = binding.get()
        self.program = None
        self._answers = Answers(self)
        self._title, self._eager = title, eager
        self.run = None             # its folder, once a file went there
        self.program = self.library.open(self._answers.hooks, self._describe(model).encode("utf-8", "replace"), True)
        self.library.offer(self.program, ctypes.byref(self._answers.offers))
        self.flags = self.library.map_flags(self.program)
        self.names = Names(optimiser=optimiser)
        self.nodes = Nodes(self.library, self.program)
        self.values = Values(self.names, self.nodes)
        self.owner = get_ident()    # the thread that is debugged
        self.armed = False          # modules are to be told, and
        self.sees = False           # operators
        self._turn = 0              # of refresh()
        self._is_asked = self._answers_now = False
        self.busy = False           # what runs is ours
        self.is_over = False        # it failed: nothing is put in the way any more
        self.again = Again(self)
        self.batch = batch.Batch(self)
        self.profiler = Profiler(self)
        self.standing = Standing(self)
        self.stand = self.standing.at
        self._has_optimiser = None  # somewhere in the program; None: not looked for yet
        self.stack = []             # scopes of the modules it is in
        self.frame = None           # where it stands
        self.step, self.counts = 1, counts
        self._optimiser = optimiser
        self._steps_before = 0 if counts else -1
        self._mode = self._modes = self.operators = self.looks = None  # once torch is there and something armed
        self.awaited = None         # awaited.Awaited: torch was not there yet
        self._has_torch = False     # all of it is
        self._is_compiling = None   # the same; torch's own question
        self._pass = self._pass_complete  # or the mode's own, in C
        self.stopped = 1            # step of the last stop
        self._handles, self._step_handles = [], []
        self.midway = Midway(self)
        self._late = Late(self)
        self._reset_places()
        self.library.begin_step(self.program, 1)
        self.library.describe(self.program, self._describe(model).encode("utf-8", "replace"), self._steps_before)
        self._model = model
        if counts:
            self._count_steps()

    def title(self):
        return self._describe(self.names.root)

    def device(self):
        """Where its parameters are."""
        return next((str(tensor.device) for tensor in self.names.tensors.values()), "cpu")

    def _describe(self, model):
        """Of several processes of one training each says which it is."""
        rank = os.environ.get("RANK", "") if os.environ.get("WORLD_SIZE", "1") != "1" else ""
        return self._call(model) + (", rank " + rank if rank else "")

    def _call(self, model):
        if self._title or model is None:
            return self._title or os.path.basename("".join(getattr(sys, "argv", ())[:1])) or "python"
        return type(model).__name__

    def close(self):
        if self.program is None:
            return
        self.profiler.close()
        if self.awaited is not None:
            self.awaited.forget()
        program, self.program = self.program, None
        self.armed = False
        self._remove_hooks()
        for handle in self._step_handles:
            handle.remove()
        self.library.free(program)

    def die_in_child(self):
        """After a fork(): the session is the parent's."""
        program, self.program = self.program, None
        self.library.after_fork(program, 1)
        self.armed = False
        self._remove_hooks()
        for handle in self._step_handles:
            handle.remove()

    # ---- what is in its way

    @property
    def _torch(self):
        """None: it is not there, or not all of it yet."""
        torch = sys.modules.get("torch")
        if not self._has_torch and torch is not None:
            self._has_torch = not getattr(getattr(torch, "__spec__", None), "_initializing", False)
        return torch if self._has_torch else None

    def meet_torch(self, torch):
        """The program has imported it just now. Raises what needs.check() does."""
        if self.program is None:
            return
        if self.counts:
            needs.check(torch)
        self._has_torch = True
        if self.counts:
            self._count_steps()
        self.refresh()
        self.settle()

    def _count_steps(self):
        """One hook; where torch is not there yet, later."""
        if self._step_handles or self._torch is None or not hasattr(self._torch, "optim"):
            return
        from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
        self._step_handles = [register_optimizer_step_post_hook(self._after_optimiser),
                              register_optimizer_step_pre_hook(self._before_optimiser)]

    def _put_hooks(self):
        from torch.nn.modules import module
        needs.check(self._torch)
        from . import compiled, looks, mode, operators
        compiled.hide(__package__)
        self._is_compiling = compiled.question(self._torch)
        self._modes = mode
        if self._mode is None:
            self.operators, self.looks = operators.Operators(self), looks.Looks(self)
            self._mode = mode.new(self, self._eager)
            self._pass = getattr(self._mode, "pass_value", self._pass_complete)
        self.hold()
        if self._model is not None and self.names.root is None:
            self.add_root(self._model, True)
        self.midway.begin()
        self._handles = [module.register_module_forward_pre_hook(self._before_module),
                         module.register_module_forward_hook(self._after_module, always_call=True, **needs.with_kwargs(module))]

    def _remove_hooks(self):
        if self._mode is not None and not self._modes.pop(self._mode) and self._modes.is_pushed(self._mode):
            return
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._watch_gradients()

    @_harmless
    def settle(self):
        """What is in the way of this thread becomes what is wanted; where that cannot be now, at the next module or step."""
        if self.armed and self._torch is not None:
            if not self._handles:
                self._put_hooks()
            self._settle_mode()
        elif not self.armed and self._handles:
            self._remove_hooks()

    def _settle_mode(self):
        is_pushed = self._modes.is_pushed(self._mode)
        if self.sees and not is_pushed and not self._modes.push(self._mode):
            self._late.cover(self._mode)
        elif is_pushed and not self.sees:
            self._modes.pop(self._mode)

    def _looks_ahead(self, stopped):
        """Operators are to be seen where somebody waits for one or for what they make, and in steps that follow a stop; modules, and
        values that are complete, need no mode."""
        return bool(self.again.is_stepping or self.step < stopped + HOLDING_STEPS or self.values.wants_operators()
                    or self.library.reaches_operators(self.program))

    def hold(self):
        """Values are kept alive in steps that follow a stop: whoever stopped may want to look. It costs memory and time."""
        self.values.holds = self.values.can_hold and self.step < self.stopped + HOLDING_STEPS

    def refresh(self):
        """After anything that a debugger may have done."""
        self._turn += 1
        turn = self._turn
        armed = bool(self.program is not None and not self.is_over
                     and (self.again.is_stepping or self.library.is_armed(self.program)))
        stopped = self.step if armed and not self.armed else self.stopped
        sees = armed and self._looks_ahead(stopped)
        if turn != self._turn:
            return  # somebody asked meanwhile: what holds since is known, and this is not it
        self.armed, self.sees, self.stopped = armed, sees, stopped
        self._is_whole = self._is_whole and sees
        if self.again.replays or self.again.is_leaving:
            self.flags[0] = binding.BEFORE | binding.AFTER
        if self.armed or self.library.is_heard(self.program):
            self._count_steps()
        self._watch_gradients()

    def can_step_again(self):
        """Somebody is there who might want to go back."""
        return not self.is_over and self._torch is not None and bool(self.library.is_heard(self.program))

    def give_up(self, problem):
        """`problem` is ours: it is said once, and the program goes on without us."""
        if problem is self.standing.raised:
            raise problem
        self.is_over, self.armed = True, False
        say("sonde.debug", problem, 4)

    def on_call(self):
        """On the main thread, between two bytecodes: somebody asks."""
        if self.program is None or self.busy:
            return
        self._is_asked = True
        while self._is_asked and not self._answers_now:  # one after the other: the next one may ask while this goes on
            self._is_asked, self._answers_now = False, True
            try:
                self._answer()
            finally:
                self._answers_now = False

    def _answer(self):
        self.busy = True
        try:
            self.library.answer(self.program)
        finally:
            self.busy = False
        self.refresh()
        self.settle()

    @contextlib.contextmanager
    def without_modes(self):
        """For what is computed in order to answer."""
        if self._torch is None:
            yield
            return
        from torch.utils._python_dispatch import _disable_current_modes
        with _disable_current_modes(), self._torch.no_grad():
            yield

    # ---- where it is

    def _reset_places(self):
        self.phase = binding.FORWARD
        self._scopes = {}       # label: scope of a module's call
        self._modules = {}      # label: node
        self._calls = {}        # path: calls in this step
        self._gradient_hooks = {}
        self._evaluates = False  # the outermost module's last call was of an evaluation
        self._is_whole = False  # all operators of this step came by

    def add_root(self, model, leads=False):
        before = set(self.names.tensors)
        self.names.add_root(model, leads)
        for path in self.names.tensors.keys() - before:
            if path in self.names.is_parameter:
                self._add_value_node(path, "parameter", binding.WEIGHT, binding.OPTIMISER)
                self._add_value_node("grad(%s)" % path, "gradient", binding.GRADIENT, binding.BACKWARD)
        self.library.describe(self.program, self._describe(self.names.root).encode("utf-8", "replace"), self._steps_before)
        self._watch_gradients()

    def _add_value_node(self, name, op, makes, phase):
        node = self.nodes.add(Node(name, op, None, [name], phase, binding.VALUE), makes=makes)
        self.nodes.beside.append(node.number)
        return node

    def scope_of_call(self, module):
        path = self.names.of_module(module)
        if path is None and not self.stack:
            self.add_root(module)
            path = self.names.of_module(module)
        if path is None:
            path = type(module).__name__
        number = self._calls[path] = self._calls.get(path, 0) + 1
        label = path if number == 1 else "%s#%d" % (path, number)
        scope = self._scopes.get(label)
        if scope is None:
            scope = self._scopes[label] = Scope(label or None, label, binding.FORWARD, label, module)
        scope.module = module
        return scope

    # ---- values that are complete

    def note_loss(self, tensor):
        """Where backward begins."""
        if not getattr(tensor, "requires_grad", False) or tensor.numel() != 1:
            return
        self.values.special["loss"] = tensor
        self.batch.close()
        self._pass_value("loss", "loss", binding.TENSOR, tensor)

    def _pass_value(self, name, op, makes, tensor):
        node = self.nodes.by_name.get(name)
        if node is None:
            node = self._add_value_node(name, op, makes, binding.BACKWARD)
        self._pass(node, tensor)

    def _pass_complete(self, node, tensor):
        """`tensor` has the numbers of `node`, a value."""
        wanted = self.flags[node.number] | self.flags[0]
        if wanted & binding.AFTER and not (wanted & binding.LOOK and self.looks.are_sound(node, tensor)):
            self.stand(node, 1)

    # ---- modules

    def _is_mine(self):
        """This thread is the one that is debugged; it becomes that where the other is in no module."""
        if self.busy or self._is_compiling():
            return False
        if self._torch._C._get_tracing_state() is not None:  # torch.jit.trace, an exporter: it cannot bear a mode
            if self._mode is not None:
                self._modes.pop(self._mode)
            return False
        if not self.stack and self.owner != get_ident():
            self.owner = get_ident()
        return self.owner == get_ident()

    @_harmless
    def _before_module(self, module, args):
        if self.program is None or not self._is_mine():
            return
        self.settle()
        if not self.armed:
            return
        if not self.stack:
            self._before_root(module, args)
        scope = self.scope_of_call(module)
        self.stack.append(scope)
        if module is self.names.root:
            self.batch.begin(scope.label)
            self.batch.see_inputs(module, scope.label, args, batch.keywords(sys._getframe(1)))
        if not self.sees:
            self.operators.go_by(scope)
        if scope.path is None:
            return
        self.operators.entered = self.operators.entered or scope.path
        node = self._modules.get(scope.label)
        if node is None:
            node = self._add_module(scope, module)
        if (self.flags[node.number] | self.flags[0]) & binding.BEFORE:
            self.stand(node, 0)

    def _add_module(self, scope, module):
        name = scope.label or type(module).__name__  # the outermost has no path
        node = self.nodes.add(Node(name, type(module).__name__, scope.path, [name], binding.FORWARD, binding.MODULE),
                              begins=scope.path)
        self.nodes.beside.append(node.number)
        self._modules[scope.label] = node
        return node

    def _before_root(self, module, args):
        if not self.names.is_known(module):
            self.add_root(module)
        if module is not self.names.root:
            return
        if self.step == 1 and self._steps_before == 0 and not self._calls.get(""):
            self._pass_weights(self.names.is_parameter)
        evaluated, self._evaluates = self._evaluates, not (module.training or self._torch.is_grad_enabled())
        if self._optimiser is None and self._calls.get("") and not self._waits_for_optimiser():
            self._end_step()
        elif self._calls.get("") and (evaluated or self._evaluates):
            self.end_pass()

    def _waits_for_optimiser(self):
        """Some optimiser will say when the step is over. Looked for once: that takes long."""
        if self._has_optimiser is None:
            import gc
            from torch.optim import Optimizer
            self._has_optimiser = any(issubclass(type(item), Optimizer) for item in gc.get_objects())
        return self._has_optimiser

    @_harmless
    def _after_module(self, module, args, *rest):
        """`rest`: kwargs and output; where it raised, PyTorch leaves the first one out."""
        kwargs, output = rest[0] if len(rest) == 2 else None, rest[-1]
        if self._is_compiling() or self.program is None or not self.stack or self.busy or self.owner != get_ident():
            return
        while self.stack[1:] and self.stack[-1].module is not module:
            self.stack.pop()
        self.operators.entered = None
        try:
            if self.armed and self.stack[-1].module is module:
                self._see_error(self.stack[-1], *failures.leaving(sys._getframe(2)))
                if kwargs and module is self.names.root:
                    self.batch.see_inputs(module, self.stack[-1].label, args, kwargs)
                self._see_output(self.stack[-1], output)
        finally:
            self.stack.pop()
        if self.armed and not self.sees:
            self.operators.go_by(self.stack[-1] if self.stack else None)
        if not self.stack:
            self.settle()

    def _see_error(self, scope, problem, frame):
        """What left this module: of no operator, but the innermost module is where it came from."""
        if problem is not None:
            node = self._modules.get(scope.label) or self._add_module(scope, scope.module)
            self.standing.at_error(node, problem, frame)

    def _see_output(self, scope, output):
        tensors = first_tensors(output)
        if not tensors:
            return
        if scope.module is self.names.root:
            self.batch.see_outputs(scope.label, tensors)
        if scope.path is None:
            return
        node = self._modules.get(scope.label)
        if node is None:
            return
        self.values.keep_output(node, tensors)
        if tensors[0].requires_grad and tensors[0].grad_fn is not None:
            self.watch_output(scope.label, tensors[0])
        if (self.flags[node.number] | self.flags[0]) & binding.AFTER:
            self.stand(node, 1)

    def watch_output(self, label, tensor):
        name = "grad(%s)" % label
        node = self.nodes.by_name.get(name)
        if node is None:
            node = self._add_value_node(name, "gradient", binding.GRADIENT, binding.BACKWARD)
        if not self.values.holds and not self.flags[node.number] & binding.AFTER:
            return

        def seen(gradient):
            if self.armed and not self.busy:
                self.values.special[name] = gradient
                self._pass_value(name, "gradient", binding.GRADIENT, gradient)
        tensor.register_hook(seen)

    def _watch_gradients(self):
        """A hook of each parameter whose gradient somebody waits for."""
        for path in self.names.is_parameter if hasattr(self, "names") else ():
            node = self.nodes.by_name.get("grad(%s)" % path)
            wanted = self.armed and node is not None and self.flags[node.number] & binding.AFTER
            if wanted and path not in self._gradient_hooks:
                parameter = self.names.tensors[path]
                if parameter.requires_grad:
                    self._gradient_hooks[path] = parameter.register_post_accumulate_grad_hook(
                        lambda of, node=node: self._pass(node, of.grad) if self.armed and not self.busy else None)
            elif not wanted and path in self._gradient_hooks:
                self._gradient_hooks.pop(path).remove()

    # ---- steps

    @_harmless
    def _before_optimiser(self, optimiser, args, kwargs):
        if self.program is None or self.busy or get_ident() != self.owner:
            return
        self.settle()
        self.again.meet(optimiser)
        self.names.optimiser = optimiser
        self._optimiser = self._optimiser or optimiser
        if self.armed and (self.step > 1 or self._steps_before == 0):
            self._pass_weights(filter(None, (self.names.of_tensor(p) for group in optimiser.param_groups for p in group["params"])))
        self.phase = binding.OPTIMISER
        return closure.wrap(args, kwargs, self._in_closure) if self.armed else None

    def _pass_weights(self, paths):
        """They are about to be changed, or used for the first time."""
        for path in paths:
            node = self.nodes.by_name.get(path)
            if node is not None and self.flags[node.number] & binding.BEFORE:
                self.stand(node, 0)

    def _in_closure(self, function):
        """Forward and backward inside the optimiser's step."""
        self.phase = binding.FORWARD
        try:
            return function()
        finally:
            self.phase = binding.OPTIMISER

    @_harmless
    def _after_optimiser(self, optimiser, args, kwargs):
        if self.program is None or self.busy:
            return
        self._optimiser = self._optimiser or optimiser
        self.phase = binding.FORWARD
        if optimiser is self._optimiser:
            self._end_step()
        self.settle()

    def _end_step(self):
        if self.armed:
            for path in self.names.is_parameter:
                node = self.nodes.by_name.get(path)
                if node is not None and self.flags[node.number] & binding.AFTER:
                    self._pass(node, self.names.tensors[path])
        self.end_pass()
        self.step += 1
        self.library.begin_step(self.program, self.step)
        self.refresh()
        self._is_whole = self.sees
        self.hold()
        self.profiler.end_step()

    def end_pass(self):
        """What was seen of it is of the step before from here on, whoever looks."""
        self.again.end_pass(self.nodes.now)
        if self.nodes.now or self.values.kept:
            self.values.end_step()
            self.nodes.end_step(self._is_whole and self.armed)
        self._is_whole = self.sees
        self._late.end_pass()
        self._calls.clear()
        self.batch.end_pass()
        if self.operators is not None:
            self.operators.end_pass()

    def begin_again(self, step):
        """Nothing of step `step` has been, as far as names go; see Again."""
        wanted, self.values.wanted = self.values.wanted, set()
        self.values.end_step()
        self.values.wanted = wanted
        last, self.nodes.now = self.nodes.last, []
        self.end_pass()
        self.nodes.last = last
        self.phase = binding.FORWARD
        self.step = step
        self.hold()
        self.library.begin_step(self.program, step)
