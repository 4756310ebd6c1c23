#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module `sonde`: what its methods record, read back without it. Cases that need NumPy, PyTorch or Matplotlib are
skipped with a message where these are absent. Usage: test-module.py MODULE-FOLDER LIBRARY"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
import zlib

FOLDER, LIBRARY = [os.path.abspath(path) for path in sys.argv[1:3]]
sys.path[:0] = [FOLDER, os.path.dirname(os.path.abspath(__file__))]
os.environ["SONDE_LIBRARY"] = LIBRARY

import records  # noqa: E402
import sonde  # noqa: E402
from tap import TapResult  # noqa: E402


def have(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


NUMPY = unittest.skipUnless(have("numpy"), "NumPy is not installed")
TORCH = unittest.skipUnless(have("torch"), "PyTorch is not installed")
SESSION, SCALARS, HISTOGRAM, IMAGE, AUDIO, TEXT, TENSOR, STATISTICS, GRAPH, HPARAMS = range(1, 11)
LINEAGE, PR_CURVE, EMBEDDING, MESH, CUSTOM_SCALARS, NOTE, END = 11, 12, 13, 22, 23, 27, 29


def text_of(record, field):
    return record.content[field][0].decode()


def double_of(record, field):
    return struct.unpack("<d", record.content[field][0])[0]


def tensor_of(message):
    """(dtype, dims, bytes)"""
    parts = records.fields(message)
    assert 3 not in parts, "compressed"
    return parts[1][0], records.varints(parts.get(2, [b""])[0]), parts.get(4, [b""])[0]


def pixels_of(png):
    """(width, height, colour type, rows without the filters' bytes) of a PNG of 8 bits."""
    wide, high, _, colour = struct.unpack(">IIBB", png[16:26])
    at, data = 8, b""
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at:at + 8])
        if name == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    raw, channels = zlib.decompress(data), {0: 1, 2: 3, 6: 4}[colour]
    rows, stride = [], wide * channels
    for y in range(high):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left = row[x - channels] if x >= channels else 0
            row[x] = (row[x] + (left if kind == 1 else rows[-1][x] if kind == 2 and y else 0)) & 255
        rows.append(bytes(row))
    return wide, high, colour, b"".join(rows)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sonde-python-")
        self.run_folder = os.path.join(self.folder, "run")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def record(self, *calls, **options):
        """The records that `calls` (functions of a writer) make, without the session and its end."""
        with sonde.SummaryWriter(self.run_folder, strict=True, **options) as writer:
            for call in calls:
                call(writer)
        found = records.read(self.run_folder)
        self.assertEqual((found[0].kind, found[-1].kind), (SESSION, END))
        return found[1:-1]


