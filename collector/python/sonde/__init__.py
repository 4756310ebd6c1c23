# SPDX-License-Identifier: Apache-2.0
"""Record a training with Sonde.

    from sonde import SummaryWriter          # instead of: from torch.utils.tensorboard import SummaryWriter

The methods and their arguments are those of torch.utils.tensorboard. What is added is copied and written by a thread of
the library libsonde-record.so (sonde/library.py says where it is looked for); nothing waits for the disk.
"""
import os
import sys

from .library import Error
from .watch import ModuleWatch, watch
from .writer import SummaryWriter

__all__ = ["Error", "ModuleWatch", "SummaryWriter", "watch"]
__version__ = "0.1.0"
# PyPI has another “sonde”: by this line sonde_live knows ours.
DISTRIBUTION = "sonde-live"


def __getattr__(name):
    """`sonde.debug`, when it is first asked for."""
    if name != "debug":
        raise AttributeError("module “sonde” has no attribute “%s”" % name)
    import importlib
    return importlib.import_module(".debug", __name__)


def _runs_a_script():
    """python -m sonde.debug: that listens by itself."""
    words = getattr(sys, "orig_argv", ())
    return sys.argv[:1] == ["-m"] and any(pair in (("-m", "sonde.debug"), ("-m", "sonde_live.debug"))
                                            for pair in zip(words, words[1:]))


def _is_worker():
    """Of multiprocessing's, which imports the program again: it is part of another process's training."""
    return "--multiprocessing-fork" in getattr(sys, "orig_argv", ())


if os.environ.get("SONDE_DEBUG") in ("listen", "wait") and not _runs_a_script() and not _is_worker():
    __getattr__("debug").listen()
