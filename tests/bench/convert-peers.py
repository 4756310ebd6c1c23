#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of other formats: how soon they run, against the same nets as ONNX and against the programs they come from; what
a conversion costs, small and large, against the usual converters; `sonde scan` of a million lines. A table with targets.
Usage: convert-peers.py PROGRAM SAMPLES [SECTION…] [--rounds N] [--python FORMAT=PYTHON]… [--megabytes N] [--sources FOLDER]
SAMPLES: folders FORMAT/NET with case.json. Sections: load first convert large scan (all of them).
Rounds are interleaved; times are the least of them, memory the most. A peer that is not installed is left out."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SECTIONS = ["load", "first", "convert", "large", "scan"]
SMALL_SECONDS, SMALL_CHECKED_SECONDS, SMALL_MB = 0.1, 0.2, 60
LOAD_RATIO, LOAD_MS = 1.5, 5
LARGE_RATIO, LARGE_PEAK, LARGE_CHECKED_PEAK = 1 / 5, 2.5, 4
SCAN_LINES, SCAN_SECONDS, SCAN_MB = 1000000, 3, 500


class Table:
    def __init__(self):
        self.missed = 0
        print("%-42s %14s %16s" % ("what", "measured", "target"))

    def row(self, what, measured, target=None, unit="", against=""):
        note = ""
        if target is not None:
            good = measured <= target
            self.missed += not good
            note = "" if good else "  MISSED"
        print("%-42s %14s %16s%s%s" % (what, "%.3g%s" % (measured, unit), "" if target is None else "≤ %.3g%s" % (target, unit),
                                       note, "  " + against if against else ""), flush=True)

    def note(self, text):
        print("  " + text, flush=True)


