#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An ordinary training in PyTorch that knows nothing of Sonde: bars of four directions, a small network, and a loss written by
hand that is wrong for who is sure: the gradient of the logarithm of a share that is nearly 0 is infinite, while the loss is not.
`scripts/demo --torch` finds the operator.

Usage: torch-glyphs.py [STEPS]
"""
import sys

import torch
from torch import nn


def draw(n, generator):
    """n pictures [n, 1, 12, 12] of a bar that lies, stands, rises or falls, under noise, and which."""
    kinds = torch.randint(0, 4, (n,), generator=generator)
    offsets = torch.randint(-3, 4, (n,), generator=generator).tolist()
    places = torch.arange(12)
    pictures = 0.2 * torch.randn(n, 1, 12, 12, generator=generator)
    for picture, kind, offset in zip(pictures, kinds.tolist(), offsets):
        if kind == 0:
            picture[0, 6 + offset] += 1
        elif kind == 1:
            picture[0, :, 6 + offset] += 1
        else:
            columns = (places + offset if kind == 2 else 11 - places + offset).clamp(0, 11)
            picture[0, places, columns] += 1
    return pictures, kinds


class Glyphs(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(8 * 5 * 5, 4)

    def forward(self, pictures):
        return self.head(self.features(pictures).flatten(1))


def loss_of(scores, kinds):
    """Right on paper; cross_entropy() would not overflow."""
    shares = torch.softmax(scores, 1)
    return -torch.log(shares[torch.arange(len(kinds)), kinds]).mean()


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(2)
    model = Glyphs()
    optimiser = torch.optim.SGD(model.parameters(), 0.8, momentum=0.9)
    for step in range(1, (int(sys.argv[1]) if len(sys.argv) > 1 else 60) + 1):
        pictures, kinds = draw(32, generator)
        loss = loss_of(model(pictures), kinds)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 10 == 0:
            print("step %d, loss %.4f" % (step, loss.item()), flush=True)


if __name__ == "__main__":
    main()