class Scalars(Case):
    def test_values(self):
        numbers = [1.0 / 3, 1e300, -0.0, float("inf"), 5e-324]
        found = self.record(*[lambda w, i=i, x=x: w.add_scalar("a/b", x, i - 2) for i, x in enumerate(numbers)])
        self.assertEqual(records.scalars(found), {"a/b": [(i - 2, x) for i, x in enumerate(numbers)]})

    def test_kinds_of_numbers(self):
        found = records.scalars(self.record(
            lambda w: w.add_scalar("x", 3, 1), lambda w: w.add_scalar("x", True, 2), lambda w: w.add_scalar("größe", 2.5)))
        self.assertEqual(found, {"x": [(1, 3.0), (2, 1.0)], "größe": [(0, 2.5)]})

    def test_walltime(self):
        found = self.record(lambda w: w.add_scalar("x", 1.0, 7, walltime=1234.5))
        self.assertEqual((found[0].step, found[0].wall_time_ns), (7, 1234500000000))

    def test_many(self):
        found = self.record(lambda w: w.add_scalars("loss", {"train": 1.0, "test": 2.0}, 5))
        self.assertEqual(found[0].scalars, [("loss/train", 1.0), ("loss/test", 2.0)])
        self.assertEqual(len(found), 1)

    def test_threads(self):
        def work(writer):
            threads = [threading.Thread(target=lambda n=n: [writer.add_scalar("t%d" % n, float(i), i) for i in range(2000)])
                       for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        found = records.scalars(self.record(work))
        for n in range(4):
            self.assertEqual(found["t%d" % n], [(i, float(i)) for i in range(2000)])

    def test_bytes(self):
        """Ten tags a step: at most 16 bytes a scalar."""
        with sonde.SummaryWriter(self.run_folder) as writer:
            for step in range(2000):
                for tag in range(10):
                    writer.add_scalar("metric/%d" % tag, float(tag), step)
                if step % 50 == 0:
                    writer.flush()
            path = writer.path
        self.assertEqual(sum(len(v) for v in records.scalars(records.read(self.run_folder)).values()), 20000)
        with sonde.SummaryWriter(self.run_folder + "2") as writer:
            for step in range(2000):
                writer.add_scalars("metric", {str(tag): float(tag) for tag in range(10)}, step)
            path = writer.path
        self.assertLessEqual(os.path.getsize(path) / 20000, 16)

    @NUMPY
    def test_numpy(self):
        import numpy
        found = records.scalars(self.record(lambda w: w.add_scalar("x", numpy.float32(0.1), numpy.int64(1)),
                                            lambda w: w.add_scalar("x", numpy.array([2.0]), numpy.uint8(2)),
                                            lambda w: w.add_scalars("y", {"z": numpy.float64(3)}, numpy.int32(3))))
        self.assertEqual(found, {"x": [(1, float(numpy.float32(0.1))), (2, 2.0)], "y/z": [(3, 3.0)]})


class Sessions(Case):
    def test_two_sessions(self):
        self.record(lambda w: w.add_scalar("x", 1.0, 1))
        with sonde.SummaryWriter(self.run_folder) as writer:
            writer.add_scalar("x", 2.0, 1)
        self.assertEqual(len(os.listdir(os.path.join(self.run_folder, "records"))), 2)

    def test_closed(self):
        writer = sonde.SummaryWriter(self.run_folder, strict=True)
        writer.close()
        writer.close()
        with self.assertRaisesRegex(sonde.Error, "closed"):
            writer.add_scalar("x", 1.0)

    def test_never_closed(self):
        """The end of the program closes."""
        code = ("import sys; sys.path.insert(0, %r); import sonde; w = sonde.SummaryWriter(%r)\n"
                "for i in range(100): w.add_scalar('x', 1.0 * i, i)" % (FOLDER, self.run_folder))
        subprocess.run([sys.executable, "-c", code], check=True)
        self.assertEqual(len(records.scalars(records.read(self.run_folder))["x"]), 100)

    def test_impossible_folder(self):
        with open(os.path.join(self.folder, "file"), "w", encoding="utf-8"):
            pass
        with self.assertRaisesRegex(sonde.Error, "file"):
            sonde.SummaryWriter(os.path.join(self.folder, "file", "run"), strict=True)
        with self.assertRaisesRegex(sonde.Error, "nonsense"):
            sonde.SummaryWriter(self.run_folder, format="nonsense", strict=True)

    def test_sync_and_counts(self):
        with sonde.SummaryWriter(self.run_folder) as writer:
            writer.add_scalar("x", 1.0)
            writer.sync()
            self.assertEqual(len(records.read(self.run_folder)), 2)
            self.assertEqual(writer.counts, (2, 0, 0))

    def test_default_folder(self):
        code = ("import sys; sys.path.insert(0, %r); import sonde; w = sonde.SummaryWriter(comment='-x'); w.close(); "
                "print(w.get_logdir())" % FOLDER)
        result = subprocess.run([sys.executable, "-c", code], check=True, cwd=self.folder, stdout=subprocess.PIPE)
        name = result.stdout.decode().strip()
        self.assertTrue(name.startswith("runs/") and name.endswith("-x"), name)
        self.assertTrue(os.path.isdir(os.path.join(self.folder, name)))

    def test_policy(self):
        found = self.record(lambda w: w.set_policy("often/*", every=10), lambda w: w.set_policy("never", every=0),
                            lambda w: [[w.add_scalar(tag, 1.0, i) for i in range(100)] for tag in ("often/a", "never", "all")])
        counts = {tag: len(points) for tag, points in records.scalars(found).items()}
        self.assertEqual(counts, {"often/a": 10, "all": 100})

    def test_missing_library(self):
        code = "import sys; sys.path.insert(0, %r); import sonde; sonde.SummaryWriter('x', strict=True)" % FOLDER
        result = subprocess.run([sys.executable, "-c", code], cwd=self.folder, stderr=subprocess.PIPE, check=False,
                                env=dict(os.environ, SONDE_LIBRARY=os.path.join(self.folder, "none.so")))
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"SONDE_LIBRARY", result.stderr)

    def test_beside_the_module(self):
        shutil.copytree(os.path.join(FOLDER, "sonde"), os.path.join(self.folder, "sonde"))
        shutil.copy(LIBRARY, os.path.join(self.folder, "sonde", "libsonde-record.so"))
        environment = {key: value for key, value in os.environ.items() if key != "SONDE_LIBRARY"}
        code = "import sonde; w = sonde.SummaryWriter('run'); w.add_scalar('x', 1.0); w.close()"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=self.folder, env=environment)
        self.assertEqual(len(records.read(self.run_folder)), 3)


class Texts(Case):
    def test_text(self):
        found = self.record(lambda w: w.add_text("t", "# größe\n\0x", 3))
        self.assertEqual((found[0].kind, found[0].tag, found[0].step), (TEXT, "t", 3))
        self.assertEqual(found[0].raw.decode(), "# größe\n\\0x")

    def test_table(self):
        found = self.record(lambda w: w.add_text("t", [["a", "b"], ["c", ""]]))
        self.assertEqual(tensor_of(found[0].cells), (14, [2, 2], b"a\0b\0c\0\0"))

    def test_notes(self):
        found = self.record(lambda w: w.describe("x", description="*d*", unit="ms"))
        self.assertEqual((found[0].kind, found[0].tag), (NOTE, "x"))
        self.assertEqual((text_of(found[0], 2), text_of(found[0], 3)), ("*d*", "ms"))

    def test_hparams(self):
        found = self.record(lambda w: w.add_hparams({"lr": 0.1, "name": "sgd", "nesterov": True, "n": 3}, {"hparam/acc": 0.5}))
        items = [records.fields(item) for item in found[0].content[1]]
        self.assertEqual([(item[1][0], item[2][0], item.get(3, [0])[0]) for item in items],
                         [(b"lr", b"0.1", 1), (b"name", b"sgd", 0), (b"nesterov", b"true", 2), (b"n", b"3", 1)])
        self.assertEqual(records.scalars(found), {"hparam/acc": [(0, 0.5)]})
        with self.assertRaisesRegex(ValueError, "lr"):
            self.record(lambda w: w.add_hparams({"lr": [1]}, {}))

    def test_hparams_run(self):
        self.record(lambda w: w.add_hparams({"lr": 0.1}, {"acc": 1.0}, run_name="trial"))
        self.assertEqual(records.read(os.path.join(self.run_folder, "trial"))[1].kind, HPARAMS)

    def test_lineage(self):
        found = self.record(lambda w: w.add_lineage("train", {"epoch": 3}))
        self.assertEqual((found[0].kind, text_of(found[0], 1)), (LINEAGE, "train"))

    def test_custom_scalars(self):
        found = self.record(lambda w: w.add_custom_scalars({"A": {"x": ["Multiline", ["a/.*", "b"]]}}),
                            lambda w: w.add_custom_scalars_marginchart(["v", "l", "u"], "B", "y"))
        charts = [records.fields(chart) for chart in found[1].content[1]]
        self.assertEqual([(c[1][0], c[2][0], c[3][0], c[4]) for c in charts],
                         [(b"A", b"x", 0, [b"a/.*", b"b"]), (b"B", b"y", 1, [b"v", b"l", b"u"])])


