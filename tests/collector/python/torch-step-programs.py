#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trainings whose steps are given to d.step, for tests: the last line is a digest of all they changed.

Usage: torch-step-programs.py NAME [STEPS]
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

STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 4


def load(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    spec = importlib.util.spec_from_file_location("programs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


programs = load("torch-programs.py")


class Net(nn.Module):
    """With what has a memory: dropout, running means; and other random numbers."""

    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.fc = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Linear(144, 10)

    def forward(self, x):
        x = F.dropout(torch.relu(self.bn(self.conv(x))), 0.3)
        x = x * (1 + 0.1 * random.random()) + 0.01 * numpy.random.rand()
        return self.fc(x.flatten(1))


def dropout():
    model = Net()
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    schedule = torch.optim.lr_scheduler.StepLR(optimiser, 1, 0.9)

    def step(x, y):
        optimiser.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimiser.step()
        schedule.step()
        return loss.item()
    losses = []
    with sonde.debug(model, optimiser) as d:
        for x, y in programs.images(STEPS):
            losses.append(d.step(step, x, y))
    print(losses)
    print(programs.digest(model, optimiser, schedule))


def two():
    """Two models, two optimisers, gradients that are kept over steps, and a scaler."""
    first, second = nn.Sequential(nn.Linear(6, 6), nn.Tanh()), nn.Linear(6, 1)
    optimisers = [torch.optim.Adam(first.parameters(), 1e-2), torch.optim.SGD(second.parameters(), 0.1, momentum=0.9)]
    scaler = torch.amp.GradScaler("cpu", init_scale=64.0, growth_interval=2)

    def step(x):
        loss = second(first(x)).pow(2).mean()
        scaler.scale(loss).backward()
        for optimiser in optimisers:
            scaler.step(optimiser)
        scaler.update()
        optimisers[0].zero_grad()
    with sonde.debug(first, optimisers[0]) as d:
        for _ in range(STEPS):
            d.step(step, torch.randn(5, 6))
    print(programs.digest(first, second, *optimisers, scaler))


def careful(catch):
    model = nn.Linear(3, 2)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)

    def step(x):
        optimiser.zero_grad()
        catch(lambda: model(x).pow(2).sum().backward())
        torch.ones(2).add(1)
        optimiser.step()
    with sonde.debug(model, optimiser) as d:
        for _ in range(STEPS):
            d.step(step, torch.randn(4, 3))
    print(programs.digest(model, optimiser))


def catches_exceptions():
    def catch(function):
        try:
            function()
        except Exception:
            raise SystemExit("an exception was seen") from None
        finally:
            torch.zeros(2) + 1
    careful(catch)


def catches_everything():
    def catch(function):
        try:
            function()
        except:  # noqa: E722
            pass
    careful(catch)


def fetches():
    """A step that goes another way each time: what it fetches is gone."""
    model = nn.Linear(3, 2)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    batches = iter([torch.randn(4, 3) for _ in range(2 * STEPS)])

    def step():
        optimiser.zero_grad()
        x = next(batches)
        if not hasattr(step, "called"):
            step.called = True
            x = torch.tanh(x)
        model(x).pow(2).sum().backward()
        optimiser.step()
    with sonde.debug(model, optimiser) as d:
        for _ in range(STEPS):
            d.step(step)
    print("over")


if __name__ == "__main__":
    torch.manual_seed(1)
    random.seed(1)
    numpy.random.seed(1)
    torch.set_num_threads(1)
    globals()[sys.argv[1]]()
