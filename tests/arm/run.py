"""Run the tests on Arm: directly on an Arm machine, elsewhere under qemu.

    python tests/arm/run.py [rust] [python]    (or make test-arm, ARM_TESTS="rust python")

On an Arm machine these are all tests of the crate and of the package. Elsewhere zig links programs for Arm and qemu runs them,
ten to fifty times as slowly: the tests of the crate, and of the package the core, on a CPython of Debian whose packages are
unpacked in build/arm. Nothing is installed in the system; what is missing is named.

Under qemu the program `memory` of tests/rust lets each FAULT_STEP-th allocation fail, not each.
"""

import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILT = ROOT / "build" / "arm"
PYTHON = ROOT / ".venv" / "bin" / "python"
TARGET = "aarch64-unknown-linux-gnu"
DEBIAN = "bookworm"  # with Python 3.11
PLATFORMS = ["manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64"]
FAULT_STEP = "64"
# Fails if the tests would pass on portable code alone.
NEON = "from wkendall import _core; sets = _core.instruction_sets(); assert sets == ['portable', 'neon'], sets"
CORE = [
    "tests/kernels/test_combinations.py",
    "tests/kernels/test_general_weights.py",
    "tests/kernels/test_incomplete.py",
    "tests/kernels/test_item_weight.py",
    "tests/kernels/test_kernels.py",
    "tests/kernels/test_list_neighbors.py",
    "tests/kernels/test_mallows.py",
    "tests/kernels/test_neighbors.py",
    "tests/kernels/test_properties.py",
    "tests/kernels/test_sparse_lists.py",
    "tests/kernels/test_tensors.py",
    "tests/statistics/test_corr.py",
    "tests/test_comparisons.py",
    "tests/test_measures.py",
    "tests/test_rankings.py",
]


def run(*command, **variables):
    """Run a command in the project's folder and stop if it fails."""
    environment = os.environ | {name: str(value) for name, value in variables.items()}
    status = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment, check=False).returncode
    if status:
        sys.exit(status)


def missing():
    """Return commands that install what this machine lacks."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True).stdout.strip()
    if not (Path(sysroot) / "lib" / "rustlib" / TARGET).exists():
        yield f"rustup target add {TARGET}"
    programs = {"qemu-aarch64": "qemu-user", "debootstrap": "debootstrap", "dpkg-deb": "dpkg"}
    packages = [package for program, package in programs.items() if shutil.which(program) is None]
    if packages:
        yield f"apt-get install {' '.join(packages)}"


def script(name, text):
    """Write an executable script and return its path."""
    path = BUILT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_crate():
    """Run the Rust tests under qemu."""
    # Crates with C code (criterion needs one) pass a target that zig does not know; the last one counts.
    compiler = script("zig-cc", f'exec "{PYTHON}" -m ziglang cc "$@" -target aarch64-linux-gnu')
    archiver = script("zig-ar", f'exec "{PYTHON}" -m ziglang ar "$@"')
    name = TARGET.replace("-", "_")
    variables = {f"CC_{name}": compiler, f"AR_{name}": archiver}
    variables[f"CARGO_TARGET_{name.upper()}_LINKER"] = compiler
    variables[f"CARGO_TARGET_{name.upper()}_RUNNER"] = f"qemu-aarch64 -L {libraries()}"
    variables["WKENDALL_FAULT_STEP"] = os.environ.get("WKENDALL_FAULT_STEP", FAULT_STEP)
    for tests in [["--lib", "--tests", "--no-fail-fast"], ["--doc"]]:
        run("cargo", "test", "--locked", "--target", TARGET, "--target-dir", "target/arm", *tests, **variables)


def libraries():
    """Return a folder with the C library and CPython for Arm, from packages of Debian that are only unpacked."""
    root = BUILT / "root"
    if not root.exists():
        unfinished = BUILT / "unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        choice = ["--arch=arm64", "--variant=minbase", "--include=python3,libpython3.11"]
        run("debootstrap", "--download-only", *choice, DEBIAN, unfinished)
        for package in sorted((unfinished / "var/cache/apt/archives").glob("*.deb")):
            run("dpkg-deb", "-x", package, unfinished)
        unfinished.rename(root)
    return root


def interpreter():
    """Return a script that runs CPython for Arm, with the libraries and the wheel."""
    root, site, wheels = libraries(), BUILT / "site", BUILT / "dist"
    shutil.rmtree(wheels, ignore_errors=True)
    wheel = ["--release", "--locked", "--zig", "--target", TARGET, "--compatibility", "manylinux2014"]
    folders = ["--target-dir", "target/release-wheels", "--out", wheels]
    path = f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"
    run(PYTHON.parent / "maturin", "build", *wheel, *folders, "--interpreter", PYTHON, PATH=path)
    shutil.rmtree(site, ignore_errors=True)
    platforms = [f"--platform={name}" for name in PLATFORMS]
    chosen = [*platforms, "--python-version=3.11", "--only-binary=:all:", f"--target={site}"]
    run(PYTHON, "-m", "pip", "install", "-q", *chosen, "--group", "test", *wheels.glob("*.whl"))
    python = script("python", f'exec env PYTHONPATH="{site}" qemu-aarch64 -L "{root}" "{root}/usr/bin/python3.11" "$@"')
    # Tests that start the interpreter take its path from here.
    (site / "sitecustomize.py").write_text(f"import sys\n\nsys.executable = {str(python)!r}\n")
    return python


def test_package():
    """Run the core of the Python tests under qemu."""
    python = interpreter()
    run(python, "-c", NEON)
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout=3000", *CORE)


# On an Arm machine the target of make, elsewhere the function.
PARTS = {"rust": ("test-rust", test_crate), "python": ("test-python", test_package)}


def main(parts):
    """Run the parts, by default both."""
    parts = parts or list(PARTS)
    if unknown := sorted(set(parts) - set(PARTS)):
        return f"there is no part {', '.join(unknown)}: use {', '.join(PARTS)}"
    if platform.machine() in {"aarch64", "arm64"}:
        run("make", *(PARTS[part][0] for part in parts), f"PYTHON={sys.executable}")
        return 0
    lacking = list(missing())
    if lacking:
        return f"The tests on Arm need: {'; '.join(lacking)}"
    run(PYTHON, "-m", "pip", "install", "-q", "--group", "release")
    for part in parts:
        start = time.monotonic()
        PARTS[part][1]()
        print(f"The part {part!r} passed in {(time.monotonic() - start) / 60:.0f} minutes.", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