class Lists(Case):
    """Numbers of plain lists, with or without NumPy."""

    def test_histogram(self):
        found = self.record(lambda w: w.add_histogram("h", [1.0, -2.0, 0.0, 3.0, float("nan")], 4))
        self.assertEqual((found[0].kind, found[0].tag, found[0].step), (HISTOGRAM, "h", 4))
        self.assertEqual((double_of(found[0], 7), double_of(found[0], 8), double_of(found[0], 9)), (-2, 3, 2))
        self.assertEqual((found[0].content[3], found[0].content[4]), ([1], [1]))

    def test_histogram_raw(self):
        found = self.record(lambda w: w.add_histogram_raw("h", 0, 3, 4, 6, 14, [1, 2, 3], [1, 1, 2]))
        bins = records.fields(found[0].content[11][0])
        self.assertEqual([records.doubles(bins[i][0]) for i in (1, 2, 3)], [[0, 1, 2], [1, 2, 3], [1, 1, 2]])

    def test_statistics(self):
        found = self.record(lambda w: w.add_statistics("s", [1, 2, 3, 4]))
        self.assertEqual((found[0].kind, double_of(found[0], 2), double_of(found[0], 4)), (STATISTICS, 1, 2.5))

    def test_tensor(self):
        found = self.record(lambda w: w.add_tensor("t", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 9))
        kind, dims, data = tensor_of(found[0].raw)
        self.assertEqual((kind, dims, records.doubles(data)), (1, [2, 3], [1, 2, 3, 4, 5, 6]))

    def test_audio(self):
        found = self.record(lambda w: w.add_audio("a", [0.0, 1.0, -1.0, 2.0], sample_rate=8000))
        wav = found[0].content[1][0]
        self.assertEqual((wav[:4], struct.unpack("<I", wav[24:28])[0]), (b"RIFF", 8000))
        self.assertEqual(struct.unpack("<4h", wav[44:]), (0, 32767, -32767, 32767))

    def test_pr_curve(self):
        found = self.record(lambda w: w.add_pr_curve("p", [1, 0, 1, 1], [0.9, 0.6, 0.4, 0.1], num_thresholds=3))
        _, dims, data = tensor_of(found[0].content[1][0])
        rows = records.doubles(data)
        # buckets floor (2p): 1, 1, 0, 0
        self.assertEqual((dims, rows[:12]), ([6, 3], [3, 1, 0, 1, 1, 0, 0, 0, 1, 0, 2, 3]))
        self.assertEqual(rows[12:], [0.75, 0.5, 0, 1, 1 / 3, 0])
        with self.assertRaises(ValueError):
            self.record(lambda w: w.add_pr_curve("p", [1], [0.5, 0.5]))

    def test_pr_curve_raw(self):
        found = self.record(lambda w: w.add_pr_curve_raw("p", [2, 1], [0, 0], [1, 1], [0, 1], [1, 1], [1, 0.5]))
        self.assertEqual(records.doubles(tensor_of(found[0].content[1][0])[2]), [2, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0.5])

    def test_embedding(self):
        found = self.record(lambda w: w.add_embedding([[1, 2], [3, 4]], metadata=[["a", "b"], ["c", "d"]], metadata_header=["x", "y"]))
        self.assertEqual((found[0].kind, found[0].tag), (EMBEDDING, "default"))
        self.assertEqual(tensor_of(found[0].content[1][0])[:2], (2, [2, 2]))
        self.assertEqual(tensor_of(found[0].content[2][0]), (14, [2, 2], b"a\0b\0c\0d\0"))
        self.assertEqual(found[0].content[3], [b"x", b"y"])
        with self.assertRaises(ValueError):
            self.record(lambda w: w.add_embedding([[1, 2]], metadata=["a", "b"]))

    def test_mesh(self):
        found = self.record(lambda w: w.add_mesh("m", [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], faces=[[[0, 1, 2]]],
                                                 colors=[[[255, 0, 0]] * 3], config_dict={"camera": {}}))
        self.assertEqual([(r.tag, r.content[2][0]) for r in found], [("m_VERTEX", 1), ("m_FACE", 2), ("m_COLOR", 3)])
        self.assertEqual(text_of(found[0], 4), '{"camera": {}}')

    def test_image(self):
        found = self.record(lambda w: w.add_image("i", [[[0.0, 0.5], [1.0, 2.0]]], 3))
        self.assertEqual((found[0].content[2], found[0].content[3]), ([2], [2]))
        self.assertEqual(pixels_of(found[0].content[1][0]), (2, 2, 0, bytes([0, 127, 255, 255])))
        with self.assertRaises(ValueError):
            self.record(lambda w: w.add_image("i", [[[0.0]], [[0.0]]]))

    def test_graph_of_bytes(self):
        found = self.record(lambda w: w.add_onnx_graph(b"\x08\x07"))
        self.assertEqual((found[0].kind, found[0].content[1]), (GRAPH, [b"\x08\x07"]))
        with self.assertRaisesRegex(sonde.Error, "torch.nn.Module"):
            self.record(lambda w: w.add_graph(3))


