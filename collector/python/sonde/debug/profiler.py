# SPDX-License-Identifier: Apache-2.0
"""`profile start [N]`: torch.profiler over whole steps, into a trace that Sonde's Profiler page reads. It begins behind the step that runs and
one more, which warms it up; a step ends as everywhere here, with the optimiser's."""
import os
import shutil

from . import binding, folders
from .values import Missing

START, STOP, KEEP, STATUS = range(4)
WITHOUT_END = 1 << 30  # steps, more than anybody waits for


class Profiler:
    def __init__(self, session):
        self._session = session
        self._wanted = None    # how many steps; None: nothing is to begin
        self._running = None   # torch's profiler
        self._steps = 0        # that were recorded whole
        self._warms_up = False
        self._trace = None     # file of the last recording that ended
        self._problem = None   # why there is none

    # ---- what is asked

    def answer(self, kind, n_steps, folder):
        """Raises Missing."""
        (self._start, self._stop, self._keep, lambda *_: None)[kind](n_steps, folder)
        self._tell()

    @property
    def is_on(self):
        return self._wanted is not None or self._running is not None

    def _tell(self):
        trace = self._trace if not self.is_on else None
        size = os.path.getsize(trace) if trace is not None and os.path.exists(trace) else 0
        self._session.library.set_profile(self._session.program, self.is_on, self._steps, size, os.fsencode(trace) if trace else None)

    def _start(self, n_steps, _):
        if self.is_on:
            raise Missing(binding.ABSENT, "A profile is already being recorded; stop it before starting another one.")
        import torch.profiler  # pylint: disable=unused-import
        self._wanted, self._steps, self._trace, self._problem = n_steps or WITHOUT_END, 0, None, None

    def _stop(self, *_):
        if not self.is_on:
            raise Missing(binding.ABSENT, "No profile is being recorded.")
        self.close()
        if self._problem is not None:
            raise Missing(binding.UNABLE, self._problem)

    def _keep(self, _, folder):
        if self.is_on:
            raise Missing(binding.ABSENT, "The profile is still being recorded; stop it before keeping it.")
        if self._problem is not None:
            raise Missing(binding.UNABLE, self._problem)
        if self._trace is None:
            raise Missing(binding.ABSENT, "No complete step was recorded, so there is no profile.")
        if folder is not None and os.path.dirname(self._trace) != os.path.join(folder, "traces"):
            os.makedirs(os.path.join(folder, "traces"), exist_ok=True)
            self._trace = shutil.copy(self._trace, os.path.join(folder, "traces"))

    # ---- steps

    def end_step(self):
        """On the thread that is profiled. What goes wrong is the profile's problem, not the training's."""
        try:
            if self._wanted is not None and self._running is None:
                self._begin()
            elif self._running is not None:
                self._count()
        except Exception as problem:  # pylint: disable=broad-except
            self._give_up(problem)

    def _begin(self):
        from torch import profiler
        self._running = profiler.profile(schedule=profiler.schedule(wait=0, warmup=1, active=self._wanted, repeat=1),
                                         on_trace_ready=self._export)
        self._running.start()
        self._warms_up = True

    def _count(self):
        if not self._warms_up:
            self._steps += 1
        self._warms_up = False
        self._running.step()
        if self._steps == self._wanted:
            self.close()

    def close(self):
        """It ends here; a step that had begun is in the trace, and not counted."""
        running, self._running, self._wanted = self._running, None, None
        if running is None:
            return
        try:
            running.stop()
        except Exception as problem:  # pylint: disable=broad-except
            self._give_up(problem)

    def _give_up(self, problem):
        self._running = self._wanted = None
        self._problem = "PyTorch's profiler failed: %s: %s" % (type(problem).__name__, problem)

    def _export(self, profile):
        """Called by torch where recording ends; nothing is written of a recording without a whole step."""
        if self._steps == 0 or self._trace is not None:
            return
        last = self._session.step - 1
        path = folders.of_run(self._session, "traces", "step%08d-%08d.pt.trace.json.gz" % (last - self._steps + 1, last))
        profile.export_chrome_trace(path)
        self._trace = path
