#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps of bench-training against PyTorch eager, in turn: the same nets, batches, SGD with momentum, float32.
Ratios below 1: Sonde is faster. Times are minima."""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile


class Block(nn.Module):
    """A residual block of two 3×3 convolutions, or of 1×1, 3×3, 1×1."""

    def __init__(self, inputs, width, stride, expand):
        super().__init__()
        out = width * expand
        if expand == 1:
            layers = [(inputs, width, 3, stride), (width, out, 3, 1)]
        else:
            layers = [(inputs, width, 1, 1), (width, width, 3, stride), (width, out, 1, 1)]
        self.convs = nn.ModuleList(nn.Conv2d(a, b, k, s, k // 2, bias=False) for a, b, k, s in layers)
        self.norms = nn.ModuleList(nn.BatchNorm2d(b) for _, b, _, _ in layers)
        self.short = None
        if stride != 1 or inputs != out:
            self.short = nn.Sequential(nn.Conv2d(inputs, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = x
        for i, (conv, norm) in enumerate(zip(self.convs, self.norms)):
            y = norm(conv(y))
            if i + 1 < len(self.convs):
                y = torch.relu(y)
        return torch.relu(y + (x if self.short is None else self.short(x)))


def resnet(stem, blocks, widths, expand, classes):
    layers, inputs = list(stem), stem[0].out_channels
    for group, (count, width) in enumerate(zip(blocks, widths)):
        for i in range(count):
            layers.append(Block(inputs, width, 2 if group > 0 and i == 0 else 1, expand))
            inputs = width * expand
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.fc = nn.LSTM(64, 256, batch_first=True), nn.Linear(256, 10)

    def forward(self, x):
        return self.fc(self.lstm(x)[1][0][0])


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(256, 8, 1024, 0, "gelu", batch_first=True)
        self.layers, self.fc = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False), nn.Linear(256, 10)

    def forward(self, x):
        return self.fc(self.layers(x).mean(1))


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def lenet():
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def resnet20():
    stem = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
    return resnet(stem, [3, 3, 3], [16, 32, 64], 1, 10)


def resnet50():
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    return resnet(stem, [3, 4, 6, 3], [64, 128, 256, 512], 4, 1000)


# Net, shape of a batch, steps a round.
NETS = {
    "mlp": (mlp, (64, 784), 60),
    "lenet": (lenet, (64, 1, 28, 28), 40),
    "resnet20": (resnet20, (64, 3, 32, 32), 3),
    "lstm": (Lstm, (32, 32, 64), 12),
    "encoder": (Encoder, (8, 64, 256), 5),
    "resnet50": (resnet50, (8, 3, 224, 224), 1),
}


class Peer:
    def __init__(self, build, shape):
        torch.manual_seed(7)
        self.net = build().train()
        self.optimiser = torch.optim.SGD(self.net.parameters(), lr=1e-4, momentum=0.9)
        self.x, self.y = torch.randn(shape), torch.arange(shape[0]) % 10
        self.loss = nn.CrossEntropyLoss()

    def step(self):
        self.optimiser.zero_grad()
        loss = self.loss(self.net(self.x), self.y)
        loss.backward()
        self.optimiser.step()
        return loss.item()

    def best(self, steps):
        self.step()
        times = []
        for _ in range(steps):
            start = time.perf_counter()
            self.step()
            times.append(time.perf_counter() - start)
        return 1000 * min(times)


def peak_of_peer(build, shape):
    """The most bytes of tensors at one time in two steps, parameters and momentum included, by PyTorch's own count."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        peer = Peer(build, shape)
        peer.step()
        peer.step()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        events = json.load(open(path))["traceEvents"]
    return max(event["args"]["Total Allocated"] for event in events if event.get("name") == "[memory]")


