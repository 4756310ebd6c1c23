# SPDX-License-Identifier: Apache-2.0
"""A backward that began without the mode, where somebody wants to see its operators now. Autograd brings back the modes of where
backward began before each of its nodes: the mode is put on inside of those that are still to come, each time."""
from _thread import get_ident


def _nodes_behind(tensors):
    """Autograd's, of what made these."""
    todo = [tensor.grad_fn for tensor in tensors if tensor.grad_fn is not None]
    seen = set(todo)
    while todo:
        node = todo.pop()
        yield node
        for behind, _ in node.next_functions:
            if behind is not None and behind not in seen:
                seen.add(behind)
                todo.append(behind)


class Late:
    def __init__(self, session):
        self._session = session
        self._handles = []  # of hooks that are on autograd's nodes

    def cover(self, mode):
        """The rest of the backward that runs, if one does."""
        from torch import _C
        if self._handles or _C._current_autograd_node() is None:
            return
        outputs = [tensor for name, tensor in self._session.values.special.items() if name.startswith("output")]
        push, depth = _C._push_on_torch_dispatch_stack, _C._len_torch_dispatch_stack
        session = self._session

        def put_on(_):
            if session.sees and not session.busy and get_ident() == session.owner and depth() == 0:
                push(mode)  # autograd takes it off behind the node
        self._handles = [node.register_prehook(put_on) for node in _nodes_behind(outputs)]

    def end_pass(self):
        """What accumulates gradients lives longer than a step."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
