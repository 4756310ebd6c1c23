#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trainings whose second step makes a NaN or an infinity, each another way.

Usage: torch-origin-programs.py NAME
"""
import sys

import torch
from torch import nn

STEPS, BAD_STEP = 3, 2


class Net(nn.Module):
    """`fault` lies between two layers."""

    def __init__(self, fault):
        super().__init__()
        self.first, self.last, self.fault, self.is_bad = nn.Linear(3, 3), nn.Linear(3, 2), fault, False

    def forward(self, x):
        y = torch.tanh(self.first(x))
        return self.last(self.fault(y) if self.is_bad else y)


def written_over(y):
    z = y / 0
    bad = z * 1
    z.zero_()
    return bad


def in_place(y):
    return y.clone().div_(0)


def all_masked(y):
    row = torch.arange(len(y)).unsqueeze(1) == 1
    return torch.softmax(y.masked_fill(row, float("-inf")), -1)


FAULTS = {
    "zero_by_zero": lambda y: (y - y) / (y - y),
    "log_of_zero": lambda y: torch.log(y * 0),
    "sqrt_at_zero": lambda y: torch.sqrt(y * 0),
    "half": lambda y: (y * 0 + 70000).half().float(),
    "exponential": lambda y: torch.exp(y * 0 + 100),
    "healthy": lambda y: y * 2,
    "written_over": written_over,
    "in_place": in_place,
    "all_masked": all_masked,
}


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = Net(FAULTS[sys.argv[1]])
    optimiser = torch.optim.SGD(model.parameters(), 0.01)
    for step in range(1, STEPS + 1):
        model.is_bad = step == BAD_STEP
        optimiser.zero_grad()
        model(torch.randn(4, 3)).pow(2).mean().backward()
        optimiser.step()
    print("done")


if __name__ == "__main__":
    main()
