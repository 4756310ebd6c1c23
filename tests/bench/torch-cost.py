#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the debugger costs a training in PyTorch: CPU time of this process (all its threads), one thread of PyTorch, variants in
turn, minima of steps over all rounds, as ratios to the plain step. The debugger is `sonde debug --attach --repl --json`, a process
of its own. Beside it, in the same sitting: a TorchDispatchMode that does nothing (the least that seeing every operator costs),
statistics computed by PyTorch, DebugMode and anomaly mode.
"""
import argparse
import contextlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

import torch
from torch.utils._python_dispatch import TorchDispatchMode

HERE = os.path.dirname(os.path.abspath(__file__))

# Net of training-peers.py, shape of a batch.
BATCHES = {
    "mlp": (64, 784),
    "lenet": (16, 1, 28, 28),
    "lstm": (16, 32, 64),
    "resnet20": (8, 3, 32, 32),
    "encoder": (4, 32, 256),
}
# Nothing of a sound training meets them.
ON_VALUES = ["tensor_overflow", "operator_overflow", "tensor_too_large abs_mean_gt=1e30 max_gt=1e30 min_gt=1e30 mean_gt=1e30",
             "tensor_too_small abs_mean_lt=-1 max_lt=-1e30 min_lt=-1e30 mean_lt=-1e30", "tensor_all_zero",
             "tensor_range range_start_inclusive=-1e30 range_end_inclusive=1e30 range_percentage_lt=0 max_min_gt=1e30",
             "activation_range range_start_inclusive=-1e29 range_end_inclusive=1e29 range_percentage_lt=0 max_min_gt=1e30"]
ONCE_A_STEP = ["weight_overflow", "weight_too_large abs_mean_gt=1e30 max_gt=1e30", "weight_too_small abs_mean_lt=-1 min_lt=-1e30",
               "gradient_vanishing abs_mean_lt=-1 min_lt=-1e30", "gradient_too_large abs_mean_gt=1e30 max_gt=1e30",
               "gradient_exploding"]


def load_nets():
    spec = importlib.util.spec_from_file_location("training_peers", os.path.join(HERE, "training-peers.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Client:
    """A debugger of this very process."""

    def __init__(self, sonde):
        self.process = subprocess.Popen([sonde, "debug", "--attach", str(os.getpid()), "--repl", "--json"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def do(self, line, meanwhile):
        """Calls `meanwhile` until the answer is there."""
        answers = []
        reader = threading.Thread(target=lambda: answers.append(self._ask(line)))
        reader.start()
        while reader.is_alive():
            meanwhile()
        reader.join()
        if '"ok": true' not in answers[0] and '"ok":true' not in answers[0]:
            raise SystemExit("torch-cost: “%s” was answered with %s" % (line, answers[0]))

    def _ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        for answer in self.process.stdout:
            if '"command"' in answer:
                return answer
        return "nothing"

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


# ---- variants ---------------------------------------------------------------


class Empty(TorchDispatchMode):
    """What every operator pays as soon as a mode is on."""
    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls):
        return False

    @classmethod
    def ignore_compile_internals(cls):
        return True

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **kwargs) if kwargs else func(*args)


class Counting(Empty):
    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


class InTorch(Empty):
    """Statistics of all outputs, left where they are."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in out if isinstance(out, (list, tuple)) else [out]:
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point() and tensor.numel() > 0 and not func.is_view:
                self.last = tensor.min(), tensor.max(), tensor.mean(), tensor.isnan().sum()
        return out


@contextlib.contextmanager
def debug_mode():
    from torch.utils._debug_mode import DebugMode
    with DebugMode():
        yield


