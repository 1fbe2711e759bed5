"""Files of rankings with labels, and `wkendall learn` run on them."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import ITEMS, run, write_table
from definitions import random_rankings
from wkendall.cli import learn_picture

N, M = 5, 40
RNG = np.random.default_rng(0)
X = random_rankings(RNG, M, N)
NUMBERS = (X[:, 0] - X[:, 1] + 0.5 * RNG.standard_normal(M)).round(3)
MIDDLE = np.median(NUMBERS)
AGES = np.where(NUMBERS > MIDDLE, "old", "young")
CITIES = np.array(["Bern", "Oslo", "Rome"])[np.argsort(np.argsort(NUMBERS)) * 3 // M]
GRID = [0.1, 1.0, 10.0]
WIDE = [*GRID, 100.0]
DRAW = learn_picture.draw


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table(Path("people.csv"), X, ITEMS, age=AGES, city=CITIES, number=NUMBERS)
    np.save("x.npy", X)
    np.savez("x.npz", X=X, age=AGES, number=NUMBERS)
    np.save("ages.npy", AGES)
    np.save("numbers.npy", NUMBERS)
    # Pictures take longer than all the rest; some tests put the drawing back.
    monkeypatch.setattr(learn_picture, "draw", lambda path, *_: path.write_text(""))
    return tmp_path


def learned(words, file="people.csv --skip city --skip number --label age"):
    run(f"learn {file} -o out {words} --force")
    return json.loads(Path("out/scores.json").read_text()), dict(np.load("out/weights.npz"))
