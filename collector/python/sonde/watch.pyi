# SPDX-License-Identifier: Apache-2.0
# A model is anything that has named_modules (); torch is not needed to read this.
from types import TracebackType
from typing import Any, Optional, Type, TypeVar

from .writer import SummaryWriter

_Self = TypeVar("_Self", bound="ModuleWatch")

class ModuleWatch:
    global_step: int
    writer: SummaryWriter
    def __init__(self, model: Any, writer: Optional[SummaryWriter] = None, every: int = 1, outputs: bool = True,
                 gradients: bool = True, histograms: bool = False, only_leaves: bool = True, weights: bool = False,
                 parameter_gradients: bool = False) -> None: ...
    @property
    def is_recording(self) -> bool: ...
    def step(self) -> None: ...
    def remove(self) -> None: ...
    def __enter__(self: _Self) -> _Self: ...
    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None: ...

def watch(model: Any, writer: Optional[SummaryWriter] = None, every: int = 1, outputs: bool = True, gradients: bool = True,
          histograms: bool = False, only_leaves: bool = True, weights: bool = False,
          parameter_gradients: bool = False) -> ModuleWatch: ...
