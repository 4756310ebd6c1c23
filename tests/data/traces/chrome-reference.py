#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random Chrome traces, well formed and not, read by `sonde inspect` and by the plain reader below, in exact fractions and
without any thought of speed: every number must be the same. The seeds are fixed. TAP.
Usage: chrome-reference.py SONDE
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

N_SEEDS, N_TRACES = 6, 40
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")
PHASES = "XBEiIRnbeSFCstfNOD"


class Number(str):
    """A JSON number as it is written."""


def load(text):
    return json.loads(text, parse_float=Number, parse_int=Number, parse_constant=lambda name: [name])


# ---- the reader ----------------------------------------------------------------------------------------------------


def exact(value):
    return Fraction(value) if isinstance(value, str) and NUMBER.match(value) else None


def to_ns(us):
    """Halves away from zero; None: no time."""
    if us is None:
        return None
    ns = abs(us * 1000)
    whole = (2 * ns.numerator + ns.denominator) // (2 * ns.denominator)
    return None if whole >= 2**63 else whole if us >= 0 else -whole


def to_text(value):
    return value if isinstance(value, str) and not isinstance(value, Number) else ""


def to_id(value):
    if isinstance(value, Number):
        number = exact(value)
        return str(number.numerator) if number.denominator == 1 else str(value)
    return value if isinstance(value, str) else None


