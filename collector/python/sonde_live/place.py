# SPDX-License-Identifier: Apache-2.0
"""Whose package `import sonde` finds. Nothing of the other one is run for that."""
import importlib.util
import os
import re
import sys

DISTRIBUTION = "sonde-live"
HERE = os.path.dirname(os.path.abspath(__file__))
OURS = os.path.join(os.path.dirname(HERE), "sonde", "__init__.py")
MARK = re.compile(r'^DISTRIBUTION = "%s"$' % DISTRIBUTION, re.MULTILINE)


def is_ours(path):
    """By the line that our __init__.py has."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return MARK.search(file.read()) is not None
    except OSError:
        return False


def find_sonde():
    """The file that `import sonde` reads, or its folder where it has no __init__.py; None: there is none."""
    if "sonde" in sys.modules:
        return getattr(sys.modules["sonde"], "__file__", None)
    spec = importlib.util.find_spec("sonde")
    if spec is None:
        return None
    return spec.origin or next(iter(spec.submodule_search_locations or ()), None)


def owner_of(path):
    """The installed distribution, not ours, that brought a file; None for a file of nobody's."""
    from importlib import metadata
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name and name.lower().replace("_", "-") != DISTRIBUTION:
            if any(file.parts[:1] == ("sonde",) and os.path.realpath(distribution.locate_file(file)) == os.path.realpath(path)
                   for file in distribution.files or ()):
                return "%s %s" % (name, distribution.version)
    return None


def find_shadow():
    """What stands in for our `sonde`, as its file; None: ours is found."""
    path = find_sonde()
    return None if path is not None and is_ours(path) else path or OURS


def describe(path):
    """What is wrong and what helps, in words."""
    owner = owner_of(path)
    if owner is None and not os.path.exists(path):
        return "The package “sonde” of %s is not installed completely: %s is missing. Install it again." % (DISTRIBUTION, path)
    whose = "of the package %s" % owner if owner else "not of %s" % DISTRIBUTION
    advice = ("uninstall it, then: pip install --force-reinstall %s" % DISTRIBUTION if owner
              else "rename it, or put it behind %s on Python's path" % os.path.dirname(os.path.dirname(OURS)))
    return "“import sonde” finds %s, which is %s: %s" % (path, whose, advice)
