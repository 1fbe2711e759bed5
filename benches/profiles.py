"""Compare cargo profiles for a program that depends on the crate.

    python benches/profiles.py    (or make bench-profiles)

A crate cannot choose the profile of a program that depends on it. Cargo's `release` compiles a crate in sixteen parts and inlines
less than with one part; a vector operation that is not inlined becomes a call. This script builds `benches/dependent` with four
profiles and prints the time for one pair of rankings: in a debug build with the crate optimised, as docs/rust.md recommends, with
`release`, with `codegen-units = 1`, and with `lto = "thin"` as well, as the wheels are built. `release` should take at most 1.15
times as long as `codegen-units = 1`, and the debug build at most 1.5 times as long as `release`.

First it prints the time to compile the program again after a change, which should be below 1.5 seconds.

The profiles take turns, and the shortest run counts. Times are CPU time of one thread. Slow results do not fail.
"""

import argparse
import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROGRAM = ROOT / "benches" / "dependent"
BUILT = ROOT / "build" / "dependent"
#: Profiles and their names in the table.
PROFILES = {"dev": "debug", "release": "release", "one-unit": "1 unit", "wheel": "1 unit, lto"}
KERNELS = ["standard", "top", "average", "add", "mult", "standard-ties", "average-ties", "mult-ties"]
#: The number of rankings for each number of items: enough to make call overhead negligible, few enough to fit the cache.
RANKINGS = {20: 500, 200: 300, 2000: 50}
#: Seconds of a run.
SECONDS = 0.2


def build(profile):
    """Build the program; return its path."""
    command = ["cargo", "build", "--quiet", "--locked", "--profile", profile, "--target-dir", str(BUILT)]
    subprocess.run(command, cwd=PROGRAM, check=True)
    return BUILT / ("debug" if profile == "dev" else profile) / "dependent"


def rebuild_time(profile):
    """Return the seconds that the program takes to compile after a change, without the crate."""
    start = time.perf_counter()
    (PROGRAM / "src" / "main.rs").touch()
    build(profile)
    return time.perf_counter() - start


def cpu_time(program, kernel, items, times, backend):
    """Return the CPU time of a run that computes a matrix several times."""
    arguments = [str(program), kernel, str(items), str(RANKINGS[items]), str(times), backend]
    child = os.posix_spawn(
        program, arguments, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    )
    _, status, usage = os.wait4(child, 0)
    if status:
        raise RuntimeError(f"{' '.join(arguments)} ended with status {status}")
    return usage.ru_utime + usage.ru_stime


def nanoseconds(programs, kernel, items, turns, backend):
    """Return the shortest time per pair of rankings for each program."""
    first = min(cpu_time(programs["release"], kernel, items, 10, backend) for _ in range(2))
    times = max(10, round(10 * SECONDS / first))
    best = dict.fromkeys(programs, float("inf"))
    for _ in range(turns):
        for profile, program in programs.items():
            best[profile] = min(best[profile], cpu_time(program, kernel, items, times, backend))
    pairs = times * RANKINGS[items] * (RANKINGS[items] + 1) / 2
    return {profile: 1e9 * seconds / pairs for profile, seconds in best.items()}


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=15, help="runs of each profile; the shortest counts (default: 15)")
    parser.add_argument("--kernels", nargs="+", choices=KERNELS, default=KERNELS)
    parser.add_argument("--items", nargs="+", type=int, choices=RANKINGS, default=list(RANKINGS))
    parser.add_argument(
        "--backend", default="auto", help="strategy, instruction set or both, as in gram_matrix (default: auto)"
    )
    arguments = parser.parse_args()
    programs = {profile: build(profile) for profile in PROFILES}
    for profile in ["dev", "release"]:
        print(f"{PROFILES[profile]}: {min(rebuild_time(profile) for _ in range(3)):.2f} s to compile after a change")
    print("nanoseconds a pair, one thread")
    names = "".join(f"{name:>13}" for name in PROFILES.values())
    print(f"{'kernel':14} {'n':>5} {names}{'debug / release':>18}{'release / 1 unit':>18}")
    for kernel in arguments.kernels:
        for items in arguments.items:
            found = nanoseconds(programs, kernel, items, arguments.turns, arguments.backend)
            ratios = [found["dev"] / found["release"], found["release"] / found["one-unit"]]
            figures = "".join(f"{figure:13.1f}" for figure in found.values())
            print(f"{kernel:14} {items:5} {figures}" + "".join(f"{ratio:18.2f}" for ratio in ratios), flush=True)


if __name__ == "__main__":
    main()
