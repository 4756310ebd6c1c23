# SPDX-License-Identifier: Apache-2.0
"""Record a training with Sonde.

    from sonde import SummaryWriter          # instead of: from torch.utils.tensorboard import SummaryWriter

The methods and their arguments are those of torch.utils.tensorboard. What is added is copied and written by a thread of
the library libsonde-record.so (sonde/library.py says where it is looked for); nothing waits for the disk.
"""
from .library import Error
from .watch import ModuleWatch, watch
from .writer import SummaryWriter

__all__ = ["Error", "ModuleWatch", "SummaryWriter", "watch"]
__version__ = "0.1.0"
