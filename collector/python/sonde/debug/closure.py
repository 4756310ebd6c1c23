# SPDX-License-Identifier: Apache-2.0
"""What a step of an optimiser is given to call: forward and backward run inside the step then (LBFGS; lightning, always)."""


def wrap(args, kwargs, call):
    """Arguments of step() with `call (closure)` where its closure would be called; None: it has no closure."""
    given = args[1] if len(args) > 1 else kwargs.get("closure")
    if not callable(given):
        return None

    def closure():
        return call(given)
    if len(args) > 1:
        return (args[0], closure, *args[2:]), kwargs
    return args, {**kwargs, "closure": closure}
