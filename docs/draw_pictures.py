"""Draw the pictures of the start page and of the pages by task into docs/pictures, with the code of these pages.

On a page by task, a code block that ends with `ax` drawn is followed by the picture. `make docs` runs this file.
"""

import contextlib
import io
import re
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from wkendall import plotting
from wkendall.plotting.maps import components

mpl.use("agg")
DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures"
#: Pages whose pictures are drawn by their own code.
PAGES = ("clusters", "survey")
COLORS = np.repeat(["#4477aa", "#ee6677"], 60)


def run(page):
    """Run the code of a page, save the pictures that follow a block, and return the variables."""
    session = {}
    blocks = r"```python\n(.*?)```\n(?:\n!\[[^]]*\]\(pictures/(\w+\.png)\))?"
    for code, picture in re.findall(blocks, (DOCS / f"{page}.md").read_text(), flags=re.DOTALL):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, f"{page}.md", "exec"), session)
        if picture:
            session["ax"].figure.savefig(PICTURES / picture, dpi=110)
    return session


def similarity(ax, page):
    """Draw the kernel matrix."""
    image = ax.imshow(page["K"], cmap="RdBu_r", vmin=-1, vmax=1, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, shrink=0.8)
    ax.set(title="similarity of 120 guests", xticks=[], yticks=[])


def neighbors(ax, page):
    """Draw guests as points and connect them with their neighbours."""
    points = components(page["K"], np.ones(len(page["K"])))[0][:, :2]
    for point, others in zip(points, page["found"].indices, strict=True):
        for other in others:
            ax.plot(*np.array([point, points[other]]).T, color="#bbbbbb", linewidth=0.6, zorder=1)
    ax.scatter(*points.T, c=COLORS, s=12, zorder=2)
    ax.set(title="three neighbours of each guest", xticks=[], yticks=[])


def correlation(ax, page):
    """Draw the correlations of the dishes."""
    plotting.plot_matrix(page["tau"].statistic, labels=page["dishes"], ax=ax, title="tau-b of the ranks")


def test(ax, page):
    """Draw the statistics of the permutations and that of the data."""
    ax.hist(page["test"].null_distribution, bins=40, color="#bbbbbb", label="permuted groups")
    ax.axvline(page["test"].statistic, color="#ee6677", label="the two restaurants")
    ax.legend(frameon=False, fontsize=8)
    ax.set(title="two-sample test", xlabel="statistic", yticks=[])
    ax.spines[["top", "right", "left"]].set_visible(False)


def weights(ax, page):
    """Draw the learned weights."""
    plotting.plot_weights(page["model"].U_, ax=ax, title="learned weights")
    for number in ax.texts[:]:
        number.remove()


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for page in PAGES:
        run(page)
    variables = run("index")
    for draw in (similarity, neighbors, correlation, test, weights):
        figure, ax = plt.subplots(figsize=(3.6, 3.0), layout="constrained")
        draw(ax, variables)
        figure.savefig(PICTURES / f"start_{draw.__name__}.png", dpi=110)
