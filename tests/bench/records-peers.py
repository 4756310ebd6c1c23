# SPDX-License-Identifier: Apache-2.0
"""First and second opening of large TensorBoard logs by Sonde's run store and by TensorBoard's Rust server, interleaved.

usage: records-peers.py BENCH-RECORDS PEERS DATA [--rounds N] [--only S1,S2,…] [--no-peer]
  BENCH-RECORDS: the program tests/bench/bench-records; PEERS: folder of the generators and loaders
  (shared/tools/peers/records); DATA: a folder that keeps the logs (4 GB for all)
Needs tensorboard and tensorboard-data-server, H, I and B numpy, pillow and crc32c besides.
Prints a table in Markdown: best of the rounds, and the same for processor seconds, which a busy machine
disturbs least."""
import argparse, json, os, shutil, subprocess, sys, tempfile

LOGS = {  # arguments of the generator; last step, kind and further arguments of the loader
    "S1": (["1", "10", "100000"], ["99999", "scalars"]),
    "S2": (["200", "10", "5000"], ["4999", "scalars"]),
    "S3": (["1", "1", "10000000"], ["9999999", "scalars"]),
    "H": (None, ["499", "tensors"]),
    "I": (None, ["499", "blobs"]),
    "B": (None, ["0", "scalars", "--mix"]),
}


def make(name, peers, data):
    folder = os.path.join(data, "tb", name)
    generator = os.path.join(data, "gen_scalars")
    os.makedirs(os.path.join(data, "tb"), exist_ok=True)
    if not os.path.exists(generator):
        subprocess.check_call(["cc", "-O2", "-msse4.2", "-o", generator, os.path.join(peers, "gen_scalars.c"), "-lm"])
    if os.path.isdir(folder):
        return folder
    if LOGS[name][0]:
        subprocess.check_call([generator, "tb", folder] + LOGS[name][0])
    else:
        subprocess.check_call([sys.executable, os.path.join(peers, "gen_mixed.py"), os.path.join(data, "tb"), name, generator])
    return folder


def size_of(folder):
    return sum(os.path.getsize(os.path.join(at, f)) for at, _, files in os.walk(folder) for f in files)


def run(command):
    before = os.times()
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = os.times()
    result = json.loads(out.strip().splitlines()[-1])
    result.setdefault("cpu", after.children_user + after.children_system - before.children_user - before.children_system)
    return result


def measure(name, options):
    folder = make(name, options.peers, options.data)
    ours, again, theirs = [], [], []
    subprocess.call("cat $(find %s -type f) > /dev/null" % folder, shell=True)
    for _ in range(options.rounds):
        index = tempfile.mkdtemp(prefix="sonde-index-", dir=options.data)
        ours.append(run([options.bench, "open", folder, index]))
        index_bytes = size_of(index)
        again.append(run([options.bench, "open", folder, index]))
        shutil.rmtree(index)
        if not options.no_peer:
            theirs.append(run([sys.executable, os.path.join(options.peers, "load_tb_rust.py"), folder] + LOGS[name][1]))
            theirs[-1]["cpu"] -= options.own_cost
    best = lambda rows, key: min(row[key] for row in rows)
    row = [name, "%.0f MB" % (size_of(folder) / 1e6), "%.2f" % best(ours, "seconds"), "%.2f" % best(ours, "cpu"),
           "%.2f / %.2f" % (best(theirs, "seconds"), best(theirs, "cpu")) if theirs else "-",
           "%.2f" % (best(ours, "seconds") / best(theirs, "seconds")) if theirs else "-",
           "%.2f" % (best(ours, "cpu") / best(theirs, "cpu")) if theirs else "-",
           "%.0f" % (1000 * best(again, "first_chart")), "%.0f" % best(ours, "peak_mb"),
           "%.1f" % (index_bytes / ours[0]["points"]) if ours[0]["points"] > ours[0]["blobs"] else "%.2f %%" % (100 * index_bytes / size_of(folder)),
           "%.2f, %.2f" % (best(again, "view_first_ms"), best(again, "view_worst_ms"))]
    print("| " + " | ".join(row) + " |", flush=True)


def own_cost(options):
    """Processor seconds of the loader itself, without a log worth the name."""
    if options.no_peer:
        return 0
    generator = os.path.join(options.data, "gen_scalars")
    make("S1", options.peers, options.data)
    with tempfile.TemporaryDirectory(dir=options.data) as folder:
        subprocess.check_call([generator, "tb", os.path.join(folder, "tiny"), "1", "1", "10"])
        command = [sys.executable, os.path.join(options.peers, "load_tb_rust.py"), os.path.join(folder, "tiny"), "9", "scalars"]
        return min(run(command)["cpu"] for _ in range(3))


parser = argparse.ArgumentParser()
parser.add_argument("bench")
parser.add_argument("peers")
parser.add_argument("data")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--only", default="S1,S2,S3,H,I,B")
parser.add_argument("--no-peer", action="store_true")
options = parser.parse_args()
options.own_cost = own_cost(options)
print("| log | size | first open, s | CPU s | Rust server, s / CPU s | ratio | CPU ratio | second open, first chart, ms | peak MB | index bytes a point or % of blobs | 2,000-pixel view of all, cold, and the worst of 60, ms |")
print("|---|---|---|---|---|---|---|---|---|---|---|")
for name in options.only.split(","):
    measure(name, options)
for watch in ("notices", "poll"):
    with tempfile.TemporaryDirectory(dir=options.data) as folder:
        environment = dict(os.environ, SONDE_WATCH=watch)
        print("tail, %s: %s" % (watch, subprocess.run([options.bench, "tail", folder, "300"], env=environment,
                                                        capture_output=True, text=True).stdout.strip()), flush=True)
