"""
Clusters of rankings depend on the kernel
=========================================

600 people from three unknown groups rank twelve items. ``KendallKMeans`` searches for the groups in the
feature space of a kernel. Two data sets show that the result depends on the kernel. In the first data
set the groups differ in all items. In the second data set they differ only in the order of their four
favourites.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.metrics import adjusted_rand_score
from wkendall import Kendall, KendallKMeans, Mallows
from wkendall.datasets import make_mallows, make_uniform

group = np.repeat([0, 1, 2], 200)
FAVOURITES = ([1, 2, 3, 4], [4, 3, 2, 1], [2, 4, 1, 3])


def everything(rng):
    """Three Mallows models around random rankings."""
    centres = make_uniform(3, 12, rng=rng)
    return np.concatenate(
        [make_mallows(200, centre, 0.35, rng=rng) for centre in centres]
    )


def top(rng):
    """Mallows models for the four favourites, and noise for the other eight."""
    first = [make_mallows(200, centre, 1.5, rng=rng) for centre in FAVOURITES]
    return np.hstack([np.concatenate(first), make_uniform(600, 8, rng=rng) + 4])


makers = {"differ in everything": everything, "differ at the top": top}
draws = {
    title: [make(np.random.default_rng(seed)) for seed in range(10)]
    for title, make in makers.items()
}
for title, people in draws.items():
    print(people[0][0], "a person; groups", title)

# %%
# Three groups, with and without weights
# --------------------------------------
# The adjusted Rand index measures the agreement of clusters and groups: 1 if they are equal, 0 on
# average for random clusters. The table shows the mean and the standard deviation for ten draws of each
# data set:

kernels = {
    "standard": Kendall(),
    "multiplicative, log": Kendall("mult", u="log"),
    "average": Kendall("average"),
    "top-4": Kendall("top", k=4),
    "Mallows": Mallows(0.05),
}


def agreement(X, kernel):
    labels = KendallKMeans(3, kernel=kernel, n_init=4, random_state=0).fit_predict(X)
    return adjusted_rand_score(group, labels)


print(f"{'':21}" + "".join(f"{title:>22}" for title in draws))
for name, kernel in kernels.items():
    found = [[agreement(X, kernel) for X in people] for people in draws.values()]
    cells = [f"{np.mean(of):.2f} ± {np.std(of, ddof=1):.2f}" for of in found]
    print(f"{name:21}" + "".join(f"{cell:>22}" for cell in cells))

# %%
# Maps of the people
# ------------------
# Kernel principal components show the people in the feature space in which k-means works. The colour
# is the cluster. A cross marks people who are not in the same cluster as most of their group.

colors = np.array(["#4477aa", "#ee6677", "#228833"])
figure, panels = plt.subplots(2, 2, figsize=(9, 8), layout="constrained")
for row, (title, people) in zip(panels, draws.items(), strict=True):
    X = people[0]
    for axes, name in zip(row, ("standard", "average"), strict=True):
        kernel = kernels[name]
        labels = KendallKMeans(3, kernel=kernel, random_state=0).fit_predict(X)
        place = KernelPCA(2, kernel="precomputed").fit_transform(kernel(X))
        usual = np.array(
            [
                np.bincount(labels[group == one], minlength=3).argmax()
                for one in range(3)
            ]
        )[group]
        for right, marker in ((True, "o"), (False, "x")):
            shown = (labels == usual) == right
            axes.scatter(
                *place[shown].T,
                c=colors[labels[shown]],
                marker=marker,
                s=16,
                linewidths=1,
                alpha=0.8,
            )
        axes.set(title=f"groups {title}; {name} kernel", xticks=[], yticks=[])

# %%
# What the clusters prefer
# ------------------------
# The output shows the mean ranks of the four favourites in the clusters of the average kernel, for the
# second data set. The mean ranks match the rankings of the three groups: 1 2 3 4, 4 3 2 1 and 2 4 1 3.

model = KendallKMeans(3, kernel=kernels["average"], random_state=0)
labels = model.fit_predict(people[0])
for cluster in range(3):
    print(
        f"{np.sum(labels == cluster)} people:",
        people[0][labels == cluster, :4].mean(axis=0).round(1),
    )

# %%
# **Results.** If groups differ in all items, all pairs of items help, and the multiplicative kernel and
# the top-4 kernel lose much of the information. If groups differ only at the top, six of the 66 pairs
# of items distinguish the groups, 32 pairs are the same for everybody, and 28 pairs are noise. With the
# standard kernel and the Mallows kernel, the clusters then hardly match the groups, because k-means
# divides people by the noise. The average kernel has no parameter and is close to the best in both
# cases. Start with it if you do not know where groups differ.
#
# The groups are distinct by construction. With a concentration of 0.7 instead of 1.5 in the second
# data set, the weighted kernels reach only about 0.2, and the standard kernel 0.
