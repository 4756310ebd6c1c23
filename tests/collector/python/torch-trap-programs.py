#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trainings that hold what a debugger inside PyTorch falls into easily, for tests: the last line is a digest of their weights.

Usage: torch-trap-programs.py NAME [STEPS]
"""
import hashlib
import os
import sys
import threading

import torch
from torch import nn
from torch.nn import functional as F

STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 4


def finish(model):
    found = hashlib.sha256()
    for tensor in model.state_dict().values():
        found.update(tensor.numpy().tobytes())
    print(found.hexdigest())


def train(model, optimiser=None, shape=(2, 3)):
    optimiser = optimiser or torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(STEPS):
        optimiser.zero_grad()
        model(torch.randn(*shape)).square().sum().backward()
        optimiser.step()
    finish(model)


def two_layers():
    return nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 2))


def foreach():
    """One operator of the optimiser for all parameters."""
    model = two_layers()
    train(model, torch.optim.AdamW(model.parameters(), 0.1, foreach=True))


def fused():
    model = two_layers()
    train(model, torch.optim.AdamW(model.parameters(), 0.1, fused=True))


class Pieces(nn.Module):
    """Operators that give lists, one longer than what a condition looks at cheaply, with a NaN near its end in step 3."""

    def __init__(self):
        super().__init__()
        self.fc, self.n = nn.Linear(3, 20), 0

    def forward(self, x):
        self.n += 1
        first, second = self.fc(x).split(10, 1)
        parts = torch._foreach_mul([piece.clone() for piece in torch.cat((first, second), 1).unbind(1)], 2)
        if self.n == 3:
            parts = torch._foreach_div(list(parts), [torch.ones(2)] * 18 + [parts[18] * 0] * 2)
        return torch.stack(list(parts)).nan_to_num(0, 0, 0)


def pieces():
    train(Pieces())


class Views(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        y = self.fc(x)
        rows = y.view(-1)
        other = rows[:2]
        return rows * 2 + other.sum()


def views():
    train(Views())


def inference():
    """Tensors without a count of versions."""
    model = two_layers()
    with torch.inference_mode():
        for _ in range(STEPS):
            model(torch.randn(2, 3)).add_(1)
    finish(model)


class Branches(nn.Module):
    """An operator whose arguments are functions."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        y = self.fc(x)
        return torch.cond(y.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (y,))


def branches():
    train(Branches())


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = self.first

    def forward(self, x):
        return self.second(self.first(x))


def shared():
    train(Shared())


def no_optimiser():
    """The weights are moved by hand: a step ends where the model is called again."""
    model = two_layers()
    for _ in range(STEPS):
        model(torch.randn(2, 3)).sum().backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= 0.1 * parameter.grad
                parameter.grad = None
    finish(model)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        y = self.fc(x)
        with sdpa_kernel(SDPBackend.MATH):
            return F.scaled_dot_product_attention(y, y, y)


def attention():
    train(Attention(), shape=(2, 2, 4, 8))


def beside():
    """Another thread counts, while the training may stand; it ends when there is a file."""
    model, count = two_layers(), [0]
    done = threading.Event()

    def go():
        while not done.wait(0.001):
            count[0] += 1
            if count[0] % 20 == 0:
                with open(os.environ["COUNT"], "w", encoding="utf-8") as file:
                    file.write(str(count[0]))
    thread = threading.Thread(target=go)
    thread.start()
    train(model)
    done.set()
    thread.join()


def elsewhere():
    """The training runs in another thread, for as long as there is no file, while the main one waits."""
    def go():
        model = two_layers()
        optimiser = torch.optim.SGD(model.parameters(), 0.01)
        print("begun", flush=True)
        while not os.path.exists(os.environ["ENOUGH"]):
            optimiser.zero_grad()
            model(torch.randn(2, 3)).square().sum().backward()
            optimiser.step()
    thread = threading.Thread(target=go, name="trainer")
    thread.start()
    while thread.is_alive():
        thread.join(0.01)
    print("over")


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_num_threads(1)
    globals()[sys.argv[1]]()
