#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training that is captured, and one step of it that runs again from the capture.

Usage: torch-capture-programs.py given|wider|scheduled|plain|micro [STEPS]: prints digests of loss and all states behind each step
       torch-capture-programs.py again FILE: prints that of the step in FILE
       torch-capture-programs.py other FILE: what is said of another model
"""
import importlib.util
import os
import random
import sys

import numpy
import torch
from torch import nn
from torch.nn import functional as F

import sonde

STEPS = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdigit() else 4
spec = importlib.util.spec_from_file_location("programs", os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch-programs.py"))
programs = importlib.util.module_from_spec(spec)
arguments, sys.argv = sys.argv, sys.argv[:1]
spec.loader.exec_module(programs)
sys.argv = arguments


class Net(nn.Module):
    """With what has a memory: dropout, running means; and other random numbers."""

    def __init__(self, outputs=10):
        super().__init__()
        self.conv, self.bn, self.fc = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Linear(144, outputs)

    def forward(self, image, scale=None):
        x = F.dropout(torch.relu(self.bn(self.conv(image))), 0.3)
        x = x * (1 + 0.1 * random.random()) + 0.01 * numpy.random.rand()
        return self.fc(x.flatten(1)) * (1 if scale is None else scale)


def make(outputs=10):
    torch.manual_seed(1)
    random.seed(2)
    numpy.random.seed(3)
    model = Net(outputs)
    return model, torch.optim.Adam(model.parameters(), 1e-2)


def step(model, optimiser, image, target, scale):
    optimiser.zero_grad()
    loss = F.cross_entropy(model(image, scale=scale), target)
    loss.backward()
    optimiser.step()
    print("step", loss.item(), programs.digest(model, optimiser))


def batches():
    torch.manual_seed(5)
    for image, target in programs.images(STEPS):
        yield image, target, torch.rand(8, 1)


def given(outputs=10):
    model, optimiser = make(outputs)
    with sonde.debug(model, optimiser) as d:
        for batch in batches():
            d.step(step, model, optimiser, *batch)


def wider():
    given(11)


def scheduled():
    """The learning rate is another in each step, and not of the step's making."""
    model, optimiser = make()
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.5)
    with sonde.debug(model, optimiser) as d:
        for batch in batches():
            d.step(step, model, optimiser, *batch)
            schedule.step()


def plain():
    model, optimiser = make()
    with sonde.debug(model, optimiser):
        for batch in batches():
            step(model, optimiser, *batch)


def micro():
    """Two calls of the model in a step; the loss is a module, its target a picture."""
    model = nn.Sequential(nn.Conv2d(1, 1, 3, padding=1))
    optimiser, loss = torch.optim.SGD(model.parameters(), 0.1), nn.MSELoss()
    with sonde.debug(model, optimiser):
        for _ in range(STEPS):
            for _ in range(2):
                loss(model(torch.randn(1, 1, 4, 4)), torch.randn(1, 1, 4, 4)).backward()
            optimiser.step()
            optimiser.zero_grad()


class Logs(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(torch.log(x))


def bad():
    """Step 3 takes the logarithm of a negative number."""
    model = Logs()
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    with sonde.debug(model, optimiser):
        for k in range(4):
            model(torch.rand(2, 3) + 0.5 - (10 if k == 2 else 0)).sum().backward()
            optimiser.step()


def bad_again():
    with sonde.debug.open_capture(sys.argv[2]) as capture:
        print(Logs()(**capture.inputs).sum().item())


def again():
    model, optimiser = make()
    with sonde.debug.open_capture(sys.argv[2]) as capture:
        capture.put_back(model, optimiser)
        step(model, optimiser, **capture.inputs)


def other():
    model = Net(11)
    before = programs.digest(model)
    for wrong in (model, nn.Linear(2, 2)):
        try:
            with sonde.debug.open_capture(sys.argv[2]) as capture:
                capture.put_back(wrong)
        except ValueError as problem:
            print(problem)
    print("unchanged" if programs.digest(model) == before else "changed")


globals()[sys.argv[1]]()