class Reader:
    def __init__(self, events):
        self.reasons, self.ignored, self.counters = {}, {}, {}
        self.times, self.spans, self.marks, self.asyncs, self.flows = [], [], [], [], []
        self.counts = dict.fromkeys("siNODtf", 0)
        self.n_events = self.n_instants = 0
        for place, event in enumerate(events):
            if not isinstance(event, dict):
                self.count("event")
            elif event:
                self.n_events += 1
                self.add(place, event)
        self.match_marks()
        self.async_sums = self.match_asyncs()
        end = max((end for _, end in self.times), default=None)
        for span in self.spans:
            if span["end"] is None:
                span["end"] = end
                self.count("unclosed")
        self.end = end

    def count(self, reason, n=1):
        self.reasons[reason] = self.reasons.get(reason, 0) + n

    def add(self, place, event):
        phase = event.get("ph")
        if not to_text(phase) or len(phase) != 1:
            return self.count("phase")
        if phase == "M":
            return None
        if phase not in PHASES:
            self.ignored[phase] = self.ignored.get(phase, 0) + 1
            return None
        us = exact(event.get("ts"))
        ns = to_ns(us)
        if ns is None:
            return self.count("time")
        pid = to_id(event.get("pid")) or ("" if event.get("pid") == "" else "0")
        tid = to_id(event.get("tid"))
        one = {"ns": ns, "place": place, "pid": pid, "tid": pid if tid is None else tid, "event": event,
               "name": to_text(event.get("name")), "category": to_text(event.get("cat")), "phase": phase}
        return getattr(self, "add_" + {"X": "complete", "C": "counter"}.get(phase, "mark" if phase in "BE" else
                       "async" if phase in "beSF" else "flow" if phase in "stf" else "point"))(one, us)

    def add_complete(self, one, us):
        duration = exact(one["event"].get("dur"))
        end = to_ns(us + duration) if duration is not None and duration >= 0 else None
        if end is None:
            return self.count("duration")
        self.spans.append({**one, "start": one["ns"], "end": end})
        return self.times.append((one["ns"], end))

    def add_mark(self, one, us):
        self.marks.append(one)
        self.times.append((one["ns"], one["ns"]))

    def add_async(self, one, us):
        name = to_id(one["event"].get("id"))
        if name is None:
            return self.count("id")
        self.asyncs.append({**one, "key": (one["phase"] in "SF", one["category"], name, one["name"])})
        return self.times.append((one["ns"], one["ns"]))

    def add_flow(self, one, us):
        name = to_id(one["event"].get("id"))
        if name is None:
            return self.count("id")
        self.counts[one["phase"]] += 1
        self.flows.append({**one, "key": (one["category"], one["name"], name)})
        return self.times.append((one["ns"], one["ns"]))

    def add_counter(self, one, us):
        values = one["event"].get("args")
        if not isinstance(values, dict) or not values:
            return self.count("counter")
        for key, value in values.items():
            number = exact(value)
            if number is None:
                self.count("counter")
                continue
            series = self.counters.setdefault((one["pid"], one["name"], key), [])
            series.append((one["ns"], one["place"], float(number)))
            self.times.append((one["ns"], one["ns"]))
        return None

    def add_point(self, one, us):
        if one["phase"] == "n" and to_id(one["event"].get("id")) is None:
            return self.count("id")
        if one["phase"] in "NOD":
            self.counts[one["phase"]] += 1
        else:
            self.n_instants += 1
        return self.times.append((one["ns"], one["ns"]))

    def match_marks(self):
        stacks = {}
        for mark in sorted(self.marks, key=lambda mark: (mark["ns"], mark["place"])):
            stack = stacks.setdefault((mark["pid"], mark["tid"]), [])
            if mark["phase"] == "B":
                stack.append({**mark, "start": mark["ns"], "end": None})
                self.spans.append(stack[-1])
                continue
            named = isinstance(mark["event"].get("name"), str) and not isinstance(mark["event"]["name"], Number)
            fitting = [k for k, span in enumerate(stack) if not named or span["name"] == mark["name"]]
            if not fitting:
                self.count("unmatched_end")
                continue
            self.count("unclosed", len(stack) - fitting[-1] - 1)
            for span in stack[fitting[-1]:]:
                span["end"] = mark["ns"]
            del stack[fitting[-1]:]

    def match_asyncs(self):
        open_, sums = {}, {}
        last = max((end for _, end in self.times), default=None)

        def close(begin, end):
            row = sums.setdefault((begin["category"], begin["name"]), [0, 0])
            row[0] += 1
            row[1] += end - begin["ns"]

        for mark in sorted(self.asyncs, key=lambda mark: (mark["ns"], mark["place"])):
            stack = open_.setdefault(mark["key"], [])
            if mark["phase"] in "bS":
                self.count("duplicate_id", bool(stack))
                stack.append(mark)
            elif stack:
                close(stack.pop(), mark["ns"])
            else:
                self.count("unmatched_end")
        for begin in (begin for stack in open_.values() for begin in stack):
            close(begin, last)
            self.count("unclosed")
        return sums

    def lies_on_span(self, flow):
        spans = [s for s in self.spans if (s["pid"], s["tid"]) == (flow["pid"], flow["tid"])]
        if flow["phase"] == "f" and flow["event"].get("bp") != "e":
            return any(s["start"] >= flow["ns"] for s in spans)
        return any(s["start"] <= flow["ns"] < s["end"] or s["start"] == flow["ns"] == s["end"] for s in spans)

    def draw_arrows(self):
        arrows = bound = 0
        chains = {}
        for flow in sorted(self.flows, key=lambda flow: (flow["ns"], flow["place"])):
            chain = chains.get(flow["key"])
            if flow["phase"] == "s":
                self.count("unmatched_flow", bool(chain and chain[1] == 0))
                chains[flow["key"]] = [flow, 0]
            elif chain is None:
                self.count("unmatched_flow")
            else:
                arrows += 1
                bound += self.lies_on_span(chain[0]) and self.lies_on_span(flow)
                chains[flow["key"]] = [flow, chain[1] + 1]
                if flow["phase"] == "f":
                    del chains[flow["key"]]
        self.count("unmatched_flow", sum(n == 0 for _, n in chains.values()))
        return {"s": self.counts["s"], "t": self.counts["t"], "f": self.counts["f"], "arrows": arrows, "bound": bound}

    def nest(self, spans):
        """Lanes, parents and self times of one thread; returns the row of the thread."""
        lanes, deepest, busy, until = [[]], 0, 0, None
        for span in sorted(spans, key=lambda span: (span["start"], -span["end"], span["place"])):
            span["self"] = span["end"] - span["start"]
            for number, lane in enumerate(lanes + [[]]):
                while lane and lane[-1]["end"] <= span["start"]:
                    lane.pop()
                if not lane or lane[-1]["end"] >= span["end"]:
                    break
            if number == len(lanes):
                lanes.append(lane)
            self.count("overlapping", number > 0)
            span["above"] = list(lane)
            if lane:
                lane[-1]["self"] -= span["end"] - span["start"]
            lane.append(span)
            deepest = max(deepest, len(lane))
            begin = span["start"] if until is None else max(span["start"], until)
            busy += max(span["end"] - begin, 0)
            until = max(span["end"], begin)
        return {"spans": len(spans), "busy_ns": busy, "lanes": len(lanes), "max_depth": deepest}

    def answer(self):
        threads, names = {}, {}
        for span in self.spans:
            threads.setdefault((span["pid"], span["tid"]), []).append(span)
        rows = [{"pid": pid, "tid": tid, **self.nest(spans)} for (pid, tid), spans in threads.items()]
        for span in self.spans:
            key, ns = (span["category"], span["name"]), span["end"] - span["start"]
            row = names.setdefault(key, {"count": 0, "total_ns": 0, "self_ns": 0, "min_ns": ns, "max_ns": ns})
            row["count"] += 1
            row["self_ns"] += span["self"]
            row["total_ns"] += 0 if any((s["category"], s["name"]) == key for s in span["above"]) else ns
            row["min_ns"], row["max_ns"] = min(row["min_ns"], ns), max(row["max_ns"], ns)
        flows = self.draw_arrows()
        series = [(key, [value for *_, value in sorted(points)]) for key, points in self.counters.items()]
        return {
            "events": self.n_events, "spans": len(self.spans), "instants": self.n_instants,
            "start_ns": min((start for start, _ in self.times), default=None), "end_ns": self.end,
            "threads": rows, "flows": flows, "ignored": self.ignored,
            "names": [{"category": key[0], "name": key[1], **row} for key, row in names.items()],
            "async": [{"category": key[0], "name": key[1], "count": n, "total_ns": ns}
                      for key, (n, ns) in self.async_sums.items()],
            "counters": [{"pid": key[0], "name": key[1], "key": key[2], "points": len(values), "last": values[-1],
                          "min": min(values), "max": max(values)} for key, values in series],
            "objects": {"created": self.counts["N"], "snapshots": self.counts["O"], "deleted": self.counts["D"]},
            "ill_formed": {"truncated": False, **{reason: n for reason, n in self.reasons.items() if n}},
        }


