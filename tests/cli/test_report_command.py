"""`wkendall report` and `wkendall describe`: pages that stand alone, for rankings of every kind."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import ITEMS, X, fails, folder, run, write_table  # noqa: F401
from wkendall.datasets import make_mallows

pytest.importorskip("matplotlib")


class Page(HTMLParser):
    """The text of a page by its headings; everything that is opened must be closed."""

    def __init__(self, path):
        super().__init__()
        self.open, self.parts, self.pictures = [], {"": ""}, 0
        self.html = Path(path).read_text(encoding="utf-8")
        self.feed(self.html)
        assert self.open == []
        # Nothing is loaded from elsewhere, and nothing runs.
        assert not re.search(r"<script|<link|<img|<iframe|@import|url\((?!#)|(?:src|href)=\"(?!#|data:)", self.html)

    def handle_starttag(self, tag, attributes):
        self.pictures += tag == "svg"
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open[-1:] == ["h2"]:
            self.parts[text] = ""
        elif "svg" not in self.open:
            self.parts[list(self.parts)[-1]] += text


def page_of(words):
    run(f"report {words} -o page.html --force")
    return Page("page.html")


def test_all_parts_of_a_survey():
    votes = np.vstack([make_mallows(60, [1, 2, 3, 4, 5], 1.5, rng=0), make_mallows(40, [5, 4, 3, 2, 1], 1.5, rng=1)])
    group = ["<young>"] * 60 + ["old"] * 40
    names = ["tea & milk", "<b>coffee", *ITEMS[2:]]
    write_table(Path("survey.csv"), votes, names, age=group)
    page = page_of("survey.csv --group age --seed 3")
    titles = ["The data", "Ranks", "Pairs of items", "Consensus", "Map", "Clusters", "Groups"]
    assert list(page.parts)[1:] == titles
    assert page.pictures == 4
    assert "100 rankings of 5 items." in page.parts[""]
    assert "group <young>" in page.parts["The data"]
    read = wkendall.Rankings(votes, items=names)
    assert " > ".join(wkendall.consensus(read, rng=3).items) in page.parts["Consensus"]
    assert "the only best order" in page.parts["Consensus"]
    assert "There seem to be 2 clusters." in page.parts[""]
    result = wkendall.two_sample_test(read, groups=group, rng=3)
    assert f"The groups differ (p = {result.pvalue:.4g})." in page.parts["Groups"]
    pairs = wkendall.pair_differences(read, group, rng=3)
    assert f"{pairs.first[0]} before {pairs.second[0]}" in page.parts["Groups"]
    intervals = wkendall.rank_intervals(read, n_resamples=1999, rng=3)
    assert f"{sum(intervals.separated)} of 4 pairs of neighbouring places" in page.parts["Ranks"]
    before = page.html
    assert page_of("survey.csv --group age --seed 3").html == before


def test_pairs_of_three_groups():
    """Each group is compared with all others; intervals and p-values hold for all groups together."""
    centers = {"young": [1, 2, 3, 4], "middle": [2, 1, 3, 4], "old": [4, 3, 2, 1]}
    votes = np.vstack([make_mallows(40, center, 1.0, rng=place) for place, center in enumerate(centers.values())])
    group = np.repeat(list(centers), 40)
    write_table(Path("three.csv"), votes, ITEMS[:4], age=group)
    text = page_of("three.csv --group age --seed 3").parts["Groups"]
    for name in centers:
        how = {"confidence": 1 - 0.05 / 3, "n_permutations": 1999, "rng": 3}
        found = wkendall.pair_differences(wkendall.Rankings(votes, items=ITEMS[:4]), group != name, **how)
        first = votes[:, ITEMS.index(found.first[0])] < votes[:, ITEMS.index(found.second[0])]
        assert found.shares[0] == pytest.approx([first[group == name].mean(), first[group != name].mean()])
        shares = "".join(f"{share:.0%}" for share in found.shares[0])
        limits = f"{100 * found.low[0]:+.0f} to {100 * found.high[0]:+.0f}"
        line = f"{name}{found.first[0]} before {found.second[0]}{shares}{limits}{3 * found.pvalue[0]:.4g}"
        assert line in text
    assert "largest differences between each group and all others" in text


def test_rankings_that_are_all_equal_have_no_map():
    write_table(Path("same.csv"), [[1, 2, 3]] * 10, ITEMS[:3])
    assert "All rankings are equal" in page_of("same.csv").parts["Map"]


@pytest.mark.parametrize(
    ("text", "words", "summary"),
    [
        ("a,b,c\n1,2,3\n2,1,3\n1,3,2\n", "", "3 rankings of 3 items."),
        ("a,b\n1,2\n", "", "1 ranking of 2 items."),
        ("tea\n1\n1\n1\n", "", "3 rankings of 1 item."),
        ("a,b,c\n1,1,2\n2,,1\n1,2,2\n1,2,3\n", "--ties mean --missing bottom", "4 rankings of 3 items."),
        ("a,b,c\n1,1,2\n2,,1\n1,2,2\n,,\n", "--ties mean --missing anywhere", "4 rankings of 3 items."),
        ("a,b,g\n1,2,x\n2,1,x\n1,2,y\n", "--group g", "3 rankings of 2 items."),
        ("a,b,g\n" + "1,2,x\n2,1,y\n1,2,z\n" * 3, "--group g", "9 rankings of 2 items."),
        ("a,b\n" + "1,2\n" * 12, "", "There seems to be one cluster"),
        ("a,b\n" + "1,1\n" * 12, "--ties mean", "12 rankings of 2 items."),
    ],
)
def test_small_and_strange_files_give_a_page(text, words, summary):
    Path("few.csv").write_text(text)
    page = page_of(f"few.csv {words}")
    assert summary in page.parts[""]
    assert "nan" not in " ".join(page.parts.values()).lower()


def test_what_ranks_mean_if_items_are_left_out():
    """An item that one person of twelve puts first, and nobody else ranks, has the mean rank 1 and the last place."""
    Path("rare.csv").write_text("a,b,c\n" + "1,2,\n2,1,\n" * 6 + "2,3,1\n")
    text = page_of("rare.csv --missing bottom").parts["Ranks"]
    assert "Mean rank and median are over the rankings that have the item" in text
    assert "as tied for the last ranks" in text
    assert "with its expected rank" in page_of("rare.csv --missing anywhere").parts["Ranks"]
    write_table(Path("all.csv"), [[1, 2, 3]] * 3, ITEMS[:3])
    assert "left out" not in page_of("all.csv").parts["Ranks"]


def test_lists_out_of_many_items():
    rng = np.random.default_rng(0)
    odds = 1 / np.arange(1, 201)
    rows = [[f"item{number}" for number in rng.choice(200, 5, replace=False, p=odds / odds.sum())] for _ in range(150)]
    write_table(Path("lists.csv"), rows, [f"choice {place}" for place in range(5)])
    page = page_of("lists.csv --layout choices")
    assert "compare these 30 of 151 items: those that are listed most often" in page.parts["Ranks"]
    assert page.parts["Consensus"].count(" > ") == 29


@pytest.mark.parametrize("words", ["votes.soc", "votes.toi", "x.npy", "x.npz"])
def test_other_files(words):
    assert page_of(words).pictures


def test_what_cannot_be_reported(capsys):
    fails(capsys, "report x.csv -o page.pdf", "must end in .html", code=2)
    Path("none.csv").write_text("a,b\n")
    fails(capsys, "report none.csv -o page.html", "none.csv")


def test_describe_prints_what_the_method_gives(capsys):
    votes = wkendall.Rankings(X, items=ITEMS)
    run("describe x.csv")
    assert capsys.readouterr().out == f"{votes.describe()}\n"
    write_table(Path("groups.csv"), X, ITEMS, side=["a", "b"] * 3 + ["a"])
    run("describe groups.csv --group side --json")
    report = json.loads(capsys.readouterr().out)
    mean = dict(zip(ITEMS, X.mean(axis=0), strict=True))
    assert [entry["item"] for entry in report["items"]] == sorted(mean, key=mean.get)
    assert all(entry["mean"] == pytest.approx(mean[entry["item"]]) for entry in report["items"])
    assert report["shares"]["before"][0][1] == np.mean(X[:, 0] < X[:, 1])
    assert report["groups"]["b"]["rankings"] == 3
    run("describe x.npy --json")
    assert {entry["item"] for entry in json.loads(capsys.readouterr().out)["items"]} == {1, 2, 3, 4, 5}


def test_of_many_complete_items_the_best_are_compared():
    items = [f"item {number}" for number in range(120)]
    ranks = make_mallows(20, np.arange(120, 0, -1), 0.5, rng=0)  # the last column is the best
    write_table(Path("many.csv"), ranks.tolist(), items)
    page = page_of("many.csv")
    first = wkendall.consensus(wkendall.Rankings(ranks, items=items)).items[:3]
    assert f"The consensus of the 30 items that are compared begins with {', '.join(first)}." in page.parts[""]
    assert "item 5 " not in page.parts["Consensus"]


def test_many_groups_and_names_in_any_script():
    names = ["寿司", "суши", "sushi"]
    votes = make_mallows(200, 3, 0.5, rng=0)
    groups = [f"地区 {row % 40}" if row < 160 else "rest" for row in range(200)]
    write_table(Path("many.csv"), votes, names, place=groups)
    page = page_of("many.csv --group place")
    assert "group rest40" in page.parts["The data"]
    assert page.parts["The data"].count("group 地区") == 11
    assert "29 smaller groups4 to 4 each" in page.parts["The data"]
    assert "The 30 smallest of 820 p-values of pairs of groups." in page.parts["Groups"]
    assert "each of the 6 largest groups and all others" in page.parts["Groups"]
    assert page.html.count("<tr>") < 110
    # Texts of pictures are texts: the browser has the letters.
    assert page.html.count(">寿司</text>") >= 4


def test_weights(capsys):
    votes = make_mallows(60, 4, 0.5, rng=0)
    weights = np.where(votes[:, 0] == 1, 3.0, 0.5)
    group = np.where(np.arange(60) % 2, "x", "y")
    write_table(Path("w.csv"), votes, ITEMS[:4], group=group, w=weights)
    read = wkendall.Rankings(votes, items=ITEMS[:4])
    run("describe w.csv --weights w --group group")
    wanted = read.describe(by=group, sample_weight=weights)
    assert capsys.readouterr().out == f"{wanted}\n"
    run("describe w.csv --weights w --skip group --json")
    assert json.loads(capsys.readouterr().out)["items"][0]["mean"] == pytest.approx(wanted.mean.min())
    page = page_of("w.csv --weights w --group group")
    assert f"{wanted.mean.min():.2f}" in page.parts["Ranks"]
    assert "interval" not in page.parts["Ranks"]
    assert " > ".join(wkendall.consensus(read, sample_weight=weights, rng=0).items) in page.parts["Consensus"]
    result = wkendall.two_sample_test(read, groups=group, sample_weight=weights, rng=0)
    assert f"(p = {result.pvalue:.4g})." in page.parts["Groups"]
    assert "0.5 to 3" in page.parts["The data"]
    capsys.readouterr()
    for command in ("describe votes.soc --weights w", "report votes.soc --weights w -o page.html --force"):
        fails(capsys, command, "--weights goes with CSV and .npz files", code=2)
    Path("bad.csv").write_text("a,b,w\n1,2,1\n2,1,x\n")
    fails(capsys, "describe bad.csv --weights w", "bad.csv, line 3: w is 'x', but must be a finite number from 0")


def test_a_map_of_few_people_with_weight():
    votes = make_mallows(1500, 4, 0.5, rng=0)
    write_table(Path("few.csv"), votes, ITEMS[:4], w=np.where(np.arange(1500) < 40, 1, 0))
    assert "40 of 1,500 rankings, drawn at random" in page_of("few.csv --weights w").html
