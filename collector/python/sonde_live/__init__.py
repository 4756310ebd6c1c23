# SPDX-License-Identifier: Apache-2.0
"""The module `sonde` by its other name.

PyPI has another program called `sonde`. Where `import sonde` finds ours, `sonde_live` and `sonde` are the same module objects;
where it finds something else, `sonde_live` is ours all the same, as long as its files are whole. `python -m sonde_live --check`
says which it is.
"""
import importlib
import importlib.abc
import importlib.util
import os
import sys

from . import place


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds sonde_live.X, which is sonde.X; what runs by `python -m` is read anew as Python does it."""

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith(__name__ + "."):
            return None
        if fullname == __name__ + ".__main__":
            return importlib.util.spec_from_file_location(fullname, os.path.join(place.HERE, "__main__.py"))
        real = importlib.util.find_spec("sonde" + fullname[len(__name__):])
        if real is None or fullname.endswith(".__main__"):
            return real and importlib.util.spec_from_file_location(fullname, real.origin)
        spec = importlib.util.spec_from_loader(fullname, self, origin=real.origin)
        spec.submodule_search_locations = real.submodule_search_locations
        return spec

    def exec_module(self, module):
        name = module.__name__
        sys.modules[name] = importlib.import_module("sonde" + name[len(__name__):])


def _become_ours():
    """The package beside this one under this name; `sonde` stays whose it is."""
    spec = importlib.util.spec_from_file_location(__name__, place.OURS, submodule_search_locations=[
        os.path.dirname(place.OURS), place.HERE])
    module = importlib.util.module_from_spec(spec)
    sys.modules[__name__] = module
    spec.loader.exec_module(module)


def __getattr__(name):
    """Reached only where the files of our package are another's."""
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError(place.describe(place.find_shadow()))


if place.find_shadow() is None:
    sys.meta_path.insert(0, _Alias())
    sys.modules[__name__] = importlib.import_module("sonde")
elif place.is_ours(place.OURS):
    _become_ours()
