# SPDX-License-Identifier: Apache-2.0
"""Reads what was recorded, without the library that wrote it: frames with their checksums, protobuf fields by number."""
import glob
import os
import struct

STATISTICS = 8  # a kind of record


def _table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


TABLE = _table()


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def frames(path, check=True):
    """Payloads, and how many bytes at the end are no whole frame."""
    with open(path, "rb") as file:
        data = file.read()
    position, payloads = 0, []
    while position + 16 <= len(data):
        length, head = struct.unpack_from("<QI", data, position)
        if check and head != masked_crc(data[position:position + 8]):
            raise ValueError("%s: wrong checksum of a length at %d" % (path, position))
        if position + 16 + length > len(data):
            break
        payload = data[position + 12:position + 12 + length]
        if check and struct.unpack_from("<I", data, position + 12 + length)[0] != masked_crc(payload):
            raise ValueError("%s: wrong checksum at %d" % (path, position))
        payloads.append(payload)
        position += 16 + length
    return payloads, len(data) - position


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """{number: [value, …]}: numbers, or bytes."""
    at, result = 0, {}
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 5:
            value, at = data[at:at + 4], at + 4
        else:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        result.setdefault(key >> 3, []).append(value)
    return result


def varints(data):
    at, result = 0, []
    while at < len(data):
        value, at = varint(data, at)
        result.append(value)
    return result


def doubles(data):
    return list(struct.unpack("<%dd" % (len(data) // 8), data))


def zigzag(value):
    return value >> 1 ^ -(value & 1)


class Record:
    """kind, step, wall_time_ns, tag, content (fields); of scalars `scalars`: [(tag, value)]"""

    def __init__(self, payload, names):
        record = fields(payload)
        for declaration in record.get(6, []):
            parts = fields(declaration)
            names[parts.get(1, [0])[0]] = parts.get(2, [b""])[0].decode("utf-8", "surrogateescape")
        self.kind = record[1][0]
        self.step = zigzag(record.get(2, [0])[0])
        self.wall_time_ns = struct.unpack("<q", record[3][0])[0]
        self.tag = names.get(record[5][0]) if 5 in record else None
        content = record.get(20 + self.kind, [b""])[0]
        self.raw = content
        self.cells = record.get(10, [None])[0]
        self.content = {} if self.kind == 6 else fields(content)
        self.scalars = []
        if self.kind == 2:
            tags = [names[i] for i in varints(self.content.get(1, [b""])[0])]
            self.scalars = list(zip(tags, doubles(self.content.get(2, [b""])[0])))


def read(run):
    """All records of a run of Sonde's own format, in order."""
    records = []
    for path in sorted(glob.glob(os.path.join(run, "records", "*.sonde"))):
        payloads, rest = frames(path)
        if rest:
            raise ValueError("%s ends with %d bytes that are no record" % (path, rest))
        names = {}
        records += [Record(payload, names) for payload in payloads]
    return records


def scalars(records):
    """{tag: [(step, value), …]}"""
    result = {}
    for record in records:
        for tag, value in record.scalars:
            result.setdefault(tag, []).append((record.step, value))
    return result
