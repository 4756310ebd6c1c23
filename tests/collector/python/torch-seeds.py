#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models with a NaN or an infinity seeded at a known operator of their second step, one debugged after the other. Before each
its operator is printed: "SEED WHERE NODE". The program knows where it seeds, not what a debugger would say.

Usage: torch-seeds.py forward|backward FIRST COUNT
"""
import os
import random
import sys

import torch
from torch import nn

os.environ.pop("SONDE_DEBUG", None)  # each model is debugged by itself
import sonde  # noqa: E402

WIDTH = 8
BAD_STEP = 2


def overflow(y):
    return (y.sigmoid() + 1) * 1e38 * 1e38


# What goes wrong, and the operator where it shows first.
FORWARD = [
    (lambda y: (y - y) / (y - y), "div"),
    (lambda y: torch.log(-1 - y.abs()), "log"),
    (lambda y: torch.sqrt(-1 - y.abs()), "sqrt"),
    (lambda y: torch.exp(y.abs() + 1000), "exp"),
    (lambda y: y.clone().div_(0), "div_"),
    (overflow, "mul_1"),
]
# In these all of forward is finite.
BACKWARD = [
    (lambda y: torch.sqrt(y * 0), "SqrtBackward0/div"),
    (lambda y: torch.pow(y * 0, 0.5), "PowBackward0/pow"),
    (lambda y: torch.acos(y * 0 + 1), "AcosBackward0/rsqrt"),
]


class Fault(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function, self.is_on = function, False

    def forward(self, y):
        return self.function(y) if self.is_on else y * 1


class InPlace(nn.Module):
    def forward(self, y):
        return y.clone().mul_(0.5).add_(1)


class Residual(nn.Module):
    def __init__(self, *stages):
        super().__init__()
        self.inner = nn.Sequential(*stages)

    def forward(self, y):
        return y + self.inner(y)


class Twice(nn.Module):
    """Its stages are called two times."""

    def __init__(self, *stages):
        super().__init__()
        self.again = nn.Sequential(*stages)

    def forward(self, y):
        return self.again(torch.tanh(self.again(y)))


def stage(choice):
    return choice.choice([lambda: nn.Linear(WIDTH, WIDTH), nn.ReLU, nn.Tanh, nn.Sigmoid, nn.GELU, lambda: nn.LayerNorm(WIDTH),
                          lambda: nn.Softplus(beta=2), InPlace, nn.SiLU])()


def build(seed, where):
    """(model, its fault, name of the operator): in backward the last call comes first."""
    choice = random.Random(seed)
    function, op = choice.choice(FORWARD if where == "forward" else BACKWARD)
    fault = Fault(function)
    part = [stage(choice) for _ in range(choice.randrange(4))]
    place = choice.randrange(len(part) + 1)
    part.insert(place, fault)
    around = choice.choice([None, Residual, Twice])
    stages = [nn.Linear(WIDTH, WIDTH)] + [stage(choice) for _ in range(choice.randrange(8))]
    at = choice.randrange(1, len(stages) + 1)
    if around is None:
        stages[at:at] = part
        path = "%d" % (at + place)
    else:
        stages.insert(at, around(*part))
        path = "%d.%s.%d" % (at, "inner" if around is Residual else "again", place)
    call = "#2" if around is Twice and where == "backward" else ""
    return nn.Sequential(*stages, nn.Linear(WIDTH, 3)), fault, "%s%s/%s" % (path, call, op)


def train(model, fault, optimiser):
    with sonde.debug(model, optimiser, wait=True):
        for step in range(1, BAD_STEP + 2):
            fault.is_on = step == BAD_STEP
            optimiser.zero_grad()
            nn.functional.cross_entropy(model(torch.randn(4, WIDTH)), torch.tensor([0, 1, 2, 0])).backward()
            optimiser.step()
            for parameter in model.parameters():
                parameter.data.nan_to_num_(0, 0, 0)


def main():
    torch.set_num_threads(1)
    where, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + count):
        torch.manual_seed(seed)
        model, fault, node = build(seed, where)
        print(seed, where, node, flush=True)
        train(model, fault, torch.optim.SGD(model.parameters(), 0.01))
    print("done", flush=True)


if __name__ == "__main__":
    main()
