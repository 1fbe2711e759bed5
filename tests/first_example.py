"""Runs the README's first Python example as a new user would; called by `make test-wheel` in a fresh environment."""

import re
from pathlib import Path

readme = (Path(__file__).parents[1] / "README.md").read_text()
code = re.search(r"```python\n(.*?)```", readme, flags=re.DOTALL).group(1)
exec(compile(code, "README.md", "exec"))
