# SPDX-License-Identifier: Apache-2.0
"""What of PyTorch is used that not every version has."""
import importlib
import inspect

OLDEST = "2.1"
NEEDED = {
    "torch._C": ["_autograd", "_current_autograd_node"],
    "torch.autograd": ["_unsafe_preserve_version_counter"],
    "torch.compiler": [],
    "torch.nn.modules.module": ["register_module_forward_hook", "register_module_forward_pre_hook"],
    "torch.optim.optimizer": ["register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"],
    "torch.utils._python_dispatch": ["TorchDispatchMode", "_disable_current_modes", "_get_current_dispatch_mode", "_len_torch_dispatch_stack"],
}


def _missing(module, names):
    try:
        found = importlib.import_module(module)
    except ImportError:
        return [module]
    return ["%s.%s" % (module, name) for name in names if not hasattr(found, name)]


def check(torch):
    """Raises with a sentence that names the version."""
    missing = [path for module, names in NEEDED.items() for path in _missing(module, names)]
    if missing:
        raise RuntimeError("torch %s has no %s; PyTorch %s or later is needed"
                           % (getattr(torch, "__version__", "of an unknown version"), ", ".join(missing), OLDEST))


def with_kwargs(module):
    """What torch's global hook is asked with where it can tell arguments by keyword; older versions do not say them."""
    known = inspect.signature(module.register_module_forward_hook).parameters
    return {"with_kwargs": True} if "with_kwargs" in known else {}
