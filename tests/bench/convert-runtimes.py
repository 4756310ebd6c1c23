#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One model in the program it comes from, or by the converter that others use: run by convert-peers.py, each time anew.
Usage: convert-runtimes.py first FORMAT MODEL CASE-FOLDER     milliseconds from the file to the outputs of a first run, as JSON
       convert-runtimes.py convert FORMAT MODEL OUT.onnx      the converter; its process is what is measured
       convert-runtimes.py make FORMAT MEGABYTES OUT          a model of that size
Imports are not part of the time. Exits with status 3 where the package is not there."""
import json
import os
import sys
import time

import numpy as np


def read_case(folder):
    with open(os.path.join(folder, "case.json")) as file:
        run = json.load(file)["runs"][0]
    return {name: np.load(os.path.join(folder, path)) for name, path in run["inputs"].items()}, run.get("signature")


# ---- a first run ----------------------------------------------------------------

def first_tflite(model, inputs, signature):
    try:
        from ai_edge_litert.interpreter import Interpreter
    except ImportError:
        from tensorflow.lite.python.interpreter import Interpreter
    start = time.perf_counter()
    interpreter = Interpreter(model_path=model, num_threads=1)
    runner = interpreter.get_signature_runner(signature) if interpreter.get_signature_list() else None
    if runner is not None:
        runner(**inputs)
    else:
        interpreter.allocate_tensors()
        for detail, value in zip(interpreter.get_input_details(), inputs.values()):
            interpreter.set_tensor(detail["index"], value)
        interpreter.invoke()
        for detail in interpreter.get_output_details():
            interpreter.get_tensor(detail["index"])
    return time.perf_counter() - start


def first_pt2(model, inputs, signature):
    import torch
    torch.set_num_threads(1)
    start = time.perf_counter()
    module = torch.export.load(model).module()
    with torch.no_grad():
        module(*[torch.from_numpy(value) for value in inputs.values()])
    return time.perf_counter() - start


def first_savedmodel(model, inputs, signature):
    import tensorflow as tf
    start = time.perf_counter()
    run = tf.saved_model.load(model).signatures[signature or "serving_default"]
    {name: value.numpy() for name, value in run(**{n: tf.constant(v) for n, v in inputs.items()}).items()}
    return time.perf_counter() - start


def first_graphdef(model, inputs, signature):
    import tensorflow as tf
    start = time.perf_counter()
    graph = tf.compat.v1.GraphDef()
    with open(model, "rb") as file:
        graph.ParseFromString(file.read())
    read = {each for node in graph.node for each in (i.split(":")[0].lstrip("^") for i in node.input)}
    outputs = [n.name + ":0" for n in graph.node if n.name not in read and n.op not in ("Const", "NoOp", "Assert")]
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        tf.import_graph_def(graph, name="")
        session.run(outputs, {name + ":0": value for name, value in inputs.items()})
    return time.perf_counter() - start


def first_keras(model, inputs, signature):
    import keras
    start = time.perf_counter()
    net = keras.models.load_model(model, compile=False)
    net([value for value in inputs.values()] if len(inputs) > 1 else next(iter(inputs.values())))
    return time.perf_counter() - start


def first_mindir(model, inputs, signature):
    import mindspore
    start = time.perf_counter()
    net = mindspore.nn.GraphCell(mindspore.load(model))
    result = net(*[mindspore.Tensor(value) for value in inputs.values()])
    for each in result if isinstance(result, tuple) else (result,):
        each.asnumpy()
    return time.perf_counter() - start


def first_caffe(model, inputs, signature):
    import cv2
    cv2.setNumThreads(1)
    start = time.perf_counter()
    folder = os.path.dirname(model)
    weights = [name for name in os.listdir(folder) if name.endswith(".caffemodel")][0]
    net = cv2.dnn.readNetFromCaffe(model, os.path.join(folder, weights))
    for name, value in inputs.items():
        net.setInput(value, name)
    net.forward()
    return time.perf_counter() - start


# ---- converters ------------------------------------------------------------------

def convert_tflite(model, out):
    import tf2onnx
    tf2onnx.convert.from_tflite(model, opset=18, output_path=out)


def convert_pt2(model, out):
    import torch
    program = torch.export.load(model)
    torch.onnx.export(program, (), out, dynamo=True, verbose=False, external_data=False)


def convert_savedmodel(model, out):
    from tf2onnx import convert
    sys.argv = ["tf2onnx", "--saved-model", model, "--output", out, "--opset", "18"]
    convert.main()


# ---- large models ----------------------------------------------------------------

WIDTH = 2048


def make_pt2(megabytes, out):
    import torch

    class Net(torch.nn.Module):
        def __init__(self, n):
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Linear(WIDTH, WIDTH) for _ in range(n))

        def forward(self, x):
            for layer in self.layers:
                x = torch.relu(layer(x))
            return x

    torch.manual_seed(1)
    net = Net(max(1, round(megabytes * 1e6 / (4 * WIDTH * WIDTH)))).eval()
    torch.export.save(torch.export.export(net, (torch.zeros(1, WIDTH),)), out)


def make_tflite(megabytes, out):
    import tensorflow as tf
    tf.random.set_seed(1)
    n = max(1, round(megabytes * 1e6 / (4 * WIDTH * WIDTH)))
    weights = [tf.random.normal([WIDTH, WIDTH], stddev=0.02) for _ in range(n)]

    @tf.function(input_signature=[tf.TensorSpec([1, WIDTH], tf.float32)])
    def net(x):
        for each in weights:
            x = tf.nn.relu(tf.matmul(x, each))
        return x

    with open(out, "wb") as file:
        file.write(tf.lite.TFLiteConverter.from_concrete_functions([net.get_concrete_function()]).convert())


def main():
    what, kind = sys.argv[1:3]
    function = globals().get("%s_%s" % (what, kind))
    if function is None:
        sys.exit(3)
    try:
        if what == "first":
            inputs, signature = read_case(sys.argv[4])
            print(json.dumps({"ms": 1e3 * function(sys.argv[3], inputs, signature)}))
        elif what == "convert":
            function(sys.argv[3], sys.argv[4])
        else:
            function(float(sys.argv[3]), sys.argv[4])
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
