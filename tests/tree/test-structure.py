#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the tree readable: what a reader looks for is found by folder and file name alone.

One TAP case each: folders hold at most 50 .c and .h files; no two files of the program have one name; no two types have
one name; a private header serves at most 6 files; numbers of the window are written by sonde_format_number(). KNOWN lists what is still over; it only shrinks.
Usage: test-structure.py SOURCE-ROOT
"""
import collections
import os
import re
import sys

TOPS = ("app", "collector", "data", "engine", "explain", "viewers")
MAX_FILES = 50
MAX_USERS = 6
# A type that is private to a .c file may be called as another file's: "Reader", "Entry". Public names begin with Sonde.
TYPE = re.compile(r"^(?:typedef\s+)?(?:struct|enum|union)\s+_?(Sonde\w+)\s*$|^}\s*(Sonde\w+);|^typedef\s[^;{]*?\(\*(Sonde\w+)\)", re.MULTILINE)

# Where a person reads numbers in the style of the preferences: four digits are its business.
WINDOW = ("app/debugger/", "app/explain/", "app/pages/", "app/profiler/", "app/widgets/", "explain/browsing/", "viewers/")

# Private headers that serve more, each with how many; still to be cut into headers of one subject.
KNOWN = {}


def sources(root):
    for top in TOPS:
        for directory, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(directory, name), root)


def main():
    root = sys.argv[1]
    paths = list(sources(root))
    texts = {path: open(os.path.join(root, path), encoding="utf-8").read() for path in paths}
    problems = collections.OrderedDict((name, []) for name in ("folders", "file-names", "type-names", "private-headers", "numbers"))

    for folder, n in sorted(collections.Counter(os.path.dirname(path) for path in paths).items()):
        if n > MAX_FILES:
            problems["folders"].append("%s holds %d files, more than %d: it is two ideas" % (folder, n, MAX_FILES))

    named = collections.defaultdict(list)
    for path in paths:
        named[os.path.basename(path)].append(path)
    for name, places in sorted(named.items()):
        if len(places) > 1:
            problems["file-names"].append("%s: %s" % (name, ", ".join(places)))

    types = collections.defaultdict(set)
    for path, text in texts.items():
        for match in TYPE.finditer(text):
            types[next(group for group in match.groups() if group)].add(path)
    for name, places in sorted(types.items()):
        # A header declares, its .c defines.
        stems = {os.path.splitext(place)[0].removesuffix("-private") for place in places}
        headers = [place for place in places if place.endswith(".h")]
        if len(headers) > 1 or (len(headers) == 0 and len(stems) > 1):
            problems["type-names"].append("%s: %s" % (name, ", ".join(sorted(places))))

    users = collections.Counter()
    for path, text in texts.items():
        for header in re.findall(r'^#include "([^"]+-private\.h)"', text, re.MULTILINE):
            users[header] += 1
    for header, n in sorted(users.items()):
        if n > max(MAX_USERS, KNOWN.get(header, 0)):
            problems["private-headers"].append("%s serves %d files, more than %d" % (header, n, MAX_USERS))
    for header, n in KNOWN.items():
        if users[header] < n:
            problems["private-headers"].append("%s serves %d files now: lower its entry in KNOWN" % (header, users[header]))

    for path, text in texts.items():
        if path.startswith(WINDOW) and "%.4g" in text:
            problems["numbers"].append('%s writes "%%.4g": sonde_format_number() does that as chosen in the preferences' % path)

    print("1..%d" % len(problems))
    for number, (name, found) in enumerate(problems.items(), 1):
        for text in found:
            print("# " + text)
        print("%s %d - /tree/structure/%s" % ("not ok" if found else "ok", number, name))
    return 1 if any(problems.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
