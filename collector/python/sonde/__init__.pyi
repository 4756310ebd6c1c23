# SPDX-License-Identifier: Apache-2.0
from .debug import debug as debug
from .library import Error as Error
from .watch import ModuleWatch as ModuleWatch
from .watch import watch as watch
from .writer import SummaryWriter as SummaryWriter

__version__: str
DISTRIBUTION: str