def compare_memory(program, names):
    print("| net | PyTorch MiB | Sonde planned MiB | Sonde measured MiB | measured/PyTorch |\n|---|---|---|---|---|", flush=True)
    for name in names:
        out = subprocess.run([program, name, "--rounds", "1"], check=True, capture_output=True, text=True).stdout.splitlines()[-1].split()
        planned, mine = (int(out[out.index(key) + 1]) for key in ("planned_bytes", "peak_bytes"))
        theirs = int(subprocess.run([sys.executable, __file__, program, "--peer-memory", name], check=True, capture_output=True,
                                    text=True).stdout.split()[-1])
        print("| %s | %.1f | %.1f | %.1f | %.2f |" % (name, theirs / 2**20, planned / 2**20, mine / 2**20, mine / theirs), flush=True)


def mindspore_best(python, name, steps):
    """MindSpore's shortest step in ms, all threads; or why there is none."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "training-mindspore.py")
    try:
        out = subprocess.run([python, script, name, str(steps)], check=True, capture_output=True, text=True, timeout=600)
        return float(out.stdout.split()[-1]), ""
    except subprocess.TimeoutExpired:
        return None, "no step within 600 s"
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.splitlines() if line.strip() and "[WARNING]" not in line]
        return None, lines[-1] if lines else "exit status %d" % error.returncode


def compare_mindspore(program, python, names, rounds):
    print("| net | MindSpore ms (graph mode, all threads) | Sonde ms (2 threads) | ratio |\n|---|---|---|---|", flush=True)
    for name in names:
        theirs, mine, reason = [], [], ""
        for _ in range(rounds):
            best, reason = mindspore_best(python, name, NETS[name][2])
            mine.append(ours(program, name, 2, NETS[name][2]))
            if best is None:
                break
            theirs.append(best)
        if theirs:
            print("| %s | %.2f | %.2f | %.3f |" % (name, min(theirs), min(mine), min(mine) / min(theirs)), flush=True)
        else:
            print("| %s | does not run here: %s | %.2f | |" % (name, reason, min(mine)), flush=True)


def ours(program, net, threads, steps):
    out = subprocess.run([program, net, "--threads", str(threads), "--rounds", str(steps)], check=True, capture_output=True, text=True)
    return float(out.stdout.split()[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="BUILD/tests/bench/bench-training")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(NETS), help="nets, separated by commas")
    parser.add_argument("--memory", action="store_true", help="peak memory of tensors instead of time")
    parser.add_argument("--mindspore", metavar="PYTHON", help="against MindSpore of that Python instead")
    parser.add_argument("--peer-memory", metavar="NET", help="print PyTorch's bytes of one net alone")
    arguments = parser.parse_args()
    if arguments.peer_memory:
        print(peak_of_peer(*NETS[arguments.peer_memory][:2]))
        return
    if arguments.mindspore:
        compare_mindspore(arguments.program, arguments.mindspore, [n for n in arguments.only.split(",") if n != "resnet50"],
                          arguments.rounds)
        return
    if arguments.memory:
        compare_memory(arguments.program, arguments.only.split(","))
        return
    print("| net | threads | PyTorch ms | Sonde ms | ratio |\n|---|---|---|---|---|", flush=True)
    for threads in map(int, arguments.threads.split(",")):
        torch.set_num_threads(threads)
        ratios = []
        for name in arguments.only.split(","):
            build, shape, steps = NETS[name]
            peer, theirs, mine = Peer(build, shape), [], []
            for _ in range(arguments.rounds):
                theirs.append(peer.best(steps))
                mine.append(ours(arguments.program, name, threads, steps))
            ratios.append(min(mine) / min(theirs))
            print("| %s | %d | %.2f | %.2f | %.3f |" % (name, threads, min(theirs), min(mine), ratios[-1]), flush=True)
        print("| geometric mean | %d | | | %.3f |" % (threads, math.exp(sum(map(math.log, ratios)) / len(ratios))), flush=True)


if __name__ == "__main__":
    main()
