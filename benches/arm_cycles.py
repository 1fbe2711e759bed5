"""Estimate the cycles of the hottest loops on Arm CPUs with llvm-mca.

    python benches/arm_cycles.py [ASSEMBLY]

Needs llvm-mca of LLVM 20 or later (Debian: llvm-22) and `rustup target add aarch64-unknown-linux-gnu`; no Arm CPU. Compiles the
crate to assembly unless a file is given. A loop is found by its function and the instruction it is made for. It is the innermost
loop that has most of these instructions, from the label to the branch back.

The limit is what the vector units need for the essential instructions alone, without loads, addresses and branches. On these CPUs
the units that count ones also do "exclusive or" and add up the counts. The estimate assumes that all data is in the first-level
cache.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

TARGET = "aarch64-unknown-linux-gnu"
ROOT = Path(__file__).resolve().parent.parent
REPEATS = 300


@dataclass(frozen=True)
class Cpu:
    """A CPU model of LLVM. That of apple-m1 is an older CPU of Apple: an M1 has four vector units, all with multiply-add."""

    name: str
    ghz: float
    vector_units: int
    double_multiply_add_units: int

    def limit(self, body):
        """Return the least number of cycles for these instructions."""
        multiply_adds = sum(line.startswith("fmla") and ".2d" in line for line in body)
        return max(len(body) / self.vector_units, multiply_adds / self.double_multiply_add_units)


CPUS = [Cpu("apple-m1", 3.2, 3, 2), Cpu("neoverse-v2", 2.8, 4, 4)]


@dataclass(frozen=True)
class Loop:
    """A loop to look for, and how to count what it does."""

    name: str
    isa: str
    function: str  # a pattern of the mangled name
    made_for: str  # the instruction that is in no other loop of the function
    essential: tuple[str, ...]
    unit: str
    counted: str  # each of these instructions does one unit for each lane

    def units(self, body):
        """Return the units of work of an iteration."""
        return sum(lanes(line) for line in body if line.split()[0] == self.counted)


DOUBLE, SINGLE = r"product4RealKj18_E8multiply", r"product4RealKj30_E8multiply"
DIFFERING = r"4bits15count_differing"
BALANCE = r"4bits13count_balance"
AGREEING = r"8complete4bits\w*7Packing5count"
BUCKET = r"6BucketKj1_Kj20_E8call_sum\w*8Products"
LOOPS = [
    Loop("bits: differing", "neon", DIFFERING, "uadalp", ("eor", "cnt", "uadalp"), "64 pairs of items", "cnt"),
    Loop("bits: differing", "portable", DIFFERING, "addv", ("eor", "cnt", "addv"), "64 pairs of items", "cnt"),
    Loop(
        "bits: top k",
        "neon",
        AGREEING,
        "uadalp",
        ("and", "bit", "bif", "bsl", "cnt", "uadalp"),
        "64 pairs of items",
        "cnt",
    ),
    Loop("bits: top k", "portable", AGREEING, "addv", ("eor", "and", "cnt", "addv"), "64 pairs of items", "cnt"),
    Loop(
        "bits: ties",
        "neon",
        BALANCE,
        "sadalp",
        ("and", "eor", "bic", "cnt", "sub", "sadalp"),
        "64 pairs of items",
        "bic",
    ),
    Loop("bits: ties", "portable", BALANCE, "addv", ("and", "eor", "bic", "cnt", "addv"), "64 pairs of items", "eor"),
    Loop("product, double", "neon", DOUBLE, "fmla", ("fmla",), "product", "fmla"),
    Loop("product, double", "portable", DOUBLE, "fmul", ("fmul", "fadd"), "product", "fmul"),
    Loop("product, single", "neon", SINGLE, "fmla", ("fmla",), "product", "fmla"),
    Loop("product, single", "portable", SINGLE, "fmul", ("fmul", "fadd"), "product", "fmul"),
    Loop(
        "grid: buckets", "neon", BUCKET + r"\w*DoublePair", "fcmgt", ("fcmgt", "and", "fadd"), "pair of items", "fcmgt"
    ),
    Loop("grid: buckets", "portable", BUCKET + r"Adj4_", "fcmp", ("fcmp", "fcsel", "fadd"), "pair of items", "fcmp"),
]


def lanes(line):
    """Return the number of words, doubles or singles that an instruction processes."""
    arrangement = re.search(r"\.(16b|8b|4s|2d)\b", line)
    return {"16b": 2, "8b": 1, "4s": 4, "2d": 2}[arrangement[1]] if arrangement else 1


def innermost_loops(path):
    """Yield the function and the instructions of each loop without a label inside."""
    function, label, body = "", None, []
    for line in path.open():
        if found := re.match(r"(_R\w+):", line):
            function, label, body = found[1], None, []
        elif found := re.match(r"(\.L\w+):", line):
            label, body = found[1], []
        elif line.startswith("\t") and not line.startswith("\t."):
            body.append(line.split("//")[0].strip().replace("\t", " "))
            target = re.search(r"^(?:b\.\w+|cbn?z|tbn?z|b) .*?(\.L\w+)$", body[-1])
            if label and target and target[1] == label:
                yield function, list(body)


def cycles(tool, cpu, body):
    """Return the cycles of an iteration."""
    labels = sorted(set(re.findall(r"\.L\w+", "\n".join(body))))
    text = "\n".join([*(f"{label}:" for label in labels), *body])
    command = [tool, "-mtriple=aarch64", f"-mcpu={cpu.name}", f"-iterations={REPEATS}"]
    found = subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout
    return int(re.search(r"Total Cycles: +(\d+)", found)[1]) / REPEATS


def assembly():
    """Compile the crate and return the path of the assembly."""
    built = ROOT / "target" / "arm"
    command = ["cargo", "rustc", "--release", "--lib", "--locked", "--target", TARGET, "--target-dir", str(built)]
    flags = ["--emit", "asm", "-C", "symbol-mangling-version=v0", "-C", "debuginfo=0"]
    subprocess.run([*command, "--", *flags], cwd=ROOT, check=True)
    return max((built / TARGET / "release" / "deps").glob("wkendall-*.s"), key=lambda path: path.stat().st_mtime)


def main():
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assembly", nargs="?", type=Path)
    given = parser.parse_args().assembly
    versions = [f"llvm-mca-{version}" for version in range(30, 19, -1)]
    tool = next(filter(None, map(shutil.which, [*versions, "llvm-mca"])), None)
    if tool is None:
        return "there is no llvm-mca (Debian: apt-get install llvm-22)"
    best = {}
    for function, body in innermost_loops(given or assembly()):
        names = Counter(line.split()[0] for line in body)
        for loop in LOOPS:
            count = names[loop.made_for]
            if count > best.get(loop, (1,))[0] and re.search(loop.function, function):
                best[loop] = count, body
    print("| loop | instructions | CPU | cycles | limit | cycles / limit | ps per unit | unit |")
    print("|---|---|---|---|---|---|---|---|")
    for loop in LOOPS:
        if loop not in best:
            print(f"| {loop.name} | {loop.isa} | not found | | | | | |")
            continue
        body = best[loop][1]
        essential = [line for line in body if line.split()[0] in loop.essential and re.search(r"\b[vd]\d", line)]
        for cpu in CPUS:
            taken, limit = cycles(tool, cpu, body), cpu.limit(essential)
            each = 1000 * taken / cpu.ghz / loop.units(body)
            ratio = f"{limit:.1f} | {taken / limit:.2f}" if loop.isa != "portable" else " | "
            print(f"| {loop.name} | {loop.isa} | {cpu.name} | {taken:.1f} | {ratio} | {each:.0f} | {loop.unit} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
