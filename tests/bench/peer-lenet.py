#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch eager: three epochs of 125 steps of the same LeNet, batch 64, SGD with momentum. Argument: threads."""
import sys
import time

import torch
from torch import nn

torch.set_num_threads(int(sys.argv[1]))
net = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
optimiser = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
loss_of = nn.CrossEntropyLoss()
pictures, labels = torch.randn(8000, 1, 28, 28), torch.randint(0, 10, (8000,))


def step(batch):
    rows = slice(64 * batch, 64 * batch + 64)
    optimiser.zero_grad()
    loss = loss_of(net(pictures[rows]), labels[rows])
    loss.backward()
    optimiser.step()
    return loss.item()


for warm_up in range(20):
    step(warm_up)
times = []
for epoch in range(3):
    for batch in range(125):
        start = time.perf_counter()
        step(batch)
        times.append(1000 * (time.perf_counter() - start))
times.sort()
print("torch threads %s mean_ms %.3f median_ms %.3f min_ms %.3f" % (sys.argv[1], sum(times) / len(times), times[len(times) // 2], times[0]))
