"""Example rankings: random rankings, the survey of the paper, and people simulated from a model of the survey.

The paper is Jiao and Vert, "The Weighted Kendall and High-order Kernels for Permutations". Its survey is Eurobarometer
55.2: people rank six sources of information about science.

Modules, the highest first. Each module imports only modules below it:

    eurobarometer  the files of the survey
    survey     people simulated from a model of the survey
    simulated  random rankings from models

>>> from wkendall.datasets import make_mallows, make_survey
>>> make_mallows(3, 4, 1.0, rng=0).shape, make_survey(5, rng=0).X.shape
((3, 4), (5, 6))
"""

from wkendall.datasets.eurobarometer import COUNTS as COUNTS
from wkendall.datasets.eurobarometer import ICPSR as ICPSR
from wkendall.datasets.eurobarometer import PREFMOD as PREFMOD
from wkendall.datasets.eurobarometer import load_eurobarometer
from wkendall.datasets.simulated import make_mallows, make_plackett_luce, make_uniform
from wkendall.datasets.survey import ITEMS as ITEMS
from wkendall.datasets.survey import MODEL as MODEL
from wkendall.datasets.survey import SIZES as SIZES
from wkendall.datasets.survey import Survey as Survey
from wkendall.datasets.survey import group_chances as group_chances
from wkendall.datasets.survey import make_survey

__all__ = ["load_eurobarometer", "make_mallows", "make_plackett_luce", "make_survey", "make_uniform"]
