#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many runs, and one large run: how long `sonde inspect` takes at first and again, processor time, and its largest memory.

Makes RUNS event files of TensorBoard with ten tags each (50 kB a file: 500 MB of 10,000), and one run of our own format with
POINTS points of ten tags, none of them live. Both have an index folder of their own, which is empty before the first call.
Usage: runs-scale.py SONDE MODULE-FOLDER LIBRARY WORK-FOLDER [--runs N] [--points N] [--rounds N]
"""
import argparse
import os
import shutil
import struct
import subprocess
import sys
import time

TAGS = 10
STEPS_OF_A_FILE = 94  # events of one scalar each: about 50 kB
WRITTEN = 1.7e9  # when; a run is live for a minute, and then keeps more in memory


def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


TABLE = crc_table()


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def frame(payload):
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked_crc(length)) + payload + struct.pack("<I", masked_crc(payload))


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def event(step, tag, value):
    """Wall time, step, summary { value { tag, simple_value } }."""
    summary = field(1, field(1, tag) + b"\x15" + struct.pack("<f", value))
    return b"\x09" + struct.pack("<d", 1.7e9 + step) + b"\x10" + bytes([step]) + field(5, summary)


def event_file():
    out = [frame(b"\x09" + struct.pack("<d", 1.7e9) + field(3, b"brain.Event:2"))]
    for step in range(STEPS_OF_A_FILE):
        out += [frame(event(step, b"train/metric-%02d" % tag, 1.0 / (1 + step + tag))) for tag in range(TAGS)]
    return b"".join(out)


def make_many(folder, runs):
    data = event_file()
    for number in range(runs):
        run = os.path.join(folder, "group-%02d" % (number // 100), "run-%05d" % number)
        os.makedirs(run)
        path = os.path.join(run, "events.out.tfevents.1700000000.host")
        with open(path, "wb") as file:
            file.write(data)
        os.utime(path, (WRITTEN, WRITTEN))
    return runs * len(data)


def make_large(folder, points):
    """Records of a short run, repeated: the first of them declare the tags."""
    import sonde
    steps = 1000
    with sonde.SummaryWriter(folder, strict=True) as writer:
        path = writer.path
        for step in range(steps + 1):
            writer.add_scalars("train", {"metric-%02d" % tag: 1.0 / (1 + step + tag) for tag in range(TAGS)}, step)
    with open(path, "rb") as file:
        data = file.read()
    starts, at = [], 0
    while at < len(data):
        starts.append(at)
        at += 16 + struct.unpack_from("<Q", data, at)[0]
    head, body = data[:starts[2]], data[starts[2]:starts[-1]]  # session and declarations; the end is left out
    with open(path, "wb") as file:
        file.write(head)
        for _ in range(max(points // (steps * TAGS), 1)):
            file.write(body)
    os.utime(path, (WRITTEN, WRITTEN))
    return os.path.getsize(path)


def measure(sonde, folder, cache):
    """One call: what it took, as text."""
    start = time.monotonic()
    process = subprocess.Popen([sonde, "inspect", folder, "--json"], stdout=subprocess.DEVNULL,
                               env=dict(os.environ, XDG_CACHE_HOME=cache))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("runs-scale: sonde inspect %s ended with %d" % (folder, process.returncode))
    return "%.2f s (processor %.2f s, %.0f MB)" % (time.monotonic() - start, usage.ru_utime + usage.ru_stime,
                                                   usage.ru_maxrss / 1024)


def report(name, sonde, folder, n_bytes, work, rounds):
    for round_number in range(rounds):
        cache = os.path.join(work, "cache")
        shutil.rmtree(cache, ignore_errors=True)
        first = measure(sonde, folder, cache)
        again = measure(sonde, folder, cache)
        print("%s, %.0f MB, round %d: at first %s, again %s" % (name, n_bytes / 1e6, round_number + 1, first, again), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sonde")
    parser.add_argument("module")
    parser.add_argument("library")
    parser.add_argument("work")
    parser.add_argument("--runs", type=int, default=10000)
    parser.add_argument("--points", type=int, default=100000000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    sys.path.insert(0, options.module)
    os.environ["SONDE_LIBRARY"] = options.library
    many, large = os.path.join(options.work, "many"), os.path.join(options.work, "large")
    if options.runs > 0:
        report("%d runs of %d tags" % (options.runs, TAGS), options.sonde, many, make_many(many, options.runs), options.work,
               options.rounds)
    if options.points > 0:
        report("one run of %d points" % options.points, options.sonde, large, make_large(large, options.points), options.work,
               options.rounds)


if __name__ == "__main__":
    main()