@NUMPY
class Arrays(Case):
    def test_types(self):
        import numpy
        for name, number in (("float64", 1), ("float32", 2), ("float16", 3), ("int8", 5), ("int64", 8), ("uint8", 9),
                             ("uint64", 12), ("bool", 13)):
            array = numpy.arange(6).reshape(2, 3).astype(name)
            found = self.record(lambda w, array=array: w.add_tensor("t", array))
            self.assertEqual(tensor_of(found[-1].raw), (number, [2, 3], array.tobytes()), name)
            shutil.rmtree(self.run_folder)

    def test_views(self):
        import numpy
        array = numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4).transpose(2, 0, 1)[::2]
        found = self.record(lambda w: w.add_tensor("t", array), lambda w: w.add_tensor("s", numpy.float32(2)),
                            lambda w: w.add_tensor("b", array.astype(">f4")))
        self.assertEqual(tensor_of(found[0].raw), (2, [2, 2, 3], array.tobytes()))
        self.assertEqual(tensor_of(found[1].raw), (2, [], struct.pack("<f", 2)))
        self.assertEqual(tensor_of(found[2].raw), (2, [2, 2, 3], array.tobytes()))

    def test_image_formats(self):
        import numpy
        picture = numpy.random.default_rng(1).integers(0, 256, (5, 7, 3)).astype(numpy.uint8)
        found = self.record(lambda w: w.add_image("hwc", picture, dataformats="HWC"),
                            lambda w: w.add_image("chw", picture.transpose(2, 0, 1)),
                            lambda w: w.add_image("whc", picture.transpose(1, 0, 2), dataformats="WHC"),
                            lambda w: w.add_image("float", picture.transpose(2, 0, 1).astype(numpy.float64) / 255),
                            lambda w: w.add_image("hw", picture[:, :, 0], dataformats="HW"))
        for record in found[:4]:
            self.assertEqual(pixels_of(record.content[1][0]), (7, 5, 2, picture.tobytes()), record.tag)
        self.assertEqual(pixels_of(found[4].content[1][0]), (7, 5, 0, picture[:, :, 0].tobytes()))

    def test_several_images(self):
        import numpy
        batch = numpy.arange(2 * 3 * 4 * 5, dtype=numpy.uint8).reshape(2, 3, 4, 5)
        found = self.record(lambda w: w.add_images("i", batch, 1), lambda w: w.add_video("v", batch[None], 2))
        self.assertEqual([(r.tag, r.content[4][0]) for r in found], [("i", 0), ("i", 1), ("v", 0), ("v", 1)])
        self.assertEqual(pixels_of(found[3].content[1][0])[3], batch[1].transpose(1, 2, 0).tobytes())

    def test_boxes(self):
        import numpy
        found = self.record(lambda w: w.add_image_with_boxes("i", numpy.zeros((3, 8, 8), numpy.uint8), [[1, 2, 5, 6]], labels=["cat"]))
        picture = numpy.frombuffer(pixels_of(found[0].content[1][0])[3], numpy.uint8).reshape(8, 8, 3)
        self.assertEqual(picture[2, 1].tolist(), [255, 0, 0])
        self.assertEqual(picture[3, 3].tolist(), [0, 0, 0])
        self.assertEqual(found[1].raw, b"cat")

    def test_sprite(self):
        import numpy
        found = self.record(lambda w: w.add_embedding(numpy.eye(3), label_img=numpy.zeros((3, 1, 4, 6))))
        self.assertEqual(pixels_of(found[0].content[5][0])[:3], (12, 8, 2))
        self.assertEqual((records.zigzag(found[0].content[6][0]), records.zigzag(found[0].content[7][0])), (6, 4))

    def test_large_histogram(self):
        import numpy
        values = numpy.random.default_rng(2).standard_normal(300000).astype(numpy.float32)
        found = self.record(lambda w: w.add_histogram("h", values), lambda w: w.add_histogram("small", values, 1),
                            queue_bytes=1 << 20)
        for record in found:
            counts = records.varints(record.content[1][0])[1::2] + records.varints(record.content[2][0])[1::2]
            self.assertEqual(sum(counts) + record.content.get(3, [0])[0], 300000)

    def test_stereo(self):
        import numpy
        found = self.record(lambda w: w.add_audio("a", numpy.array([[0.0, 1.0], [-1.0, 0.0]])))
        self.assertEqual(struct.unpack("<4h", found[0].content[1][0][44:]), (0, -32767, 32767, 0))

    @unittest.skipUnless(have("matplotlib"), "Matplotlib is not installed")
    def test_figure(self):
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot
        figure = matplotlib.pyplot.figure(figsize=(2, 1), dpi=50)
        found = self.record(lambda w: w.add_figure("f", figure))
        self.assertEqual(pixels_of(found[0].content[1][0])[:3], (100, 50, 6))


