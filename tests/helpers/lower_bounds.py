"""Print the lower bounds of pyproject.toml as constraints for pip: what `make test-oldest` installs."""

import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement


def lower_bounds(project, groups):
    """Yield `name==version` for every requirement of the package, of its extras and of some groups."""
    metadata = project["project"]
    given = [*metadata["dependencies"], *(one for extra in metadata["optional-dependencies"].values() for one in extra)]
    for group in groups:
        given += [one for one in project["dependency-groups"][group] if isinstance(one, str)]
    for requirement in map(Requirement, given):
        if requirement.name != metadata["name"]:
            (bound,) = (one.version for one in requirement.specifier if one.operator == ">=")
            yield f"{requirement.name}=={bound}"


if __name__ == "__main__":
    text = Path("pyproject.toml").read_text(encoding="utf-8")
    print("\n".join(sorted(set(lower_bounds(tomllib.loads(text), sys.argv[1:])))))
