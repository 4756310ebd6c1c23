#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The window on large folders: start, arrival of points, charts, scrolling, graphs, memory. One line a number: what was
measured, the target, whether it is met.

Runs inside of an X server and a message bus of its own, as scripts/bench starts it. "main" is processor time of the window's
thread, which other programs on the machine do not change; all else is by the clock, and counts from before the program is
started. Makes what it needs in CACHE (4 GB with --all, kept when the folder is given); a folder is opened once before it is
measured, so that it is indexed.
Usage: window.py BUILD CACHE [SECTION…] [--all] [--minutes M] [--seed S]
  sections: start many large arrival chart runs scroll graph random; default: all but large and random, which --all adds
  --minutes, --seed: of random input (10, 1); its memory is told each minute on standard error
"""
import argparse
import importlib.util
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MADE = 1.7e9  # when; a run is live for a minute

# Section → rows of (what, name of the number, target, unit).
ROWS = {
    "start": [
        ("first chart of 2 runs × 10 tags", "small.first_chart_ms", 400, "ms"),
        ("  processor time", "small.first_chart_processor_ms", None, "ms"),
        ("first chart of 200 runs × 10 tags", "many200.first_chart_ms", 600, "ms"),
        ("  processor time", "many200.first_chart_processor_ms", None, "ms"),
        ("  everything on the screen", "many200.whole_ms", None, "ms"),
    ],
    "many": [
        ("first chart of 10,000 runs × 10 tags", "many10000.first_chart_ms", 2000, "ms"),
        ("  processor time", "many10000.first_chart_processor_ms", None, "ms"),
        ("  everything on the screen", "many10000.whole_ms", None, "ms"),
        ("  longest frame", "many10000.longest_frame_ms", None, "ms"),
        ("  memory", "many10000.peak_mb", 500, "MB"),
    ],
    "large": [
        ("first chart of 10^8 points in one run", "large.first_chart_ms", 1000, "ms"),
        ("  all of them smoothed", "large.means_ms", 3000, "ms"),
        ("  memory", "large.peak_mb", None, "MB"),
    ],
    "arrival": [
        ("a point arrives in one of 2,000 runs, main", "many2000.arrival_ms", 1, "ms"),
        ("  with the frames that show it, main", "many2000.arrival_with_frames_ms", None, "ms"),
    ],
    "chart": [
        ("10 curves × 1 M points: pan, main, median", "ten.pan_median_ms", 8, "ms"),
        ("  99 of 100", "ten.pan_p99_ms", 16, "ms"),
        ("  zoom, main, median", "ten.zoom_median_ms", 8, "ms"),
        ("  99 of 100", "ten.zoom_p99_ms", 16, "ms"),
        ("  hover, main, median", "ten.hover_median_ms", 8, "ms"),
        ("  99 of 100", "ten.hover_p99_ms", 16, "ms"),
        ("  memory", "ten.open.peak_mb", 300, "MB"),
    ],
    "runs": [
        ("1,000 runs in one chart: first paint", "many1000.chart_ms", 300, "ms"),
        ("  main", "many1000.chart_main_ms", None, "ms"),
        ("  hover, main, 99 of 100", "many1000.hover_p99_ms", 16, "ms"),
        ("  pan, main, median", "many1000.pan_median_ms", None, "ms"),
    ],
    "scroll": [
        ("through 500 charts: longest frame, main", "tags.scroll_worst_ms", 50, "ms"),
        ("  by the clock", "tags.scroll_clock_ms", None, "ms"),
    ],
    "graph": [
        ("10,000 nodes flat: layout", "graph.flat_layout_ms", 300, "ms"),
        ("100,000 nodes with scopes: first paint", "graph.scopes_first_ms", 1000, "ms"),
        ("  a scope opens", "graph.scopes_expand_ms", 50, "ms"),
        ("80 layers that share a tensor: flat layout", "graph.shared_layout_ms", 500, "ms"),
        ("  first paint", "graph.shared_first_ms", 500, "ms"),
        ("  a scope opens", "graph.shared_expand_ms", 50, "ms"),
    ],
    "random": [
        ("random input: memory at the end / after a sixth", "random.growth", 1.05, ""),
        ("  memory at the end", "random.end_mb", None, "MB"),
        ("  events", "random.events", None, ""),
    ],
}
LONG = ("large", "random")


class Bench:
    def __init__(self, build, cache, minutes, seed):
        self.build, self.cache = build, cache
        self.minutes, self.seed = minutes, seed
        self.numbers = {}

    def call(self, prefix, program, *arguments, environment=None):
        """Starts a program of the build and keeps the numbers that it prints."""
        start = str(int(time.monotonic() * 1e6))
        result = subprocess.run([os.path.join(self.build, "tests", program), *arguments], stdout=subprocess.PIPE, text=True,
                                env={**os.environ, "WINDOW_BENCH_START": start, "G_DEBUG": "fatal-criticals", **(environment or {})})
        for line in result.stdout.splitlines():
            name, value = line.split()
            self.numbers[prefix + "." + name] = float(value)
        if result.returncode != 0:
            print("window: %s %s ended with %d" % (program, " ".join(arguments), result.returncode), file=sys.stderr)

    def window(self, prefix, *arguments):
        self.call(prefix, "bench/bench-window", *arguments)

    def folder(self, name):
        return os.path.join(self.cache, name)

    def own(self, name, runs, tags, steps):
        """Runs of our own format, indexed."""
        folder = self.folder(name)
        if not os.path.exists(folder):
            self.window("made", "make", folder, str(runs), str(tags), str(steps))
            self.window("made", "open", folder)
        return folder

    def foreign(self, name, runs):
        """Event files with ten tags each, indexed."""
        folder = self.folder(name)
        if not os.path.exists(folder):
            spec = importlib.util.spec_from_file_location("runs_scale", os.path.join(HERE, "runs-scale.py"))
            scale = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(scale)
            scale.make_many(os.path.join(folder, "runs"), runs)
            self.window("made", "open", folder)
        return folder

    def start(self):
        self.window("small", "open", self.own("small", 2, 10, 500))
        self.window("many200", "open", self.foreign("many200", 200))

    def many(self):
        self.window("many10000", "open", self.foreign("many10000", 10000))

    def large(self):
        self.window("large", "open", self.own("large", 1, 10, 10000000))

    def arrival(self):
        self.window("many2000", "arrive", self.foreign("many2000", 2000))

    def chart(self):
        folder = self.own("ten", 10, 1, 1000000)
        self.window("ten.open", "open", folder)
        self.window("ten", "chart", folder, "train/metric-000")

    def runs(self):
        self.window("many1000", "chart", self.foreign("many1000", 1000), "train/metric-00")

    def scroll(self):
        self.window("tags", "scroll", self.own("tags", 4, 500, 200))

    def graph(self):
        self.call("graph", "bench/bench-graph")

    def random(self):
        self.call("random", "bench/bench-random", str(round(60 * self.minutes)), str(self.seed), environment={"G_DEBUG": "fatal-warnings"})

    def tell(self, section):
        for what, name, target, unit in ROWS[section]:
            value = self.numbers.get(name)
            if value is None:
                print("%-66s %10s" % (what, "not measured" if target is None else "not measured: missed"))
                continue
            goal = "" if target is None else "≤ %g %s: %s" % (target, unit, "met" if value <= target else "missed")
            print(("%-66s %10.2f %-2s  %s" % (what, value, unit, goal)).rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("cache")
    parser.add_argument("sections", nargs="*", choices=[*ROWS, []], default=[])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    bench = Bench(options.build, options.cache, options.minutes, options.seed)
    for section in options.sections or [name for name in ROWS if options.all or name not in LONG]:
        getattr(bench, section)()
        bench.tell(section)


if __name__ == "__main__":
    main()