def measure(command):
    """Runs it; (status, standard output, seconds of processor time, MB at most)."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return child.returncode, out.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Case:
    def __init__(self, folder, kind):
        with open(os.path.join(folder, "case.json")) as file:
            case = json.load(file)
        self.folder, self.kind = folder, kind
        self.name = kind + "/" + os.path.basename(folder)
        self.model = os.path.join(folder, case["model"])
        if kind == "caffe" and self.model.endswith(".caffemodel"):
            self.model = os.path.join(folder, [n for n in os.listdir(folder) if n.endswith(".prototxt")][0])
        self.inputs = case["runs"][0]["inputs"]
        self.signature = case["runs"][0].get("signature")

    def arguments(self):
        given = ["--input=%s=%s" % (name, os.path.join(self.folder, path)) for name, path in self.inputs.items()]
        return given + (["--signature", self.signature] if self.signature else [])


class Bench:
    def __init__(self, options, work):
        self.options, self.work, self.table = options, work, Table()
        self.cases = []
        for kind in sorted(os.listdir(options.samples)):
            folder = os.path.join(options.samples, kind)
            for net in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
                if os.path.exists(os.path.join(folder, net, "case.json")):
                    self.cases.append(Case(os.path.join(folder, net), kind))
        self.cases = [case for case in self.cases if self.is_read(case)]

    def is_read(self, case):
        if measure([self.options.program, "infer", case.model, "--json"] + case.arguments())[0] == 0:
            return True
        self.table.note("%s: not read by this version" % case.name)
        return False

    def runtime(self, what, kind, *arguments):
        """A peer in a process of its own; None where it is not there or cannot."""
        python = self.options.pythons.get(kind, sys.executable)
        done = measure([python, os.path.join(HERE, "convert-runtimes.py"), what, kind] + [str(a) for a in arguments])
        return done if done[0] == 0 else None

    def infer(self, model, arguments):
        status, out, _, _ = measure([self.options.program, "infer", model, "--json", "--threads", "1"] + arguments)
        if status != 0:
            return None
        answer = json.loads(out)
        return answer["load_ms"] + answer["prepare_ms"], answer["load_ms"] + answer["prepare_ms"] + answer["run_ms"]["min"]

    def as_onnx(self, case):
        out = os.path.join(self.work, case.name.replace("/", "-") + ".onnx")
        signature = ["--signature", case.signature] if case.signature else []
        return out if measure([self.options.program, "convert", case.model, out] + signature)[0] == 0 else None

    def load(self):
        for case in self.cases:
            onnx = self.as_onnx(case)
            if onnx is None:
                self.table.note("%s: not converted" % case.name)
                continue
            arguments = [a for a in case.arguments() if a.startswith("--input")]
            pairs = [(self.infer(case.model, case.arguments()), self.infer(onnx, arguments)) for _ in range(self.options.rounds)]
            own, other = min(p[0][0] for p in pairs), min(p[1][0] for p in pairs)
            self.table.row("load and prepare, " + case.name, own, LOAD_RATIO * other + LOAD_MS, " ms", "as ONNX %.3g ms" % other)

    def first(self):
        for case in self.cases:
            own, peer = [], []
            for _ in range(self.options.rounds):
                own.append(self.infer(case.model, case.arguments())[1])
                done = self.runtime("first", case.kind, case.model, case.folder)
                if done is None:
                    break
                peer.append(json.loads(done[1].splitlines()[-1])["ms"])
            if peer:
                self.table.row("load and first run, " + case.name, min(own), min(peer), " ms", "its own program")
            else:
                self.table.row("load and first run, " + case.name, min(own), None, " ms", "its own program is not installed")

    def convert(self):
        out = os.path.join(self.work, "small.onnx")
        for case in self.cases:
            command = [self.options.program, "convert", case.model, out] + (["--signature", case.signature] if case.signature else [])
            plain, checked = [], []
            for _ in range(self.options.rounds):
                plain.append(measure(command + ["--no-check"]))
                checked.append(measure(command))
            peer = self.runtime("convert", case.kind, case.model, out)
            self.table.row("convert without check, " + case.name, min(m[2] for m in plain), SMALL_SECONDS, " s",
                           "peer %.3g s, %.0f MB" % peer[2:] if peer else "")
            self.table.row("convert with check, " + case.name, min(m[2] for m in checked), SMALL_CHECKED_SECONDS, " s")
            self.table.row("memory of both, " + case.name, max(m[3] for m in plain + checked), SMALL_MB, " MB")

    def convert_large(self, name, model, kind, out):
        size = os.path.getsize(model) / 2**20
        command = [self.options.program, "convert", model, out]
        plain, checked = measure(command + ["--no-check"]), measure(command)
        if plain[0] != 0 or checked[0] != 0:
            self.table.note("%s: not converted" % name)
            return
        peer = self.runtime("convert", kind, model, out) if kind else None
        self.table.row("%s, %.0f MB, processor time" % (name, size), checked[2], LARGE_RATIO * peer[2] if peer else None, " s",
                       "peer %.3g s, %.1f × the file" % (peer[2], peer[3] / size) if peer else "no peer")
        self.table.row("%s, peak without check" % name, plain[3] / size, LARGE_PEAK, " ×")
        self.table.row("%s, peak with check" % name, checked[3] / size, LARGE_CHECKED_PEAK, " ×")

    def large(self):
        onnx = None
        for kind in ("pt2", "tflite"):
            model = os.path.join(self.work, "large." + kind)
            if self.runtime("make", kind, self.options.megabytes, model) is None:
                self.table.note("large .%s: what makes it is not installed" % kind)
                continue
            onnx = os.path.join(self.work, "large.onnx")
            self.convert_large(".%s to ONNX" % kind, model, kind, onnx)
        if onnx is None:
            return
        self.convert_large("ONNX to MindIR", onnx, None, os.path.join(self.work, "large.mindir"))
        self.convert_large("MindIR to ONNX", os.path.join(self.work, "large.mindir"), None, os.path.join(self.work, "again.onnx"))

    def scan(self):
        from importlib import import_module
        sys.path.insert(0, HERE)
        lines = import_module("scan-lines")
        with tempfile.TemporaryDirectory() as target:
            lines.copy_sources(self.options.sources, target, SCAN_LINES)
            rounds = [measure([self.options.program, "scan", target, "--json"]) for _ in range(self.options.rounds)]
        self.table.row("scan of a million lines, processor time", min(r[2] for r in rounds), SCAN_SECONDS, " s")
        self.table.row("scan of a million lines, memory", max(r[3] for r in rounds), SCAN_MB, " MB")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("samples")
    parser.add_argument("sections", nargs="*", default=SECTIONS, metavar="SECTION")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", action="append", default=[], metavar="FORMAT=PYTHON")
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--sources", default=os.path.dirname(os.__file__), help="Python sources for scan")
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error("there is no section %s" % ", ".join(sorted(unknown)))
    options.pythons = dict(each.split("=", 1) for each in options.python)
    return options


def main():
    options = parse_arguments()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(options, work)
        for section in options.sections:
            getattr(bench, section)()
        print("%d targets missed; %.0f s" % (bench.table.missed, time.monotonic() - start))


if __name__ == "__main__":
    main()
