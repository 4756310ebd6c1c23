# SPDX-License-Identifier: Apache-2.0
"""What the outermost module is called with and what it gives: `input`, `input:1`, `output`, `grad(output)`; in its second call
in a step `input#2`, `output#2`."""
import inspect

from .values import first_tensors


def _name(word, label, place):
    return word + label + (":%d" % place if place else "")


def _in_order(module, args, kwargs):
    """As the module declares its arguments, which is how exporters order them."""
    try:
        return list(inspect.signature(module.forward).bind(*args, **kwargs).arguments.values())
    except (TypeError, ValueError):
        return [args, kwargs]


def see_inputs(values, module, label, args, kwargs=None):
    """`label`: of the call, "" or "#2". Arguments with names are known when the module is left."""
    for place, tensor in enumerate(first_tensors(_in_order(module, args, kwargs) if kwargs else args)):
        values.put(_name("input", label, place), tensor)


def see_outputs(session, label, tensors):
    for place, tensor in enumerate(tensors):
        name = _name("output", label, place)
        session.values.put(name, tensor)
        if tensor.requires_grad and tensor.grad_fn is not None:
            session.watch_output(name, tensor)
