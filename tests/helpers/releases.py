"""What a release needs; the Makefile calls it.

python tests/helpers/releases.py bounds GROUP ...   # the lower bounds of pyproject.toml
python tests/helpers/releases.py version TAG        # whether the changelog and the citation know the version
python tests/helpers/releases.py wheels FOLDER      # size, names and needs of the newest wheel of a folder
"""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

#: Bytes for one processor.
LARGEST = 2 * 1024**2
#: What belongs to every C library.
SYSTEM = {"libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "ld-linux-x86-64.so", "ld-linux-aarch64.so"}


def lower_bounds(project, groups):
    """Yield `name==version` for every requirement of the package, of its extras and of some groups: constraints for pip."""
    from packaging.requirements import Requirement

    metadata = project["project"]
    given = [*metadata["dependencies"], *(one for extra in metadata["optional-dependencies"].values() for one in extra)]
    for group in groups:
        given += [one for one in project["dependency-groups"][group] if isinstance(one, str)]
    for requirement in map(Requirement, given):
        if requirement.name != metadata["name"]:
            (bound,) = (one.version for one in requirement.specifier if one.operator == ">=")
            yield f"{requirement.name}=={bound}"


def version_problems(root, tag):
    """Yield what does not fit the version in Cargo.toml, a line each."""
    version = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))["package"]["version"]
    if tag and tag != f"v{version}":
        yield f"the tag is {tag}, the version in Cargo.toml {version}"
    changes = re.findall(r"^## (\S+)", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    if version not in changes:
        yield f"CHANGELOG.md has no section {version}"
    if f"\nversion: {version}\n" not in (root / "CITATION.cff").read_text(encoding="utf-8"):
        yield f"CITATION.cff is not of version {version}"


def external_libraries(wheel):
    """Return the shared libraries that the extension module of a Linux wheel needs."""
    from elftools.elf.elffile import ELFFile

    with zipfile.ZipFile(wheel) as archive:
        (module,) = (name for name in archive.namelist() if name.endswith(".so"))
        with archive.open(module) as file:
            tags = ELFFile(file).get_section_by_name(".dynamic").iter_tags("DT_NEEDED")
            return {tag.needed for tag in tags}


def wheel_problems(wheel):
    """Yield what is wrong with a wheel, a line each."""
    size, largest = wheel.stat().st_size, LARGEST * (2 if "universal2" in wheel.name else 1)
    if size >= largest:
        yield f"{size:,} bytes: must be below {largest:,}"
    if "-abi3-" not in wheel.name and "t-" not in wheel.name:
        yield "neither for every Python from 3.11 on (abi3) nor for a free-threaded one"
    if "linux" in wheel.name:
        if "manylinux" not in wheel.name and "musllinux" not in wheel.name:
            yield "the package index takes manylinux and musllinux wheels only"
        needed = {name for name in external_libraries(wheel) if name.split(".so")[0] + ".so" not in SYSTEM}
        needed -= {name for name in needed if name.startswith("libc.musl")}
        if needed:
            yield f"needs {', '.join(sorted(needed))}"


def check_wheels(folder):
    """Check the newest wheel of a folder."""
    wheel = max(Path(folder).glob("*.whl"), key=lambda path: path.stat().st_mtime)
    if "manylinux" in wheel.name:  # it reads musllinux wheels only on a system with musl
        subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], check=True)
    found = list(wheel_problems(wheel))
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    if command == "bounds":
        text = Path("pyproject.toml").read_text(encoding="utf-8")
        print("\n".join(sorted(set(lower_bounds(tomllib.loads(text), words)))))
    elif command == "version":
        found = list(version_problems(Path(), *words or [""]))
        print("\n".join(found) if found else "the version is the same everywhere")
        sys.exit(bool(found))
    else:
        sys.exit(check_wheels(*words))
