#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads README.md, CONTRIBUTING.md and docs/*.md against the tree and the program.

TAP cases: every file that is named exists; so does every identifier of C; every link leads somewhere; every command and option that is named is one of
the program; the man page has every option of --help. Usage: test-docs.py SOURCE-ROOT PROGRAM MAN-PAGE
"""
import glob
import os
import re
import subprocess
import sys

TOPS = "app|collector|data|docs|engine|examples|explain|po|scripts|tests|viewers"
# A path below the root; words in capitals (NAME, FORMAT) and … stand for others.
PATH = re.compile(r"(?<![\w/.-])(?:%s)/[\w./*{},-]*[\w*}]" % TOPS)
# A source file by its name alone.
FILE = re.compile(r"(?<![\w/*-])(?:sonde|test|fuzz|bench)-[\w-]+\.(?:c|h|py|proto|ui)\b")
IDENTIFIER = re.compile(r"\b(?:sonde_[a-z0-9_]+|SONDE_[A-Z0-9_]+|Sonde[A-Z][A-Za-z0-9]+)\b")
# X, NAME, FEATURE: the reader's own word.
PLACEHOLDER = re.compile(r"(?<![A-Za-z])(?!README|CONTRIBUTING)[A-Z]+(?![a-z])")
# What looks like a path: a tag of records, a folder of an example.
NOT_FILES = ("data/faults", "data/cifar10", "data/ready")
HIDDEN = ("engine", "hdf5-helper", "image-helper", "sound-helper")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
CODE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")


def documents(root):
    names = ["README.md", "CONTRIBUTING.md"] + sorted(glob.glob("docs/*.md", root_dir=root))
    return {name: open(os.path.join(root, name), encoding="utf-8").read() for name in names}


def expand(path):
    """Shell braces: a/{b,c}.h names two files."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [path[:match.start()] + word + path[match.end():] for word in match.group(1).split(",")]


def sources(root):
    names = set()
    for directory, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        names.update(files)
    return names


def test_paths(root, texts, _program, _page):
    known = sources(root)
    for name, text in texts.items():
        found = {path for match in PATH.finditer(text) for path in expand(match.group().rstrip(".,"))}
        for path in sorted(found):
            if not PLACEHOLDER.search(path) and path not in NOT_FILES and not test_program(root, path) \
                    and not any(glob.glob(os.path.join(root, path + end)) for end in ("", ".*")):
                yield "%s names %s, which is not there" % (name, path)
        for file in sorted(set(FILE.findall(text)) - known):
            if not PLACEHOLDER.search(file):
                yield "%s names %s, which is not there" % (name, file)


def test_identifiers(root, texts, _program, _page):
    wanted = {word: name for name, text in texts.items() for word in IDENTIFIER.findall(text)}
    for directory, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build")) and name != "docs"]
        for file in files:
            if file.endswith((".c", ".h", ".py", ".proto", "meson.build")):
                with open(os.path.join(directory, file), encoding="utf-8", errors="replace") as source:
                    for word in IDENTIFIER.findall(source.read()):
                        wanted.pop(word, None)
    for word, name in sorted(wanted.items()):
        yield "%s names %s, which is nowhere in the sources" % (name, word)


def test_program(root, path):
    """tests are called as in “data/records/frame”: tests/data/records/test-frame.c"""
    folder, last = os.path.split(path)
    return os.path.exists(os.path.join(root, "tests", folder, "test-%s.c" % last)) \
        or os.path.exists(os.path.join(root, "tests", folder, "test-%s-%s.c" % (os.path.basename(folder), last)))


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_links(root, texts, _program, _page):
    for name, text in texts.items():
        for match in LINK.finditer(text):
            target, part = match.groups()
            if "://" in target:
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            if not os.path.exists(os.path.join(root, path)):
                yield "%s links to %s, which is not there" % (name, target)
            elif part and part not in [anchor(line.lstrip("#")) for line in texts[path].splitlines() if line.startswith("#")]:
                yield "%s links to %s#%s, a heading that is not there" % (name, path, part)


def ask(program, *arguments):
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8",
                          check=True, timeout=60, env=dict(os.environ, LC_ALL="C.UTF-8", LANGUAGE="")).stdout


def commands(program):
    """Name -> its options, as --help says them."""
    names = re.findall(r"^  ([a-z-]+)  ", ask(program, "--help").split("Commands:")[1], re.MULTILINE)
    return {name: options(ask(program, name, "--help")) for name in names}


def options(text):
    lines = [line for line in text.splitlines() if re.match(r"  +-", line)]
    return {word for line in lines for word in OPTION.findall(line.split("  ", 2)[1])}


def calls(text):
    """Command lines of the program: whole lines of code blocks, and what stands in backquotes."""
    for line in re.findall(r"^    +(.*)$", text, re.MULTILINE) + CODE.findall(text):
        for match in re.finditer(r"(?:^|(?<!from)[ /=])sonde ([a-z-]+)((?: [^#|;&]*)?)(?![\w./])", line):
            yield match.group(1), match.group(2), line.strip()


def test_commands(_root, texts, program, _page):
    known = commands(program)
    own = set(re.findall(r"^  sonde (--[a-z-]+)", ask(program, "--help"), re.MULTILINE))  # options without a command
    for name, text in texts.items():
        for command, rest, line in calls(text):
            if command in HIDDEN or command in own:
                continue
            if command not in known:
                yield "%s: “%s” is no command: %s" % (name, command, line)
                continue
            for option in OPTION.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", rest)):
                if option not in known[command] | {"--help"}:
                    yield "%s: sonde %s has no %s: %s" % (name, command, option, line)


def test_man_page(_root, _texts, program, page):
    with open(page, encoding="utf-8") as file:
        text = re.sub(r"\\f[BIR]", "", file.read().replace("\\-", "-"))
    parts = dict(re.findall(r"^\.SS sonde ([a-z-]+)(.*?)(?=^\.S[SH]|\Z)", text, re.MULTILINE | re.DOTALL))
    for command, names in commands(program).items():
        for option in sorted(names - {"-h", "--help"}):
            if option not in OPTION.findall(parts.get(command, "")):
                yield "the man page lacks %s of sonde %s" % (option, command)


def main(root, program, page):
    tests = [test_paths, test_identifiers, test_links, test_commands, test_man_page]
    texts = documents(root)
    print("1..%d" % (len(tests) + 1))
    bad = 0
    # The reader itself must find what is wrong.
    lies = {"README.md": "engine/none.c %s [x](none.md) `sonde train --none` `sonde none`" % ("sonde_" + "none_at_all")}
    found = [len(list(test(root, lies, program, page))) for test in tests[:4]]
    bad += found != [1, 1, 1, 2]
    print("%sok 1 - /tree/docs/refuses # %s" % ("not " if bad else "", found))
    for number, test in enumerate(tests, 2):
        problems = list(test(root, texts, program, page))
        bad += bool(problems)
        print("%sok %d - /tree/docs/%s" % ("not " if problems else "", number, test.__name__[5:].replace("_", "-")))
        for problem in problems:
            print("# " + problem)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
