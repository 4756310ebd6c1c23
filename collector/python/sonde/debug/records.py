# SPDX-License-Identifier: Apache-2.0
"""What is read and written whenever an operator comes by: attributes that the module sonde_interception, written in C, gets at without
Python. Where there is none for this Python, or SONDE_INTERCEPTION=python asks for that, these are plain attributes, and the mode is the
one in Python.
"""
import importlib.machinery
import importlib.util
import os

from ..library import candidates

NAME = "sonde_interception"


def _load():
    """None: it is not there, or not for this Python."""
    for path in candidates(NAME + ".abi3.so") if os.environ.get("SONDE_INTERCEPTION") != "python" else ():
        if os.path.exists(path):
            loader = importlib.machinery.ExtensionFileLoader(NAME, path)
            try:
                module = importlib.util.module_from_spec(importlib.util.spec_from_loader(NAME, loader))
                loader.exec_module(module)
            except ImportError:
                continue
            return module
    return None


_module = _load()

if _module is not None:
    from_c = vars(_module)
    SessionRecord, OperatorsRecord, ValuesRecord, NodesRecord, ScopeRecord, NodeRecord, Interception = (from_c[name] for name in (
        "SessionRecord", "OperatorsRecord", "ValuesRecord", "NodesRecord", "ScopeRecord", "NodeRecord", "Interception"))
else:
    Interception = None

    class SessionRecord:
        """armed, busy, owner, phase, stack."""

    class OperatorsRecord:
        """stamp, number, depth, entered, node, node_scope, forward, known_accumulates, known_updates, other_updates,
        parameters."""

    class ValuesRecord:
        """holds, written, kept, made."""

    class NodesRecord:
        """now."""

    class ScopeRecord:
        __slots__ = ("stamp", "place", "route", "backwards")

    class NodeRecord:
        __slots__ = ("number", "phase", "has_types", "is_beside", "unjudged", "name", "made", "version", "writes", "home", "outputs")
