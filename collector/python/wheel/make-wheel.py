#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel of the distribution sonde-live from a build; scripts/wheel builds first.

libsonde-record and libsonde-live are linked again from the same objects, with the static libraries in place of the shared
ones, so that they need nothing but the C library and show nothing but their functions. The same build gives the same bytes.
Usage: make-wheel.py BUILD FOLDER
"""
import base64
import hashlib
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
NAME = "sonde-live"
# Target below the build folder, what its functions begin with.
LIBRARIES = [("collector/writer/libsonde-record.so.1.0.0", "sonde_recorder_"), ("collector/live/libsonde-live.so.1.0.0", "sonde_program_")]
MODULE = "collector/live/sonde_interception.abi3.so"  # of Python's stable interface; it needs no library
SHIM = "collector/python/libsonde-isal-of-zlib.a"
ALSO = ("libpcre2-8.a", "libz.a")  # what the static libraries need in their turn
SYSTEM = re.compile(r"(libc|libm|libpthread|libdl|librt)\.so\.\d+|ld-linux[\w-]*\.so\.\d+")
LICENCE = "/usr/share/common-licenses/LGPL-2.1"
OLDEST_ZIP = 315532800  # 1980-01-01: what a zip archive can say

METADATA = """Metadata-Version: 2.1
Name: %s
Version: %s
Summary: Record a training with Sonde, and debug PyTorch programs while they run
License: Apache-2.0; the libraries hold others, see THIRD-PARTY.txt
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

The import package is `sonde`; `sonde_live` is another name of it, because PyPI's `sonde` is another program
(`python -m sonde_live --check` says which one is found).

    from sonde import SummaryWriter     # instead of: from torch.utils.tensorboard import SummaryWriter

    import sonde
    with sonde.debug(model, optimiser):     # then, elsewhere: sonde debug --attach PID
        ...
