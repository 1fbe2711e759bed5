"""What a release needs: versions and addresses that agree, a page that the package index can show, old dependencies."""

import json
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, metadata

import pytest
from paths import ROOT
from releases import LARGEST, lower_bounds, version_problems, wheel_problems

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CRATE = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]
REPOSITORY = PROJECT["project"]["urls"]["Repository"]
INDEX_PAGE = (ROOT / PROJECT["project"]["readme"]).read_text()


def test_versions_agree():
    assert list(version_problems(ROOT, f"v{CRATE['version']}")) == []
    assert list(version_problems(ROOT, "v0.0.1")) == [
        f"the tag is v0.0.1, the version in Cargo.toml {CRATE['version']}"
    ]


def test_the_installed_package_has_the_metadata():
    try:
        found = metadata("wkendall")
    except PackageNotFoundError:
        pytest.skip("needs an installed package")
    assert found["Version"] == CRATE["version"]
    assert found["License-Expression"] == CRATE["license"] == "MIT"
    assert set(found.get_all("Project-URL")) == {f"{name}, {url}" for name, url in PROJECT["project"]["urls"].items()}
    assert "Typing :: Typed" in found.get_all("Classifier")
    assert found["Description"].strip() == INDEX_PAGE.strip()


def test_the_index_can_show_the_page():
    """Its links and pictures have addresses; pictures are in the repository."""
    links = re.findall(r"\]\((\S+?)\)", INDEX_PAGE)
    assert all(link.startswith("https://") for link in links)
    host = REPOSITORY.replace("//github.com/", "//raw.githubusercontent.com/")
    pictures = re.findall(r"!\[.*?\]\((\S+?)\)", INDEX_PAGE)
    assert pictures
    for picture in pictures:
        assert (ROOT / picture.removeprefix(f"{host}/main/")).is_file()


def test_one_address():
    """All files that name the repository name the same."""
    owner = REPOSITORY.split("/")[3]
    assert CRATE["repository"] == REPOSITORY
    files = [*ROOT.glob("*.md"), *ROOT.glob("*.cff"), *(ROOT / ".github").rglob("*.yml"), ROOT / "python/README.md"]
    named = {
        address
        for file in files
        for address in re.findall(r"https://github\.com/([\w-]+)/wkendall\b", file.read_text())
    }
    assert named == {owner}
    assert PROJECT["project"]["urls"]["Documentation"] == f"https://{owner}.github.io/wkendall/"


def test_lower_bounds():
    bounds = list(lower_bounds(PROJECT, ["test"]))
    assert {"numpy", "scipy", "scikit-learn", "dask", "pytest"} <= {bound.partition("==")[0] for bound in bounds}
    assert not any(bound.startswith("wkendall") for bound in bounds)
    table = (ROOT / "docs" / "support.md").read_text()
    core = [bound.partition("==")[2] for bound in lower_bounds({**PROJECT, "dependency-groups": {}}, [])]
    assert all(version in table for version in core)


def test_dependencies_compile_with_the_oldest_rust():
    """As far as they say which Rust they need."""
    if not shutil.which("cargo"):
        pytest.skip("needs cargo")
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline", "--features", "python"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"cargo does not have all dependencies: {done.stderr.splitlines()[-1]}")
    oldest = tuple(map(int, CRATE["rust-version"].split(".")))
    for package in json.loads(done.stdout)["packages"]:
        if package["rust_version"]:
            assert tuple(map(int, package["rust_version"].split(".")))[:2] <= oldest, package["name"]


def test_workflows_call_targets_that_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    called = [
        target
        for workflow in (ROOT / ".github" / "workflows").glob("*.yml")
        for target in re.findall(r"run: make ([a-z-]+)", workflow.read_text())
    ]
    assert len(called) > 8
    assert set(called) <= targets


def test_wheels_that_the_index_would_not_take(tmp_path):
    wheel = tmp_path / "wkendall-0.2.0-cp311-cp311-macosx_11_0_arm64.whl"
    wheel.write_bytes(bytes(LARGEST))
    assert list(wheel_problems(wheel)) == [
        "2,097,152 bytes: must be below 2,097,152",
        "neither for every Python from 3.11 on (abi3) nor for a free-threaded one",
    ]
    good = tmp_path / "wkendall-0.2.0-cp314-cp314t-macosx_11_0_arm64.whl"
    good.write_bytes(b"")
    assert list(wheel_problems(good)) == []
