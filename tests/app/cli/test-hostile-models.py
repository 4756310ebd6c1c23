#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged model files, as a user meets them: the program ends with 0 or 1 within two seconds of processor time and a gigabyte,
and says one thing of the file it refuses. Usage: test-hostile-models.py PROGRAM FOLDER… [--rounds N] [--most N] [--seed S]
FOLDER: searched for models of all formats; each is cut, flipped and filled in one of its files, ROUNDS times in each way;
at most MOST models of a format."""
import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

SECONDS, MEGABYTES, CHARACTERS = 2, 1024, 2000
ENDINGS = (".onnx", ".mindir", ".tflite", ".pt2", ".keras", ".h5", ".prototxt", ".pb")


def find_models(folders):
    """One of each format and folder: {ending: [(folder, file)]}."""
    found = {}
    for top in folders:
        for where, folders, names in os.walk(top):
            for name in sorted(names):
                ending = os.path.splitext(name)[1]
                if ending in ENDINGS and os.path.getsize(os.path.join(where, name)) < 1 << 20:
                    found.setdefault(ending, []).append((where, name))
                    break
    return found


def list_parts(folder, name):
    """What belongs to a model: itself, weights beside it, all of the folder of a SavedModel."""
    if name == "saved_model.pb":
        return [os.path.relpath(os.path.join(where, each), folder) for where, _, names in os.walk(folder) for each in names]
    return [each for each in sorted(os.listdir(folder))
            if each == name or each.endswith(".caffemodel") and name.endswith(".prototxt")]


def cut(data, chance):
    return data[:chance.randrange(len(data))]


def flip(data, chance):
    data = bytearray(data)
    for _ in range(chance.choice((1, 3, 20))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def fill(data, chance):
    """A few bytes in a row become large: sizes and offsets are among them."""
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.choice((0xff, 0x7f, 0x80))]) * chance.choice((1, 4, 8)) + data[at + 8:]


def run(program, model, folder):
    with open(os.path.join(folder, "err"), "w+b") as err:
        child = subprocess.Popen([program, "infer", model], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                                 env=dict(os.environ, LC_ALL="C.UTF-8", LANGUAGE="", OMP_NUM_THREADS="1"))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return child.returncode, err.read().decode("utf-8", "replace"), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def judge(status, message, seconds, megabytes, name):
    if status not in (0, 1):
        return "ended with status %d" % status
    if seconds > SECONDS:
        return "took %.1f s" % seconds
    if megabytes > MEGABYTES:
        return "took %.0f MB" % megabytes
    if status == 1 and len(message) > CHARACTERS + 100:
        return "wrote %d characters" % len(message)
    if status == 1 and name not in message:
        return "did not name the file: %s" % message.strip()
    return None


def damage(options, chance, source, name, work):
    """One model in all ways: the worst (what, seconds, megabytes) of it."""
    worst, faults, n = [0, 0], [], 0
    parts = list_parts(source, name)
    for change in (cut, flip, fill):
        for turn in range(options.rounds):
            folder = os.path.join(work, "net")
            for part in parts:
                os.makedirs(os.path.dirname(os.path.join(folder, part)), exist_ok=True)
                shutil.copyfile(os.path.join(source, part), os.path.join(folder, part))
            part = parts[turn % len(parts)]
            with open(os.path.join(source, part), "rb") as file:
                data = file.read()
            with open(os.path.join(folder, part), "wb") as file:
                file.write(change(data, chance) if data else b"")
            model = folder if name == "saved_model.pb" else os.path.join(folder, name)
            status, message, seconds, megabytes = run(options.program, model, work)
            worst = [max(worst[0], seconds), max(worst[1], megabytes)]
            fault = judge(status, message, seconds, megabytes, "net")
            n += 1
            if fault:
                faults.append("%s of %s, %s %d: %s" % (change.__name__, os.path.join(source, part), "turn", turn, fault))
            shutil.rmtree(folder)
    return n, worst, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=21)
    options = parser.parse_args()
    found = find_models(options.folders)
    if not found:
        print("1..0 # SKIP no models")
        return 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("1..%d" % len(found))
    failed = False
    with tempfile.TemporaryDirectory() as work:
        for number, ending in enumerate(sorted(found), 1):
            chance = random.Random(options.seed)
            total, seconds, megabytes, faults = 0, 0, 0, []
            for source, name in found[ending][:options.most]:
                n, worst, wrong = damage(options, chance, source, name, work)
                total, seconds, megabytes = total + n, max(seconds, worst[0]), max(megabytes, worst[1])
                faults += wrong
            for fault in faults[:20]:
                print("# " + fault)
            failed |= bool(faults)
            print("%s %d %s: %d files, at most %.2f s and %.0f MB" % ("not ok" if faults else "ok", number, ending, total, seconds, megabytes),
                  flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
