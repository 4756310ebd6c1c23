# SPDX-License-Identifier: Apache-2.0
"""Code that torch.compile made: it runs as it is, and nothing inside of it can be stood in."""
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
