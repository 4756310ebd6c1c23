#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Maps of Sonde beside those of Captum and pytorch-grad-cam, in turns, as ratios.

usage: explain-peers.py BENCH_DIR SONDE SHARED [--rounds 3] [--pictures 32] [--model FILE.onnx]… [--no-job]
BENCH_DIR: where bench-explain and bench-explain-perturb are. Needs (PyPI): torch onnx numpy captum grad-cam pillow.

Single-pass methods: processor time a picture on one thread; ours at our batch, the peer's one picture a call (its default) and at
its best batch. What needs many passes: time a picture for the same passes, and ours over passes × forward. The job: 2,000 pictures
classified, GradCAM of the errors for two classes, on two threads, elapsed; the peers' without triage and report.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SELF = pathlib.Path(__file__).resolve()
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)


# ---- the peers, in a process of their own ------------------------------------------------------------------------

def load_torch(path):
    """The ONNX graph as a module; every Relu a module of its own, as Captum wants it."""
    import onnx
    import torch
    from onnx import numpy_helper

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            graph = onnx.load(path).graph
            self.given = {i.name: torch.from_numpy(numpy_helper.to_array(i).copy()) for i in graph.initializer}
            self.input, self.output, self.steps, self.layers = graph.input[0].name, graph.output[0].name, [], torch.nn.ModuleList()
            for node in graph.node:
                at = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
                layer = self.make(node, at)
                if layer is not None:
                    self.layers.append(layer)
                self.steps.append((node.op_type, layer, list(node.input), node.output[0], at))
            self.last = [l for l in self.layers if isinstance(l, torch.nn.ReLU)][-1:]  # a list: no second name of a module

        def make(self, node, at):
            if node.op_type == "Relu":
                return torch.nn.ReLU()
            if node.op_type == "Conv":
                w = self.given[node.input[1]]
                layer = torch.nn.Conv2d(w.shape[1] * at.get("group", 1), w.shape[0], tuple(w.shape[2:]), tuple(at.get("strides", (1, 1))),
                                        tuple(at["pads"][:2]) if "pads" in at else 0, groups=at.get("group", 1),
                                        bias=len(node.input) > 2)
            elif node.op_type == "Gemm":
                w = self.given[node.input[1]] if at.get("transB") else self.given[node.input[1]].T
                layer = torch.nn.Linear(w.shape[1], w.shape[0])
            else:
                return None
            with torch.no_grad():
                layer.weight.copy_(w)
                if len(node.input) > 2:
                    layer.bias.copy_(self.given[node.input[2]])
            return layer

        def forward(self, x):
            values = {self.input: x}
            for op, layer, inputs, output, at in self.steps:
                args = [values.get(i, self.given.get(i)) for i in inputs]
                if layer is not None:
                    values[output] = layer(args[0])
                elif op == "Add":
                    values[output] = args[0] + args[1]
                elif op in ("GlobalAveragePool", "ReduceMean"):
                    values[output] = args[0].mean((2, 3), keepdim=op == "GlobalAveragePool" or at.get("keepdims", 1) == 1)
                elif op == "Flatten":
                    values[output] = args[0].flatten(1)
                elif op == "Constant":
                    values[output] = args and args[0]
                else:
                    raise SystemExit("this bench knows no %s" % op)
            return values[self.output]

    return Net().eval()


def single_passes(net):
    import captum.attr as ca
    from pytorch_grad_cam import GradCAM, GradCAMPlusPlus, HiResCAM, LayerCAM
    from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget
    yield "saliency", lambda x: ca.Saliency(net).attribute(x.requires_grad_(), target=0, abs=False)
    yield "input-x-gradient", lambda x: ca.InputXGradient(net).attribute(x.requires_grad_(), target=0)
    yield "guided-backprop", lambda x: ca.GuidedBackprop(net).attribute(x.requires_grad_(), target=0)
    yield "deconvolution", lambda x: ca.Deconvolution(net).attribute(x.requires_grad_(), target=0)
    yield "deeplift", lambda x: ca.DeepLift(net).attribute(x.requires_grad_(), target=0)
    for name, cam in (("gradcam", GradCAM), ("gradcam++", GradCAMPlusPlus), ("layercam", LayerCAM), ("hirescam", HiResCAM)):
        made = cam(model=net, target_layers=net.last)
        yield name, lambda x, made=made: made(input_tensor=x, targets=[ClassifierOutputTarget(0)] * len(x))


