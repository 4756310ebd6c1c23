#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trainings whose weights change in a way that is known, for tests: the last line is a digest of all they changed.

Usage: torch-change-programs.py adam|rests|jumps|zero|two [STEPS]
"""
import importlib.util
import os
import sys

import torch
from torch import nn

STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
torch.manual_seed(1)
spec = importlib.util.spec_from_file_location("programs", os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch-programs.py"))
programs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(programs)


class Net(nn.Module):
    """`spare` is in no optimiser: nothing changes it."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.spare = nn.Linear(4, 4), nn.Linear(4, 2), nn.Parameter(torch.ones(3))

    def forward(self, x):
        return self.second(torch.tanh(self.first(x))) * self.spare[0]


def train(model, optimiser, rates, seen=None):
    for step in range(STEPS):
        for group, rate in zip(optimiser.param_groups, rates(step)):
            group["lr"] = rate
        before = {name: p.detach().clone() for name, p in model.named_parameters()}
        optimiser.zero_grad()
        model(torch.randn(8, 4)).pow(2).mean().backward()
        optimiser.step()
        if seen is not None:
            seen(step + 1, {name: ((p.detach() - before[name]).abs().mean() / (1e-9 + before[name].abs().mean())).item()
                            for name, p in model.named_parameters()})
    print(programs.digest(model, optimiser))


def groups(model):
    return [{"params": list(model.first.parameters())}, {"params": list(model.second.parameters())}]


def adam():
    """Prints by how much weights changed."""
    model = Net()
    train(model, torch.optim.Adam(groups(model), 1e-2), lambda step: (1e-2, 1e-2),
          lambda step, ratios: print("ratio", step, ratios["first.weight"]))


def rests():
    """From step 3 on `second` is not changed."""
    model = Net()
    train(model, torch.optim.SGD(groups(model), 0.1), lambda step: (0.1, 0.1 if step < 2 else 0))


def jumps():
    """`first` jumps in step 4."""
    model = Net()
    train(model, torch.optim.SGD(groups(model), 0.01), lambda step: (1000.0 if step == 3 else 0.001, 0.001))


def zero():
    model = Net()
    nn.init.zeros_(model.second.bias)
    train(model, torch.optim.SGD(groups(model), 0.01), lambda step: (0.01, 0.01))


def two():
    """Two optimisers: a step is over with the first one's, whose weights rest from step 3 on."""
    model = Net()
    optimisers = [torch.optim.SGD(group["params"], 0.1) for group in groups(model)]
    for step in range(STEPS):
        optimisers[0].param_groups[0]["lr"] = 0.1 if step < 2 else 0.0
        model(torch.randn(8, 4)).pow(2).mean().backward()
        for optimiser in optimisers:
            optimiser.step()
            optimiser.zero_grad()
    print(programs.digest(model))


globals()[sys.argv[1]]()
