#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run models through `sonde infer` and ONNX Runtime in turns, and print the ratios.

usage: engine-peers.py MODELS_DIR SONDE [--threads 1,2] [--rounds 5] [--seconds 0.4] [--only GLOB] [--inside] [--markdown FILE]
MODELS_DIR: as engine-models.py writes it. Needs (PyPI): onnxruntime numpy; torch for the PyTorch column (left out without it).

Every measurement is a process of its own, both sides in turns and bound to the same processors; a round's figure is the
minimum of its runs, a model's ratio the median over the rounds. `--inside` adds what looking inside costs: every value kept,
the time of every node, statistics of every value, beside ONNX Runtime with every value as an output and with its profiler.
"""
import argparse
import fnmatch
import importlib.util
import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SELF = pathlib.Path(__file__).resolve()


# ---- one measurement of a peer, in a process of its own --------------------------------------------------------

def measure(run, seconds):
    """Minimum and median over about that many seconds, at least three runs after one that does not count."""
    run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or (time.perf_counter() < end and len(times) < 20000):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return {"runs": len(times), "min": 1000 * min(times), "median": 1000 * statistics.median(times)}


def all_outputs(path):
    import onnx
    model = onnx.shape_inference.infer_shapes(onnx.load(path))
    known = {o.name for o in model.graph.output}
    types = {v.name: v for v in model.graph.value_info}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in known:
                model.graph.output.append(types.get(name, onnx.ValueInfoProto(name=name)))
    return model.SerializeToString()


def peer_onnxruntime(path, threads, seconds, inside):
    import numpy as np
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    if threads > 1:
        options.add_session_config_entry("session.intra_op_thread_affinities", ";".join(str(k + 1) for k in range(1, threads)))
    if inside == "profile":
        options.enable_profiling, options.profile_file_prefix = True, tempfile.mktemp()
    source = all_outputs(path) if inside == "all" else str(path)
    start = time.perf_counter()
    session = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    load = 1000 * (time.perf_counter() - start)
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    data = np.load(path.with_suffix(".npz"))
    inputs = {name: data[name] for name in data.files}
    result = measure(lambda: session.run(None, inputs), seconds)
    outputs = session.run([o.name for o in session.get_outputs()][:1], inputs)
    if inside == "profile":
        os.unlink(session.end_profiling())
    return dict(result, load=load, output=np.asarray(outputs[0]))


def torch_resnet50():
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, width_in, width, stride):
            super().__init__()
            def unit(a, b, k, s):
                return [nn.Conv2d(a, b, k, s, k // 2, bias=False), nn.BatchNorm2d(b)]
            self.main = nn.Sequential(*unit(width_in, width, 1, 1), nn.ReLU(), *unit(width, width, 3, stride), nn.ReLU(),
                                      *unit(width, 4 * width, 1, 1))
            self.side = nn.Sequential(*unit(width_in, 4 * width, 1, stride)) if stride > 1 or width_in != 4 * width else None

        def forward(self, x):
            return torch.relu(self.main(x) + (self.side(x) if self.side else x))

    layers, width_in = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for k in range(count):
            layers.append(Block(width_in, width, stride if k == 0 else 1))
            width_in = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000), nn.Softmax(1)), (1, 3, 224, 224)


def torch_encoder():
    from torch import nn
    layer = nn.TransformerEncoderLayer(256, 4, 1024, 0.0, "gelu", batch_first=True)
    return nn.TransformerEncoder(layer, 4), (1, 64, 256)


TORCH_NETS = {"resnet50": torch_resnet50, "encoder": torch_encoder}


def peer_torch(path, threads, seconds, inside):
    import torch
    torch.set_num_threads(threads)
    start = time.perf_counter()
    net, shape = TORCH_NETS[path.stem]()
    net.eval()
    load = 1000 * (time.perf_counter() - start)
    x = torch.randn(shape)
    with torch.inference_mode():
        return dict(measure(lambda: net(x), seconds), load=load)


def peer_main(arguments):
    kind, path, threads, seconds, inside, output = arguments
    result = {"onnxruntime": peer_onnxruntime, "torch": peer_torch}[kind](pathlib.Path(path), int(threads), float(seconds), inside)
    if "output" in result:
        import numpy as np
        np.save(output, result.pop("output"))
    result["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(result))


# ---- the rounds ---------------------------------------------------------------------------------------------------

def bind(threads):
    allowed = sorted(os.sched_getaffinity(0))
    return lambda: os.sched_setaffinity(0, set(allowed[:threads]))


def run_peer(kind, path, threads, seconds, inside, work):
    command = [sys.executable, str(SELF), "--peer", kind, str(path), str(threads), str(seconds), inside or "-", str(work / "peer.npy")]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=bind(threads))
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {"error": done.stderr.strip().splitlines()[-1:]}


def run_sonde(sonde, path, threads, repeat, extra, work):
    import numpy as np
    data = np.load(path.with_suffix(".npz"))
    command = [sonde, "infer", str(path), "--json", "--threads", str(threads), "--repeat", str(repeat), *(option.replace("WORK", str(work)) for option in extra)]
    for name in data.files:
        file = work / f"input-{len(command)}.npy"
        np.save(file, data[name])
        command += ["--input", f"{name}={file}"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=bind(threads))
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[:1]}
    answer = json.loads(done.stdout)
    return {"min": answer["run_ms"]["min"], "median": answer["run_ms"]["median"], "peak": answer["peak_bytes"],
            "load": answer["load_ms"] + answer["prepare_ms"], "outputs": answer["outputs"]}


def difference(sonde, path, threads, work):
    """Largest difference of output 0, in units of the largest value there (at least 1e-3: ONNX Runtime's Sigmoid is rough near 0)."""
    import numpy as np
    folder = work / "out"
    result = run_sonde(sonde, path, threads, 1, ["--output", str(folder)], work)
    if "error" in result:
        return result["error"]
    got, want = np.load(folder / result["outputs"][0]["file"]), np.load(work / "peer.npy")
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if want.size == 0:
        return 0.0
    return float(np.max(np.abs(got.astype(np.float64) - want)) / max(np.max(np.abs(want.astype(np.float64))), 1e-3))


# WORK stands for a folder: the files are put in place of what was there, so never a device.
INSIDE = {"keep": (["--keep", "all"], "all"), "timing": (["--timing", "WORK/timing.json"], "profile"),
          "statistics": (["--statistics", "WORK/statistics.json"], None)}


# Ratios between two of ours, taken in the same rounds: model -> {what: (other model, options)}. Another run of the same model
# is divided by the plain one; the plain one by another model.
VARIANTS = {"resnet50": {"bf16 / fp32": ("resnet50", ["--precision", "bf16"])},
            "resnet50-int8": {"int8 / fp32": ("resnet50", [])}}


def one_model(options, path, threads, work):
    rows = {}
    first = run_peer("onnxruntime", path, threads, options.seconds, None, work)
    if "error" in first:
        print(f"{path.stem}: ONNX Runtime refuses it: {first['error']}", file=sys.stderr)
        return None
    repeat = max(3, min(first["runs"], 20000))
    apart = difference(options.sonde, path, threads, work)
    if not isinstance(apart, float):
        print(f"{path.stem}: sonde: {apart}", file=sys.stderr)
        return {"model": path.stem, "error": apart}
    for turn in range(options.rounds):
        sides = [("sonde", lambda: run_sonde(options.sonde, path, threads, repeat, [], work)),
                 ("ort", lambda: run_peer("onnxruntime", path, threads, options.seconds, None, work))]
        if options.torch and path.stem in TORCH_NETS:
            sides.append(("torch", lambda: run_peer("torch", path, threads, options.seconds, None, work)))
        for name, (model, extra) in VARIANTS.get(path.stem, {}).items():
            other = path.with_name(model + ".onnx")
            sides.append((name, lambda other=other, extra=extra: run_sonde(options.sonde, other, threads, repeat, extra, work)))
        for name, (extra, peer) in INSIDE.items() if options.inside else ():
            sides.append((name, lambda extra=extra: run_sonde(options.sonde, path, threads, repeat, extra, work)))
            if peer:
                sides.append((f"ort-{name}", lambda peer=peer: run_peer("onnxruntime", path, threads, options.seconds, peer, work)))
        for name, call in sides if turn % 2 == 0 else reversed(sides):
            result = call()
            if "error" not in result:
                rows.setdefault(name, []).append(result)
    def best(name, key):
        return min(r[key] for r in rows[name]) if name in rows else math.nan
    def ratio(a, b, key="min"):
        pairs = [x[key] / y[key] for x, y in zip(rows.get(a, []), rows.get(b, []))]
        return statistics.median(pairs) if pairs else math.nan
    found = {"model": path.stem, "difference": apart, "sonde": best("sonde", "min"), "ort": best("ort", "min"), "torch": best("torch", "min"),
             "ratio": ratio("sonde", "ort"), "load": best("sonde", "load"), "ort_load": best("ort", "load"), "load_ratio": ratio("sonde", "ort", "load"),
             "peak": best("sonde", "peak") / 1e6, "ort_peak": best("ort", "peak") / 1e6, "peak_ratio": ratio("sonde", "ort", "peak")}
    found["variants"] = {name: ratio(*((name, "sonde") if other == path.stem else ("sonde", name)))
                         for name, (other, _) in VARIANTS.get(path.stem, {}).items()}
    for name, (_, peer) in INSIDE.items():
        found[name] = ratio(name, "sonde")
        found[f"ort_{name}"] = ratio(f"ort-{name}", "ort") if peer else math.nan
    return found


COLUMNS = [("model", "%-22s", "model"), ("sonde", "%9.3f", "Sonde ms"), ("ort", "%9.3f", "ORT ms"), ("ratio", "%6.2f", "ratio"), ("torch", "%9.3f", "torch ms"),
           ("load", "%8.1f", "load ms"), ("ort_load", "%8.1f", "ORT load"), ("load_ratio", "%6.2f", "ratio"), ("peak", "%7.1f", "peak MB"),
           ("ort_peak", "%8.1f", "ORT MB"), ("peak_ratio", "%6.2f", "ratio"), ("difference", "%8.1e", "differ")]
INSIDE_COLUMNS = [("keep", "%6.2f", "keep"), ("ort_keep", "%6.2f", "ORT"), ("timing", "%6.3f", "timing"), ("ort_timing", "%6.3f", "ORT"), ("statistics", "%6.2f", "stats")]


def geometric(values):
    values = [v for v in values if not math.isnan(v) and v > 0]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def show(options, threads, found):
    columns = COLUMNS + (INSIDE_COLUMNS if options.inside else [])
    good = [row for row in found if "error" not in row]
    lines = [f"{threads} thread{'s' * (threads > 1)}, {options.rounds} rounds, {len(good)} of {len(found)} models", "",
             "| " + " | ".join(title for _, _, title in columns) + " |", "|" + "---|" * len(columns)]
    for row in good:
        lines.append("| " + " | ".join("–" if isinstance(row[key], float) and math.isnan(row[key]) else (form % row[key]).strip()
                                       for key, form, _ in columns) + " |")
    means = {key: geometric([row[key] for row in good]) for key, _, _ in columns if key.endswith("ratio") or key in ("keep", "ort_keep", "timing", "ort_timing", "statistics")}
    lines += ["", "geometric means: " + ", ".join(f"{key} {value:.3f}" for key, value in means.items() if not math.isnan(value))]
    lines += [f"{row['model']}: {name} {value:.3f}" for row in good for name, value in row["variants"].items()]
    lines += [f"{row['model']}: {row['error']}" for row in found if "error" in row]
    text = "\n".join(lines) + "\n"
    print(text, flush=True)
    if options.markdown:
        with open(options.markdown, "a") as file:
            file.write(text + "\n")


def main():
    if sys.argv[1:2] == ["--peer"]:
        return peer_main(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("sonde")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--only", default="*")
    parser.add_argument("--inside", action="store_true")
    parser.add_argument("--markdown")
    options = parser.parse_args()
    options.torch = importlib.util.find_spec("torch") is not None  # not imported: a child's peak memory counts ours before exec
    paths = [p for p in sorted(options.models.glob("*.onnx")) if fnmatch.fnmatch(p.stem, options.only)]
    with tempfile.TemporaryDirectory() as folder:
        for threads in map(int, options.threads.split(",")):
            rows = [one_model(options, path, threads, pathlib.Path(folder)) for path in paths]
            show(options, threads, [row for row in rows if row])


main()