def many_passes(net):
    """name as ours, passes, default, one with a batch."""
    import captum.attr as ca
    import torch
    grid = (torch.arange(32) // 4)[:, None] * 8 + torch.arange(32) // 4
    thirds = (torch.arange(32) // 16)[:, None] * 3 + (torch.arange(32) >= 10).long() + (torch.arange(32) >= 21).long()

    def soft(x):
        return torch.softmax(net(x), 1)

    yield "integrated-gradients:steps=50", 50, lambda x: ca.IntegratedGradients(net).attribute(x, target=0, n_steps=50), \
        lambda x, b: ca.IntegratedGradients(net).attribute(x, target=0, n_steps=50, internal_batch_size=b)
    yield "smoothgrad:samples=32", 32, lambda x: ca.NoiseTunnel(ca.Saliency(net)).attribute(x, target=0, nt_samples=32, abs=False), \
        lambda x, b: ca.NoiseTunnel(ca.Saliency(net)).attribute(x, target=0, nt_samples=32, nt_samples_batch_size=b, abs=False)
    occlusion = dict(target=0, sliding_window_shapes=(3, 4, 4), strides=(3, 2, 2))
    yield "occlusion:window=4x4:stride=2x2", 226, lambda x: ca.Occlusion(soft).attribute(x, **occlusion), \
        lambda x, b: ca.Occlusion(soft).attribute(x, perturbations_per_eval=b, **occlusion)
    yield "feature-ablation:grid=8x8", 65, lambda x: ca.FeatureAblation(soft).attribute(x, target=0, feature_mask=grid[None, None]), \
        lambda x, b: ca.FeatureAblation(soft).attribute(x, target=0, feature_mask=grid[None, None], perturbations_per_eval=b)
    yield "shapley:grid=2x3", 64, lambda x: ca.ShapleyValues(soft).attribute(x, target=0, feature_mask=thirds[None, None]), None
    yield "kernelshap:grid=8x8:samples=256", 258, \
        lambda x: ca.KernelShap(soft).attribute(x, target=0, feature_mask=grid[None, None], n_samples=256), \
        lambda x, b: ca.KernelShap(soft).attribute(x, target=0, feature_mask=grid[None, None], n_samples=256, perturbations_per_eval=b)
    yield "lime:grid=8x8:samples=256", 258, lambda x: ca.Lime(soft).attribute(x, target=0, feature_mask=grid[None, None], n_samples=256), \
        lambda x, b: ca.Lime(soft).attribute(x, target=0, feature_mask=grid[None, None], n_samples=256, perturbations_per_eval=b)


def clock(run, pictures):
    started = time.process_time()
    run()
    return (time.process_time() - started) * 1e6 / pictures


def peer(model, pictures):
    """us a picture: by default, and at the best batch."""
    import warnings
    import torch
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    net, found = load_torch(model), {}
    x = torch.randn(pictures, 3, 32, 32)
    for name, run in single_passes(net):
        run(x[:1].clone())
        one = clock(lambda: [run(x[i:i + 1].clone()) for i in range(min(pictures, 8))], min(pictures, 8))
        best = min(clock(lambda: [run(p.clone()) for p in x.split(batch)], pictures) for batch in (4, 16, pictures))
        found[name] = [one, min(one, best)]
    for name, _, run, batched in many_passes(net):
        one = clock(lambda: run(x[:1].clone()), 1)
        best = [clock(lambda: batched(x[:1].clone(), batch), 1) for batch in (16, 64)] if batched is not None else []
        found[name] = [one, min([one] + best)]
    print(json.dumps(found))


def peer_job(data, model):
    """Classify, GradCAM of the errors for the predicted and the true class, maps as files."""
    import numpy as np
    import torch
    from PIL import Image
    from pytorch_grad_cam import GradCAM
    from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget
    torch.set_num_threads(2)
    net = load_torch(model)
    classes = sorted(p.name for p in pathlib.Path(data).iterdir() if p.is_dir())
    files = [(f, c) for c, name in enumerate(classes) for f in sorted((pathlib.Path(data) / name).iterdir())]
    x = np.stack([np.asarray(Image.open(f).convert("RGB"), np.float32) for f, _ in files]).transpose(0, 3, 1, 2) / 255
    x = torch.from_numpy((x - np.float32(MEAN)[:, None, None]) / np.float32(STD)[:, None, None])
    with torch.no_grad():
        predicted = torch.cat([net(part) for part in x.split(64)]).argmax(1)
    wrong = [i for i, (_, c) in enumerate(files) if int(predicted[i]) != c]
    with tempfile.TemporaryDirectory() as folder, GradCAM(model=net, target_layers=net.last) as cam:
        for targets in ([int(predicted[i]) for i in wrong], [files[i][1] for i in wrong]):
            for k in range(0, len(wrong), 64):
                maps = cam(input_tensor=x[wrong[k:k + 64]], targets=[ClassifierOutputTarget(t) for t in targets[k:k + 64]])
                for i, one in zip(wrong[k:k + 64], maps):
                    np.save("%s/%d-%d.npy" % (folder, i, targets is None), one)


# ---- ours, and the table --------------------------------------------------------------------------------------------

def ours(bench, model):
    """name: [us a picture and pass, that over the engine's]"""
    found = {}
    for line in subprocess.run([bench / "bench-explain", model, "--rounds", "2"], check=True, capture_output=True, text=True).stdout.splitlines():
        row = re.match(r"(\S.*?)\s+([0-9.]+) us a pass\s+([0-9.]+)$", line)
        if row and "batch" not in row[1]:
            found[row[1]] = [float(row[2]), float(row[3])]
    return found


def ours_perturbed(bench, model):
    """name: [us a picture, over passes × forward]"""
    found = {}
    for line in subprocess.run([bench / "bench-explain-perturb", model], check=True, capture_output=True, text=True).stdout.splitlines():
        row = re.match(r"(\S.*?)\s+(\d+) passes\s+([0-9.]+) ms\s+([0-9.]+) x", line)
        if row:
            found[row[1]] = [float(row[3]) * 1e3 / 2, float(row[4])]  # of two pictures
    return found


def keep_least(best, found):
    for name, values in found.items():
        best[name] = [min(a, b) for a, b in zip(best.get(name, values), values)]


def elapsed(command):
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def main():
    if sys.argv[1:2] == ["--peer"]:
        return peer(sys.argv[2], int(sys.argv[3]))
    if sys.argv[1:2] == ["--peer-job"]:
        return peer_job(sys.argv[2], sys.argv[3])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=pathlib.Path)
    parser.add_argument("sonde")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pictures", type=int, default=32)
    parser.add_argument("--model", action="append")
    parser.add_argument("--no-job", action="store_true")
    options = parser.parse_args()
    cifar = str(options.shared / "models/explain/cifar-resnet20.onnx")
    for model in options.model or [cifar, str(options.shared / "models/explain/cifar-cued.onnx")]:
        own, many, them = {}, {}, {}
        for _ in range(options.rounds):
            keep_least(own, ours(options.bench, model))
            keep_least(many, ours_perturbed(options.bench, model))
            keep_least(them, json.loads(subprocess.run([sys.executable, SELF, "--peer", model, str(options.pictures)], check=True,
                                                       capture_output=True, text=True).stdout))
        passes = {name: float(name.split("=")[1]) for name in own if "steps=" in name or "samples=" in name}
        print("%s\n%-34s %12s %10s %14s %14s" % (pathlib.Path(model).name, "one thread", "us a picture", "x passes", "/ peer default", "/ peer best"))
        for name, (spent, ratio) in {**{n: (v[0] * passes.get(n, 1), v[1]) for n, v in own.items()}, **many}.items():
            peers = ["%14.2f" % (spent / value) for value in them[name]] if name in them else ["%14s" % "-"] * 2
            print("%-34s %12.0f %10.2f %s %s" % (name, spent, ratio, *peers))
    data = options.shared / "datasets/cifar10/test"
    if options.no_job or not data.is_dir():
        return None
    with tempfile.TemporaryDirectory() as folder:
        job = [options.sonde, "explain", cifar, "--data", str(data), "--mean", ",".join(map(str, MEAN)), "--std", ",".join(map(str, STD)),
               "--method", "gradcam", "--triage", "--threads", "2", "--no-cache", "--output", folder + "/maps", "--report", folder + "/report.html"]
        times = [[elapsed(job), elapsed([sys.executable, str(SELF), "--peer-job", str(data), cifar])] for _ in range(options.rounds)]
    print("2,000 pictures, GradCAM of the errors twice: %.2f s with triage and report, peers %.2f s without (least of %d rounds)"
          % (min(t[0] for t in times), min(t[1] for t in times), options.rounds))
    return None


if __name__ == "__main__":
    sys.exit(main())