class ForeignFormats(Case):
    def files(self, *calls, **options):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            with sonde.SummaryWriter(self.run_folder, **options) as writer:
                for call in calls:
                    call(writer)
        return sorted(os.listdir(self.run_folder)), [str(warning.message) for warning in said]

    def test_tensorboard(self):
        names, said = self.files(lambda w: w.add_scalar("x", 1.5, 3), lambda w: w.describe("y", unit="ms"),
                                 lambda w: w.describe("z", unit="s"), format="tensorboard")
        self.assertEqual(len(names), 1)
        self.assertRegex(names[0], r"^events\.out\.tfevents\.\d{10}\..*\.\d+\.0$")
        events = [records.fields(payload) for payload in records.frames(os.path.join(self.run_folder, names[0]))[0]]
        self.assertEqual(events[0][3], [b"brain.Event:2"])
        value = records.fields(records.fields(events[1][5][0])[1][0])
        self.assertEqual((events[1][2], value[1], value[2]), ([3], [b"x"], [struct.pack("<f", 1.5)]))
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], "no place for")

    def test_mindspore(self):
        names, said = self.files(lambda w: w.add_scalars("l", {"a": 1.5, "b": 2.5}, 3), lambda w: w.add_hparams({"lr": 0.1}, {}),
                                 lambda w: w.add_text("t", "x"), format="mindspore")
        self.assertEqual(len(names), 2)
        self.assertRegex(names[0], r"^events\.out\.events\.summary\.\d+\.0\..*_MS$")
        self.assertTrue(names[1].endswith("_lineage"))
        events = [records.fields(payload) for payload in records.frames(os.path.join(self.run_folder, names[0]))[0]]
        self.assertEqual(events[0][3], [b"MindSpore.Event:1"])
        self.assertEqual(len(records.fields(events[1][5][0])[1]), 2)
        self.assertEqual(len(said), 1)

    def test_projector(self):
        names, _ = self.files(lambda w: w.add_embedding([[1, 0.5], [3, 4]], metadata=["a", "b"], global_step=7, tag="e/f"),
                              format="tensorboard")
        self.assertIn("projector_config.pbtxt", names)
        with open(os.path.join(self.run_folder, "00007", "e_f", "tensors.tsv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "1\t0.5\n3\t4\n")


@TORCH
class Torch(Case):
    def test_tensors(self):
        import torch
        whole = torch.arange(6).reshape(2, 3)
        found = self.record(lambda w: w.add_tensor("i", whole), lambda w: w.add_tensor("b", whole.to(torch.bfloat16)),
                            lambda w: w.add_tensor("g", torch.nn.Parameter(whole.float().T)),
                            lambda w: w.add_scalar("x", torch.tensor(0.25), 1))
        self.assertEqual(tensor_of(found[0].raw), (8, [2, 3], whole.numpy().tobytes()))
        self.assertEqual(tensor_of(found[1].raw)[:2], (4, [2, 3]))
        self.assertEqual(tensor_of(found[2].raw), (2, [3, 2], whole.float().T.contiguous().numpy().tobytes()))
        self.assertEqual(found[3].scalars, [("x", 0.25)])

    def test_image(self):
        import torch
        picture = torch.rand(3, 6, 4)
        found = self.record(lambda w: w.add_image("i", picture), lambda w: w.add_histogram("h", picture))
        self.assertEqual(pixels_of(found[0].content[1][0])[3],
                         (picture * 255).clamp(0, 255).to(torch.uint8).permute(1, 2, 0).contiguous().numpy().tobytes())

    def test_same_methods(self):
        """Every public method of the original is here with its arguments."""
        try:
            from torch.utils.tensorboard import SummaryWriter as Original
        except ImportError:
            self.skipTest("torch.utils.tensorboard needs tensorboard, which is not installed")
        import inspect
        for name, method in inspect.getmembers(Original, inspect.isfunction):
            if name.startswith("_") and name != "__init__":
                continue
            ours = inspect.signature(getattr(sonde.SummaryWriter, name))
            for argument in inspect.signature(method).parameters:
                self.assertIn(argument, ours.parameters, name)

    def test_watch(self):
        import torch
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(inplace=True), torch.nn.Linear(3, 2))

        def train(writer):
            with sonde.watch(model, writer, every=2) as watched:
                for _ in range(4):
                    model(torch.ones(5, 4)).sum().backward()
                    watched.step()
            model(torch.ones(5, 4))
        found = self.record(train)
        self.assertTrue(all(record.kind == STATISTICS for record in found))
        tags = sorted({record.tag for record in found})
        self.assertEqual(tags, ["gradients/0", "gradients/1", "gradients/2", "outputs/0", "outputs/1", "outputs/2"])
        self.assertEqual(sorted({record.step for record in found}), [0, 2])
        gradient = next(record for record in found if record.tag == "gradients/2")
        self.assertEqual((double_of(gradient, 2), double_of(gradient, 3)), (1, 1))

    def check_statistics(self, record, values):
        """Against torch."""
        values = values.double()
        self.assertEqual(double_of(record, 2), values.min().item())
        self.assertEqual(double_of(record, 3), values.max().item())
        self.assertAlmostEqual(double_of(record, 4), values.mean().item(), 6)
        self.assertAlmostEqual(double_of(record, 5), values.std(unbiased=False).item(), 6)

    def test_watch_parameters(self):
        """Weights at the end of the step; gradients as the optimiser got them, of both micro-batches, clipped and gone since."""
        import torch
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
        optimiser = torch.optim.SGD(model.parameters(), 0.1)
        given = {}

        def train(writer):
            with sonde.watch(model, writer, every=2, outputs=False, gradients=False, weights=True, parameter_gradients=True) as watched:
                for step in range(4):
                    for _ in range(2):
                        model(torch.randn(5, 4)).pow(2).sum().backward()
                    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    given.update({("gradients/" + name, step): p.grad.clone() for name, p in model.named_parameters()})
                    optimiser.step()
                    optimiser.zero_grad()
                    given.update({("weights/" + name, step): p.detach().clone() for name, p in model.named_parameters()})
                    watched.step()
            optimiser.step()
        found = self.record(train)
        self.assertEqual(sorted((record.tag, record.step) for record in found), sorted(key for key in given if key[1] % 2 == 0))
        for record in found:
            self.check_statistics(record, given[record.tag, record.step])

    def test_watch_no_optimiser(self):
        """Gradients that nobody takes are recorded at the end of the step."""
        import torch
        model = torch.nn.Linear(2, 1)

        def train(writer):
            with sonde.watch(model, writer, outputs=False, gradients=False, parameter_gradients=True, histograms=True) as watched:
                model(torch.ones(1, 2)).sum().backward()
                watched.step()
        found = self.record(train)
        self.assertEqual(sorted((record.tag, record.kind) for record in found),
                         [("gradients/bias", HISTOGRAM), ("gradients/weight", HISTOGRAM)])

    def test_watch_alone(self):
        """Without a writer: a run under runs/, closed with the watch."""
        code = ("import torch, sonde\nmodel = torch.nn.Linear(2, 1)\n"
                "with sonde.watch(model, weights=True) as watched:\n  model(torch.ones(1, 2)).sum().backward()\n  watched.step()\n"
                "print(watched.writer.log_dir)")
        answer = subprocess.run([sys.executable, "-c", code], cwd=self.folder, env=dict(os.environ, PYTHONPATH=FOLDER),
                                capture_output=True, text=True, check=True)
        self.assertEqual((answer.stderr, answer.stdout.split(os.sep)[0]), ("", "runs"))
        found = records.read(os.path.join(self.folder, answer.stdout.strip()))
        self.assertEqual(sorted({record.tag for record in found if record.kind == STATISTICS}),
                         ["gradients/model", "outputs/model", "weights/bias", "weights/weight"])
        self.assertEqual(found[-1].kind, END)

    def test_graph(self):
        import torch
        model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
        found = self.record(lambda w: w.add_graph(model, torch.ones(1, 4)))
        self.assertEqual(found[0].kind, GRAPH)

    def test_trace(self):
        """Without the package onnx; the model is as before."""
        import torch

        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv, self.norm = torch.nn.Conv2d(3, 4, 3, stride=2), torch.nn.BatchNorm2d(4)

            def forward(self, x):
                return torch.relu_(self.norm(self.conv(x))) + 1

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = torch.nn.ModuleList([Block()])
                self.drop, self.head = torch.nn.Dropout(0.5), torch.nn.Linear(36, 5)

            def forward(self, x):
                y = self.blocks[0](x)
                low, high = torch.cat([y, y], 1).chunk(2, 1)
                return {"scores": self.head(self.drop((low + high).flatten(1))), "map": y}

        model = Model()
        mean, state = model.blocks[0].norm.running_mean.clone(), torch.get_rng_state()
        sys.modules["onnx"] = None
        try:
            found = self.record(lambda w: w.add_graph(model, torch.ones(2, 3, 8, 8), use_strict_trace=False))
        finally:
            del sys.modules["onnx"]
        self.assertTrue(torch.equal(mean, model.blocks[0].norm.running_mean))
        self.assertTrue(torch.equal(state, torch.get_rng_state()))
        self.assertTrue(model.training)
        graph = graph_of(found[0])
        self.assertEqual(graph.values["blocks.0.conv.weight"], ("f32", [4, 3, 3, 3], "parameter"))
        self.assertEqual(graph.values["blocks.0.norm.running_mean"], ("f32", [4], "state"))
        ops = [node.op for node in graph.nodes]
        self.assertEqual([op for op in ops if op in ("aten::batch_norm", "aten::relu", "aten::cat", "aten::linear")],
                         ["aten::batch_norm", "aten::relu", "aten::cat", "aten::linear"])
        self.assertEqual(next(node.scope for node in graph.nodes if node.op == "aten::batch_norm"), "blocks/0/norm")
        self.assertEqual(len(next(node for node in graph.nodes if node.op == "aten::cat").inputs), 2)
        convolution = next(node for node in graph.nodes if node.op.endswith("convolution"))
        self.assertEqual(convolution.attributes["stride"], [2, 2])
        self.assertEqual(len(graph.outputs), 2)


class FakeType:
    def __init__(self, kind, scalar=None, sizes=None):
        self._kind, self._scalar, self._sizes = kind, scalar, sizes

    def kind(self):
        return self._kind

    def scalarType(self):
        return self._scalar

    def sizes(self):
        return self._sizes


class FakeValue:
    """As TorchScript's: of a node, known by its name."""

    def __init__(self, name, kind="TensorType", scalar=None, sizes=None, constant=None):
        self.name, self.kind, self.constant, self.maker = name, FakeType(kind, scalar, sizes), constant, None

    def debugName(self):
        return self.name

    def type(self):
        return self.kind

    def node(self):
        return self.maker

    def toIValue(self):
        return self.constant


class FakeNode:
    def __init__(self, kind, inputs, outputs, scope="", schema="", name=""):
        self._kind, self._inputs, self._outputs, self._scope, self._schema, self._name = kind, inputs, outputs, scope, schema, name
        for value in outputs:
            value.maker = self

    def kind(self):
        return self._kind

    def inputs(self):
        return iter(self._inputs)

    def outputs(self):
        return iter(self._outputs)

    def scopeName(self):
        return self._scope

    def schema(self):
        return self._schema

    def s(self, attribute):
        assert attribute == "name"
        return self._name


class FakeScript:
    def __init__(self, inputs, nodes, outputs):
        self.inputs, self.nodes, self.outputs = lambda: inputs, lambda: nodes, lambda: outputs
        FakeNode("prim::Param", [], inputs)


class PlainGraph:
    """What a record of a graph in no model format says."""
    TYPES = {1: "f64", 2: "f32", 8: "i64"}
    ROLES = {0: "normal", 1: "input", 2: "parameter", 4: "state"}

    class Node:
        pass

    def __init__(self, message):
        parts = records.fields(message)
        self.name = parts[1][0].decode()
        self.values, names = {}, [None]
        for value in parts.get(2, []):
            value = records.fields(value)
            dims = [records.zigzag(n) for n in records.varints(value.get(5, [b""])[0])] if 4 in value else None
            names.append(value[1][0].decode())
            self.values[names[-1]] = (self.TYPES.get(value.get(3, [0])[0]), dims, self.ROLES[value.get(6, [0])[0]])
        self.inputs, self.outputs = [[names[n] for n in records.varints(parts.get(i, [b""])[0])] for i in (4, 5)]
        self.nodes = []
        for message in parts.get(3, []):
            content, node = records.fields(message), self.Node()
            node.name, node.op, node.scope = [content.get(i, [b""])[0].decode() for i in (1, 3, 7)]
            node.inputs, node.outputs = [[names[n] for n in records.varints(content.get(i, [b""])[0])] for i in (4, 5)]
            node.attributes = dict(self.attribute(records.fields(item)) for item in content.get(6, []))
            self.nodes.append(node)

    @staticmethod
    def attribute(parts):
        items = ([records.zigzag(n) for n in records.varints(parts.get(3, [b""])[0])] + records.doubles(parts.get(4, [b""])[0])
                 + [text.decode() for text in parts.get(5, [])])
        return parts[1][0].decode(), items if 2 in parts else items[0]


def graph_of(record):
    return PlainGraph(record.content[5][0])


class Traces(Case):
    """The walk over TorchScript without PyTorch."""

    @staticmethod
    def script():
        net, block, weight = FakeValue("self", "ClassType"), FakeValue("block", "ClassType"), FakeValue("w")
        x, flag, one = FakeValue("x", scalar="Float", sizes=[2, 3]), FakeValue("f", constant=False), FakeValue("o", constant=1)
        size, minus = FakeValue("n", "IntType"), FakeValue("m", "IntType", constant=-1)
        y, z = FakeValue("y", scalar="Float", sizes=[2, 4]), FakeValue("z", scalar="Float", sizes=[2, 4])
        sizes, pair, both = FakeValue("s", "ListType"), FakeValue("p", "ListType"), FakeValue("b")
        result = FakeValue("t", "TupleType")
        constants = [FakeNode("prim::Constant", [], [value]) for value in (flag, one, minus)]
        return FakeScript([net, x], constants + [
            FakeNode("prim::GetAttr", [net], [block], name="block"),
            FakeNode("prim::GetAttr", [block], [weight], name="weight"),
            FakeNode("aten::linear", [x, weight], [y], "__module.block", "aten::linear(Tensor input, Tensor weight) -> Tensor"),
            FakeNode("aten::relu_", [y], [z], "Net/Block[block]/ReLU[act]", "aten::relu_(Tensor(a!) self) -> Tensor(a!)"),
            FakeNode("aten::size", [z, one], [size], "", "aten::size(Tensor self, int dim) -> int"),
            FakeNode("prim::ListConstruct", [size, minus], [sizes]),
            FakeNode("aten::view", [z, sizes], [FakeValue("v")], "", "aten::view(Tensor(a) self, int[2] size=[1, 2]) -> Tensor(a)"),
            FakeNode("prim::ListConstruct", [y, z], [pair]),
            FakeNode("aten::cat", [pair, one], [both], "__module.block", "aten::cat(Tensor[] tensors, int dim=0) -> Tensor"),
            FakeNode("prim::TupleConstruct", [both, z], [result]),
        ], [result])

    def test_walk(self):
        from sonde import graph
        message = graph.Reader("Net", {"block.weight": ("float32", [4, 3], True)}).read(self.script())
        found = PlainGraph(message)
        self.assertEqual((found.name, found.inputs, found.outputs), ("Net", ["x"], ["/block/cat", "/block/act/relu"]))
        self.assertEqual(found.values["block.weight"], ("f32", [4, 3], "parameter"))
        self.assertEqual(found.values["x"], ("f32", [2, 3], "input"))
        self.assertEqual([(node.name, node.op, node.scope, node.inputs) for node in found.nodes],
                         [("/block/linear", "aten::linear", "block", ["x", "block.weight"]),
                          ("/block/act/relu", "aten::relu", "block/act", ["/block/linear"]),
                          ("/size", "aten::size", "", ["/block/act/relu"]),
                          ("/view", "aten::view", "", ["/block/act/relu", "/size"]),
                          ("/block/cat", "aten::cat", "block", ["/block/linear", "/block/act/relu"])])
        self.assertEqual([node.attributes for node in found.nodes],
                         [{}, {"in_place": 1}, {"dim": 1}, {"size": ["?", "-1"]}, {"dim": 1}])

    def test_recorded(self):
        """The library takes the message, and refuses what is none."""
        from sonde import graph
        message = graph.Reader("Net", {}).read(self.script())
        found = self.record(lambda w: w._add_trace(message))
        self.assertEqual((found[0].kind, found[0].tag), (GRAPH, "graph"))
        self.assertEqual([node.op for node in graph_of(found[0]).nodes][:2], ["aten::linear", "aten::relu"])
        with self.assertRaisesRegex(sonde.Error, "graph"):
            self.record(lambda w: w._add_trace(b"\xff\xff\xff"))

    def test_schema(self):
        from sonde import graph
        self.assertEqual(graph.argument_names("aten::f(Tensor input, int[2] s=[1, 1], *, Tensor(a!)? out=None) -> (Tensor, int)"),
                         ["input", "s", "out"])
        self.assertEqual(graph.argument_names(""), [])


class Guards(Case):
    """Nothing ends a training."""

    def setUp(self):
        super().setUp()
        sonde.guard._said.clear()

    def said(self, *calls):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for call in calls:
                call()
        return [str(warning.message) for warning in found]

    def test_every_method(self):
        """With arguments that make no sense, twice: each says so once."""
        writer = sonde.SummaryWriter(self.run_folder)
        names = [name for name in dir(writer) if name.startswith("add_") or name in ("describe", "set_policy")]
        self.assertGreater(len(names), 25)
        n_said = 0
        for name in names:
            said = self.said(*[lambda: getattr(writer, name)(object(), object(), object())] * 2)
            self.assertLessEqual(len(said), 1, said)
            n_said += len(said)
        self.assertGreater(n_said, 20)
        self.assertEqual(self.said(lambda: writer.add_scalar("x", 1.0, 1), writer.close), [])
        self.assertEqual(records.scalars(records.read(self.run_folder))["x"], [(1, 1.0)])

    def test_closed(self):
        writer = sonde.SummaryWriter(self.run_folder)
        writer.close()
        said = self.said(lambda: writer.add_scalar("x", 1.0), lambda: writer.add_scalar("x", 2.0), writer.flush)
        self.assertEqual(len(said), 2)
        self.assertIn("closed", said[0])

    def test_never_opened(self):
        with open(os.path.join(self.folder, "file"), "w", encoding="utf-8"):
            pass
        writers = []
        said = self.said(lambda: writers.append(sonde.SummaryWriter(os.path.join(self.folder, "file", "run"))))
        self.assertEqual(len(said), 1)
        self.assertIn("file", said[0])
        writer = writers[0]
        self.assertEqual(self.said(lambda: writer.add_scalar("x", 1.0), writer.flush, writer.sync, writer.close,
                                   lambda: writer.add_text("t", "x")), [])

    def test_missing_library(self):
        code = ("import sys; sys.path.insert(0, %r); import sonde\n"
                "with sonde.SummaryWriter('x') as w: w.add_scalar('x', 1.0)\nprint('done')" % FOLDER)
        for options in ([], ["-W", "error"]):
            result = subprocess.run([sys.executable, *options, "-c", code], cwd=self.folder, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, check=True,
                                    env=dict(os.environ, SONDE_LIBRARY=os.path.join(self.folder, "none.so")))
            self.assertEqual(result.stdout, b"done\n")
            self.assertIn(b"SONDE_LIBRARY", result.stderr)

    def test_hook(self):
        class Module:
            def __init__(self):
                self.hooks = []

            def named_modules(self):
                return [("", self)]

            def children(self):
                return []

            def register_forward_hook(self, hook):
                self.hooks.append(hook)

        class Broken:
            data_ptr = detach = None
            requires_grad = True

        module = Module()
        writer = sonde.SummaryWriter(self.run_folder)
        sonde.watch(module, writer)
        said = self.said(lambda: module.hooks[0](module, (), Broken()), lambda: module.hooks[0](module, (), Broken()))
        self.assertEqual(len(said), 2)  # of the statistics, and of the gradient's hook
        self.assertEqual(len(self.said(lambda: sonde.watch(3, writer))), 1)
        writer.close()


class Order(Case):
    """Does what torch's writer users do in a row, twice, and looks at nothing but that it works without optional packages."""

    def test_without_packages(self):
        code = """
import sys
sys.path.insert(0, %r)
sys.modules["numpy"] = None
sys.modules["torch"] = None
import sonde
with sonde.SummaryWriter(%r, strict=True) as w:
    w.add_scalar("x", 1, 1); w.add_histogram("h", [1, 2, 3]); w.add_image("i", [[[0, 1], [1, 0]]])
    w.add_audio("a", [[0, 1]]); w.add_tensor("t", [[1, 2]]); w.add_pr_curve("p", [0, 1], [0.1, 0.9])
    try:
        w.add_images("i", [[[[0]]]])
    except sonde.Error as problem:
        assert "NumPy" in str(problem)
    else:
        raise SystemExit("no error")
""" % (FOLDER, self.run_folder)
        subprocess.run([sys.executable, "-c", code], check=True)
        self.assertEqual([record.kind for record in records.read(self.run_folder)],
                         [SESSION, SCALARS, HISTOGRAM, IMAGE, AUDIO, TENSOR, PR_CURVE, END])


if __name__ == "__main__":
    sys.exit(TapResult.run_module("__main__", "/collector/python/"))
