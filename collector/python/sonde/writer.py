# SPDX-License-Identifier: Apache-2.0
"""SummaryWriter: the methods and arguments of torch.utils.tensorboard.SummaryWriter, recorded by libsonde-record.

What is different is said at the method. Steps that are not given are 0, wall times are seconds since 1970.
"""
import ctypes
import datetime
import io
import json
import os
import socket
import sys
import weakref

from . import graph, library, pictures
from .arrays import dims_of, number_of, numbers_of
from .guard import guarded, say, warn
from .library import Error, encode, strings

__all__ = ["SummaryWriter"]


def _nanoseconds(walltime):
    """Of seconds since 1970, whose nanoseconds do not fit into a float as a whole."""
    return 0 if walltime is None else int(walltime // 1) * 1000000000 + round(walltime % 1 * 1e9)


def _close(functions, handle, pid):
    """At the end of the program, for a writer that nobody closed. After a fork it is the parent's."""
    if os.getpid() == pid:
        functions.close(handle, None)


def _item_type(value):
    if isinstance(value, bool):
        return 2
    return 1 if isinstance(value, (int, float)) else 0


def _item_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _plain(value):
    """Hyper-parameters may be numbers of NumPy or PyTorch."""
    return value.item() if hasattr(value, "item") and not isinstance(value, (bool, int, float, str)) else value


class SummaryWriter:
    """Records into `log_dir`, by default runs/DATE_TIME_HOST + `comment`. Any thread may add.

    format: what the run is made of: "sonde", "tensorboard" or "mindspore". What a format has no place for is left out and
    said once as a Python warning. queue_bytes: memory for what waits (64 MiB). flush_secs: longest time between two fsyncs
    (5 s here; what was added is with the system after some 20 ms in any case). max_queue, filename_suffix: not needed.
    strict: problems are exceptions. Without it no method ends a training: what went wrong is said once of its kind as a Python
    warning, and the method returns None; a writer that could not be opened records nothing.
    """

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=None, filename_suffix="",
                 format="sonde", queue_bytes=0, strict=False):
        self.log_dir = log_dir
        self._strict, self._handle, self._has_opened = strict, None, False
        try:
            self._start(log_dir, comment, purge_step, flush_secs, format, queue_bytes)
        except Exception as problem:  # pylint: disable=broad-except
            if strict:
                raise
            say("SummaryWriter", problem, 2)

    def _start(self, log_dir, comment, purge_step, flush_secs, format, queue_bytes):
        if not log_dir:
            now = datetime.datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", now + "_" + socket.gethostname() + comment)
        self.log_dir = os.fspath(log_dir)
        self.purge_step = purge_step  # nothing is purged: a resumed run is a new session beside the old points
        self._format = format
        self._functions = library.get()
        self._add_scalar = self._functions.quick_add_scalar
        self._tags = {}
        self._charts = []
        self._problems = []
        options = library.Options(format=encode(format), program=encode(os.path.basename(sys.argv[0] or "python")),
                                  queue_bytes=queue_bytes, fsync_ns=int((flush_secs or 0) * 1e9))
        problem = ctypes.c_void_p()
        self._handle = self._functions.open(encode(self.log_dir), ctypes.byref(options), ctypes.byref(problem))
        if not self._handle:
            raise Error(self._functions.take_text(problem.value))
        self._finalizer = weakref.finalize(self, _close, self._functions, self._handle, os.getpid())
        self._has_opened = True

    def _bear(self, where, problem):
        """In the handler of an exception. A writer that could not be opened has said so."""
        if self._strict:
            raise problem
        if self._has_opened:
            say("SummaryWriter." + where, problem, 3)

    # ---- the writer itself

    def get_logdir(self):
        return self.log_dir

    @property
    @guarded
    def path(self):
        """The file of the records."""
        return os.fsdecode(self._functions.get_path(self._open()))

    @property
    @guarded
    def counts(self):
        """Records (written, lost, left out)."""
        numbers = [ctypes.c_uint64() for _ in range(3)]
        self._functions.get_counts(self._open(), *[ctypes.byref(number) for number in numbers])
        return tuple(number.value for number in numbers)

    def _open(self):
        if not self._handle:
            raise Error("the writer of “%s” is closed" % self.log_dir)
        return self._handle

    @guarded
    def flush(self):
        """What was added is with the system: it survives the death of this process."""
        self._functions.flush(self._open())
        self._warn()

    @guarded
    def sync(self):
        """What was added is on the disk: it survives a loss of power."""
        problem = ctypes.c_void_p()
        if self._functions.sync(self._open(), ctypes.byref(problem)) != 0:
            raise Error(self._functions.take_text(problem.value))

    def _warn(self):
        text = self._functions.take_text(self._functions.dup_warnings(self._handle))
        for line in (text or "").splitlines():
            if line not in self._problems:
                self._problems.append(line)
                warn(line, 4)

    @guarded
    def close(self):
        """Writes all that waits. Error: something was lost, and why."""
        if not self._handle:
            return
        self._functions.flush(self._handle)
        self._warn()
        handle, self._handle = self._handle, None
        self._finalizer.detach()
        problem = ctypes.c_void_p()
        if self._functions.close(handle, ctypes.byref(problem)) != 0:
            raise Error(self._functions.take_text(problem.value))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def _place(self, tag, global_step, walltime):
        """The arguments that most functions begin with."""
        return (self._open(), encode(tag), 0 if global_step is None else int(global_step), _nanoseconds(walltime))

    # ---- what is recorded, and what is said about it

    @guarded
    def set_policy(self, pattern="*", every=1, per_second=0.0, reservoir=0):
        """Of the tags that fit the glob: each `every`-th step, at most `per_second` a second, of many a fair sample."""
        self._functions.set_policy(self._open(), encode(pattern), every, per_second, reservoir)

    @guarded
    def describe(self, tag, display_name=None, description=None, unit=None, group=None):
        """What is said about a tag, best before its first value."""
        texts = [None if text is None else encode(text) for text in (display_name, description, unit, group)]
        self._functions.describe(self._open(), encode(tag), *texts)

    # ---- scalars

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False,
                   display_name=None, summary_description=None):
        """Double precision in any case (other formats than "sonde" round to float32)."""
        try:  # as @guarded, without the price of another call
            if display_name is not None or summary_description is not None:
                self.describe(tag, display_name, summary_description)
            if walltime is not None:
                self._add_many([tag], [number_of(scalar_value)], global_step, walltime)
                return
            if type(scalar_value) is not float:
                scalar_value = number_of(scalar_value)
            if type(global_step) is not int:
                global_step = 0 if global_step is None else int(global_step)
            name = self._tags.get(tag)
            if name is None:
                name = self._tags[tag] = encode(tag)
            self._add_scalar(self._handle or self._open(), name, global_step, scalar_value)
        except Exception as problem:  # pylint: disable=broad-except
            self._bear("add_scalar", problem)

    def _add_many(self, tags, values, global_step, walltime):
        self._functions.quick_add_scalars(self._open(), int(global_step or 0), _nanoseconds(walltime), strings(tags),
                                          (ctypes.c_double * len(values))(*values), len(values))

    @guarded
    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """Tags main_tag/key of this run, where PyTorch makes a run of each key."""
        self._add_many(["%s/%s" % (main_tag, key) for key in tag_scalar_dict],
                       [number_of(value) for value in tag_scalar_dict.values()], global_step, walltime)

    # ---- many numbers

    @guarded
    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """The bins are Sonde's: fixed, so that steps and runs can be compared. `bins` and `max_bins` are not needed."""
        numbers = numbers_of(values)
        self._functions.add_histogram(*self._place(tag, global_step, walltime), numbers.type, numbers.pointer, numbers.count)

    @guarded
    def add_histogram_raw(self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None,
                          walltime=None):
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts)")
        rights, counts = numbers_of(bucket_limits, "float64"), numbers_of(bucket_counts, "float64")
        limits = [number_of(limit) for limit in bucket_limits]
        lefts = numbers_of([number_of(min)] + limits[:-1] if limits else [], "float64")
        self._functions.add_bins(*self._place(tag, global_step, walltime), lefts.pointer, rights.pointer, counts.pointer,
                                 len(limits), number_of(min), number_of(max), number_of(sum), number_of(sum_squares))

    @guarded
    def add_statistics(self, tag, values, global_step=None, walltime=None):
        """Count, min, max, mean, std, zeros, negatives, NaN and ±Inf of an array, in one pass. Not in PyTorch's writer."""
        numbers = numbers_of(values)
        self._functions.add_statistics(*self._place(tag, global_step, walltime), numbers.type, numbers.pointer, numbers.count)

    @guarded
    def add_tensor(self, tag, tensor, global_step=None, walltime=None):
        numbers = numbers_of(tensor)
        if len(numbers.shape) > 16:
            raise ValueError("a tensor of %d dimensions; 16 is the limit" % len(numbers.shape))
        self._functions.add_tensor(*self._place(tag, global_step, walltime), numbers.type, dims_of(numbers),
                                   len(numbers.shape), numbers.pointer)

    # ---- pictures

    def _add_picture(self, tag, numbers, global_step, walltime, index, channels_last):
        shape = numbers.shape if channels_last is not None else (1,) + numbers.shape
        high, wide, channels = shape if channels_last else (shape[1], shape[2], shape[0])
        if self._functions.add_image(*self._place(tag, global_step, walltime), index, numbers.type, numbers.pointer, channels,
                                     high, wide, int(bool(channels_last))) != 0:
            raise ValueError("“%s”: shape %s makes no picture of 1, 3 or 4 channels and 1 to 16384 pixels a side"
                             % (tag, numbers.shape))

    @guarded
    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        order = dataformats.upper()
        if len(order) == 4:
            self.add_images(tag, img_tensor, global_step, walltime, dataformats)
            return
        if order not in ("CHW", "HWC", "HW"):
            img_tensor, order = pictures.reorder(img_tensor, order, "CHW", tag), "CHW"
        numbers = numbers_of(img_tensor)
        if len(numbers.shape) != len(order):
            raise ValueError("dataformats “%s” does not fit “%s” with shape %s" % (order, tag, numbers.shape))
        self._add_picture(tag, numbers, global_step, walltime, 0, {"CHW": False, "HWC": True, "HW": None}[order])

    @guarded
    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """One picture each, where PyTorch makes a grid."""
        batch = pictures.reorder(img_tensor, dataformats, "NCHW", tag)
        for index, picture in enumerate(batch):
            self._add_picture(tag, numbers_of(picture), global_step, walltime, index, False)

    @guarded
    def add_image_with_boxes(self, tag, img_tensor, box_tensor, global_step=None, walltime=None, rescale=1,
                             dataformats="CHW", labels=None):
        """Frames are drawn into the picture; the labels are recorded as a text “tag/labels”."""
        picture = pictures.reorder(img_tensor, dataformats, "CHW", tag)
        boxes = pictures.as_array(box_tensor, "box_tensor")
        self._add_picture(tag, numbers_of(pictures.draw_boxes(picture, boxes)), global_step, walltime, 0, False)
        if labels:
            self.add_text(tag + "/labels", ", ".join(str(label) for label in labels), global_step, walltime)

    @guarded
    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        """A figure of Matplotlib, or a list of them."""
        for index, one in enumerate(figure if isinstance(figure, (list, tuple)) else [figure]):
            self._add_picture(tag, numbers_of(pictures.of_figure(one)), global_step, walltime, index, True)
            if close:
                pictures.close_figure(one)

    @guarded
    def add_video(self, tag, vid_tensor, global_step=None, fps=4, walltime=None):
        """[N, T, C, H, W]: the frames as pictures of one step, all of the first video before the second."""
        frames = pictures.as_array(vid_tensor, tag)
        if frames.ndim != 5:
            raise ValueError("“%s”: a video has the shape [N, T, C, H, W], not %s" % (tag, frames.shape))
        self.add_images(tag, frames.reshape((-1,) + frames.shape[2:]), global_step, walltime)

    # ---- sound and text

    @guarded
    def add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None):
        """[L] or [1, L]; also [C, L] with several channels. Numbers in [-1, 1]."""
        numbers = numbers_of(snd_tensor, "float32")
        channels = numbers.shape[0] if len(numbers.shape) == 2 else 1
        if len(numbers.shape) not in (1, 2):
            raise ValueError("“%s”: a sound has the shape [L] or [C, L], not %s" % (tag, numbers.shape))
        if channels > 1:
            numbers = numbers_of(pictures.as_array(snd_tensor, tag).T, "float32")
        if self._functions.add_audio(*self._place(tag, global_step, walltime), numbers.pointer,
                                     numbers.count // max(channels, 1), channels, int(sample_rate)) != 0:
            raise ValueError("“%s”: a sound of %d channels and %s frames a second" % (tag, channels, sample_rate))

    @guarded
    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """Markdown; a list of lists of strings is a table."""
        if not isinstance(text_string, (list, tuple)):
            self._functions.add_text(*self._place(tag, global_step, walltime), encode(text_string))
            return
        rows = [row if isinstance(row, (list, tuple)) else [row] for row in text_string]
        if len({len(row) for row in rows}) > 1:
            raise ValueError("“%s”: the rows of the table have different lengths" % tag)
        self._functions.add_table(*self._place(tag, global_step, walltime), strings([cell for row in rows for cell in row]),
                                  len(rows), len(rows[0]) if rows else 0)

    # ---- graphs

    @guarded
    def add_onnx_graph(self, prototxt, global_step=None):
        """The path of an ONNX file, or its bytes."""
        if not isinstance(prototxt, (bytes, bytearray)):
            with open(prototxt, "rb") as file:
                prototxt = file.read()
        self._functions.add_graph(*self._place("graph", global_step, None), bytes(prototxt), len(prototxt))

    @guarded
    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True):
        """The model as PyTorch's ONNX exporter sees it, with its weights; where it cannot be exported (it needs the package
        onnx in most versions), a trace with torch alone: operators, modules, shapes."""
        if not hasattr(model, "state_dict"):
            raise Error("add_graph takes a torch.nn.Module; an ONNX file is recorded by add_onnx_graph")
        if input_to_model is None:
            raise Error("add_graph needs an input (input_to_model): the graph is what the model does with it")
        arguments = tuple(input_to_model) if isinstance(input_to_model, (list, tuple)) else (input_to_model,)
        exported = self._export(model, arguments, verbose)
        if exported is not None:
            self.add_onnx_graph(exported)
        else:
            self._add_trace(graph.of_model(model, arguments, use_strict_trace))

    def _export(self, model, arguments, verbose):
        """ONNX bytes; None where there is no package for it or the exporter refuses the model."""
        try:
            import onnx  # noqa: F401, pylint: disable=unused-import
            import torch
            stream = io.BytesIO()
            torch.onnx.export(model, arguments, stream, verbose=verbose)
            return stream.getvalue() or None
        except Exception:  # pylint: disable=broad-except
            return None

    def _add_trace(self, message):
        """A graph in no model format: bytes of graph.py."""
        problem = ctypes.c_void_p()
        if self._functions.add_plain_graph(*self._place("graph", 0, None), message, len(message), ctypes.byref(problem)) != 0:
            raise Error(self._functions.take_text(problem.value))

    # ---- trials

    @guarded
    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        """Into this run; with `run_name` into a run of that name below it, as PyTorch does."""
        if run_name is not None:
            with SummaryWriter(os.path.join(self.log_dir, run_name), format=self._format, strict=self._strict) as trial:
                trial.add_hparams(hparam_dict, metric_dict, hparam_domain_discrete, None, global_step)
            return
        keys = list(hparam_dict)
        values = [_plain(hparam_dict[key]) for key in keys]
        for key, value in zip(keys, values):
            if not isinstance(value, (bool, int, float, str)):
                raise ValueError("hyper-parameter “%s” is a %s, not a number, a text or a truth value"
                                 % (key, type(value).__name__))
        types = (ctypes.c_int * max(len(keys), 1))(*[_item_type(value) for value in values])
        if self._format == "tensorboard":
            self._functions.add_experiment(self._open(), 0, strings(keys), types, len(keys), strings(list(metric_dict)),
                                           len(metric_dict))
        self._functions.add_hparams(self._open(), 0, strings(keys), strings([_item_text(value) for value in values]), types,
                                    len(keys), None)
        if metric_dict:
            self._add_many(list(metric_dict), [number_of(value) for value in metric_dict.values()], global_step, None)

    @guarded
    def add_lineage(self, part, items):
        """Facts about "train", "evaluation", "dataset" or "custom" as a dictionary. Not in PyTorch's writer.

        Of the part "environment" the Overview shows where a run comes from ("host", "command", "folder", "git_commit",
        "device", "seed") and computes progress ("total_steps", "steps_per_epoch")."""
        values = [_plain(value) for value in items.values()]
        self._functions.add_lineage(self._open(), encode(part), 0, strings(list(items)),
                                    strings([_item_text(value) for value in values]),
                                    (ctypes.c_int * max(len(values), 1))(*[_item_type(value) for value in values]), len(values))

    # ---- curves, points, charts, meshes

    @guarded
    def add_pr_curve(self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None):
        truths, guesses = numbers_of(labels, "uint8"), numbers_of(predictions, "float32")
        loads = None if weights is None else numbers_of(weights, "float32")
        if truths.count != guesses.count or (loads is not None and loads.count != truths.count):
            raise ValueError("“%s”: labels, predictions and weights have different lengths" % tag)
        if self._functions.add_pr_curve(*self._place(tag, global_step, walltime), truths.pointer, guesses.pointer,
                                        None if loads is None else loads.pointer, truths.count, num_thresholds) != 0:
            raise ValueError("“%s”: %d thresholds; at least 2 are needed" % (tag, num_thresholds))

    @guarded
    def add_pr_curve_raw(self, tag, true_positive_counts, false_positive_counts, true_negative_counts,
                         false_negative_counts, precision, recall, global_step=None, num_thresholds=127, weights=None,
                         walltime=None):
        rows = [[number_of(x) for x in row] for row in (true_positive_counts, false_positive_counts, true_negative_counts,
                                                        false_negative_counts, precision, recall)]
        if len({len(row) for row in rows}) != 1:
            raise ValueError("“%s”: the six rows have different lengths" % tag)
        numbers = numbers_of([x for row in rows for x in row], "float64")
        self._functions.add_pr_rows(*self._place(tag, global_step, walltime), numbers.pointer, len(rows[0]))

    @guarded
    def add_embedding(self, mat, metadata=None, label_img=None, global_step=None, tag="default", metadata_header=None):
        points = numbers_of(mat, "float32")
        if len(points.shape) != 2:
            raise ValueError("an embedding is a matrix [N, D], not %s" % (points.shape,))
        n, size = points.shape
        rows = [] if metadata is None else [row if isinstance(row, (list, tuple)) else [row] for row in metadata]
        if metadata is not None and (len(rows) != n or len({len(row) for row in rows}) > 1):
            raise ValueError("metadata has %d rows for %d points, or rows of different lengths" % (len(rows), n))
        columns = len(rows[0]) if rows else 0
        if metadata_header is not None and len(metadata_header) != columns:
            raise ValueError("metadata_header names %d columns, metadata has %d" % (len(metadata_header), columns))
        sprite, tile = (b"", (0, 0)) if label_img is None else pictures.sprite(label_img)
        self._functions.add_embedding(*self._place(tag, global_step, None), points.pointer, n, size,
                                      strings([cell for row in rows for cell in row]) if rows else None, columns,
                                      strings(metadata_header) if metadata_header is not None else None,
                                      sprite or None, len(sprite), *tile)

    @guarded
    def add_custom_scalars(self, layout):
        """{category: {title: [kind, [tag, …]]}} with kind "Multiline" or "Margin"."""
        for category, charts in layout.items():
            for title, (kind, tags) in charts.items():
                self._charts.append((category, title, kind == "Margin", list(tags)))
        self._write_charts()

    @guarded
    def add_custom_scalars_multilinechart(self, tags, category="default", title="untitled"):
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    @guarded
    def add_custom_scalars_marginchart(self, tags, category="default", title="untitled"):
        if len(tags) != 3:
            raise ValueError("a margin chart has three tags: value, lower, upper")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def _write_charts(self):
        """A layout is one whole: the last that was written holds."""
        lists = [strings(tags) for _, _, _, tags in self._charts]
        charts = (library.Chart * len(lists))()
        for chart, tags, (category, title, is_margin, _) in zip(charts, lists, self._charts):
            chart.category, chart.title, chart.is_margin = encode(category), encode(title), int(is_margin)
            chart.tags = ctypes.cast(tags, ctypes.POINTER(ctypes.c_char_p))
        self._functions.add_custom_scalars(self._open(), 0, charts, len(lists))

    @guarded
    def add_mesh(self, tag, vertices, colors=None, faces=None, config_dict=None, global_step=None, walltime=None):
        points = numbers_of(vertices, "float32")
        paint = None if colors is None else numbers_of(colors, "uint8")
        corners = None if faces is None else numbers_of(faces, "int32")
        for numbers, name in ((points, "vertices"), (paint, "colors"), (corners, "faces")):
            if numbers is not None and (len(numbers.shape) != 3 or numbers.shape[2] != 3 or numbers.shape[0] != points.shape[0]):
                raise ValueError("“%s”: %s have the shape [B, N, 3], not %s" % (tag, name, numbers.shape))
        if paint is not None and paint.shape != points.shape:
            raise ValueError("“%s”: as many colours as vertices are needed" % tag)
        self._functions.add_mesh(*self._place(tag, global_step, walltime), points.pointer, points.shape[0], points.shape[1],
                                 None if paint is None else paint.pointer, None if corners is None else corners.pointer,
                                 0 if corners is None else corners.shape[1],
                                 None if config_dict is None else encode(json.dumps(config_dict)))