# ---- random traces -------------------------------------------------------------------------------------------------


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.base = self.random.choice([0, 1795251874992994 * 4])

    def number(self, quarters):
        """A number of quarters of a nanosecond in microseconds, written in one of many ways."""
        draw = self.random
        sign, quarters = "-" if quarters < 0 else "", abs(quarters)
        text = "%s%d.%05d" % (sign, quarters // 4000, quarters % 4000 * 25)
        if draw.random() < 0.3:
            text += draw.choice(["0", "000", "e0", "E+00"])
        elif draw.random() < 0.3:
            text = "%s%d%s" % (sign, quarters * 25, draw.choice(["e-5", "E-05"]))
        return '"%s"' % text if draw.random() < 0.3 else text

    def time(self):
        draw = self.random
        if draw.random() < 0.03:
            return draw.choice(['"+1"', '".5"', '"5."', '"1 "', '""', '"0x1"', "null", "true", "[1]", "1e300", "9300000000000000"])
        return self.number(self.base + draw.choice([draw.randint(-400, 4000) * draw.choice([1, 4, 400]), draw.randint(-5, 20) * 4000]))

    def event(self):
        draw = self.random
        phase = draw.choices(PHASES + "PZ", [30, 12, 12, 2, 1, 1, 2, 6, 6, 2, 2, 6, 4, 4, 4, 1, 1, 1, 1, 1])[0]
        members = [("ph", '"%s"' % phase if draw.random() > 0.01 else draw.choice(["5", '"XX"', '""'])), ("ts", self.time())]
        members += [(key, draw.choice(['1', '2', '"1"', '1.0', '-1', '"GPU 0"', '18446744073709551615', 'null']))
                    for key in ("pid", "tid") if draw.random() < 0.9]
        if draw.random() < (0.4 if phase == "E" else 0.95):
            members.append(("name", draw.choice(['"a"', '"b"', '"gr\\u00f6\\u00dfe"', '"größe"', '""', '"t\\tb"', "5"])))
        if draw.random() < 0.6:
            members.append(("cat", draw.choice(['"c"', '"c,d"'])))
        if phase == "X" and draw.random() > 0.03:
            members.append(("dur", self.number(draw.choice([-4, 0, 1, 2, 8, 400, 4000, 4000, 16000]) * draw.randint(0, 5))))
        if phase in "nbeSFstf" and draw.random() < 0.9:
            members.append(("id", draw.choice(["1", "1.0", '"1"', '"0x1"', "2"])))
        if phase == "f" and draw.random() < 0.5:
            members.append(("bp", '"e"'))
        if phase == "C":
            pairs = ['"%s":%s' % (draw.choice("ab"), draw.choice(["1", "2.5", '"3"', '"x"', "null", "-4e2", "true", "[1]"]))
                     for _ in range(draw.randint(0, 3))]  # of equal keys the last counts
            members.append(("args", "{%s}" % ",".join(pairs)))
        elif draw.random() < 0.2:
            members.append(("args", draw.choice(['{"a":{"b":[1,{"ts":5}]}}', "[1,[2]]", '{"name":"no","ph":"X"}'])))
        draw.shuffle(members)
        return "{%s}" % ",".join('"%s": %s' % member for member in members)

    def trace(self):
        draw = self.random
        events = [self.event() if draw.random() > 0.02 else draw.choice(["{}", "null", "5", '"x"', "[{}]"])
                  for _ in range(draw.randint(1, 120))]
        if draw.random() < 0.5:
            text = "[" + ",\n".join(events) + draw.choice(["]", "", ",", ",]"])
        else:
            text = '{"otherData":{"traceEvents":[1]},"traceEvents":[' + ",".join(events) + draw.choice(["]}", '],"x":1}'])
        return events, draw.choice(["", "\ufeff", " \n"]) + text


# ---- both ------------------------------------------------------------------------------------------------------------


def sort_lists(answer, names):
    """Lists in any order, and only the members that both have."""
    return {name: sorted((json.dumps(row, sort_keys=True) for row in value)) if isinstance(value, list) else value
            for name, value in answer.items() if name in names}


def compare(expected, found):
    for thread in found["threads"]:
        for name in ("process", "thread", "track"):
            del thread[name]
    expected, found = sort_lists(expected, expected), sort_lists(found, expected)
    return ["%s: %s instead of %s" % (name, found.get(name), value) for name, value in expected.items()
            if found.get(name) != value]


def check(sonde, folder, seed):
    maker, files, expected = Maker(seed), [], []
    for number in range(N_TRACES):
        events, text = maker.trace()
        files.append(os.path.join(folder, "%d.json" % number))
        with open(files[-1], "w", encoding="utf-8") as file:
            file.write(text)
        expected.append(Reader([load(event) for event in events]).answer())
    out = subprocess.run([sonde, "inspect", *files, "--json"], check=True, capture_output=True).stdout
    return ["%d: %s" % (number, difference) for number, (mine, found) in
            enumerate(zip(expected, json.loads(out)["traces"])) for difference in compare(mine, found)]


def main():
    print("1..%d" % N_SEEDS)
    for seed in range(1, N_SEEDS + 1):
        with tempfile.TemporaryDirectory() as folder:
            differences = check(sys.argv[1], folder, seed)
        for difference in differences[:5]:
            print("# trace %s" % difference[:1000])
        print("%s %d - /data/traces/chrome-reference/%d" % ("not ok" if differences else "ok", seed, seed))


if __name__ == "__main__":
    main()
