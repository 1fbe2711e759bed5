"""
Search results: which engine copies?
====================================

Six search engines answer the same queries with their ten best documents. The lists contain different
documents, so they are top-10 lists rather than complete rankings. ``from_lists`` reads them as they
are: documents that an engine does not list rank below all listed documents, in an unknown order.

The engines are simulated. A, B and C use one index; D, E and F use another. F copies its first three
results from A.
"""

import matplotlib.pyplot as plt
import numpy as np
import wkendall

ENGINES = "ABCDEF"


def answer(rng):
    """Lists of six engines for one query, of 60 documents."""
    relevance = rng.gumbel(size=60)
    indexes = relevance + rng.standard_normal((2, 60))
    seen = indexes.repeat(3, axis=0) + 0.6 * rng.standard_normal((6, 60))
    lists = [
        [f"doc {document}" for document in order[:10]]
        for order in np.argsort(-seen, axis=1).tolist()
    ]
    copied = lists[0][:3]
    own = [document for document in lists[5] if document not in copied]
    lists[5] = copied + own[:7]
    return lists


rng = np.random.default_rng(0)
queries = [answer(rng) for _ in range(40)]
for engine, results in zip(ENGINES, queries[0], strict=True):
    print(engine, ", ".join(results[:5]), "...")

# %%
# From lists to rankings
# ----------------------
# Each query has its own documents. ``from_lists`` collects them and returns a ``Rankings``.

print(wkendall.from_lists(queries[0]))

# %%
# Three similarities
# ------------------
# The simplest measure is the share of the ten results that two engines have in common. The signed
# standard kernel compares the order of all pairs of documents, whether they are listed or not. The
# multiplicative kernel with hyperbolic weights also compares all pairs, but the first results count
# most. Each measure is averaged over 40 queries. The mean of kernels is a kernel.


def overlap(lists):
    """Share of results that engines have in common."""
    return np.array([[len(set(a) & set(b)) / 10 for b in lists] for a in lists])


answers = [wkendall.from_lists(lists) for lists in queries]
signed = wkendall.Kendall(signed=True, normalize=True)
weighted = wkendall.Kendall("mult", u="hyperbolic", normalize=True)
found = {
    "shared results": np.mean([overlap(lists) for lists in queries], axis=0),
    "standard, signed": np.mean([signed(lists) for lists in answers], axis=0),
    "multiplicative, hyperbolic": np.mean(
        [weighted(lists) for lists in answers], axis=0
    ),
}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.7), layout="constrained")
for axes, (name, K) in zip(panels, found.items(), strict=True):
    axes.imshow(K, cmap="Blues", vmin=0, vmax=1.1)
    for (row, column), value in np.ndenumerate(K):
        color = "white" if value > 0.6 else "black"
        axes.text(
            column,
            row,
            f"{value:.2f}",
            ha="center",
            va="center",
            color=color,
            fontsize=9,
        )
    axes.set_xticks(range(6), ENGINES)
    axes.set_yticks(range(6), ENGINES)
    axes.set_title(name)

# %%
# Which engine is most similar to F?

for name, K in found.items():
    others = K[5, :5]
    print(
        f"{name:27} F is most similar to {ENGINES[others.argmax()]}: {others.max():.2f}, next {np.sort(others)[-2]:.2f}"
    )

# %%
# How many queries are needed to detect the copy? For each number of queries, the output shows the share
# of 200 random samples of the 40 queries in which F is most similar to A:

likeness = np.array([weighted(lists)[5, :5] for lists in answers])
for size in (1, 2, 5, 10):
    chosen = [rng.choice(40, size, replace=False) for _ in range(200)]
    caught = np.mean([likeness[choice].mean(axis=0).argmax() == 0 for choice in chosen])
    print(f"{size:3} queries: {caught:.2f}")

# %%
# **Results.** All three measures show that there are two indexes. By common results and by unweighted
# pairs, F is most similar to D and E, because seven of its ten results come from their index. Only with
# weights that decrease with the rank is F most similar to A, by a wide margin. Users look at the first
# results, and these are the copied results. A few queries are enough to detect the copy.
