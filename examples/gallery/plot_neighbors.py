"""
Nearest rankings: exact, and approximate with FAISS
===================================================

``neighbors`` finds the most similar rankings exactly. If an index is searched many times, an
approximate index can be faster. ``packed_signs`` converts rankings to bits whose Hamming distance is
the Kendall distance, so FAISS can search them. This example measures the recall of such indexes.
Without FAISS (``pip install faiss-cpu``) it shows only the exact search.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from wkendall import neighbors, packed_signs
from wkendall.datasets import make_mallows, make_uniform

try:
    import faiss
except ImportError:
    faiss = None
    print("faiss is not installed: only the exact search is shown")

rng = np.random.default_rng(0)
centres = make_uniform(50, 20, rng=rng)
X = np.concatenate([make_mallows(400, centre, 0.3, rng=rng) for centre in centres])
queries = np.concatenate([make_mallows(4, centre, 0.3, rng=rng) for centre in centres])
print(X.shape, queries.shape)

# %%
# The exact answer
# ----------------
# Rankings are compared by the number of discordant pairs, the default. ``recall`` is the share of the
# returned distances that are at most the tenth smallest true distance, so rankings at equal distances
# count as equally good.

exact = neighbors(queries, X, n_neighbors=10)


def recall(distances):
    """Return the share of the results that are among the nearest ten."""
    return np.mean(distances <= exact.values[:, -1:])


def seconds(search):
    """Return the best time of three runs of a search, and its result."""
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        found = search()
        best = min(best, time.perf_counter() - start)
    return best, found


took, _ = seconds(lambda: neighbors(queries, X, n_neighbors=10))
points = {"wkendall, exact": [(1e6 * took / len(queries), 1.0)]}

# %%
# The same bits in FAISS
# ----------------------
# ``IndexBinaryFlat`` is exact. ``IndexBinaryHNSW`` searches a graph, and ``IndexBinaryIVF`` searches
# the nearest clusters. Each approximate index has a parameter that trades time for recall.

bits, of_queries = packed_signs(X), packed_signs(queries)
size = 8 * bits.shape[1]
if faiss is not None:
    flat = faiss.IndexBinaryFlat(size)
    flat.add(bits)
    took, (distances, _) = seconds(lambda: flat.search(of_queries, 10))
    assert (distances == exact.values).all()
    points["FAISS flat, exact"] = [(1e6 * took / len(queries), recall(distances))]

    graph = faiss.IndexBinaryHNSW(size, 16)
    graph.add(bits)
    points["FAISS HNSW"] = []
    for breadth in (10, 20, 40, 80, 160):
        graph.hnsw.efSearch = breadth
        took, (distances, _) = seconds(lambda: graph.search(of_queries, 10))
        points["FAISS HNSW"].append((1e6 * took / len(queries), recall(distances)))

    clusters = faiss.IndexBinaryIVF(faiss.IndexBinaryFlat(size), size, 100)
    clusters.train(bits)
    clusters.add(bits)
    points["FAISS IVF"] = []
    for visited in (1, 2, 4, 8, 16):
        clusters.nprobe = visited
        took, (distances, _) = seconds(lambda: clusters.search(of_queries, 10))
        points["FAISS IVF"].append((1e6 * took / len(queries), recall(distances)))

for name, found in points.items():
    print(f"{name:18}", " ".join(f"{part:.3f}" for _, part in found))

# %%
# Recall and time
# ---------------

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
for (name, found), marker in zip(points.items(), "Dsov", strict=False):
    axes.plot(*zip(*found, strict=True), marker=marker, label=name)
axes.set(xscale="log", xlabel="microseconds per query", ylabel="recall at 10")
legend = axes.legend()

# %%
# **Results.** The exact index of FAISS gives the same distances as ``neighbors``. The approximate
# indexes visit only a part of the rankings and find most neighbours. You must build them first, and
# measure their recall: compare their results with the exact results of ``neighbors``.
