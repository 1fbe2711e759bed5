"""Compare the speed of two checkouts: `cargo bench`, the wkendall entries of `benches/peers.py`, `benches/small_calls.py`.

    python benches/before_after.py BEFORE AFTER --rounds 3

Both checkouts take turns. An entry's time is the best of all rounds, and its noise is the largest ratio of two rounds of the same
checkout. The script prints a table of all common entries, the slowest first, and how many are more than 3 % and 5 % slower.
The scripts for the package are those of this checkout. They also run with a package that has no `Rankings`: see `calls.py`.
"""

import argparse
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
BENCHES = ("kappa", "gram", "strategies")


def package_python(tree):
    """Return an interpreter with the wheel of this checkout; build the wheel if necessary."""
    folder = tree / "build/compare"
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    tools = ["maturin", "numba", "pandas", "matplotlib", "threadpoolctl"]
    subprocess.run([python, "-m", "pip", "install", "-q", *tools], check=True)
    wheels = folder / "wheels"
    build = [folder / "bin/maturin", "build", "--release", "--locked", "--quiet", "--out", wheels]
    subprocess.run([*build, "--interpreter", python], cwd=tree, check=True)
    install = [python, "-m", "pip", "install", "-q", "--force-reinstall", *wheels.glob("*.whl")]
    subprocess.run(install, check=True)
    return python


def crate_times(tree, seconds):
    """Run the benchmarks of the crate; return the median of each entry in seconds."""
    found = tree / "target/criterion"
    for bench in BENCHES:
        limits = ["--warm-up-time", str(seconds / 3), "--measurement-time", str(seconds), "--noplot"]
        command = ["cargo", "bench", "--quiet", "--bench", bench, "--", *limits]
        subprocess.run(command, cwd=tree, check=True, capture_output=True)
    times = {}
    for file in found.glob("**/new/estimates.json"):
        name = json.loads((file.parent / "benchmark.json").read_text())["full_id"]
        times["crate: " + name] = json.loads(file.read_text())["median"]["point_estimate"] / 1e9
    return times


def package_times(python, seconds, out):
    """Run the wkendall entries of `peers.py`, and `small_calls.py`; return the time of each entry in seconds."""
    small = out / "small_calls.json"
    for command in (["peers.py", "--own", "--seconds", str(seconds), "--out", out], ["small_calls.py", small]):
        command = [python, HERE / command[0], *command[1:]]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": ""})
    rows = json.loads((out / "benchmark.json").read_text())["results"]
    times = {
        f"package: {row['weight']} n={row['n']} {row['way']}, {row['threads']} threads": row["ns"] / 1e9 for row in rows
    }
    return times | {f"small: {name}": taken for name, taken in json.loads(small.read_text()).items()}


def compare(before, after):
    """Print the table; both arguments are lists with one dictionary per round."""
    lines = []
    for name in sorted(before[0].keys() & after[0].keys()):
        old, new = ([times[name] for times in rounds] for rounds in (before, after))
        noise = max(max(old) / min(old), max(new) / min(new))
        lines.append((min(new) / min(old), noise, name, min(old), min(new)))
    print(f"{'ratio':>6} {'noise':>6} {'before':>10} {'after':>10}  entry")
    for ratio, noise, name, old, new in sorted(lines, reverse=True):
        print(f"{ratio:6.2f} {noise:6.2f} {old:10.3g} {new:10.3g}  {name}")
    for limit in (1.03, 1.05):
        beyond = sum(ratio > limit * noise for ratio, noise, *_ in lines)
        slower = sum(ratio > limit for ratio, *_ in lines)
        print(f"slower than {limit}: {slower} of {len(lines)} entries, {beyond} of them beyond their noise")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.4, help="for each entry and round")
    options = parser.parse_args()
    trees = [options.before.resolve(), options.after.resolve()]
    pythons = [package_python(tree) for tree in trees]
    for tree in trees:
        subprocess.run(["cargo", "bench", "--quiet", "--no-run"], cwd=tree, check=True)
    measured = [[], []]
    for number in range(options.rounds):
        for tree, python, rounds in zip(trees, pythons, measured, strict=True):
            times = crate_times(tree, options.seconds)
            times |= package_times(python, options.seconds, tree / "build/compare")
            rounds.append(times)
            (tree / f"build/compare/round{number}.json").write_text(json.dumps(times, indent=1))
            print(f"round {number + 1}, {tree}: {len(times)} entries", file=sys.stderr, flush=True)
    compare(*measured)


if __name__ == "__main__":
    main()