"""
NOTICE = """The libraries in this wheel (sonde/*.so) contain, linked statically, these libraries as Debian built them:

%s
GLib is free software under the GNU Lesser General Public License, version 2.1 or later (LGPL-2.1.txt beside this file); the
others are under the licences of the files named after them. None of them was changed. Sonde itself is under the
Apache License 2.0 (LICENSE).

You may change GLib and link these libraries with it anew: Sonde's source is all that is needed, with its script
scripts/wheel, which takes the static libraries that it finds on the system. The source of each library, of the version above,
is Debian's source package (https://snapshot.debian.org keeps every version). Whoever gave you this wheel gives you, for at least three years,
on request and for no more than the cost of doing so, the complete source of Sonde and of GLib as they were used here.
"""


def run(*command, **more):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False, **more)
    if result.returncode != 0:
        sys.exit("make-wheel: %s failed:\n%s" % (command[0], result.stderr))
    return result.stdout


# ---- libraries

def static_of(word, compiler):
    """The words in place of one of the link command."""
    if not re.fullmatch(r"/.*/lib[^/]+\.so", word):
        return [word]
    archive = find_archive(os.path.basename(word)[:-3] + ".a", compiler)
    return [archive] if archive else []  # what is needed of it all the same is an undefined symbol


def find_archive(name, compiler):
    path = run(compiler, "-print-file-name=" + name).strip()
    return os.path.realpath(path) if os.path.isabs(path) else None


def link_command(build, target, output):
    words = shlex.split(run("ninja", "-C", build, "-t", "commands", target).splitlines()[-1])
    if any(word.startswith("-fsanitize") for word in words):
        sys.exit("make-wheel: %s is built with sanitizers, and a wheel needs nothing but the C library" % build)
    compiler = next(word for word in words if os.path.basename(word) not in ("ccache", "sccache"))
    at = words.index("-o")
    command = [new for word in words[:at] + words[at + 2:] if not word.startswith("-Wl,-soname")
               for new in static_of(word, compiler)]
    end = command.index("-Wl,--end-group")
    command[end:end] = [SHIM] + [archive for archive in (find_archive(name, compiler) for name in ALSO) if archive]
    return command + ["-Wl,--build-id=none", "-Wl,-s", "-Wl,--trace", "-o", output]


def check_library(path, prefix):
    """Needs the C library alone, shows its own functions alone. Returns the version of glibc that it needs."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path))
    strange = [name for name in needed if not SYSTEM.fullmatch(name)]
    shown = [line.split()[-1] for line in run("nm", "-D", "--defined-only", path).splitlines()]
    strange += [name for name in shown if not name.startswith(prefix)]
    if strange or not shown:
        sys.exit("make-wheel: %s needs or shows what it should not: %s" % (path, ", ".join(strange) or "nothing"))
    return max((tuple(map(int, pair)) for pair in re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "-VW", path))), default=(0, 0))


def link(build, folder):
    """Links both. Returns {name: path}, the version of glibc, the archives of others that are in them."""
    paths, versions, archives = {}, [], set()
    for target, prefix in LIBRARIES:
        name = os.path.basename(target).split(".so")[0] + ".so"
        paths[name] = os.path.join(folder, name)
        trace = run(*link_command(build, target, paths[name]), cwd=build)
        archives.update(re.findall(r"(/usr/lib/[^\s():]*/lib[\w.+-]+\.a)(?=[(:\n]|$)", trace))
        versions.append(check_library(paths[name], prefix))
    return paths, max(versions), sorted(os.path.realpath(path) for path in archives if "/gcc/" not in path)


def copy_module(build, folder):
    """The same for the module in C; None: this build has none."""
    built, path = os.path.join(build, MODULE), os.path.join(folder, os.path.basename(MODULE))
    if not os.path.exists(built):
        return None, (0, 0)
    run("objcopy", "--strip-unneeded", "--remove-section=.note.gnu.build-id", built, path)
    return path, check_library(path, "PyInit_")


# ---- licences

def package_of(archive):
    return run("dpkg", "-S", archive).split(":")[0]


def licences(archives):
    """{name below dist-info: text}"""
    packages = sorted({package_of(archive) for archive in archives if not os.path.basename(archive).startswith("libc_nonshared")})
    lines, texts = [], {}
    for package in packages:
        source, version = run("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package).split()
        lines.append("- %s %s: licences/%s.txt\n" % (source, version, source))
        texts["licences/%s.txt" % source] = read("/usr/share/doc/%s/copyright" % package)
    texts["licences/LGPL-2.1.txt"] = read(LICENCE)
    texts["licences/THIRD-PARTY.txt"] = (NOTICE % "".join(lines)).encode()
    texts["licences/LICENSE"] = read(os.path.join(ROOT, "LICENSE"))
    return texts


# ---- the archive

def read(path):
    with open(path, "rb") as file:
        return file.read()


def sources(tree):
    """{path in the wheel: bytes} of the packages as the build lists them."""
    files = {}
    for folder, _, names in os.walk(tree):
        for name in names:
            if name.endswith((".py", ".pyi", ".typed")):
                path = os.path.join(folder, name)
                files[os.path.relpath(path, tree)] = read(path)
    return files


def file_time():
    """As zipfile takes it."""
    text = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "-C", ROOT, "log", "-1", "--format=%ct"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
        check=False).stdout.strip()
    return time.gmtime(max(int(text or 0), OLDEST_ZIP))[:6]


def record_line(path, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return "%s,sha256=%s,%d\n" % (path, digest, len(data))


def write(path, files, record):
    files[record] = ("".join(record_line(name, data) for name, data in sorted(files.items())) + record + ",,\n").encode()
    when = file_time()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files, key=lambda name: (".dist-info/" in name, name)):  # pip reads these last
            info = zipfile.ZipInfo(name, when)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            archive.writestr(info, files[name])


def main():
    build, folder = [os.path.abspath(path) for path in sys.argv[1:3]]
    files = sources(os.path.join(build, "python"))
    version = re.search(rb'^__version__ = "([^"]+)"', files["sonde/__init__.py"], re.MULTILINE).group(1).decode()
    stem = "%s-%s" % (NAME.replace("-", "_"), version)
    info = stem + ".dist-info/"
    with tempfile.TemporaryDirectory(prefix="sonde-wheel-") as scratch:
        libraries, glibc, archives = link(build, scratch)
        module, glibc_of_module = copy_module(build, scratch)
        if module is not None:
            libraries[os.path.basename(module)], glibc = module, max(glibc, glibc_of_module)
        files.update({"sonde/" + name: read(path) for name, path in libraries.items()})
    tag = "py3-none-manylinux_%d_%d_%s" % (*glibc, platform.machine())
    files.update({info + name: text for name, text in licences(archives).items()})
    files[info + "METADATA"] = (METADATA % (NAME, version)).encode()
    files[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: sonde %s\nRoot-Is-Purelib: false\nTag: %s\n" % (version, tag)).encode()
    files[info + "top_level.txt"] = b"sonde\nsonde_live\n"
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "%s-%s.whl" % (stem, tag))
    write(path, files, info + "RECORD")
    print(path)


if __name__ == "__main__":
    main()
