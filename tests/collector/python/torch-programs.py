#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trainings that know nothing of Sonde, for tests: the last line is a digest of all weights, buffers and states.

Usage: torch-programs.py NAME [STEPS]
"""
import hashlib
import os
import sys
import threading
import time

import torch
from torch import nn
from torch.nn import functional as F

STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 6


def digest(*owners):
    """Of state_dicts."""
    found = hashlib.sha256()

    def add(value):
        if isinstance(value, torch.Tensor):
            found.update(value.detach().contiguous().view(torch.uint8).numpy().tobytes() if value.dim() else repr(value.item()).encode())
        elif isinstance(value, dict):
            for key in value:
                add(value[key])
        elif isinstance(value, (list, tuple)):
            for item in value:
                add(item)
    for owner in owners:
        add(owner.state_dict())
    return found.hexdigest()


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)

    def forward(self, x):
        return x + torch.relu(self.bn(self.conv(x)))


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.layers, self.fc = nn.Conv2d(1, 4, 3), nn.Sequential(Block(4), Block(4)), nn.Linear(144, 10)

    def forward(self, x):
        return self.fc(self.layers(torch.relu(self.stem(x))).flatten(1))


def train(model, optimiser, batches, loss=F.cross_entropy):
    for x, y in batches:
        optimiser.zero_grad()
        loss(model(x), y).backward()
        optimiser.step()
    print(digest(model, optimiser))


def images(n=STEPS):
    for _ in range(n):
        yield torch.randn(8, 1, 8, 8), torch.randint(0, 10, (8,))


def cnn():
    model = Cnn()
    train(model, torch.optim.Adam(model.parameters(), 1e-3), images())


def seen():
    """Writes what hooks clone in step 2, to compare with what is seen at a stop."""
    model = Cnn()
    kept = {}
    step = [1]

    def keep(name):
        def hook(module, inputs, output):
            if step[0] == 2:
                kept[name] = output.detach().clone()
                output.register_hook(lambda gradient: kept.__setitem__("grad(%s)" % name, gradient.clone()))
        return hook
    model.layers[0].register_forward_hook(keep("layers.0"))
    model.fc.register_forward_hook(keep("fc"))
    optimiser = torch.optim.Adam(model.parameters(), 1e-3)
    for x, y in images():
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimiser.step()
        step[0] += 1
    torch.save(kept, os.environ["SEEN"])


class Lengths(nn.Module):
    """A cell in a loop, of another length each time."""

    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.LSTMCell(5, 7), nn.Linear(7, 3)

    def forward(self, x):
        state = None
        for row in x:
            state = self.cell(row, state)
        return self.out(state[0])


def lstm():
    model = Lengths()
    train(model, torch.optim.SGD(model.parameters(), 0.1, momentum=0.9),
          [(torch.randn(2 + k % 3, 4, 5), torch.randint(0, 3, (4,))) for k in range(STEPS)])


def transformer():
    """bfloat16 by autocast, two micro-batches a step, dropout."""
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(16, 4))
    optimiser = torch.optim.AdamW(model.parameters(), 1e-3)
    for _ in range(STEPS):
        optimiser.zero_grad()
        for _ in range(2):
            with torch.autocast("cpu", torch.bfloat16):
                loss = model(torch.randn(2, 6, 16)).float().pow(2).mean() / 2
            loss.backward()
        optimiser.step()
    print(digest(model, optimiser))


class Tied(nn.Module):
    """One matrix as embedding and head; operators in place; checkpointing; views."""

    def __init__(self):
        super().__init__()
        self.embed, self.middle, self.head = nn.Embedding(11, 8), nn.Linear(8, 8), nn.Linear(8, 11, bias=False)
        self.head.weight = self.embed.weight
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        from torch.utils.checkpoint import checkpoint
        x = checkpoint(self.middle, self.embed(x), use_reentrant=False)
        y = self.relu(x) + 0
        y.add_(1).mul_(0.5)
        y[:, 0] = 0
        return self.head(y).transpose(1, 2)


def tied():
    model = Tied()
    train(model, torch.optim.AdamW(model.parameters(), 1e-2), [(torch.randint(0, 11, (3, 4)), torch.randint(0, 11, (3, 4))) for _ in range(STEPS)])


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 4 * STEPS

    def __getitem__(self, i):
        return torch.full((1, 8, 8), i / 100.0) * 2, i % 10


def workers():
    model = Cnn()
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=4, num_workers=2)
    train(model, torch.optim.SGD(model.parameters(), 0.1), loader)


def fork():
    """A child that computes while the parent is debugged."""
    model = Cnn()
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in images():
        child = os.fork()
        if child == 0:
            with torch.no_grad():
                os._exit(0 if model(x).isfinite().all() else 1)
        assert os.waitpid(child, 0)[1] == 0
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimiser.step()
    print(digest(model, optimiser))


def thread():
    worker = threading.Thread(target=cnn)
    worker.start()
    worker.join()


class Broken(nn.Module):
    """The second module raises now and then, which is caught."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 2)
        self.n = 0

    def forward(self, x):
        self.n += 1
        x = self.first(x)
        try:
            return self.second(x if self.n % 2 else x[:, :3])
        except RuntimeError:
            return self.second(x.clone())


class Shapes(nn.Module):
    """From its third call on the second layer does not fit, or a check in Python fails, or its backward does."""

    def __init__(self, how):
        super().__init__()
        self.first, self.second = nn.Linear(4, 3), nn.Linear(3, 2)
        self.how, self.n = how, 0

    def forward(self, x):
        self.n += 1
        x = self.first(x)
        if self.n < 3 or self.how == "backward":
            return self.second(Careful.apply(x, self.n)) if self.how == "backward" else self.second(x)
        if self.how == "python":
            raise ValueError("three is too many")
        return self.second(x[:, :2])


