# SPDX-License-Identifier: Apache-2.0
"""The capture file (*.sondecap) as data/captures has it: one SQLite file. docs/debugger.md describes the tables.

Tensors are records of docs/record-format.md, not compressed. Nothing of PyTorch is needed here: a tensor is (type, sizes, bytes).
"""
import os
import sqlite3
import tempfile

APPLICATION, VERSION = 0x53636170, 1
PIECE = 64 << 20           # of a blob
MAX_TENSOR = 512 << 20     # a record's limit
MAX_FILE = 4 << 30
TENSOR_RECORD, TAG = 7, 1

SCHEMA = """
CREATE TABLE fact (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE blob (id INTEGER, piece INTEGER, data BLOB NOT NULL, PRIMARY KEY (id, piece)) WITHOUT ROWID;
CREATE TABLE model (executed INTEGER NOT NULL, bytes INTEGER NOT NULL, blob INTEGER NOT NULL);
CREATE TABLE input (name TEXT NOT NULL, tensor INTEGER NOT NULL);
CREATE TABLE value (name TEXT NOT NULL, tensor INTEGER, count INTEGER, min REAL, max REAL, mean REAL, std REAL,
  abs_mean REAL, zeros INTEGER, negatives INTEGER, nan INTEGER, pos_inf INTEGER, neg_inf INTEGER);
CREATE TABLE stop (command TEXT NOT NULL, enabled INTEGER NOT NULL);
"""


class Damaged(ValueError):
    """What is wrong with a file, in a sentence."""


# ---- tensors as records

def _number(n):
    """Of 7 bits a byte, the lowest first."""
    found = bytearray()
    while n > 0x7f:
        found.append(n & 0x7f | 0x80)
        n >>= 7
    found.append(n)
    return bytes(found)


def _member(field, data):
    """A field that has a length."""
    return _number(field << 3 | 2) + _number(len(data)) + data


def encode(name, kind, sizes, data):
    """The record declares its tag: no other one does."""
    dims = b"".join(map(_number, sizes))
    tensor = _number(1 << 3) + _number(kind) + (_member(2, dims) if sizes else b"") + _member(4, data)
    tag = _number(1 << 3) + _number(TAG) + _member(2, name.encode("utf-8", "replace"))
    return _number(1 << 3) + _number(TENSOR_RECORD) + _number(5 << 3) + _number(TAG) + _member(6, tag) + _member(27, tensor)


def _fields(data):
    """(number, value) of a message: an integer, or the bytes of what has a length."""
    place = 0
    while place < len(data):
        key, place = _read_number(data, place)
        if key & 7 == 0:
            value, place = _read_number(data, place)
        elif key & 7 in (1, 5):
            n = 8 if key & 7 == 1 else 4
            value, place = None, place + n
        elif key & 7 == 2:
            n, place = _read_number(data, place)
            value, place = data[place:place + n], place + n
        else:
            raise Damaged("a tensor cannot be read")
        if place > len(data):
            raise Damaged("a tensor ends too early")
        yield key >> 3, value


def _read_number(data, place):
    found = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        found |= (data[place] & 0x7f) << shift
        place += 1
        if data[place - 1] < 0x80:
            return found, place
    raise Damaged("a tensor cannot be read")


def decode(data):
    """(type, sizes, bytes)."""
    record = dict(_fields(memoryview(data)))
    if record.get(1) != TENSOR_RECORD or 27 not in record:
        raise Damaged("what should be a tensor is none")
    kind, sizes, numbers = 0, [], b""
    for field, value in _fields(record[27]):
        if field == 1:
            kind = value
        elif field == 2 and isinstance(value, int):
            sizes.append(value)
        elif field == 2:
            place = 0
            while place < len(value):
                size, place = _read_number(value, place)
                sizes.append(size)
        elif field == 3 and value != 0:
            raise Damaged("a tensor is compressed, which only Sonde writes")
        elif field == 4:
            numbers = value
    return kind, tuple(sizes), bytes(numbers)


# ---- writing

class Writer:
    """Beside the file, which takes its name at the end: one that was there stays whole until then."""

    def __init__(self, path):
        self._path = path
        folder = os.path.dirname(os.path.abspath(path))
        handle, self._beside = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
        os.close(handle)
        self._blobs = self._bytes = 0
        self._database = sqlite3.connect(self._beside, isolation_level=None)
        self._database.executescript("PRAGMA journal_mode = OFF; PRAGMA application_id = %d; PRAGMA user_version = %d;%sBEGIN;"
                                     % (APPLICATION, VERSION, SCHEMA))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind is None:
                self._database.execute("COMMIT")
            self._database.close()
            if kind is None:
                os.chmod(self._beside, 0o666 & ~_umask())
                os.replace(self._beside, self._path)
        finally:
            if os.path.exists(self._beside):
                os.unlink(self._beside)

    def has_room_for(self, n):
        """For a tensor of `n` bytes."""
        return n + 4096 < MAX_TENSOR and self._bytes + n < MAX_FILE - (16 << 20)

    def _put(self, name, tensor):
        if tensor is None:
            return None
        data = memoryview(encode(name, *tensor))
        self._blobs += 1
        self._bytes += len(data)
        for piece, begin in enumerate(range(0, len(data), PIECE)):
            self._database.execute("INSERT INTO blob VALUES (?, ?, ?)", (self._blobs, piece, data[begin:begin + PIECE]))
        return self._blobs

    def add_fact(self, key, value):
        self._database.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (key, str(value)))

    def add_input(self, name, tensor):
        self._database.execute("INSERT INTO input VALUES (?, ?)", (name, self._put(name, tensor)))

    def add_value(self, name, tensor, statistics):
        """`tensor`: or None; `statistics`: eleven numbers in the order of the table, or None. NaN becomes NULL, which is read as NaN."""
        row = (name, self._put(name, tensor)) + tuple(statistics or (None,) * 11)
        self._database.execute("INSERT INTO value VALUES (%s)" % ", ".join("?" * 13), row)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ---- reading

class Reader:
    """What Writer wrote."""

    def __init__(self, path):
        if not os.path.exists(path):
            raise FileNotFoundError("There is no capture “%s”." % path)
        self._path = path
        self._database = sqlite3.connect("file:%s?mode=ro" % os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23"),
                                         uri=True)
        try:
            is_ours = self._one("PRAGMA application_id") == APPLICATION and self._one("PRAGMA user_version") <= VERSION
        except sqlite3.DatabaseError:
            is_ours = False
        if not is_ours:
            self._database.close()
            raise Damaged("“%s” is no capture that this version reads." % path)
        self.facts = dict(self._database.execute("SELECT key, value FROM fact"))
        self._places = {name: blob for table in ("value", "input")
                        for name, blob in self._database.execute("SELECT name, tensor FROM " + table) if blob is not None}
        self.inputs = [name for name, in self._database.execute("SELECT name FROM input")]

    def _one(self, query):
        return self._database.execute(query).fetchone()[0]

    def close(self):
        self._database.close()

    def names(self):
        """Of the tensors that are in it whole."""
        return list(self._places)

    def tensor(self, name):
        """(type, sizes, bytes)."""
        pieces = self._database.execute("SELECT data FROM blob WHERE id = ? ORDER BY piece", (self._places[name],))
        try:
            return decode(b"".join(piece for piece, in pieces))
        except Damaged as problem:
            raise Damaged("capture “%s”, “%s”: %s." % (self._path, name, problem)) from None
