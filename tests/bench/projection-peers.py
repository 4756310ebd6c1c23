#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""t-SNE and UMAP of 10,000 × 784 (MNIST's test pictures), and PCA of larger tables, against scikit-learn and umap-learn in
one sitting, in turns: wall time of the method alone, without reading, and without numba's compiling; and how trustworthy
the pictures are, by scikit-learn's measure with 5 neighbours of all points. umap-learn runs as it is called by default,
in parallel and so without a seed.

Usage: projection-peers.py BENCH-PROJECTION MNIST-FOLDER WORK-FOLDER [--rounds N] [--threads N] [--methods tsne,umap,pca]
       [--dims 2] [--points N]
The method "large" is PCA of 10^6 × 10^3, of ours alone: 4 GB on the disk and in memory, where the peer wants several times
as much.
"""
import argparse
import gzip
import os
import subprocess
import statistics
import time


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("mnist")
    parser.add_argument("work")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--methods", default="tsne,umap,pca")
    parser.add_argument("--dims", type=int, default=2)
    parser.add_argument("--points", type=int, default=10000)
    return parser.parse_args()


options = arguments()
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = str(options.threads)

import numpy  # noqa: E402: after the numbers of threads
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.manifold import TSNE, trustworthiness  # noqa: E402


def read_pictures():
    with gzip.open(os.path.join(options.mnist, "t10k-images-idx3-ubyte.gz")) as file:
        pixels = numpy.frombuffer(file.read(), numpy.uint8, offset=16)
    return (pixels.reshape(-1, 784)[:options.points] / 255).astype(numpy.float32)


def run_ours(method, path, seed):
    out = os.path.join(options.work, "places.npy")
    line = subprocess.run([options.program, method, path, out, str(options.threads), str(options.dims), str(seed)],
                          check=True, capture_output=True, text=True).stdout
    return float(line.split()[0]), numpy.load(out), line.strip()


def run_peer(method, points, seed):
    if method == "tsne":
        peer = TSNE(n_components=options.dims, random_state=seed, n_jobs=options.threads)
    elif method == "pca":
        peer = PCA(n_components=10, random_state=seed)
    else:
        import umap
        peer = umap.UMAP(n_components=options.dims, n_jobs=options.threads)
    start = time.perf_counter()
    places = peer.fit_transform(points)
    seconds = time.perf_counter() - start
    return seconds, places, "divergence %.5f" % peer.kl_divergence_ if method == "tsne" else ""


def compare(method, points, path):
    if method == "umap":
        run_peer(method, points, 0)  # numba compiles
    ours, peers = [], []
    for seed in range(options.rounds):
        seconds, places, line = run_ours(method, path, seed)
        ours.append((seconds, trustworthiness(points, places, n_neighbors=5)))
        print("%s ours: %.2f s, trustworthiness %.5f (%s)" % (method, *ours[-1], line), flush=True)
        seconds, places, line = run_peer(method, points, seed)
        peers.append((seconds, trustworthiness(points, places, n_neighbors=5)))
        print("%s peer: %.2f s, trustworthiness %.5f %s" % (method, *peers[-1], line), flush=True)
    print("%s of %d x %d in %d dimensions, %d threads: median %.2f s, peer %.2f s; ratio by round: median %.3f; "
          "trustworthiness %.4f, peer %.4f" % (
              method, *points.shape, options.dims, options.threads, statistics.median(t for t, _ in ours),
              statistics.median(t for t, _ in peers), statistics.median(a / b for (a, _), (b, _) in zip(ours, peers)),
              statistics.median(q for _, q in ours), statistics.median(q for _, q in peers)), flush=True)


def compare_components(points):
    """PCA of tables too large to be solved whole, with a spectrum that falls off."""
    random = numpy.random.default_rng(0)
    for n, d in ((10000, 784), (100000, 1000), (1000000, 200)):
        table = points if (n, d) == points.shape else (
            random.standard_normal((n, 30), numpy.float32) * numpy.arange(30, 0, -1, dtype=numpy.float32)
            @ random.standard_normal((30, d), numpy.float32) + random.standard_normal((n, d), numpy.float32))
        path = os.path.join(options.work, "table.npy")
        numpy.save(path, table)
        seconds, places, _ = run_ours("pca", path, 0)
        peer_seconds, peer_places, _ = run_peer("pca", table, 0)
        error = numpy.abs(numpy.abs(places[:, :3]) - numpy.abs(peer_places[:, :3])).max() / numpy.abs(peer_places).max()
        print("pca of %d x %d, 10 components: %.2f s, scikit-learn %.2f s, largest difference of the first three %.1e" % (
            n, d, seconds, peer_seconds, error), flush=True)


def run_large(n=1000000, d=1000, piece=10000):
    """Eight directions that stand out of noise. The peak counts the points themselves."""
    random = numpy.random.default_rng(0)
    path, out = os.path.join(options.work, "table.npy"), os.path.join(options.work, "places.npy")
    directions = random.uniform(-0.5, 0.5, (8, d)).astype(numpy.float32)
    sizes = 20 / numpy.arange(1, 9, dtype=numpy.float32)
    table = numpy.lib.format.open_memmap(path, "w+", numpy.float32, (n, d))
    for begin in range(0, n, piece):
        weights = random.uniform(-0.5, 0.5, (piece, 8)).astype(numpy.float32) * sizes
        table[begin:begin + piece] = weights @ directions + random.random((piece, d), numpy.float32)
    table.flush()
    del table
    process = subprocess.Popen([options.program, "pca", path, out, str(options.threads), str(options.dims), "0"],
                               stdout=subprocess.PIPE, text=True)
    line = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    places = numpy.load(out)
    together = numpy.abs(numpy.corrcoef(places[:, :5].T) - numpy.eye(5)).max()
    print("pca of %d x %d, 10 components, %d threads: %.1f s, %.1f s of processors, peak %.2f GB; largest correlation of two of "
          "the first five %.1e" % (n, d, options.threads, float(line.split()[0]), usage.ru_utime + usage.ru_stime,
                                   usage.ru_maxrss / 1e6, together), flush=True)
    os.remove(path)
    if status != 0 or together > 1e-3:
        raise SystemExit("projection-peers: the components of the large table are wrong")


pictures = read_pictures()
pictures_path = os.path.join(options.work, "pictures.npy")
numpy.save(pictures_path, pictures)
for chosen in options.methods.split(","):
    if chosen == "large":
        run_large()
    elif chosen == "pca":
        compare_components(pictures)
    else:
        compare(chosen, pictures, pictures_path)
