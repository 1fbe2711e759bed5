"""Check that a tag is the version of the project, and that the changelog and the citation know it: `make release-check`."""

import re
import sys
import tomllib
from pathlib import Path


def problems(root, tag):
    """Yield what does not fit the version in Cargo.toml, a line each."""
    version = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))["package"]["version"]
    if tag and tag != f"v{version}":
        yield f"the tag is {tag}, the version in Cargo.toml {version}"
    changes = re.findall(r"^## (\S+)", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    if version not in changes:
        yield f"CHANGELOG.md has no section {version}"
    if f"\nversion: {version}\n" not in (root / "CITATION.cff").read_text(encoding="utf-8"):
        yield f"CITATION.cff is not of version {version}"


if __name__ == "__main__":
    found = list(problems(Path(), *sys.argv[1:2] or [""]))
    print("\n".join(found) if found else "the version is the same everywhere")
    sys.exit(bool(found))
