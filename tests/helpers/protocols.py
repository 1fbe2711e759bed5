"""People and a protocol for small experiments."""

import os
from pathlib import Path

import wkendall
from paths import SHARED
from wkendall.datasets import make_survey
from wkendall.experiments import Measurement, Protocol

PEOPLE = make_survey(2000, rng=1)
SMALL = Protocol(train=40, test=20, folds=4, seed=7)
PAPER = SHARED / "paper.tex"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(wkendall.__file__).resolve().parents[1])}


def made_up(kernel, accuracies):
    return [Measurement(kernel, i, accuracy, 0.6, {"C": 1.0}, 0.1, None) for i, accuracy in enumerate(accuracies)]
