"""Bad input for optimisation: what is wrong, how it is called, the exception, what its message must say.

The last is a regular expression.
"""

import tempfile
from itertools import permutations
from pathlib import Path

import numpy as np
from wkendall.optimize import Optimizer, minimize

HUGE = 10**5000


def told(x, y, items=4, **options):
    """Tell a point when [0, 1, 2, 3] with the value 1 was told before."""

    def call():
        optimizer = Optimizer(items, rng=0, **options)
        optimizer.tell(np.arange(items), 1.0)
        optimizer.tell(x, y)

    return call


def made(items=4, **options):
    return lambda: Optimizer(items, **options)


def run(f=lambda x: 0.0, items=4, **options):
    return lambda: minimize(f, items, **{"n_calls": 3, "rng": 0} | options)


def asked_after_all(items, **options):
    """Ask when all was told."""

    def call():
        optimizer = Optimizer(items, rng=0, **options)
        for order in permutations(range(items)):
            if optimizer.feasible is None or optimizer.feasible(order):
                optimizer.tell(order, 1.0)
        optimizer.ask()

    return call


def file(text):
    def call():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.json")
            path.write_text(text)
            Optimizer.load(path)

    return call


def masked(values, place):
    found = np.ma.array(values)
    found[place] = np.ma.masked
    return found


ONCE = "each of 0..3 once"
VALUE = "must be a real number, or inf for an order that failed"

