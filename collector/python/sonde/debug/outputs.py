# SPDX-License-Identifier: Apache-2.0
"""What the values of an operator are called: NODE, NODE:1, … Of a list that an optimiser works on, one operator for all parameters, each
goes by its parameter: `optimiser/fc.weight/_foreach_sqrt`.
"""
from . import binding
from .values import MOST_OUTPUTS, first_tensors


def numbered(name, count):
    return [name] + ["%s:%d" % (name, k) for k in range(1, count)]


def of_operator(session, scope, name, kind, args):
    """Before it runs; of a list whose length shows only then, the first."""
    if scope.phase != binding.OPTIMISER or not args or not isinstance(args[0], (list, tuple)):
        return numbered(name, kind.outputs)
    tensors = first_tensors(args[0], limit=MOST_OUTPUTS)
    owners = _owners(session)
    paths = [owners.get(id(tensor)) or _updated(session.values.producer_of(tensor)) for tensor in tensors]
    if not paths or None in paths or len(set(paths)) < len(paths):
        return numbered(name, kind.outputs)
    op = name.rpartition("/")[2]
    return ["optimiser/%s/%s" % (path, op) for path in paths]


def written(node, args):
    """What an operator gave that returns nothing: the first argument that it writes into."""
    return args[node.writes[0]] if node.writes and node.writes[0] < len(args) else None


def _owners(session):
    """Parameters, their gradients and states: paths of the parameters by id."""
    names, found = session.names, {}
    for path in names.is_parameter:
        parameter = names.tensors[path]
        found[id(parameter)] = path
        if parameter.grad is not None:
            found[id(parameter.grad)] = path
    for parameter, states in names.optimiser.state.items() if names.optimiser is not None else ():
        path = names.of_tensor(parameter)
        found.update((id(state), path) for state in states.values() if path is not None)
    return found


def _updated(name):
    """The parameter of a value that was made of it before in this step of the optimiser."""
    parts = (name or "").split("/")
    return parts[1] if len(parts) == 3 and parts[0] == "optimiser" else None
