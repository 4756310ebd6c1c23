#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the module records in foreign formats, read by the tools of those formats and compared exactly: TensorBoard's
EventAccumulator, MindSpore's (MindInsight's) own protobuf classes. Each is skipped with a message where it is not
installed. With the program, `sonde export` is compared, too. Usage: test-original-tools.py MODULE-FOLDER LIBRARY [SONDE]"""
import glob
import importlib
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import warnings

FOLDER, LIBRARY, *PROGRAM = [os.path.abspath(path) for path in sys.argv[1:4]]
sys.path[:0] = [FOLDER, os.path.dirname(os.path.abspath(__file__))]
os.environ["SONDE_LIBRARY"] = LIBRARY

import records  # noqa: E402
import sonde  # noqa: E402
from tap import TapResult  # noqa: E402


def find(*names):
    """The first module that can be imported, or why none can."""
    for name in names:
        try:
            return importlib.import_module(name), None
        except Exception as problem:  # pylint: disable=broad-except
            reason = "%s: %s" % (name, problem)
    return None, reason


ACCUMULATOR, NO_ACCUMULATOR = find("tensorboard.backend.event_processing.event_accumulator")
SUMMARY, NO_SUMMARY = find("mindinsight.datavisual.proto_files.mindinsight_summary_pb2")
LINEAGE, NO_LINEAGE = find("mindinsight.datavisual.proto_files.mindinsight_lineage_pb2", "mindspore.train.lineage_pb2")


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def same(a, b):
    return a == b and math.copysign(1, a) == math.copysign(1, b) or math.isnan(a) and math.isnan(b)


class Case(unittest.TestCase):
    def setUp(self):
        self.run_folder = tempfile.mkdtemp(prefix="sonde-tools-")
        self.points = [(random.Random(i).randrange(-5, 1 << 40), random.Random(i).gauss(0, 1e3)) for i in range(500)]
        self.points += [(9, math.nan), (10, math.inf), (11, -math.inf), (12, -0.0), (13, 1e-45), (14, 3.4e38)]
        self.values = [random.Random(7).gauss(0, 1) for _ in range(3000)] + [0.0] * 17

    def tearDown(self):
        shutil.rmtree(self.run_folder)

    def write(self, kind, call):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with sonde.SummaryWriter(self.run_folder, format=kind) as writer:
                call(writer)


@unittest.skipUnless(ACCUMULATOR, "no TensorBoard: %s" % NO_ACCUMULATOR)
class TensorBoard(Case):
    def load(self, call):
        self.write("tensorboard", call)
        loaded = ACCUMULATOR.EventAccumulator(self.run_folder, size_guidance={key: 0 for key in (
            "scalars", "histograms", "images", "audio", "tensors", "graph", "compressedHistograms")}, purge_orphaned_data=False)
        loaded.Reload()
        return loaded

    def test_scalars(self):
        loaded = self.load(lambda w: [w.add_scalar("größe/a", value, step, walltime=1700000000.25 + i / 8)
                                      for i, (step, value) in enumerate(self.points)])
        found = loaded.Scalars("größe/a")
        self.assertEqual([(e.step, e.wall_time) for e in found], [(s, 1700000000.25 + i / 8) for i, (s, _) in enumerate(self.points)])
        self.assertTrue(all(same(e.value, float32(v)) for e, (_, v) in zip(found, self.points)))

    def test_export(self):
        """A run of our own, exported: every point of it, with its time."""
        if not PROGRAM:
            self.skipTest("no program is named")
        own = os.path.join(self.run_folder, "own")
        with sonde.SummaryWriter(own) as writer:
            writer.describe("größe/a", description="*text*")
            for i, (step, value) in enumerate(self.points):
                writer.add_scalar("größe/a", value, step, walltime=1700000000.25 + i / 8)
            writer.add_histogram("h", self.values, 3)
            writer.add_text("t", "größe", 1)
        subprocess.run([PROGRAM[0], "export", own, "--to", "tensorboard", "--output", os.path.join(self.run_folder, "out")],
                       check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, XDG_CACHE_HOME=self.run_folder))
        loaded = ACCUMULATOR.EventAccumulator(os.path.join(self.run_folder, "out"), size_guidance={"scalars": 0},
                                              purge_orphaned_data=False)
        loaded.Reload()
        found = loaded.Scalars("größe/a")
        self.assertEqual([(e.step, e.wall_time) for e in found], [(s, 1700000000.25 + i / 8) for i, (s, _) in enumerate(self.points)])
        self.assertTrue(all(same(e.value, float32(v)) for e, (_, v) in zip(found, self.points)))
        self.assertEqual(loaded.SummaryMetadata("größe/a").summary_description, "*text*")
        self.assertEqual(loaded.Histograms("h")[0].histogram_value.num, len(self.values))
        self.assertEqual(loaded.Tensors("t")[0].tensor_proto.string_val[0].decode(), "größe")

    def test_metadata(self):
        loaded = self.load(lambda w: (w.describe("x", "Name", "*text*"), w.add_scalar("x", 1.0, 1), w.add_scalar("x", 2.0, 2)))
        metadata = loaded.SummaryMetadata("x")
        self.assertEqual((metadata.plugin_data.plugin_name, metadata.display_name, metadata.summary_description,
                          metadata.data_class), ("scalars", "Name", "*text*", 1))

    def test_histogram(self):
        loaded = self.load(lambda w: w.add_histogram("h", self.values, 3))
        event, = loaded.Histograms("h")
        histogram = event.histogram_value
        self.assertEqual((event.step, histogram.num, histogram.min, histogram.max),
                         (3, len(self.values), min(self.values), max(self.values)))
        self.assertAlmostEqual(histogram.sum, sum(self.values), places=6)
        self.assertAlmostEqual(histogram.sum_squares, sum(x * x for x in self.values), places=6)
        limits, left = list(histogram.bucket_limit), -math.inf
        self.assertEqual(limits, sorted(limits))
        for limit, count in zip(limits, histogram.bucket):
            # an edge belongs to one side here and to the other there: no value lies on one
            self.assertEqual(count, sum(left < x <= limit for x in self.values), (left, limit))
            left = limit

    def test_pictures_and_sound(self):
        picture = [[[0.0, 0.5], [1.0, 0.25]]] * 3
        loaded = self.load(lambda w: (w.add_image("i", picture, 2), w.add_audio("a", [0.0, 0.5, -0.5], 4, sample_rate=8000)))
        image, = loaded.Images("i")
        self.assertEqual((image.step, image.width, image.height), (2, 2, 2))
        with sonde.SummaryWriter(self.run_folder + "/own") as writer:
            writer.add_image("i", picture, 2)
            writer.add_audio("a", [0.0, 0.5, -0.5], 4, sample_rate=8000)
        own = [record for record in records.read(self.run_folder + "/own") if record.kind in (4, 5)]
        self.assertEqual(image.encoded_image_string, own[0].content[1][0])
        sound, = loaded.Audio("a")
        self.assertEqual((sound.step, sound.sample_rate, sound.length_frames, sound.content_type), (4, 8000, 3, "audio/wav"))
        self.assertEqual(sound.encoded_audio_string, own[1].content[1][0])

    def test_tensors(self):
        from tensorboard.util import tensor_util
        loaded = self.load(lambda w: (w.add_text("t", "größe", 1), w.add_tensor("n", [[1.0, 2.0], [3.0, 4.0]], 2),
                                      w.add_text("table", [["a", "b"], ["c", "d"]]),
                                      w.add_pr_curve("p", [1, 0, 1, 1], [0.9, 0.6, 0.4, 0.1], 5, num_thresholds=3)))
        arrays = {tag: tensor_util.make_ndarray(loaded.Tensors(tag)[0].tensor_proto) for tag in ("t", "n", "table", "p")}
        self.assertEqual(arrays["t"].item().decode(), "größe")
        self.assertEqual(arrays["n"].tolist(), [[1, 2], [3, 4]])
        self.assertEqual(arrays["table"].tolist(), [[b"a", b"b"], [b"c", b"d"]])
        self.assertEqual(arrays["p"].tolist()[:4], [[3, 1, 0], [1, 1, 0], [0, 0, 1], [0, 2, 3]])
        self.assertEqual([float32(x) for x in arrays["p"].tolist()[5]], [float32(x) for x in (1, 1 / 3, 0)])
        self.assertEqual({tag: loaded.SummaryMetadata(tag).plugin_data.plugin_name for tag in arrays},
                         {"t": "text", "n": "tensor", "table": "text", "p": "pr_curves"})

    def test_plugins(self):
        from tensorboard.plugins.hparams import plugin_data_pb2
        from tensorboard.plugins.custom_scalar import layout_pb2
        from tensorboard.plugins.mesh import plugin_data_pb2 as mesh_pb2
        loaded = self.load(lambda w: (w.add_hparams({"lr": 0.1, "name": "sgd", "flag": True}, {"hparam/acc": 0.5}),
                                      w.add_custom_scalars({"A": {"x": ["Multiline", ["a/.*"]], "y": ["Margin", ["v", "l", "u"]]}}),
                                      w.add_mesh("m", [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], faces=[[[0, 1, 2]]])))
        data = plugin_data_pb2.HParamsPluginData.FromString(
            loaded.SummaryMetadata("_hparams_/session_start_info").plugin_data.content)
        hparams = data.session_start_info.hparams
        self.assertEqual((hparams["lr"].number_value, hparams["name"].string_value, hparams["flag"].bool_value), (0.1, "sgd", True))
        experiment = plugin_data_pb2.HParamsPluginData.FromString(
            loaded.SummaryMetadata("_hparams_/experiment").plugin_data.content).experiment
        self.assertEqual([metric.name.tag for metric in experiment.metric_infos], ["hparam/acc"])
        layout = layout_pb2.Layout.FromString(loaded.Tensors("custom_scalars__config__")[0].tensor_proto.string_val[0])
        charts = layout.category[0].chart
        self.assertEqual((layout.category[0].title, list(charts[0].multiline.tag), charts[1].margin.series[0].upper),
                         ("A", ["a/.*"], "u"))
        mesh = mesh_pb2.MeshPluginData.FromString(loaded.SummaryMetadata("m_VERTEX").plugin_data.content)
        self.assertEqual((mesh.name, list(mesh.shape)), ("m", [1, 3, 3]))

    def test_projector(self):
        from google.protobuf import text_format
        from tensorboard.plugins.projector import projector_config_pb2
        self.write("tensorboard", lambda w: (w.add_embedding([[1, 0.5]], metadata=["a"], global_step=1, tag='x"y'),
                                             w.add_embedding([[2, 0.5]], global_step=2)))
        config = projector_config_pb2.ProjectorConfig()
        with open(os.path.join(self.run_folder, "projector_config.pbtxt"), encoding="utf-8") as file:
            text_format.Parse(file.read(), config)
        self.assertEqual([info.tensor_name for info in config.embeddings], ['x"y:00001', "default:00002"])
        for info in config.embeddings:
            self.assertTrue(os.path.exists(os.path.join(self.run_folder, info.tensor_path)), info.tensor_path)

    def test_migration(self):
        """TensorBoard turns what it reads into tensors: nothing is refused there."""
        loader = importlib.import_module("tensorboard.backend.event_processing.event_file_loader")
        self.write("tensorboard", lambda w: (w.add_scalar("s", 1.5, 1), w.add_histogram("h", self.values, 1),
                                             w.add_histogram("empty", [], 1), w.add_image("i", [[[0.0]]], 1),
                                             w.add_statistics("st", [1.0, 2.0], 1)))
        path, = glob.glob(self.run_folder + "/*tfevents*")
        tags = {value.tag: value.metadata.plugin_data.plugin_name for event in loader.EventFileLoader(path).Load()
                for value in event.summary.value}
        self.assertEqual((tags["s"], tags["h"], tags["empty"], tags["i"]), ("scalars", "histograms", "histograms", "images"))
        self.assertEqual(len([tag for tag in tags if tag.startswith("st/")]), 10)


class MindSpore(Case):
    def load(self, call, ending, message):
        self.write("mindspore", call)
        path, = glob.glob(self.run_folder + "/*" + ending)
        payloads, rest = records.frames(path)
        self.assertEqual(rest, 0)
        events = [message.FromString(payload) for payload in payloads]
        self.assertTrue(all(event.IsInitialized() for event in events))
        return events

    @unittest.skipUnless(SUMMARY, "no MindInsight: %s" % NO_SUMMARY)
    def test_summary(self):
        def call(writer):
            for i, (step, value) in enumerate(self.points):
                writer.add_scalars("s", {"a": value}, step, walltime=1700000000.25 + i / 8)
            writer.add_histogram("h", self.values + [math.nan, math.inf, math.inf], 3)
            writer.add_tensor("t", [[1.0, 2.0], [3.0, 4.0]], 4)
            writer.add_image("i", [[[0.0, 0.5], [1.0, 0.25]]], 5)
        events = self.load(call, "_MS", SUMMARY.Event)
        self.assertEqual(events[0].version, "MindSpore.Event:1")
        scalars = events[1:1 + len(self.points)]
        self.assertEqual([(e.step, e.wall_time, e.summary.value[0].tag) for e in scalars],
                         [(s, 1700000000.25 + i / 8, "s/a") for i, (s, _) in enumerate(self.points)])
        self.assertTrue(all(same(e.summary.value[0].scalar_value, float32(v)) for e, (_, v) in zip(scalars, self.points)))
        histogram, tensor, image = [event.summary.value[0] for event in events[1 + len(self.points):]]
        counts = histogram.histogram
        self.assertEqual((counts.count, counts.nan_count, counts.pos_inf_count, counts.min, counts.max),
                         (len(self.values) + 3, 1, 2, min(self.values), max(self.values)))
        self.assertEqual(sum(bucket.count for bucket in counts.buckets), len(self.values))
        self.assertEqual((list(tensor.tensor.dims), list(tensor.tensor.float_data), tensor.tensor.data_type), ([2, 2], [1, 2, 3, 4], 12))
        self.assertEqual((image.image.width, image.image.height, image.image.encoded_image[:4]), (2, 2, b"\x89PNG"))

    @unittest.skipUnless(SUMMARY and PROGRAM, "no MindInsight (%s), or no program is named" % NO_SUMMARY)
    def test_export(self):
        own, out = os.path.join(self.run_folder, "own"), os.path.join(self.run_folder, "out")
        with sonde.SummaryWriter(own) as writer:
            for i, (step, value) in enumerate(self.points):
                writer.add_scalar("a", value, step, walltime=1700000000.25 + i / 8)
        subprocess.run([PROGRAM[0], "export", own, "--to", "mindspore", "--output", out], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, XDG_CACHE_HOME=self.run_folder))
        path, = glob.glob(out + "/*_MS")
        events = [SUMMARY.Event.FromString(payload) for payload in records.frames(path)[0]][1:]
        self.assertEqual([(e.step, e.wall_time, e.summary.value[0].tag) for e in events],
                         [(s, 1700000000.25 + i / 8, "a") for i, (s, _) in enumerate(self.points)])
        self.assertTrue(all(same(e.summary.value[0].scalar_value, float32(v)) for e, (_, v) in zip(events, self.points)))

    @unittest.skipUnless(LINEAGE, "no MindSpore: %s" % NO_LINEAGE)
    def test_lineage(self):
        def call(writer):
            writer.add_lineage("train", {"epoch": 3, "learning_rate": 0.5, "optimizer": "Momentum", "network": "LeNet",
                                         "batch_size": 32, "train_dataset_path": "/d", "model_size": 77})
            writer.add_lineage("evaluation", {"acc": 0.9, 'a "b"': "c", "valid_dataset_size": 10})
            writer.add_hparams({"lr": 0.25, "name": "sgd"}, {})
        train, evaluation, custom = self.load(call, "_lineage", LINEAGE.LineageEvent)
        hyper = train.train_lineage.hyper_parameters
        self.assertEqual((hyper.epoch, hyper.learning_rate, hyper.optimizer, hyper.batch_size), (3, 0.5, "Momentum", 32))
        self.assertEqual((train.train_lineage.algorithm.network, train.train_lineage.model.size,
                          train.train_lineage.train_dataset.train_dataset_path), ("LeNet", 77, "/d"))
        self.assertEqual((evaluation.evaluation_lineage.metric, evaluation.evaluation_lineage.valid_dataset.valid_dataset_size),
                         ('{"acc": 0.9, "a \\"b\\"": "c"}', 10))
        infos = custom.user_defined_info.user_info
        self.assertEqual((infos[0].map_double["lr"], infos[1].map_str["name"]), (0.25, "sgd"))


if __name__ == "__main__":
    sys.exit(TapResult.run_module("__main__", "/collector/original-tools/"))