POINTS = [
    ("item twice", told([1, 0, 3, 1], 2), ValueError, rf"^x has item 1 twice, the second time at position 3, but must .*{ONCE}"),
    ("item too large", told([1, 0, 3, 4], 2), ValueError, rf"^x has 4 at position 3, but must be an order .*{ONCE}"),
    ("items from one", told([4, 3, 2, 1], 2), ValueError, r"^x has 4 at position 0"),
    ("item negative", told([1, -1, 3, 2], 2), ValueError, r"^x has -1 at position 1"),
    ("item not whole", told([1, 0.5, 3, 2], 2), ValueError, r"^x has 0\.5 at position 1"),
    ("item not a number", told([1, np.nan, 3, 2], 2), ValueError, r"^x has nan at position 1"),
    ("item infinite", told([1, np.inf, 3, 2], 2), ValueError, r"^x has inf at position 1"),
    ("item masked", told(masked([1, 0, 3, 2], 2), 2), ValueError, r"^x has masked entries, one at place 2"),
    ("items as text", told(list("1032"), 2), TypeError, rf"^x must be an order of the 4 items: {ONCE}"),
    ("item a word", told([1, "a", 3, 2], 2), TypeError, r"^x must be an order"),
    ("item nothing", told([1, None, 3, 2], 2), TypeError, r"^x must be an order"),
    ("item huge", told([1, HUGE, 3, 2], 2), TypeError, r"^x must be an order"),
    ("items as truth values", told([True, False, True, False], 2), TypeError, r"^x must be an order"),
    ("point nothing", told(None, 2), ValueError, r"^x has shape \(\), but must be an order"),
    ("point too short", told([0, 1, 2], 2), ValueError, r"^x has shape \(3,\), but must be an order of the 4 items"),
    ("point too long", told([0, 1, 2, 3, 4], 2), ValueError, r"^x has shape \(5,\)"),
    ("point empty", told([], 2), ValueError, r"^x has shape \(0,\)"),
    ("points of different lengths", told([[1, 0, 2, 3], [0, 1]], [1, 2]), ValueError, r"^x\[1\] has shape \(2,\)"),
    ("points with another number of values", told([[1, 0, 2, 3], [0, 1, 3, 2]], [1]), ValueError,
     r"^y has 1 value, but x has 2 orders: give one for each"),
    ("second point wrong", told([[1, 0, 2, 3], [0, 1, 1, 2]], [1, 2]), ValueError, r"^x\[1\] has item 1 twice"),
    ("second value wrong", told([[1, 0, 2, 3], [0, 1, 3, 2]], [1, np.nan]), ValueError, rf"^y\[1\] is nan, but {VALUE}"),
    ("same point twice", told([[1, 0, 2, 3], [1, 0, 2, 3]], [1, 2]), ValueError,
     r"^x\[1\] is \[1, 0, 2, 3\], an order that was told before, as x\[0\]"),
    ("point told before", told([0, 1, 2, 3], 2), ValueError,
     r"^x is \[0, 1, 2, 3\], an order that was told before, as number 0: Optimizer\(noisy=True\) takes repeated values$"),
    ("tour told before", told([3, 2, 1, 0], 2, space="tour"), ValueError, r"^x is \[0, 1, 2, 3\], a tour that was told before"),
    ("point not feasible", told([1, 0, 2, 3], 2, feasible=lambda x: x[0] == 0), ValueError,
     r"^x is \[1, 0, 2, 3\], for which feasible is False$"),
    ("value not a number", told([1, 0, 2, 3], np.nan), ValueError, rf"^y is nan, but {VALUE}$"),
    ("value minus infinity", told([1, 0, 2, 3], -np.inf), ValueError, rf"^y is -inf, but {VALUE}$"),
    ("value nothing", told([1, 0, 2, 3], None), TypeError, rf"^y {VALUE}, not None$"),
    ("value a word", told([1, 0, 2, 3], "1.5"), TypeError, rf"^y {VALUE}, not '1\.5'$"),
    ("value complex", told([1, 0, 2, 3], 1j), TypeError, rf"^y {VALUE}, not 1j$"),
    ("value huge", told([1, 0, 2, 3], HUGE), TypeError, rf"^y {VALUE}"),
    ("values for one point", told([1, 0, 2, 3], [1, 2]), TypeError, rf"^y {VALUE}, not \[1, 2\]$"),
    ("value a truth value", told([1, 0, 2, 3], True), TypeError, rf"^y {VALUE}, not True$"),
    ("no items", made(0), ValueError, r"^n_items is 0, but must be at least 1$"),
    ("half an item", made(2.5), TypeError, r"^n_items must be an integer, not 2\.5$"),
    ("items as a list", made([1, 2]), TypeError, r"^n_items must be an integer"),
    ("too many items", made(HUGE), ValueError, r"^n_items is an integer of 5001 digits, but must be at most 92233"),
    ("no first points", made(n_initial=0), ValueError, r"^n_initial is 0, but must be at least 1$"),
    ("unknown kernel", made(kernel="rbf"), ValueError, r"^kernel is 'rbf', but must be one of 'mallows', "),
    ("kernel of another type", made(kernel=3), TypeError, r"^kernel must be one of"),
    ("unknown space", made(space="ring"), ValueError, r"^space is 'ring', but must be one of 'order', 'tour'$"),
    ("kernel with positions of a tour", made(kernel="kendall", space="tour"), ValueError,
     r'^kernel is \'kendall\', but must be "mallows" for space="tour": a tour has no first position$'),
    ("feasible no function", made(feasible=[1]), TypeError, r"^feasible must be a function or None, not \[1\]$"),
    ("noisy a word", made(noisy="yes"), TypeError, r"^noisy must be True or False, not 'yes'$"),
    ("seed negative", made(rng=-1), ValueError, r"^rng is -1, but must be None, a whole number from 0"),
    ("seed a word", made(rng="x"), TypeError, r"^rng must be None, a whole number from 0 or a NumPy random generator, not 'x'$"),
    ("seed a truth value", made(rng=True), TypeError, r"^rng must be None"),
    ("ask for none", lambda: Optimizer(4).ask(0), ValueError, r"^n is 0, but must be at least 1$"),
    ("ask for half", lambda: Optimizer(4).ask(0.5), TypeError, r"^n must be an integer, not 0\.5$"),
    ("ask for too many", lambda: Optimizer(3).ask(7), ValueError, r"^n is 7, but only 6 orders are left, of 6 in all$"),
    ("nothing feasible", lambda: Optimizer(12, feasible=lambda x: False, rng=0).ask(), ValueError,
     r"^feasible is False for all 2000 random orders that were tried: tell the value of a feasible one, or give it .* as x0$"),
    ("nothing feasible among few", lambda: Optimizer(5, feasible=lambda x: False, space="tour").ask(), ValueError,
     r"^feasible is False for all the 12 tours$"),
    ("nothing left", asked_after_all(3), ValueError, r"^no orders are left, of 6 in all$"),
    ("nothing feasible left", asked_after_all(3, feasible=lambda x: x[0] == 0), ValueError,
     r"^no feasible orders are left, of 6 in all$"),
    ("one left", lambda: Optimizer(1).ask(2), ValueError, r"^n is 2, but only 1 order is left, of 1 in all$"),
    ("f no function", run(3), TypeError, r"^f must be a function, not 3$"),
    ("f not a number", run(lambda x: np.nan), ValueError, rf"^f\(x\) is nan, but {VALUE}$"),
    ("f of a word", run(lambda x: "a"), TypeError, rf"^f\(x\) {VALUE}, not 'a'$"),
    ("f of several values", run(lambda x: x), TypeError, rf"^f\(x\) {VALUE}"),
    ("no calls", run(n_calls=0), ValueError, r"^n_calls is 0, but must be at least 1$"),
    ("callback no function", run(callback=1), TypeError, r"^callback must be a function or None, not 1$"),
    ("progress a word", run(progress="a"), TypeError, r"^progress must be True or False"),
    ("first point wrong", run(x0=[0, 1, 2, 2]), ValueError, r"^x0 has item 2 twice"),
    ("first points wrong", run(x0=[[0, 1, 2, 3], [0, 1, 2]]), ValueError, r"^x0\[1\] has shape \(3,\)"),
    ("first point not feasible", run(x0=[3, 2, 1, 0], feasible=lambda x: x[0] == 0), ValueError,
     r"^x0 is \[3, 2, 1, 0\], for which feasible is False$"),
    ("second point not feasible", run(x0=[[0, 1, 2, 3], [3, 2, 1, 0]], feasible=lambda x: x[0] == 0), ValueError,
     r"^x0\[1\] is \[3, 2, 1, 0\], for which feasible is False$"),
    ("state in no file", run(save=3), TypeError, r"^save must be the name of a file, not 3$"),
    ("state in no folder", run(save="/no/folder/run.json"), FileNotFoundError, r"No such file or directory: '/no/folder/run"),
    ("state in a folder", run(save=tempfile.gettempdir()), IsADirectoryError, r"Is a directory"),
    ("state not JSON", file("{"), ValueError, r"is not a file that Optimizer\.save wrote: it is not JSON$"),
    ("state of something else", file("{}"), ValueError, r"is not a file that Optimizer\.save wrote: it is other JSON$"),
]  # fmt: skip
