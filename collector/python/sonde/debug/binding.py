# SPDX-License-Identifier: Apache-2.0
"""libsonde-live.so: its functions as collector/live/sonde-program.h declares them. It is looked for like libsonde-record.so.

Python's lock is given up in every call but those that return at once, so that other threads run while one stands.
"""
import ctypes

from ..library import Error, find

NAME = "libsonde-live.so"
VERSION = 7
MAX_RANK = 16

DONE, UNKNOWN, ABSENT, UNABLE = range(4)
OPERATOR, MODULE, VALUE = range(3)
FORWARD, BACKWARD, OPTIMISER = range(3)
TENSOR, WEIGHT, GRADIENT, ACTIVATION = range(4)
BEFORE, AFTER, LOOK = 1, 2, 4  # flags; 0 and 1 as moments

P, S, I, L, U, D = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int64, ctypes.c_uint32, ctypes.c_double
STRINGS = ctypes.POINTER(ctypes.c_char_p)


class Tensor(ctypes.Structure):
    _fields_ = [("type", I), ("rank", I), ("dims", L * MAX_RANK), ("strides", L * MAX_RANK), ("data", P), ("owner", P)]


class Statistics(ctypes.Structure):
    _fields_ = [("count", L), ("min", D), ("max", D), ("mean", D), ("std", D), ("abs_mean", D), ("zeros", L), ("negatives", L), ("nan", L),
                ("pos_inf", L), ("neg_inf", L)]


class Node(ctypes.Structure):
    _fields_ = [("name", S), ("op", S), ("functions", STRINGS), ("scope", S), ("begins", S), ("phase", I), ("kind", I), ("makes", I),
                ("inputs", STRINGS), ("outputs", STRINGS), ("types", STRINGS), ("unjudged", I), ("source", S)]


GET_VALUE = ctypes.CFUNCTYPE(I, P, S, I, ctypes.POINTER(Tensor))
SET_VALUE = ctypes.CFUNCTYPE(I, P, S, ctypes.POINTER(Tensor))
RELEASE = ctypes.CFUNCTYPE(None, P, P)
LIST = ctypes.CFUNCTYPE(None, P)
CALL = ctypes.CFUNCTYPE(I, P)


class Hooks(ctypes.Structure):
    _fields_ = [("get_value", GET_VALUE), ("set_value", SET_VALUE), ("release", RELEASE), ("list_nodes", LIST),
                ("list_values", LIST), ("list_frames", LIST), ("add_call", P), ("call", CALL)]


CHECK_INTO = ctypes.CFUNCTYPE(I, P, S)
GO_BACK = ctypes.CFUNCTYPE(I, P, I, ctypes.c_uint64, S)
FIND_ORIGIN = ctypes.CFUNCTYPE(I, P, S)
SAVE_CAPTURE = ctypes.CFUNCTYPE(I, P, S, STRINGS, I)
PROFILE = ctypes.CFUNCTYPE(I, P, I, ctypes.c_uint64, S)
LIST_SHARING = ctypes.CFUNCTYPE(I, P, S)


class Offers(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("check_into", CHECK_INTO), ("go_back", GO_BACK), ("find_origin", FIND_ORIGIN),
                ("save_capture", SAVE_CAPTURE), ("profile", PROFILE), ("list_sharing", LIST_SHARING)]


# Name without "sonde_program_": result, arguments.
FUNCTIONS = {
    "version": (I, ()),
    "new": (P, (ctypes.POINTER(Hooks), P, S, I, ctypes.POINTER(P))),
    "offer": (None, (P, ctypes.POINTER(Offers))),
    "free": (None, (P,)),
    "before_fork": (None, (P,)),
    "after_fork": (None, (P, I)),
    "free_text": (None, (P,)),
    "add_fd": (I, (P, I)),
    "get_socket": (S, (P,)),
    "is_heard": (I, (P,)),
    "describe": (None, (P, S, L)),
    "get_flags": (P, (P,)),
    "is_armed": (I, (P,)),
    "reaches_operators": (I, (P,)),
    "add_node": (U, (P, ctypes.POINTER(Node))),
    "set_types": (None, (P, U, STRINGS)),
    "set_outputs": (None, (P, U, STRINGS)),
    "begin_step": (None, (P, ctypes.c_uint64)),
    "pass": (I, (P, U, I, S)),
    "look": (I, (P, U, P, ctypes.c_size_t)),
    "fail": (I, (P, U, S, S)),
    "stop_at": (None, (P, U, I, I, S, S)),
    "would_stop": (I, (P, U, I)),
    "matches": (I, (P, U, S)),
    "is_bad": (I, (P,)),
    "tell": (None, (P, S)),
    "wait": (None, (P,)),
    "stand": (I, (P,)),
    "go_on": (None, (P,)),
    "answer": (None, (P,)),
    "measure": (I, (ctypes.POINTER(Tensor), ctypes.POINTER(Statistics))),
    "set_problem": (None, (P, S)),
    "put_nodes": (None, (P, ctypes.POINTER(U), ctypes.c_size_t)),
    "add_value": (None, (P, S, S, I, S, I)),
    "add_sharing": (None, (P, S)),
    "add_link": (None, (P, S, S, S, I, ctypes.POINTER(L), I, L, D)),
    "set_cause": (None, (P, S, S, I)),
    "add_cause": (None, (P, S, STRINGS)),
    "set_profile": (None, (P, I, ctypes.c_uint64, ctypes.c_uint64, S)),
    "add_frame": (None, (P, I, S, S)),
}
MAX_NODES = 1 << 20


class Library:
    """The functions as attributes, without their prefix; "pass" is pass_node."""

    def __init__(self):
        library = find(NAME)[0]
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, "sonde_program_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, "pass_node" if name == "pass" else name, function)
        if self.version() < VERSION:
            raise Error("%s is version %d, this module needs %d" % (NAME, self.version(), VERSION))

    def open(self, hooks, title, listens):
        problem = P()
        program = self.new(ctypes.byref(hooks), None, title, listens, ctypes.byref(problem))
        if program:
            return program
        text = ctypes.string_at(problem.value).decode("utf-8", "replace") if problem.value else "no reason was given"
        self.free_text(problem)
        raise Error(text)

    def map_flags(self, program):
        """A byte a node, which the library writes."""
        return (ctypes.c_ubyte * MAX_NODES).from_address(self.get_flags(program))


_library = []


def get():
    """Loaded once, when it is first needed."""
    if not _library:
        _library.append(Library())
    return _library[0]
