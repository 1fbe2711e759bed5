"""Check that two versions of the package give bitwise identical results.

    python benches/same_bits.py record results.json     with the package of one commit
    python benches/same_bits.py compare results.json    with the package of another commit, on the same machine

A case is a public call with fixed arguments. The file stores a hash and a few values of each result. For a call that raises
an error it stores the type and the message. Messages may change, and a type may become a subclass; both are counted.
`compare` exits with status 1 if a result differs or is missing. Results also depend on libraries and the processor, which
must be the same in both runs. One of the packages may be of a time without `Rankings` and measures: see `calls.py`. Run this
file for both, not that of the older commit.
"""

import os

# Libraries read these variables when they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"
os.environ["RAYON_NUM_THREADS"] = "1"

import argparse
import hashlib
import json
import platform
import sys
import time
import warnings
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import bits_of_kernels
import bits_of_models
import bits_of_statistics
import numpy as np

#: The number of values stored for each result, evenly spaced.
KEPT = 8
GROUPS = bits_of_kernels.GROUPS | bits_of_models.GROUPS | bits_of_statistics.GROUPS
LIBRARIES = ("wkendall", "numpy", "scipy", "scikit-learn")
#: The maximum number of differences listed.
LISTED = 200


def summary(value):
    """Return the stored summary of a result."""
    array = np.ascontiguousarray(value)
    if array.dtype.kind in "OU":
        array = np.array(json.dumps(array.tolist()).encode())
    digest = hashlib.sha256(f"{array.dtype.str} {np.shape(value)} ".encode() + array.tobytes()).hexdigest()
    flat = array.ravel()
    some = flat[np.unique(np.linspace(0, flat.size - 1, KEPT).astype(int))] if flat.size else flat
    shown = [str(text) for text in some] if array.dtype.kind == "S" else some.tolist()
    return {"hash": digest[:32], "type": array.dtype.str, "shape": list(np.shape(value)), "values": shown}


def outcomes(name, call):
    """Yield the name and the summary of every result of a call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = call()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # A refusal is a result. A panic of the crate is no Exception.
            bases = [kind.__name__ for kind in type(error).__mro__]
            yield name, {"error": type(error).__name__, "bases": bases, "message": str(error)}
            return
    if isinstance(value, dict):
        for part, result in value.items():
            yield f"{name} -> {part}", summary(result)
    else:
        yield name, summary(value)


def run(groups):
    """Run the cases of groups; print their number and time."""
    found = {}
    for group in groups:
        start, before = time.perf_counter(), len(found)
        for name, call in GROUPS[group]():
            for full, result in outcomes(f"{group}: {name}", call):
                if full in found:
                    raise ValueError(f"two cases have the name {full}")
                found[full] = result
        refused = sum("error" in result for result in list(found.values())[before:])
        seconds = time.perf_counter() - start
        print(f"{group:12} {len(found) - before:6} cases, {refused:5} of them refused {seconds:8.1f} s", flush=True)
    return found


def surroundings():
    """Return the other factors that results depend on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    found = {"python": platform.python_version(), "machine": platform.machine(), "processor": model}
    return found | {name: version(name) for name in LIBRARIES}


def record(path):
    found = run(GROUPS)
    cases = ",\n".join(f"{json.dumps(name)}: {json.dumps(result)}" for name, result in found.items())
    path.write_text(f'{{"surroundings": {json.dumps(surroundings())},\n"cases": {{\n{cases}\n}}}}\n')
    print(f"{len(found)} cases recorded in {path}, {path.stat().st_size / 1e6:.1f} MB")
    return 0


def difference(old, new):
    """Describe the difference of two results; None if they are equal."""
    if "error" in old or "error" in new:
        first, second = (f"{one['error']} ({one['message']})" if "error" in one else "a result" for one in (old, new))
        return None if old.get("error") in new.get("bases", ()) else f"was {first}, is {second}"
    if old["hash"] == new["hash"]:
        return None
    for what in ("type", "shape"):
        if old[what] != new[what]:
            return f"{what} was {old[what]}, is {new[what]}"
    if np.dtype(old["type"]).kind not in "biuf":
        return f"was {old['values']}, is {new['values']}"
    first, second = (np.array(one["values"], dtype=np.float64) for one in (old, new))
    with np.errstate(invalid="ignore"):
        apart, scale = np.nanmax(np.abs(first - second)), np.nanmax(np.abs(first))
    if not apart > 0:
        return "the values kept in the file are equal: others differ, or the sign of a zero"
    return f"largest difference {apart:.3g} of values up to {scale:.3g}"


def compare(path, only):
    kept = json.loads(path.read_text())
    here = surroundings()
    for name, value in kept["surroundings"].items():
        if here.get(name) != value:
            print(f"note: {name} was {value}, is {here.get(name)}")
    old = {name: result for name, result in kept["cases"].items() if only is None or name.partition(":")[0] in only}
    new = run(GROUPS if only is None else only)
    wrong = {name: "missing" for name in old if name not in new}
    wrong |= {name: text for name in old if name in new and (text := difference(old[name], new[name]))}
    both = [name for name in old if name in new and name not in wrong]
    changed = [name for name in both if old[name].get("message") != new[name].get("message")]
    for name in changed[:LISTED]:
        print(f"message: {name}\n    was {old[name]['message']}\n    is  {new[name]['message']}")
    for name in list(wrong)[:LISTED]:
        print(f"DIFFERENT: {name}: {wrong[name]}")
    for group, number in Counter(name.partition(":")[0] for name in wrong).items():
        print(f"{number} of group {group} differ")
    added = len(set(new) - set(old))
    print(f"{len(both)} of {len(old)} cases are identical, {len(wrong)} differ or are missing")
    types = Counter((old[name]["error"], new[name]["error"]) for name in both if "error" in old[name])
    for (before, now), number in types.items():
        if before != now:
            print(f"{number} refusals were {before} and are {now}, a subclass")
    print(f"{len(changed)} messages of refusals changed; {added} cases are not in the file")
    return 1 if wrong or not old else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=["record", "compare"])
    parser.add_argument("path", type=Path, help="the JSON file with the results")
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), help="compare these groups only")
    options = parser.parse_args()
    return record(options.path) if options.command == "record" else compare(options.path, options.only)


if __name__ == "__main__":
    sys.exit(main())
