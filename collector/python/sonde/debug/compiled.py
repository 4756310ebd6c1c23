# SPDX-License-Identifier: Apache-2.0
"""Code that torch.compile made: it runs as it is, and nothing inside of it can be stood in."""
import sys

from . import binding
from .values import Missing

REFUSED = "This is compiled code; compiled=\"eager\" shows its operators."
GENERATED = ("<eval_with_key>", "torchinductor_", "/inductor_cache/")  # in the names of its files
LOOKED_AT = 12  # frames, from the innermost


def _is_compiled(module):
    return type(module).__name__ == "OptimizedModule" or getattr(module, "_compiled_call_impl", None) is not None


def _is_generated(frame):
    for _ in range(LOOKED_AT):
        if frame is None:
            return False
        if any(part in frame.f_code.co_filename for part in GENERATED):
            return True
        frame = frame.f_back
    return False


def check_into(session, name):
    """Raises Missing where what is next is compiled."""
    node = session.nodes.by_name.get(name)
    is_module = node is not None and node.kind == binding.MODULE and session.stack and session.stack[-1].label == name
    if is_module and _is_compiled(session.stack[-1].module) or _is_generated(session.frame):
        raise Missing(binding.UNABLE, REFUSED)


def question(torch):
    """torch's function that is true while Dynamo traces; before 2.3 it had another place."""
    return getattr(torch.compiler, "is_compiling", None) or torch._utils.is_compiling


def hide(package):
    """Dynamo looks at every function that Python calls behind a graph break, also at ours, which the mode and the hooks call: it would
    compile them. Those in the modules of `package` run as they are."""
    skip = _skipping()
    for name, module in list(sys.modules.items()) if skip is not None else ():
        if name.startswith(package + ".") or name == package:
            for code in _codes(vars(module).values(), module.__name__):
                skip(code)


def _skipping():
    """What Dynamo offers, by version, to leave a function alone, not what that calls. None: nothing."""
    dynamo = getattr(getattr(sys.modules["torch"]._C, "_dynamo", None), "eval_frame", None)
    if hasattr(dynamo, "set_code_exec_strategy"):
        strategy = dynamo._FrameExecStrategy(dynamo._FrameAction.SKIP, dynamo._FrameAction.DEFAULT)
        return lambda code: dynamo.set_code_exec_strategy(code, strategy)
    return getattr(dynamo, "skip_code", None)


def _codes(members, home):
    for member in list(members):
        member = getattr(member, "__func__", member)  # of class methods
        if getattr(member, "__module__", None) != home:
            continue
        if isinstance(member, type):
            yield from _codes(vars(member).values(), home)
        elif hasattr(member, "__code__"):
            yield from _inner(member.__code__)
        elif isinstance(member, property):
            yield from _codes([member.fget], home)


def _inner(code):
    """And of the functions that are made in it."""
    yield code
    for constant in code.co_consts:
        if hasattr(constant, "co_consts"):
            yield from _inner(constant)
