#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One net of training-peers.py in MindSpore (graph mode, processor): prints the shortest step in ms. Run by it."""
import sys
import time

import mindspore
import numpy
from mindspore import nn, ops


class Block(nn.Cell):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, width, 3, stride, "pad", 1)
        self.conv2 = nn.Conv2d(width, width, 3, 1, "pad", 1)
        self.norm1, self.norm2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        self.short = None
        if stride != 1 or inputs != width:
            self.short = nn.SequentialCell(nn.Conv2d(inputs, width, 1, stride), nn.BatchNorm2d(width))

    def construct(self, x):
        y = self.norm2(self.conv2(ops.relu(self.norm1(self.conv1(x)))))
        return ops.relu(y + (x if self.short is None else self.short(x)))


class Lstm(nn.Cell):
    def __init__(self):
        super().__init__()
        self.lstm, self.fc = nn.LSTM(64, 256, batch_first=True), nn.Dense(256, 10)

    def construct(self, x):
        return self.fc(self.lstm(x)[1][0][0])


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(256, 8, 1024, 0.0, "gelu", batch_first=True)
        self.layers, self.fc = nn.TransformerEncoder(layer, 4), nn.Dense(256, 10)

    def construct(self, x):
        return self.fc(self.layers(x).mean(1))


class Mean(nn.Cell):
    def construct(self, x):
        return x.mean((2, 3))


def mlp():
    return nn.SequentialCell(nn.Dense(784, 512), nn.ReLU(), nn.Dense(512, 512), nn.ReLU(), nn.Dense(512, 10))


def lenet():
    return nn.SequentialCell(nn.Conv2d(1, 6, 5, 1, "pad", 2), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(6, 16, 5, 1, "valid"),
                             nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84),
                             nn.ReLU(), nn.Dense(84, 10))


def resnet20():
    layers, inputs = [nn.Conv2d(3, 16, 3, 1, "pad", 1), nn.BatchNorm2d(16), nn.ReLU()], 16
    for group, width in enumerate((16, 32, 64)):
        for i in range(3):
            layers.append(Block(inputs, width, 2 if group > 0 and i == 0 else 1))
            inputs = width
    return nn.SequentialCell(*layers, Mean(), nn.Dense(64, 10))


NETS = {"mlp": (mlp, (64, 784)), "lenet": (lenet, (64, 1, 28, 28)), "resnet20": (resnet20, (64, 3, 32, 32)),
        "lstm": (Lstm, (32, 32, 64)), "encoder": (Encoder, (8, 64, 256))}


def main():
    build, shape = NETS[sys.argv[1]]
    mindspore.set_context(mode=mindspore.GRAPH_MODE, device_target="CPU")
    mindspore.set_seed(7)
    net = build()
    net.set_train()
    optimiser = nn.Momentum(net.trainable_params(), 1e-4, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimiser)
    x = mindspore.Tensor(numpy.random.default_rng(7).standard_normal(shape).astype(numpy.float32))
    y = mindspore.Tensor((numpy.arange(shape[0]) % 10).astype(numpy.int32))
    times = []
    for _ in range(3 + int(sys.argv[2])):
        start = time.perf_counter()
        step(x, y).asnumpy()
        times.append(time.perf_counter() - start)
    print("min_ms %.3f" % (1000 * min(times[3:])))


if __name__ == "__main__":
    main()
