#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How soon a training in PyTorch answers a debugger (`sonde debug --attach --repl --json`, as people have it): its state while it
runs; a pause, beside the operator that it has to wait for; at a stop statistics and a part of ten million elements. And
how long `import sonde` takes. Medians and the worst, in ms.
"""
import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = """
import sys, time, torch
torch.set_num_threads(1)
class Big(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x)
model, x = Big(), torch.randn(10_000_000)
optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], 0.1)
best = min((lambda a: (model(x), time.perf_counter() - a)[1])(time.perf_counter()) for _ in range(5))
print(best, flush=True)
import sonde
with sonde.debug(model, optimiser):
    while True:
        model(x)
        optimiser.step()
"""


class Client:
    def __init__(self, sonde, pid):
        self.process = subprocess.Popen([sonde, "debug", "--attach", str(pid), "--repl", "--json"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        for answer in self.process.stdout:
            found = json.loads(answer)
            if "command" in found:
                if not found["ok"]:
                    raise SystemExit("torch-answers: %s: %s" % (line, found.get("error")))
                return found
        raise SystemExit("torch-answers: no answer to “%s”" % line)

    def time(self, line):
        start = time.perf_counter()
        self.do(line)
        return 1000 * (time.perf_counter() - start)


    def close(self):
        """The program goes on."""
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def say(what, times):
    print("| %s | %.2f | %.2f |" % (what, statistics.median(times), max(times)), flush=True)


@contextlib.contextmanager
def running():
    """(pid, milliseconds of its one operator) of a program that can be attached to."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        program = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
        try:
            operator = 1000 * float(program.stdout.readline())
            while not os.path.exists(os.path.join(folder, "sonde", "%d.sock" % program.pid)):
                time.sleep(0.01)
            yield program.pid, operator
        finally:
            program.kill()
            program.wait()
            program.stdout.close()


def measure_answers(sonde, rounds):
    states, pauses = [], []
    with running() as (pid, operator):
        for _ in range(rounds):
            client = Client(sonde, pid)
            states += [client.time("info state") for _ in range(3)]
            pauses.append(client.time("pause"))
            client.close()
    say("state of a running program", states)
    say("pause, where an operator takes %.1f ms" % operator, pauses)


def measure_values(sonde, rounds):
    times = []
    with running() as (pid, _):
        client = Client(sonde, pid)
        client.do("break op:tanh after")
        client.do("pause")
        for _ in range(rounds):
            node = client.do("continue")["node"]
            times.append(client.time("stats " + node) + client.time("print %s[0:1000]" % node))
        client.close()
    say("at a stop: statistics and a thousand of 10,000,000 elements", times)


def measure_import(rounds):
    code = "import time; a = time.perf_counter(); import sonde; b = time.perf_counter(); import sys; print(b - a, 'torch' in sys.modules)"
    times = []
    for _ in range(rounds):
        seconds, has_torch = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        if has_torch == "True":
            raise SystemExit("torch-answers: import sonde imports torch")
        times.append(1000 * float(seconds))
    say("import sonde, without torch", times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sonde", help="BUILD/app/sonde; PYTHONPATH and SONDE_LIBRARY have to name the module and libsonde-live.so")
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    print("| answer | median ms | most ms |\n|---|---|---|")
    measure_import(arguments.rounds)
    measure_answers(arguments.sonde, arguments.rounds)
    measure_values(arguments.sonde, arguments.rounds)


if __name__ == "__main__":
    main()
