#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long it takes from a stop until a node's values can be shown, for a value of ten million elements: what the window
asks for after each stop (the stop itself, statistics of what the node read and made, and the part that is seen).

usage: debugger-latency.py SONDE MODEL [ROUNDS]; MODEL: made by `bench-diverge --model FILE`
"""
import json
import subprocess
import sys
import time


def main():
    program, model = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    child = subprocess.Popen([program, "debug", model, "--repl", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(line):
        begin = time.perf_counter()
        child.stdin.write(line + "\n")
        child.stdin.flush()
        answer = json.loads(child.stdout.readline())
        if not answer["ok"]:
            sys.exit(f"{line}: {answer.get('error')}")
        return (time.perf_counter() - begin) * 1000

    ask("until neg")
    best = {}
    for _ in range(rounds):
        ask("back")
        times = {
            "the node itself, and the stop": ask("step"),
            "statistics of the value": ask("stats y"),
            "64 x 64 elements of it": ask("print y[0, :64, :64]"),
        }
        times["statistics, and the elements seen"] = times["statistics of the value"] + times["64 x 64 elements of it"]
        for name, ms in times.items():
            best.setdefault(name, []).append(ms)
    for name, list_of_ms in best.items():
        list_of_ms.sort()
        print(f"{name}: {list_of_ms[0]:.1f} ms (median {list_of_ms[len(list_of_ms) // 2]:.1f})")
    child.stdin.close()
    child.wait()


if __name__ == "__main__":
    main()
