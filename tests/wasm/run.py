"""Run the crate in WebAssembly, under node.

    python tests/wasm/run.py    (or make test-wasm)

Without node or without the Rust target, this says so and succeeds.
"""

import shutil
import subprocess
import sys
from pathlib import Path

TARGET = "wasm32-unknown-unknown"
FOLDER = Path(__file__).parent
BUILT = FOLDER.parent.parent / "build" / "wasm"
SCRIPT = """
const bytes = require("node:fs").readFileSync(process.argv[1]);
WebAssembly.instantiate(bytes, {}).then(({ instance }) => {
  const calls = instance.exports.check();
  if (calls < 1) throw new Error("the watch function was never called");
  console.log(`WebAssembly: results are right, ${calls} calls of the watch function`);
});
"""


def missing():
    """Return what this machine lacks, or None."""
    if shutil.which("node") is None:
        return "there is no node"
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True).stdout.strip()
    if not (Path(sysroot) / "lib" / "rustlib" / TARGET).exists():
        return f"rustup target add {TARGET} has not been run"
    return None


def main():
    """Build and run."""
    reason = missing()
    if reason is not None:
        print(f"WebAssembly: skipped, because {reason}")
        return 0
    build = ["cargo", "build", "--quiet", "--locked", "--release", "--target", TARGET, "--target-dir", str(BUILT)]
    subprocess.run(build, cwd=FOLDER, check=True)
    program = BUILT / TARGET / "release" / "wasm.wasm"
    return subprocess.run(["node", "-e", SCRIPT, str(program)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
