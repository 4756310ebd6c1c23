# SPDX-License-Identifier: Apache-2.0
"""libsonde-record.so: where it is, and its functions as collector/writer/sonde-recorder.h declares them.

It is taken from the path or folder in SONDE_LIBRARY, from the folder of this module, or from where the system looks for libraries.
"""
import ctypes
import os

NAME = "libsonde-record.so"
VERSION = 2


class Error(RuntimeError):
    """What the library says: a sentence that names the file and what happened."""


class Options(ctypes.Structure):
    WARN = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)
    _fields_ = [("format", ctypes.c_char_p), ("program", ctypes.c_char_p), ("queue_bytes", ctypes.c_uint64),
                ("fsync_ns", ctypes.c_int64), ("warn", WARN), ("warn_data", ctypes.c_void_p)]


class Chart(ctypes.Structure):
    _fields_ = [("category", ctypes.c_char_p), ("title", ctypes.c_char_p), ("is_margin", ctypes.c_int),
                ("tags", ctypes.POINTER(ctypes.c_char_p))]


P, S, I, L, U, D = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int64, ctypes.c_uint64, ctypes.c_double)
N, STRINGS, TEXT = ctypes.c_size_t, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.c_void_p)

# Name without "sonde_recorder_": result, arguments. (tag, step, wall time) is T.
T = (P, S, L, L)
FUNCTIONS = {
    "version": (I, ()),
    "open": (P, (S, ctypes.POINTER(Options), TEXT)),
    "close": (I, (P, TEXT)),
    "free_text": (None, (P,)),
    "flush": (None, (P,)),
    "sync": (I, (P, TEXT)),
    "get_path": (S, (P,)),
    "get_counts": (None, (P, ctypes.POINTER(U), ctypes.POINTER(U), ctypes.POINTER(U))),
    "dup_warnings": (P, (P,)),
    "set_policy": (None, (P, S, L, D, U)),
    "describe": (None, (P, S, S, S, S, S)),
    "add_scalar": (None, (P, S, L, D)),
    "add_scalars": (None, (P, L, L, STRINGS, ctypes.POINTER(D), N)),
    "add_histogram": (None, T + (I, P, N)),
    "add_bins": (None, T + (P, P, P, N, D, D, D, D)),
    "add_statistics": (None, T + (I, P, N)),
    "add_tensor": (None, T + (I, ctypes.POINTER(L), I, P)),
    "add_image": (I, T + (I, I, P, I, I, I, I)),
    "add_encoded_image": (None, T + (I, P, N, I, I)),
    "add_audio": (I, T + (P, N, I, I)),
    "add_text": (None, T + (S,)),
    "add_table": (None, T + (STRINGS, N, N)),
    "add_graph": (None, T + (P, N)),
    "add_plain_graph": (I, T + (P, N, TEXT)),
    "add_hparams": (None, (P, L, STRINGS, STRINGS, ctypes.POINTER(I), N, S)),
    "add_experiment": (None, (P, L, STRINGS, ctypes.POINTER(I), N, STRINGS, N)),
    "add_lineage": (None, (P, S, L, STRINGS, STRINGS, ctypes.POINTER(I), N)),
    "add_pr_curve": (I, T + (P, P, P, N, ctypes.c_uint32)),
    "add_pr_rows": (None, T + (P, N)),
    "add_embedding": (None, T + (P, N, N, STRINGS, N, STRINGS, P, N, I, I)),
    "add_custom_scalars": (None, (P, L, ctypes.POINTER(Chart), N)),
    "add_mesh": (None, T + (P, N, N, P, P, N, S)),
}


def candidates(name):
    """Where a library may be."""
    chosen = os.environ.get("SONDE_LIBRARY")
    if chosen and os.path.isdir(chosen):
        return [os.path.join(chosen, name)]
    if chosen:  # one library by its path, and the other beside it
        is_it = os.path.basename(chosen).startswith(name)
        return [chosen if is_it else os.path.join(os.path.dirname(chosen), name)]
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    return ([beside] if os.path.exists(beside) else []) + [name + ".1", name]


def find(name):
    """Two views of one library: the second keeps Python's lock, which is quicker for calls that return at once."""
    problems = []
    for path in candidates(name):
        try:
            return ctypes.CDLL(path), ctypes.PyDLL(path)
        except OSError as problem:
            problems.append(str(problem))
    raise Error("%s cannot be loaded (%s): put it beside the module “%s” or name its path in SONDE_LIBRARY"
                % (name, "; ".join(problems), os.path.dirname(os.path.abspath(__file__))))


class Library:
    """The functions as attributes, without their prefix; those in `quick` keep Python's lock."""

    def __init__(self):
        library, quick = find(NAME)
        for name, (result, arguments) in FUNCTIONS.items():
            for place, target in ((library, self), (quick, None)):
                function = getattr(place, "sonde_recorder_" + name)
                function.restype, function.argtypes = result, arguments
                if target is not None:
                    setattr(target, name, function)
        self.quick_add_scalar = quick.sonde_recorder_add_scalar
        self.quick_add_scalars = quick.sonde_recorder_add_scalars
        if self.version() < VERSION:
            raise Error("%s is version %d, this module needs %d" % (NAME, self.version(), VERSION))

    def take_text(self, pointer):
        """A text that the library made, freed."""
        if not pointer:
            return None
        text = ctypes.string_at(pointer).decode("utf-8", "replace")
        self.free_text(pointer)
        return text


_library = []


def get():
    """Loaded once, when it is first needed."""
    if not _library:
        _library.append(Library())
    return _library[0]


def strings(texts):
    """A C array of UTF-8 strings, ended by NULL."""
    return (ctypes.c_char_p * (len(texts) + 1))(*[encode(text) for text in texts], None)


def encode(text):
    """UTF-8; a NUL would end it early in C."""
    return str(text).encode("utf-8", "surrogateescape").replace(b"\0", b"\\0")
