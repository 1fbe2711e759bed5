"""Which kernels find groups of people from their lists of ten items, if popular items are in the lists of all groups?

Each person belongs to one of eight groups. Each group owns a part of the items; its members draw items by Zipf popularity, and
those of their group are BOOST times as likely. A list has the first ten items in the order of the draws, so that popular items
come first. The script prints the adjusted Rand index of the groups found, the mean over several simulations: by
`KendallKMeans`, by k-means of the first eight eigenvectors of the matrix, with rows of length 1, and by spectral clustering of
the graph of 20 neighbours.
"""

import argparse

import numpy as np
import wkendall
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

GROUPS, LENGTH, BOOST = 8, 10, 20


def simulate(people, items, rng):
    """The items of each list, best first, and the group of each person."""
    popularity = 1 / np.arange(1, items + 1)
    owner, group = rng.integers(0, GROUPS, items), rng.integers(0, GROUPS, people)
    lists = np.empty((people, LENGTH), dtype=np.int32)
    for person, own in enumerate(group):
        # The largest of these numbers are draws without replacement, in the order of the draws.
        keys = np.log(np.where(owner == own, BOOST, 1) * popularity) + rng.gumbel(size=items)
        first = np.argpartition(-keys, LENGTH)[:LENGTH]
        lists[person] = first[np.argsort(-keys[first])]
    return lists, group


def kernels(idf):
    """Kernels by what the table calls them."""
    signed = {"signed": True, "normalize": True}
    return {
        "`AverageOverlap(10)`": wkendall.AverageOverlap(LENGTH),
        '`RankBiasedOverlap(0.9, value="min")`': wkendall.RankBiasedOverlap(0.9, value="min"),
        '`Kendall("mult", u="hyperbolic", signed=True, normalize=True)`': wkendall.Kendall(
            "mult", u="hyperbolic", **signed
        ),
        "`SpearmanRho()`": wkendall.SpearmanRho(),
        "`Kendall(signed=True, normalize=True)`": wkendall.Kendall(**signed),
        "`AverageOverlap(10, item_weight=idf**2)`": wkendall.AverageOverlap(LENGTH, item_weight=idf**2),
        "`Kendall(signed=True, normalize=True, item_weight=idf)`": wkendall.Kendall(**signed, item_weight=idf),
        "`Kendall(signed=True, normalize=True, item_weight=idf**2)`": wkendall.Kendall(**signed, item_weight=idf**2),
    }


def clusters(points):
    return KMeans(GROUPS, n_init=10, random_state=0).fit_predict(points)


def by_kernel(rankings, kernel):
    """Groups by k-means of the kernel, of eight eigenvectors, and by spectral clustering of the graph of neighbours."""
    yield wkendall.KendallKMeans(GROUPS, kernel, random_state=0).fit(rankings).labels_
    K = wkendall.gram_matrix(rankings, kernel=kernel)
    values, vectors = eigsh(K, GROUPS, v0=np.ones(len(K)))
    yield clusters(normalize(vectors * np.sqrt(np.maximum(values, 0))))
    graph = wkendall.neighbors_graph(rankings, n_neighbors=20, mode="connectivity", measure=kernel)
    spectral = SpectralClustering(GROUPS, affinity="precomputed", random_state=0)
    yield spectral.fit_predict((graph + graph.T).toarray() / 2)


def by_vectors(lists, items, idf):
    """Groups by k-means of vectors of items, and of eight of their singular vectors."""
    bounds = np.arange(0, lists.size + 1, LENGTH, dtype=np.int32)
    counts = csr_array((np.ones(lists.size), lists.ravel(), bounds), shape=(len(lists), items))
    vectors = normalize((counts @ diags_array(idf)).tocsr())
    vectors.indices, vectors.indptr = vectors.indices.astype(np.int32), vectors.indptr.astype(np.int32)
    yield clusters(vectors)
    yield clusters(normalize(TruncatedSVD(GROUPS, random_state=0).fit_transform(vectors)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--items", type=int, nargs="*", default=[1000, 5000, 20_000])
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print("| items | kernel | k-means, eight eigenvectors, graph of neighbours |\n|---|---|---|")
    for items in arguments.items:
        found = {}
        for seed in range(arguments.repeats):
            lists, group = simulate(arguments.people, items, np.random.default_rng(seed))
            rankings = wkendall.from_lists(lists.tolist(), items=range(items))
            listed = np.maximum(np.bincount(lists.ravel(), minlength=items), 1)
            idf = np.log(len(lists) / listed)
            ways = {name: by_kernel(rankings, kernel) for name, kernel in kernels(idf).items()}
            ways["idf, scikit-learn"] = by_vectors(lists, items, idf)
            for name, labels in ways.items():
                found.setdefault(name, []).append([adjusted_rand_score(group, label) for label in labels])
        for name, values in found.items():
            means = ", ".join(f"{mean:.2f}" for mean in np.mean(values, axis=0))
            print(f"| {items:,} | {name} | {means} |", flush=True)


if __name__ == "__main__":
    main()
