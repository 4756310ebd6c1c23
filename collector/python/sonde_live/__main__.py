# SPDX-License-Identifier: Apache-2.0
"""python -m sonde_live --check: does `import sonde` find this package? Exits with 1 where it does not, and names what does."""
import importlib
import json
import sys

place = importlib.import_module("sonde_live.place")  # “sonde_live” itself may be `sonde` by now


def check():
    path = place.find_shadow()
    answer = {"ok": path is None, "sonde": place.find_sonde(), "shadowed_by": None}
    if path is None:
        owner = place.owner_of(answer["sonde"])
        if owner is not None:
            print("The package %s was installed over by %s; uninstalling it takes files of both away." % (owner, place.DISTRIBUTION),
                  file=sys.stderr)
    else:
        print(place.describe(path), file=sys.stderr)
        answer["shadowed_by"] = {"distribution": place.owner_of(path), "path": path}
    print(json.dumps(answer))
    return 0 if path is None else 1


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    print("Usage: python -m sonde_live --check", file=sys.stderr)
    return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2


if __name__ == "__main__":
    sys.exit(main())