class Careful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        return (gradient @ torch.ones(3 if ctx.n < 3 else 2, 3)), None


def fails(how="shapes"):
    """A training that goes on after errors, as its user wants it to."""
    model = Shapes(how)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(STEPS):
        optimiser.zero_grad()
        x, y = torch.randn(3, 4), torch.randint(0, 2, (3,))
        try:
            F.cross_entropy(model(x), y).backward()
        except (RuntimeError, ValueError):
            continue
        optimiser.step()
    print(digest(model, optimiser))


def fails_in_python():
    fails("python")


def fails_in_backward():
    fails("backward")


def raises():
    model = Broken()
    train(model, torch.optim.SGD(model.parameters(), 0.1), [(torch.randn(3, 4), torch.randint(0, 2, (3,))) for _ in range(STEPS)])


class Nan(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.n = 0

    def forward(self, x):
        self.n += 1
        y = self.fc(x)
        if self.n == 3:
            y = (y - y) / (y - y)
        return y


class Odd:
    """What a module may give, too."""

    def __init__(self, tensor):
        self.__dict__["tensor"] = tensor

    def __getattr__(self, name):
        raise RuntimeError("there is no " + name)


class GivesOdd(nn.Module):
    def forward(self, x):
        return Odd(x)


class HasOdd(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.odd = nn.Linear(3, 2), GivesOdd()

    def forward(self, x):
        return self.odd(self.fc(x)).__dict__["tensor"]


def odd():
    model = HasOdd()
    train(model, torch.optim.SGD(model.parameters(), 0.1), [(torch.randn(3, 3), torch.randint(0, 2, (3,))) for _ in range(STEPS)])


def exported():
    """In the second step it is exported, by the way that traces."""
    import io
    model = Cnn()

    def batches():
        for k, (x, y) in enumerate(images()):
            if k == 1:
                file = io.BytesIO()
                torch.onnx.export(model, (x,), file, dynamo=False)
                print(len(file.getvalue()))
            yield x, y
    train(model, torch.optim.SGD(model.parameters(), 0.1), batches())


def ranks():
    """One of two processes that average their gradients over the loopback interface; RANK, WORLD_SIZE and STORE, a file, are set."""
    rank = int(os.environ["RANK"])
    torch.distributed.init_process_group("gloo", init_method="file://" + os.environ["STORE"], rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(Cnn())
    torch.manual_seed(rank)
    train(model, torch.optim.SGD(model.parameters(), 0.1), images())
    torch.distributed.destroy_process_group()


class Views(nn.Module):
    """Views of a weight that was written before, and of what is written after."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(4, 4))
        with torch.no_grad():
            self.weight.fill_(2)

    def forward(self, x):
        y = x.matmul(self.weight.t())
        first, second = y.split(2, 1)
        y = first * second
        return y


def views():
    model = Views()
    train(model, torch.optim.SGD(model.parameters(), 0.1), [(torch.randn(3, 4), torch.randint(0, 2, (3,))) for _ in range(STEPS)])


def nan():
    model = Nan()
    train(model, torch.optim.SGD(model.parameters(), 0.1), [(torch.randn(3, 3), torch.randint(0, 3, (3,))) for _ in range(STEPS)])


def infinity():
    """In backward alone: the root of zero."""
    weight = nn.Parameter(torch.ones(3))
    optimiser = torch.optim.SGD([weight], 0.1)
    for k in range(STEPS):
        optimiser.zero_grad()
        x = weight * (0 if k == 2 else 1)
        x.abs().sqrt().sum().backward()
        with torch.no_grad():
            weight.grad.nan_to_num_(0, 0, 0)
        optimiser.step()
    print(hashlib.sha256(weight.detach().numpy().tobytes()).hexdigest())


def modes():
    """The user's own mode, and a higher-order operator."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Count(TorchDispatchMode):
        n = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            Count.n += 1
            return func(*args, **(kwargs or {}))
    model = Cnn()
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in images():
        with Count():
            optimiser.zero_grad()
            F.cross_entropy(model(x), y).backward()
        optimiser.step()
    print(digest(model, optimiser))


def stacks():
    """How deep the stack of dispatch modes was, at most and in the end; until there is a file."""
    from torch.utils._python_dispatch import _len_torch_dispatch_stack
    model, deepest = Cnn(), [0]
    model.fc.register_forward_hook(lambda *_: deepest.append(max(deepest.pop(), _len_torch_dispatch_stack())))
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    while not os.path.exists(os.environ["ENOUGH"]):
        train(model, optimiser, images(1))
    train(model, optimiser, images(3))
    print(deepest[0], _len_torch_dispatch_stack())


def depths():
    """How deep the stack of dispatch modes was in each step's last module."""
    from torch.utils._python_dispatch import _len_torch_dispatch_stack
    model, found = Cnn(), []
    model.fc.register_forward_hook(lambda *_: found.append(_len_torch_dispatch_stack()))
    train(model, torch.optim.SGD(model.parameters(), 0.1), images())
    print(*found)


def compiled():
    model = torch.compile(Cnn(), backend="aot_eager")
    train(model, torch.optim.SGD(model.parameters(), 0.1), images())


def compiled_part():
    """One module of it is compiled."""
    model = Cnn()
    model.fc = torch.compile(model.fc, backend="aot_eager")
    train(model, torch.optim.SGD(model.parameters(), 0.1), images())


def sleepy():
    """Runs until it is ended; says which step it is in."""
    model = Cnn()
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    try:
        for k in range(100000):
            x, y = next(images(1))
            optimiser.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimiser.step()
            print("step", k + 1, flush=True)
            time.sleep(0.01)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        raise SystemExit(3)


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_num_threads(1)
    globals()[sys.argv[1]]()
