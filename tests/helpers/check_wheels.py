"""Check wheels before they are uploaded: size, names, and what Linux wheels need from the system.

Run by `make wheel-release` with the folder of the wheels; the last one made is checked, and by auditwheel if it is for Linux.
"""

import subprocess
import sys
import zipfile
from pathlib import Path

#: Bytes for one processor.
LARGEST = 2 * 1024**2
#: What belongs to every C library.
SYSTEM = {"libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "ld-linux-x86-64.so", "ld-linux-aarch64.so"}


def external_libraries(wheel):
    """Return the shared libraries that the extension module of a Linux wheel needs."""
    from elftools.elf.elffile import ELFFile

    with zipfile.ZipFile(wheel) as archive:
        (module,) = (name for name in archive.namelist() if name.endswith(".so"))
        with archive.open(module) as file:
            tags = ELFFile(file).get_section_by_name(".dynamic").iter_tags("DT_NEEDED")
            return {tag.needed for tag in tags}


def problems(wheel):
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


def main(folder):
    """Check the newest wheel of a folder."""
    wheel = max(Path(folder).glob("*.whl"), key=lambda path: path.stat().st_mtime)
    if "manylinux" in wheel.name:  # it reads musllinux wheels only on a system with musl
        subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], check=True)
    found = list(problems(wheel))
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