class Variants:
    def __init__(self, sonde, peer):
        import sonde as package
        self.package, self.program, self.peer = package, sonde, peer

    @contextlib.contextmanager
    def attached(self, *lines):
        with self.package.debug(self.peer.net, self.peer.optimiser):
            client = Client(self.program)
            try:
                for line in ("info state", *lines):
                    client.do(line, self.peer.step)
                yield
            finally:
                client.close()

    def all(self):
        def watches(texts):
            return ["watch preset %s nostop" % text for text in texts]
        return {
            "plain": contextlib.nullcontext,
            "with sonde.debug, nobody attached": lambda: self.package.debug(self.peer.net, self.peer.optimiser),
            "attached, nothing armed": self.attached,
            "an empty TorchDispatchMode": Empty,
            "a breakpoint on a module, never hit": lambda: self.attached("break nothing_like_it"),
            "a breakpoint on an operator, never hit": lambda: self.attached("break op:nothing_like_it"),
            "all conditions on values": lambda: self.attached(*watches(ON_VALUES)),
            "… and on weights and gradients": lambda: self.attached(*watches(ON_VALUES + ONCE_A_STEP)),
            "statistics in PyTorch": InTorch,
            "DebugMode": debug_mode,
            "anomaly mode": lambda: torch.autograd.set_detect_anomaly(True),
        }


# ---- measuring --------------------------------------------------------------


def shortest(function, times):
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def count_operators(peer):
    with Counting() as mode:
        peer.step()
    return mode.count


def measure(variants, step, rounds, times):
    """By variant: the shortest step in seconds."""
    best = {}
    for _ in range(rounds):
        for name, enter in variants.items():
            with enter():
                for _ in range(3):
                    step()
                best[name] = min(best.get(name, float("inf")), shortest(step, times))
    return best


def choose(arguments, peer):
    variants = Variants(arguments.sonde, peer).all()
    return {key: enter for key, enter in variants.items() if key == "plain" or re.search(arguments.variants, key)}


def compare_steps(arguments):
    nets = load_nets()
    torch.set_num_threads(1)
    table = {}
    for name in arguments.only.split(","):
        peer = nets.Peer(nets.NETS[name][0], BATCHES[name])
        for _ in range(3):
            peer.step()
        times = max(3, int(arguments.seconds / shortest(peer.step, 5)))
        operators = count_operators(peer)
        best = measure(choose(arguments, peer), peer.step, arguments.rounds, times)
        table["%s %s (%d operators, %.1f ms)" % (name, "×".join(map(str, BATCHES[name])), operators, 1000 * best["plain"])] = best
        print_table({key: best for key, best in list(table.items())[-1:]})
    if len(table) > 1:
        print_table(table)


def print_table(table):
    print("| step, ratio to plain | %s |" % " | ".join(table))
    print("|---" * (len(table) + 1) + "|")
    for variant in next(iter(table.values())):
        if variant != "plain":
            print("| %s | %s |" % (variant, " | ".join("%.3f" % (best[variant] / best["plain"]) for best in table.values())))
    print(flush=True)


# ---- one operator -----------------------------------------------------------


class Operators:
    """A net of nothing but small operators, and a training of it."""

    def __init__(self, many=2000):
        class Net(torch.nn.Module):
            def forward(self, x):
                for _ in range(many):
                    x = torch.neg(x)
                return x
        self.net, self.x, self.many = Net(), torch.randn(4), many
        self.optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], 0.1)

    def step(self):
        with torch.no_grad():
            self.net(self.x)
        self.optimiser.step()


def compare_operator(arguments):
    torch.set_num_threads(1)
    peer = Operators()
    best = measure(choose(arguments, peer), peer.step, arguments.rounds, 20)
    print("neg of four numbers: %.2f µs; more in a module:" % (1e6 * best["plain"] / peer.many))
    for variant, seconds in best.items():
        if variant != "plain":
            print("| %s | + %.2f µs |" % (variant, 1e6 * (seconds - best["plain"]) / peer.many), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sonde", help="BUILD/app/sonde; PYTHONPATH and SONDE_LIBRARY have to name the module and libsonde-live.so")
    parser.add_argument("section", choices=("steps", "operator"), help="training steps, or one small operator")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each variant in each round")
    parser.add_argument("--only", default=",".join(BATCHES), help="nets, separated by commas")
    parser.add_argument("--variants", default=".", help="a regular expression of their names")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        {"steps": compare_steps, "operator": compare_operator}[arguments.section](arguments)


if __name__ == "__main__":
    main()
