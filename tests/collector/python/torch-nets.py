#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nets of which an export is compared with the running training, for tests.

Usage: torch-nets.py NET [export FOLDER | NAME=VALUE…]
`export` writes NET-older.onnx, NET-newer.onnx (where onnxscript is installed), NET-training.onnx and NET.npz, the weights. Else it
trains NET; wrong=gradient: a derivative is wrong, wrong=parameter: that of the first weight; eps=E: of the normalisation; parts=N: so many
calls and backwards a step.
"""
import os
import sys
import warnings

import numpy
import torch
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")
OPTIONS = dict(argument.split("=") for argument in sys.argv[2:] if "=" in argument)


class Doubled(torch.autograd.Function):
    """tanh with twice its derivative."""

    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        return 2 * gradient * (1 - ctx.saved_tensors[0] ** 2)


class Tanh(nn.Module):
    def forward(self, x):
        return Doubled.apply(x) if OPTIONS.get("wrong") == "gradient" else torch.tanh(x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))
        self.norm = nn.LayerNorm(8, eps=float(OPTIONS.get("eps", 1e-5)))
        self.mlp = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        weights = torch.softmax(self.q(x) @ self.k(x).transpose(1, 2) / 8 ** .5, -1)
        x = self.norm(x + weights @ self.v(x))
        return self.out((x + self.mlp(x)).mean(1))


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True))
        self.conv2, self.bn2, self.fc = nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Linear(4, 3)

    def forward(self, x):
        x = self.stem(x)
        x = torch.relu(self.bn2(self.conv2(x)) + x)
        return self.fc(x.mean((2, 3)))


def mlp():
    return nn.Sequential(nn.Linear(6, 12), Tanh(), nn.Linear(12, 12), nn.ReLU(), nn.Linear(12, 3))


class Two(nn.Module):
    """Two inputs, of which the second has a name, and a module that is called twice."""

    def __init__(self):
        super().__init__()
        self.left, self.right, self.out = nn.Linear(4, 5), nn.Linear(4, 5), nn.Linear(5, 3)

    def forward(self, one, other):
        return self.out(torch.relu(self.left(one) + self.right(other)) + self.left(other))


NETS = {"attention": (Attention, (4, 5, 8)), "convolutions": (Convolutions, (4, 1, 6, 6)), "mlp": (mlp, (4, 6)), "two": (Two, (4, 4))}


def batches(name):
    torch.manual_seed(7)
    for _ in range(3):
        inputs = [torch.randn(NETS[name][1]) for _ in range(2 if name == "two" else 1)]
        yield inputs, torch.randint(0, 3, (NETS[name][1][0],))


def export(name, net, folder):
    inputs = tuple(next(batches(name))[0])
    path = os.path.join(folder, name + "-%s.onnx")
    numpy.savez(os.path.join(folder, name + ".npz"), **{key: value.numpy() for key, value in net.state_dict().items()})
    net.eval()
    torch.onnx.export(net, inputs, path % "older", dynamo=False)
    try:
        torch.onnx.export(net, inputs, path % "newer", dynamo=True, verbose=False)
    except ImportError as absent:
        print("# without onnxscript the newer exporter is SKIPPED: %s" % absent, file=sys.stderr)
    # last, since it moves the running statistics
    torch.onnx.export(net, inputs, path % "training", dynamo=False, training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False)


def train(name, net):
    optimiser = torch.optim.SGD(net.parameters(), 0.1)
    if OPTIONS.get("wrong") == "parameter":
        next(net.parameters()).register_hook(lambda gradient: 2 * gradient)
    if OPTIONS.get("mode") == "eval":
        net.eval()
    for inputs, target in batches(name):
        optimiser.zero_grad()
        for _ in range(int(OPTIONS.get("parts", 1))):
            output = net(inputs[0], other=inputs[1]) if len(inputs) == 2 else net(*inputs)
            F.cross_entropy(output, target).backward()
        optimiser.step()
    print("trained")


def main():
    name = sys.argv[1]
    torch.manual_seed(5)
    net = NETS[name][0]()
    if "export" in sys.argv:
        export(name, net, sys.argv[3])
    else:
        train(name, net)


main()
